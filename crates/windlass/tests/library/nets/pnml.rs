//! PNML: read back, played as a place/transition net, and compared with the semantics.

use std::collections::{BTreeMap, BTreeSet};

use windlass::application::assembly::Assembly;
use windlass::explore::{self, Derived, Options};
use windlass::export::pnml;
use windlass::semantics::net::{Element, Madeus, Valuation};
use windlass::system::Limits;

use super::random::{self, SMALL, Shape};
use super::{FIVE, application, long};

/// What a valuation or a marking says about elements, connections and values: ids.
type Seen = BTreeSet<String>;

fn of_valuation(state: &Valuation) -> Seen {
    let elements = state.marked.iter().map(|element| match element {
        Element::Place(id) => format!("place-{}", id.0),
        Element::Dock(id) => format!("dock-{}", id.0),
        Element::Transition(id) => format!("transition-{}", id.0),
    });
    let enabled = state.enabled.iter().map(|link| format!("enabled-{}", link.0));
    let phases = state.phases.iter().map(|(id, at)| format!("phase-{}-{at}", id.0));
    elements.chain(enabled).chain(phases).collect()
}

/// Places and weights.
type Arcs = Vec<(usize, u32)>;

/// A net as the PNML says it.
#[derive(Debug, Default)]
struct Net {
    ids: Vec<String>,
    start: Vec<u32>,
    /// What each transition takes and gives.
    changes: BTreeMap<String, (Arcs, Arcs)>,
}

fn parse(text: &str) -> Net {
    let document = roxmltree::Document::parse(text).unwrap();
    let number = |node: roxmltree::Node<'_, '_>, name: &str| {
        let found = node.children().find(|child| {
            child.has_tag_name(("http://www.pnml.org/version-2009/grammar/pnml", name))
        });
        found.map(|found| {
            let text = found.descendants().find(|node| node.tag_name().name() == "text").unwrap();
            text.text().unwrap().parse::<u32>().unwrap()
        })
    };
    let mut net = Net::default();
    let mut at = BTreeMap::new();
    for node in document.descendants() {
        match node.tag_name().name() {
            "place" => {
                let id = node.attribute("id").unwrap().to_owned();
                assert!(at.insert(id.clone(), net.ids.len()).is_none(), "{id} twice");
                net.ids.push(id);
                net.start.push(number(node, "initialMarking").unwrap_or(0));
            }
            "transition" => {
                let id = node.attribute("id").unwrap().to_owned();
                assert!(net.changes.insert(id, Default::default()).is_none());
            }
            "arc" => {
                let (from, to) =
                    (node.attribute("source").unwrap(), node.attribute("target").unwrap());
                let weight = number(node, "inscription").unwrap_or(1);
                if let Some(place) = at.get(from) {
                    net.changes.get_mut(to).unwrap().0.push((*place, weight));
                } else {
                    net.changes.get_mut(from).unwrap().1.push((at[to], weight));
                }
            }
            _ => {}
        }
    }
    net
}

impl Net {
    /// Every reachable marking, without what is only counted; none beyond a limit.
    fn reachable(&self, most: usize) -> Option<BTreeSet<Seen>> {
        let mut seen = BTreeSet::from([self.start.clone()]);
        let mut open = vec![self.start.clone()];
        while let Some(marking) = open.pop() {
            if seen.len() > most {
                return None;
            }
            for (take, give) in self.changes.values() {
                if take.iter().any(|(place, weight)| marking[*place] < *weight) {
                    continue;
                }
                let mut after = marking.clone();
                for (place, weight) in take {
                    after[*place] -= weight;
                }
                for (place, weight) in give {
                    after[*place] += weight;
                }
                if seen.insert(after.clone()) {
                    open.push(after);
                }
            }
        }
        let kept = |id: &str| {
            let kinds = ["place-", "dock-", "transition-", "enabled-", "phase-"];
            // The first behavior goes without saying.
            kinds.iter().any(|kind| id.starts_with(kind))
                && !(id.starts_with("phase-") && id.ends_with("-0"))
        };
        let view = |marking: &Vec<u32>| {
            let held = self.ids.iter().zip(marking).filter(|(id, tokens)| **tokens > 0 && kept(id));
            held.map(|(id, _)| id.clone()).collect::<Seen>()
        };
        Some(seen.iter().map(view).collect())
    }
}

/// Whether the markings are the valuations; none when there are too many.
fn compare(name: &str, text: &str) -> Option<usize> {
    let application = application(text);
    let assembly = Assembly::new(&application).unwrap();
    let madeus = Madeus::new(&assembly);
    let form = Derived(&madeus);
    let mut limits = Limits { states: 2000, bytes: usize::MAX };
    let space = explore::space(&form, &Options::default(), &mut limits).ok()?;
    let ours: BTreeSet<Seen> = space.states().map(|at| of_valuation(&space.decode(at))).collect();
    let net = parse(&pnml::write(&assembly).unwrap());
    let theirs = net.reachable(60_000)?;
    assert!(
        ours == theirs,
        "{name}: {} valuations, {} markings\nmissing {:?}\ntoo many {:?}\n{text}",
        ours.len(),
        theirs.len(),
        ours.difference(&theirs).next(),
        theirs.difference(&ours).next(),
    );
    Some(ours.len())
}

/// Deploy, stop, deploy again, with a place that holds its port.
const BEHAVIORS: &str = "
windlass: 1
types:
  server:
    net:
      places: [off, on]
      initial: [off]
      transitions:
        start: { from: off, to: on }
        stop: { from: on, to: off, behavior: stop }
      groups: { up: [on] }
      ports: { service: { kind: provide, groups: [up] } }
  client:
    net:
      places: [off, on]
      initial: [off]
      transitions:
        start: { from: off, to: on }
        stop: { from: on, to: off, behavior: stop }
      ports: { service: { kind: use, places: [on] } }
nodes:
  server: { type: server, behaviors: [deploy, stop, deploy] }
  client: { type: client, behaviors: [deploy, stop], bind: { service: server.service } }
";

#[test]
fn the_markings_are_the_valuations() {
    for (name, text) in FIVE.into_iter().chain([("behaviors", BEHAVIORS)]) {
        compare(name, text).unwrap_or_else(|| panic!("{name} is too large"));
    }
}

#[test]
fn the_markings_of_random_assemblies_are_the_valuations() {
    let mut compared = 0;
    for seed in (0..long::cases(60)).map(long::seed) {
        let shape = Shape { types: 2, choice: true, withdrawal: true, ..SMALL };
        let text = random::assembly(seed, shape);
        compared += usize::from(compare(&format!("seed {seed}"), &text).is_some());
    }
    assert!(compared > 20, "only {compared} assemblies were small enough");
}

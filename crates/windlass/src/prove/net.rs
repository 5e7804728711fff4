//! Does every run of an assembly of nets end with all tokens on final places?

use std::collections::BTreeSet;

use super::search::{is_end, search};
use super::{Answer, Proof, REPLAYED, Stuck};
use crate::application::assembly::progress::{self, Event, Explanation, Progress};
use crate::application::assembly::{Assembly, LinkId, PlaceId, PortId, TransitionId};
use crate::certificate;
use crate::explore::Options;
use crate::lifecycle::net::Side;
use crate::semantics::Semantics;
use crate::semantics::net::{Action, Blocked, Element, Madeus, Valuation};
use crate::system::{Budget, Evidence, Successors, System};

/// Proves, or shows how it gets stuck. Transitions of `may_fail` may fail, and are then tried again
/// as often as their `retry` says.
pub fn net(
    assembly: &Assembly<'_>,
    may_fail: &BTreeSet<TransitionId>,
    options: &Options,
    budget: &mut dyn Budget,
) -> Proof {
    let system = Failing { madeus: Madeus { assembly, failures: true }, may_fail };
    let mut assumptions = vec!["every transition that starts ends".to_owned()];
    if may_fail.is_empty() {
        assumptions.push("transitions succeed".to_owned());
    } else {
        let names: Vec<String> = may_fail.iter().map(|id| assembly.transition_name(*id)).collect();
        assumptions.push(format!("transitions succeed, except {}", names.join(", ")));
    }
    // One run decides, unless the order of events matters.
    let by_run = progress::progress_but(assembly, &|id| may_fail.contains(&id))
        .ok()
        .and_then(|found| by_run(&system, &assumptions, &found));
    by_run.unwrap_or_else(|| by_search(&system, assumptions, options, budget))
}

/// The seven rules and the change of behavior, where some transitions may fail. What an operator
/// may decide (to skip, to cancel, to compensate) is left out: there is no operator.
struct Failing<'a> {
    madeus: Madeus<'a>,
    may_fail: &'a BTreeSet<TransitionId>,
}

impl System for Failing<'_> {
    type State = Valuation;
    type Action = Action;
    type Blocked = Blocked;

    fn initial(&self) -> Valuation {
        self.madeus.initial()
    }

    fn candidates(&self, state: &Valuation) -> Vec<Action> {
        let mut all = Madeus::new(self.madeus.assembly).candidates(state);
        all.extend(state.troubles.keys().map(|id| Action::Retry(*id)));
        let runs = |id: &&TransitionId| state.is_marked(Element::Transition(**id));
        all.extend(self.may_fail.iter().filter(runs).map(|id| Action::Fail(*id)));
        all
    }

    fn step(&self, state: &Valuation, action: &Action) -> Result<Successors<Valuation>, Blocked> {
        self.madeus.step(state, action)
    }
}

/// What one run shows about all of them; none when `certificate` refuses it.
fn by_run(system: &Failing<'_>, assumptions: &[String], found: &Progress) -> Option<Proof> {
    let assembly = system.madeus.assembly;
    let stuck = found.stuck(assembly);
    certificate::check_order(assembly, system.may_fail, &found.run, stuck.is_none()).ok()?;
    let actions = actions(assembly, found);
    if actions.len() <= REPLAYED {
        let mut state = system.initial();
        for action in &actions {
            state = system.step(&state, action).ok()?.first().clone();
        }
        if !is_end(system, &state) || system.madeus.is_final(&state) != stuck.is_none() {
            return None;
        }
    }
    Some(Proof {
        answer: if stuck.is_some() { Answer::CanGetStuck } else { Answer::AlwaysCompletes },
        method: "one run",
        assumptions: assumptions.to_vec(),
        stuck: stuck.map(|id| Stuck {
            // All runs that go on as long as they can are equally long, unless something fails.
            shortest: system.may_fail.is_empty(),
            ..stuck_after(system, &actions, Some(found.explain(assembly, id)))
        }),
        evidence: "run",
        size: actions.len(),
        stopped: None,
    })
}

fn stuck_after(system: &Failing<'_>, actions: &[Action], waits: Option<Explanation>) -> Stuck {
    let assembly = system.madeus.assembly;
    Stuck {
        trace: actions.iter().map(|action| system.madeus.describe(action)).collect(),
        shortest: true,
        cycle: Vec::new(),
        waiting: waits.iter().map(|waits| progress::sentence(assembly, waits)).collect(),
        waits,
    }
}

/// The run in full: with the tokens that leave places, the connections that are enabled, and the
/// failures.
fn actions(assembly: &Assembly<'_>, found: &Progress) -> Vec<Action> {
    let mut run = FullRun {
        assembly,
        entered: vec![false; assembly.sizes().places],
        enabled: vec![false; assembly.links().len()],
        actions: Vec::with_capacity(2 * found.run.len()),
    };
    for component in assembly.component_ids() {
        for place in &assembly.net(component).0.initial {
            run.arrive(assembly.place(component, *place));
        }
    }
    for event in &found.run {
        match *event {
            Event::Fire(id) => {
                run.actions.push(Action::Fire(id));
                if !found.ends(id) {
                    let retry = assembly.net_transition(id).action.retry;
                    run.actions.push(Action::Fail(id));
                    for _ in 0..retry.map_or(0, |retry| retry.times) {
                        run.actions.extend([Action::Retry(id), Action::Fail(id)]);
                    }
                }
            }
            Event::End(id) => {
                run.actions.push(Action::End(id));
                run.set_values(id);
            }
            Event::Enter(place) => {
                run.actions.push(Action::Enter(place));
                run.arrive(place);
            }
        }
    }
    run.actions
}

struct FullRun<'a, 'b> {
    assembly: &'a Assembly<'b>,
    entered: Vec<bool>,
    enabled: Vec<bool>,
    actions: Vec<Action>,
}

impl FullRun<'_, '_> {
    /// What a token in a place brings about at once.
    fn arrive(&mut self, place: PlaceId) {
        let assembly = self.assembly;
        self.entered[place.index()] = true;
        let (component, local) = assembly.local_place(place);
        let (net, index) = assembly.net(component);
        for group in &index.groups_of_place[local.index()] {
            for port in &index.ports_of_group[group.index()] {
                let filled = net.port(*port).groups.iter().all(|group| {
                    let places = &net.groups[group.index()].places;
                    places.iter().any(|p| self.entered[assembly.place(component, *p).index()])
                });
                if filled {
                    self.enable(assembly.port(component, *port), Action::Enable);
                }
            }
        }
        let behavior = assembly.component(component).program[0];
        if index.active(local, Side::Output, behavior).next().is_some() {
            self.actions.push(Action::Leave(place));
        }
    }

    fn set_values(&mut self, id: TransitionId) {
        let (component, local) = self.assembly.local_transition(id);
        let (net, index) = self.assembly.net(component);
        for port in &index.sets[net.destination_place(local).index()] {
            self.enable(self.assembly.port(component, *port), Action::EnableData);
        }
    }

    fn enable(&mut self, provider: PortId, action: fn(LinkId) -> Action) {
        for link in self.assembly.links_of_provider(provider) {
            if !std::mem::replace(&mut self.enabled[link.index()], true) {
                self.actions.push(action(*link));
            }
        }
    }
}

/// Every run is looked at.
fn by_search(
    system: &Failing<'_>,
    assumptions: Vec<String>,
    options: &Options,
    budget: &mut dyn Budget,
) -> Proof {
    let is_goal = |state: &Valuation| system.madeus.is_final(state);
    let (mut proof, evidence) = search(system, &is_goal, assumptions, options, budget);
    match &evidence {
        Some(Evidence::Trace(trace)) => {
            let actions: Vec<Action> = trace.actions().copied().collect();
            let waits = Madeus::new(system.madeus.assembly).waits(trace.last());
            proof.stuck = Some(stuck_after(system, &actions, waits));
        }
        Some(Evidence::Lasso { stem, cycle }) => {
            let actions: Vec<Action> = stem.actions().copied().collect();
            let mut stuck = stuck_after(system, &actions, None);
            let repeated = cycle.iter().map(|step| system.madeus.describe(&step.action));
            stuck.cycle = repeated.collect();
            stuck.shortest = false;
            proof.stuck = Some(stuck);
        }
        _ => {}
    }
    proof
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Sources;

    const TWO_COMPONENTS: &str = include_str!("../../../../examples/two-components/windlass.yaml");

    #[test]
    fn a_damaged_run_decides_nothing() {
        let mut sources = Sources::new();
        let root = sources.add("windlass.yaml", TWO_COMPONENTS);
        let application = crate::lang::read(None, root, &sources).application.expect("it is read");
        let assembly = Assembly::new(&application).expect("nets");
        let none = BTreeSet::new();
        let system =
            Failing { madeus: Madeus { assembly: &assembly, failures: true }, may_fail: &none };
        let found = progress::progress(&assembly).expect("one run decides");
        let proof = by_run(&system, &[], &found).expect("the run is accepted");
        assert_eq!(proof.answer, Answer::AlwaysCompletes);
        for at in 0..found.run.len() {
            let mut damaged = found.clone();
            damaged.run.remove(at);
            assert_eq!(by_run(&system, &[], &damaged), None, "without event {at}");
            damaged = found.clone();
            damaged.run.insert(at, found.run[at]);
            assert_eq!(by_run(&system, &[], &damaged), None, "event {at} twice");
        }
        let all: BTreeSet<TransitionId> = assembly.transition_ids().collect();
        let system = Failing { may_fail: &all, ..system };
        assert_eq!(by_run(&system, &[], &found), None, "transitions that may fail did not");
    }
}

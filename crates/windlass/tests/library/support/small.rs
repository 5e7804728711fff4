//! Questions to the planner that are small enough to be answered by looking at everything.

use std::collections::BTreeSet;

use windlass::application::{Application, GlobalState};
use windlass::goal::{Amount, Goal, Want};
use windlass::lifecycle::protocol::{Element, StateId};

use super::prng::Prng;
use super::random;

/// A small random application: up to three nodes, up to three states each. So many of a hundred
/// operations offer something while they run.
pub fn application(prng: &mut Prng, offering: usize) -> String {
    let nodes = prng.between(1, 3);
    let (mut types, mut lines) = (String::new(), String::new());
    for node in 0..nodes {
        let mut needs: Vec<(String, String, String)> = Vec::new();
        for (sort, chance) in [("containment", 35), ("aware", 35), ("unaware", 45)] {
            if node > 0 && prng.chance(chance) {
                let arity = match prng.below(12) {
                    0 if sort != "containment" => ":all",
                    1 if sort != "containment" => ":2",
                    _ => "",
                };
                let name = format!("r{}", needs.len());
                needs.push((name, format!("{sort}{arity}"), format!("n{}.c", prng.below(node))));
            }
        }
        let list: Vec<String> = needs.iter().map(|(n, sort, _)| format!("{n}:{sort}")).collect();
        let list =
            if list.is_empty() { String::new() } else { format!("needs {}", list.join(" ")) };
        types += &format!("type t{node} {list} has c\n");
        let states = prng.between(2, 3);
        let some = |prng: &mut Prng, percent: usize| {
            let chosen: Vec<&str> =
                needs.iter().filter(|_| prng.chance(percent)).map(|(n, ..)| &**n).collect();
            if chosen.is_empty() { String::new() } else { format!(" needs {}", chosen.join(" ")) }
        };
        // Nothing chooses between two handlers that keep as much as each other.
        let handlers = if prng.chance(15) { " fault crashed s0" } else { " fault crashed" };
        let faults = |needs: &str| if needs.is_empty() { "" } else { handlers };
        for state in 0..states {
            let needs = some(prng, [5, 45, 60][state]);
            let offers = if prng.chance([15, 55, 70][state]) { " offers c" } else { "" };
            types += &format!("  state s{state}{needs}{offers}{}\n", faults(&needs));
        }
        types += "  state crashed\n";
        let mut ways = vec![(0, "up", 1)];
        if states > 2 {
            ways.push((1, "up", 2));
        }
        for (from, to) in [(1, 0), (2, 1), (2, 0), (0, 2), (1, 1)] {
            if from.max(to) < states && prng.chance(40) {
                ways.push((from, ["a", "b", "d"][from], to));
            }
        }
        if prng.chance(50) {
            ways.push((3, "fix", 0));
        }
        let mut seen = BTreeSet::new();
        for (from, name, to) in ways {
            if seen.insert((from, name)) {
                let needs = some(prng, 35);
                let offers = if prng.chance(offering) { " offers c" } else { "" };
                let from = if from == 3 { "crashed".to_owned() } else { format!("s{from}") };
                types += &format!("  op {from} {name} s{to}{needs}{offers}{}\n", faults(&needs));
            }
        }
        let bindings: Vec<String> = needs.iter().map(|(n, _, to)| format!("{n}={to}")).collect();
        lines += &format!("node n{node} t{node} x{} {}\n", prng.between(1, 2), bindings.join(" "));
    }
    types + &lines
}

/// A state of a walk with faults, in which nothing is under way.
pub fn start(prng: &mut Prng, application: &Application) -> GlobalState {
    if prng.chance(35) {
        return GlobalState::empty();
    }
    let mut state = random::start(prng, application);
    let too_many = state.instances.len() > 4;
    let under_way = state.instances.values().any(|i| matches!(i.element, Element::Transition(_)));
    if too_many || under_way {
        state = GlobalState::empty();
    }
    state
}

/// A goal about some of the nodes.
pub fn goal(prng: &mut Prng, application: &Application) -> Goal {
    let mut goal = Goal::default();
    for node in application.node_ids() {
        if goal.wants.is_empty() && node.index() + 1 == application.nodes.len() || prng.chance(40) {
            let states = application.protocol_of(node).expect("protocols").states.len();
            let state = StateId::from(prng.below(states));
            let amount = match prng.below(5) {
                0 => Amount::Exactly(2),
                1 => Amount::AtLeast(1),
                2 => Amount::Wanted,
                _ => Amount::Exactly(1),
            };
            goal.wants.push(match prng.below(8) {
                0 => Want::NodeGone(node),
                _ => Want::Node { node, state, amount },
            });
        }
    }
    goal
}

//! Random applications, states and plans from a seed.
//!
//! Applications are made as sketches, so that a case that fails can be printed and kept: two to
//! six nodes with acyclic bindings, containment nested as deep as it comes, replica-aware and
//! replica-unaware requirements of every arity, two to four states and one for crashes, needs and
//! offers on states and transitions. States come from random walks with faults; plans from random
//! walks, with most of their order taken away again.

use std::collections::BTreeSet;

use windlass::application::{Application, GlobalState, InstanceId, NodeId};
use windlass::plan::{Order, Plan, PlanAction, Step};
use windlass::semantics::replica::{Action, Creation, Replica};
use windlass::system::System;

use super::prng::Prng;
use super::sketch::{self, ORIGIN};

/// What a random application may have beyond a well-formed one.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wild {
    /// Arities beside `any`.
    pub arities: bool,
    /// Handlers that are missing, that add capabilities or requirements, or that go in cycles.
    pub handlers: bool,
    /// Several transitions for one operation in one state.
    pub alternatives: bool,
    /// Policies beside `any`.
    pub policies: bool,
}

impl Wild {
    /// Everything.
    pub const ALL: Wild =
        Wild { arities: true, handlers: true, alternatives: true, policies: true };
}

/// The sketch of a random application.
pub fn application_sketch(prng: &mut Prng, wild: Wild) -> String {
    let nodes = prng.between(2, 6);
    // Flat, mixed, or one long chain of containers.
    let contained = *prng.pick(&[15, 50, 50, 90]);
    let mut text = String::new();
    let mut capabilities: Vec<usize> = Vec::new();
    let mut node_lines = String::new();
    for node in 0..nodes {
        let offered = prng.between(1, 2);
        let mut needs: Vec<String> = Vec::new();
        let mut bindings = String::new();
        let mut need = |prng: &mut Prng, sort: &str, target: usize| {
            let name = format!("r{}", needs.len());
            let capability = prng.below(capabilities[target]);
            bindings += &format!(" {name}=n{target}.c{capability}");
            let arity = match prng.below(8) {
                0 if wild.arities && sort != "containment" => ":all",
                1 if wild.arities && sort != "containment" => ":2",
                _ => "",
            };
            needs.push(format!("{name}:{sort}{arity}"));
        };
        if node > 0 {
            if prng.chance(contained) {
                // The nearest nodes are preferred, so that containment nests.
                let target = node - 1 - prng.below(node.min(2));
                need(prng, "containment", target);
            }
            for sort in ["aware", "unaware"] {
                for _ in 0..prng.below(3) {
                    let target = prng.below(node);
                    need(prng, sort, target);
                }
            }
        }
        let names: Vec<String> =
            needs.iter().map(|n| n.split(':').next().unwrap_or_default().to_owned()).collect();
        capabilities.push(offered);
        text += &type_sketch(prng, wild, node, (&needs, &names), offered);
        let count = prng.between(1, 3);
        node_lines += &format!("node n{node} t{node} x{count}{bindings}\n");
    }
    text += &node_lines;
    if wild.policies {
        let policy = prng.pick(&["any", "any", "greedy", "least-loaded"]);
        text += &format!("policy {policy}\n");
    }
    text
}

/// A state or transition while it is made: what it needs and what it offers.
type Sets = (BTreeSet<String>, BTreeSet<String>);

fn type_sketch(
    prng: &mut Prng,
    wild: Wild,
    node: usize,
    (needs, names): (&[String], &[String]),
    offered: usize,
) -> String {
    let offers: Vec<String> = (0..offered).map(|c| format!("c{c}")).collect();
    let mut text = format!("type t{node}");
    if !needs.is_empty() {
        text += &format!(" needs {}", needs.join(" "));
    }
    text += &format!(" has {}\n", offers.join(" "));
    let some = |prng: &mut Prng, all: &[String], percent: usize| -> BTreeSet<String> {
        all.iter().filter(|_| prng.chance(percent)).cloned().collect()
    };
    let states = prng.between(2, 4);
    let mut sets: Vec<Sets> = Vec::new();
    for state in 0..states {
        // The initial state seldom needs anything; higher states need and offer more.
        let needed = if state == 0 { 5 } else { 25 + 15 * state };
        let given = if state == 0 { 15 } else { 30 + 20 * state };
        sets.push((some(prng, names, needed), some(prng, &offers, given)));
    }
    sets.push((BTreeSet::new(), BTreeSet::new()));
    for state in 0..=states {
        let name = if state == states { "crashed".to_owned() } else { format!("s{state}") };
        text += &format!("  state {name}{}", lists(&sets[state]));
        text += &handlers(prng, wild, &sets[state], &sets);
        if prng.chance(30) {
            text += &format!(" crash {}", prng.pick(&["s0", "crashed"]));
        }
        text += "\n";
    }
    let mut ops: Vec<(usize, &str, usize)> = Vec::new();
    for state in 0..states - 1 {
        ops.push((state, "up", state + 1));
        if prng.chance(80) {
            ops.push((state + 1, "down", state));
        }
    }
    ops.push((states, "fix", prng.below(states)));
    for name in ["config", "jump"] {
        if prng.chance(50) {
            let from = prng.below(states);
            let to = if name == "config" { from } else { prng.below(states) };
            ops.push((from, name, to));
        }
    }
    if wild.alternatives && prng.chance(50) {
        let again = *prng.pick(&ops);
        ops.push(again);
    }
    for (from, name, to) in ops {
        let own: Sets = (some(prng, names, 40), some(prng, &offers, 30));
        let state = |at: usize| if at == states { "crashed".into() } else { format!("s{at}") };
        text += &format!("  op {} {name} {}{}", state(from), state(to), lists(&own));
        text += &handlers(prng, wild, &own, &sets);
        text += "\n";
    }
    text
}

fn lists((needs, offers): &Sets) -> String {
    let mut text = String::new();
    for (word, set) in [(" needs", needs), (" offers", offers)] {
        if !set.is_empty() {
            text += word;
            for name in set {
                text += &format!(" {name}");
            }
        }
    }
    text
}

/// Handlers of an element: complete, because `crashed` needs nothing; they drop requirements and
/// add no capability, unless the application is wild.
fn handlers(prng: &mut Prng, wild: Wild, own: &Sets, states: &[Sets]) -> String {
    let mut targets: Vec<String> = Vec::new();
    let crashed = states.len() - 1;
    for (at, state) in states[..crashed].iter().enumerate() {
        let drops = state.0.is_subset(&own.0) && state.0 != own.0 && state.1.is_subset(&own.1);
        let is_wild = wild.handlers && prng.chance(8);
        if (drops && prng.chance(60)) || is_wild {
            targets.push(format!("s{at}"));
        }
    }
    let is_forgotten = wild.handlers && prng.chance(8);
    if !own.0.is_empty() && !is_forgotten {
        targets.push("crashed".to_owned());
    }
    if targets.is_empty() { String::new() } else { format!(" fault {}", targets.join(" ")) }
}

/// A random application.
pub fn application(prng: &mut Prng, wild: Wild) -> Application {
    sketch::application(&application_sketch(prng, wild))
}

/// Every instance that a walk may create: up to three of each node, each in some container.
pub fn pool(prng: &mut Prng, application: &Application) -> Vec<Creation> {
    let target = |node: NodeId| {
        let containment = application.type_of(node).containment();
        let binding = containment.and_then(|r| application.node(node).binding(r));
        binding.map(|binding| binding.target)
    };
    let mut pool: Vec<Creation> = Vec::new();
    let mut left: Vec<NodeId> = application.node_ids().collect();
    // A node comes after the node that contains it.
    while let Some(at) = left.iter().position(|n| target(*n).is_none_or(|t| !left.contains(&t))) {
        let node = left.remove(at);
        let holders: Vec<InstanceId> = pool
            .iter()
            .filter(|creation| Some(creation.node) == target(node))
            .map(|creation| creation.instance.clone())
            .collect();
        for at in 0..prng.between(1, 3) {
            let container = target(node).map(|_| prng.pick(&holders).clone());
            pool.push(Creation {
                instance: InstanceId(format!("{}x{at}", application.node(node).name)),
                node,
                container,
            });
        }
    }
    pool
}

/// A random walk of at most `length` steps from the start of `replica`; blocked steps are
/// skipped, creations and operations are preferred to scale-ins.
pub fn walk(prng: &mut Prng, replica: &Replica, length: usize) -> Vec<GlobalState> {
    let mut states = vec![replica.initial()];
    for _ in 0..length {
        let state = states.last().expect("a walk has a start").clone();
        let mut candidates = replica.candidates(&state);
        if !prng.chance(12) {
            candidates.retain(|action| !matches!(action, Action::ScaleIn { .. }));
        }
        if candidates.is_empty() {
            continue;
        }
        if let Ok(successors) = replica.step(&state, prng.pick(&candidates)) {
            states.push(prng.pick(&successors.into_vec()).clone());
        }
    }
    states
}

/// A start state: from a walk; most of the time without operations under way.
pub fn start(prng: &mut Prng, application: &Application) -> GlobalState {
    let Some(mut replica) = Replica::new(application, GlobalState::empty()) else {
        return GlobalState::empty();
    };
    replica.pool = pool(prng, application);
    let length = prng.between(10, 30);
    let mut state = walk(prng, &replica, length).pop().unwrap_or_default();
    if prng.chance(85) {
        state = ended(&replica, state);
    }
    state
}

/// The state after each operation under way has ended, or that state if one cannot end.
fn ended(replica: &Replica, mut state: GlobalState) -> GlobalState {
    loop {
        let candidates = replica.candidates(&state);
        let end = candidates.into_iter().find(|action| matches!(action, Action::OpEnd { .. }));
        match end.map(|end| replica.step(&state, &end)) {
            Some(Ok(successors)) => state = successors.first().clone(),
            _ => return state,
        }
    }
}

/// A plan of at most `length` actions from the start of `replica`: a random walk of whole
/// operations, scale-outs and scale-ins, then most of its order is forgotten.
pub fn plan(prng: &mut Prng, replica: &Replica, length: usize) -> Plan {
    let mut state = ended(replica, replica.initial());
    let mut actions: Vec<PlanAction> = Vec::new();
    for _ in 0..length {
        let candidates: Vec<Action> = replica
            .candidates(&state)
            .into_iter()
            .filter(|action| !matches!(action, Action::OpEnd { .. }))
            .filter(|action| !matches!(action, Action::ScaleIn { .. }) || prng.chance(20))
            .collect();
        if candidates.is_empty() {
            break;
        }
        let action = prng.pick(&candidates).clone();
        let Ok(successors) = replica.step(&state, &action) else { continue };
        state = ended(replica, prng.pick(&successors.into_vec()).clone());
        actions.push(planned(replica, &action));
    }
    unordered(prng, actions)
}

/// A plan of these actions in which some of their order is kept.
pub fn unordered(prng: &mut Prng, actions: Vec<PlanAction>) -> Plan {
    let kept = *prng.pick(&[0, 10, 30, 60, 100]);
    let kept_on_one = *prng.pick(&[80, 100, 100, 100]);
    let mut order = Vec::new();
    for after in 0..actions.len() {
        for before in 0..after {
            let same = actions[before].instance() == actions[after].instance();
            if prng.chance(if same { kept_on_one } else { kept }) {
                order.push(Order { before, after, why: None, origin: ORIGIN });
            }
        }
    }
    let steps = actions.into_iter().enumerate();
    let steps = steps.map(|(at, action)| Step { label: format!("s{at}"), action, origin: ORIGIN });
    Plan { steps: steps.collect(), order, ..Plan::default() }
}

fn planned(replica: &Replica, action: &Action) -> PlanAction {
    let name = |node: &NodeId| replica.application().node(*node).name.clone();
    match action.clone() {
        Action::ScaleOut { node, instance } => {
            PlanAction::ScaleOut { node: name(&node), instance, container: None }
        }
        Action::ScaleOutContained { node, instance, container } => {
            PlanAction::ScaleOut { node: name(&node), instance, container: Some(container) }
        }
        Action::ScaleIn { instance } => PlanAction::ScaleIn { instance },
        Action::OpStart { instance, operation } | Action::OpEnd { instance, operation } => {
            PlanAction::Operation { instance, operation }
        }
    }
}

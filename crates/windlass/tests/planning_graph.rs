//! The planner against exhaustive search over the planning graph of paper 004.
//!
//! The reference knows nothing of the planner: it takes the naive semantics, gives every
//! requirement of every instance of start and goal a support instance of its own (Def. 4.5), and
//! walks through everything that can be reached (Def. 4.6), cheapest first. It follows sets of
//! states, because with the policy `any` a path has to be good for every choice, and leaves out
//! what faults. Operations are performed as a whole, because a plan orders whole operations.

#![allow(clippy::format_push_string, reason = "short, not fast")]
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "naive/mod.rs"]
mod naive;
mod support;

use std::collections::{BTreeMap, BTreeSet};

use naive::state::{Place, State};
use naive::workflow::Event;
use naive::world::World;
use support::long;
use support::prng::Prng;
use support::sketch;
use windlass::analysis::synthesis::order::is_fault_free;
use windlass::application::{Application, GlobalState, NodeId};
use windlass::goal::evaluate::Closure;
use windlass::goal::{self, Amount, Goal, GoalFile, Want};
use windlass::lifecycle::protocol::{Arity, Element, StateId};
use windlass::plan::Plan;
use windlass::semantics::replica::Replica;
use windlass::synthesize::{Answer, Objective, Question, synthesize};
use windlass::system::{Limits, System};
use windlass::verify::Effort;

/// What exhaustive search says.
#[derive(Debug, PartialEq, Eq)]
enum Truth {
    /// A cheapest path has so many observable actions.
    Length(usize),
    /// Everything was looked at, and nothing is the goal.
    Unreachable,
    /// Too large.
    TooLarge,
}

/// A vertex: where the application may be, and what was created on the way.
type Vertex = (BTreeSet<State>, BTreeSet<String>);

struct Graph<'a> {
    world: World<'a>,
    application: &'a Application,
    goal: &'a Goal,
    closure: Closure,
    /// By node, the names that may be created, in order.
    pool: BTreeMap<String, Vec<String>>,
}

impl<'a> Graph<'a> {
    fn new(
        application: &'a Application,
        start: &GlobalState,
        goal: &'a Goal,
        closure: Closure,
    ) -> Self {
        let mut given = vec![0_usize; application.nodes.len()];
        for instance in start.instances.values() {
            given[instance.node.index()] += 1;
        }
        for want in &goal.wants {
            if let Want::Node { node, amount, .. } = want {
                given[node.index()] += match amount {
                    Amount::Wanted => application.node(*node).count.max(1) as usize,
                    Amount::Exactly(number) | Amount::AtLeast(number) => *number as usize,
                };
            }
        }
        let mut all = given.clone();
        for (node, count) in given.iter().enumerate() {
            for _ in 0..*count {
                support(application, NodeId::from(node), &mut all);
            }
        }
        let pool = all.iter().enumerate().map(|(node, count)| {
            let name = application.nodes[node].name.clone();
            let names = (0..*count).map(|at| format!("{name}+{at}")).collect();
            (name, names)
        });
        let world = World { application, policy: application.policy };
        Graph { world, application, goal, closure, pool: pool.collect() }
    }

    fn search(&self, start: &State, limit: usize) -> Truth {
        let first: Vertex = (BTreeSet::from([start.clone()]), BTreeSet::new());
        let mut open: BTreeMap<usize, Vec<Vertex>> = BTreeMap::from([(0, vec![first])]);
        let mut done: BTreeSet<Vertex> = BTreeSet::new();
        while let Some((cost, vertices)) = open.pop_first() {
            for vertex in vertices {
                if !done.insert(vertex.clone()) {
                    continue;
                }
                if done.len() > limit {
                    return Truth::TooLarge;
                }
                if self.is_goal(&vertex) {
                    return Truth::Length(cost);
                }
                for (more, next) in self.arcs(&vertex) {
                    if !done.contains(&next) {
                        open.entry(cost + more).or_default().push(next);
                    }
                }
            }
        }
        Truth::Unreachable
    }

    /// Every action that is good for every choice and faults for none.
    fn arcs(&self, (belief, created): &Vertex) -> Vec<(usize, Vertex)> {
        let some = belief.first().expect("a vertex has a state");
        let mut arcs = Vec::new();
        for (id, active) in &some.active {
            if let Some(next) = self.all(belief, &[Event::ScaleIn { id: id.clone() }]) {
                let left = next.first().expect("there is one");
                let gone = |id: &&String| left.active.contains_key(*id);
                let created = created.iter().filter(gone).cloned().collect();
                arcs.push((1, (next, created)));
            }
            let Place::In(_) = &active.place else { continue };
            let operations = &self.world.type_of(&active.node).operations;
            for operation in operations.iter().map(|operation| operation.name.clone()) {
                let whole = [
                    Event::Start { id: id.clone(), operation: operation.clone() },
                    Event::End { id: id.clone(), operation },
                ];
                if let Some(next) = self.all(belief, &whole) {
                    arcs.push((2, (next, created.clone())));
                }
            }
        }
        for (node, names) in &self.pool {
            // Names of support instances mean nothing: the first that is free stands for all.
            let Some(id) = names.iter().find(|id| !some.active.contains_key(*id)) else { continue };
            let exists = some.instances_of(node).len();
            if exists >= names.len() {
                continue;
            }
            for container in self.containers(some, node) {
                let event = Event::ScaleOut { node: node.clone(), id: id.clone(), container };
                if let Some(next) = self.all(belief, &[event]) {
                    let mut created = created.clone();
                    created.insert(id.clone());
                    arcs.push((1, (next, created)));
                }
            }
        }
        arcs
    }

    fn containers(&self, state: &State, node: &str) -> Vec<Option<String>> {
        let component = self.world.type_of(node);
        let Some(containment) = component.containment() else { return vec![None] };
        let binding = self.world.node(node).binding(containment);
        let Some(home) = binding.map(|b| &self.application.node(b.target).name) else {
            return Vec::new();
        };
        state.instances_of(home).into_iter().map(Some).collect()
    }

    /// The states after some events, when each is good in every state and nothing faults.
    fn all(&self, belief: &BTreeSet<State>, events: &[Event]) -> Option<BTreeSet<State>> {
        let mut belief = belief.clone();
        for event in events {
            let mut next = BTreeSet::new();
            for state in &belief {
                let outcome = naive::step(&self.world, state, event);
                if !outcome.is_good() || outcome.fault {
                    return None;
                }
                next.extend(outcome.settled);
            }
            belief = next;
        }
        Some(belief)
    }

    fn holds(&self, belief: &BTreeSet<State>) -> bool {
        belief.iter().all(|state| {
            self.goal.holds(self.application, &state.to_global(self.application), self.closure)
        })
    }

    /// The goal holds, and nothing that was created for support can be taken away again.
    fn is_goal(&self, (belief, created): &Vertex) -> bool {
        let named: BTreeSet<&str> = self
            .goal
            .wants
            .iter()
            .filter_map(|want| match want {
                Want::Node { node, .. } | Want::NodeGone(node) => {
                    Some(self.application.node(*node).name.as_str())
                }
                _ => None,
            })
            .collect();
        let some = belief.first().expect("a vertex has a state");
        self.holds(belief)
            && created
                .iter()
                .filter(|id| !named.contains(some.active[*id].node.as_str()))
                .filter_map(|id| self.all(belief, &[Event::ScaleIn { id: id.clone() }]))
                .all(|without| !self.holds(&without))
    }
}

/// Def. 4.5: one support instance for each requirement, and those of that instance.
fn support(application: &Application, node: NodeId, all: &mut [usize]) {
    for binding in &application.node(node).bindings {
        let requirement = &application.type_of(node).requirements[binding.requirement.index()];
        let several = match requirement.arity {
            Arity::Any => 1,
            Arity::AtLeast(number) => number.max(1),
            Arity::All => application.node(binding.target).count.max(1),
        };
        for _ in 0..several {
            all[binding.target.index()] += 1;
            support(application, binding.target, all);
        }
    }
}

/// A small random application: up to three nodes, up to three states each.
fn small(prng: &mut Prng) -> String {
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
        let faults = |needs: &str| if needs.is_empty() { "" } else { " fault crashed" };
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
                let offers = if prng.chance(45) { " offers c" } else { "" };
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
fn start(prng: &mut Prng, application: &Application) -> GlobalState {
    if prng.chance(35) {
        return GlobalState::empty();
    }
    let mut state = support::random::start(prng, application);
    let too_many = state.instances.len() > 4;
    let under_way = state.instances.values().any(|i| matches!(i.element, Element::Transition(_)));
    if too_many || under_way {
        state = GlobalState::empty();
    }
    state
}

fn goal(prng: &mut Prng, application: &Application) -> Goal {
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

#[test]
fn reachability_and_length_agree_with_exhaustive_search() {
    let (mut reached, mut unreachable, mut too_large) = (0, 0, 0);
    let cases = long::cases(400);
    // A case that failed is looked at again by its number.
    let first = std::env::var("WINDLASS_FIRST").ok().and_then(|n| n.parse().ok()).unwrap_or(0_u64);
    for seed in first..first + cases {
        let mut prng = Prng::new(long::seed(0x91a9) + seed);
        let text = small(&mut prng);
        let application = sketch::application(&text);
        let start = start(&mut prng, &application);
        let file = GoalFile { goal: goal(&mut prng, &application), ..GoalFile::default() };
        let mut counted = application.clone();
        for (node, count) in file.goal.counts() {
            counted.nodes[node.index()].count = count;
        }
        let closure = if prng.chance(20) { Closure::Exact } else { Closure::Open };
        let truth = {
            let graph = Graph::new(&counted, &start, &file.goal, closure);
            graph.search(&State::from_global(&counted, &start), 1_500)
        };
        let question = Question {
            application: &application,
            start: &start,
            goal: &file,
            closure,
            policy: application.policy,
            objective: Objective::Length,
            known: None,
            prove: true,
        };
        let mut budget = Limits { states: 30_000, bytes: 1 << 28 };
        let answer = synthesize(&question, &Effort::default(), &mut budget);
        let at = || {
            let start = sketch::show(&application, &start);
            let goal = goal::print(&file.goal, &application);
            format!("seed {seed}: {goal} {closure:?} from\n{start}\n{text}\n{answer:?}")
        };
        match (&truth, &answer) {
            (Truth::Length(length), Answer::Plan(found)) => {
                assert_eq!(found.plan.length(), *length, "{}", at());
                assert!(found.optimal, "{}", at());
                assert_eq!(found.report.deterministic, Some(true), "{}", at());
                // Tier T1 is cautious about arities; what it cannot show stays a sequence.
                let shown = found.report.tier == "T1";
                assert!(!shown || is_minimal(&counted, &start, &found.plan), "{}", at());
                reached += 1;
            }
            (Truth::Unreachable, Answer::Unreachable(_)) => unreachable += 1,
            (Truth::TooLarge, _) => too_large += 1,
            _ => panic!("{truth:?}, {}", at()),
        }
    }
    eprintln!("figure: {reached} reached, {unreachable} unreachable, {too_large} too large");
    assert!(reached > cases / 4, "{reached} of {cases} reached");
    assert!(unreachable > cases / 40, "{unreachable} of {cases} unreachable");
}

/// Whether the plan is free of faults, and would not be without any one of its edges.
fn is_minimal(application: &Application, start: &GlobalState, plan: &Plan) -> bool {
    let without = |at: usize| {
        let mut fewer = plan.clone();
        fewer.order.remove(at);
        fewer
    };
    is_fault_free(application, start, plan)
        && (0..plan.order.len()).all(|at| !is_fault_free(application, start, &without(at)))
}

/// Whoever offers to the plan's own instances is a matter of the plan: a state of a random walk
/// is settled, so that the first action finds it as it is.
#[test]
fn starts_are_settled() {
    for seed in 0..50 {
        let mut prng = Prng::new(seed);
        let application = sketch::application(&small(&mut prng));
        let start = start(&mut prng, &application);
        let replica = Replica::new(&application, start.clone()).expect("protocols");
        let faults =
            windlass::semantics::replica::faults::unresolvable(&replica, &replica.initial());
        assert!(faults.is_empty());
    }
}

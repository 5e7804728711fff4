//! Tier T2 and the symmetry of tier T3 against the plain search of tier T3, on random plans.
//!
//! `WINDLASS_LONG` says how many times as many plans are compared, `WINDLASS_SEED` where the
//! numbers start.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "tests panic and talk"
)]

use std::collections::BTreeSet;

use crate::support::long;
use crate::support::prng::Prng;
use crate::support::random::{self, Wild};
use crate::support::sketch;
use windlass::application::{Application, GlobalState, InstanceId, Policy};
use windlass::certificate::{self, Claim};
use windlass::explore::Options;
use windlass::plan::events::{EventId, Events};
use windlass::plan::{Order, Plan, PlanAction, Step};
use windlass::semantics::replica::compiled::{Bindings, CompiledReplica};
use windlass::semantics::replica::{Action, Creation, Replica};
use windlass::system::{Evidence, Limits, Property, StopReason, Unlimited, Verdict};
use windlass::verify::execution::{CompiledExecution, Configuration, Execution};
use windlass::verify::explicit::{self, Decision};
use windlass::verify::handler_closure::{self, Refutation};
use windlass::verify::symmetry;
use windlass::verify::{self, Effort, Question, Validity};

/// An application, a start and a plan.
struct Case {
    application: Application,
    start: GlobalState,
    plan: Plan,
}

impl Case {
    fn random(seed: u64, wild: Wild, most: usize) -> Option<Self> {
        let mut prng = Prng::new(seed);
        let application = random::application(&mut prng, wild);
        let start = random::start(&mut prng, &application);
        let mut replica = Replica::new(&application, start.clone())?;
        replica.pool = random::pool(&mut prng, &application);
        let length = prng.between(1, most);
        let plan = random::plan(&mut prng, &replica, length);
        Some(Case { application, start, plan })
    }

    fn replica(&self) -> Replica<'_> {
        let mut replica = Replica::new(&self.application, self.start.clone()).expect("protocols");
        replica.pool = Creation::planned(&self.application, &self.plan);
        replica
    }

    fn action(&self, events: &Events, event: EventId) -> Action {
        Action::planned(&self.application, &self.plan, events.get(event)).expect("names fit")
    }

    /// The plain search.
    fn decide(&self, events: &Events) -> Decision<GlobalState> {
        let system = CompiledReplica::new(self.replica(), Bindings::AwareOnly).expect("compiles");
        let execution = Execution::new(&system, events, |event| self.action(events, event));
        let compiled = CompiledExecution::new(&execution);
        explicit::decide_compiled(&compiled, &options(), &mut Unlimited)
    }

    fn refute(&self, events: &Events) -> Option<Refutation> {
        let replica = self.replica();
        let execution = Execution::new(&replica, events, |event| self.action(events, event));
        let Case { application, start, plan } = self;
        let refutation = handler_closure::refute(&execution, application, start, plan, events)?;
        let good = |configuration: &Configuration<GlobalState>| !configuration.has_failed();
        let claim = Claim { property: Property::Always(&good), holds: false };
        let accepted = |run: &handler_closure::Run| {
            certificate::check(&execution, &claim, &Evidence::Trace(run.clone())).is_ok()
        };
        assert!(accepted(&refutation.run), "the run is replayed");
        for tampered in tampered(&refutation.run) {
            assert!(!accepted(&tampered), "tampered with, and accepted: {tampered:?}");
        }
        Some(refutation)
    }
}

fn options() -> Options {
    Options { evidence_limit: 0, ..Options::default() }
}

/// Changes of a failing run, none of which is a failing run.
fn tampered(run: &handler_closure::Run) -> Vec<handler_closure::Run> {
    let mut all = Vec::new();
    let mut without_end = run.clone();
    without_end.steps.pop();
    all.push(without_end);
    for at in 0..run.steps.len() {
        // A step left out: the events executed do not fit any more.
        let mut shorter = run.clone();
        shorter.steps.remove(at);
        all.push(shorter);
        // Another outcome than the step has.
        let mut elsewhere = run.clone();
        elsewhere.steps[at].after.executed[0] += 1;
        all.push(elsewhere);
    }
    all
}

#[test]
fn what_is_refuted_without_a_search_fails_in_the_search() {
    let first = long::seed(1);
    let (mut compared, mut failing, mut refuted) = (0, 0, [0, 0, 0]);
    for seed in first..first + long::cases(600) {
        let wild = if seed % 2 == 0 { Wild::ALL } else { Wild::default() };
        let Some(case) = Case::random(seed, wild, 6) else { continue };
        let events = Events::new(&case.plan).expect("random plans have no cycle");
        if events.is_empty() {
            continue;
        }
        let decision = case.decide(&events);
        compared += 1;
        failing += usize::from(decision.verdict.fails());
        let Some(refutation) = case.refute(&events) else { continue };
        assert!(decision.verdict.fails(), "seed {seed}: {refutation:?}");
        let executed = refutation.run.steps.len() - 1;
        assert!(Some(executed) >= decision.shortest_failure(), "seed {seed}: shorter than any");
        let tiers = ["T0a", "T0b", "T2"];
        let tier = tiers.iter().position(|tier| *tier == refutation.tier).expect("a tier");
        refuted[tier] += 1;
    }
    println!("figure: {compared} compared: {failing} not valid; by T0a, T0b, T2: {refuted:?}");
    assert!(refuted.iter().all(|count| *count > 3), "{refuted:?}");
    assert!(refuted.iter().sum::<usize>() * 2 > failing, "most are refuted without a search");
}

/// The same thing several times, side by side, in one application.
fn copies(case: Case, count: usize) -> Case {
    let Case { application, start, plan } = case;
    let mut all = Case { application, start: GlobalState::empty(), plan: Plan::default() };
    for copy in 0..count {
        let name = |id: &InstanceId| InstanceId(format!("{}-{copy}", id.0));
        for (id, instance) in &start.instances {
            all.start.instances.insert(name(id), *instance);
        }
        for (id, (requirement, container)) in &start.vertical {
            all.start.vertical.insert(name(id), (*requirement, name(container)));
        }
        for (user, requirement, target) in &start.horizontal {
            all.start.horizontal.insert((name(user), *requirement, name(target)));
        }
        let first = all.plan.steps.len();
        for step in &plan.steps {
            let action = match &step.action {
                PlanAction::Operation { instance, operation } => {
                    PlanAction::Operation { instance: name(instance), operation: operation.clone() }
                }
                PlanAction::ScaleOut { node, instance, container } => PlanAction::ScaleOut {
                    node: node.clone(),
                    instance: name(instance),
                    container: container.as_ref().map(name),
                },
                PlanAction::ScaleIn { instance } => {
                    PlanAction::ScaleIn { instance: name(instance) }
                }
            };
            let label = format!("{}-{copy}", step.label);
            all.plan.steps.push(Step { label, action, origin: step.origin });
        }
        all.plan.order.extend(plan.order.iter().map(|edge| Order {
            before: first + edge.before,
            after: first + edge.after,
            ..edge.clone()
        }));
    }
    all
}

/// Searches with symmetry; the blocks of each group, and the decision.
fn symmetric(case: &Case, events: &Events) -> Option<(Vec<usize>, Decision<GlobalState>)> {
    let groups = symmetry::groups(&case.application, &case.start, &case.plan, events);
    let part = symmetry::part_of(&groups, events);
    let system = CompiledReplica::new(case.replica(), Bindings::AwareOnly).expect("compiles");
    let action = |event: EventId| case.action(events, event);
    let execution = Execution::in_parts(&system, events, action, |event| part[event.index()]);
    let compiled = CompiledExecution::new(&execution);
    let interchange = compiled.interchange(&groups);
    let decision = explicit::decide_symmetric(&compiled, &interchange, &options(), &mut Unlimited)?;
    if let Verdict::Fails(evidence) = &decision.verdict {
        let good = |configuration: &Configuration<GlobalState>| !configuration.has_failed();
        let claim = Claim { property: Property::Always(&good), holds: false };
        certificate::check(&execution, &claim, evidence).expect("a real run");
    }
    Some((interchange.sizes(), decision))
}

#[test]
fn symmetry_changes_nothing_but_the_number_of_configurations() {
    let first = long::seed(1);
    let (mut compared, mut valid, mut with, mut without) = (0, 0, 0, 0);
    for seed in first..first + long::cases(600) {
        let wild = Wild { policies: false, ..Wild::ALL };
        let Some(case) = Case::random(seed, wild, 2) else { continue };
        let case = copies(case, if seed % 3 == 0 { 3 } else { 2 });
        let events = Events::new(&case.plan).expect("random plans have no cycle");
        let Some((sizes, decision)) = symmetric(&case, &events) else { continue };
        assert!(sizes.iter().all(|blocks| *blocks > 1));
        let plain = case.decide(&events);
        compared += 1;
        valid += usize::from(plain.verdict.holds());
        with += decision.progress.states;
        without += plain.progress.states;
        assert!(decision.progress.states <= plain.progress.states, "seed {seed}");
        assert_eq!(decision.verdict.holds(), plain.verdict.holds(), "seed {seed}");
        assert_eq!(decision.verdict.fails(), plain.verdict.fails(), "seed {seed}");
        assert_eq!(decision.shortest_failure(), plain.shortest_failure(), "seed {seed}");
        assert_eq!(decision.finals, plain.finals, "seed {seed}");
    }
    println!(
        "figure: {compared} compared, {valid} valid: {with} configurations with symmetry, \
         {without} without"
    );
    assert!(compared > 20 && valid > 5 && compared - valid > 5, "{compared} compared");
    assert!(with < without);
}

/// Services that all rely on one hub; `extra` operations of one of them.
fn services(count: usize, extra: &[(&str, &str)]) -> Case {
    let text = "type hub has c
          state off
          state on offers c
          op on stop off
          op on ping on offers c
        type service needs r:unaware
          state idle
          state busy needs r fault idle
          op busy rest idle
          op idle work busy
        node hub hub
        node service service r=hub.c";
    let application = sketch::application(text);
    let mut lines = vec!["h hub on".to_owned()];
    let mut steps: Vec<(String, &str)> = vec![("h".to_owned(), "stop")];
    for at in 0..count {
        lines.push(format!("s{at} service busy r=h"));
        steps.push((format!("s{at}"), "rest"));
    }
    steps.extend(extra.iter().map(|(id, operation)| ((*id).to_owned(), *operation)));
    let steps = steps.into_iter().enumerate().map(|(at, (id, operation))| Step {
        label: format!("l{at}"),
        action: PlanAction::Operation { instance: InstanceId(id), operation: operation.to_owned() },
        origin: sketch::ORIGIN,
    });
    let plan = Plan { steps: steps.collect(), ..Plan::default() };
    Case { start: sketch::state(&application, &lines.join("\n")), application, plan }
}

#[test]
fn equal_services_are_merged_and_one_with_more_to_do_is_not() {
    let case = services(4, &[]);
    let events = Events::new(&case.plan).expect("no order, no cycle");
    let groups = symmetry::groups(&case.application, &case.start, &case.plan, &events);
    assert_eq!(groups.iter().map(Vec::len).collect::<Vec<_>>(), [4]);
    let ids: BTreeSet<_> = groups[0].iter().map(|part| part.instances.clone()).collect();
    assert_eq!(ids.len(), 4);
    let (sizes, decision) = symmetric(&case, &events).expect("there is a symmetry");
    assert_eq!(sizes, [4]);
    assert_eq!(decision.shortest_failure(), case.decide(&events).shortest_failure());
    let mut other = services(4, &[("s1", "work")]);
    let order = |before, after| Order { before, after, why: None, origin: sketch::ORIGIN };
    other.plan.order.push(order(2, 5));
    let events = Events::new(&other.plan).expect("one edge, no cycle");
    let groups = symmetry::groups(&other.application, &other.start, &other.plan, &events);
    assert_eq!(groups.iter().map(Vec::len).collect::<Vec<_>>(), [3]);
}

#[test]
fn names_count_for_a_policy_that_looks_at_them() {
    let mut case = services(3, &[]);
    case.application.policy = Policy::Greedy;
    let events = Events::new(&case.plan).expect("no order, no cycle");
    assert!(symmetric(&case, &events).is_none());
}

#[test]
fn where_the_search_ends_too_soon_the_handler_closure_speaks() {
    // The hub stops late, so that the search does not find the failure before it is asked to end.
    let mut case = services(12, &[("h", "ping"); 4]);
    for (before, after) in [(13, 14), (14, 15), (15, 16), (16, 0)] {
        case.plan.order.push(Order { before, after, why: None, origin: sketch::ORIGIN });
    }
    let question = Question {
        application: &case.application,
        start: &case.start,
        plan: &case.plan,
        policy: Policy::Any,
        goal: None,
        closure: windlass::goal::evaluate::Closure::default(),
    };
    let effort = Effort { symmetry: false, evidence_limit: 0, ..Effort::default() };
    let mut nothing = Limits { states: 0, bytes: usize::MAX };
    let report = verify::verify(&question, &effort, &mut nothing).expect("judged");
    assert_eq!(report.tier, "T2");
    let story = report.counterexample.expect("a run that fails");
    assert!(!story.shortest && story.reason.contains("rest"), "{}", story.reason);
    // It is fine to stop the hub last.
    assert_eq!(report.validity, Validity::WeaklyValid);
    // With a search that ends, the run is a shortest one.
    let report = verify::verify(&question, &Effort::default(), &mut Unlimited).expect("judged");
    assert!(report.counterexample.expect("a run that fails").shortest);
    assert!(!matches!(report.validity, Validity::Unknown(StopReason::States)));
}

//! Tier T3 and weak validity against the naive reference, on random plans of every relation.
//!
//! `WINDLASS_PLANS` sets how many plans are compared, `WINDLASS_SEED` where the numbers start.
//! Each application is used for several plans.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "tests panic and talk"
)]
#![allow(clippy::format_collect, clippy::format_push_string, reason = "short, not fast")]

use crate::naive;
use std::collections::BTreeSet;

use crate::naive::workflow::Workflow;
use crate::support::atomic;
use crate::support::prng::Prng;
use crate::support::random::{self, Wild};
use windlass::application::{Application, Faults, GlobalState, Policy};
use windlass::certificate::{self, Claim};
use windlass::explore::Options;
use windlass::goal::evaluate::Closure;
use windlass::plan::Plan;
use windlass::plan::events::{EventId, Events};
use windlass::semantics::protocol::settled::Settled;
use windlass::semantics::protocol::{self, ServiceTemplate, States};
use windlass::semantics::replica::compiled::{Bindings, CompiledReplica};
use windlass::semantics::replica::{Action, Creation, Replica};
use windlass::system::{Evidence, Property, System, Unlimited, Verdict};
use windlass::verify::belief::{self, Beliefs, Encoded, Readable};
use windlass::verify::execution::{CompiledExecution, Configuration, Execution};
use windlass::verify::explicit::{self, Decision};
use windlass::verify::{Effort, Question, verify};

/// The most pairs of executed events and states that the reference looks at.
const NAIVE_LIMIT: usize = 400;
/// How many plans share an application.
const PLANS_PER_APPLICATION: u64 = 10;

/// A number from the environment.
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// What is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Answer {
    verdict: naive::Verdict,
    deterministic: Option<bool>,
    shortest_failure: Option<usize>,
}

impl Answer {
    fn of(judged: &naive::Judgement) -> Self {
        Answer {
            verdict: judged.verdict,
            deterministic: judged.deterministic,
            shortest_failure: judged.shortest_failure,
        }
    }
}

/// How often each verdict was seen.
#[derive(Debug, Default)]
struct Tally {
    valid: usize,
    weakly_valid: usize,
    not_valid: usize,
    nondeterministic: usize,
}

impl Tally {
    fn count(&mut self, answer: &Answer) {
        match answer.verdict {
            naive::Verdict::Valid => self.valid += 1,
            naive::Verdict::WeaklyValid => self.weakly_valid += 1,
            naive::Verdict::NotValid => self.not_valid += 1,
        }
        self.nondeterministic += usize::from(answer.deterministic == Some(false));
    }

    fn all(&self) -> usize {
        self.valid + self.weakly_valid + self.not_valid
    }

    /// A test that never sees one of the verdicts tests nothing.
    fn assert_mixed(&self, what: &str) {
        println!("figure: {what}: {} plans compared, {self:?}", self.all());
        let share = self.all() / 50;
        assert!(self.valid > share && self.weakly_valid > share && self.not_valid > share);
    }
}

/// The answer of a decision on validity and one on weak validity, with their evidence checked.
fn answer<S>(
    execution: &Execution<'_, S>,
    decision: &Decision<S::State>,
    weak: impl FnOnce() -> belief::WeakDecision<S::State>,
    deterministic: bool,
) -> Answer
where
    S: System,
{
    let good = |configuration: &Configuration<S::State>| !configuration.has_failed();
    let claim = |holds: bool| Claim { property: Property::Always(&good), holds };
    match &decision.verdict {
        Verdict::Holds(evidence) => {
            if !matches!(evidence, Evidence::Search(_)) {
                certificate::check(execution, &claim(true), evidence).expect("valid is shown");
            }
            let verdict = naive::Verdict::Valid;
            Answer { verdict, deterministic: Some(deterministic), shortest_failure: None }
        }
        Verdict::Fails(evidence) => {
            certificate::check(execution, &claim(false), evidence).expect("a failure is shown");
            let Evidence::Trace(trace) = evidence else { panic!("a failure is a trace") };
            let failure = execution.failure(trace).expect("the trace fails at its end");
            assert_eq!(Some(failure.executed), decision.shortest_failure());
            let verdict = if is_weakly_valid(execution, &weak()) {
                naive::Verdict::WeaklyValid
            } else {
                naive::Verdict::NotValid
            };
            let shortest_failure = decision.shortest_failure();
            Answer { verdict, deterministic: None, shortest_failure }
        }
        Verdict::Unknown(reason) => panic!("there is no limit, and yet: {reason}"),
    }
}

/// The verdict on weak validity, with its evidence checked.
fn is_weakly_valid<S: System>(
    execution: &Execution<'_, S>,
    weak: &belief::WeakDecision<S::State>,
) -> bool {
    let beliefs = Beliefs(execution);
    let everything = execution.everything();
    let complete = |belief: &belief::Belief<S::State>| belief.executed == everything;
    let holds = weak.verdict.holds();
    let claim = Claim { property: Property::Reachable(&complete), holds };
    match &weak.verdict {
        Verdict::Holds(evidence) | Verdict::Fails(evidence) => {
            if !matches!(evidence, Evidence::Search(_)) {
                certificate::check(&beliefs, &claim, evidence).expect("evidence is accepted");
            }
        }
        Verdict::Unknown(reason) => panic!("there is no limit, and yet: {reason}"),
    }
    holds
}

/// What tier T3 says in a compiled form of the relation.
fn compiled(
    replica: &Replica,
    bindings: Bindings,
    events: &Events,
    action: impl Fn(EventId) -> Action,
) -> Answer {
    let system = CompiledReplica::new(replica.clone(), bindings).expect("containment is ordinary");
    let execution = Execution::new(&system, events, action);
    let compiled = CompiledExecution::new(&execution);
    let evidence_limit = if bindings == Bindings::Every { 10_000 } else { 0 };
    let options = Options { evidence_limit, ..Options::default() };
    let decision = explicit::decide_compiled(&compiled, &options, &mut Unlimited);
    let deterministic =
        explicit::is_deterministic(&decision.finals, |state| state.instances.clone());
    let form = Encoded::new(&execution, bindings == Bindings::Every);
    let weak = || belief::weakly_valid(&execution, &form, evidence_limit, &mut Unlimited);
    answer(&execution, &decision, weak, deterministic)
}

/// What tier T3 says on readable states; `view` is what must be equal in the end.
fn readable<S, V>(execution: &Execution<'_, S>, view: impl Fn(&S::State) -> V) -> Answer
where
    S: System + Sync,
    S::State: std::hash::Hash + Send + Sync,
    S::Action: Sync,
    V: Ord,
{
    let decision = explicit::decide(execution, &Options::default(), &mut Unlimited);
    let deterministic = explicit::is_deterministic(&decision.finals, view);
    let form = Readable(execution);
    let weak = || belief::weakly_valid(execution, &form, 10_000, &mut Unlimited);
    answer(execution, &decision, weak, deterministic)
}

/// The enumeration of the reference over the step of the library: what is compared then is the
/// search alone.
fn enumerated(
    application: &Application,
    start: &GlobalState,
    plan: &Plan,
    replica: &Replica,
) -> Option<naive::Judgement> {
    let start = naive::state::State::from_global(application, start);
    let workflow = Workflow::of_plan(application, &start, plan).ok()?;
    let step = |state: &naive::state::State, event: &naive::workflow::Event| {
        let before = state.to_global(application);
        let action = library_action(application, event);
        match replica.step(&before, &action) {
            Err(blocked) => naive::Outcome::blocked(format!("{blocked:?}")),
            Ok(after) => {
                let named = |state| naive::state::State::from_global(application, &state);
                let settled: BTreeSet<_> = after.into_iter().map(named).collect();
                naive::Outcome { settled, ..naive::Outcome::default() }
            }
        }
    };
    naive::validity::judge(&workflow, &start, &step, NAIVE_LIMIT)
}

fn library_action(application: &Application, event: &naive::workflow::Event) -> Action {
    use naive::workflow::Event;
    match event.clone() {
        Event::ScaleOut { node, id, container } => Action::create(&Creation {
            instance: id.as_str().into(),
            node: application.node_named(&node).expect("a node of the application"),
            container: container.map(|container| container.as_str().into()),
        }),
        Event::ScaleIn { id } => Action::ScaleIn { instance: id.as_str().into() },
        Event::Start { id, operation } => {
            Action::OpStart { instance: id.as_str().into(), operation }
        }
        Event::End { id, operation } => Action::OpEnd { instance: id.as_str().into(), operation },
        Event::Atomic { .. } => panic!("operations are not atomic here"),
    }
}

/// A random plan for a random start of an application.
fn case(prng: &mut Prng, application: &Application) -> Option<(GlobalState, Plan)> {
    let start = random::start(prng, application);
    let mut replica = Replica::new(application, start.clone())?;
    replica.pool = random::pool(prng, application);
    let length = prng.between(1, 6);
    let plan = random::plan(prng, &replica, length);
    Some((start, plan))
}

/// Compares on random plans; `reference` gives the answer to compare with.
fn compare(
    what: &str,
    wild: Wild,
    (plans, first): (u64, u64),
    reference: impl Fn(&Application, &GlobalState, &Plan, &Replica) -> Option<naive::Judgement>,
) {
    let mut tally = Tally::default();
    for seed in first..first + plans.div_ceil(PLANS_PER_APPLICATION) {
        let mut prng = Prng::new(seed);
        let application = random::application(&mut prng, wild);
        for number in 0..PLANS_PER_APPLICATION {
            let Some((start, plan)) = case(&mut prng, &application) else { continue };
            let mut replica =
                Replica::new(&application, start.clone()).expect("types are protocols");
            replica.pool = Creation::planned(&application, &plan);
            let Some(judged) = reference(&application, &start, &plan, &replica) else { continue };
            let expected = Answer::of(&judged);
            tally.count(&expected);
            let events = Events::new(&plan).expect("random plans have no cycle");
            let action = |event: EventId| {
                Action::planned(&application, &plan, events.get(event)).expect("names fit")
            };
            let at = format!("{what}, seed {seed}, plan {number}");
            let every = compiled(&replica, Bindings::Every, &events, action);
            assert_eq!(every, expected, "{at}: every binding");
            let aware = compiled(&replica, Bindings::AwareOnly, &events, action);
            assert_eq!(aware, expected, "{at}: bindings of replica-aware requirements");
            if number == 0 {
                let execution = Execution::new(&replica, &events, action);
                let answer = readable(&execution, |state| state.instances.clone());
                assert_eq!(answer, expected, "{at}: readable");
            }
        }
    }
    tally.assert_mixed(what);
}

fn plans() -> (u64, u64) {
    (setting("WINDLASS_PLANS", 1000), setting("WINDLASS_SEED", 1))
}

#[test]
fn plans_of_replicas_as_the_papers_say() {
    compare("papers", Wild::ALL, plans(), |application, start, plan, _| {
        naive::judge(application, start, plan, application.policy, NAIVE_LIMIT).ok().flatten()
    });
}

#[test]
fn plans_of_replicas_with_everything_we_added() {
    compare("all options", Wild::ALL, plans(), enumerated);
}

/// Compares on random plans of the relations of paper 003.
fn compare_atomic(faults: Faults) {
    let what = faults.as_str();
    let (plans, first) = plans();
    let mut tally = Tally::default();
    let mut skipped = 0;
    for seed in first..first + plans.div_ceil(PLANS_PER_APPLICATION) {
        let mut prng = Prng::new(seed);
        let application = atomic::application(&mut prng, faults);
        let template = ServiceTemplate::new(&application).expect("types are protocols");
        for number in 0..PLANS_PER_APPLICATION {
            let start = atomic::start(&mut prng, &application);
            let length = prng.between(1, 7);
            let plan = atomic::plan(&mut prng, &application, &start, length);
            let judged = naive::judge(&application, &start, &plan, Policy::Any, NAIVE_LIMIT);
            let Some(judged) = judged.expect("names fit") else {
                skipped += 1;
                continue;
            };
            let expected = Answer::of(&judged);
            tally.count(&expected);
            let mut template = template.clone();
            template.start = template.states_of(&start);
            let answer = searched_atomic(template, &start, &plan);
            assert_eq!(answer, expected, "{what}, seed {seed}, plan {number}\n{plan:?}");
            let question = Question {
                application: &application,
                start: &start,
                plan: &plan,
                policy: Policy::Any,
                goal: None,
                closure: Closure::Open,
            };
            let report = verify(&question, &Effort::default(), &mut Unlimited).expect("judged");
            let told = report.counterexample.as_ref().map(|story| story.steps.len());
            assert_eq!(told, expected.shortest_failure, "{what}, seed {seed}, plan {number}");
            assert_eq!(report.deterministic, expected.deterministic, "{what}, seed {seed}");
        }
    }
    println!("figure: {what}: {skipped} skipped as too large");
    tally.assert_mixed(what);
}

/// What tier T3 says in the relation of the template.
fn searched_atomic(template: ServiceTemplate<'_>, start: &GlobalState, plan: &Plan) -> Answer {
    let application = template.application();
    let events = Events::atomic(plan).expect("random plans have no cycle");
    let action = |event: EventId| {
        let step = &plan.steps[events.get(event).step];
        protocol::Action::planned(application, start, &step.action).expect("names fit")
    };
    if application.faults == Faults::Handled {
        let settled = Settled(template);
        return readable(&Execution::new(&settled, &events, action), Clone::clone);
    }
    let consistent = |states: &States| protocol::is_consistent(&template, states);
    let execution = Execution::new(&template, &events, action).accepting(&consistent);
    readable(&execution, Clone::clone)
}

#[test]
fn plans_where_faults_are_forbidden() {
    compare_atomic(Faults::Forbidden);
}

#[test]
fn plans_where_faults_are_handled() {
    compare_atomic(Faults::Handled);
}

//! What `verify` says, whichever tier answers, against the naive reference: verdict, determinism
//! and the length of a shortest failing run, on random plans of random applications.
//!
//! `WINDLASS_PLANS` sets how many plans are compared, `WINDLASS_SEED` where the numbers start.
//! Plans that the reference would take too long for are skipped and counted.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "tests panic and talk"
)]
#![allow(clippy::format_collect, clippy::format_push_string, reason = "short, not fast")]

use crate::naive;
use std::collections::{BTreeMap, BTreeSet};

use crate::support::prng::Prng;
use crate::support::random::{self, Wild};
use crate::support::{sketch, traps};
use windlass::application::{Application, GlobalState};
use windlass::goal::evaluate::Closure;
use windlass::plan::{Plan, PlanAction};
use windlass::semantics::replica::Replica;
use windlass::system::Unlimited;
use windlass::verify::{Effort, Question, Report, Validity, verify};

/// The most configurations that the reference looks at for one plan.
const NAIVE_LIMIT: usize = 1_500;
/// How many plans share an application.
const PLANS_PER_APPLICATION: u64 = 10;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Verdict, determinism, length of a shortest failing run.
type Answer = (&'static str, Option<bool>, Option<usize>);

fn expected(judged: &naive::Judgement) -> Answer {
    let word = match judged.verdict {
        naive::Verdict::Valid => "valid",
        naive::Verdict::WeaklyValid => "weakly_valid",
        naive::Verdict::NotValid => "not_valid",
    };
    (word, judged.deterministic, judged.shortest_failure)
}

fn answered(report: &Report) -> Answer {
    let failing = report.counterexample.as_ref().map(|story| story.steps.len());
    (report.validity.as_str(), report.deterministic, failing)
}

/// What was seen on the way.
#[derive(Debug, Default)]
struct Tally {
    compared: usize,
    skipped: usize,
    by: BTreeMap<String, usize>,
}

impl Tally {
    fn count(&mut self, what: impl Into<String>) {
        *self.by.entry(what.into()).or_default() += 1;
    }

    fn seen(&self, what: &str) -> usize {
        self.by.get(what).copied().unwrap_or_default()
    }

    /// What a plan has that a test without it would miss.
    fn features(&mut self, application: &Application, plan: &Plan) {
        self.count(format!("policy {}", application.policy.as_str()));
        let has = |wanted: fn(&PlanAction) -> bool| plan.steps.iter().any(|s| wanted(&s.action));
        if has(|action| matches!(action, PlanAction::ScaleOut { .. })) {
            self.count("scale out");
        }
        if has(|action| matches!(action, PlanAction::ScaleIn { .. })) {
            self.count("scale in");
        }
        let created = plan.steps.iter().filter_map(|step| match &step.action {
            PlanAction::ScaleOut { instance, .. } => Some(instance),
            _ => None,
        });
        let removed: BTreeSet<_> = plan
            .steps
            .iter()
            .filter(|step| matches!(step.action, PlanAction::ScaleIn { .. }))
            .map(|step| step.action.instance())
            .collect();
        if created.clone().any(|id| removed.contains(id)) {
            self.count("id used again, or created and removed");
        }
        if unordered_pair(plan) {
            self.count("unordered on one instance");
        }
    }

    fn report(&self, what: &str, seed: u64, applications: u64) {
        let Tally { compared, skipped, by } = self;
        // The program may have begun a line with the name of the test.
        println!();
        println!(
            "figure: {what}: seed {seed}, {applications} applications, {compared} plans compared, \
             {skipped} skipped as too large, 0 disagreements"
        );
        let all: Vec<String> = by.iter().map(|(what, count)| format!("{what} {count}")).collect();
        println!("figure: {what}: {}", all.join(", "));
    }
}

/// Whether two actions on one instance are not ordered by a direct edge; random plans keep all
/// edges between those that they order.
fn unordered_pair(plan: &Plan) -> bool {
    let ordered: BTreeSet<(usize, usize)> =
        plan.order.iter().map(|edge| (edge.before, edge.after)).collect();
    let same =
        |a: usize, b: usize| plan.steps[a].action.instance() == plan.steps[b].action.instance();
    (0..plan.steps.len()).any(|b| (0..b).any(|a| same(a, b) && !ordered.contains(&(a, b))))
}

/// Compares one plan; the application is printed when they disagree.
fn compare(
    tally: &mut Tally,
    application: &Application,
    start: &GlobalState,
    plan: &Plan,
    at: &str,
) {
    let policy = application.policy;
    let judged = naive::judge(application, start, plan, policy, NAIVE_LIMIT);
    let Some(judged) = judged.expect("names fit and the order has no cycle") else {
        tally.skipped += 1;
        return;
    };
    let question =
        Question { application, start, plan, policy, goal: None, closure: Closure::Open };
    let effort = Effort { repair_limit: 5, ..Effort::default() };
    let report = verify(&question, &effort, &mut Unlimited).expect("the plan is judged");
    let shown =
        || format!("{at}, tier {}\n{}\n{plan:?}", report.tier, sketch::show(application, start));
    assert!(!matches!(report.validity, Validity::Unknown(_)), "{}", shown());
    assert_eq!(answered(&report), expected(&judged), "{}", shown());
    tally.compared += 1;
    tally.count(format!("tier {}", report.tier));
    tally.count(report.validity.as_str());
    if report.deterministic == Some(false) {
        tally.count("not deterministic");
    }
    tally.features(application, plan);
    if report.validity == Validity::NotValid
        && naive::is_lucky_in_every_order(application, start, plan, policy, NAIVE_LIMIT)
            == Some(true)
    {
        tally.count("not valid, with a good path in every order");
    }
}

#[test]
fn every_tier_says_what_the_reference_says() {
    let (plans, first) = (setting("WINDLASS_PLANS", 2_000), setting("WINDLASS_SEED", 1));
    let mut tally = Tally::default();
    let applications = plans.div_ceil(PLANS_PER_APPLICATION);
    for number in 0..applications {
        let mut prng = Prng::new((first << 32) + number);
        let is_trap = number % 8 == 7;
        let application = if is_trap {
            traps::application(&mut prng)
        } else {
            random::application(&mut prng, Wild::ALL)
        };
        for case in 0..PLANS_PER_APPLICATION {
            let (start, plan) = if is_trap {
                traps::case(&mut prng, &application)
            } else {
                random_case(&mut prng, &application)
            };
            let at = format!("seed {first}, application {number}, plan {case}");
            compare(&mut tally, &application, &start, &plan, &at);
        }
    }
    tally.report("differential", first, applications);
    for what in ["valid", "weakly_valid", "not_valid", "not deterministic", "tier T1", "tier T3"] {
        assert!(tally.seen(what) * 100 > tally.compared, "{what} is hardly seen: {tally:?}");
    }
    for what in ["not valid, with a good path in every order", "tier T1d"] {
        assert!(tally.seen(what) * 500 > tally.compared, "{what} is hardly seen: {tally:?}");
    }
}

fn random_case(prng: &mut Prng, application: &Application) -> (GlobalState, Plan) {
    let start = random::start(prng, application);
    let mut replica = Replica::new(application, start.clone()).expect("types are protocols");
    replica.pool = random::pool(prng, application);
    let length = prng.between(1, 7);
    let plan = random::plan(prng, &replica, length);
    (start, plan)
}

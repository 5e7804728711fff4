//! The answer of `windlass verify --format json`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use windlass::application::{Application, GlobalState};
use windlass::verify::effects::{by_subject, element_name};
use windlass::verify::repair::Repair;
use windlass::verify::{Counterexample, Report};

use super::Request;

const SCHEMA: &str = "windlass/verify/1";

/// What is said about a plan.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "windlass/verify/1", deny_unknown_fields)]
pub(crate) struct VerifyReport {
    /// Always `windlass/verify/1`; a change that could break a reader gets another number.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// `valid`, `weakly_valid`, `not_valid` or `unknown`.
    #[schemars(extend("enum" = ["valid", "weakly_valid", "not_valid", "unknown"]))]
    verdict: &'static str,
    /// Whether all runs end with the same instances in the same states; stated of valid plans.
    deterministic: Option<bool>,
    /// `met`, `not_met` or `sometimes`; null when no goal was given.
    goal: Option<&'static str>,
    /// What the plan changes.
    effects: EffectsReport,
    /// A shortest failing run; null when there is none.
    counterexample: Option<CounterexampleReport>,
    /// An order of the plan's events that is good for every choice, of a weakly valid plan.
    witness: Option<Vec<String>>,
    /// Order edges that make the plan free of faults.
    repair: Vec<RepairEdge>,
    /// `found`, `none` (no order of whole actions is free of faults), `gave_up`, or `not_needed`.
    #[schemars(extend("enum" = ["found", "none", "gave_up", "not_needed"]))]
    repair_search: &'static str,
    /// Faults pending in the start state, and actions on one instance without an order.
    warnings: Vec<String>,
    /// The kind of evidence behind the verdict: `cover`, `closed_set`, `trace` or `search`.
    evidence: &'static str,
    /// Why the verdict is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<String>,
    /// With `--stats`.
    #[serde(skip_serializing_if = "Option::is_none")]
    stats: Option<Stats>,
}

/// Changes by instance or node.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct EffectsReport {
    /// In every run.
    certain: BTreeMap<String, Vec<String>>,
    /// In some runs.
    possible: BTreeMap<String, Vec<String>>,
}

/// A run that cannot go on.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct CounterexampleReport {
    /// What was done before.
    trace: Vec<TraceStep>,
    /// The label of the action that fails, and which part of it.
    action: String,
    /// The premise that does not hold, and what would have satisfied it.
    reason: String,
}

/// One event of a run.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct TraceStep {
    /// The label of the action, and which part of it.
    label: String,
    /// What was done.
    action: String,
    /// What happened by itself: faults, switches of provider, destruction.
    consequences: Vec<String>,
    /// Where every instance is afterwards.
    state: BTreeMap<String, String>,
}

/// An order edge, by the labels of its actions.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct RepairEdge {
    /// Ends first.
    before: String,
    /// Starts after it.
    after: String,
}

/// What it took.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Stats {
    /// Which tier decided.
    tier: &'static str,
    /// How many configurations were looked at.
    states: usize,
    /// How long it took.
    millis: u64,
}

/// The report as it is printed.
pub(super) fn report(request: &Request, report: &Report, millis: Option<u64>) -> VerifyReport {
    let application = &request.application;
    let label = |step: usize| request.plan.steps[step].label.clone();
    let edge = |(before, after): &(usize, usize)| RepairEdge {
        before: label(*before),
        after: label(*after),
    };
    let (repair, repair_search) = match &report.repair {
        Some(Repair::Edges(edges)) => (edges.iter().map(edge).collect(), "found"),
        Some(Repair::Impossible) => (Vec::new(), "none"),
        Some(Repair::GaveUp(_)) => (Vec::new(), "gave_up"),
        Some(Repair::NotNeeded) | None => (Vec::new(), "not_needed"),
    };
    VerifyReport {
        schema: SCHEMA,
        verdict: report.validity.as_str(),
        deterministic: report.deterministic,
        goal: report.goal.map(windlass::verify::GoalAnswer::as_str),
        effects: EffectsReport {
            certain: by_subject(application, &report.effects.certain),
            possible: by_subject(application, &report.effects.possible),
        },
        counterexample: report.counterexample.as_ref().map(|c| counterexample(application, c)),
        witness: report.witness.clone(),
        repair,
        repair_search,
        warnings: report.remarks.clone(),
        evidence: report.evidence,
        stopped: match report.validity {
            windlass::verify::Validity::Unknown(reason) => Some(reason.to_string()),
            _ => None,
        },
        stats: millis.map(|millis| Stats { tier: report.tier, states: report.states, millis }),
    }
}

fn counterexample(application: &Application, story: &Counterexample) -> CounterexampleReport {
    let steps = story.steps.iter().map(|step| TraceStep {
        label: step.label.clone(),
        action: step.action.clone(),
        consequences: step.consequences.clone(),
        state: places(application, &step.after),
    });
    CounterexampleReport {
        trace: steps.collect(),
        action: story.label.clone(),
        reason: story.reason.clone(),
    }
}

/// Where every instance is.
pub(crate) fn places(application: &Application, state: &GlobalState) -> BTreeMap<String, String> {
    let place =
        |(id, instance): (&windlass::application::InstanceId, &windlass::application::Instance)| {
            (id.to_string(), element_name(application, instance.node, instance.element))
        };
    state.instances.iter().map(place).collect()
}

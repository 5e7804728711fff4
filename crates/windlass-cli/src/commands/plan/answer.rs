//! The answer of `windlass plan`, in every form.

use std::fmt::Write as _;
use std::path::Path;

use windlass::export;
use windlass::lang::compose::EndlessWait;
use windlass::lang::windlass::{self as own, digest};
use windlass::lang::{ramp, tosker};
use windlass::plan::Plan;
use windlass::synthesize::{Answer, Explanation, Objective, Synthesis};
use windlass::system::StopReason;
use windlass::tree::{Value, emit};

use super::{Form, PlanArgs, Request};
use crate::args::Format;
use crate::failure::Failure;
use crate::report::count;
use crate::{escape, output};

const SCHEMA: &str = "windlass/plan/1";

/// The text that goes to standard output or to the file.
pub(super) fn text(
    args: &PlanArgs,
    request: &Request,
    answer: Answer,
    millis: Option<u64>,
) -> Result<String, Failure> {
    match answer {
        Answer::Plan(mut found) => {
            found.plan.application = Some(digest::of_application(&request.application));
            found.plan.start = Some(digest::of_state(&request.application, &request.start));
            plan(args, &found, millis)
        }
        Answer::Unreachable(mut explanation) => {
            // Compose has words of its own for what is waited for.
            let waits = request.endless_waits.iter();
            let own: Vec<String> = waits
                .filter(|wait| wait.culprit() == explanation.culprit)
                .map(EndlessWait::sentence)
                .collect();
            if !own.is_empty() {
                explanation.because = own;
            }
            unreachable(args, &explanation)
        }
        Answer::Unknown { stopped, bound, .. } => unknown(args, stopped, bound),
        Answer::Nets => Ok(String::new()),
    }
}

fn plan(args: &PlanArgs, found: &Synthesis, millis: Option<u64>) -> Result<String, Failure> {
    match (args.form, args.format) {
        (Form::Summary, Format::Text) => Ok(escape::visible_lines(&summary(args, found, millis))),
        (Form::Summary, Format::Json) => json(&report(args, found, millis)),
        (form, _) => {
            notice_limit(found);
            written(form, args.output.as_deref(), &found.plan)
        }
    }
}

/// A plan that is perhaps not the best is marked as such, whatever its form.
fn notice_limit(found: &Synthesis) {
    if let Some(reason) = found.stopped {
        output::notice(&format!("the best plan so far: {reason}"));
    }
}

fn written(form: Form, path: Option<&Path>, plan: &Plan) -> Result<String, Failure> {
    Ok(match form {
        Form::Windlass | Form::Summary => emit::yaml(&own::print_plan(plan)),
        Form::Ramp => {
            let written = ramp::print_plan(plan);
            left_out(&written.left_out);
            emit::json(&written.document)
        }
        Form::Tosker => {
            let is_csv =
                path.and_then(Path::extension).is_some_and(|e| e.eq_ignore_ascii_case("csv"));
            let form = if is_csv { tosker::Form::Csv } else { tosker::Form::Plan };
            let written = tosker::print_plan(plan, form)
                .map_err(|refused| Failure::usage(refused.to_string()))?;
            left_out(&written.left_out);
            written.document
        }
        Form::Mermaid => export::plan::mermaid(plan),
        Form::Svg => export::plan::svg(plan),
    })
}

fn left_out(things: &[&str]) {
    if !things.is_empty() {
        output::notice(&format!("left out: {}", things.join(", ")));
    }
}

fn json(value: &Value) -> Result<String, Failure> {
    let value: serde_json::Value = serde_json::from_str(&emit::json(value))?;
    Ok(escape::json(&value)?)
}

/// A plan file with what is known about the plan.
fn report(args: &PlanArgs, found: &Synthesis, millis: Option<u64>) -> Value {
    let number = |number: u64| Value::Int(i128::from(number));
    let mut document = Value::map().with("schema", SCHEMA);
    if let Some(plan) = own::print_plan(&found.plan).get("plan") {
        document.insert("plan", plan.clone());
    }
    let makespan = Value::map()
        .with("sequence_ms", number(found.before.millis))
        .with("plan_ms", number(found.after.millis))
        .with("sequence_actions", number(found.before.depth as u64))
        .with("plan_actions", number(found.after.depth as u64));
    let stats = millis.map(|millis| {
        Value::map().with("states", number(found.states as u64)).with("millis", number(millis))
    });
    let objective: Objective = args.objective.into();
    document
        .with("length", number(found.plan.length() as u64))
        .with("optimal", Value::Bool(found.optimal))
        .with("bound", number(found.bound.min(u64::from(u32::MAX))))
        .with("objective", objective.as_str())
        .with("value", number(found.value))
        .with("unit", unit(objective))
        .with("makespan", makespan)
        .with("fault_free", Value::Bool(found.faults.is_empty()))
        .with_some("faults", some_list(&found.faults))
        .with("deterministic", Value::Bool(found.report.deterministic == Some(true)))
        .with_some("remarks", some_list(&found.report.remarks))
        .with_some("stopped", found.stopped.map(|reason| reason.to_string()))
        .with_some("stats", stats)
}

fn some_list(words: &[String]) -> Option<Value> {
    (!words.is_empty()).then(|| Value::list(words.iter().map(String::as_str)))
}

fn unreachable(args: &PlanArgs, explanation: &Explanation) -> Result<String, Failure> {
    if args.format == Format::Json {
        let because = Value::list(explanation.because.iter().map(String::as_str));
        let why = Value::map()
            .with("message", explanation.headline.as_str())
            .with("because", because)
            .with("culprit", explanation.culprit.as_str());
        let document =
            Value::map().with("schema", SCHEMA).with("plan", Value::Null).with("unreachable", why);
        return json(&document);
    }
    let mut out = format!("unreachable: {}\n", explanation.headline);
    for reason in &explanation.because {
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(out, "  - {reason}");
    }
    let _ = writeln!(out, "culprit: {}", explanation.culprit);
    Ok(escape::visible_lines(&out))
}

fn unknown(args: &PlanArgs, stopped: StopReason, bound: u64) -> Result<String, Failure> {
    if args.format == Format::Json {
        let document = Value::map()
            .with("schema", SCHEMA)
            .with("plan", Value::Null)
            .with("bound", Value::Int(i128::from(bound)))
            .with("stopped", stopped.to_string());
        return json(&document);
    }
    let bound = measured(args.objective.into(), bound);
    Ok(format!("unknown: {stopped}; no plan was found, and none is better than {bound}\n"))
}

fn summary(args: &PlanArgs, found: &Synthesis, millis: Option<u64>) -> String {
    let mut out = String::new();
    let plan = &found.plan;
    let objective: Objective = args.objective.into();
    let bound = measured(objective, found.bound);
    let proven = match (found.optimal, found.stopped) {
        (true, _) => "optimal".to_owned(),
        (false, None) => format!("none is better than {bound}"),
        (false, Some(reason)) => {
            format!("the best so far, none is better than {bound}: {reason}")
        }
    };
    let _ = writeln!(
        out,
        "A plan of {} ({} observable), {} {}: {proven}.",
        count(plan.steps.len(), "action"),
        plan.length(),
        objective.as_str(),
        measured(objective, found.value)
    );
    let _ = writeln!(
        out,
        "One after another it takes {}, as parallel as the order allows {}.\n",
        lasting(found.before),
        lasting(found.after)
    );
    out.push_str(&export::plan::list(plan));
    let _ = writeln!(
        out,
        "\nverified: valid by {} (evidence: {})",
        found.report.tier, found.report.evidence
    );
    out.push_str(&remarks(found));
    if let Some(millis) = millis {
        let _ = writeln!(out, "{} states, {millis} ms", found.states);
    }
    out
}

/// What the numbers of an objective count.
fn unit(objective: Objective) -> &'static str {
    match objective {
        Objective::Length => "actions",
        Objective::Makespan => "milliseconds",
        Objective::Cost => "thousandths",
    }
}

/// A value of an objective for people. A cost has the unit that the description has in mind.
fn measured(objective: Objective, value: u64) -> String {
    let thousandths = format!("{}.{:03}", value / 1000, value % 1000);
    match objective {
        Objective::Length => value.to_string(),
        Objective::Makespan => format!("{thousandths} s"),
        Objective::Cost => format!("{thousandths} (in the unit of `cost:`)"),
    }
}

/// What is unusual about a plan.
fn remarks(found: &Synthesis) -> String {
    let mut out = String::new();
    if !found.faults.is_empty() {
        out.push_str("not free of faults; on the way, in the order of the list above:\n");
        for fault in &found.faults {
            let _ = writeln!(out, "  - {fault}");
        }
    }
    if found.report.deterministic != Some(true) {
        out.push_str("not deterministic: it ends in different states, and the goal holds in all\n");
    }
    for remark in &found.report.remarks {
        let _ = writeln!(out, "remark: {remark}");
    }
    out
}

fn lasting(length: windlass::synthesize::schedule::Length) -> String {
    let actions = count(length.depth, "action");
    if length.millis == 0 {
        return actions;
    }
    format!("{actions} and {}.{:03} s", length.millis / 1000, length.millis % 1000)
}

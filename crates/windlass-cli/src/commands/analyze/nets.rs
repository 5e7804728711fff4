//! `windlass analyze` for assemblies of nets.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;
use windlass::analyze::nets::{self, NetOverview};
use windlass::application::Application;
use windlass::application::assembly::Assembly;
use windlass::explore::Options;

use super::AnalyzeArgs;
use crate::args::Format;
use crate::budget::Watch;
use crate::failure::Failure;
use crate::{escape, exit_code, output};

const SCHEMA: &str = "windlass/analyze-net/1";

/// The answer of `windlass analyze --format json` about an assembly of nets.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "windlass/analyze-net/1", deny_unknown_fields)]
pub(crate) struct AnalyzeNetReport {
    /// Always `windlass/analyze-net/1`; a change that could break a reader gets another number.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// `order` (no choice: one run decides), `search`, or `reach` with --reach.
    method: &'static str,
    /// Whether every run ends with all tokens on final places; with --reach, whether the valuation
    /// can be reached.
    holds: bool,
    /// Why not, in one sentence.
    because: Option<String>,
    /// A shortest run to the valuation, or to where nothing can happen.
    run: Vec<String>,
    /// Reachable valuations, when that was searched.
    reachable: Option<usize>,
    /// Transitions that never start.
    never_run: Vec<String>,
    /// Places that are never entered.
    never_reached: Vec<String>,
}

/// Analyzes and tells.
pub(super) fn run(args: &AnalyzeArgs, application: &Application) -> Result<u8, Failure> {
    let assembly = Assembly::new(application).map_err(|why| Failure::usage(why.to_string()))?;
    let options = Options { threads: args.limits.threads.into(), ..Options::default() };
    let mut watch = Watch::start(&args.limits);
    let report = match &args.reach {
        Some(text) => {
            let wanted =
                nets::wanted(&assembly, text).map_err(|why| Failure::usage(why.to_string()))?;
            nets::reach(&assembly, &wanted, &options, &mut watch).map(|run| AnalyzeNetReport {
                schema: SCHEMA,
                method: "reach",
                holds: run.is_some(),
                because: None,
                run: run.unwrap_or_default(),
                reachable: None,
                never_run: Vec::new(),
                never_reached: Vec::new(),
            })
        }
        None => nets::overview(&assembly, &options, &mut watch).map(report),
    };
    drop(watch);
    let report = match report {
        Ok(report) => report,
        Err(reason) => {
            output::notice(&format!("unknown: {reason}"));
            return Ok(exit_code::UNKNOWN);
        }
    };
    let text = match args.format {
        Format::Json => escape::json(&report)?,
        Format::Text => escape::visible_lines(&text(&report)),
    };
    output::stdout(&text)?;
    Ok(if report.holds { exit_code::GOOD } else { exit_code::FINDINGS })
}

fn report(overview: NetOverview) -> AnalyzeNetReport {
    AnalyzeNetReport {
        schema: SCHEMA,
        method: overview.method,
        holds: overview.completes,
        because: overview.because,
        run: overview.run,
        reachable: overview.reachable,
        never_run: overview.never_run,
        never_reached: overview.never_reached,
    }
}

fn text(report: &AnalyzeNetReport) -> String {
    let mut out = String::new();
    let holds = if report.holds { "yes" } else { "no" };
    let (question, how) = match report.method {
        "reach" => ("can be reached", ""),
        "order" => ("always completes", " (no choice: one run decides)"),
        _ => ("always completes", " (every valuation was searched)"),
    };
    let _ = writeln!(out, "{question:24} {holds}{how}");
    if let Some(because) = &report.because {
        let _ = writeln!(out, "{:24} {because}", "because");
    }
    for (number, action) in report.run.iter().enumerate() {
        let title = if number == 0 { "shortest run" } else { "" };
        let _ = writeln!(out, "{title:24} {:3} {action}", number + 1);
    }
    if report.method == "reach" {
        return out;
    }
    if let Some(reachable) = report.reachable {
        let _ = writeln!(out, "{:24} {reachable}", "reachable valuations");
    }
    for (title, names) in
        [("never run", &report.never_run), ("never reached", &report.never_reached)]
    {
        let list = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let _ = writeln!(out, "{title:24} {list}");
    }
    out
}

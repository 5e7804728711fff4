//! `windlass explain CODE`: the page of a code, and the list of all codes.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;
use windlass::rule::{self, Rule};
use windlass::spelling;

use crate::args::{ExplainArgs, Format};
use crate::failure::Failure;
use crate::render::Level;
use crate::{escape, exit_code, output};

/// The answer of `windlass explain --format json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "windlass/explain/1", deny_unknown_fields)]
pub(crate) struct ExplainReport {
    /// Always `windlass/explain/1`; a change that could break a reader gets another number.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// The code that was asked for, or all of them with `--list`.
    codes: Vec<ExplainedCode>,
}

const SCHEMA: &str = "windlass/explain/1";

/// What is known about a code.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ExplainedCode {
    /// The code.
    code: &'static str,
    /// The bad pattern.
    name: &'static str,
    /// How bad it is, unless the settings say otherwise.
    severity: Level,
    /// One sentence: what is wrong.
    summary: &'static str,
    /// What the rule looks at, or which part of reading finds it.
    looks_at: &'static str,
    /// The definition in a paper that it comes from.
    paper: Option<&'static str>,
    /// The whole page, in Markdown.
    doc: &'static str,
}

/// Prints the page or the list.
pub(crate) fn run(args: &ExplainArgs) -> Result<u8, Failure> {
    let rules = match &args.code {
        Some(code) => vec![find(code)?],
        None => rule::all(),
    };
    let text = match args.format {
        Format::Json => escape::json(&ExplainReport {
            schema: SCHEMA,
            codes: rules.iter().map(|rule| explained(rule)).collect(),
        })?,
        Format::Text if args.list => list(&rules),
        Format::Text => rules.iter().map(|rule| rule.doc).collect(),
    };
    output::stdout(&text)?;
    Ok(exit_code::GOOD)
}

/// The rule with this code, in upper or lower case, or the reason that there is none.
fn find(code: &str) -> Result<&'static Rule, Failure> {
    let wanted = code.to_uppercase();
    rule::find(&wanted).ok_or_else(|| {
        let all = rule::all();
        let near = spelling::near(&wanted, all.iter().map(|rule| rule.code));
        let help = if near.is_empty() {
            "`windlass explain --list` shows all codes".to_owned()
        } else {
            let near: Vec<_> = near.iter().take(3).map(|code| format!("`{code}`")).collect();
            format!("did you mean {}?", near.join(" or "))
        };
        Failure::usage(format!("no finding has the code `{code}`")).help(help)
    })
}

fn list(rules: &[&Rule]) -> String {
    let width = rules.iter().map(|rule| rule.code.len()).max().unwrap_or(0);
    rules.iter().fold(String::new(), |mut out, rule| {
        let severity = rule.severity.as_str();
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{:width$}  {severity:7}  {}", rule.code, rule.summary);
        out
    })
}

fn explained(rule: &Rule) -> ExplainedCode {
    ExplainedCode {
        code: rule.code,
        name: rule.name,
        severity: rule.severity.into(),
        summary: rule.summary,
        looks_at: rule.looks_at.as_str(),
        paper: rule.paper,
        doc: rule.doc,
    }
}

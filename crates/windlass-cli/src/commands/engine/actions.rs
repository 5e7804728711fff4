//! How actions are shown before they happen: for people, and for programs.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;
use windlass_run::controller::Action;

use crate::args::Format;
use crate::failure::Failure;
use crate::{escape, output};

/// What `--dry-run` shows, for programs.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ActionsReport {
    /// `windlass/actions/1`.
    schema: &'static str,
    /// The actions, in an order that the plan allows.
    actions: Vec<Action>,
}

/// Prints actions.
pub(crate) fn show(format: Format, actions: Vec<Action>) -> Result<(), Failure> {
    output::stdout(&match format {
        Format::Text => text(&actions),
        Format::Json => escape::json(&ActionsReport { schema: "windlass/actions/1", actions })?,
    })?;
    Ok(())
}

/// Actions as lines.
pub(crate) fn text(actions: &[Action]) -> String {
    let mut out = String::new();
    for Action { action, run, processes, images, engine } in actions {
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(out, "{action}");
        if let Some(run) = run {
            let _ = writeln!(out, "    run     {run}");
        }
        for line in processes {
            let _ = writeln!(out, "    process {line}");
        }
        for image in images {
            let _ = writeln!(out, "    image   {image}");
        }
        if let Some(line) = engine {
            let _ = writeln!(out, "    engine  {line}");
        }
    }
    if out.is_empty() {
        out.push_str("nothing to do\n");
    }
    escape::visible_lines(&out)
}

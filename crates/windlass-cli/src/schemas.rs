//! JSON Schemas of what the commands print, generated from the types that they print.
//!
//! `docs/schemas/*.json` must be what the types say. After a change of a type, run the tests of
//! this crate with `UPDATE=1` in the environment: that writes the files again.

use std::path::PathBuf;

use schemars::{JsonSchema, schema_for};

use crate::baseline::Baseline;
use crate::commands::analyze::AnalyzeReport;
use crate::commands::analyze::nets::AnalyzeNetReport;
use crate::commands::convert::ConvertReport;
use crate::commands::engine::EventLine;
use crate::commands::engine::actions::ActionsReport;
use crate::commands::explain::ExplainReport;
use crate::commands::history::HistoryLine;
use crate::commands::logs::LogLine;
use crate::commands::prove::ProveReport;
use crate::commands::show::ShowReport;
use crate::commands::simulate::report::SimulateReport;
use crate::commands::status::StatusReport;
use crate::commands::step::StepReport;
use crate::commands::verify::VerifyReport;
use crate::render::CheckReport;

fn compare<T: JsonSchema>(name: &str) {
    let fresh = serde_json::to_string_pretty(&schema_for!(T)).unwrap() + "\n";
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schemas"));
    let path = folder.join(format!("{name}.json"));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(&path, &fresh).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == fresh, "docs/schemas/{name}.json is outdated; run the tests with UPDATE=1");
}

#[test]
fn the_schema_of_check_is_up_to_date() {
    compare::<CheckReport<'_>>("check");
}

#[test]
fn the_schema_of_explain_is_up_to_date() {
    compare::<ExplainReport>("explain");
}

#[test]
fn the_schema_of_baselines_is_up_to_date() {
    compare::<Baseline>("baseline");
}

#[test]
fn the_schema_of_convert_is_up_to_date() {
    compare::<ConvertReport<'_>>("convert");
}

#[test]
fn the_schema_of_show_is_up_to_date() {
    compare::<ShowReport<'_>>("show");
}

#[test]
fn the_schema_of_status_is_up_to_date() {
    compare::<StatusReport>("status");
}

#[test]
fn the_schema_of_verify_is_up_to_date() {
    compare::<VerifyReport>("verify");
}

#[test]
fn the_schema_of_analyze_is_up_to_date() {
    compare::<AnalyzeReport>("analyze");
}

#[test]
fn the_schema_of_prove_is_up_to_date() {
    compare::<ProveReport>("prove");
}

#[test]
fn the_schema_of_step_is_up_to_date() {
    compare::<StepReport>("step");
}

#[test]
fn the_schema_of_simulate_is_up_to_date() {
    compare::<SimulateReport>("simulate");
}

#[test]
fn the_schema_of_analyze_for_nets_is_up_to_date() {
    compare::<AnalyzeNetReport>("analyze-net");
}

#[test]
fn the_schemas_of_runs_are_up_to_date() {
    compare::<ActionsReport>("actions");
    compare::<EventLine<'_>>("event");
    compare::<HistoryLine<'_>>("history");
    compare::<LogLine<'_>>("logs");
}

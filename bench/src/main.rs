//! Measurements of Windlass beside its peers, as JSON lines on stdout.
//!
//! `windlass-bench [TOPIC...]` measures; each line has `name`, `value`, `unit` and `note`.
//! `windlass-bench --case NAME` runs one case once, for a profiler. Each run is a process of its
//! own, so that peak memory belongs to the case alone. CPU time, not wall time, best of three: a
//! busy machine disturbs it less.

#![forbid(unsafe_code)]

mod case;
mod completes;
mod compose;
mod engine;
mod hot;
mod plans;
mod search;
mod simulate;
mod synthesis;
mod tosca;
mod validity;
mod yaml;

use std::process::ExitCode;

use case::{Case, Measurement};

/// A topic: its name, its cases, and what to say about them.
type Topic = (&'static str, fn() -> Vec<Case>, fn() -> Result<Vec<Measurement>, String>);

const TOPICS: &[Topic] = &[
    ("search", search::cases, search::measure),
    ("yaml", yaml::cases, yaml::measure),
    ("validity", validity::cases, validity::measure),
    ("plans", plans::cases, plans::measure),
    ("synthesis", synthesis::cases, synthesis::measure),
    ("completes", completes::cases, completes::measure),
    ("simulate", simulate::cases, simulate::measure),
    ("engine", engine::cases, engine::measure),
    ("hot", hot::cases, hot::measure),
    ("compose", compose::cases, compose::measure),
    ("tosca", tosca::cases, tosca::measure),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.as_slice() {
        [flag, name] if flag == "--case" => run_case(name),
        topics => run_topics(topics),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            write_line(&mut std::io::stderr(), &format!("windlass-bench: {message}"));
            ExitCode::FAILURE
        }
    }
}

fn run_case(name: &str) -> Result<(), String> {
    let mut all = TOPICS.iter().flat_map(|(_, cases, _)| cases());
    let case = all.find(|case| case.name == name).ok_or(format!("no case `{name}`"))?;
    let sample = case::run_here(&case)?;
    write_line(&mut std::io::stdout(), &sample.to_json());
    Ok(())
}

fn run_topics(wanted: &[String]) -> Result<(), String> {
    let known = |name: &String| TOPICS.iter().any(|topic| topic.0 == name);
    if let Some(unknown) = wanted.iter().find(|name| !known(name)) {
        return Err(format!("no topic `{unknown}`"));
    }
    let asked = |name: &str| wanted.is_empty() || wanted.iter().any(|topic| topic == name);
    for (_, _, measure) in TOPICS.iter().filter(|topic| asked(topic.0)) {
        for measurement in measure()? {
            write_line(&mut std::io::stdout(), &measurement.to_json());
        }
    }
    Ok(())
}

/// Writes a line; when the reader is gone there is nothing left to do.
pub(crate) fn write_line(out: &mut dyn std::io::Write, line: &str) {
    let _ = writeln!(out, "{line}");
}

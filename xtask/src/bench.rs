//! `cargo xtask bench`: measures, and writes `docs/benchmarks.md`.
//!
//! The program `windlass-bench` prints one JSON object per line with `name` (topic first, then
//! `/`), `value`, `unit` and `note`. Times differ from machine to machine, so this is never a
//! gate; the page says where and how the figures were measured.

use crate::Outcome;
use crate::repository::Repository;
use serde::Deserialize;
use std::fmt::Write;
use std::process::{Command, Stdio};

const PAGE: &str = "docs/benchmarks.md";
const COMMAND: &str = "cargo run --release -p windlass-bench --features peers";

/// One line of the program.
#[derive(Debug, Deserialize)]
struct Measurement {
    name: String,
    value: f64,
    unit: String,
    #[serde(default)]
    note: String,
}

/// What to measure.
#[derive(Debug, Default, clap::Args)]
pub struct Options {
    /// Only these topics; the others stay on the page as they are.
    #[arg(value_name = "TOPIC")]
    topics: Vec<String>,
}

/// Measures and writes the page.
pub fn run(repository: &Repository, options: &Options) -> Outcome {
    // Whole processes are measured too.
    let built = Command::new("cargo")
        .args(["build", "--release", "--package", "windlass-cli"])
        .current_dir(repository.path(""))
        .status()
        .map_err(|error| format!("cargo: {error}"))?;
    if !built.success() {
        return Err("the binary does not build".to_owned());
    }
    let mut words = COMMAND.split(' ');
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words);
    if !options.topics.is_empty() {
        command.arg("--").args(&options.topics);
    }
    let output = command
        .current_dir(repository.path(""))
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cargo: {error}"))?;
    if !output.status.success() {
        return Err("the measurements failed".to_owned());
    }
    let lines = String::from_utf8_lossy(&output.stdout);
    let measurements = read(&lines)?;
    let fresh = page(&machine(), &measurements);
    let text = match repository.read(PAGE) {
        Ok(known) if !options.topics.is_empty() => merged(&known, &fresh),
        _ => fresh,
    };
    repository.write(PAGE, &text)?;
    println!("{PAGE}: {} figures", measurements.len());
    Ok(!measurements.is_empty())
}

fn read(lines: &str) -> Result<Vec<Measurement>, String> {
    let lines = lines.lines().filter(|line| line.starts_with('{'));
    lines
        .map(|line| serde_json::from_str(line).map_err(|error| format!("`{line}`: {error}")))
        .collect()
}

/// What the figures were measured on: cores, CPU, memory, compiler.
fn machine() -> Vec<String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let first = |path: &str, key: &str| {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with(key))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let rustc = Command::new("rustc").arg("--version").output();
    let rustc = rustc.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    [
        Some(format!("{cores} cores")),
        first("/proc/cpuinfo", "model name"),
        first("/proc/meminfo", "MemTotal").and_then(|memory| gigabytes(&memory)),
        rustc.ok(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// `24682416 kB` is 25 GB.
fn gigabytes(memory: &str) -> Option<String> {
    let kilobytes: f64 = memory.split(' ').next()?.parse().ok()?;
    Some(format!("{:.0} GB of memory", kilobytes * 1024.0 / 1e9))
}

fn page(machine: &[String], measurements: &[Measurement]) -> String {
    let mut text = format!(
        "# Benchmarks\n\nMade by `cargo xtask bench`; do not edit. Measured with `{COMMAND}` on \
         {}. Each case is a process of its own; times are CPU time, best of three, because other \
         work on the machine disturbs that least. Compare figures of one page, not of two \
         machines.\n",
        machine.join(", ")
    );
    let mut topics: Vec<&str> = measurements.iter().map(|m| topic(&m.name).0).collect();
    topics.dedup();
    for wanted in topics {
        let _ = write!(text, "\n## {wanted}\n\n`{COMMAND} -- {wanted}`\n\n");
        text.push_str("| case | figure | unit | remark |\n|---|---:|---|---|\n");
        for Measurement { name, value, unit, note } in measurements {
            let (found, case) = topic(name);
            if found == wanted {
                let value = figure(*value);
                let note = note.replace('|', "\\|");
                let _ = writeln!(text, "| {case} | {value} | {unit} | {note} |");
            }
        }
    }
    text
}

/// The page as it was, with the sections that were measured again; new ones come last.
fn merged(known: &str, fresh: &str) -> String {
    let sections = |page: &str| -> Vec<String> {
        let mut parts = page.split("\n## ");
        let head = parts.next().unwrap_or_default().to_owned();
        std::iter::once(head).chain(parts.map(|part| format!("\n## {part}"))).collect()
    };
    let title = |section: &String| section.trim().lines().next().unwrap_or_default().to_owned();
    let mut all = sections(known);
    for section in sections(fresh).into_iter().skip(1) {
        match all.iter_mut().skip(1).find(|old| title(old) == title(&section)) {
            Some(old) => *old = section,
            None => all.push(section),
        }
    }
    let ended = all.into_iter().map(|section| format!("{}\n", section.trim_end_matches('\n')));
    ended.collect()
}

/// `search/compiled/x` is the case `compiled/x` of the topic `search`.
fn topic(name: &str) -> (&str, &str) {
    name.split_once('/').unwrap_or((name, name))
}

/// Large figures without a fraction and with their thousands apart.
fn figure(value: f64) -> String {
    if value.abs() < 1000.0 {
        return format!("{value:.2}");
    }
    let digits = format!("{value:.0}");
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) && !grouped.ends_with('-') {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_printed_in_gigabytes() {
        assert_eq!(gigabytes("24682416 kB").as_deref(), Some("25 GB of memory"));
        assert_eq!(gigabytes("much"), None);
    }

    #[test]
    fn figures_are_grouped() {
        assert_eq!(figure(1.5), "1.50");
        assert_eq!(figure(999.0), "999.00");
        assert_eq!(figure(1_234_567.8), "1,234,568");
        assert_eq!(figure(-123_456.0), "-123,456");
    }

    #[test]
    fn sections_that_were_not_measured_stay() {
        let known = "# Page\n\n## a\n\nold a\n\n## b\n\nold b\n";
        let fresh = "# Other\n\n## b\n\nnew b\n\n## c\n\nnew c\n";
        let page = "# Page\n\n## a\n\nold a\n\n## b\n\nnew b\n\n## c\n\nnew c\n";
        assert_eq!(merged(known, fresh), page);
    }

    #[test]
    fn a_page_has_one_table_per_topic() {
        let lines = "noise\n{\"name\":\"search/a\",\"value\":2,\"unit\":\"x\",\"note\":\"n|m\"}\n\
                     {\"name\":\"yaml/b\",\"value\":3000,\"unit\":\"MB/s\"}\n";
        let page = page(&["2 cores".to_owned()], &read(lines).unwrap());
        assert!(page.contains("## search\n"), "{page}");
        assert!(page.contains("| a | 2.00 | x | n\\|m |\n"), "{page}");
        assert!(page.contains("## yaml\n") && page.contains("| b | 3,000 | MB/s |  |\n"), "{page}");
    }
}

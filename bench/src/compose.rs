//! Compose files: the examples as a whole process and in one process, and projects of growing size
//! with every rule on.
//!
//! `COMPOSE_FILES=FOLDER windlass-bench compose` also reads every Compose file below a folder, with
//! the files beside it held in memory, and gives the median and the slowest. Where the folder has
//! an `ORACLE.json`, those that Compose accepts are read.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use serde_json::Value;
use windlass::lang::{self, Language};
use windlass::source::Sources;
use windlass::source::files::{Limits, MemoryFiles};

use crate::case::{Case, Measurement, Work, checked_process, each, errors, files_below};

/// How often a small file is read in one run, because the clock is coarse.
const TIMES: u64 = 500;
/// The numbers of services of the projects that grow.
const SIZES: &[usize] = &[20, 200, 2_000];
/// Names that Compose looks for, where no oracle says which files count.
const NAMES: &[&str] =
    &["compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"];

const SHOP: &str = include_str!("../../examples/compose/shop/compose.yaml");

/// Layers of ten services, each of which waits for one of the layer below.
fn layers(services: usize) -> String {
    let mut text = "services:\n".to_owned();
    for at in 0..services {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "  s{at}:
    image: app:1
    healthcheck: {{ test: [CMD, ready] }}
    environment: {{ NUMBER: '{at}', LEVEL: \"${{LEVEL:-info}}\" }}
    volumes: ['data{at}:/data']
"
        );
        if at >= 10 {
            let below = at - 10;
            let _ =
                writeln!(text, "    depends_on: {{ s{below}: {{ condition: service_healthy }} }}");
        }
    }
    text.push_str("volumes:\n");
    for at in 0..services {
        let _ = writeln!(text, "  data{at}: {{}}");
    }
    text
}

/// Reads a file with those beside it, asks every rule, and gives how many findings are errors.
fn check(path: &str, text: &str, files: &mut MemoryFiles) -> usize {
    let mut sources = Sources::new();
    let root = sources.add(path, text);
    let reading = lang::read_with(Some(Language::COMPOSE), root, path, &mut sources, files);
    errors(&reading, &sources)
}

fn alone(text: &str) -> usize {
    check("compose.yaml", text, &mut MemoryFiles::new(Limits::default()))
}

pub(crate) fn cases() -> Vec<Case> {
    let shop = Box::new(|| {
        for _ in 0..TIMES {
            assert_eq!(alone(SHOP), 0, "the example is not what it should be");
        }
        Work { units: TIMES, bytes: None }
    });
    let mut all = vec![Case { name: "compose/shop".to_owned(), run: shop }];
    for size in SIZES {
        let run = Box::new(move || {
            let text = layers(*size);
            let times = (4_000 / size) as u64;
            for _ in 0..times {
                assert_eq!(alone(&text), 0, "the project is not what it should be");
            }
            Work { units: times, bytes: Some(text.len() as u64) }
        });
        all.push(Case { name: format!("compose/layers/{size}"), run });
    }
    all
}

pub(crate) fn measure() -> Result<Vec<Measurement>, String> {
    let mut report = vec![whole_process()?];
    let note = "in one process; wanted: below 2 ms".to_owned();
    report.push(each("compose/shop".to_owned(), note)?);
    for size in SIZES {
        let note = format!("{size} services, every rule");
        report.push(each(format!("compose/layers/{size}"), note)?);
    }
    if let Some(folder) = std::env::var_os("COMPOSE_FILES") {
        report.extend(over_folder(Path::new(&folder))?);
    }
    Ok(report)
}

fn whole_process() -> Result<Measurement, String> {
    let note = "windlass check, start to end; Docker Compose: about 150 ms";
    checked_process("compose/shop/process", "compose.yaml", SHOP, note)
}

/// The files below a folder: the median, and the slowest with its name.
fn over_folder(folder: &Path) -> Result<Vec<Measurement>, String> {
    let accepted = accepted(folder);
    let mut files = MemoryFiles::new(Limits {
        file_bytes: u64::MAX,
        total_bytes: u64::MAX,
        files: usize::MAX,
        ..Limits::default()
    });
    let mut chosen = Vec::new();
    for path in files_below(folder)? {
        let Ok(content) = std::fs::read(&path) else { continue };
        let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
        let is_named = path.file_name().is_some_and(|it| NAMES.iter().any(|name| it == *name));
        let counts = accepted.as_ref().map_or(is_named, |accepted| accepted.contains(&name));
        if let Some(text) = String::from_utf8(content.clone()).ok().filter(|_| counts) {
            chosen.push((name.clone(), text));
        }
        files.insert(name, content);
    }
    let mut times: Vec<(f64, &str)> = chosen
        .iter()
        .map(|(name, text)| {
            let start = Instant::now();
            check(name, text, &mut files);
            (start.elapsed().as_secs_f64() * 1000.0, name.as_str())
        })
        .collect();
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (Some(slowest), Some(median)) = (times.last(), times.get(times.len() / 2)) else {
        return Err(format!("`{}` has no Compose file", folder.display()));
    };
    let all: f64 = times.iter().map(|(time, _)| time).sum();
    let line = |name: &str, value: f64, note: String| Measurement {
        name: format!("compose/files/{name}"),
        value,
        unit: "ms",
        note,
    };
    let count = times.len();
    let wanted = format!("{count} files in one process; wanted: below 2 ms");
    Ok(vec![
        line("median", median.0, wanted.clone()),
        line("mean", all / count as f64, wanted),
        line("slowest", slowest.0, slowest.1.to_owned()),
    ])
}

/// The files that Compose accepts, where that is recorded.
fn accepted(folder: &Path) -> Option<BTreeSet<String>> {
    let text = std::fs::read_to_string(folder.join("ORACLE.json")).ok()?;
    let oracle: Value = serde_json::from_str(&text).ok()?;
    let all = oracle.as_object()?.iter().filter(|(_, said)| said["accepted"] == true);
    Some(all.map(|(name, _)| name.clone()).collect())
}

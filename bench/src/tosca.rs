//! Services of TOSCA: a small template as a whole process and in one process, and services of
//! growing size with every check on.
//!
//! `TOSCA_FILES=FOLDER windlass-bench tosca` also reads every TOSCA file below a folder, with what
//! it imports from there, and gives the median.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use windlass::lang::{self, Language};
use windlass::source::Sources;
use windlass::source::files::{Limits, MemoryFiles};

use crate::case::{Case, Measurement, Work, checked_process, each, errors, files_below, median};

/// How often a small template is read in one run, because the clock is coarse.
const TIMES: u64 = 100;
/// The sizes of the services that grow.
const SIZES: &[usize] = &[100, 1_000];

/// A machine, a server on it, an application on that.
const SMALL: &str = "\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs:
    cores: { type: integer, default: 2, constraints: [{ in_range: [1, 8] }] }
  node_templates:
    machine:
      type: tosca.nodes.Compute
      capabilities:
        host: { properties: { num_cpus: { get_input: cores }, mem_size: 4 GB } }
    server:
      type: tosca.nodes.WebServer
      requirements: [{ host: machine }]
    application:
      type: tosca.nodes.WebApplication
      requirements: [{ host: server }]
  outputs:
    address: { value: { get_attribute: [machine, public_address] } }
";

/// Machines with a server and an application each; every application needs the one before it.
fn sites(nodes: usize) -> String {
    let mut text = "\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
"
    .to_owned();
    for site in 0..nodes / 3 {
        let needs = match site {
            0 => String::new(),
            _ => format!(", {{ dependency: application{} }}", site - 1),
        };
        let _ = write!(
            text,
            "    machine{site}:
      type: tosca.nodes.Compute
      capabilities: {{ host: {{ properties: {{ num_cpus: 2, mem_size: 4 GB }} }} }}
    server{site}:
      type: tosca.nodes.WebServer
      requirements: [{{ host: machine{site} }}]
    application{site}:
      type: tosca.nodes.WebApplication
      requirements: [{{ host: server{site} }}{needs}]
"
        );
    }
    text
}

/// Reads a service that stands alone, asks every rule, and gives how many findings are errors.
fn check(text: &str) -> usize {
    let mut sources = Sources::new();
    let root = sources.add("service.yaml", text);
    let reading = lang::read(Some(Language::TOSCA), root, &sources);
    errors(&reading, &sources)
}

fn grown(size: usize) -> Case {
    let run = Box::new(move || {
        let text = sites(size);
        let times = (1_000 / size) as u64;
        for _ in 0..times {
            assert_eq!(check(&text), 0, "the service is not what it should be");
        }
        Work { units: times, bytes: Some(text.len() as u64) }
    });
    Case { name: format!("tosca/sites/{size}"), run }
}

pub(crate) fn cases() -> Vec<Case> {
    let small = Box::new(|| {
        for _ in 0..TIMES {
            assert_eq!(check(SMALL), 0, "the template is not what it should be");
        }
        Work { units: TIMES, bytes: None }
    });
    let mut all = vec![Case { name: "tosca/small".to_owned(), run: small }];
    all.extend(SIZES.iter().map(|size| grown(*size)));
    all
}

pub(crate) fn measure() -> Result<Vec<Measurement>, String> {
    let note = "windlass check, start to end; wanted: below 15 ms";
    let mut report = vec![checked_process("tosca/small/process", "service.yaml", SMALL, note)?];
    let note = "in one process; wanted: below 5 ms".to_owned();
    report.push(each("tosca/small".to_owned(), note)?);
    for size in SIZES {
        let note = format!("{size} nodes, every check");
        report.push(each(format!("tosca/sites/{size}"), note)?);
    }
    report.extend(median_of_folder()?);
    Ok(report)
}

/// The median over the TOSCA files below a folder that was named.
fn median_of_folder() -> Result<Option<Measurement>, String> {
    let Some(folder) = std::env::var_os("TOSCA_FILES") else { return Ok(None) };
    let texts = texts(Path::new(&folder))?;
    let mut times: Vec<f64> = Vec::new();
    for (name, text) in texts.iter().filter(|(_, text)| is_service(text)) {
        // What was read counts against limits, so every file gets files of its own.
        let mut files = MemoryFiles::new(Limits::default());
        for (name, text) in &texts {
            files.insert(name.as_str(), text.as_str());
        }
        let start = Instant::now();
        let mut sources = Sources::new();
        let root = sources.add(name.as_str(), text.as_str());
        let language = Some(Language::TOSCA);
        let reading = lang::read_with(language, root, name, &mut sources, &mut files);
        errors(&reading, &sources);
        times.push(start.elapsed().as_secs_f64() * 1000.0);
    }
    let count = times.len();
    Ok(Some(Measurement {
        name: "tosca/files/median".to_owned(),
        value: median(&mut times),
        unit: "ms",
        note: format!("{count} files in one process, with their imports; wanted: below 5 ms"),
    }))
}

fn is_service(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("tosca_definitions_version:"))
}

/// Every text below a folder, by its path from there.
fn texts(folder: &Path) -> Result<Vec<(String, String)>, String> {
    let is_text = |path: &Path| {
        path.extension().is_some_and(|ending| {
            ["yaml", "yml", "tosca"].iter().any(|known| ending.eq_ignore_ascii_case(known))
        })
    };
    let files = files_below(folder)?;
    let named = files.iter().filter(|path| is_text(path)).filter_map(|path| {
        let name = path.strip_prefix(folder).unwrap_or(path).to_string_lossy().into_owned();
        Some((name, std::fs::read_to_string(path).ok()?))
    });
    Ok(named.collect())
}

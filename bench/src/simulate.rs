//! `simulate` on assemblies of growing size, in a chain and in a star, beside the engines of Madeus
//! and Concerto on the same shapes.
//!
//! Each component has two places and one transition; in a chain it uses the one before it, in a
//! star all use the first. Three times are printed: reading the text, the simulation alone, and the
//! whole process from start to exit with its answer; all by the clock, best of three. Caches make
//! large assemblies slower than small ones, so instructions are counted too, where `callgrind` is
//! installed: per component, they say whether the work is linear.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use windlass::application::Application;
use windlass::application::assembly::Assembly;
use windlass::lang;
use windlass::simulate::{Scenario, simulate};
use windlass::source::Sources;

use crate::case::{Case, Measurement, Work};
use crate::plans::{watch, windlass};

const SIZES: &[usize] = &[1_000, 10_000, 100_000];
const RUNS: usize = 3;
/// What the other engines were measured to need, without durations: they have no virtual time.
const PEERS: &[(&str, &str)] = &[
    (
        "chain",
        "MAD 2018: 1,000 take 9.2 s of CPU; Concerto 2020: 1,000 take 1.9 s; Concerto-D 2024: 96 s by the \
         clock; none was measured beyond",
    ),
    ("star", "MAD 2018: 1,000 take 0.12 s of CPU; Concerto 2020: 1,000 take 0.15 s"),
];

/// The function whose instructions are those of the simulation alone.
const SIMULATION: &str = "*simulate::engine::Engine::run*";

/// One simulation each, to be counted; whole processes are no cases of this program.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (shape, _) in PEERS {
        cases.extend(SIZES.iter().map(|&size| Case {
            name: format!("simulate/{shape}/{size}"),
            run: Box::new(move || Work { units: once(shape, size).unwrap_or(0), bytes: None }),
        }));
    }
    cases
}

/// How many transitions one simulation has.
fn once(shape: &str, size: usize) -> Result<u64, String> {
    let application = read(&assembly(shape, size))?;
    let assembly = Assembly::new(&application).map_err(|why| why.to_string())?;
    Ok(simulate(&assembly, &Scenario::default()).runs.len() as u64)
}

/// How many instructions a process takes, or one function of it with all that it calls; none where
/// nothing counts them.
fn instructions(program: &Path, arguments: &[&str], function: Option<&str>) -> Option<u64> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    command.args(function.map(|function| format!("--toggle-collect={function}")));
    let output = command.arg(program).args(arguments).output().ok()?;
    let said = String::from_utf8_lossy(&output.stderr);
    let counted = said.lines().find_map(|line| line.split_once("Collected :"))?;
    counted.1.trim().parse().ok().filter(|count| *count > 0)
}

/// Instructions per component: of the simulation alone, and of the whole process.
fn counted(shape: &str, size: usize, path: &str) -> Result<Vec<Measurement>, String> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let case = format!("simulate/{shape}/{size}");
    let alone = instructions(&this, &["--case", &case], Some(SIMULATION));
    let whole = instructions(&windlass()?, &["simulate", path], None);
    let line = |what: &str, count: u64| Measurement {
        name: format!("{case}/{what}"),
        value: (count as f64 / size as f64).round(),
        unit: "instructions",
        note: "per component, counted by callgrind".to_owned(),
    };
    let alone = alone.map(|count| line("simulation, instructions", count));
    Ok(alone
        .into_iter()
        .chain(whole.map(|count| line("whole process, instructions", count)))
        .collect())
}

/// Measures every shape and size.
pub(crate) fn measure() -> Result<Vec<Measurement>, String> {
    let folder = std::env::temp_dir().join(format!("windlass-bench-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let mut all = Vec::new();
    for (shape, peers) in PEERS {
        for size in SIZES {
            all.extend(measure_one(shape, *size, peers, &folder)?);
        }
    }
    let _ = fs::remove_dir_all(&folder);
    Ok(all)
}

fn measure_one(
    shape: &str,
    size: usize,
    peers: &str,
    folder: &Path,
) -> Result<Vec<Measurement>, String> {
    let text = assembly(shape, size);
    let path = folder.join("windlass.yaml");
    fs::write(&path, &text).map_err(|error| error.to_string())?;
    let (mut reading, mut running) = (f64::MAX, f64::MAX);
    let (mut whole, mut peak) = (f64::MAX, 0.0f64);
    for _ in 0..RUNS {
        let start = Instant::now();
        let application = read(&text)?;
        let assembly = Assembly::new(&application).map_err(|why| why.to_string())?;
        reading = reading.min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        let schedule = simulate(&assembly, &Scenario::default());
        running = running.min(start.elapsed().as_secs_f64());
        if schedule.runs.len() != size || !schedule.is_finished() {
            return Err(format!("{shape} of {size} does not finish"));
        }
        let mut command = Command::new(windlass()?);
        command.arg("simulate").arg(&path);
        let run = watch(command)?;
        if !run.verdict.starts_with("makespan") {
            return Err(format!("{shape} of {size}: {}", run.verdict));
        }
        whole = whole.min(run.seconds);
        peak = peak.max(run.peak);
    }
    let line = |what: &str, seconds: f64, note: String| Measurement {
        name: format!("simulate/{shape}/{size}/{what}"),
        value: seconds * 1000.0,
        unit: "ms",
        note,
    };
    let bytes = text.len();
    let mut lines = vec![
        line("reading", reading, format!("{bytes} bytes of text to an assembly")),
        line("simulation", running, format!("{size} transitions of 1 s each; {peers}")),
        line("whole process", whole, format!("with its answer; peak {:.0} MB", peak / 1e6)),
    ];
    lines.extend(counted(shape, size, &path.to_string_lossy())?);
    Ok(lines)
}

fn read(text: &str) -> Result<Application, String> {
    let mut sources = Sources::new();
    let root = sources.add("windlass.yaml", text);
    lang::read(None, root, &sources).application.ok_or_else(|| "no application".into())
}

fn assembly(shape: &str, components: usize) -> String {
    let net = "    net:\n      places: [off, on]\n      initial: [off]\n      transitions: { start: { from: off, to: on, \
               duration: 1s } }\n      groups: { up: [on] }\n      ports:\n        mine: { kind: provide, groups: [up] }\n";
    let uses = "        other: { kind: use, transitions: [start] }\n";
    let mut text = format!("windlass: 1\ntypes:\n  first:\n{net}  part:\n{net}{uses}nodes:\n");
    text.push_str("  n0: { type: first }\n");
    for at in 1..components {
        let to = if shape == "chain" { at - 1 } else { 0 };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  n{at}: {{ type: part, bind: {{ other: n{to}.mine }} }}");
    }
    text
}

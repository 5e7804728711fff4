//! `windlass verify` as a whole process on plans of growing size, beside Spin on the same.
//!
//! Times are by the clock, best of three, from start to exit: reading, deciding, checking the
//! evidence and printing. The binary `windlass` stands beside this one; Spin is left out, loudly,
//! where it is not installed.

mod inputs;
mod spin;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::case::{Case, Measurement};
use inputs::Question;

/// The example of the repository.
pub(crate) const THINKING: &str = include_str!("../../examples/thinking/windlass.yaml");
/// Runs of a question, of which the best counts.
const RUNS: usize = 3;

/// The model of a size, in Promela.
type Model = fn(usize) -> String;

/// A family of plans: its name, what it is, the sizes, the question and the model of a size.
struct Family {
    name: &'static str,
    what: &'static str,
    sizes: &'static [usize],
    question: fn(usize) -> Question,
    /// The largest size that Spin is asked, and its model.
    peer: Option<(usize, Model)>,
    /// What RAMP was measured to need, on the largest plans that it answers.
    ramp: &'static str,
}

const FAMILIES: &[Family] = &[
    Family {
        name: "operations",
        what: "independent operations, all side by side",
        sizes: &[5, 12, 1_000, 10_000],
        question: inputs::operations,
        peer: Some((12, spin::operations)),
        ramp: "RAMP: 5 take 22 s, 6 no answer in 180 s",
    },
    Family {
        name: "deployment",
        what: "stacks of paper 004 Fig. 7, all side by side",
        sizes: &[2, 5, 7, 128],
        question: inputs::deployment,
        peer: Some((5, spin::deployment)),
        ramp: "RAMP: 2 take 12 s, 3 months by extrapolation",
    },
    Family {
        name: "reconfiguration",
        what: "services configured beside the page of paper 004 Fig. 3, one spare",
        sizes: &[4, 10, 12, 256],
        question: inputs::reconfiguration,
        peer: Some((10, spin::reconfiguration)),
        ramp: "RAMP: 5 take 60 s, 6 half an hour by extrapolation",
    },
    Family {
        name: "sequence",
        what: "actions one after the other",
        sizes: &[1_000, 10_000, 100_000],
        question: inputs::sequence,
        peer: None,
        ramp: "RAMP: 3,203 take 7.9 s, 6,403 overflow its stack",
    },
];

/// Whole processes are no cases of this program.
pub(crate) fn cases() -> Vec<Case> {
    Vec::new()
}

/// Asks every question.
pub(crate) fn measure() -> Result<Vec<Measurement>, String> {
    let folder = std::env::temp_dir().join(format!("windlass-bench-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let result = FAMILIES.iter().try_fold(Vec::new(), |mut all, family| {
        all.extend(measure_family(family, &folder)?);
        Ok(all)
    });
    let _ = fs::remove_dir_all(&folder);
    result
}

fn measure_family(family: &Family, folder: &Path) -> Result<Vec<Measurement>, String> {
    let mut measurements = Vec::new();
    for &size in family.sizes {
        let name = format!("plans/{}/{size}", family.name);
        let best = ask(&(family.question)(size), folder)?;
        measurements.push(Measurement {
            name: name.clone(),
            value: best.seconds * 1000.0,
            unit: "ms",
            note: format!(
                "{}; {}; peak {:.0} MB; {}",
                family.what,
                best.verdict,
                best.peak / 1e6,
                family.ramp
            ),
        });
        let Some((_, model)) = family.peer.filter(|(largest, _)| size <= *largest) else {
            continue;
        };
        for (reduced, word) in [(true, "with partial-order reduction"), (false, "every order")] {
            match spin::run(&model(size), reduced, folder)? {
                Some(found) => measurements.push(Measurement {
                    name: format!("{name}/spin {word}"),
                    value: found.seconds * 1000.0,
                    unit: "ms",
                    note: format!(
                        "{} states, {}; the search alone, without making and compiling the verifier",
                        found.states,
                        if found.errors { "an error" } else { "no error" }
                    ),
                }),
                None => crate::write_line(
                    &mut std::io::stderr(),
                    "SKIPPED: Spin or a C compiler is not installed",
                ),
            }
        }
    }
    Ok(measurements)
}

/// A run of `windlass`.
pub(crate) struct Run {
    pub(crate) seconds: f64,
    /// The most memory that was seen.
    pub(crate) peak: f64,
    /// The first words of its answer.
    pub(crate) verdict: String,
    /// Everything that was printed.
    pub(crate) text: String,
}

fn ask(question: &Question, folder: &Path) -> Result<Run, String> {
    let write = |name: &str, text: &str| -> Result<PathBuf, String> {
        let path = folder.join(name);
        fs::write(&path, text).map_err(|error| error.to_string())?;
        Ok(path)
    };
    let application = write("windlass.yaml", THINKING)?;
    let state = write("start.state.yaml", &question.state)?;
    let plan = write("large.plan.yaml", &question.plan)?;
    let mut best: Option<Run> = None;
    for _ in 0..RUNS {
        let mut command = Command::new(windlass()?);
        command.arg("verify").arg(&plan).arg("--app").arg(&application).arg("--state").arg(&state);
        command.args(["--max-memory", "8192"]);
        if question.sequence {
            command.arg("--sequence");
        }
        let run = watch(command)?;
        best = best.filter(|known| known.seconds <= run.seconds).or(Some(run));
    }
    best.ok_or_else(|| "no run".into())
}

/// The binary beside this one.
pub(crate) fn windlass() -> Result<PathBuf, String> {
    let here = std::env::current_exe().map_err(|error| error.to_string())?;
    let path = here.with_file_name("windlass");
    if path.exists() {
        return Ok(path);
    }
    Err("no `windlass` beside this program: `cargo build --release -p windlass-cli` makes it"
        .into())
}

/// Runs to the end and looks at the memory all along.
pub(crate) fn watch(mut command: Command) -> Result<Run, String> {
    let words = |error: std::io::Error| error.to_string();
    let start = Instant::now();
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(words)?;
    // The answer is read beside the run, so that a long one does not block it.
    let output = child.stdout.take().map(|mut out| {
        std::thread::spawn(move || {
            let mut text = String::new();
            let _ = std::io::Read::read_to_string(&mut out, &mut text);
            text
        })
    });
    let mut peak = 0.0f64;
    while child.try_wait().map_err(words)?.is_none() {
        peak = peak.max(high_water(&child));
        std::thread::sleep(Duration::from_millis(1));
    }
    let seconds = start.elapsed().as_secs_f64();
    let text = output.and_then(|thread| thread.join().ok()).unwrap_or_default();
    let verdict = text.split([':', ',', '\n']).next().unwrap_or_default().to_owned();
    Ok(Run { seconds, peak, verdict, text })
}

fn high_water(child: &Child) -> f64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) * 1024.0
}

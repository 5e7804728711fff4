//! A thousand real commands: `windlass up` with its journal, `ninja` and `make`, one after the
//! other and several times, so that a busy minute disturbs all of them.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{PEERS, assembly, seconds, write};
use crate::case::Measurement;
use crate::plans::windlass;

const COMMANDS: usize = 1_000;
const ROUNDS: usize = 9;
const TRUE: &str = "true";

/// Who runs the commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Runner {
    Windlass(&'static str, Jobs),
    Ninja(Jobs),
    Make(Jobs),
}

/// How many commands at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Jobs {
    Two,
    /// As many as the runner likes: `ninja` a few more than there are processors, the others all.
    Any,
}

const ONCE: &str = "at_most_once";
const REPEATABLE: &str = "idempotent";

const RUNNERS: &[Runner] = &[
    Runner::Windlass(REPEATABLE, Jobs::Two),
    Runner::Windlass(ONCE, Jobs::Two),
    Runner::Ninja(Jobs::Two),
    Runner::Make(Jobs::Two),
    Runner::Windlass(REPEATABLE, Jobs::Any),
    Runner::Windlass(ONCE, Jobs::Any),
    Runner::Ninja(Jobs::Any),
    Runner::Make(Jobs::Any),
];

impl Runner {
    fn name(self) -> String {
        let name = match self {
            Runner::Windlass(..) => "windlass up",
            Runner::Ninja(_) => "ninja",
            Runner::Make(_) => "make",
        };
        let jobs = match (self, self.jobs()) {
            (Runner::Windlass(..), Jobs::Two) => " --jobs 2",
            (_, Jobs::Two) => " -j2",
            (Runner::Make(_), Jobs::Any) => " -j",
            (_, Jobs::Any) => "",
        };
        let effect = match self {
            Runner::Windlass(ONCE, _) => ", at most once",
            Runner::Windlass(..) => ", may be repeated",
            Runner::Ninja(_) | Runner::Make(_) => "",
        };
        format!("{name}{jobs}{effect}")
    }

    fn jobs(self) -> Jobs {
        match self {
            Runner::Windlass(_, jobs) | Runner::Ninja(jobs) | Runner::Make(jobs) => jobs,
        }
    }
}

/// Measures both shapes. A program that is not installed is left out, and said so.
pub(super) fn measure() -> Result<Vec<Measurement>, String> {
    let folder = std::env::temp_dir().join(format!("windlass-commands-{}", std::process::id()));
    let mut all = Vec::new();
    for (shape, _) in PEERS {
        let mut best: Vec<Option<f64>> = vec![None; RUNNERS.len()];
        for _ in 0..ROUNDS {
            for (runner, best) in RUNNERS.iter().zip(&mut best) {
                if let Some(took) = once(*runner, shape, &folder)? {
                    *best = Some(best.map_or(took, |known| known.min(took)));
                }
            }
        }
        let ninja = |jobs| RUNNERS.iter().position(|it| *it == Runner::Ninja(jobs));
        for (runner, took) in RUNNERS.iter().zip(&best) {
            let ninja = ninja(runner.jobs()).and_then(|at| best[at]);
            all.push(line(shape, *runner, *took, ninja));
        }
    }
    Ok(all)
}

fn line(shape: &str, runner: Runner, best: Option<f64>, ninja: Option<f64>) -> Measurement {
    let wish = match runner {
        Runner::Windlass(REPEATABLE, _) => "; wanted: at most 1.3 times ninja and below make",
        Runner::Windlass(..) => "; each action is on the disk before it starts",
        Runner::Ninja(_) | Runner::Make(_) => "",
    };
    let note = match (best, ninja) {
        (None, _) => "not installed".to_owned(),
        (Some(best), Some(ninja)) => format!("{:.2} times ninja{wish}", best / ninja),
        (Some(_), None) => format!("ninja is not installed{wish}"),
    };
    Measurement {
        name: format!("engine/{shape} of {COMMANDS} `true`/{}", runner.name()),
        value: best.unwrap_or(0.0),
        unit: "s",
        note,
    }
}

/// One run in a fresh folder; none when the program is not installed.
fn once(runner: Runner, shape: &str, folder: &Path) -> Result<Option<f64>, String> {
    let words = |error: std::io::Error| error.to_string();
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).map_err(words)?;
    let mut command = match runner {
        Runner::Windlass(effect, jobs) => {
            write(folder, "windlass.yaml", &assembly(shape, COMMANDS, effect, TRUE))?;
            let mut command = Command::new(windlass()?);
            command.args(["up", "windlass.yaml", "--yes", "--detach"]);
            command.args((jobs == Jobs::Two).then_some("--jobs=2"));
            command
        }
        Runner::Ninja(jobs) => {
            write(folder, "build.ninja", &ninja_file(shape))?;
            let mut command = Command::new("ninja");
            command.arg("--quiet").args((jobs == Jobs::Two).then_some("-j2"));
            command
        }
        Runner::Make(jobs) => {
            write(folder, "Makefile", &make_file(shape))?;
            let mut command = Command::new("make");
            command.args([if jobs == Jobs::Two { "-j2" } else { "-j" }, "--silent"]);
            command
        }
    };
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let took = seconds(|| {
        if child.wait().map_err(words)?.success() {
            Ok(())
        } else {
            Err(format!("{} fails on a {shape}", runner.name()))
        }
    })?;
    let _ = fs::remove_dir_all(folder);
    Ok(Some(took))
}

fn before(shape: &str, at: usize) -> Option<usize> {
    (at > 0).then(|| if shape == "chain" { at - 1 } else { 0 })
}

fn ninja_file(shape: &str) -> String {
    let mut text = format!("rule run\n  command = {TRUE}\n");
    for at in 0..COMMANDS {
        let needs = before(shape, at).map_or(String::new(), |before| format!(" n{before}"));
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "build n{at}: run{needs}");
    }
    text
}

fn make_file(shape: &str) -> String {
    let mut text = String::from("all:");
    for at in 0..COMMANDS {
        let _ = write!(text, " n{at}");
    }
    text.push_str("\n.PHONY: all");
    for at in 0..COMMANDS {
        let _ = write!(text, " n{at}");
    }
    text.push('\n');
    for at in 0..COMMANDS {
        let needs = before(shape, at).map_or(String::new(), |before| format!(" n{before}"));
        let _ = writeln!(text, "n{at}:{needs}\n\t{TRUE}");
    }
    text
}

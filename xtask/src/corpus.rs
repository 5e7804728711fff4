//! `cargo xtask corpus PATH`: scores on a folder of real descriptions with known outcomes.
//!
//! One score line per set. A crash, a panic or a hang is a failure whatever the expectation.
//! `corpus-floors.toml` holds what was right before: falling below fails. Sets of a language that
//! the binary does not read yet are counted and named, so that silence does not look like success.

mod compose;
mod concerto;
mod counts;
mod floors;
mod hot;
mod occi;
mod process;
mod robust;
mod thinking;
mod tosca;
mod tosker;
mod verdicts;

use crate::Outcome;
use crate::repository::Repository;
use floors::Floors;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the descriptions and the binary are.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// The folder with the sets.
    path: PathBuf,
    /// The binary to ask; without it the release build is made and asked.
    #[arg(long, value_name = "FILE")]
    windlass: Option<PathBuf>,
    /// Write the scores into `corpus-floors.toml`.
    #[arg(long)]
    update: bool,
}

/// What a set scored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Score {
    /// Name of the set, as in `corpus-floors.toml`.
    pub set: String,
    /// How many came out as expected.
    pub right: usize,
    /// How many there are.
    pub total: usize,
    /// Whether one wrong answer is one too many; then there is no floor.
    pub all_must_be_right: bool,
    /// What was wrong, one line each.
    pub wrong: Vec<String>,
}

impl fmt::Display for Score {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}/{}", self.set, self.right, self.total)
    }
}

/// Sets whose expectations are not compared yet, and the word of `--lang` that each needs.
const NOT_SCORED: &[(&str, &str)] = &[("madeus", "madeus"), ("aeolus", "aeolus")];

/// At most this many wrong answers are shown for each set.
const SHOWN: usize = 20;

/// Scores every set and compares with the floors.
pub fn run(repository: &Repository, options: &Options) -> Outcome {
    let folder = repository.path("").join(&options.path);
    if !folder.is_dir() {
        return Err(format!("{} is not a folder", options.path.display()));
    }
    let windlass = match &options.windlass {
        Some(binary) => {
            binary.canonicalize().map_err(|error| format!("{}: {error}", binary.display()))?
        }
        None => build(repository)?,
    };
    let mut scores = vec![robust::score(&windlass, &folder)?];
    scores.extend(verdicts::score(&windlass, &folder.join("ramp"))?);
    scores.extend(counts::score(&windlass, &folder.join("barrel"))?);
    scores.extend(concerto::score(&windlass, &folder.join("concerto"))?);
    scores.extend(compose::scores(&windlass, &folder)?);
    scores.extend(hot::score(&windlass, &folder.join("hot"))?);
    let page = repository.read(tosca::DISPUTED).unwrap_or_default();
    scores.extend(tosca::scores(&windlass, &folder, &tosca::disputed(&page))?);
    scores.extend(tosker::score(&windlass, &folder.join("tosker"))?);
    let own = repository.path("examples/thinking/windlass.yaml");
    scores.extend(thinking::score(&windlass, &folder, &own)?);
    let handled = repository.path("crates/windlass-cli/tests/cli/fault_handlers");
    scores.extend(thinking::plans(&windlass, &folder, &handled)?);
    scores.extend(occi::score(&windlass, &folder)?);
    for score in &scores {
        println!("{score}");
        for line in score.wrong.iter().take(SHOWN) {
            println!("    {line}");
        }
        if score.wrong.len() > SHOWN {
            println!("    and {} more", score.wrong.len() - SHOWN);
        }
    }
    for (set, language) in NOT_SCORED {
        let files = files_below(&folder.join(set))?.len();
        let read = reads(&windlass, &folder, language)?;
        let word = if read { "read, not scored yet" } else { "not read yet" };
        println!("{set}: {word} ({files} files)");
    }
    let mut floors = Floors::read(repository)?;
    if options.update {
        floors.raise(&scores);
        floors.write(repository)?;
    }
    let messages = floors.compare(&scores);
    for message in &messages {
        println!("{}", message.text);
    }
    Ok(messages.iter().all(|message| !message.fails))
}

/// Whether the binary knows a language: an unknown one is wrong usage, whatever the text says.
fn reads(windlass: &Path, folder: &Path, language: &str) -> Result<bool, String> {
    let empty = ["check", "--lang", language, "-"];
    Ok(process::run(windlass, folder, &empty)?.code != Some(2))
}

fn build(repository: &Repository) -> Result<PathBuf, String> {
    let status = Command::new("cargo")
        .args(["build", "--release", "--quiet", "--package", "windlass-cli"])
        .current_dir(repository.path(""))
        .status()
        .map_err(|error| format!("cargo: {error}"))?;
    let target = std::env::var_os("CARGO_TARGET_DIR");
    let target = target.map_or_else(|| repository.path("target"), PathBuf::from);
    if status.success() {
        Ok(target.join("release/windlass"))
    } else {
        Err("the binary does not build".to_owned())
    }
}

/// Every file below a folder, sorted; none when the folder is not there.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.map_err(|error| error.to_string())?.path();
            if path.is_dir() {
                open.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

//! The set `robust`: `windlass check` on every file of the folder, whatever it is. It must answer
//! with exit code 0, 1 or 2, in time, without a panic.

use super::{Score, files_below, process};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Asks about every file.
pub fn score(windlass: &Path, folder: &Path) -> Result<Score, String> {
    let files = files_below(folder)?;
    let next = AtomicUsize::new(0);
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let answers: Vec<Result<Vec<String>, String>> = thread::scope(|scope| {
        let worker = || ask_some(windlass, folder, &files, &next);
        let started: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
        let joined = started.into_iter().map(thread::ScopedJoinHandle::join);
        joined.map(|answer| answer.unwrap_or_else(|_| Err("a worker ended".to_owned()))).collect()
    });
    let mut wrong = Vec::new();
    for answer in answers {
        wrong.extend(answer?);
    }
    wrong.sort();
    let total = files.len();
    let right = total - wrong.len();
    Ok(Score { set: "robust".to_owned(), right, total, all_must_be_right: true, wrong })
}

/// Takes files from the common list until none is left; returns what was wrong.
fn ask_some(
    windlass: &Path,
    folder: &Path,
    files: &[PathBuf],
    next: &AtomicUsize,
) -> Result<Vec<String>, String> {
    let mut wrong = Vec::new();
    while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
        let name = file.strip_prefix(folder).unwrap_or(file).to_string_lossy();
        let ended = process::run(windlass, folder, &["check", "--", &name])?;
        match (ended.crash, ended.code) {
            (Some(crash), _) => wrong.push(format!("{name}: {crash}")),
            (None, Some(0..=2)) => {}
            (None, code) => wrong.push(format!("{name}: exit code {code:?}")),
        }
    }
    Ok(wrong)
}

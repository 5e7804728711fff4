//! Shares out the time and starts one process for each target.

use crate::targets::Target;
use crate::{artifacts, worker};
use std::process::Command;
use std::time::{Duration, Instant};

/// A target that ends its process this often is given up.
const LAST: usize = 5;

/// Runs the targets one after the other; returns how many finds there were.
pub(crate) fn run(targets: &[&'static Target], seconds: u64, seed: u64) -> Result<usize, String> {
    let share = Duration::from_secs(seconds) / targets.len().max(1) as u32;
    let mut finds = 0;
    for target in targets {
        let end = Instant::now() + share;
        let mut ends = 0;
        // A process that ended early is started again with other choices.
        while ends < LAST && (ends == 0 || Instant::now() + Duration::from_secs(1) < end) {
            let left = end.saturating_duration_since(Instant::now()).as_secs().max(1);
            let (found, early) = start(target, left, seed + ends as u64)?;
            finds += found;
            if !early {
                break;
            }
            ends += 1;
        }
    }
    println!("figure: {} targets, seed {seed}, {finds} finds", targets.len());
    Ok(finds)
}

/// One process: how many finds, and whether it ended early.
fn start(target: &Target, seconds: u64, seed: u64) -> Result<(usize, bool), String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let status = Command::new(own)
        .args(["--child", "--target", target.name])
        .args(["--seconds", &seconds.to_string(), "--seed", &seed.to_string()])
        .status()
        .map_err(|error| error.to_string())?;
    match status.code() {
        Some(0) => Ok((0, false)),
        Some(1) => Ok((1, false)),
        Some(2) => Err(format!("{}: the process could not work", target.name)),
        Some(worker::HANGS) => Ok((1, true)),
        _ => {
            let input = std::fs::read(artifacts::current(target.name)).unwrap_or_default();
            let path = artifacts::save(target.name, "abort", &input)?;
            println!(
                "{}: the process ended ({status}); input kept in {}",
                target.name,
                path.display()
            );
            Ok((1, true))
        }
    }
}

//! Many runs of one scenario, each with a seed of its own.

use std::time::Duration;

use super::{Scenario, simulate};
use crate::application::assembly::Assembly;

/// What the makespans of many runs look like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statistics {
    /// How many runs finished.
    pub finished: u32,
    /// How many did not.
    pub unfinished: u32,
    /// How many were not made, because the budget ended.
    pub left_out: u32,
    /// The mean of those that finished.
    pub mean: Duration,
    /// Half of them took no longer.
    pub median: Duration,
    /// Of twenty, nineteen took no longer.
    pub p95: Duration,
}

/// Runs a scenario `runs` times, with the seeds from `seed` on, as long as `go_on` says so when it
/// gets how many have been made.
pub fn statistics(
    assembly: &Assembly<'_>,
    scenario: &Scenario,
    seed: u64,
    runs: u32,
    go_on: &mut dyn FnMut(u32) -> bool,
) -> Statistics {
    let mut makespans = Vec::new();
    let mut made = 0;
    for run in 0..runs {
        if !go_on(run) {
            break;
        }
        made = run + 1;
        let seed = Some(seed.wrapping_add(u64::from(run)));
        let scenario = Scenario { seed, trace: false, ..scenario.clone() };
        let schedule = simulate(assembly, &scenario);
        if schedule.is_finished() {
            makespans.push(schedule.makespan);
        }
    }
    makespans.sort_unstable();
    let finished = makespans.len() as u32;
    // The nearest rank: the smallest value that so many of a hundred do not exceed.
    let rank = |percent: usize| {
        let rank = (makespans.len() * percent).div_ceil(100).max(1);
        makespans.get(rank - 1).copied().unwrap_or_default()
    };
    Statistics {
        finished,
        unfinished: made - finished,
        left_out: runs - made,
        mean: makespans.iter().sum::<Duration>() / finished.max(1),
        median: rank(50),
        p95: rank(95),
    }
}

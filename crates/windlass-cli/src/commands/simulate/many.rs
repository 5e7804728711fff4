//! Many runs: a line on a terminal says how far they are, and Ctrl-C ends them with what is known
//! then.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use indicatif::ProgressBar;

use crate::budget::{self, QUIET};

/// Runs under way.
pub(super) struct Many {
    all: u32,
    interrupted: Arc<AtomicBool>,
    started: Instant,
    bar: Option<ProgressBar>,
}

impl Many {
    /// Before the first of so many runs.
    pub(super) fn start(all: u32) -> Self {
        Many { all, interrupted: budget::on_interrupt(), started: Instant::now(), bar: None }
    }

    /// Whether another run is made, when so many have been.
    pub(super) fn go_on(&mut self, made: u32) -> bool {
        if self.bar.is_none() && self.started.elapsed() > QUIET && std::io::stderr().is_terminal() {
            self.bar = Some(ProgressBar::new(self.all.into()));
        }
        if let Some(bar) = &self.bar {
            bar.set_position(made.into());
        }
        // One run is always there to speak of.
        made == 0 || !self.interrupted.load(Ordering::Relaxed)
    }
}

impl Drop for Many {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

//! How long a search may take: time, states, memory, Ctrl-C, and a progress line on a terminal.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use windlass::system::{Budget, Progress, StopReason};

/// The limits that every searching command takes.
#[derive(Debug, Args)]
pub(crate) struct LimitArgs {
    /// Give up after SECONDS, with what is known then
    #[arg(long, value_name = "SECONDS", default_value_t = 300, help_heading = "Limits")]
    pub(crate) time_limit: u64,

    /// Give up after so many states
    #[arg(long, value_name = "N", default_value_t = 50_000_000, help_heading = "Limits")]
    pub(crate) max_states: usize,

    /// Give up when the states take so many mebibytes
    #[arg(long, value_name = "MIB", default_value_t = 4096, help_heading = "Limits")]
    pub(crate) max_memory: usize,

    /// Threads of a search, 1 or 2; the answer does not depend on them
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Limits",
        value_parser = clap::value_parser!(u8).range(1..=2))]
    pub(crate) threads: u8,
}

/// A budget with a clock.
pub(crate) struct Watch {
    end: Instant,
    states: usize,
    bytes: usize,
    interrupted: Arc<AtomicBool>,
    started: Instant,
    bar: Option<ProgressBar>,
    /// When the progress line is due.
    due: Instant,
    /// What the depth of the search means.
    depth: &'static str,
}

/// A flag that Ctrl-C sets from now on, instead of ending the program.
pub(crate) fn on_interrupt() -> Arc<AtomicBool> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    // A second handler cannot be set; then Ctrl-C ends the program as usual.
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
    interrupted
}

/// A search that takes longer than this shows how far it is.
pub(crate) const QUIET: Duration = Duration::from_secs(1);

/// As often the progress line changes. A search asks far more often than anybody can read.
const SHOWN_EVERY: Duration = Duration::from_millis(100);

impl Watch {
    /// Starts the clock. Ctrl-C ends the search from now on, with what is known then.
    pub(crate) fn start(limits: &LimitArgs) -> Self {
        let interrupted = on_interrupt();
        let started = Instant::now();
        Watch {
            end: started + Duration::from_secs(limits.time_limit),
            states: limits.max_states,
            bytes: limits.max_memory.saturating_mul(1 << 20),
            interrupted,
            started,
            bar: None,
            due: started + QUIET,
            depth: "depth",
        }
    }

    /// The same, for a search whose depth is something else in the words of people.
    pub(crate) fn showing(mut self, depth: &'static str) -> Self {
        self.depth = depth;
        self
    }

    /// Milliseconds since the start, for `--stats`.
    pub(crate) fn millis(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn show(&mut self, progress: &Progress) {
        if self.bar.is_none() {
            if !std::io::stderr().is_terminal() {
                return;
            }
            let style = ProgressStyle::with_template("{spinner} {msg} ({elapsed})");
            let bar = ProgressBar::new_spinner();
            self.bar = Some(match style {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            });
        }
        if let Some(bar) = &self.bar {
            let megabytes = progress.bytes >> 20;
            bar.set_message(format!(
                "{} states, {} {}, {megabytes} MiB",
                progress.states, self.depth, progress.depth
            ));
            bar.tick();
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Budget for Watch {
    fn spend(&mut self, progress: &Progress) -> ControlFlow<StopReason> {
        let now = Instant::now();
        if now >= self.due {
            self.due = now + SHOWN_EVERY;
            self.show(progress);
        }
        if self.interrupted.load(Ordering::Relaxed) {
            ControlFlow::Break(StopReason::Interrupted)
        } else if now >= self.end {
            ControlFlow::Break(StopReason::Time)
        } else if progress.states > self.states {
            ControlFlow::Break(StopReason::States)
        } else if progress.bytes > self.bytes {
            ControlFlow::Break(StopReason::Memory)
        } else {
            ControlFlow::Continue(())
        }
    }
}

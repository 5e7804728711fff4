//! The live view on a terminal: what runs and for how long, what waits for what, how much is left.
//!
//! Lines of the journal scroll by above it. Nothing of this is drawn when standard error is no
//! terminal.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use windlass_run::entry::{Entry, OrderId};

use super::chart::Span;
use crate::{escape, output};

/// More running actions, and more waiting ones, than this are only counted.
const MOST: usize = 8;
/// How often elapsed times change.
const TICK: Duration = Duration::from_millis(500);
/// How often those that wait are asked why.
const ASK_EVERY: Duration = Duration::from_millis(200);

/// A line with its time in front, cut where the terminal ends.
const TIMED: &str = "{spinner} {elapsed:>4} {wide_msg}";

fn line(template: &str) -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// The view.
pub(crate) struct Live {
    bars: MultiProgress,
    running: BTreeMap<OrderId, ProgressBar>,
    /// Actions that run without a line of their own.
    unseen: std::collections::BTreeSet<OrderId>,
    /// A line each, so that none is longer than the terminal is wide.
    waiting: Vec<ProgressBar>,
    summary: ProgressBar,
    done: usize,
    /// What the description lets expect.
    expected: BTreeMap<String, Duration>,
    makespan: Duration,
    began: Instant,
    asked: Option<Instant>,
}

impl Live {
    /// A view, when there is a terminal to show it.
    pub(crate) fn new(predicted: impl FnOnce() -> Vec<Span>) -> Option<Self> {
        if !std::io::stderr().is_terminal() {
            return None;
        }
        let predicted = predicted();
        let makespan = predicted.iter().map(|span| span.end).max().unwrap_or_default();
        let expected =
            predicted.into_iter().map(|span| (span.label, span.end.saturating_sub(span.start)));
        let bars = MultiProgress::new();
        let summary = bars.add(line(TIMED));
        summary.enable_steady_tick(TICK);
        Some(Live {
            waiting: Vec::new(),
            summary,
            bars,
            running: BTreeMap::new(),
            unseen: std::collections::BTreeSet::new(),
            done: 0,
            expected: expected.filter(|(_, takes)| !takes.is_zero()).collect(),
            makespan,
            began: Instant::now(),
            asked: None,
        })
    }

    /// Prints a line above the view.
    pub(crate) fn print(&self, text: &str) {
        // A reader that went away does not stop a run.
        self.bars.suspend(|| drop(output::stdout(text)));
    }

    /// What an entry changes.
    pub(crate) fn saw(&mut self, entry: &Entry) {
        match entry {
            Entry::Intent { order, label, .. } if self.running.len() < MOST => {
                let next = self.waiting.first().unwrap_or(&self.summary);
                let bar = self.bars.insert_before(next, line(TIMED));
                let about = self.expected.get(label).map(|takes| format!(" of about {takes:.0?}"));
                let about = about.unwrap_or_default();
                bar.set_message(format!("{}{about}", escape::visible(label)));
                bar.enable_steady_tick(TICK);
                self.running.insert(*order, bar);
            }
            Entry::Intent { order, .. } => {
                self.unseen.insert(*order);
            }
            Entry::Outcome { order, .. } => {
                self.done += 1;
                self.unseen.remove(order);
                if let Some(bar) = self.running.remove(order) {
                    bar.finish_and_clear();
                    self.bars.remove(&bar);
                }
            }
            Entry::Ended { .. } => self.say(&[]),
            _ => {}
        }
        self.summarize();
    }

    fn summarize(&self) {
        let running = self.running.len() + self.unseen.len();
        let left = self.makespan.saturating_sub(self.began.elapsed());
        let left = match (running, left.is_zero()) {
            (0, _) | (_, true) => String::new(),
            _ => format!(", about {left:.0?} left"),
        };
        self.summary.set_message(format!("{} done, {running} running{left}", self.done));
    }

    /// Asks why those that wait do, unless it was asked a moment ago.
    pub(crate) fn waits(&mut self, ask: impl FnOnce() -> Vec<String>) {
        let is_idle = self.running.is_empty() && self.unseen.is_empty();
        if is_idle || self.asked.is_some_and(|asked| asked.elapsed() < ASK_EVERY) {
            return;
        }
        self.asked = Some(Instant::now());
        let words = ask();
        let mut lines: Vec<String> =
            words.iter().take(MOST).map(|line| format!("  {}", escape::visible(line))).collect();
        if words.len() > MOST {
            lines.push(format!("  ... and {} more wait", words.len() - MOST));
        }
        self.say(&lines);
    }

    /// Shows these lines as those that wait, in place of the ones before.
    fn say(&mut self, lines: &[String]) {
        while self.waiting.len() > lines.len()
            && let Some(bar) = self.waiting.pop()
        {
            bar.finish_and_clear();
            self.bars.remove(&bar);
        }
        while self.waiting.len() < lines.len() {
            self.waiting.push(self.bars.insert_before(&self.summary, line("{wide_msg}")));
        }
        for (bar, line) in self.waiting.iter().zip(lines) {
            bar.set_message(line.clone());
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.summary.finish_and_clear();
        for bar in self.waiting.iter().chain(self.running.values()) {
            bar.finish_and_clear();
        }
    }
}

//! The live view on a terminal: what runs and for how long, what waits for what, how much is left.
//!
//! Lines of the journal scroll by above it. Nothing of this is drawn when standard error is no
//! terminal.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressState, ProgressStyle};
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
/// The last line: it says what is left at every tick, also while nothing else happens.
const SUMMARY: &str = "{spinner} {elapsed:>4} {msg}{left}";

fn line(template: &str) -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// The style of the last line of a run that is expected to take that long.
fn counting_down(makespan: Duration) -> Option<ProgressStyle> {
    let style = ProgressStyle::with_template(SUMMARY).ok()?;
    Some(style.with_key("left", move |state: &ProgressState, text: &mut dyn Write| {
        let left = makespan.saturating_sub(state.elapsed());
        if !left.is_zero() {
            // A line that cannot be written is not shown.
            let _ = write!(text, ", about {} s left", left.as_secs() + 1);
        }
    }))
}

/// The view.
pub(crate) struct Live {
    bars: MultiProgress,
    running: BTreeMap<OrderId, ProgressBar>,
    /// Actions that run without a line of their own.
    unseen: std::collections::BTreeSet<OrderId>,
    /// A line each, so that none is longer than the terminal is wide.
    waiting: Vec<(String, ProgressBar)>,
    summary: ProgressBar,
    done: usize,
    /// How many actions the run is expected to have.
    total: usize,
    /// What the description lets expect.
    expected: BTreeMap<String, Duration>,
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
        let total = predicted.len();
        let expected =
            predicted.into_iter().map(|span| (span.label, span.end.saturating_sub(span.start)));
        let bars = MultiProgress::new();
        let mut summary = line(TIMED);
        if let Some(style) = counting_down(makespan) {
            summary = summary.with_style(style);
        }
        let summary = bars.add(summary);
        summary.enable_steady_tick(TICK);
        Some(Live {
            waiting: Vec::new(),
            summary,
            bars,
            running: BTreeMap::new(),
            unseen: std::collections::BTreeSet::new(),
            done: 0,
            total,
            expected: expected.filter(|(_, takes)| !takes.is_zero()).collect(),
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
            Entry::Intent { order, label, .. } => self.starts(*order, label),
            Entry::Outcome { order, .. } => {
                self.done += 1;
                self.unseen.remove(order);
                if let Some(bar) = self.running.remove(order) {
                    self.clear(&bar);
                }
            }
            // Another plan is not what was expected.
            Entry::Planned { .. } if self.done > 0 => self.expect_nothing(),
            Entry::Ended { .. } => {
                self.expect_nothing();
                self.say(&[]);
            }
            _ => {}
        }
        self.summarize();
    }

    fn starts(&mut self, order: OrderId, label: &str) {
        // What starts waits no longer, whether or not anybody asks again.
        let waits = format!("  `{}` ", escape::visible(label));
        if let Some(at) = self.waiting.iter().position(|(line, _)| line.starts_with(&waits)) {
            let (_, bar) = self.waiting.remove(at);
            self.clear(&bar);
        }
        if self.running.len() >= MOST {
            self.unseen.insert(order);
            return;
        }
        let next = self.waiting.first().map_or(&self.summary, |(_, bar)| bar);
        let bar = self.bars.insert_before(next, line(TIMED));
        let about = self.expected.get(label).map(|takes| format!(" of about {takes:.0?}"));
        bar.set_message(format!("{}{}", escape::visible(label), about.unwrap_or_default()));
        bar.enable_steady_tick(TICK);
        self.running.insert(order, bar);
    }

    fn clear(&self, bar: &ProgressBar) {
        bar.finish_and_clear();
        self.bars.remove(bar);
    }

    fn expect_nothing(&mut self) {
        self.total = 0;
        self.expected.clear();
        if let Some(style) = counting_down(Duration::ZERO) {
            self.summary.set_style(style);
        }
    }

    fn summarize(&self) {
        let running = self.running.len() + self.unseen.len();
        // Tries that failed count as done, so there may be more than were expected.
        let of = if self.total > 0 && self.total >= self.done + running {
            format!(" of {}", self.total)
        } else {
            String::new()
        };
        self.summary.set_message(format!("{}{of} done, {running} running", self.done));
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
            && let Some((_, bar)) = self.waiting.pop()
        {
            self.clear(&bar);
        }
        while self.waiting.len() < lines.len() {
            let bar = self.bars.insert_before(&self.summary, line("{wide_msg}"));
            self.waiting.push((String::new(), bar));
        }
        for ((text, bar), line) in self.waiting.iter_mut().zip(lines) {
            if text != line {
                text.clone_from(line);
                bar.set_message(line.clone());
            }
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.summary.finish_and_clear();
        for bar in self.waiting.iter().map(|(_, bar)| bar).chain(self.running.values()) {
            bar.finish_and_clear();
        }
    }
}

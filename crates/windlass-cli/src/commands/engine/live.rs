//! The live view on a terminal: what runs and for how long, what waits for what, how much is left.
//!
//! Lines of the journal scroll by above it. Nothing of this is drawn when standard error is no
//! terminal.

mod quiet;
mod view;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use windlass_run::controller::prediction::Span;
use windlass_run::entry::{End, Entry, OrderId, Record};
use windlass_run::machine::Obstacle;

use self::quiet::Quiet;
use self::view::{Action, View};
use crate::{escape, output};

/// How often elapsed times change.
const TICK: Duration = Duration::from_millis(500);
/// How often those that wait are asked why.
const ASK_EVERY: Duration = Duration::from_millis(200);

/// What is on the terminal now, for messages beside the run.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Tells the user something on a line of its own, above the view if there is one.
pub(crate) fn notice(message: &str) {
    let shown = SHOWN.lock().ok().and_then(|shown| shown.clone());
    match shown {
        Some(bar) => bar.suspend(|| output::notice(message)),
        None => output::notice(message),
    }
}

/// The view.
pub(crate) struct Live {
    /// One bar of several lines: lines that come and go one by one leave traces of each other.
    bar: ProgressBar,
    view: Arc<Mutex<View>>,
    /// What the description lets expect.
    expected: BTreeMap<String, Duration>,
    asked: Option<Instant>,
    _quiet: Option<Quiet>,
}

/// Columns and rows of the terminal; those of old when it does not tell.
fn size() -> (usize, usize) {
    match rustix::termios::tcgetwinsize(std::io::stderr()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col.into(), size.ws_row.into()),
        _ => (80, 24),
    }
}

impl Live {
    /// A view, when there is a terminal to show it: of a run of which so much is in the journal
    /// already, and of which so much was to be expected when it began.
    pub(crate) fn new(before: impl FnOnce() -> (Vec<Record>, Vec<Span>)) -> Option<Self> {
        if !std::io::stderr().is_terminal() {
            return None;
        }
        let (records, predicted) = before();
        let makespan = predicted.iter().map(|span| span.end).max().unwrap_or_default();
        let mut view = View::new(predicted.len(), makespan);
        view.replay(&records, &predicted, Instant::now(), SystemTime::now());
        let view = Arc::new(Mutex::new(view));
        let expected =
            predicted.into_iter().map(|span| (span.label, span.end.saturating_sub(span.start)));
        let expected = expected.filter(|(_, takes)| !takes.is_zero()).collect();
        let shown = Arc::clone(&view);
        let draw = move |_: &ProgressState, text: &mut dyn Write| {
            let Ok(view) = shown.lock() else { return };
            let (width, height) = size();
            let lines = view.lines(Instant::now(), width, height);
            // A line that cannot be written is not shown.
            let _ = text.write_str(&lines.join("\n"));
        };
        let style = ProgressStyle::with_template("{view}").ok()?.with_key("view", draw);
        let bar = ProgressBar::new_spinner().with_style(style);
        bar.enable_steady_tick(TICK);
        if let Ok(mut shown) = SHOWN.lock() {
            *shown = Some(bar.clone());
        }
        Some(Live { bar, view, expected, asked: None, _quiet: Quiet::new() })
    }

    /// Prints a line above the view.
    pub(crate) fn print(&self, text: &str) {
        // A reader that went away does not stop a run.
        self.bar.suspend(|| drop(output::stdout(text)));
    }

    fn change(&self, change: impl FnOnce(&mut View)) {
        // A thread that draws does not die while it holds the view.
        if let Ok(mut view) = self.view.lock() {
            change(&mut view);
        }
    }

    /// What an entry changes.
    pub(crate) fn apply_entry(&mut self, entry: &Entry) {
        self.change(|view| view.rests = false);
        match entry {
            Entry::Intent { order, label, .. } => self.starts(*order, label),
            Entry::Outcome { order, end, .. } => {
                self.change(|view| view.ends(*order, *end == End::Done));
            }
            // Another plan is not what was expected.
            Entry::Planned { .. } => {
                let mut is_other = false;
                self.change(|view| is_other = view.plans());
                if is_other {
                    self.expected.clear();
                }
            }
            Entry::Ended { .. } => self.change(|view| {
                view.expect_nothing();
                view.waiting.clear();
                view.rests = true;
            }),
            _ => {}
        }
    }

    fn starts(&self, order: OrderId, label: &str) {
        let expected = self.expected.get(label).copied();
        let label = escape::visible(label).into_owned();
        let action = Action { label, since: Instant::now(), expected };
        self.change(|view| view.starts(order, action));
    }

    /// Asks why those that wait do, unless it was asked a moment ago: after how long it wants to
    /// be called again then, so that no reason is shown for long that is none any more.
    pub(crate) fn waits(&mut self, ask: impl FnOnce() -> Vec<Obstacle>) -> Option<Duration> {
        let mut is_idle = true;
        self.change(|view| is_idle = view.is_idle());
        if is_idle {
            return None;
        }
        let since = self.asked.map_or(ASK_EVERY, |asked| asked.elapsed());
        if let Some(left) = ASK_EVERY.checked_sub(since).filter(|left| !left.is_zero()) {
            return Some(left);
        }
        self.asked = Some(Instant::now());
        let obstacles = ask();
        let mut is_news = false;
        self.change(|view| {
            is_news = view.waiting != obstacles;
            view.waiting = obstacles;
        });
        if is_news {
            // Not left to the next tick: until then the reasons of before would stand there.
            self.bar.force_draw();
        }
        None
    }

    /// Takes the view away; what there is to say in the end.
    pub(crate) fn finish(self) -> Option<String> {
        self.bar.finish_and_clear();
        let view = self.view.lock().ok()?;
        view.summary_at_the_end(Instant::now())
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        if let Ok(mut shown) = SHOWN.lock() {
            *shown = None;
        }
        self.bar.finish_and_clear();
    }
}

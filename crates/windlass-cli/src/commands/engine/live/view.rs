//! What the live view shows, line by line, for a terminal of some size.

use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};
use windlass_run::entry::{End, Entry, OrderId, Record};
use windlass_run::machine::Obstacle;

use crate::escape;
use crate::report::count;
use windlass_run::controller::prediction::Span;

/// More running actions, and more waiting ones, than this are only counted.
const MOST: usize = 8;
/// What turns.
const FRAMES: [char; 6] = ['⠋', '⠙', '⠸', '⠴', '⠦', '⠇'];

/// An action that runs.
#[derive(Debug)]
pub(super) struct Action {
    pub(super) label: String,
    pub(super) since: Instant,
    /// How long it takes, as the description says.
    pub(super) expected: Option<Duration>,
}

/// Everything that is shown.
#[derive(Debug)]
pub(super) struct View {
    running: BTreeMap<OrderId, Action>,
    pub(super) waiting: Vec<Obstacle>,
    /// How many actions of the run have been done, by whichever engine.
    done: usize,
    /// How many tries have ended while this view was there.
    ended: usize,
    /// How many actions the run is expected to have; none when that is unknown.
    total: usize,
    /// How long the run is expected to take from here.
    makespan: Duration,
    began: Instant,
    /// Whether the goal is reached, and only processes are looked after.
    pub(super) rests: bool,
}

impl View {
    /// Nothing yet of so many actions.
    pub(super) fn new(total: usize, makespan: Duration) -> Self {
        View {
            running: BTreeMap::new(),
            waiting: Vec::new(),
            done: 0,
            ended: 0,
            total,
            makespan,
            began: Instant::now(),
            rests: false,
        }
    }

    /// What an earlier engine did of the same run: done, or under way since then. `now` and
    /// `today` are the same moment on both clocks.
    pub(super) fn replay(
        &mut self,
        records: &[Record],
        predicted: &[Span],
        now: Instant,
        today: SystemTime,
    ) {
        let expected: BTreeMap<&str, &Span> =
            predicted.iter().map(|span| (span.label.as_str(), span)).collect();
        let mut labels: BTreeMap<OrderId, &str> = BTreeMap::new();
        let mut reached = Duration::ZERO;
        for Record { at, entry, .. } in records {
            match entry {
                Entry::Intent { order, label, .. } => {
                    labels.insert(*order, label);
                    let span = expected.get(label.as_str());
                    let takes = span.map(|span| span.end.saturating_sub(span.start));
                    let label = escape::visible(label).into_owned();
                    let expected = takes.filter(|takes| !takes.is_zero());
                    self.starts(*order, Action { label, since: moment(*at, now, today), expected });
                }
                Entry::Outcome { order, end, .. } => {
                    self.ends(*order, *end == End::Done);
                    let label = labels.remove(order).filter(|_| *end == End::Done);
                    let span = label.and_then(|label| expected.get(label));
                    reached = span.map_or(reached, |span| reached.max(span.end));
                }
                Entry::Planned { .. } => drop(self.plans()),
                _ => {}
            }
        }
        self.ended = 0;
        self.makespan = self.makespan.saturating_sub(reached);
    }

    /// Another plan than the first is not what was expected; whether it is another.
    pub(super) fn plans(&mut self) -> bool {
        let is_other = self.done > 0;
        if is_other {
            self.expect_nothing();
        }
        is_other
    }

    pub(super) fn is_idle(&self) -> bool {
        self.running.is_empty()
    }

    pub(super) fn starts(&mut self, order: OrderId, action: Action) {
        // What starts waits no longer, whether or not anybody asks again.
        let is_it = |label: &str| escape::visible(label) == action.label;
        self.waiting.retain(|obstacle| !obstacle.action().is_some_and(is_it));
        self.running.insert(order, action);
    }

    pub(super) fn ends(&mut self, order: OrderId, is_done: bool) {
        self.done += usize::from(is_done);
        self.ended += 1;
        self.running.remove(&order);
    }

    pub(super) fn expect_nothing(&mut self) {
        self.total = 0;
        self.makespan = Duration::ZERO;
        for action in self.running.values_mut() {
            action.expected = None;
        }
    }

    /// The lines, the summary last: none is wider than the terminal, and all of them fit.
    pub(super) fn lines(&self, now: Instant, width: usize, height: usize) -> Vec<String> {
        let frame = now.saturating_duration_since(self.began).as_millis() / 500;
        let turns = FRAMES[frame as usize % FRAMES.len()];
        let mut room = height.saturating_sub(3);
        let mut lines = Vec::new();
        let runs = |action: &Action| {
            let since = clock(now.saturating_duration_since(action.since));
            let about = action.expected.map(|takes| format!(" of about {takes:.0?}"));
            format!("{turns} {since:>5} {}{}", action.label, about.unwrap_or_default())
        };
        let running: Vec<String> = self.running.values().map(runs).collect();
        lines.extend(at_most(&running, room.min(MOST), "run"));
        room = room.saturating_sub(lines.len());
        let waiting: Vec<String> =
            grouped(&self.waiting).into_iter().map(|line| format!("  {line}")).collect();
        lines.extend(at_most(&waiting, room.min(MOST), "wait"));
        let summary = format!("{turns} {}", self.summary(now, false));
        let is_short = summary.width_cjk() < width;
        let brief = || format!("{turns} {}", self.summary(now, true));
        lines.push(if is_short { summary } else { brief() });
        lines.into_iter().map(|line| shortened(&line, width.saturating_sub(1))).collect()
    }

    fn summary(&self, now: Instant, brief: bool) -> String {
        let elapsed = now.saturating_duration_since(self.began);
        let since = clock(elapsed);
        if self.rests && self.is_idle() {
            let more = if brief { "" } else { "; Ctrl-C leaves it running" };
            return format!("{since:>5} looking after what runs{more}");
        }
        let running = self.running.len();
        // Tidying up counts too, so there may be more than were expected.
        let of = if self.total >= self.done + running && self.total > 0 {
            format!(" of {}", self.total)
        } else {
            String::new()
        };
        if brief {
            let of = of.replace(" of ", "/");
            return format!("{since:>5} {}{of}, {running} running", self.done);
        }
        let left = self.makespan.saturating_sub(elapsed);
        let left = if left.is_zero() {
            String::new()
        } else {
            format!(", about {} s left", left.as_secs() + 1)
        };
        format!("{since:>5} {}{of} done, {running} running{left}", self.done)
    }

    /// How much this engine saw the end of, and how long it took.
    pub(super) fn summary_at_the_end(&self, now: Instant) -> Option<String> {
        let took = clock(now.saturating_duration_since(self.began));
        (self.ended > 0).then(|| format!("{} in {took}", count(self.ended, "action")))
    }
}

/// So many of the lines; the last one counts those that have no place.
fn at_most(lines: &[String], most: usize, verb: &str) -> Vec<String> {
    if lines.len() <= most {
        return lines.to_vec();
    }
    let Some(kept) = most.checked_sub(1) else { return Vec::new() };
    let mut shown = lines[..kept].to_vec();
    shown.push(format!("  ... and {} more {verb}", lines.len() - kept));
    shown
}

/// Those that wait for the same are one line.
fn grouped(waiting: &[Obstacle]) -> Vec<String> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut groups: Vec<(&Obstacle, usize)> = Vec::new();
    for obstacle in waiting {
        if let Some(first) = obstacle.waits_for() {
            if let Some(at) = places.get(&first) {
                groups[*at].1 += 1;
                continue;
            }
            places.insert(first, groups.len());
        }
        groups.push((obstacle, 0));
    }
    let words = |(obstacle, others): (&Obstacle, usize)| {
        let line = match (obstacle.action(), obstacle.waits_for()) {
            (Some(action), Some(first)) if others > 0 => {
                format!("`{action}` and {others} more wait for {first}")
            }
            _ => obstacle.to_string(),
        };
        escape::visible(&line).into_owned()
    };
    groups.into_iter().map(words).collect()
}

/// A moment of the journal on the clock of the view; now, when the clock of the machine has been
/// set back since.
fn moment(at: u64, now: Instant, today: SystemTime) -> Instant {
    let then = UNIX_EPOCH.checked_add(Duration::from_millis(at));
    let ago = then.and_then(|then| today.duration_since(then).ok()).unwrap_or_default();
    now.checked_sub(ago).unwrap_or(now)
}

/// A time in as few characters as people need.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds}s"),
        (0, minutes, seconds) => format!("{minutes}m{seconds:02}s"),
        (hours, minutes, _) => format!("{hours}h{minutes:02}m"),
    }
}

/// A line of so many columns at most: what stands in the middle is left out, for the end says which
/// instance it is, or what it waits for.
fn shortened(line: &str, width: usize) -> String {
    if line.width_cjk() <= width {
        return line.to_owned();
    }
    let Some(room) = width.checked_sub(2) else { return String::new() };
    let within = |characters: &mut dyn Iterator<Item = char>, most: usize| {
        let mut taken = 0;
        let fits = |character: &char| {
            taken += character.width_cjk().unwrap_or(0);
            taken <= most
        };
        characters.take_while(fits).collect::<Vec<char>>()
    };
    let head = within(&mut line.chars(), room * 2 / 5);
    let mut tail = within(&mut line.chars().rev(), room - room * 2 / 5);
    tail.reverse();
    head.into_iter().chain(['…']).chain(tail).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(action: &str, before: &str) -> Obstacle {
        Obstacle::Order { action: action.to_owned(), before: before.to_owned() }
    }

    fn action(label: &str, since: Instant, expected: Option<u64>) -> Action {
        let expected = expected.map(Duration::from_secs);
        Action { label: label.to_owned(), since, expected }
    }

    #[test]
    fn the_summary_is_always_there_and_nothing_is_too_wide() {
        let mut view = View::new(40, Duration::from_secs(10));
        let began = view.began;
        for order in 0..12 {
            let label = format!("start-with-a-rather-long-name user-{order}");
            view.starts(OrderId(order), action(&label, began, Some(2)));
        }
        view.waiting =
            (0..20).map(|at| order(&format!("stop user-{at}"), &format!("it {at}"))).collect();
        for (width, height) in [(80, 24), (40, 10), (20, 4), (3, 2), (200, 60), (0, 0)] {
            let lines = view.lines(began + Duration::from_secs(1), width, height);
            assert!(lines.len() <= height.saturating_sub(2).max(1), "{width} {height} {lines:#?}");
            assert!(lines.iter().all(|line| line.chars().count() <= width), "{lines:#?}");
            let last = lines.last().unwrap();
            assert!(width < 80 || last.contains("0 of 40 done, 12 running, about 10 s"), "{last}");
        }
        let lines = view.lines(began + Duration::from_secs(1), 40, 10);
        assert!(lines[0].ends_with("user-0 of about 2s"), "{lines:#?}");
        assert_eq!(lines[6], "  ... and 6 more run");
        assert!(
            lines[7].ends_with("0s 0/40, 12 running") || lines[7].ends_with("1s 0/40, 12 running")
        );
    }

    #[test]
    fn those_that_wait_for_the_same_are_one_line() {
        let failed = Obstacle::Failed { action: "b".to_owned() };
        let waiting = [order("a", "x"), failed, order("c", "x"), order("d", "y")];
        assert_eq!(
            grouped(&waiting),
            ["`a` and 1 more wait for `x`", "`b` failed", "`d` waits for `y`"]
        );
    }

    #[test]
    fn what_an_earlier_engine_did_counts_and_is_no_work_of_this_one() {
        let record = |at, entry| Record { run: 1, seq: 1, at, entry };
        let intent = |order, label: &str| Entry::Intent {
            order: OrderId(order),
            task: None,
            instance: String::new(),
            label: label.to_owned(),
            attempt: 0,
        };
        let outcome = |order, end| Entry::Outcome { order: OrderId(order), end, witness: None };
        let span = |label: &str, start, end| Span {
            label: label.to_owned(),
            start: Duration::from_secs(start),
            end: Duration::from_secs(end),
        };
        let predicted = [span("a", 0, 4), span("b", 0, 1), span("c", 4, 9), span("d", 9, 10)];
        let records = [
            record(1_000, intent(1, "a")),
            record(1_000, intent(2, "b")),
            record(2_000, outcome(2, End::TimedOut)),
            record(2_000, intent(3, "b")),
            record(3_000, outcome(3, End::Done)),
            record(5_000, outcome(1, End::Done)),
            record(5_000, intent(4, "c")),
        ];
        let mut view = View::new(4, Duration::from_secs(10));
        let began = view.began;
        view.replay(&records, &predicted, began, UNIX_EPOCH + Duration::from_secs(5));
        let lines = view.lines(began, 80, 24);
        assert!(lines[0].ends_with("   0s c of about 5s"), "{lines:#?}");
        assert!(lines[1].ends_with("2 of 4 done, 1 running, about 7 s left"), "{lines:#?}");
        assert_eq!(view.summary_at_the_end(began), None);
        view.ends(OrderId(4), true);
        assert_eq!(view.summary_at_the_end(began).as_deref(), Some("1 action in 0s"));
        let later = UNIX_EPOCH + Duration::from_millis(800);
        assert_eq!(moment(1_000, began, later), began);
    }

    #[test]
    fn what_starts_waits_no_longer_and_what_rests_says_so() {
        let mut view = View::new(2, Duration::ZERO);
        let began = view.began;
        view.waiting = vec![order("start a", "start b")];
        view.starts(OrderId(1), action("start a", began, None));
        assert_eq!(view.lines(began, 80, 24).len(), 2);
        view.ends(OrderId(1), true);
        view.rests = true;
        let lines = view.lines(began + Duration::from_secs(65), 80, 24);
        assert!(lines.len() == 1 && lines[0].contains("1m05s looking after"), "{lines:#?}");
        let end = view.summary_at_the_end(began + Duration::from_secs(3));
        assert_eq!(end.as_deref(), Some("1 action in 3s"));
    }
}

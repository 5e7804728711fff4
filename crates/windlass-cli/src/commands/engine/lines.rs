//! Entries of the journal as lines for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use windlass_run::entry::{End, Ending, Entry, OrderId, Record, Witness};

/// Turns entries into lines; remembers what an outcome is about.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    orders: BTreeMap<OrderId, (String, Option<Duration>)>,
    timed: bool,
    /// The last second that was written, as it was written.
    second: Option<(u64, String)>,
}

/// The time of day, in UTC.
fn clock(second: u64) -> String {
    let seconds = second % 86_400;
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Milliseconds as seconds with two digits, in brackets.
fn seconds(out: &mut String, milliseconds: u128) -> std::fmt::Result {
    let hundredths = (milliseconds + 5) / 10;
    write!(out, " ({}.{:02} s)", hundredths / 100, hundredths % 100)
}

impl Lines {
    /// With the time of day in front of each line, or without.
    pub(crate) fn timed(timed: bool) -> Self {
        Lines { timed, ..Lines::default() }
    }

    /// Takes note of what an earlier engine wrote, without a line.
    pub(crate) fn replay(&mut self, records: &[Record]) {
        for record in records {
            if let Entry::Intent { order, label, .. } = &record.entry {
                self.orders.insert(*order, (label.clone(), None));
            }
        }
    }

    /// Writes the line of an entry; nothing for what says nothing to people.
    pub(crate) fn write(&mut self, out: &mut String, at: Duration, entry: &Entry) {
        // The journal knows no less than milliseconds, and says the same later.
        let at = Duration::from_millis(u64::try_from(at.as_millis()).unwrap_or(u64::MAX));
        let before = out.len();
        if self.timed {
            out.push_str(self.clock(at.as_secs()));
            out.push_str("  ");
        }
        // Writing to a string cannot fail.
        if self.text(out, at, entry).is_ok_and(|is_told| is_told) {
            out.push('\n');
        } else {
            out.truncate(before);
        }
    }

    /// Many lines are of one second.
    fn clock(&mut self, second: u64) -> &str {
        let known = self.second.take().filter(|(known, _)| *known == second);
        let fresh = || (second, clock(second));
        &self.second.insert(known.unwrap_or_else(fresh)).1
    }

    /// Whether there is something to tell.
    fn text(
        &mut self,
        out: &mut String,
        at: Duration,
        entry: &Entry,
    ) -> Result<bool, std::fmt::Error> {
        match entry {
            Entry::Begun { .. } | Entry::TakenUp { .. } => return Ok(false),
            Entry::Planned { plan, why, .. } => {
                let actions = plan.read().map_or(0, |plan| plan.steps.len());
                write!(out, "plan    {}: {why}", crate::report::count(actions, "action"))?;
            }
            Entry::Intent { order, label, attempt, .. } => {
                self.orders.insert(*order, (label.clone(), Some(at)));
                for word in ["start   ", label] {
                    out.push_str(word);
                }
                if *attempt > 0 {
                    write!(out, " (try {})", attempt.saturating_add(1))?;
                }
            }
            Entry::Outcome { order, end, witness } => {
                let (label, started) = self.orders.remove(order).unwrap_or_default();
                outcome(out, &label, end);
                let took = started.map(|started| at.saturating_sub(started).as_millis());
                if let (Some(took), End::Done | End::TimedOut) = (took, end) {
                    seconds(out, took)?;
                }
                out.push_str(match witness {
                    Some(Witness::Operator) => ", as the operator says",
                    Some(Witness::Check) => ", as its check says",
                    Some(Witness::Idempotent) => " for certain, and may be repeated",
                    Some(Witness::World) | None => "",
                });
            }
            Entry::GaveUp { label, .. } => write!(out, "gave up {label}")?,
            Entry::Observed { instance, detail, .. } => {
                write!(out, "died    the process of {instance}: {detail}")?;
            }
            Entry::Followed { what, fault } => {
                let what = what.strip_prefix("fault: ").unwrap_or(what);
                write!(out, "{}  {what}", if *fault { "fault " } else { "then  " })?;
            }
            Entry::Ended { ending, why, .. } => {
                let word = match ending {
                    Ending::Reached => "reached",
                    Ending::Failed => "the run failed",
                    Ending::RolledBack => "the run failed and was rolled back",
                    Ending::Stalled => "the run is stuck",
                };
                let lines = std::iter::once(word).chain(why.iter().map(String::as_str));
                out.push_str(&lines.collect::<Vec<_>>().join("\n  "));
            }
        }
        Ok(true)
    }
}

/// How something ended.
fn outcome(out: &mut String, label: &str, end: &End) {
    let (word, why) = match end {
        End::Done => ("done    ", ""),
        End::Failed { .. } => ("failed  ", ": "),
        End::TimedOut => ("failed  ", ": it took too long"),
        End::Cancelled => ("stopped ", ""),
        End::NotDone => ("undone  ", ": it had not happened"),
    };
    for word in [word, label, why] {
        out.push_str(word);
    }
    if let End::Failed { reason } = end {
        out.push_str(reason);
    }
}

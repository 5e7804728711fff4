//! Entries of the journal as lines for people.

use std::collections::BTreeMap;
use std::time::Duration;

use windlass_run::entry::{End, Ending, Entry, OrderId, Witness};

/// Turns entries into lines; remembers what an outcome is about.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    orders: BTreeMap<OrderId, (String, Option<Duration>)>,
    timed: bool,
}

/// The time of day, in UTC.
pub(crate) fn clock(at: Duration) -> String {
    let seconds = at.as_secs() % 86_400;
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Milliseconds as seconds with two digits.
fn seconds(milliseconds: u128) -> String {
    let hundredths = (milliseconds + 5) / 10;
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

impl Lines {
    /// With the time of day in front of each line, or without.
    pub(crate) fn timed(timed: bool) -> Self {
        Lines { timed, ..Lines::default() }
    }

    /// Takes note of what an earlier engine wrote, without a line.
    pub(crate) fn recall(&mut self, entries: &[Entry]) {
        for entry in entries {
            if let Entry::Intent { order, label, .. } = entry {
                self.orders.insert(*order, (label.clone(), None));
            }
        }
    }

    /// The line of an entry; none for what says nothing to people.
    pub(crate) fn line(&mut self, at: Duration, entry: &Entry) -> Option<String> {
        // The journal knows no less than milliseconds, and says the same later.
        let at = Duration::from_millis(u64::try_from(at.as_millis()).unwrap_or(u64::MAX));
        let text = self.text(at, entry)?;
        Some(if self.timed { format!("{}  {text}", clock(at)) } else { text })
    }

    fn text(&mut self, at: Duration, entry: &Entry) -> Option<String> {
        Some(match entry {
            Entry::Begun { .. } | Entry::TakenUp { .. } => return None,
            Entry::Planned { plan, why, .. } => {
                // A step of a plan, or of the way back of an assembly.
                let actions = plan.matches("do: ").count() + plan.matches("\"undo\":").count();
                format!("plan    {}: {why}", crate::report::count(actions, "action"))
            }
            Entry::Intent { order, label, attempt, .. } => {
                self.orders.insert(*order, (label.clone(), Some(at)));
                match attempt {
                    0 => format!("start   {label}"),
                    again => format!("start   {label} (try {})", again.saturating_add(1)),
                }
            }
            Entry::Outcome { order, end, witness } => {
                let (label, started) = self.orders.remove(order).unwrap_or_default();
                let took = started.map(|started| at.saturating_sub(started).as_millis());
                let took = took.map_or(String::new(), |took| format!(" ({} s)", seconds(took)));
                let how = match end {
                    End::Done => format!("done    {label}{took}"),
                    End::Failed { reason } => format!("failed  {label}: {reason}"),
                    End::TimedOut => format!("failed  {label}: it took too long{took}"),
                    End::Cancelled => format!("stopped {label}"),
                    End::NotDone => format!("undone  {label}: it had not happened"),
                };
                match witness {
                    Some(Witness::Operator) => format!("{how}, as the operator says"),
                    Some(Witness::Check) => format!("{how}, as its check says"),
                    Some(Witness::Idempotent) => format!("{how} for certain, and may be repeated"),
                    Some(Witness::World) | None => how,
                }
            }
            Entry::GaveUp { label, .. } => format!("gave up {label}"),
            Entry::Observed { instance, detail, .. } => {
                format!("died    the process of {instance}: {detail}")
            }
            Entry::Followed { what, fault } => {
                let what = what.strip_prefix("fault: ").unwrap_or(what);
                format!("{}  {what}", if *fault { "fault " } else { "then  " })
            }
            Entry::Ended { ending, why } => {
                let word = match ending {
                    Ending::Reached => "reached",
                    Ending::Failed => "the run failed",
                    Ending::RolledBack => "the run failed and was rolled back",
                    Ending::Stalled => "the run is stuck",
                };
                let lines = std::iter::once(word).chain(why.iter().map(String::as_str));
                lines.collect::<Vec<_>>().join("\n  ")
            }
        })
    }
}

//! Slots: stretches of a life, and when several of them can be reached at the same time.
//!
//! A cut is a set of events closed downward: the state of a run. A slot holds at a cut that
//! contains everything in `after` and does not contain `leave`.
//!
//! **Overlap lemma.** One slot of each of several lives hold at a common cut if and only if no
//! `leave` of one must happen for another to be entered; the least such cut is everything that
//! must happen for all of them to be entered. (That set is closed downward; by assumption it
//! contains no `leave`; every common cut contains it.) When a life has several slots in a row,
//! a slot whose `leave` lies below another life's slot can be passed over for good, because later
//! slots of that other life only need more: so walking forward finds a meeting if there is one.

use super::events::{EventId, Events};
use super::lives::{Life, LifeId, Lives};
use crate::application::InstanceId;

/// A stretch of a life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Slot {
    /// Events that must have happened, with everything before them; one of them enters the slot.
    pub(crate) after: Vec<EventId>,
    /// The event that enters it, for order edges; none when it holds from the start.
    pub(crate) enter: Option<EventId>,
    /// The event that ends it; none when it lasts.
    pub(crate) leave: Option<EventId>,
}

impl Slot {
    /// From stage `from` to stage `to` of a life, both included.
    pub(crate) fn stages(life: &Life, from: usize, to: usize) -> Slot {
        let enter = life.stages[from].enter;
        Slot { after: enter.into_iter().collect(), enter, leave: life.leave(to) }
    }

    /// The instant before an event: everything before it has happened, and it has not.
    pub(crate) fn before(events: &Events, event: EventId) -> Slot {
        let after = events.predecessors(event).to_vec();
        Slot { after, enter: Some(event), leave: Some(event) }
    }

    /// Whether this slot is over whenever the other one is entered.
    fn is_over_before(&self, other: &Slot, events: &Events) -> bool {
        let ends = |leave| other.after.iter().any(|event| events.at_most(leave, *event));
        self.leave.is_some_and(ends)
    }
}

/// The maximal runs of stages with a property, as first and last stage.
pub(crate) fn runs(stages: usize, holds: impl Fn(usize) -> bool) -> Vec<(usize, usize)> {
    let mut all: Vec<(usize, usize)> = Vec::new();
    for stage in (0..stages).filter(|stage| holds(*stage)) {
        match all.last_mut() {
            Some((_, last)) if *last + 1 == stage => *last = stage,
            _ => all.push((stage, stage)),
        }
    }
    all
}

/// One step of the proof that slots never meet: this slot is over before the other is entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PassedOver {
    /// Which row.
    pub(crate) row: usize,
    /// The row whose current slot needs the end of this one.
    pub(crate) by: usize,
}

/// Whether one slot of each row can hold at a common cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Meeting {
    /// They can: the first such choice, one slot index a row. Its cut is the least of all.
    At(Vec<usize>),
    /// They cannot: slots passed over, until a row has none left.
    Never(Vec<PassedOver>),
}

/// Looks for a meeting of one slot from each row; the slots of a row are in the order of a life.
pub(crate) fn meeting(rows: &[&[Slot]], events: &Events) -> Meeting {
    let mut current = vec![0_usize; rows.len()];
    let mut passed = Vec::new();
    if rows.iter().any(|row| row.is_empty()) {
        return Meeting::Never(passed);
    }
    let mut fresh: Vec<usize> = (0..rows.len()).rev().collect();
    while let Some(row) = fresh.pop() {
        for other in (0..rows.len()).filter(|other| *other != row) {
            let (slot, against) = (&rows[row][current[row]], &rows[other][current[other]]);
            let loser = if slot.is_over_before(against, events) {
                PassedOver { row, by: other }
            } else if against.is_over_before(slot, events) {
                PassedOver { row: other, by: row }
            } else {
                continue;
            };
            passed.push(loser);
            current[loser.row] += 1;
            if current[loser.row] == rows[loser.row].len() {
                return Meeting::Never(passed);
            }
            if !fresh.contains(&loser.row) {
                fresh.push(loser.row);
            }
            if loser.row == row {
                break;
            }
        }
    }
    Meeting::At(current)
}

/// Whether the slots passed over prove that the rows never meet: each one was over before the
/// slot it was compared with is entered, and a row has none left.
pub(crate) fn proves_never(rows: &[&[Slot]], passed: &[PassedOver], events: &Events) -> bool {
    let mut current = vec![0_usize; rows.len()];
    let slot = |row: usize, at: usize| rows.get(row).and_then(|row| row.get(at));
    for step in passed {
        let known = |row: usize| current.get(row).copied().and_then(|at| slot(row, at));
        let (Some(loser), Some(winner)) = (known(step.row), known(step.by)) else { return false };
        if step.row == step.by || !loser.is_over_before(winner, events) {
            return false;
        }
        current[step.row] += 1;
    }
    rows.iter().zip(&current).any(|(row, at)| *at >= row.len())
}

/// The slots that are not over when another slot of the same life is entered.
pub(crate) fn not_before(slots: Vec<Slot>, other: &Slot, events: &Events) -> Vec<Slot> {
    let over = |slot: &Slot| {
        slot.leave.zip(other.enter).is_some_and(|(leave, enter)| events.at_most(leave, enter))
    };
    slots.into_iter().filter(|slot| !over(slot)).collect()
}

/// The least cut of a choice of slots, as the events that everything must be below.
pub(crate) fn least_cut<'a>(slots: impl Iterator<Item = &'a Slot>) -> Vec<EventId> {
    let mut tops: Vec<EventId> = slots.flat_map(|slot| slot.after.iter().copied()).collect();
    tops.sort_unstable();
    tops.dedup();
    tops
}

/// The life that was there at the start with this id, or none.
pub(crate) fn life_at_start(lives: &Lives, instance: &InstanceId) -> Option<LifeId> {
    lives.ids().find(|id| {
        let life = lives.get(*id);
        life.instance == *instance && life.stages[0].element.is_some()
    })
}

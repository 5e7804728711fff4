//! What happened beside what was predicted, as bars.
//!
//! The prediction is the same engine in virtual time: the same beginning, the same first plan, the
//! durations that the description states. An action without one is expected to take no time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use windlass::application::assembly::Assembly;
use windlass::export::gantt::Bar;
use windlass::plan::Plan;
use windlass::simulate::Scenario;

use super::error::{Damage, Error};
use super::run_start::RunStart;
use super::{LastRun, WorldKind, machine};
use crate::dispatcher::{Dispatcher, Options};
use crate::entry::{Entry, OrderId, Purpose, Record};
use crate::journal::Memory;
use crate::machine::Machine;
use crate::world::simulated::{Faults, Simulated};

/// An action from its first start to its last end, since the run began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Its label.
    pub label: String,
    /// When it started.
    pub start: Duration,
    /// When it ended, or was under way last.
    pub end: Duration,
}

/// What a run did, in the order of its starts.
pub fn spans(records: &[Record]) -> Vec<Span> {
    let at = |record: &Record| Duration::from_millis(record.at);
    let begun = records.first().map(at).unwrap_or_default();
    let mut open: BTreeMap<OrderId, usize> = BTreeMap::new();
    let mut spans: Vec<Span> = Vec::new();
    for record in records {
        let now = at(record).saturating_sub(begun);
        match &record.entry {
            Entry::Intent { order, label, .. } => {
                open.insert(*order, spans.len());
                spans.push(Span { label: label.clone(), start: now, end: now });
            }
            Entry::Outcome { order, .. } => {
                if let Some(span) = open.remove(order).and_then(|at| spans.get_mut(at)) {
                    span.end = now;
                }
            }
            _ => {}
        }
    }
    // What has not ended is under way until the last entry.
    let last = records.last().map(at).unwrap_or_default().saturating_sub(begun);
    for at in open.into_values() {
        spans[at].end = last;
    }
    spans
}

/// What the description lets expect of a run that has been read from a journal.
pub fn of_run(last: &LastRun, jobs: Option<usize>) -> Result<Vec<Span>, Error> {
    let plan = last.records.iter().find_map(|record| match &record.entry {
        Entry::Planned { plan, .. } => Some(plan.read()),
        _ => None,
    });
    let plan = plan.transpose().map_err(|why| Error::Damaged(Damage::Plan(why)))?;
    of_start(&last.run_start(), plan.map(Arc::unwrap_or_clone), jobs)
}

/// What the description lets expect of a run from its beginning.
pub(crate) fn of_start(
    start: &RunStart<'_>,
    plan: Option<Plan>,
    jobs: Option<usize>,
) -> Result<Vec<Span>, Error> {
    let (world, begun) = (world(start.world), start.entry());
    if start.application.is_net() {
        let assembly = Assembly::new(start.application)?;
        let scenario = Scenario::default();
        let machine = start.net(&assembly, &scenario);
        let machine = machine.map_err(|why| Error::Damaged(Damage::History(why)))?;
        // A plan in the middle of a run undoes it, and that is not predicted.
        let plan = plan.filter(|_| start.purpose == Purpose::Down);
        return imagine(machine, world, begun, plan, jobs);
    }
    let machine = machine(start.application, start.state, start.goal.cloned())?;
    imagine(machine, world, begun, plan, jobs)
}

/// The world in which a run is imagined: actions without commands take time where time is played,
/// and none on a machine.
fn world(kind: WorldKind) -> Simulated {
    let world = Simulated::new(1, Faults::default()).with_default_duration(Duration::ZERO);
    if kind == WorldKind::Simulated { world.playing() } else { world }
}

fn imagine<M: Machine>(
    machine: M,
    world: Simulated,
    begun: Entry,
    plan: Option<Plan>,
    jobs: Option<usize>,
) -> Result<Vec<Span>, Error> {
    let journal = Memory::default();
    let options = Options { jobs, ..Options::default() };
    let mut engine = Dispatcher::new(machine, world, journal.clone(), options, OrderId(1));
    let begun = engine.begin_run(begun, plan).map_err(Error::Memory)?;
    begun.map_err(Error::NotFollowed)?;
    engine.run().map_err(Error::Memory)?;
    Ok(spans(&journal.records()))
}

/// A bar for each action that took place, followed by the one that was predicted for it.
pub fn bars(happened: &[Span], predicted: &[Span]) -> (Vec<Bar>, Duration) {
    let bar = |name: String, span: &Span| Bar {
        name,
        start: span.start,
        end: span.end,
        critical: false,
        slack: Duration::ZERO,
    };
    let mut expected: BTreeMap<&str, &Span> = BTreeMap::new();
    for span in predicted {
        expected.entry(&span.label).or_insert(span);
    }
    let mut all = Vec::new();
    for span in happened {
        all.push(bar(span.label.clone(), span));
        // Only the first time was predicted.
        if let Some(expected) = expected.remove(span.label.as_str()) {
            all.push(bar("  predicted".to_owned(), expected));
        }
    }
    let last = all.iter().map(|bar| bar.end).max().unwrap_or_default();
    (all, last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::{End, Task};

    #[test]
    fn an_action_is_a_bar_with_its_prediction_below_it() {
        let intent = |order| Entry::Intent {
            order: OrderId(order),
            task: Some(Task(0)),
            instance: "a".into(),
            label: "start a".into(),
            attempt: 0,
        };
        let outcome = Entry::Outcome { order: OrderId(1), end: End::TimedOut, witness: None };
        let record = |at, entry| Record { run: 1, seq: 1, at, entry };
        let records = [record(1_000, intent(1)), record(1_500, outcome), record(1_700, intent(2))];
        let happened = spans(&records);
        let moments: Vec<(u128, u128)> =
            happened.iter().map(|it| (it.start.as_millis(), it.end.as_millis())).collect();
        assert_eq!(moments, [(0, 500), (700, 700)]);
        let predicted = [Span { label: "start a".into(), ..happened[0].clone() }];
        let (bars, last) = bars(&happened, &predicted);
        let names: Vec<&str> = bars.iter().map(|bar| bar.name.as_str()).collect();
        assert_eq!(names, ["start a", "  predicted", "start a"]);
        assert_eq!(last.as_millis(), 700);
    }
}

//! `--on-failure go-on` comes to an end, whatever the world does to the orders that put processes
//! where their instances are.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use windlass::application::{Application, GlobalState};
use windlass::goal::GoalFile;
use windlass::lang;
use windlass::lifecycle::implementation::Command;
use windlass::source::Sources;
use windlass::system::{Budget, Unlimited};
use windlass_run::dispatcher::{Dispatcher, Finish, OnFailure, Options};
use windlass_run::entry::{Aim, End, Entry, OrderId, Purpose};
use windlass_run::journal::Memory;
use windlass_run::machine::Machine;
use windlass_run::machine::plan::PlanMachine;
use windlass_run::world::{Order, OrderStatus, Report, World};

const APPLICATION: &str = "
windlass: 1
goal: it=running
types:
  it:
    protocol:
      initial: off
      states:
        off: {}
        hurt: { process: [hurt] }
        running: { on_crash: hurt, process: [it] }
      transitions:
        - { from: off, operation: start, to: running }
        - { from: hurt, operation: mend, to: running }
        - { from: running, operation: stop, to: off }
nodes:
  it: { type: it }
";

/// Beside it a job whose operation never succeeds.
const TWO: &str = "
windlass: 1
goal: it=running, job=done
types:
  it:
    protocol:
      initial: off
      states:
        off: {}
        hurt: {}
        running: { on_crash: hurt, process: [it] }
      transitions:
        - { from: off, operation: start, to: running }
        - { from: hurt, operation: start, to: running }
        - { from: running, operation: stop, to: off }
        - { from: hurt, operation: stop, to: off }
  job:
    operations: { try: { run: [try] }, undo: {} }
    protocol:
      initial: off
      states: { off: {}, done: {} }
      transitions:
        - { from: off, operation: try, to: done }
        - { from: done, operation: undo, to: off }
nodes:
  it: { type: it }
  job: { type: job }
";

/// What happens to an order that only puts a process where its instance is; or, of two, one dies
/// just before the operation of the other fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mood {
    Fails,
    Loses,
    OneDiesOneFails,
}

/// A world in which the first process dies, and nothing that follows by itself comes up.
struct Bad {
    mood: Mood,
    now: Duration,
    given: u32,
    reports: VecDeque<Report>,
    first: bool,
    last: OrderId,
}

impl World for Bad {
    fn now(&self) -> Duration {
        self.now
    }

    fn start(&mut self, order: &Order) {
        self.given += 1;
        assert!(self.given < 200, "orders repeat without end: {order:?}");
        let id = order.id;
        if self.mood == Mood::OneDiesOneFails && order.operation.as_deref() == Some("try") {
            let (instance, detail) = ("it".into(), "it was hit".to_owned());
            self.reports.push_back(Report::Died { instance, order: self.last, detail });
            let reason = "no".to_owned();
            self.reports.push_back(Report::Ended { order: id, end: End::Failed { reason } });
            return;
        }
        self.last = id;
        if order.operation.is_some() {
            self.reports.push_back(Report::Ended { order: id, end: End::Done });
            if std::mem::take(&mut self.first) {
                let instance = order.instance.clone();
                let detail = "it was hit".to_owned();
                self.reports.push_back(Report::Died { instance, order: id, detail });
            }
            return;
        }
        let reason = "no".to_owned();
        self.reports.push_back(match self.mood {
            Mood::Fails => Report::Ended { order: id, end: End::Failed { reason } },
            Mood::Loses => Report::Lost { order: id },
            Mood::OneDiesOneFails => Report::Ended { order: id, end: End::Done },
        });
    }

    fn wait(&mut self, _: Option<Duration>) -> Option<Report> {
        self.now += Duration::from_millis(1);
        self.reports.pop_front()
    }

    fn poll(&mut self) -> Option<Report> {
        // What happens at the same moment is told at the same moment.
        (self.mood == Mood::OneDiesOneFails).then(|| self.reports.pop_front()).flatten()
    }

    fn cancel(&mut self, _: OrderId) {}

    fn inquire(&mut self, _: &Order) -> OrderStatus {
        OrderStatus::Unknown
    }

    fn adopt(&mut self, _: &Order) -> bool {
        true
    }

    fn check(&mut self, _: &Order, _: &Command) -> Option<bool> {
        Some(false)
    }

    fn cleanup(&mut self, _: OrderId) {}
}

fn no_limit() -> Box<dyn Budget> {
    Box::new(Unlimited)
}

fn application(text: &str) -> (Application, GoalFile) {
    let mut sources = Sources::new();
    let root = sources.add("windlass.yaml", text);
    let reading = lang::read(None, root, &sources);
    (reading.application.unwrap(), reading.goal.unwrap())
}

fn finish(mood: Mood, on_failure: OnFailure) -> (Finish, Vec<Entry>) {
    let two = mood == Mood::OneDiesOneFails;
    let (application, goal) = application(if two { TWO } else { APPLICATION });
    let machine =
        PlanMachine::new(&application, GlobalState::empty(), Some(goal), no_limit).unwrap();
    let (reports, now) = (VecDeque::new(), Duration::ZERO);
    let world = Bad { mood, now, given: 0, reports, first: !two, last: OrderId(0) };
    let journal = Memory::default();
    let options = Options { on_failure, ..Options::default() };
    let mut engine = Dispatcher::new(machine, world, journal.clone(), options, OrderId(1));
    let begun = Entry::Begun {
        purpose: Purpose::Up,
        application: String::new(),
        directory: String::new(),
        world: "bad".to_owned(),
        start: None,
        processes: BTreeMap::new(),
    };
    let plan = engine.machine.plan(Aim::Goal).unwrap();
    engine.begin_run(begun, plan).unwrap().unwrap();
    (engine.run().unwrap(), journal.entries())
}

#[test]
fn a_tidying_order_that_fails_or_is_lost_does_not_repeat_without_end() {
    for mood in [Mood::Fails, Mood::Loses] {
        for on_failure in [OnFailure::Stop, OnFailure::GoOn, OnFailure::RollBack] {
            let (finish, entries) = finish(mood, on_failure);
            let words = format!("{mood:?} {on_failure:?} {finish:?}");
            assert!(!matches!(finish, Finish::Interrupted | Finish::Stalled(_)), "{words}");
            let tidying =
                entries.iter().filter(|it| matches!(it, Entry::Intent { task: None, .. }));
            assert!(tidying.count() <= 40, "{words}");
        }
    }
}

#[test]
fn a_death_during_a_failure_does_not_keep_a_run_from_rolling_back() {
    let (finish, entries) = finish(Mood::OneDiesOneFails, OnFailure::RollBack);
    assert!(matches!(finish, Finish::RolledBack(_)), "{finish:?}");
    let aims = entries.iter().filter_map(|entry| match entry {
        Entry::Planned { aim, .. } => Some(*aim),
        _ => None,
    });
    assert_eq!(aims.collect::<Vec<_>>(), [Aim::Goal, Aim::Back], "{entries:?}");
}

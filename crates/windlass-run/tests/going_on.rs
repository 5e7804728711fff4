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
use windlass_run::world::{Doubt, Order, Report, World};

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

/// What happens to an order that only puts a process where its instance is.
#[derive(Debug, Clone, Copy)]
enum Mood {
    Fails,
    Loses,
}

/// A world in which the first process dies, and nothing that follows by itself comes up.
struct Bad {
    mood: Mood,
    now: Duration,
    given: u32,
    reports: VecDeque<Report>,
    first: bool,
}

impl World for Bad {
    fn now(&self) -> Duration {
        self.now
    }

    fn start(&mut self, order: &Order) {
        self.given += 1;
        assert!(self.given < 200, "orders repeat without end: {order:?}");
        let id = order.id;
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
        });
    }

    fn wait(&mut self, _: Option<Duration>) -> Option<Report> {
        self.now += Duration::from_millis(1);
        self.reports.pop_front()
    }

    fn poll(&mut self) -> Option<Report> {
        None
    }

    fn cancel(&mut self, _: OrderId) {}

    fn inquire(&mut self, _: &Order) -> Doubt {
        Doubt::Unknown
    }

    fn adopt(&mut self, _: &Order) -> bool {
        true
    }

    fn check(&mut self, _: &Order, _: &Command) -> bool {
        false
    }

    fn cleanup(&mut self, _: OrderId) {}
}

fn no_limit() -> Box<dyn Budget> {
    Box::new(Unlimited)
}

fn application() -> (Application, GoalFile) {
    let mut sources = Sources::new();
    let root = sources.add("windlass.yaml", APPLICATION);
    let reading = lang::read(None, root, &sources);
    (reading.application.unwrap(), reading.goal.unwrap())
}

fn finish(mood: Mood, on_failure: OnFailure) -> (Finish, Vec<Entry>) {
    let (application, goal) = application();
    let machine =
        PlanMachine::new(&application, GlobalState::empty(), Some(goal), no_limit).unwrap();
    let (reports, now) = (VecDeque::new(), Duration::ZERO);
    let world = Bad { mood, now, given: 0, reports, first: true };
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
    engine.begin_run(begun, plan.as_deref()).unwrap().unwrap();
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

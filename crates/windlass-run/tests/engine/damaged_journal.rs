//! A journal that is damaged, cut off or of another program: an error with a message, or a run that
//! goes on; never a panic.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::collections::BTreeMap;

use windlass::application::assembly::Assembly;
use windlass::application::{Application, GlobalState};
use windlass::goal::GoalFile;
use windlass::lang;
use windlass::simulate::Scenario;
use windlass::source::Sources;
use windlass::synthesize;
use windlass::system::{Budget, Unlimited};
use windlass_run::dispatcher::{Dispatcher, Options};
use windlass_run::entry::{Aim, Entry, JournalPlan, OrderId, Purpose, Task};
use windlass_run::journal::{Memory, Off};
use windlass_run::machine::Machine;
use windlass_run::machine::net::NetMachine;
use windlass_run::machine::protocols::ProtocolMachine;
use windlass_run::world::simulated::{Faults, Simulated};

const ATOMIC: &str = include_str!("../../../../examples/atomic/handled.yaml");
const GUESTBOOK: &str = include_str!("../../../../examples/guestbook/windlass.yaml");
const NETS: &str = include_str!("../../../../examples/two-components/windlass.yaml");

fn no_limit() -> Box<dyn Budget> {
    Box::new(Unlimited)
}

fn read(text: &str) -> Application {
    let mut sources = Sources::new();
    let root = sources.add("windlass.yaml", text);
    lang::read(None, root, &sources).application.unwrap()
}

fn protocols(application: &Application) -> ProtocolMachine<'_> {
    let goal = synthesize::everything_up(application).unwrap();
    let goal = Some(GoalFile { goal, ..GoalFile::default() });
    ProtocolMachine::new(application, GlobalState::empty(), goal, no_limit).unwrap()
}

/// The journal of a run in which things go wrong.
fn journal<M: Machine>(machine: M, seed: u64) -> Vec<Entry> {
    let journal = Memory::default();
    let faults = Faults { fails: 20, dies: 30, ..Faults::default() };
    let world = Simulated::new(seed, faults);
    let mut engine =
        Dispatcher::new(machine, world, journal.clone(), Options::default(), OrderId(1));
    let begun = Entry::Begun {
        purpose: Purpose::Up,
        application: String::new(),
        directory: String::new(),
        world: "simulated".to_owned(),
        start: None,
        processes: BTreeMap::new(),
    };
    let plan = engine.machine.plan(Aim::Goal).unwrap();
    engine.begin_run(begun, plan).unwrap().unwrap();
    engine.run().unwrap();
    journal.entries()
}

/// Journals in which an entry speaks of something else.
fn renumbered(good: &[Entry], at: usize, number: u32) -> Vec<Vec<Entry>> {
    let huge = OrderId(u64::from(number) << 32 | u64::from(number));
    let mut all = Vec::new();
    let mut push = |entry: Entry| {
        let mut changed = good.to_vec();
        changed[at] = entry;
        all.push(changed);
    };
    match good[at].clone() {
        Entry::Intent { order, task, instance, label, attempt } => {
            let (of, tried) = (instance.clone(), label.clone());
            push(Entry::Intent { order: huge, task, instance: of, label: tried, attempt });
            let task = task.map(|_| Task(number));
            push(Entry::Intent { order, task, instance, label, attempt: number });
        }
        Entry::GaveUp { label, reason, .. } => {
            push(Entry::GaveUp { task: Task(number), label, reason });
        }
        Entry::Outcome { end, witness, .. } => push(Entry::Outcome { order: huge, end, witness }),
        Entry::Planned { plan, aim, why } => {
            let cut: String = plan.text().chars().take(40).collect();
            push(Entry::Planned { plan: JournalPlan::from_text(cut), aim, why });
        }
        Entry::Observed { order, detail, .. } => {
            push(Entry::Observed { instance: "nobody".to_owned(), order, detail });
        }
        _ => {}
    }
    all
}

/// What may have become of a journal.
fn damaged(good: &[Entry]) -> Vec<Vec<Entry>> {
    let mut all = Vec::new();
    for at in 0..good.len() {
        all.push(good[..at].to_vec());
        let mut without = good.to_vec();
        let entry = without.remove(at);
        all.push(without.clone());
        let mut twice = good.to_vec();
        twice.insert(at, entry.clone());
        all.push(twice);
        let other = (at * 7 + 3) % good.len();
        let mut swapped = good.to_vec();
        swapped.swap(at, other);
        all.push(swapped);
        for number in [1, 1_000, u32::MAX] {
            all.extend(renumbered(good, at, number));
        }
        let mut taken = good[..=at].to_vec();
        taken.push(Entry::TakenUp { task: Task(at as u32) });
        all.push(taken);
    }
    all
}

/// How many damaged journals were refused and how many were followed.
fn folded<M: Machine>(good: &[Entry], machine: impl Fn() -> M) -> (usize, usize) {
    let (mut refused, mut followed) = (0, 0);
    for entries in damaged(good) {
        let world = Simulated::new(1, Faults::default());
        world.crash_after(Some(200));
        let options = Options::default();
        let mut engine = Dispatcher::new(machine(), world, Off, options, OrderId(1));
        match engine.fold(&entries).and_then(|()| engine.reconcile(&BTreeMap::new())) {
            Err(why) => {
                assert!(!why.to_string().is_empty());
                refused += 1;
            }
            Ok(()) => {
                let _ = engine.run();
                followed += 1;
            }
        }
    }
    (refused, followed)
}

#[test]
fn a_damaged_journal_is_refused_or_followed() {
    for seed in 1..6 {
        for text in [ATOMIC, GUESTBOOK] {
            let application = read(text);
            let good = journal(protocols(&application), seed);
            let (refused, followed) = folded(&good, || protocols(&application));
            assert!(refused > good.len() && followed > 0, "{refused} {followed}");
        }
        let application = read(NETS);
        let assembly = Assembly::new(&application).unwrap();
        let scenario = Scenario::default();
        let good = journal(NetMachine::new(&assembly, &scenario), seed);
        let (refused, followed) = folded(&good, || NetMachine::new(&assembly, &scenario));
        assert!(refused > good.len() / 2 && followed > 0, "{refused} {followed}");
    }
}

#[test]
fn a_journal_of_another_application_is_refused() {
    let (atomic, guestbook) = (read(ATOMIC), read(GUESTBOOK));
    let entries = journal(protocols(&guestbook), 1);
    let world = Simulated::default();
    let machine = protocols(&atomic);
    let mut engine = Dispatcher::new(machine, world, Off, Options::default(), OrderId(1));
    assert!(engine.fold(&entries).is_err());
}

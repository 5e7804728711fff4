//! Deterministic simulation: the real dispatcher and journal on a simulated world, clock and disk.
//!
//! From one seed follow the application, its durations, every failure, every report that comes
//! twice or never, every death of a process and every crash of the engine. A checker that shares
//! no code with the dispatcher then looks at the journal and at what the world really did.
//! `WINDLASS_SEED` and `WINDLASS_LONG` as everywhere; a failing seed is printed.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod applications;
mod checker;
mod single;

use std::collections::BTreeMap;

use windlass::application::assembly::Assembly;
use windlass::application::{Application, Faults as Relation, GlobalState};
use windlass::goal::GoalFile;
use windlass::simulate::Scenario;
use windlass::system::{Budget, Unlimited};
use windlass_run::dispatcher::{Dispatcher, Finish, OnFailure, Options};
use windlass_run::entry::Aim;
use windlass_run::entry::{End, Entry, OrderId, Purpose};
use windlass_run::journal::Memory;
use windlass_run::machine::Machine;
use windlass_run::machine::net::NetMachine;
use windlass_run::machine::plan::PlanMachine;
use windlass_run::machine::single::SingleMachine;
use windlass_run::resume::{ResumeError, Verdict};
use windlass_run::world::simulated::{Faults, Simulated};

/// A number from the environment.
fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// How often an engine may die before it is left in peace.
const LIVES: u64 = 30;

/// Small numbers that follow from a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most.max(1)
    }
}

fn no_limit() -> Box<dyn Budget> {
    Box::new(Unlimited)
}

/// What one campaign saw.
#[derive(Debug, Default)]
struct Seen {
    crashes: u64,
    doubts: u64,
    failures: u64,
    deaths: u64,
    /// How many atomic operations ran at the same time.
    beside: usize,
}

fn begun(start: Option<String>) -> Entry {
    Entry::Begun {
        purpose: Purpose::Up,
        application: String::new(),
        directory: String::new(),
        world: "simulated".to_owned(),
        start,
        processes: BTreeMap::new(),
    }
}

/// Lives of engines on one world, until the goal is reached.
fn campaign<M: Machine>(
    seed: u64,
    journal: &Memory,
    world: &Simulated,
    machine: impl Fn() -> M,
) -> Result<Seen, String> {
    let mut dice = Dice(seed);
    let mut seen = Seen::default();
    let mut verdicts: BTreeMap<OrderId, Verdict> = BTreeMap::new();
    for life in 0..LIVES * 3 {
        let crash = (life < LIVES && dice.below(4) > 0).then(|| dice.below(20));
        world.crash_after(crash);
        if life == LIVES {
            world.stop_faults();
        }
        let jobs = (dice.below(3) == 0).then_some(2);
        let on_failure = if dice.below(2) == 0 { OnFailure::Stop } else { OnFailure::GoOn };
        let options = Options { jobs, on_failure, seed, keep_faults: false };
        let disk = world.disk(journal.clone());
        let mut engine = Dispatcher::new(machine(), world.clone(), disk, options, OrderId(1));
        let entries = journal.entries();
        let ready = if entries.is_empty() {
            let plan = engine.machine.plan(Aim::Goal).map_err(|why| why.to_string())?;
            engine.begin_run(begun(None), plan).map_err(ResumeError::Journal).map(|it| {
                it.expect("a plan that was just made can be followed");
            })
        } else {
            engine.fold(&entries).and_then(|()| engine.reconcile(&verdicts))
        };
        match ready {
            Ok(()) => {}
            Err(ResumeError::InDoubt(doubts)) => {
                seen.doubts += doubts.len() as u64;
                // The operator looks at the world.
                for doubt in doubts {
                    let done = world.executed().get(&doubt.order) == Some(&End::Done);
                    let verdict = if done { Verdict::Done } else { Verdict::Again };
                    verdicts.insert(doubt.order, verdict);
                }
                continue;
            }
            Err(ResumeError::Misfit(why)) => return Err(format!("life {life}: {why}")),
            // Everybody answers here.
            Err(why @ ResumeError::Silent(_)) => return Err(format!("life {life}: {why}")),
            Err(ResumeError::Journal(_)) => {
                seen.crashes += 1;
                continue;
            }
        }
        match engine.run() {
            Ok(Finish::Reached) => return Ok(seen),
            Ok(Finish::Interrupted) | Err(_) => seen.crashes += 1,
            Ok(Finish::Failed(_) | Finish::NoPlan(_)) => seen.failures += 1,
            // The next one asks the operator.
            Ok(Finish::InDoubt(_)) => {}
            Ok(other) => return Err(format!("life {life}: {other:?}")),
        }
    }
    Err("the goal was never reached".to_owned())
}

/// Small enough that most applications come in several.
fn batch(seed: u64) -> usize {
    1 + usize::try_from(seed % 3).unwrap()
}

fn faults(dice: &mut Dice) -> Faults {
    let mut some = |most| if dice.below(3) == 0 { 0 } else { dice.below(most) as u32 };
    Faults { fails: some(30), dies: some(60), twice: some(40), lost: some(30), forgets: some(80) }
}

fn of_plans(seed: u64, application: &Application, goal: &GoalFile) -> Result<Seen, String> {
    let world = Simulated::new(seed, faults(&mut Dice(seed))).in_batches_of(batch(seed));
    let journal = Memory::default();
    let machine = || {
        PlanMachine::new(application, GlobalState::empty(), Some(goal.clone()), no_limit).unwrap()
    };
    let mut seen = campaign(seed, &journal, &world, machine)?;
    let entries = journal.entries();
    seen.deaths = entries.iter().filter(|e| matches!(e, Entry::Observed { .. })).count() as u64;
    checker::of_plans(application, goal, &entries, &world).map_err(|why| {
        let lines: Vec<String> = entries.iter().map(|entry| format!("{entry:?}")).collect();
        format!("{why}\n{}\nunseen {:?}", lines.join("\n"), world.unseen())
    })?;
    Ok(seen)
}

/// One instance of each node. Where faults are forbidden nothing may die that others rely on: such
/// a run ends, and only the operator can go on.
fn of_single(seed: u64, application: &Application, goal: &GoalFile) -> Result<Seen, String> {
    let mut wild = faults(&mut Dice(seed));
    if application.faults == Relation::Forbidden {
        wild.dies = 0;
    }
    let world = Simulated::new(seed, wild).in_batches_of(batch(seed));
    let journal = Memory::default();
    let start = GlobalState::empty();
    let machine = || SingleMachine::new(application, &start, Some(goal.clone()), no_limit).unwrap();
    let mut seen = campaign(seed, &journal, &world, machine)?;
    let entries = journal.entries();
    seen.deaths = entries.iter().filter(|e| matches!(e, Entry::Observed { .. })).count() as u64;
    seen.beside = single::check(application, goal, &entries, &world).map_err(|why| {
        let lines: Vec<String> = entries.iter().map(|entry| format!("{entry:?}")).collect();
        format!("{why}\n{}\nunseen {:?}", lines.join("\n"), world.unseen())
    })?;
    Ok(seen)
}

fn of_nets(seed: u64, application: &Application) -> Result<Seen, String> {
    let mut mild = faults(&mut Dice(seed));
    mild.dies = 0;
    let world = Simulated::new(seed, mild).in_batches_of(batch(seed));
    let journal = Memory::default();
    let assembly = Assembly::new(application).unwrap();
    let scenario = Scenario { trace: true, ..Scenario::default() };
    let seen = campaign(seed, &journal, &world, || NetMachine::new(&assembly, &scenario))?;
    checker::of_nets(&assembly, &journal.entries(), &world)?;
    Ok(seen)
}

/// Seeds that once found a mistake.
const FOUND: &[u64] = &[851_070];

#[test]
fn whatever_happens_the_goal_is_reached_and_nothing_is_done_twice() {
    let first = number("WINDLASS_SEED", 1);
    let cases = number("WINDLASS_RUNS", 500 * number("WINDLASS_LONG", 1));
    let shop = applications::shop();
    let nets = [applications::stack(), applications::diamond()];
    let boards = [applications::board(false), applications::board(true)];
    let mut total = Seen::default();
    for seed in (first..first + cases).chain(FOUND.iter().copied()) {
        let result = match seed % 5 {
            0 => of_plans(seed, &shop.0, &shop.1),
            1 => of_nets(seed, &nets[0]),
            2 => of_nets(seed, &nets[1]),
            3 => of_single(seed, &boards[0].0, &boards[0].1),
            _ => of_single(seed, &boards[1].0, &boards[1].1),
        };
        let seen = result.unwrap_or_else(|why| panic!("seed {seed}: {why}"));
        total.crashes += seen.crashes;
        total.doubts += seen.doubts;
        total.failures += seen.failures;
        total.deaths += seen.deaths;
        total.beside = total.beside.max(seen.beside);
    }
    println!(
        "figure: {cases} seeds from {first}: {} crashes, {} actions in doubt, {} runs that failed \
         first, {} processes died, no violation",
        total.crashes, total.doubts, total.failures, total.deaths
    );
    assert!(total.crashes > cases && total.doubts > 0, "{total:?}");
    assert!(total.failures > 0 && total.deaths > 0, "{total:?}");
    assert!(total.beside >= 2, "independent operations run at the same time: {total:?}");
}

//! One instance of each node, atomic operations (paper 003): what runs at the same time, what
//! waits, and what a death means.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::sync::Arc;

use windlass::application::{Application, GlobalState};
use windlass::lang::{self, documents};
use windlass::lifecycle::protocol::Element;
use windlass::plan::{Plan, PlanAction, Step};
use windlass::source::{Origin, Sources};
use windlass::system::{Budget, Unlimited};
use windlass_run::entry::{Aim, Task};
use windlass_run::machine::single::{SingleMachine, without_faults};
use windlass_run::machine::{Machine, Obstacle, Refusal};

const HANDLED: &str = include_str!("../../../../examples/atomic/handled.yaml");
const FORBIDDEN: &str = include_str!("../../../../examples/atomic/forbidden.yaml");

const UP: &str = "
state:
  instances:
    host: { node: host, state: there }
    database: { node: database, state: running }
    board: { node: board, state: running }
";

fn no_limit() -> Box<dyn Budget> {
    Box::new(Unlimited)
}

fn read(text: &str) -> (Application, GlobalState) {
    let mut sources = Sources::new();
    let root = sources.add("windlass.yaml", text);
    let application = lang::read(None, root, &sources).application.unwrap();
    let root = sources.add("state.yaml", UP);
    let state = documents::read_state(root, &sources, &application).document.unwrap();
    (application, state)
}

/// A machine with a plan of operations without any order: task 0 is the first of them.
fn machine<'a>(
    application: &'a Application,
    start: &GlobalState,
    steps: &[(&str, &str)],
) -> SingleMachine<'a> {
    let step = |(operation, instance): &(&str, &str)| Step {
        label: format!("{operation} {instance}"),
        action: PlanAction::Operation {
            instance: (*instance).into(),
            operation: (*operation).to_owned(),
        },
        origin: Origin(None),
    };
    let plan = Plan { steps: steps.iter().map(step).collect(), ..Plan::default() };
    let mut machine = SingleMachine::new(application, start, None, no_limit).unwrap();
    machine.follow(Arc::new(plan), Aim::Goal).unwrap();
    machine
}

fn state_of(application: &Application, machine: &SingleMachine<'_>, instance: &str) -> String {
    let instance = machine.state().instance(&instance.into()).unwrap();
    match instance.element {
        Element::State(state) => {
            application.protocol_of(instance.node).unwrap().state(state).name.clone()
        }
        Element::Transition(_) => "under way".to_owned(),
    }
}

#[test]
fn an_operation_on_which_another_relies_waits_for_it() {
    let (application, up) = read(FORBIDDEN);
    let steps = [("stop", "database"), ("stop", "board"), ("uninstall", "board")];
    let mut machine = machine(&application, &up, &steps);
    // The board runs and needs the data: nothing may take them away.
    let why = machine.start(Task(0)).unwrap_err();
    assert!(matches!(&why, Refusal::Inconsistent(it) if it.contains("`board`")), "{why}");
    machine.start(Task(1)).unwrap();
    // While the board stops it has not stopped.
    assert!(machine.start(Task(0)).is_err());
    machine.end(Task(1)).unwrap();
    // These two have nothing to do with each other any more.
    machine.start(Task(0)).unwrap();
    machine.start(Task(2)).unwrap();
    assert_eq!(state_of(&application, &machine, "board"), "under way");
    machine.end(Task(0)).unwrap();
    machine.end(Task(2)).unwrap();
    assert!(machine.is_done());
}

#[test]
fn what_an_operation_needs_stays_until_it_ends() {
    for text in [HANDLED, FORBIDDEN] {
        let (application, _) = read(text);
        let steps = [("make", "host"), ("install", "database"), ("remove", "host")];
        let mut machine = machine(&application, &GlobalState::empty(), &steps);
        assert!(machine.start(Task(1)).is_err(), "there is no host yet");
        machine.start(Task(0)).unwrap();
        machine.end(Task(0)).unwrap();
        machine.start(Task(1)).unwrap();
        let why = machine.start(Task(2)).unwrap_err();
        assert!(why.to_string().contains("`install database`"), "{why}");
        machine.end(Task(1)).unwrap();
    }
}

#[test]
fn an_operation_that_handlers_follow_runs_alone() {
    let (application, up) = read(HANDLED);
    let steps = [("stop", "database"), ("stop", "board")];
    let mut machine = machine(&application, &up, &steps);
    machine.start(Task(0)).unwrap();
    let why = machine.start(Task(1)).unwrap_err();
    assert_eq!(why, Refusal::RunsAlone("stop database".to_owned()));
    let notes = machine.end(Task(0)).unwrap();
    assert!(notes.iter().any(|note| note.fault && note.what.contains("sorry")), "{notes:?}");
    assert_eq!(state_of(&application, &machine, "board"), "sorry");
    machine.start(Task(1)).unwrap();
    machine.end(Task(1)).unwrap();
    assert_eq!(state_of(&application, &machine, "board"), "installed");
}

#[test]
fn a_death_is_handled_or_ends_the_run() {
    let (application, up) = read(HANDLED);
    let mut handled = machine(&application, &up, &[]);
    assert_eq!(handled.observe("database").len(), 1);
    assert_eq!(state_of(&application, &handled, "database"), "installed");
    assert_eq!(state_of(&application, &handled, "board"), "sorry");
    assert!(!handled.obstacles().iter().any(|it| matches!(it, Obstacle::Fault { .. })));

    let (application, up) = read(FORBIDDEN);
    let mut forbidden = machine(&application, &up, &[]);
    let notes = forbidden.observe("database");
    assert!(notes.len() == 1 && notes[0].fault, "{notes:?}");
    assert!(!forbidden.is_done());
    let why = forbidden.plan(Aim::Back).unwrap_err();
    assert_eq!(why.to_string(), "faults are forbidden: `board` in `running` lacks `data`");
    // Whose operator goes on counts the board as dead.
    let (after, dead) = without_faults(&application, forbidden.state()).unwrap();
    assert_eq!(dead, ["board"]);
    let mut mended = machine(&application, &after, &[("start", "database")]);
    assert_eq!(state_of(&application, &mended, "board"), "installed");
    mended.start(Task(0)).unwrap();
    // A plan that begins in the fault itself says the same.
    forbidden.follow(Arc::default(), Aim::Goal).unwrap();
    assert_eq!(state_of(&application, &forbidden, "board"), "installed");
}

#[test]
fn a_death_during_an_operation_of_another_does_not_undo_it() {
    let (application, up) = read(HANDLED);
    let steps = [("stop", "board")];
    let mut machine = machine(&application, &up, &steps);
    machine.start(Task(0)).unwrap();
    // The board is busy: its fault waits for the end of what it does.
    machine.observe("database");
    assert_eq!(state_of(&application, &machine, "board"), "under way");
    assert!(machine.end(Task(0)).unwrap().is_empty());
    assert_eq!(state_of(&application, &machine, "board"), "installed");
    // One whose own process dies ends in vain.
    let mut machine = self::machine(&application, &up, &steps);
    machine.start(Task(0)).unwrap();
    machine.observe("board");
    assert!(machine.end(Task(0)).is_err());
    assert_eq!(state_of(&application, &machine, "board"), "installed");
}

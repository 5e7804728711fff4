//! The examples of paper 003 section 4, and the `handled` relation with hard recovery on a small
//! application whose numbers were counted by hand.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};

use crate::support::fixtures::WEB_SERVICES;
use crate::support::sketch;
use windlass::application::{Application, Faults};
use windlass::semantics::protocol::{Action, Blocked, ServiceTemplate, States, is_consistent};
use windlass::semantics::{AnySystem, Semantics, Setting, system_of};
use windlass::system::System;

fn perform(application: &Application, text: &str) -> Action {
    let (node, operation) = text.split_once(':').expect("node:operation");
    let node = application.node_named(node).expect("a node");
    let operation = application.type_of(node).operation_named(operation).expect("an operation");
    Action::Perform { node, operation }
}

/// The states after a sequence of operations, or the operation that is refused and why.
fn run(template: &ServiceTemplate, sequence: &[&str]) -> Result<States, (String, String)> {
    let mut states = template.initial();
    for text in sequence {
        let action = perform(template.application(), text);
        let successors = template.step(&states, &action);
        let successors =
            successors.map_err(|blocked| ((*text).to_owned(), template.explain(&blocked)))?;
        assert_eq!(successors.len(), 1, "{text} is deterministic");
        states = successors.first().clone();
    }
    Ok(states)
}

/// Paper: 003 Fig. 5
/// Paper: 003 Fig. 6
#[test]
fn plans_of_figure_3() {
    let application = sketch::application(WEB_SERVICES);
    let template = ServiceTemplate::new(&application).expect("protocols");
    let up = ["vmware:start", "debian:install", "debian:start", "apache:setup"];
    // (a) configures the server before it runs.
    let plan_a = [&up[..], &["apache:configure"]].concat();
    let (failed, reason) = run(&template, &plan_a).expect_err("not valid");
    assert_eq!(failed, "apache:configure");
    assert_eq!(
        reason,
        "`apache` is in state `stopped`, where operation `configure` does not exist; it exists in \
         `working`"
    );
    // (b) sets the server up before the system runs.
    let plan_b = ["vmware:start", "debian:install", "apache:setup"];
    let (failed, reason) = run(&template, &plan_b).expect_err("not valid");
    assert_eq!(failed, "apache:setup");
    assert_eq!(
        reason,
        "operation `setup` of `apache` needs `container`, which is not offered: `debian` offers \
         `software-container` in state `running`"
    );
    // (c) does not.
    let more = ["apache:run", "apache:configure", "translator:deploy", "convertor:deploy"];
    let after = run(&template, &[&up[..], &more].concat()).expect("valid");
    assert!(is_consistent(&template, &after));
}

#[test]
fn from_an_inconsistent_state_no_operation_runs() {
    let application = sketch::application(WEB_SERVICES);
    let template = ServiceTemplate::new(&application).expect("protocols");
    let up = ["vmware:start", "debian:install", "debian:start", "vmware:stop"];
    let states = run(&template, &up).expect("each operation was possible");
    assert!(!is_consistent(&template, &states));
    for action in template.candidates(&states) {
        let blocked = template.step(&states, &action).expect_err("refused");
        assert!(matches!(blocked, Blocked::FaultPending { .. }), "{blocked:?}");
        let reason = template.explain(&blocked);
        assert_eq!(
            reason,
            "`debian` relies on `container`, which is not offered: `vmware` offers `container` \
             in state `up`"
        );
    }
}

/// What the states of a template are like, from its start.
#[derive(Debug, PartialEq, Eq)]
struct Counts {
    reachable: usize,
    inconsistent: usize,
    deadlocks: usize,
    longest: usize,
}

fn count(template: &ServiceTemplate) -> Counts {
    let mut depth = BTreeMap::from([(template.initial(), 0)]);
    let mut queue = vec![template.initial()];
    let mut deadlocks = 0;
    let mut at = 0;
    while at < queue.len() {
        let state = queue[at].clone();
        at += 1;
        let mut is_stuck = true;
        for action in template.candidates(&state) {
            let Ok(successors) = template.step(&state, &action) else { continue };
            is_stuck = false;
            for after in successors.into_vec() {
                if !depth.contains_key(&after) {
                    depth.insert(after.clone(), depth[&state] + 1);
                    queue.push(after);
                }
            }
        }
        deadlocks += usize::from(is_stuck);
    }
    let inconsistent = queue.iter().filter(|state| !is_consistent(template, state)).count();
    let longest = depth.values().copied().max().unwrap_or_default();
    Counts { reachable: queue.len(), inconsistent, deadlocks, longest }
}

/// A guest in a host: host {off, on}, guest {out, in, up}; `up` needs the host.
const GUEST: &str = "
type host has place
  state off
  state on offers place
  op off start on
  op on stop off
type guest needs host:containment
  state out
  state in
  state up needs host fault in
  op out enter in needs host
  op in start up needs host
  op up stop in
node host host
node guest guest host=host.place
";

#[test]
fn counts_of_the_three_relations() {
    let mut application = sketch::application(GUEST);
    let counts = |application: &Application, hard_recovery: bool| {
        let mut template = ServiceTemplate::new(application).expect("protocols");
        template.hard_recovery = hard_recovery;
        count(&template)
    };
    let expected = |reachable, inconsistent, deadlocks, longest| Counts {
        reachable,
        inconsistent,
        deadlocks,
        longest,
    };
    // off/out, on/out, on/in, off/in, on/up, off/up; the last is inconsistent and stuck.
    application.faults = Faults::Forbidden;
    assert_eq!(counts(&application, false), expected(6, 1, 1, 4));
    // The handler leads from off/up to off/in.
    application.faults = Faults::Handled;
    assert_eq!(counts(&application, false), expected(6, 1, 0, 4));
    // With hard recovery off/up and off/in can be reset to off/out.
    assert_eq!(counts(&application, true), expected(6, 1, 0, 4));
    application.faults = Faults::Forbidden;
    assert_eq!(counts(&application, true), expected(6, 1, 0, 4));
}

#[test]
fn every_action_fires_and_every_premise_is_seen() {
    let text = format!(
        "{GUEST}
         type loner needs help:unaware
           state calm
           state asking needs help
         node loner loner help=host.place
         faults handled"
    );
    let mut application = sketch::application(&text);
    let mut fired = BTreeSet::new();
    let mut seen = BTreeSet::new();
    let word = |debug: String| debug.split([' ', '{']).next().unwrap_or_default().to_owned();
    for (faults, hard_recovery) in
        [(Faults::Handled, true), (Faults::Handled, false), (Faults::Forbidden, false)]
    {
        application.faults = faults;
        let mut template = ServiceTemplate::new(&application).expect("protocols");
        template.hard_recovery = hard_recovery;
        for states in every_state(&template) {
            for action in every_action(&application) {
                match template.step(&states, &action) {
                    Ok(_) => fired.insert(word(format!("{action:?}"))),
                    Err(blocked) => {
                        assert!(!template.explain(&blocked).is_empty());
                        seen.insert(word(format!("{blocked:?}")))
                    }
                };
            }
        }
    }
    assert_eq!(Vec::from_iter(fired), ["HandleFault", "HardReset", "Perform"]);
    let premises = [
        "ContainerAlive",
        "FaultPending",
        "NoHandler",
        "NoHardRecovery",
        "NotContained",
        "NotDefined",
        "NotHandled",
        "NotOffered",
        "NotPending",
        "ResetPending",
    ];
    assert_eq!(Vec::from_iter(seen), premises);
}

fn every_state(template: &ServiceTemplate) -> Vec<States> {
    let mut all = vec![States(Vec::new())];
    for node in template.application().node_ids() {
        let extend = |states: States| {
            (0..template.protocol(node).states.len()).map(move |state| {
                let mut states = states.clone();
                states.0.push(state.into());
                states
            })
        };
        all = all.into_iter().flat_map(extend).collect();
    }
    all
}

fn every_action(application: &Application) -> Vec<Action> {
    let mut actions = Vec::new();
    for node in application.node_ids() {
        let ty = application.type_of(node);
        let operations = 0..ty.operations.len();
        actions.extend(operations.map(|o| Action::Perform { node, operation: o.into() }));
        let requirements = 0..ty.requirements.len();
        actions.extend(requirements.map(|r| Action::HandleFault { node, requirement: r.into() }));
        actions.push(Action::HardReset { node });
    }
    actions
}

/// Counts the first actions that are possible.
fn count_enabled<S: System>(system: &S) -> usize {
    let start = system.initial();
    let candidates = system.candidates(&start);
    candidates.iter().filter(|action| system.step(&start, action).is_ok()).count()
}

#[test]
fn one_place_picks_the_system() {
    let mut application = sketch::application(GUEST);
    let enabled = |application: &Application, setting: Setting| match (
        application.faults,
        system_of(application, setting),
    ) {
        (Faults::Replicas, AnySystem::Replicas(replica)) => count_enabled(&replica),
        (_, AnySystem::Template(template)) => count_enabled(&template),
        (faults, other) => panic!("{faults:?} gives {other:?}"),
    };
    let running = || sketch::state(&sketch::application(GUEST), "h1 host on\ng1 guest in in h1");
    for faults in [Faults::Forbidden, Faults::Handled] {
        application.faults = faults;
        assert_eq!(enabled(&application, Setting::default()), 1, "the host starts");
        let setting = Setting { start: running(), ..Setting::default() };
        assert_eq!(enabled(&application, setting), 2, "the host stops or the guest starts");
    }
    application.faults = Faults::Replicas;
    assert_eq!(enabled(&application, Setting::default()), 0, "nothing exists");
    let setting = Setting { start: running(), ..Setting::default() };
    assert_eq!(enabled(&application, setting), 4, "the same, and both can be scaled in");
}

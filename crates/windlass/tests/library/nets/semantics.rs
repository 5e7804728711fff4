//! The seven rules of the library: counts equal those of the naive enumeration, no element ever
//! holds two tokens, rules of our own do what they say.

use std::collections::BTreeSet;

use windlass::application::assembly::Assembly;
use windlass::explore::{self, Derived, Options};
use windlass::semantics::Semantics;
use windlass::semantics::net::{Action, Blocked, Madeus, Trouble, Valuation};
use windlass::system::{System, Unlimited};

use super::naive::World;
use super::random::{self, SMALL, Shape};
use super::{CROSSED, FIVE, PASSING, TWO_COMPONENTS, application, long};

/// Reachable states, steps between them, states without a step.
fn count(text: &str) -> (usize, usize, usize) {
    let application = application(text);
    let assembly = Assembly::new(&application).unwrap();
    let madeus = Madeus::new(&assembly);
    let form = Derived(&madeus);
    let space = explore::space(&form, &Options::default(), &mut Unlimited).unwrap();
    let (mut steps, mut ends) = (0, 0);
    for state in space.states() {
        let state = space.decode(state);
        let done = madeus.candidates(&state);
        let done = done.iter().filter(|action| madeus.step(&state, action).is_ok()).count();
        steps += done;
        ends += usize::from(done == 0);
    }
    (space.states().len(), steps, ends)
}

#[test]
fn counts_equal_those_of_the_naive_enumeration() {
    let mut counts = Vec::new();
    for (name, text) in FIVE {
        let naive = World::new(&application(text)).count(usize::MAX).unwrap();
        assert_eq!(count(text), naive, "{name}");
        counts.push((name, naive));
    }
    assert_eq!(
        counts,
        [
            ("two-components", (314, 709, 2)),
            ("passing", (35, 49, 2)),
            ("crossed", (4, 4, 1)),
            ("choice", (468, 1080, 4)),
            ("replicas", (745, 2286, 1)),
        ]
    );
}

#[test]
fn counts_of_random_assemblies_equal_those_of_the_naive_enumeration() {
    let shape = Shape { types: 2, choice: true, withdrawal: true, ..SMALL };
    let mut compared = 0;
    for seed in (0..long::cases(60)).map(long::seed) {
        let text = random::assembly(seed, shape);
        let Some(naive) = World::new(&application(&text)).count(800) else { continue };
        assert_eq!(count(&text), naive, "seed {seed}\n{text}");
        compared += 1;
    }
    assert!(compared > 20, "only {compared} assemblies were small enough");
}

/// Every step moves tokens without losing one: it never puts one where one is. Looks at the first
/// three thousand states.
fn one_token(text: &str) -> usize {
    let application = application(text);
    let assembly = Assembly::new(&application).unwrap();
    let madeus = Madeus::new(&assembly);
    let mut seen = BTreeSet::from([madeus.initial()]);
    let mut open = vec![madeus.initial()];
    while let Some(state) = open.pop() {
        if seen.len() > 3000 {
            break;
        }
        for action in madeus.candidates(&state) {
            let Ok(after) = madeus.step(&state, &action) else { continue };
            let after = after.first().clone();
            let (taken, put) = (
                state.marked.difference(&after.marked).count(),
                after.marked.difference(&state.marked).count(),
            );
            let expected = match action {
                Action::Fire(_) | Action::End(_) => taken == 1 && put == 1,
                Action::Enter(_) => put == 1 && taken >= 1,
                Action::Leave(_) => taken == 1 && put >= 1,
                _ => taken == 0 && put == 0,
            };
            assert!(expected, "{}\n{text}", madeus.describe(&action));
            if seen.insert(after.clone()) {
                open.push(after);
            }
        }
    }
    seen.len()
}

#[test]
fn an_element_never_holds_two_tokens() {
    for (_, text) in FIVE {
        one_token(text);
    }
    let mut states = 0;
    for seed in (0..long::cases(60)).map(long::seed) {
        let shape = Shape { types: 2, withdrawal: true, ..SMALL };
        states += one_token(&random::assembly(seed, shape));
    }
    assert!(states > 10_000, "only {states} states were looked at");
}

/// Carries out the first action with each of these descriptions.
fn play(madeus: &Madeus<'_>, mut state: Valuation, story: &[&str]) -> Valuation {
    for line in story {
        let all = madeus.candidates(&state);
        let found = all.iter().find(|action| madeus.describe(action) == *line);
        let action = found.unwrap_or_else(|| panic!("{line} is not among the candidates"));
        let after = madeus.step(&state, action);
        state = match after {
            Ok(after) => after.first().clone(),
            Err(blocked) => panic!("{line}: {}", madeus.explain(&blocked)),
        };
    }
    state
}

#[test]
fn a_used_port_keeps_its_last_token_and_an_unused_one_is_withdrawn() {
    let application = application(PASSING);
    let assembly = Assembly::new(&application).unwrap();
    let madeus = Madeus::new(&assembly);
    let up = ["leave server.off", "start server.start", "end server.start", "enter server.on"];
    let ready = ["enable client.service -> server.service", "leave client.off"];
    let state = play(&madeus, madeus.initial(), &up);
    let state = play(&madeus, state, &ready);
    let asking = play(&madeus, state.clone(), &["start client.ask"]);
    let leave = *madeus
        .candidates(&asking)
        .iter()
        .find(|action| madeus.describe(action) == "leave server.on")
        .unwrap();
    let Err(blocked) = madeus.step(&asking, &leave) else { panic!("the port is in use") };
    assert_eq!(
        madeus.explain(&blocked),
        "`server.service` would lose its last token while transition `client.ask` uses it"
    );
    let gone = play(&madeus, state, &["leave server.on"]);
    let all = madeus.candidates(&gone);
    let start = all.iter().find(|action| madeus.describe(action) == "start client.ask").unwrap();
    assert!(matches!(madeus.step(&gone, start), Err(Blocked::DisableFirst(_))));
    let gone = play(&madeus, gone, &["disable client.service -> server.service"]);
    let Err(blocked) = madeus.step(&gone, start) else { panic!("nothing serves") };
    assert_eq!(
        madeus.explain(&blocked),
        "port `client.service` is not ready: `server.service` is provided while a token is in `on`"
    );
}

#[test]
fn two_that_wait_for_each_other_end_where_nothing_can_happen() {
    let application = application(CROSSED);
    let assembly = Assembly::new(&application).unwrap();
    let madeus = Madeus::new(&assembly);
    let state = play(&madeus, madeus.initial(), &["leave left.off", "leave right.off"]);
    assert!(madeus.candidates(&state).iter().all(|action| madeus.step(&state, action).is_err()));
    assert!(!madeus.is_final(&state));
}

#[test]
fn the_two_components_of_figure_1_always_finish() {
    let application = application(TWO_COMPONENTS);
    let assembly = Assembly::new(&application).unwrap();
    let madeus = Madeus::new(&assembly);
    let is_final = |state: &Valuation| madeus.is_final(state);
    let property = windlass::system::Property::Eventually(&is_final);
    let outcome = explore::search(&Derived(&madeus), property, &Options::default(), &mut Unlimited);
    assert!(outcome.verdict.holds(), "{:?}", outcome.verdict);
}

#[test]
fn a_failure_waits_for_a_decision() {
    let application = application(&PASSING.replace(
        "start: { from: off, to: on }",
        "start: { from: off, to: on, timeout: 1s, retry: 1, compensate: [undo] }",
    ));
    let assembly = Assembly::new(&application).unwrap();
    let madeus = Madeus { failures: true, ..Madeus::new(&assembly) };
    let started = play(&madeus, madeus.initial(), &["leave server.off", "start server.start"]);
    let theta = *started
        .marked
        .iter()
        .find_map(|e| match e {
            windlass::semantics::net::Element::Transition(theta) => Some(theta),
            _ => None,
        })
        .unwrap();
    let failed = play(&madeus, started.clone(), &["server.start times out"]);
    assert_eq!(failed.troubles[&theta], Trouble::TimedOut);
    assert!(matches!(
        madeus.step(&failed, &Action::End(theta)),
        Err(Blocked::InTrouble(at)) if at == theta
    ));
    let again = play(&madeus, failed.clone(), &["retry server.start", "server.start fails"]);
    assert!(matches!(
        madeus.step(&again, &Action::Retry(theta)),
        Err(Blocked::NoRetryLeft { most: 1, .. })
    ));
    let skipped = play(&madeus, again.clone(), &["skip server.start", "enter server.on"]);
    assert!(skipped.troubles.is_empty() && skipped.retries.is_empty());
    let undone = play(&madeus, again, &["compensate server.start"]);
    let before = play(&madeus, madeus.initial(), &["leave server.off"]);
    assert_eq!(undone, before);
    let cancelled = play(&madeus, started, &["cancel server.start"]);
    assert_eq!(cancelled.troubles[&theta], Trouble::Cancelled);
}

const STOPPING: &str = "
windlass: 1
types:
  service:
    net:
      places: [off, on]
      initial: [off]
      transitions:
        start: { from: off, to: on }
        stop: { from: on, to: off, behavior: stop }
      groups: { up: [on] }
      ports:
        service: { kind: provide, groups: [up] }
  client:
    net:
      places: [off, on]
      initial: [off]
      transitions:
        connect: { from: off, to: on }
        leave: { from: on, to: off, behavior: stop }
      ports:
        service: { kind: use, places: [on] }
nodes:
  service: { type: service, behaviors: [deploy, stop, deploy] }
  client: { type: client, behaviors: [deploy, stop], bind: { service: service.service } }
";

#[test]
fn behaviors_follow_each_other_and_a_place_holds_its_port() {
    let application = application(STOPPING);
    let assembly = Assembly::new(&application).unwrap();
    let madeus = Madeus::new(&assembly);
    let state = play(
        &madeus,
        madeus.initial(),
        &[
            "leave service.off",
            "start service.start",
            "end service.start",
            "enter service.on",
            "next behavior of service",
            "enable client.service -> service.service",
            "leave client.off",
            "start client.connect",
            "end client.connect",
            "enter client.on",
        ],
    );
    let leave = madeus.candidates(&state);
    let leave = leave.iter().find(|a| madeus.describe(a) == "leave service.on").unwrap();
    assert!(matches!(madeus.step(&state, leave), Err(Blocked::StillUsed { .. })));
    let state = play(
        &madeus,
        state,
        &["next behavior of client", "leave client.on", "start client.leave", "end client.leave"],
    );
    let state = play(
        &madeus,
        state,
        &[
            "leave service.on",
            "disable client.service -> service.service",
            "start service.stop",
            "end service.stop",
            "enter service.off",
            "next behavior of service",
            "leave service.off",
            "start service.start",
        ],
    );
    assert!(!madeus.is_final(&state));
    let form = Derived(&madeus);
    let space = explore::space(&form, &Options::default(), &mut Unlimited).unwrap();
    assert!(space.states().any(|at| madeus.is_final(&space.decode(at))));
}

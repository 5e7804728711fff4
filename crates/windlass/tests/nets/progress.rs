//! What the order of events says agrees with what a search finds.

use windlass::analyze::nets;
use windlass::application::assembly::{Assembly, progress};
use windlass::explore::{self, Derived, Options};
use windlass::rule;
use windlass::semantics::Semantics;
use windlass::semantics::net::{Element, Madeus, Valuation};
use windlass::source::Sources;
use windlass::system::{Evidence, Limits, Property, System, Unlimited, Verdict};

use super::random::{self, SMALL, Shape};
use super::{CHOICE, CROSSED, PASSING, TWO_COMPONENTS, application, long};

#[test]
fn the_order_of_events_agrees_with_a_search() {
    let (mut completes, mut stuck) = (0, 0);
    for seed in (0..long::cases(2000)).map(long::seed) {
        let text = random::assembly(seed, Shape { types: 2, ..SMALL });
        let application = application(&text);
        let assembly = Assembly::new(&application).unwrap();
        let found = progress::progress(&assembly).expect("no choice, nothing withdrawn");
        let mut limits = Limits { states: 400, bytes: usize::MAX };
        let options = Options::default();
        let Ok(searched) = nets::by_search(&assembly, &options, &mut limits) else { continue };
        let by_order = nets::overview(&assembly, &options, &mut Unlimited).unwrap();
        assert_eq!(by_order.method, "order");
        assert_eq!(by_order.completes, searched.completes, "seed {seed}\n{text}");
        assert_eq!(by_order.never_run, searched.never_run, "seed {seed}\n{text}");
        assert_eq!(by_order.never_reached, searched.never_reached, "seed {seed}\n{text}");
        assert_eq!(found.completes(&assembly), by_order.completes);
        if by_order.completes { completes += 1 } else { stuck += 1 }
    }
    assert!(completes > 100 && stuck > 100, "{completes} complete, {stuck} get stuck");
}

#[test]
fn a_cycle_is_explained_in_one_sentence() {
    let application = application(CROSSED);
    let assembly = Assembly::new(&application).unwrap();
    let found = nets::overview(&assembly, &Options::default(), &mut Unlimited).unwrap();
    assert!(!found.completes);
    assert_eq!(
        found.because.unwrap(),
        "`left.start` waits for port `left.other`, which `right.start` would provide; \
         `right.start` waits for port `right.other`, which `left.start` would provide: a cycle"
    );
    assert_eq!(found.never_run, ["left.start", "right.start"]);
    assert_eq!(found.never_reached, ["left.on", "right.on"]);
}

#[test]
fn what_can_be_chosen_or_withdrawn_is_searched() {
    for (text, completes) in [(PASSING, false), (CHOICE, false)] {
        let application = application(text);
        let assembly = Assembly::new(&application).unwrap();
        let found = nets::overview(&assembly, &Options::default(), &mut Unlimited).unwrap();
        assert_eq!((found.method, found.completes), ("search", completes));
        assert_eq!(found.completes, found.run.is_empty());
    }
}

#[test]
fn a_valuation_is_reached_by_a_shortest_run() {
    let application = application(TWO_COMPONENTS);
    let assembly = Assembly::new(&application).unwrap();
    let reach = |text: &str| {
        let wanted = nets::wanted(&assembly, text).unwrap();
        nets::reach(&assembly, &wanted, &Options::default(), &mut Unlimited).unwrap()
    };
    assert_eq!(
        reach("server.allocate, !server.initial").unwrap(),
        ["leave server.initial", "start server.allocate"]
    );
    assert_eq!(reach("client.running, !server.running"), None);
    assert!(nets::wanted(&assembly, "server.nowhere").is_err());
}

#[test]
fn what_has_to_happen_is_a_shortest_run_and_no_more() {
    let (mut compared, mut never) = (0, 0);
    for seed in (0..long::cases(100)).map(long::seed) {
        let text = random::assembly(seed, Shape { types: 2, ..SMALL });
        let application = application(&text);
        let assembly = Assembly::new(&application).unwrap();
        if progress::progress(&assembly).is_err() {
            continue;
        }
        let madeus = Madeus::new(&assembly);
        for place in assembly.place_ids() {
            let name = assembly.place_name(place);
            let wanted = nets::wanted(&assembly, &name).unwrap();
            // The search of `reach` is left out by a budget that allows none.
            let mut nothing = Limits { states: 0, bytes: 0 };
            let by_need = nets::reach(&assembly, &wanted, &Options::default(), &mut nothing);
            let Ok(by_need) = by_need else { continue };
            let holds = |state: &Valuation| state.is_marked(Element::Place(place));
            let mut limits = Limits { states: 20_000, bytes: usize::MAX };
            let property = Property::Reachable(&holds);
            let found =
                explore::search(&Derived(&madeus), property, &Options::default(), &mut limits);
            let searched = match found.verdict {
                Verdict::Holds(Evidence::Trace(trace)) => Some(trace.actions().count()),
                Verdict::Unknown(_) => continue,
                _ => None,
            };
            assert_eq!(by_need.as_ref().map(Vec::len), searched, "{name}, seed {seed}\n{text}");
            compared += 1;
            never += usize::from(searched.is_none());
            // It is a run of the rules.
            let mut state = madeus.initial();
            for told in by_need.into_iter().flatten() {
                let candidates = madeus.candidates(&state).into_iter();
                let step = candidates
                    .filter(|action| madeus.describe(action) == told)
                    .find_map(|action| madeus.step(&state, &action).ok());
                let step = step.unwrap_or_else(|| panic!("{told} of {name}, seed {seed}\n{text}"));
                state = step.first().clone();
            }
            assert_eq!(state.is_marked(Element::Place(place)), searched.is_some());
        }
    }
    assert!(compared > 100 && never > 0, "{compared}, {never}");
}

/// Chains and stars of any size, as texts.
pub fn large(shape: &str, components: usize) -> String {
    let mut text = String::from(
        "windlass: 1\ntypes:\n  part:\n    net:\n      places: [off, on]\n      initial: [off]\n      \
         transitions: { start: { from: off, to: on, duration: 1s } }\n      groups: { up: [on] }\n      \
         ports:\n        mine: { kind: provide, groups: [up] }\n        \
         other: { kind: use, transitions: [start] }\n  first:\n    net:\n      places: [off, on]\n      \
         initial: [off]\n      transitions: { start: { from: off, to: on, duration: 1s } }\n      \
         groups: { up: [on] }\n      ports:\n        mine: { kind: provide, groups: [up] }\nnodes:\n  \
         n0: { type: first }\n",
    );
    for at in 1..components {
        let to = if shape == "chain" { at - 1 } else { 0 };
        text.push_str(&format!("  n{at}: {{ type: part, bind: {{ other: n{to}.mine }} }}\n"));
    }
    text
}

#[test]
fn large_assemblies_are_decided_and_simulated_in_linear_time() {
    for shape in ["chain", "star"] {
        let application = application(&large(shape, 20_000));
        let assembly = Assembly::new(&application).unwrap();
        assert!(progress::progress(&assembly).unwrap().completes(&assembly));
        let schedule =
            windlass::simulate::simulate(&assembly, &windlass::simulate::Scenario::default());
        assert!(schedule.is_finished());
        let seconds = if shape == "chain" { 20_000 } else { 2 };
        assert_eq!(schedule.makespan.as_secs(), seconds);
    }
    let findings = rule::check(&application(&large("chain", 2_000)), &Sources::new());
    assert!(findings.is_empty(), "{findings:?}");
}

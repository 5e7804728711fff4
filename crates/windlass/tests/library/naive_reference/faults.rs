//! Faults: pending, resolved, handled, ending an operation.

use super::{finals, judged};
use crate::naive::Verdict::{NotValid, Valid, WeaklyValid};
use crate::naive::replicas::{Report, observe, step};
use crate::naive::state::{Place, State};
use crate::naive::workflow::Event;
use crate::naive::world::World;
use crate::naive::{GoalCheck, text};
use windlass::application::Policy;

/// Both kinds of horizontal needs, in states and in transitions, and a repair after a fault.
const SERVICES: &str = "
    node db
      state off
      state on offers sql
      start off -> on
      stop on -> off
    node loose
      needs db db.sql unaware
      state off
      state on needs db else off
      start off -> on needs db else off
      stop on -> off
    node tight
      needs db db.sql aware
      state off
      state on needs db else failed
      state failed
      start off -> on needs db else failed
      stop on -> off
      repair failed -> off
    node fragile
      needs db db.sql unaware
      state off
      state on needs db
      start off -> on needs db
";

/// Executes events one after the other; each must have exactly one outcome.
fn run(start: &str, events: &[&str]) -> State {
    let application = text::application(SERVICES);
    let world = World { application: &application, policy: Policy::Any };
    let mut state = State::from_global(&application, &text::state(&application, start));
    for event in events {
        let words: Vec<String> = event.split(' ').map(str::to_owned).collect();
        let id = words[1].clone();
        let event = match words[0].as_str() {
            "start" => Event::Start { id, operation: words[2].clone() },
            "end" => Event::End { id, operation: words[2].clone() },
            "in" => Event::ScaleIn { id },
            _ => Event::ScaleOut { node: words[2].clone(), id, container: None },
        };
        let outcome = step(&world, &state, &event);
        assert!(outcome.is_good() && outcome.settled.len() == 1, "{event:?}: {outcome:?}");
        state = outcome.settled.into_iter().next().unwrap_or_default();
    }
    state
}

fn place(state: &State, id: &str) -> Place {
    state.active[id].place.clone()
}

/// op-start has no premise on requirements; the fault stays pending until op-end, which op-fault
/// turns into the handler. That alone fails no plan (semantics.md point 5); a later `stop` does.
#[test]
fn a_need_on_a_transition() {
    let start = "d1:db=off w1:loose=off";
    let judgement = judged(SERVICES, start, "a: w1 start");
    assert_eq!((judgement.verdict, judgement.shortest_fault), (Valid, Some(1)));
    assert_eq!(finals(&judgement), ["d1=off w1=off"]);
    let then_stop = judged(SERVICES, start, "a: w1 start ; b: w1 stop ; a < b");
    assert_eq!((then_stop.verdict, then_stop.shortest_failure), (NotValid, Some(2)));
}

/// A replica-unaware need of a transition is resolved when a provider appears before the end; a
/// replica-aware one was bound at op-start or never.
#[test]
fn a_provider_that_comes_during_the_operation() {
    let events = ["start w1 start", "start d1 start", "end d1 start", "end w1 start"];
    let loose = run("d1:db=off w1:loose=off", &events);
    assert_eq!(place(&loose, "w1"), Place::In("on".to_owned()));
    let tight = run("d1:db=off w1:tight=off", &events);
    assert_eq!(place(&tight, "w1"), Place::In("failed".to_owned()));
}

/// The binding of a replica-aware need outlives a stop of its provider, so that a provider which
/// is back before the end leaves no fault pending; a new instance with the same id is another one.
#[test]
fn a_provider_that_comes_back_during_the_operation() {
    let back = run(
        "d1:db=on w1:tight=off",
        &[
            "start w1 start",
            "start d1 stop",
            "end d1 stop",
            "start d1 start",
            "end d1 start",
            "end w1 start",
        ],
    );
    assert_eq!(place(&back, "w1"), Place::In("on".to_owned()));
    let again = run(
        "d1:db=on w1:tight=off",
        &["start w1 start", "in d1", "out d1 db", "start d1 start", "end d1 start", "end w1 start"],
    );
    assert_eq!(place(&again, "w1"), Place::In("failed".to_owned()));
}

/// Two unordered starts: every trace can be executed, but where w1 ends depends on the order, so
/// the plan is valid and not deterministic, and a goal is met sometimes.
#[test]
fn valid_and_not_deterministic() {
    let start = "d1:db=off w1:loose=off";
    let judgement = judged(SERVICES, start, "a: d1 start ; b: w1 start");
    assert_eq!((judgement.verdict, judgement.deterministic), (Valid, Some(false)));
    assert_eq!(finals(&judgement), ["d1=on w1=off", "d1=on w1=on"]);
    let up = |state: &State| place(state, "w1") == Place::In("on".to_owned());
    assert_eq!(judgement.goal(&up), GoalCheck::Sometimes);
    let ordered = judged(SERVICES, start, "a: d1 start ; b: w1 start ; a < b");
    assert_eq!(ordered.goal(&up), GoalCheck::Met);
    assert_eq!(ordered.shortest_fault, None);
}

/// Def. 3.8: a lost provider of a replica-aware need is a fault although another one offers; of a
/// replica-unaware one it is resolved and no fault in our texts.
#[test]
fn lost_providers_aware_and_unaware() {
    let tight = judged(SERVICES, "d1:db=on d2:db=on w1:tight=on w1.db>d1", "a: - d1");
    assert_eq!(finals(&tight), ["d2=on w1=failed"]);
    assert_eq!(tight.shortest_fault, Some(1));
    let other = judged(SERVICES, "d1:db=on d2:db=on w1:tight=on w1.db>d1", "a: - d2");
    assert_eq!(finals(&other), ["d1=on w1=on"]);
    let loose = judged(SERVICES, "d1:db=on d2:db=on w1:loose=on w1.db>d1", "a: - d1");
    assert_eq!(finals(&loose), ["d2=on w1=on"]);
    assert_eq!((loose.verdict, loose.shortest_fault), (Valid, None));
    assert!(loose.finals.iter().all(|state| state.bound("w1", "db") == ["d2".to_owned()].into()));
}

/// The capability stops with the START of `stop`: the transition offers nothing. So the handler
/// runs with the first action, and the repair that follows in order is executable.
#[test]
fn a_handler_makes_a_later_action_executable() {
    let start = "d1:db=on w1:tight=on w1.db>d1";
    let judgement = judged(SERVICES, start, "a: d1 stop ; b: w1 repair ; a < b");
    assert_eq!((judgement.verdict, judgement.shortest_fault), (Valid, Some(1)));
    assert_eq!(finals(&judgement), ["d1=off w1=off"]);
}

/// Without the order, `repair` exists only after the fault: all good traces are faulting ones.
#[test]
fn weakly_valid_through_faults_only() {
    let start = "d1:db=on w1:tight=on w1.db>d1";
    let judgement = judged(SERVICES, start, "a: d1 stop ; b: w1 repair");
    assert_eq!(judgement.verdict, WeaklyValid);
    assert_eq!((judgement.shortest_failure, judgement.shortest_fault), (Some(0), Some(1)));
}

/// A fault that no handler takes: in a state the action that causes it fails; in a transition the
/// end of the operation does (semantics.md point 4).
#[test]
fn no_handler() {
    let start = "d1:db=on f1:fragile=on f1.db>d1";
    let in_state = judged(SERVICES, start, "a: d1 stop");
    assert_eq!((in_state.verdict, in_state.shortest_failure), (NotValid, Some(0)));
    assert_eq!(in_state.shortest_fault, Some(1));
    let in_transition = judged(SERVICES, "d1:db=off f1:fragile=off", "a: f1 start");
    assert_eq!((in_transition.verdict, in_transition.shortest_failure), (NotValid, Some(1)));
    // A provider in time saves it: some order of the two is good.
    let saved = judged(SERVICES, "d1:db=off f1:fragile=off", "a: f1 start ; b: d1 start");
    assert_eq!(saved.verdict, WeaklyValid);
}

/// Faults of the start state settle with the first action, whatever it is.
#[test]
fn the_start_state_settles_with_the_first_action() {
    // Resolvable: it is rebound and nothing is lost.
    let resolved = judged(SERVICES, "d1:db=on w1:loose=on", "a: + d2 db");
    assert_eq!((resolved.verdict, resolved.shortest_fault), (Valid, None));
    assert_eq!(finals(&resolved), ["d1=on d2=off w1=on"]);
    // Not resolvable: handled, although the action is about something else.
    let handled = judged(SERVICES, "d1:db=off w1:loose=on", "a: + d2 db");
    assert_eq!((handled.verdict, handled.shortest_fault), (Valid, Some(1)));
    assert_eq!(finals(&handled), ["d1=off d2=off w1=off"]);
    // The first action itself sees the start state as it is: `stop` exists in `on`.
    let stopped = judged(SERVICES, "d1:db=off w1:loose=on", "a: w1 stop");
    assert_eq!((stopped.verdict, stopped.shortest_fault), (Valid, None));
}

/// Containment needs fault too (Def. 3.8 and its example), and are never resolved.
#[test]
fn containment_faults() {
    let hosts = "
        node host
          state off
          state on offers place
          stop on -> off
        node guest
          needs place host.place containment
          state off
          state on needs place else off
    ";
    let start = "h1:host=on h2:host=on g1:guest=on@h1";
    let judgement = judged(hosts, start, "a: h1 stop");
    assert_eq!((judgement.verdict, judgement.shortest_fault), (Valid, Some(1)));
    assert_eq!(finals(&judgement), ["g1=off h1=off h2=on"]);
}

/// A fault spreads: the handler of one instance takes away what the next one needs. The order in
/// which handlers run makes no difference at the end.
#[test]
fn a_chain_of_faults() {
    let chain = "
        node a
          state off
          state on offers x
          stop on -> off
        node b
          needs x a.x unaware
          state off
          state on needs x offers y else off
        node c
          needs y b.y aware
          needs x a.x aware
          state off
          state half needs x else off
          state on needs x y else half off
    ";
    let start = "a1:a=on b1:b=on b1.x>a1 c1:c=on c1.y>b1 c1.x>a1 c2:c=on c2.y>b1 c2.x>a1";
    let judgement = judged(chain, start, "s: a1 stop");
    assert_eq!((judgement.verdict, judgement.deterministic), (Valid, Some(true)));
    assert_eq!(finals(&judgement), ["a1=off b1=off c1=off c2=off"]);
    assert_eq!(judgement.finals.len(), 1);
    assert!(judgement.finals.iter().all(|state| state.horizontal.is_empty()));
}

/// Of the handlers that drop the requirement, the one that keeps most (handle-fault): a fault of
/// `y` leads to `half`, one of `x` to `off`.
#[test]
fn the_handler_that_keeps_most() {
    let application = "
        node p
          state on offers x y
          state less offers x
          state none offers y
          weaken on -> less offers x
          switch on -> none offers y
        node c
          needs x p.x aware
          needs y p.y aware
          state off
          state half needs x else off
          state on needs x y else off half
    ";
    let start = "p1:p=on c1:c=on c1.x>p1 c1.y>p1";
    assert_eq!(finals(&judged(application, start, "s: p1 weaken")), ["c1=half p1=less"]);
    assert_eq!(finals(&judged(application, start, "s: p1 switch")), ["c1=off p1=none"]);
}

/// Rule `observe`: the model follows, and faults settle.
#[test]
fn observations() {
    let application = text::application(SERVICES);
    let world = World { application: &application, policy: Policy::Any };
    let start = text::state(&application, "d1:db=on w1:tight=on w1.db>d1");
    let start = State::from_global(&application, &start);
    let same = observe(&world, &start, "d1", &Report::In("on".to_owned()));
    assert_eq!(same.settled, [start.clone()].into());
    for report in [Report::In("off".to_owned()), Report::Gone] {
        let outcome = observe(&world, &start, "d1", &report);
        assert!(outcome.fault && outcome.settled.len() == 1);
        let state = outcome.settled.first().expect("one");
        assert_eq!(place(state, "w1"), Place::In("failed".to_owned()));
    }
}

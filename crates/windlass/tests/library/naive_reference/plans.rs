//! Plans, order and identifiers.

use super::{finals, judged};
use crate::naive::Verdict::{NotValid, Valid, WeaklyValid};
use crate::naive::workflow::Refusal;
use crate::naive::{GoalCheck, judge, judge_sequence, text};
use windlass::application::Policy;

/// A server without needs, hosts, and what can be put on hosts.
const SIMPLE: &str = "
    node web
      state off
      state on offers page
      start off -> on
      stop on -> off
      check off -> off
      restart on -> on
    node host
      state off
      state on offers place
      start off -> on
      stop on -> off
    node guest
      needs place host.place containment
      state off
      state on needs place else off
      start off -> on needs place else off
    node inner
      needs place guest.room containment
      state off
";

/// Def. 4.2 with n = 0: nothing to execute, the start state is the final one, even with a fault
/// pending in it: it is taken as given.
#[test]
fn empty_plan_is_valid() {
    let judgement = judged(SIMPLE, "h1:host=off g1:guest=on@h1", "");
    assert_eq!(judgement.verdict, Valid);
    assert_eq!(judgement.deterministic, Some(true));
    assert_eq!(judgement.shortest_fault, None);
    assert_eq!(finals(&judgement), ["g1=on h1=off"]);
}

/// A plan is an ACYCLIC workflow (Sec. 4.2); a cycle has no traces and must not be valid for that.
#[test]
fn cyclic_order_is_refused() {
    let application = text::application(SIMPLE);
    let start = text::state(&application, "w1:web=off");
    for order in ["a < b ; b < a", "a < a"] {
        let plan = text::plan(&format!("a: w1 start ; b: w1 stop ; {order}"));
        let refused = judge(&application, &start, &plan, Policy::Any, 100);
        assert_eq!(refused, Err(Refusal::CyclicOrder));
    }
}

/// Unknown names are mistakes, and the label is given.
#[test]
fn unknown_names_are_refused() {
    let application = text::application(SIMPLE);
    let start = text::state(&application, "w1:web=off");
    let refusal = |plan: &str| judge(&application, &start, &text::plan(plan), Policy::Any, 100);
    assert_eq!(refusal("x: w2 start"), Err(Refusal::UnknownInstance("x".to_owned())));
    assert_eq!(refusal("x: w1 dance"), Err(Refusal::UnknownOperation("x".to_owned())));
    assert_eq!(refusal("x: + q1 queue"), Err(Refusal::UnknownNode("x".to_owned())));
    assert_eq!(refusal("x: + g1 guest @ h9"), Err(Refusal::UnknownInstance("x".to_owned())));
}

/// op-start needs a transition from the current state: `stop` first has none in `off`. The order
/// start, stop is good, so the plan is weakly valid and fails with nothing executed.
#[test]
fn unordered_actions_on_one_instance() {
    let judgement = judged(SIMPLE, "w1:web=off", "a: w1 start ; b: w1 stop");
    assert_eq!(judgement.verdict, WeaklyValid);
    assert_eq!(judgement.shortest_failure, Some(0));
    assert_eq!(judgement.deterministic, None);
}

/// Both operations exist in `off`, but op-start wants a state, and the other is in a transition
/// after its own start: one action is executed before the failing one.
#[test]
fn overlapping_operations_on_one_instance() {
    let judgement = judged(SIMPLE, "w1:web=off", "a: w1 start ; b: w1 check");
    assert_eq!(judgement.verdict, WeaklyValid);
    assert_eq!(judgement.shortest_failure, Some(1));
}

/// `restart` leads back to where it starts, so twice in order is ordinary; without order the two
/// starts can overlap; `start` twice has no second transition in any order.
#[test]
fn an_operation_twice() {
    let plan = "a: w1 restart ; b: w1 restart ; a < b";
    assert_eq!(judged(SIMPLE, "w1:web=on", plan).verdict, Valid);
    let unordered = judged(SIMPLE, "w1:web=on", "a: w1 restart ; b: w1 restart");
    assert_eq!((unordered.verdict, unordered.shortest_failure), (WeaklyValid, Some(1)));
    let twice = judged(SIMPLE, "w1:web=off", "a: w1 start ; b: w1 start ; a < b");
    assert_eq!((twice.verdict, twice.shortest_failure), (NotValid, Some(2)));
    let beside = judged(SIMPLE, "w1:web=off", "a: w1 start ; b: w1 start");
    assert_eq!((beside.verdict, beside.shortest_failure), (NotValid, Some(1)));
}

/// scaleout wants an unused id: it is unused again after scalein.
#[test]
fn id_used_again_after_scale_in() {
    let judgement = judged(SIMPLE, "w1:web=on", "a: - w1 ; b: + w1 web ; c: w1 start ; a < b < c");
    assert_eq!(judgement.verdict, Valid);
    assert_eq!(finals(&judgement), ["w1=on"]);
    let unordered = judged(SIMPLE, "w1:web=on", "a: - w1 ; b: + w1 web");
    assert_eq!((unordered.verdict, unordered.shortest_failure), (WeaklyValid, Some(0)));
}

/// The id of a contained instance is unused as soon as its container is gone: destroy comes before
/// anything else (no-broken-instances).
#[test]
fn id_used_again_after_its_container_went() {
    let plan = "a: - h1 ; b: + h1 host ; c: + g1 guest @ h1 ; a < b < c";
    let judgement = judged(SIMPLE, "h1:host=on g1:guest=on@h1", plan);
    assert_eq!(judgement.verdict, Valid);
    assert_eq!(finals(&judgement), ["g1=off h1=off"]);
}

/// scaleout of an id that is alive: the premise fails in every order.
#[test]
fn scale_out_of_a_live_id() {
    let judgement = judged(SIMPLE, "w1:web=on", "a: + w1 web");
    assert_eq!((judgement.verdict, judgement.shortest_failure), (NotValid, Some(0)));
    assert!(judgement.finals.is_empty());
    assert_eq!(judgement.goal(&|_| true), GoalCheck::NotMet);
}

/// scaleout-c wants the container to be there and to be of the right node; not that it offers.
#[test]
fn containers_of_scale_out() {
    let start = "h1:host=off w1:web=on";
    assert_eq!(judged(SIMPLE, start, "a: + g1 guest @ h1").verdict, Valid);
    assert_eq!(judged(SIMPLE, start, "a: + g1 guest @ w1").verdict, NotValid);
    assert_eq!(judged(SIMPLE, start, "a: + g1 guest").verdict, NotValid);
    assert_eq!(judged(SIMPLE, start, "a: + w2 web @ h1").verdict, NotValid);
    let gone = judged(SIMPLE, start, "a: - h1 ; b: + g1 guest @ h1 ; a < b");
    assert_eq!((gone.verdict, gone.shortest_failure), (NotValid, Some(1)));
}

/// Removing a container destroys what it holds, and what that holds; this is no fault, although
/// the guest needed its place. A later action on the guest has no instance to act on.
#[test]
fn nested_destroy() {
    let start = "h1:host=on g1:guest=on@h1 i1:inner=off@g1";
    let judgement = judged(SIMPLE, start, "a: - h1");
    assert_eq!(judgement.verdict, Valid);
    assert_eq!(judgement.shortest_fault, None);
    assert_eq!(finals(&judgement), [""]);
    let later = judged(SIMPLE, start, "a: - h1 ; b: - i1 ; a < b");
    assert_eq!((later.verdict, later.shortest_failure), (NotValid, Some(1)));
    // Without order the inner one may be removed first, so some order is good.
    assert_eq!(judged(SIMPLE, start, "a: - h1 ; b: - i1").verdict, WeaklyValid);
}

/// Nothing forbids scale-in during an operation; its end then has no instance.
#[test]
fn scale_in_during_an_operation() {
    let judgement = judged(SIMPLE, "w1:web=off", "a: w1 start ; b: - w1");
    assert_eq!((judgement.verdict, judgement.shortest_failure), (WeaklyValid, Some(1)));
}

/// A broken instance in the start state: only destroy may run, and it is no action of a plan.
#[test]
fn a_broken_start_state_blocks() {
    let judgement = judged(SIMPLE, "w1:web=off g1:guest=off@h1", "a: w1 start");
    assert_eq!((judgement.verdict, judgement.shortest_failure), (NotValid, Some(0)));
}

/// A sequence counts the order of the document, and nothing else.
#[test]
fn sequences() {
    let application = text::application(SIMPLE);
    let start = text::state(&application, "w1:web=off");
    let plan = text::plan("a: w1 start ; b: w1 stop ; c: w1 check");
    let judged = judge_sequence(&application, &start, &plan, Policy::Any, 100);
    let judgement = judged.expect("not refused").expect("small");
    assert_eq!(judgement.verdict, Valid);
    assert_eq!(judgement.configurations, 7);
    let plan = text::plan("b: w1 stop ; a: w1 start");
    let judged = judge_sequence(&application, &start, &plan, Policy::Any, 100);
    assert_eq!(judged.expect("not refused").map(|j| j.verdict), Some(NotValid));
}

/// The limit gives no verdict, never a wrong one.
#[test]
fn too_big_is_no_verdict() {
    let application = text::application(SIMPLE);
    let start = text::state(&application, "w1:web=off w2:web=off w3:web=off");
    let plan = text::plan("a: w1 start ; b: w2 start ; c: w3 start");
    let judged = |limit| judge(&application, &start, &plan, Policy::Any, limit);
    // Three independent operations have 3^3 configurations.
    assert_eq!(judged(26), Ok(None));
    let judgement = judged(27).expect("not refused").expect("fits");
    assert_eq!((judgement.verdict, judgement.configurations), (Valid, 27));
}

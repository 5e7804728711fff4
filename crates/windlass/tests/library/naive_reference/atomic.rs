//! The relations of paper 003 and of its successor with handlers.

use super::{finals, judged};
use crate::naive::Verdict::{NotValid, Valid, WeaklyValid};
use crate::naive::atomic::count;
use crate::naive::state::State;
use crate::naive::text;
use crate::naive::world::World;
use windlass::application::Policy;

/// Figures 2 and 4: two web services on Apache on Debian on a virtual machine.
const SERVICES: &str = "
    forbidden
    node vm
      state down
      state up offers container
      start down -> up
      stop up -> down
    node debian
      needs container vm.container containment
      state not-installed
      state available
      state running needs container offers software
      install not-installed -> available needs container
      uninstall available -> not-installed needs container
      start available -> running needs container
      shutdown running -> available needs container
    node apache
      needs container debian.software containment
      state unavailable
      state stopped
      state working needs container offers runtime
      setup unavailable -> stopped needs container
      uninstall stopped -> unavailable needs container
      run stopped -> working needs container
      stop working -> stopped
      configure working -> working
    node translator
      needs runtime apache.runtime containment
      state not-deployed
      state deployed needs runtime
      deploy not-deployed -> deployed needs runtime
      undeploy deployed -> not-deployed needs runtime
    node convertor
      needs runtime apache.runtime containment
      state not-deployed
      state deployed needs runtime
      deploy not-deployed -> deployed needs runtime
      undeploy deployed -> not-deployed needs runtime
";

const INITIAL: &str = "vm:vm=down debian:debian=not-installed apache:apache=unavailable
    translator:translator=not-deployed convertor:convertor=not-deployed";

const ALL_UP: &str = "vm:vm=up debian:debian=running apache:apache=working
    translator:translator=deployed convertor:convertor=deployed";

/// Fig. 5: Apache cannot be configured in `stopped`, after four operations.
#[test]
fn figure_3a_is_not_valid() {
    let plan = "a: vm start ; b: debian install ; c: debian start ; d: apache setup
        e: apache configure ; f: apache run ; g: translator deploy ; h: convertor deploy
        a < b < c < d < e < f < g ; f < h";
    let judgement = judged(SERVICES, INITIAL, plan);
    assert_eq!((judgement.verdict, judgement.shortest_failure), (NotValid, Some(4)));
}

/// Fig. 6: Apache cannot be set up while Debian does not run, after two operations.
#[test]
fn figure_3b_is_not_valid() {
    let plan = "a: vm start ; b: debian install ; d: apache setup ; c: debian start
        e: apache run ; f: apache configure ; g: translator deploy ; h: convertor deploy
        a < b < d < c < e < f < g ; f < h";
    let judgement = judged(SERVICES, INITIAL, plan);
    assert_eq!((judgement.verdict, judgement.shortest_failure), (NotValid, Some(2)));
}

/// All traces are valid and reach the same global state.
#[test]
fn figure_3c_is_valid() {
    let plan = "a: vm start ; b: debian install ; c: debian start ; d: apache setup
        e: apache run ; f: apache configure ; g: translator deploy ; h: convertor deploy
        a < b < c < d < e < f < g ; f < h";
    let judgement = judged(SERVICES, INITIAL, plan);
    assert_eq!((judgement.verdict, judgement.deterministic), (Valid, Some(true)));
}

/// Def. 7: `vm stop` is executable, but the state it reaches is inconsistent (Def. 6).
#[test]
fn inconsistent_states_are_forbidden() {
    let judgement = judged(SERVICES, ALL_UP, "a: vm stop");
    assert_eq!((judgement.verdict, judgement.shortest_failure), (NotValid, Some(0)));
    assert_eq!(judgement.shortest_fault, Some(1));
    assert!(judgement.finals.is_empty());
    let partly = "a: translator undeploy ; b: convertor undeploy ; c: apache stop ; a < c";
    let judgement = judged(SERVICES, ALL_UP, partly);
    assert_eq!((judgement.verdict, judgement.shortest_failure), (WeaklyValid, Some(1)));
    // From an inconsistent state nothing runs, but nothing asked is nothing failed.
    let inconsistent = INITIAL.replace("translator=not-deployed", "translator=deployed");
    assert_eq!(judged(SERVICES, &inconsistent, "a: vm start").verdict, NotValid);
    assert_eq!(judged(SERVICES, &inconsistent, "").verdict, Valid);
}

/// Alternatives (s, H, o, s') with different H: one whose condition holds is enough, and `start`
/// of p is what makes a condition hold.
#[test]
fn alternatives_by_condition() {
    let application = "
        forbidden
        node p
          state off
          state on offers x
          start off -> on
        node q
          needs x p.x aware
          needs y p.y aware
          state idle
          state done
          go idle -> done needs y
          go idle -> done needs x
    ";
    let start = "p:p=off q:q=idle";
    assert_eq!(judged(application, start, "a: q go").verdict, NotValid);
    assert_eq!(judged(application, start, "a: p start ; b: q go ; a < b").verdict, Valid);
    let judgement = judged(application, start, "a: p start ; b: q go");
    assert_eq!((judgement.verdict, judgement.shortest_failure), (WeaklyValid, Some(0)));
}

/// `handled`: the same operation is followed by handlers, and may not start while a fault is
/// pending.
#[test]
fn handled_faults() {
    let application = "
        handled
        node p
          state off
          state on offers x
          start off -> on
          stop on -> off
        node q
          needs x p.x containment
          state idle
          state broken
          state busy needs x else broken
          go idle -> busy needs x
          mend broken -> idle
        node r
          needs x p.x aware
          state idle
          state busy needs x
    ";
    let judgement = judged(application, "p:p=on q:q=busy", "a: p stop ; b: q mend ; a < b");
    assert_eq!((judgement.verdict, judgement.shortest_fault), (Valid, Some(1)));
    assert_eq!(finals(&judgement), ["p=off q=idle"]);
    let unhandled = judged(application, "p:p=on r:r=busy", "a: p stop");
    assert_eq!((unhandled.verdict, unhandled.shortest_failure), (NotValid, Some(0)));
    let pending = judged(application, "p:p=off q:q=busy", "a: p start");
    assert_eq!((pending.verdict, pending.shortest_failure), (NotValid, Some(0)));
}

/// Explicit steps. From (off, idle): start, go, stop gives (off, busy), which is inconsistent; the
/// handler gives (off, broken), from where everything goes on: 6 pairs, one inconsistent, no
/// deadlock. Without handlers (off, busy) is the end, and `broken` is never seen. Hard recovery
/// finds the container of a broken q in its initial state and adds steps, but no states.
#[test]
fn explicit_steps_are_counted() {
    let text = "
        handled
        node p
          state off
          state on offers x
          start off -> on
          stop on -> off
        node q
          needs x p.x containment
          state idle
          state broken
          state busy needs x else broken
          go idle -> busy needs x
          mend broken -> idle
    ";
    let application = text::application(text);
    let world = World { application: &application, policy: Policy::Any };
    let start = text::state(&application, "p:p=off q:q=idle");
    let start = State::from_global(&application, &start);
    assert_eq!(count(&world, &start, true, false), (6, 1, 0));
    assert_eq!(count(&world, &start, false, false), (4, 1, 1));
    assert_eq!(count(&world, &start, false, true), (4, 1, 0));
    assert_eq!(count(&world, &start, true, true), (6, 1, 0));
}

//! Choices: policies, handlers, alternatives, arities.

use std::collections::BTreeSet;

use super::{finals, judged, judged_with};
use crate::naive::Judgement;
use crate::naive::Verdict::{NotValid, Valid, WeaklyValid};
use windlass::application::Policy::{Greedy, LeastLoaded};

/// Providers, and users that depend on one of them.
const REPLICAS: &str = "
    node db * 2
      state off
      state on offers sql
      start off -> on
      stop on -> off
    node tight
      needs db db.sql aware
      state off
      state on needs db else off
      start off -> on
      stop on -> off
    node loose
      needs db db.sql unaware
      state off
      state on needs db else off
      start off -> on
      stop on -> off
";

/// The providers to which a need of an instance is bound in the final states.
fn bound(judgement: &Judgement, id: &str, requirement: &str) -> Vec<BTreeSet<String>> {
    let all: BTreeSet<_> = judgement.finals.iter().map(|s| s.bound(id, requirement)).collect();
    all.into_iter().collect()
}

fn set(ids: &[&str]) -> BTreeSet<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}

/// Bound to d1, w1 falls when d1 stops and has no `stop` any more; bound to d2, all goes well. So
/// the only order has a good path and is not good for every choice: Def. 4.2 inside Def. 4.3
/// makes the plan not valid. With `greedy` d1 is taken, so stopping d2 is harmless.
#[test]
fn a_lucky_path_proves_nothing() {
    let start = "d1:db=on d2:db=on w1:tight=off";
    let plan = "a: w1 start ; b: d1 stop ; c: w1 stop ; a < b < c";
    let judgement = judged(REPLICAS, start, plan);
    assert_eq!((judgement.verdict, judgement.shortest_failure), (NotValid, Some(4)));
    assert_eq!(finals(&judgement), ["d1=off d2=on w1=off"]);
    assert_eq!(judged_with(REPLICAS, start, plan, Greedy).verdict, NotValid);
    let other = "a: w1 start ; b: d2 stop ; c: w1 stop ; a < b < c";
    assert_eq!(judged(REPLICAS, start, other).verdict, NotValid);
    assert_eq!(judged_with(REPLICAS, start, other, Greedy).verdict, Valid);
}

/// Without the order between them, w1 may stop before d1 does: that order is good for all choices
/// and the plan is weakly valid. With it, d may still come anywhere, so there are many orders; each
/// has a good path (w1 took d2) and none is good for all choices.
#[test]
fn an_order_must_be_good_for_every_choice() {
    let start = "d1:db=on d2:db=on w1:tight=off";
    let free = "a: w1 start ; b: d1 stop ; c: w1 stop ; a < b ; a < c";
    assert_eq!(judged(REPLICAS, start, free).verdict, WeaklyValid);
    let one_first = "a: w1 start ; b: d1 stop ; c: w1 stop ; a < b < c ; d: + w2 loose";
    let judgement = judged(REPLICAS, start, one_first);
    assert_eq!(judgement.verdict, NotValid);
    assert!(!judgement.finals.is_empty());
}

/// Two handlers keep incomparable sets: each is a choice (semantics.md point 4).
#[test]
fn incomparable_handlers_are_choices() {
    let application = "
        node p
          state on offers x y z
          state less offers x y
          weaken on -> less offers x y
        node c
          needs x p.x aware
          needs y p.y aware
          needs z p.z aware
          state left needs x
          state right needs y
          state on needs x y z else left right
          mend left -> left needs x
    ";
    let start = "p1:p=on c1:c=on c1.x>p1 c1.y>p1 c1.z>p1";
    let weaken = judged(application, start, "a: p1 weaken");
    assert_eq!((weaken.verdict, weaken.deterministic), (Valid, Some(false)));
    assert_eq!(finals(&weaken), ["c1=left p1=less", "c1=right p1=less"]);
    let mend = judged(application, start, "a: p1 weaken ; b: c1 mend ; a < b");
    assert_eq!((mend.verdict, mend.shortest_failure), (NotValid, Some(2)));
}

/// Several transitions for one operation in one state: each is a choice.
#[test]
fn alternative_transitions_are_choices() {
    let application = "
        node n
          state a
          state b
          go a -> b
          go a -> a
    ";
    let judgement = judged(application, "n1:n=a", "x: n1 go");
    assert_eq!((judgement.verdict, judgement.deterministic), (Valid, Some(false)));
}

/// `any` may take each provider, `greedy` takes the first, `least-loaded` the one with the fewest
/// bindings, ties by id. Bindings do not count for determinism (Def. 4.4).
#[test]
fn policies() {
    let start = "d1:db=on d2:db=on d3:db=on w1:loose=off w2:loose=on w2.db>d1";
    let start_w1 = "a: w1 start";
    let any = judged(REPLICAS, start, start_w1);
    assert_eq!(bound(&any, "w1", "db"), [set(&["d1"]), set(&["d2"]), set(&["d3"])]);
    assert_eq!(any.deterministic, Some(true));
    let greedy = judged_with(REPLICAS, start, start_w1, Greedy);
    assert_eq!(bound(&greedy, "w1", "db"), [set(&["d1"])]);
    let least = judged_with(REPLICAS, start, start_w1, LeastLoaded);
    assert_eq!(bound(&least, "w1", "db"), [set(&["d2"])]);
    // The lost provider is replaced by the same policies.
    assert_eq!(
        bound(&judged(REPLICAS, start, "a: - d1"), "w2", "db"),
        [set(&["d2"]), set(&["d3"])]
    );
    // Declared instances come first for `greedy`.
    let declared = REPLICAS.replace("node db * 2", "node db * 2 named d3 d1");
    let greedy = judged_with(&declared, start, start_w1, Greedy);
    assert_eq!(bound(&greedy, "w1", "db"), [set(&["d3"])]);
}

/// Least-loaded with two users that go one after the other: they spread.
#[test]
fn least_loaded_spreads() {
    let start = "d1:db=on d2:db=on w1:loose=off w2:loose=off";
    let plan = "a: w1 start ; b: w2 start ; a < b";
    let judgement = judged_with(REPLICAS, start, plan, LeastLoaded);
    assert_eq!(bound(&judgement, "w1", "db"), [set(&["d1"])]);
    assert_eq!(bound(&judgement, "w2", "db"), [set(&["d2"])]);
    assert_eq!(judged(REPLICAS, start, plan).finals.len(), 4);
}

/// A quorum of two out of three, with and without awareness.
fn quorum(sort: &str, arity: &str, count: u32) -> String {
    format!(
        "
        node db * {count}
          state off
          state on offers sql
          start off -> on
          stop on -> off
        node user
          needs db db.sql {sort} {arity}
          state off
          state on needs db else off
          start off -> on
        "
    )
}

/// `at_least 2`: two distinct bound providers. Unaware: a lost one is replaced while two remain.
#[test]
fn at_least() {
    let unaware = quorum("unaware", "at_least 2", 1);
    let start = "d1:db=on d2:db=on d3:db=on u1:user=on u1.db>d1 u1.db>d2";
    let one_lost = judged(&unaware, start, "a: - d1");
    assert_eq!(finals(&one_lost), ["d2=on d3=on u1=on"]);
    assert_eq!(one_lost.shortest_fault, None);
    assert_eq!(bound(&one_lost, "u1", "db"), [set(&["d2", "d3"])]);
    let two_lost = judged(&unaware, start, "a: - d1 ; b: - d2");
    assert_eq!((two_lost.verdict, two_lost.shortest_fault), (Valid, Some(2)));
    assert_eq!(finals(&two_lost), ["d3=on u1=off"]);
    let aware = quorum("aware", "at_least 2", 1);
    assert_eq!(finals(&judged(&aware, start, "a: - d1")), ["d2=on d3=on u1=off"]);
    // Three pairs to choose from; losing d3 hurts the choices that took it.
    let start = "d1:db=on d2:db=on d3:db=on u1:user=off";
    let judgement = judged(&aware, start, "a: u1 start ; b: - d3 ; a < b");
    assert_eq!((judgement.verdict, judgement.deterministic), (Valid, Some(false)));
    let too_few = judged(&aware, "d1:db=on u1:user=off", "a: u1 start");
    assert_eq!(finals(&too_few), ["d1=on u1=off"]);
}

/// `all`: as many as wanted exist and each existing one offers. A new instance that does not
/// offer yet takes it away; fewer than wanted are not enough although each offers.
#[test]
fn all() {
    let application = quorum("unaware", "all", 2);
    let start = "d1:db=on d2:db=on u1:user=on u1.db>d1 u1.db>d2";
    assert_eq!(finals(&judged(&application, start, "a: d1 stop")), ["d1=off d2=on u1=off"]);
    assert_eq!(finals(&judged(&application, start, "a: - d1")), ["d2=on u1=off"]);
    let third = judged(&application, start, "a: + d3 db");
    assert_eq!(
        (finals(&third), third.shortest_fault),
        (vec!["d1=on d2=on d3=off u1=off".to_owned()], Some(1))
    );
    let three = "d1:db=on d2:db=on d3:db=on u1:user=on u1.db>d1 u1.db>d2 u1.db>d3";
    let shrunk = judged(&application, three, "a: - d3");
    assert_eq!(
        (finals(&shrunk), shrunk.shortest_fault),
        (vec!["d1=on d2=on u1=on".to_owned()], None)
    );
    // Wanted 0 counts as 1: no instance is not enough.
    let none = quorum("unaware", "all", 0);
    assert_eq!(finals(&judged(&none, "u1:user=off", "a: u1 start")), ["u1=off"]);
}

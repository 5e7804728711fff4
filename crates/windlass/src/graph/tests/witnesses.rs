//! The `run` commands of both modules: instances that satisfy the predicates (paper 000 section 2).
//!
//! A `run` shows that the definitions are not contradictory. Each test also breaks its instance and
//! sees the predicate fail.

use std::collections::BTreeSet;

use crate::graph::compose::{mixable_ls, unbound_roles_in_lg};
use crate::graph::transition::signal::{matched_signal_pair, matched_signals};
use crate::graph::transition::synchronizing::{synchronized_transitions, synchronizing_transition};
use crate::graph::transition::uncoupling::uncoupling_transition;
use crate::graph::transition::{
    Context, Interaction, Label, Polarity, Transition, well_formed_transition,
};
use crate::graph::wellformed::well_formed_location_set;
use crate::graph::{
    Location, LocationGraph, LocationSet, Name, Overlap, Process, Role, RoleId, Sort, Value,
};

fn location(name: &str, provided: &[u32], required: &[u32]) -> Location {
    let roles = |ids: &[u32], group: &str| -> Vec<Role> {
        ids.iter().map(|&id| Role::new(RoleId(id), group)).collect()
    };
    let (provided, required) = (roles(provided, "offer"), roles(required, "need"));
    Location::new(name, Sort::new("node"), Process::new("running"), provided, required).unwrap()
}

fn signal(role: u32, polarity: Polarity, value: &str) -> Interaction {
    Interaction { role: RoleId(role), polarity, payload: Value::Datum(Name::from(value)) }
}

fn plus(role: u32) -> Interaction {
    signal(role, Polarity::Plus, "value")
}

fn minus(role: u32) -> Interaction {
    signal(role, Polarity::Minus, "value")
}

/// The transition of one location that stays as it is, in a context that knows all of `all`.
fn staying(all: &LocationSet, name: &str, signals: &[Interaction]) -> Transition {
    let init: LocationSet = all.iter().filter(|l| l.name().as_str() == name).cloned().collect();
    let label = signals.iter().cloned().collect();
    let t = Transition { env: Context::of(all), init: init.clone(), label, term: init };
    assert_eq!(well_formed_transition(&t), []);
    t
}

fn all_signals(ts: &BTreeSet<Transition>) -> BTreeSet<&Interaction> {
    ts.iter().flat_map(|t| &t.label.signals).collect()
}

/// Three locations in a row: front requires two roles of back, back two of store.
fn row() -> LocationSet {
    [
        location("front", &[10], &[1, 2]),
        location("back", &[1, 2], &[3, 4]),
        location("store", &[3, 4], &[]),
    ]
    .into()
}

/// Paper: 000 2.1 (Model)
#[test]
fn model_of_location_graphs() {
    let g = LocationGraph { locations: row() };
    assert_eq!(well_formed_location_set(&g.locations), []);
    assert!(g.locations.len() > 2);
    let required: BTreeSet<RoleId> = g.locations.iter().flat_map(Location::required).collect();
    let provided: BTreeSet<RoleId> = g.locations.iter().flat_map(Location::provided).collect();
    assert!(required.len() > 2 && provided.len() > 3);
    assert_eq!(g.bindings().len(), 4);
    assert_eq!(g.location("front").unwrap().requirements()[&Name::from("need")].len(), 2);
    assert_eq!(g.location("back").unwrap().capabilities()[&Name::from("offer")].len(), 2);
    // A fourth location that provides a role again is no model.
    let worse = &g.locations | &[location("other", &[4], &[])].into();
    assert_eq!(well_formed_location_set(&worse).len(), 1);
}

/// Paper: 000 2.1 (Location)
#[test]
fn a_location_cannot_require_what_it_provides() {
    let role = || [Role::new(RoleId(1), "self")];
    let refused = Location::new("a", Sort::new("s"), Process::new("p"), role(), role());
    assert_eq!(refused, Err(Overlap { location: "a".into(), role: RoleId(1) }));
}

/// Exactly 5 transitions, 3 interactions and 3 labels, as the command asks.
///
/// Paper: 000 2.2 (Model)
#[test]
fn model() {
    let all = row();
    let transitions: BTreeSet<Transition> = [
        staying(&all, "front", &[]),
        staying(&all, "back", &[]),
        staying(&all, "front", &[minus(1), minus(2)]),
        staying(&all, "store", &[]),
        staying(&all, "store", &[plus(3)]),
    ]
    .into();
    let labels: BTreeSet<&Label> = transitions.iter().map(|t| &t.label).collect();
    assert_eq!((transitions.len(), all_signals(&transitions).len(), labels.len()), (5, 3, 3));
    assert!(transitions.iter().any(|t| !t.label.signals.is_empty()));
}

/// Paper: 000 2.2 (ModelMatchedSignals)
#[test]
fn model_matched_signals() {
    assert!(matched_signal_pair(&plus(1), &minus(1)));
    assert!(matched_signals(&[plus(1), minus(1)].into()));
    assert!(matched_signals(&BTreeSet::new()));
    // Another role, the same polarity, another value, no partner, a second value.
    assert!(!matched_signals(&[plus(1), minus(2)].into()));
    assert!(!matched_signals(&[plus(1), signal(1, Polarity::Plus, "other")].into()));
    assert!(!matched_signals(&[plus(1), signal(1, Polarity::Minus, "other")].into()));
    assert!(!matched_signals(&[plus(1)].into()));
    let other = [Polarity::Plus, Polarity::Minus].map(|p| signal(1, p, "other"));
    let [other_plus, other_minus] = other;
    assert!(!matched_signals(&[plus(1), minus(1), other_plus, other_minus].into()));
}

/// Paper: 000 2.2 (ModelMixableLS)
#[test]
fn model_mixable_ls() {
    let c1: LocationSet = [location("a", &[1], &[]), location("b", &[2], &[])].into();
    let c2: LocationSet = [location("c", &[3, 4], &[1, 2]), location("d", &[], &[3])].into();
    assert!(c1.len() > 1 && c2.len() > 1);
    assert!(c1.iter().flat_map(Location::provided).count() > 1);
    assert!(c2.iter().flat_map(Location::provided).count() > 1);
    assert!(c2.iter().flat_map(Location::required).count() > 2);
    assert_eq!(mixable_ls(&c1, &c2), []);
    assert_eq!((well_formed_location_set(&c1), well_formed_location_set(&c2)), (vec![], vec![]));
    let c3: LocationSet = [location("e", &[1], &[])].into();
    assert!(!mixable_ls(&c1, &c3).is_empty());
}

/// Paper: 000 2.2 (ModelSynchronized)
#[test]
fn model_synchronized() {
    let all = row();
    let front = staying(&all, "front", &[minus(1), minus(2)]);
    let ts = [front.clone(), staying(&all, "back", &[plus(1), plus(2)])].into();
    assert!(synchronized_transitions(&ts));
    assert!(all_signals(&ts).len() > 3);
    // The back offers only one of the two.
    assert!(!synchronized_transitions(&[front, staying(&all, "back", &[plus(1)])].into()));
}

/// Paper: 000 2.2 (ModelSynchronizing)
#[test]
fn model_synchronizing() {
    let all = row();
    let ts: BTreeSet<Transition> = [
        staying(&all, "front", &[plus(10), minus(1)]),
        staying(&all, "back", &[plus(1), minus(3)]),
        staying(&all, "store", &[plus(3)]),
    ]
    .into();
    assert!(ts.len() > 2 && all_signals(&ts).len() > 3);
    let label: Label = [plus(10)].into_iter().collect();
    let env = Context::of(&all);
    let t = Transition { env, init: all.clone(), label, term: all };
    assert!(synchronizing_transition(&t, &ts));
    assert_eq!(well_formed_transition(&t), []);
    let others = [
        Transition { label: Label::default(), ..t.clone() },
        Transition { term: LocationSet::new(), ..t.clone() },
        Transition { init: LocationSet::new(), ..t.clone() },
        Transition { env: Context::default(), ..t },
    ];
    assert!(others.iter().all(|other| !synchronizing_transition(other, &ts)));
}

/// Paper: 000 2.2 (ModelUncoupling)
#[test]
fn model_uncoupling() {
    let all = row();
    let t = staying(&all, "front", &[plus(10), minus(1)]);
    assert!(t.label.signals.len() > 1);
    let store: LocationSet = all.iter().filter(|l| l.name().as_str() == "store").cloned().collect();
    let tt = Transition { init: &t.init | &store, term: &t.term | &store, ..t.clone() };
    assert!(uncoupling_transition(&tt, &t, &store));
    assert_eq!(well_formed_transition(&tt), []);
    let others = [
        Transition { label: Label::default(), ..tt.clone() },
        Transition { term: t.term.clone(), ..tt.clone() },
        Transition { init: t.init.clone(), ..tt.clone() },
        Transition { env: Context::default(), ..tt },
    ];
    assert!(others.iter().all(|other| !uncoupling_transition(other, &t, &store)));
    // The back has role 1, at which the front signals.
    let back: LocationSet = all.iter().filter(|l| l.name().as_str() == "back").cloned().collect();
    let tt = Transition { init: &t.init | &back, term: &t.term | &back, ..t.clone() };
    assert!(!uncoupling_transition(&tt, &t, &back));
}

/// What the text says of the picture: D and F share a role and can interact, F shares none with C
/// or E; unbound roles are dots of one location.
///
/// Paper: 000 Fig. 1
#[test]
fn a_small_location_graph() {
    let g: LocationGraph = [
        location("C", &[1], &[]),
        location("D", &[2, 3], &[1]),
        location("E", &[], &[2]),
        location("F", &[4], &[3]),
    ]
    .into_iter()
    .collect();
    assert_eq!(well_formed_location_set(&g.locations), []);
    assert!(interact(&g, "D", "F"));
    assert!(!interact(&g, "F", "C") && !interact(&g, "F", "E"));
    assert_eq!(unbound_roles_in_lg(&g), [RoleId(4)].into());
}

/// A relation is a location too: R binds its three components, each in a role of its own.
///
/// Paper: 000 Fig. 2
#[test]
fn a_relation_between_three_components() {
    let g: LocationGraph = [
        location("R", &[], &[1, 2, 3]),
        location("C", &[1], &[]),
        location("D", &[2], &[]),
        location("E", &[3], &[]),
    ]
    .into_iter()
    .collect();
    assert_eq!(well_formed_location_set(&g.locations), []);
    assert!(["C", "D", "E"].iter().all(|component| interact(&g, "R", component)));
    assert!(!interact(&g, "C", "D"));
}

/// The relation R with its sub-relations R1 and R2, which meet R in roles of their own.
///
/// Paper: 000 Fig. 3
#[test]
fn a_composite_relation_between_three_components() {
    let g: LocationGraph = [
        location("R", &[], &[1, 2, 3, 4, 5]),
        location("C", &[1], &[]),
        location("D", &[2], &[]),
        location("E", &[3], &[]),
        location("R1", &[4], &[]),
        location("R2", &[5], &[]),
    ]
    .into_iter()
    .collect();
    assert_eq!(well_formed_location_set(&g.locations), []);
    assert!(["C", "D", "E", "R1", "R2"].iter().all(|part| interact(&g, "R", part)));
    assert_eq!(g.bindings().len(), 5);
}

/// Whether a role binds the two locations.
fn interact(g: &LocationGraph, one: &str, other: &str) -> bool {
    g.bindings().iter().any(|binding| {
        let names = [binding.provider, binding.requirer].map(|l| l.name().as_str());
        names == [one, other] || names == [other, one]
    })
}

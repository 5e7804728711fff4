//! The `check` command of module LG.Semantics about transitions, and the constructive forms of
//! composition against the predicates (paper 000 section 2.2).
//!
//! Scope A: pairs of transitions of one location each, 2 names, 2 roles, 2 payloads. Scope B: pairs
//! of transitions of at most two locations each, 3 names, 2 roles, 1 payload. Pairs of initial sets
//! that are not mixable or not well formed together are left out of both before labels are chosen:
//! nothing synchronizes there, and the assertion is void. Scope C leaves out nothing: at most two
//! locations each, 2 names, 1 role, 1 payload, and the locations may also vanish.

use std::collections::BTreeSet;

use super::exhaustive::{context, labels, locations, name, subsets};
use crate::graph::compose::{bound_roles_in_ls, mixable_ls};
use crate::graph::transition::synchronizing::{
    NotSynchronized, synchronize, synchronized_transitions, synchronizing_transition,
};
use crate::graph::transition::uncoupling::{
    NotUncoupled, uncouple, uncoupled_transition, uncoupling_transition,
};
use crate::graph::transition::{Label, Malformed, Transition, well_formed_transition};
use crate::graph::wellformed::well_formed_location_set;
use crate::graph::{Atom, Clash, LocationSet, RoleId};

/// So many names, roles, locations in each initial set, and payloads.
#[derive(Clone, Copy)]
struct Scope {
    names: u32,
    roles: u32,
    locations: usize,
    payloads: usize,
    /// Whether the terminal set may also be empty.
    may_vanish: bool,
    /// Whether pairs that cannot synchronize are left out.
    only_composable: bool,
}

impl Scope {
    /// Every transition from `init`; it ends where it began, or in nothing.
    fn transitions(self, init: &LocationSet) -> Vec<Transition> {
        let env = context(self.names, self.roles);
        let mut terms = vec![init.clone()];
        terms.extend(self.may_vanish.then(LocationSet::new));
        let mut all = Vec::new();
        for label in labels(init, self.payloads) {
            for term in &terms {
                let (env, term) = (env.clone(), term.clone());
                all.push(Transition { env, init: init.clone(), label: label.clone(), term });
            }
        }
        all
    }

    /// Visits every set of one or two transitions, as far as `only_composable` allows.
    fn for_each_pair(self, mut visit: impl FnMut(&BTreeSet<Transition>)) {
        let well_formed = |c: &LocationSet| well_formed_location_set(c).is_empty();
        let locations = locations(self.names, self.roles);
        let inits = subsets(&locations, self.locations);
        let inits: Vec<LocationSet> =
            inits.filter(|init| !self.only_composable || well_formed(init)).collect();
        let composable =
            |a: &LocationSet, b: &LocationSet| mixable_ls(a, b).is_empty() && well_formed(&(a | b));
        // The first subset is the empty one, which has no transitions.
        for (index, init1) in inits.iter().enumerate().skip(1) {
            let first = self.transitions(init1);
            for init2 in &inits[index..] {
                if self.only_composable && !composable(init1, init2) {
                    continue;
                }
                for t2 in self.transitions(init2) {
                    for t1 in &first {
                        visit(&[t1.clone(), t2.clone()].into());
                    }
                }
            }
        }
    }
}

fn roles_in_label_are_unbound(t: &Transition) -> bool {
    let bound = bound_roles_in_ls(&t.init);
    !t.label.signals.iter().any(|m| bound.contains(&m.role))
}

/// What [`check_scope`] has seen.
#[derive(Debug, PartialEq)]
struct Seen {
    pairs: usize,
    synchronized: usize,
    matched: usize,
}

/// The assertion and the constructive form, for every pair of the scope.
fn check_scope(scope: Scope) -> Seen {
    let mut seen = Seen { pairs: 0, synchronized: 0, matched: 0 };
    scope.for_each_pair(|ts| {
        seen.pairs += 1;
        match synchronize(ts) {
            Ok(t) => {
                // The predicate holds for what was computed, and so do the facts.
                assert!(synchronizing_transition(&t, ts), "{ts:#?}");
                assert_eq!(well_formed_transition(&t), [], "{ts:#?}");
                assert!(roles_in_label_are_unbound(&t), "{ts:#?}");
                seen.synchronized += 1;
                // The mutant that keeps the matched signals in the label.
                let kept = ts.iter().flat_map(|t| &t.label.signals).cloned().collect();
                let mutant = Transition { label: kept, ..t.clone() };
                if mutant != t {
                    assert!(!roles_in_label_are_unbound(&mutant));
                    assert!(!synchronizing_transition(&mutant, ts));
                    seen.matched += 1;
                }
            }
            Err(_) => assert!(!synchronized_transitions(ts), "{ts:#?}"),
        }
    });
    seen
}

/// Paper: 000 2.2 (Roles_In_Synchronizing_Transition_Labels_Are_Unbound)
#[test]
fn roles_in_synchronizing_transition_labels_are_unbound_for_1_location_2_roles_2_payloads() {
    let scope = Scope {
        names: 2,
        roles: 2,
        locations: 1,
        payloads: 2,
        may_vanish: false,
        only_composable: true,
    };
    assert_eq!(check_scope(scope), Seen { pairs: 5_041, synchronized: 961, matched: 432 });
}

/// Paper: 000 2.2 (Roles_In_Synchronizing_Transition_Labels_Are_Unbound)
#[test]
fn roles_in_synchronizing_transition_labels_are_unbound_for_2_locations_2_roles_1_payload() {
    let scope = Scope {
        names: 3,
        roles: 2,
        locations: 2,
        payloads: 1,
        may_vanish: false,
        only_composable: true,
    };
    assert_eq!(check_scope(scope), Seen { pairs: 12_630, synchronized: 4_350, matched: 1_800 });
}

/// Paper: 000 2.2 (Roles_In_Synchronizing_Transition_Labels_Are_Unbound)
#[test]
fn roles_in_synchronizing_transition_labels_are_unbound_for_2_locations_1_role_and_any_pair() {
    let scope = Scope {
        names: 2,
        roles: 1,
        locations: 2,
        payloads: 1,
        may_vanish: true,
        only_composable: false,
    };
    assert_eq!(check_scope(scope), Seen { pairs: 5_068, synchronized: 134, matched: 16 });
}

/// A transition of one location beside a resting set of at most two: 3 names, 2 roles, 1 payload.
#[test]
fn uncouple_satisfies_the_predicate_and_the_facts() {
    let env = context(3, 2);
    let rests: Vec<LocationSet> = subsets(&locations(3, 2), 2).collect();
    let (mut uncoupled, mut refused) = (0, 0);
    for location in locations(1, 2) {
        let init: LocationSet = [location].into();
        for label in labels(&init, 1) {
            let t = Transition { env: env.clone(), init: init.clone(), label, term: init.clone() };
            for c in &rests {
                if let Ok(tt) = uncouple(&t, c) {
                    assert!(uncoupling_transition(&tt, &t, c));
                    assert_eq!(well_formed_transition(&tt), []);
                    uncoupled += 1;
                } else {
                    assert!(!uncoupled_transition(&t, c));
                    refused += 1;
                }
            }
        }
    }
    assert!(uncoupled > 0 && refused > 0);
}

/// A provider that signals `v` on role 0, and a requirer that does so on the other side.
fn partners() -> [Transition; 2] {
    let all = locations(2, 1);
    let provider = all.iter().find(|l| l.name() == &name(0) && l.provides(RoleId(0)));
    let requirer = all.iter().find(|l| l.name() == &name(1) && l.requires(RoleId(0)));
    [(provider, 1), (requirer, 2)].map(|(location, label)| {
        let init: LocationSet = location.cloned().into_iter().collect();
        let label = labels(&init, 1)[label].clone();
        Transition { env: context(2, 1), init: init.clone(), label, term: init }
    })
}

/// Each premise of synchronization is reported by its own variant.
#[test]
fn synchronize_says_which_premise_fails() {
    let [plus, minus] = partners();
    let with = |t1: &Transition, t2: &Transition| synchronize(&[t1.clone(), t2.clone()].into());
    assert!(with(&plus, &minus).is_ok());

    assert_eq!(synchronize(&BTreeSet::new()), Err(NotSynchronized::NoCommonContext));
    let mut elsewhere = minus.clone();
    elsewhere.env.atoms.insert(Atom::Name("elsewhere".into()));
    assert_eq!(with(&plus, &elsewhere), Err(NotSynchronized::NoCommonContext));

    let silent = Transition { label: Label::default(), ..plus.clone() };
    let clashes = vec![Clash::Name(name(0)), Clash::Provided(RoleId(0))];
    assert_eq!(with(&plus, &silent), Err(NotSynchronized::NotMixable(clashes)));
    let alone = minus.label.signals.iter().cloned().collect();
    let rest = Transition { init: silent.init.clone(), ..silent.clone() };
    assert_eq!(with(&rest, &minus), Err(NotSynchronized::Unmatched(alone)));

    let twice: LocationSet = locations(1, 1).into_iter().collect();
    let broken = Transition { init: twice.clone(), ..silent.clone() };
    assert_eq!(synchronize(&[broken].into()), Err(NotSynchronized::IllFormedInit));
    let broken = Transition { term: twice, ..silent };
    assert_eq!(synchronize(&[broken].into()), Err(NotSynchronized::IllFormedTerm));

    // Two values at once on the same side; the facts forbid it, the predicate checks it again.
    let both = labels(&minus.init, 2).into_iter().flat_map(|label| label.signals);
    let both = both.filter(|m| minus.label.signals.iter().all(|n| n.polarity == m.polarity));
    let ambiguous = Transition { label: both.collect(), ..minus };
    assert_eq!(with(&plus, &ambiguous), Err(NotSynchronized::AmbiguousSignals));
}

/// Each premise of uncoupling is reported by its own variant.
#[test]
fn uncouple_says_which_premise_fails() {
    let [plus, minus] = partners();
    let signals = plus.label.signals.iter().cloned().collect();
    assert_eq!(uncouple(&plus, &minus.init), Err(NotUncoupled::Coupled(signals)));
    let quiet = Transition { label: Label::default(), ..plus.clone() };
    assert!(uncouple(&quiet, &minus.init).is_ok());
    assert!(matches!(uncouple(&quiet, &quiet.init), Err(NotUncoupled::InitNotMixable(_))));
    let turned = Transition { term: minus.init.clone(), ..quiet.clone() };
    assert!(matches!(uncouple(&turned, &minus.init), Err(NotUncoupled::TermNotMixable(_))));
    let mut narrow = quiet;
    narrow.env.atoms.remove(&Atom::Name(name(1)));
    let unknown = vec![Atom::Name(name(1))];
    assert_eq!(uncouple(&narrow, &minus.init), Err(NotUncoupled::UnknownAtoms(unknown)));
}

/// Each fact is reported by its own variant.
#[test]
fn facts_name_their_witnesses() {
    let [plus, minus] = partners();
    assert_eq!(well_formed_transition(&plus), []);
    let mut t = plus.clone();
    t.env.atoms.clear();
    let unknown = [Atom::Name(name(0)), Atom::Role(RoleId(0))].map(Malformed::UnknownAtom);
    assert_eq!(well_formed_transition(&t), unknown);

    let signal = plus.label.signals.first().unwrap().clone();
    let t = Transition { init: LocationSet::new(), ..plus.clone() };
    let nowhere = Malformed::SignalNotOnUnboundRole(signal.clone());
    assert_eq!(well_formed_transition(&t), [Malformed::NoInitialLocation, nowhere.clone()]);
    let t = Transition { init: &plus.init | &minus.init, ..plus.clone() };
    assert_eq!(well_formed_transition(&t), [nowhere]);

    let label = plus.label.signals.union(&minus.label.signals).cloned().collect();
    let t = Transition { label, ..plus };
    assert_eq!(well_formed_transition(&t), [Malformed::SeveralSignalsOnRole(RoleId(0))]);
}

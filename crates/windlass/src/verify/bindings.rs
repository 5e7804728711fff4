//! Which instances requirements are bound to when a plan with a cover ends, without running it.
//!
//! A binding is made when its requirement begins to be relied on; who offers at that instant is a
//! question about slots, and the overlap lemma answers it. A replica-unaware requirement is bound
//! anew when its provider stops; those instants are looked at in the same way. Where the policy is
//! `least-loaded`, everybody who may offer is taken as possible: loads are not followed.

use std::collections::{BTreeMap, BTreeSet};

use crate::application::{InstanceId, Policy};
use crate::lifecycle::protocol::{Arity, Element, RequirementId, Sort};
use crate::plan::lives::LifeId;
use crate::plan::needs::{Need, Providers, Scene};
use crate::plan::slots::{self, Meeting, Slot};

/// Beyond so many earlier instances the policy `greedy` is taken as `any`.
const MOST_EARLIER: usize = 16;

/// Beyond so many pairs of a user and a possible provider nothing is said about bindings.
pub(super) const MOST_PAIRS: usize = 4_000_000;

/// The end of a plan.
pub(super) struct Ending<'a> {
    /// The plan, with where each instance may be.
    pub(super) scene: Scene<'a>,
    /// The connection policy.
    pub(super) policy: Policy,
    /// Whether nothing faults: then what is found is all there is. Otherwise bindings are only said
    /// to be possible.
    pub(super) is_fault_free: bool,
}

/// The instances that a requirement may be bound to in the end, and whether it is for certain.
pub(super) type Bound = BTreeMap<InstanceId, bool>;

impl Ending<'_> {
    /// Whether there are too many instances to look at every pair of them.
    pub(super) fn is_too_large(&self) -> bool {
        let pairs = |need: Need| self.scene.providers(&need).map_or(0, |found| found.lives.len());
        self.scene.needs().map(pairs).sum::<usize>() > MOST_PAIRS
    }

    /// What every horizontal requirement is bound to that is relied on in the end.
    pub(super) fn bindings(&self) -> Vec<(InstanceId, RequirementId, Bound)> {
        let mut all = Vec::new();
        for id in self.scene.lives.ids() {
            let life = self.scene.lives.get(id);
            let Some(element) = self.last_element(id) else { continue };
            let Some(protocol) = self.scene.application.protocol_of(life.node) else { continue };
            for requirement in protocol.requires(element) {
                if let Some(bound) = self.bound(id, *requirement) {
                    all.push((life.instance.clone(), *requirement, bound));
                }
            }
        }
        all
    }

    /// Where an instance is in the end; the cover is deterministic.
    fn last_element(&self, life: LifeId) -> Option<Element> {
        self.scene.possible.0[life.index()].last()?.first().copied()
    }

    fn bound(&self, life: LifeId, requirement: RequirementId) -> Option<Bound> {
        let to = self.scene.lives.get(life).stages.len() - 1;
        let needed = |stage: &usize| self.scene.may_need(life, *stage, requirement);
        let from = (0..=to).rev().take_while(needed).last()?;
        let need = Need { life, requirement, from, to };
        if self.scene.sort(&need) == Sort::Containment {
            return None;
        }
        let providers = self.scene.providers(&need)?;
        let found = self.found(&need, &providers);
        let name = |life: &LifeId| self.scene.lives.get(*life).instance.clone();
        let size = match self.scene.arity(&need) {
            Arity::Any => 1,
            Arity::AtLeast(least) => least.max(1) as usize,
            Arity::All => {
                let certain = |life: &LifeId| {
                    self.is_fault_free && self.always_offers_at_entries(&need, *life, &providers)
                };
                return Some(found.iter().map(|life| (name(life), certain(life))).collect());
            }
        };
        let is_certain = self.is_fault_free && found.len() <= size;
        Some(found.iter().map(|life| (name(life), is_certain)).collect())
    }

    fn found(&self, need: &Need, providers: &Providers) -> BTreeSet<LifeId> {
        let offering_last = |life: &LifeId| {
            let protocol = self.scene.application.protocol_of(self.scene.lives.get(*life).node);
            let element = self.last_element(*life);
            protocol.zip(element).is_some_and(|(p, e)| p.offers(e).contains(&providers.capability))
        };
        let is_aware = self.scene.sort(need) == Sort::ReplicaAware;
        if !is_aware && self.scene.arity(need) == Arity::All {
            // Bound anew whenever somebody comes or goes.
            return providers.lives.iter().copied().filter(offering_last).collect();
        }
        let mut found = BTreeSet::new();
        for from in self.scene.entries(need, need.to) {
            match self.scene.lives.get(need.life).stages[from].enter {
                None => {
                    let bound = self.scene.bound_at_start(need);
                    if bound.is_empty() && !is_aware {
                        // Bound as soon as somebody offers.
                        let life = self.scene.lives.get(need.life);
                        let run = [Slot::stages(life, need.from, need.to)];
                        found.extend(self.chosen(&[&run], providers, None));
                    }
                    found.extend(bound);
                }
                Some(event) => {
                    let instant = Slot::before(self.scene.events, event);
                    found.extend(self.chosen(&[&[instant]], providers, None));
                }
            }
        }
        if !is_aware && providers.lives.iter().any(offering_last) {
            self.bound_anew(need, providers, &mut found);
            found.retain(offering_last);
        } else {
            // A binding goes with its provider. Otherwise it stays, also where nobody offers: in an
            // operation that does not end within the plan.
            found.retain(|life| self.last_element(*life).is_some());
        }
        found
    }

    /// Adds who a requirement may be bound to after one that it was bound to stopped.
    fn bound_anew(&self, need: &Need, providers: &Providers, found: &mut BTreeSet<LifeId>) {
        let run = [Slot::stages(self.scene.lives.get(need.life), need.from, need.to)];
        let mut open: Vec<LifeId> = found.iter().copied().collect();
        while let Some(life) = open.pop() {
            for stops in self.scene.may_miss(life, providers.capability) {
                // When it stops; or, if nobody may offer then, as soon as somebody does.
                let instant = stops.enter.map(|event| [Slot::before(self.scene.events, event)]);
                let at_once = instant.as_ref().map(|instant| [&instant[..], &run]);
                let is_covered =
                    at_once.is_some_and(|when| self.another_offers(&when, providers, life));
                let whole = [stops];
                let others = match at_once.filter(|_| is_covered) {
                    Some(when) => self.chosen(&when, providers, Some(life)),
                    None => self.chosen(&[&whole, &run], providers, Some(life)),
                };
                open.extend(others.into_iter().filter(|other| found.insert(*other)));
            }
        }
    }

    /// Whether another one offers whenever one slot of each of some rows holds, as far as is known.
    fn another_offers(&self, when: &[&[Slot]], providers: &Providers, stops: LifeId) -> bool {
        if providers.lives.len() > MOST_EARLIER {
            return false;
        }
        let misses: Vec<Vec<Slot>> = providers
            .lives
            .iter()
            .filter(|life| **life != stops)
            .map(|life| self.scene.may_miss(*life, providers.capability))
            .collect();
        let mut rows = when.to_vec();
        rows.extend(misses.iter().map(Vec::as_slice));
        matches!(slots::meeting(&rows, self.scene.events), Meeting::Never(_))
    }

    /// Who may be chosen while one slot of each of some rows holds; not the one that just stopped.
    fn chosen(
        &self,
        when: &[&[Slot]],
        providers: &Providers,
        stopped: Option<LifeId>,
    ) -> Vec<LifeId> {
        let events = self.scene.events;
        let meet = |rows: &[&[Slot]]| matches!(slots::meeting(rows, events), Meeting::At(_));
        let with = |slots: &[Slot]| meet(&[when, &[slots]].concat());
        let offer = |life: LifeId| self.scene.may_offer(life, providers.capability);
        let mut all: Vec<LifeId> =
            providers.lives.iter().copied().filter(|life| with(&offer(*life))).collect();
        all.retain(|life| Some(*life) != stopped);
        if self.policy != Policy::Greedy {
            return all;
        }
        all.sort_by_key(|life| self.declared_at(*life));
        let mut chosen = Vec::new();
        let mut earlier: Vec<Vec<Slot>> = Vec::new();
        for life in all {
            let own = offer(life);
            let mut rows = [when, &[&own]].concat();
            if earlier.len() <= MOST_EARLIER {
                rows.extend(earlier.iter().map(Vec::as_slice));
            }
            if meet(&rows) {
                chosen.push(life);
            }
            let misses = self.scene.may_miss(life, providers.capability);
            if !with(&misses) {
                break;
            }
            earlier.push(misses);
        }
        chosen
    }

    /// The order of the policy `greedy`: as the application names instances, the others by id.
    fn declared_at(&self, life: LifeId) -> (usize, &InstanceId) {
        let life = self.scene.lives.get(life);
        let declared = &self.scene.application.node(life.node).instances;
        let at = declared.iter().position(|wanted| wanted.id == life.instance.0);
        (at.unwrap_or(usize::MAX), &life.instance)
    }

    /// Whether an instance offers whenever a need may be entered.
    fn always_offers_at_entries(&self, need: &Need, life: LifeId, providers: &Providers) -> bool {
        let misses = self.scene.may_miss(life, providers.capability);
        self.scene.sort(need) == Sort::ReplicaUnaware
            || self.scene.entries(need, need.to).into_iter().all(|from| {
                let enter = self.scene.lives.get(need.life).stages[from].enter;
                enter.is_none_or(|event| {
                    let instant = [Slot::before(self.scene.events, event)];
                    matches!(
                        slots::meeting(&[&instant, &misses], self.scene.events),
                        Meeting::Never(_)
                    )
                })
            })
    }
}

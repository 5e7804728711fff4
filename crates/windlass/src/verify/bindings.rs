//! Which instances requirements are bound to when a plan with a cover ends, without running it.
//!
//! A binding is made when its requirement begins to be relied on; who offers at that instant is a
//! question about slots, and the overlap lemma answers it. A replica-unaware requirement is bound
//! again when its provider stops; that stretch is looked at in the same way. What is found is never
//! too little: an instance left out is bound in no run, and what is said to be certain is so in
//! every run. It may be too much: how often a provider stops and what else the same event ends is
//! not followed, and neither are the loads of the policy `least-loaded`. Small plans are searched
//! for the rest (`replicas.rs`).

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
        let certain = |life: &LifeId| match self.scene.sort(&need) {
            // As many as offer at that time are bound.
            Sort::ReplicaAware => {
                self.always_offers_at_entries(&need, *life, &providers)
                    && (found.len() <= self.size(&need) || self.scene.arity(&need) == Arity::All)
            }
            _ => {
                self.is_offered_last(&need, &providers)
                    && (found.len() == self.size(&need) || self.scene.arity(&need) == Arity::All)
            }
        };
        Some(found.iter().map(|life| (name(life), self.is_fault_free && certain(life))).collect())
    }

    /// Whether as many offer in the end as a need asks for. They may not: the plan may end within
    /// an operation before they do.
    fn is_offered_last(&self, need: &Need, providers: &Providers) -> bool {
        let offering = |life: &&LifeId| self.offers_last(**life, providers);
        let exists = |life: &&LifeId| self.last_element(**life).is_some();
        let count = providers.lives.iter().filter(offering).count();
        let needs_every = self.scene.arity(need) == Arity::All;
        count >= self.size(need)
            && (!needs_every || count == providers.lives.iter().filter(exists).count())
    }

    /// Whether an instance offers in the end.
    fn offers_last(&self, life: LifeId, providers: &Providers) -> bool {
        let protocol = self.scene.application.protocol_of(self.scene.lives.get(life).node);
        let element = self.last_element(life);
        protocol.zip(element).is_some_and(|(p, e)| p.offers(e).contains(&providers.capability))
    }

    fn found(&self, need: &Need, providers: &Providers) -> BTreeSet<LifeId> {
        let offering_last = |life: &LifeId| self.offers_last(*life, providers);
        let is_aware = self.scene.sort(need) == Sort::ReplicaAware;
        if !is_aware && !self.is_offered_last(need, providers) {
            return self.ever_bound(need, providers);
        }
        if !is_aware && self.scene.arity(need) == Arity::All {
            // Bound again whenever an instance comes or goes.
            return providers.lives.iter().copied().filter(offering_last).collect();
        }
        let mut found = BTreeSet::new();
        let run = [Slot::stages(self.scene.lives.get(need.life), need.from, need.to)];
        for from in self.scene.entries(need, need.to) {
            let is_bound = match self.scene.lives.get(need.life).stages[from].enter {
                None => {
                    let bound = self.scene.bound_at_start(need);
                    found.extend(&bound);
                    bound.len() >= self.size(need)
                }
                Some(event) => {
                    let instant = [Slot::before(self.scene.events, event)];
                    found.extend(self.chosen(&[&instant], need, providers, None));
                    self.is_offered(&[&instant], need, providers)
                }
            };
            if !is_bound && !is_aware {
                // Bound as soon as an instance offers.
                found.extend(self.chosen(&[&run], need, providers, None));
            }
        }
        if is_aware {
            // A binding goes with its provider.
            found.retain(|life| self.last_element(*life).is_some());
        } else {
            self.bound_again(need, providers, &mut found);
            found.retain(offering_last);
        }
        found
    }

    /// Every instance that a need may have been bound to and that is still there: where too few
    /// offer in the end, in an operation that does not end within the plan, bindings stay.
    fn ever_bound(&self, need: &Need, providers: &Providers) -> BTreeSet<LifeId> {
        let run = [Slot::stages(self.scene.lives.get(need.life), need.from, need.to)];
        let mut found: BTreeSet<LifeId> = self.scene.bound_at_start(need).into_iter().collect();
        found.extend(self.chosen(&[&run], need, providers, None));
        for from in self.scene.entries(need, need.to) {
            if let Some(event) = self.scene.lives.get(need.life).stages[from].enter {
                let instant = [Slot::before(self.scene.events, event)];
                found.extend(self.chosen(&[&instant], need, providers, None));
            }
        }
        found.retain(|life| self.last_element(*life).is_some());
        found
    }

    /// How many a need is bound to.
    fn size(&self, need: &Need) -> usize {
        match self.scene.arity(need) {
            Arity::Any => 1,
            Arity::AtLeast(least) => least.max(1) as usize,
            Arity::All => self.scene.wanted(need),
        }
    }

    /// Adds who a requirement may be bound to after one that it was bound to stopped: at once, or
    /// as soon as an instance offers.
    fn bound_again(&self, need: &Need, providers: &Providers, found: &mut BTreeSet<LifeId>) {
        let run = [Slot::stages(self.scene.lives.get(need.life), need.from, need.to)];
        let mut open: Vec<LifeId> = found.iter().copied().collect();
        while let Some(life) = open.pop() {
            for stops in self.scene.may_miss(life, providers.capability) {
                let others = self.chosen(&[&[stops], &run], need, providers, Some(life));
                open.extend(others.into_iter().filter(|other| found.insert(*other)));
            }
        }
    }

    /// Whether as many offer as a need asks for, whenever one slot of each of some rows holds; no
    /// is also the answer where nothing is known.
    fn is_offered(&self, when: &[&[Slot]], need: &Need, providers: &Providers) -> bool {
        let miss = |life: &LifeId| self.scene.may_miss(*life, providers.capability);
        let never =
            |rows: &[&[Slot]]| matches!(slots::meeting(rows, self.scene.events), Meeting::Never(_));
        let always = |life: &&LifeId| never(&[when, &[&miss(life)[..]]].concat());
        let size = self.size(need);
        if providers.lives.iter().filter(always).take(size).count() == size {
            return true;
        }
        if size > 1 || providers.lives.len() > MOST_EARLIER {
            return false;
        }
        let misses: Vec<Vec<Slot>> = providers.lives.iter().map(miss).collect();
        let mut rows = when.to_vec();
        rows.extend(misses.iter().map(Vec::as_slice));
        never(&rows)
    }

    /// Who may be chosen while one slot of each of some rows holds; not the one that just stopped.
    fn chosen(
        &self,
        when: &[&[Slot]],
        need: &Need,
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
        // The first that offers is chosen; which ones are, when there are several, is not followed.
        if self.policy != Policy::Greedy || self.scene.arity(need) != Arity::Any {
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
        self.scene.entries(need, need.to).into_iter().all(|from| {
            match self.scene.lives.get(need.life).stages[from].enter {
                None => self.scene.bound_at_start(need).contains(&life),
                Some(event) => {
                    let rows: [&[Slot]; 2] = [&[Slot::before(self.scene.events, event)], &misses];
                    matches!(slots::meeting(&rows, self.scene.events), Meeting::Never(_))
                }
            }
        })
    }
}

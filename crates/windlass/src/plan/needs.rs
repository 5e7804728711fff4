//! What each stage of each life needs, and its providers.
//!
//! A need is one requirement of one stage. The tiers walk through all of them; for replica-aware
//! requirements the whole run of stages that hold on to one binding matters, because the binding
//! is made once, when the run is entered.

use std::collections::BTreeSet;

use super::events::{EventId, Events};
use super::lives::{LifeId, Lives};
use super::slots::{self, Slot};
use crate::application::{Application, GlobalState, InstanceId};
use crate::lifecycle::Protocol;
use crate::lifecycle::protocol::{Arity, CapabilityId, Element, RequirementId, Sort};

/// A run of stages of one life that all need the same requirement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Need {
    /// Whose need.
    pub(crate) life: LifeId,
    /// What is needed.
    pub(crate) requirement: RequirementId,
    /// First stage.
    pub(crate) from: usize,
    /// Last stage.
    pub(crate) to: usize,
}

/// Who can satisfy a need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Providers {
    /// What they have to offer.
    pub(crate) capability: CapabilityId,
    /// The lives of the target node; of a containment requirement only the container.
    pub(crate) lives: Vec<LifeId>,
}

/// Where each instance may be in each stage of its life: the planned element alone as long as
/// nothing faults, and whatever handlers may lead to otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Possible(pub Vec<Vec<BTreeSet<Element>>>);

impl Possible {
    /// The planned elements alone.
    pub fn planned(lives: &Lives) -> Self {
        let stages = |id: LifeId| lives.get(id).stages.iter();
        Possible(
            lives
                .ids()
                .map(|id| stages(id).map(|s| s.element.into_iter().collect()).collect())
                .collect(),
        )
    }

    /// Where an instance may be; nowhere while it does not exist.
    pub(crate) fn at(&self, life: LifeId, stage: usize) -> &BTreeSet<Element> {
        &self.0[life.index()][stage]
    }
}

/// Everything that the tiers ask about.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// The description.
    pub application: &'a Application,
    /// Where it starts.
    pub start: &'a GlobalState,
    /// The events of the plan.
    pub events: &'a Events,
    /// The lives of the plan.
    pub lives: &'a Lives,
    /// Where each instance may be.
    pub possible: &'a Possible,
}

impl<'a> Scene<'a> {
    /// Every need of every life, in the order of lives, requirements and stages.
    pub(crate) fn needs(&self) -> impl Iterator<Item = Need> + use<'a> {
        let scene = *self;
        scene.lives.ids().flat_map(move |id| {
            let life = scene.lives.get(id);
            let requirements = scene.application.type_of(life.node).requirements.len();
            (0..requirements).map(RequirementId::from).flat_map(move |requirement| {
                let needed = |stage: usize| scene.may_need(id, stage, requirement);
                let runs = slots::runs(life.stages.len(), needed);
                runs.into_iter().map(move |(from, to)| Need { life: id, requirement, from, to })
            })
        })
    }

    /// Whether an instance may rely on a requirement in a stage.
    pub(crate) fn may_need(&self, life: LifeId, stage: usize, requirement: RequirementId) -> bool {
        let protocol = self.application.protocol_of(self.lives.get(life).node);
        let elements = self.possible.at(life, stage);
        protocol.is_some_and(|p| elements.iter().any(|e| p.requires(*e).contains(&requirement)))
    }

    /// The sort of a need.
    pub(crate) fn sort(&self, need: &Need) -> Sort {
        self.requirement(need).sort
    }

    /// The arity of a need.
    pub(crate) fn arity(&self, need: &Need) -> Arity {
        self.requirement(need).arity
    }

    fn requirement(&self, need: &Need) -> &'a crate::lifecycle::protocol::Requirement {
        let node = self.lives.get(need.life).node;
        &self.application.type_of(node).requirements[need.requirement.index()]
    }

    /// What can satisfy a need; none when the requirement is unbound.
    pub(crate) fn providers(&self, need: &Need) -> Option<Providers> {
        let life = self.lives.get(need.life);
        let binding = self.application.node(life.node).binding(need.requirement)?;
        let lives = match self.sort(need) {
            Sort::Containment => life.container.into_iter().collect(),
            _ => self.lives.of_node(binding.target).to_vec(),
        };
        Some(Providers { capability: binding.capability, lives })
    }

    /// When a fault of a need shows: all the time in a state; in an operation at its end only.
    /// None when the operation does not end within the plan.
    pub(crate) fn window(&self, life: LifeId, stage: usize) -> Option<Slot> {
        let life = self.lives.get(life);
        match life.stages[stage].element? {
            Element::State(_) => Some(Slot::stages(life, stage, stage)),
            Element::Transition(_) => {
                let end = life.leave(stage).filter(|_| life.stages[stage + 1].element.is_some())?;
                let mut slot = Slot::before(self.events, end);
                // For order edges: an operation can only be moved as a whole.
                slot.enter = life.stages[stage].enter;
                Some(slot)
            }
        }
    }

    /// Whether a stage is an operation, so that its faults show one event later, at its end.
    pub(crate) fn is_operation(&self, life: LifeId, stage: usize) -> bool {
        matches!(self.lives.get(life).stages[stage].element, Some(Element::Transition(_)))
    }

    /// The slots in which a provider may offer a capability.
    pub(crate) fn may_offer(&self, life: LifeId, capability: CapabilityId) -> Vec<Slot> {
        self.slots(life, |elements, protocol| {
            elements.iter().any(|e| protocol.offers(*e).contains(&capability))
        })
    }

    /// The slots in which a provider may fail to offer a capability; absence is failing.
    pub(crate) fn may_miss(&self, life: LifeId, capability: CapabilityId) -> Vec<Slot> {
        self.slots(life, |elements, protocol| {
            elements.is_empty()
                || elements.iter().any(|e| !protocol.offers(*e).contains(&capability))
        })
    }

    /// The slots in which an instance exists and may fail to offer a capability.
    pub(crate) fn may_be_silent(&self, life: LifeId, capability: CapabilityId) -> Vec<Slot> {
        self.slots(life, |elements, protocol| {
            elements.iter().any(|e| !protocol.offers(*e).contains(&capability))
        })
    }

    /// The slots in which an instance does not exist.
    pub(crate) fn absent(&self, life: LifeId) -> Vec<Slot> {
        self.slots(life, |elements, _| elements.is_empty())
    }

    fn slots(
        &self,
        id: LifeId,
        holds: impl Fn(&BTreeSet<Element>, &Protocol) -> bool,
    ) -> Vec<Slot> {
        let life = self.lives.get(id);
        let Some(protocol) = self.application.protocol_of(life.node) else { return Vec::new() };
        let runs =
            slots::runs(life.stages.len(), |stage| holds(self.possible.at(id, stage), protocol));
        runs.into_iter().map(|(from, to)| Slot::stages(life, from, to)).collect()
    }

    /// How many instances of its target node a need of arity `all` asks for: as many as are
    /// wanted, never none.
    pub(crate) fn wanted(&self, need: &Need) -> usize {
        let node = self.lives.get(need.life).node;
        let binding = self.application.node(node).binding(need.requirement);
        binding.map_or(1, |b| self.application.node(b.target).count.max(1)) as usize
    }

    /// The instances that a need is bound to in the start state.
    pub(crate) fn bound_at_start(&self, need: &Need) -> Vec<LifeId> {
        let user = &self.lives.get(need.life).instance;
        let none = InstanceId(String::new());
        let from = (user.clone(), need.requirement, none);
        self.start
            .horizontal
            .range(from..)
            .take_while(|(instance, requirement, _)| {
                instance == user && *requirement == need.requirement
            })
            .filter_map(|(_, _, provider)| slots::life_at_start(self.lives, provider))
            .collect()
    }

    /// The instance that a need is bound to in the start state, with the slot in which it offers
    /// from the start; none when no bound instance offers.
    pub(crate) fn offering_at_start(
        &self,
        need: &Need,
        capability: CapabilityId,
    ) -> Option<(LifeId, Slot)> {
        self.bound_at_start(need).into_iter().find_map(|life| {
            // At the very start an instance is where it is, whatever may happen to it later.
            let there = self.lives.get(life);
            let protocol = self.application.protocol_of(there.node)?;
            there.stages[0].element.filter(|e| protocol.offers(*e).contains(&capability))?;
            let slots = self.may_offer(life, capability);
            let first = slots.into_iter().next().filter(|slot| slot.enter.is_none())?;
            Some((life, first))
        })
    }

    /// The stages of a need up to `stage` at which its binding may have been made: the first one,
    /// and each one before which the instance may not have relied on it.
    pub(crate) fn entries(&self, need: &Need, stage: usize) -> Vec<usize> {
        let protocol = self.application.protocol_of(self.lives.get(need.life).node);
        let may_not_need = |at: usize| {
            let elements = self.possible.at(need.life, at);
            protocol.is_some_and(|p| {
                elements.iter().any(|e| !p.requires(*e).contains(&need.requirement))
            })
        };
        (need.from..=stage).filter(|at| *at == need.from || may_not_need(at - 1)).collect()
    }

    /// The event that enters a run of stages; none when it is there at the start.
    pub(crate) fn entry(&self, need: &Need) -> Option<EventId> {
        self.lives.get(need.life).stages[need.from].enter
    }
}

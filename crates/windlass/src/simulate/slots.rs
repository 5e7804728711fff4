//! What limits how much runs at once: all in all, on a host, under a lock, in a component.

use std::collections::{BTreeMap, VecDeque};

use super::{Mode, Scenario};
use crate::application::assembly::{Assembly, ComponentId, TransitionId};

/// So much can happen at once; the others wait in the order in which they came.
#[derive(Debug)]
struct Resource {
    free: u32,
    waiting: VecDeque<TransitionId>,
}

/// The limits of a scenario and who waits for them.
#[derive(Debug)]
pub(super) struct Slots {
    all: Vec<Resource>,
    jobs: Option<u32>,
    /// The first resource of components; component `c` has resource `first + c`.
    components: Option<u32>,
    hosts: BTreeMap<String, u32>,
    locks: BTreeMap<String, u32>,
}

impl Slots {
    pub(super) fn new(assembly: &Assembly<'_>, scenario: &Scenario) -> Self {
        let mut slots = Slots {
            all: Vec::new(),
            jobs: None,
            components: None,
            hosts: BTreeMap::new(),
            locks: BTreeMap::new(),
        };
        let deployment = &assembly.application().deployment;
        slots.jobs = scenario.jobs.map(|jobs| slots.add(jobs));
        for (name, free) in &deployment.hosts {
            let id = slots.add(*free);
            slots.hosts.insert(name.clone(), id);
        }
        for (name, free) in &deployment.locks {
            let id = slots.add(*free);
            slots.locks.insert(name.clone(), id);
        }
        // A lock that no limit is declared for is held by one at a time.
        let transitions = assembly.application().types.iter().filter_map(|kind| kind.net());
        for transition in transitions.flat_map(|net| &net.transitions) {
            if let Some(lock) = &transition.action.lock
                && !slots.locks.contains_key(lock)
            {
                let id = slots.add(1);
                slots.locks.insert(lock.clone(), id);
            }
        }
        if scenario.mode == Mode::Aeolus {
            slots.components = Some(slots.all.len() as u32);
            for _ in assembly.component_ids() {
                slots.add(1);
            }
        }
        slots
    }

    fn add(&mut self, free: u32) -> u32 {
        self.all.push(Resource { free, waiting: VecDeque::new() });
        (self.all.len() - 1) as u32
    }

    /// What a transition needs.
    fn needs(
        &self,
        assembly: &Assembly<'_>,
        id: TransitionId,
    ) -> impl Iterator<Item = u32> + use<> {
        let (component, local): (ComponentId, _) = assembly.local_transition(id);
        let action = &assembly.net(component).0.transition(local).action;
        let node = assembly.component(component).node;
        let host = action.host.as_ref().or(assembly.application().deployment.host.get(&node));
        let host = host.and_then(|name| self.hosts.get(name).copied());
        let lock = action.lock.as_ref().and_then(|name| self.locks.get(name).copied());
        let component = self.components.map(|first| first + component.0);
        [self.jobs, component, host, lock].into_iter().flatten()
    }

    /// Takes all that a transition needs. Otherwise it waits, and the answer is what could go
    /// on in its place: those that wait for something that it left free.
    pub(super) fn take(
        &mut self,
        assembly: &Assembly<'_>,
        id: TransitionId,
    ) -> Result<(), Vec<TransitionId>> {
        let full = self.needs(assembly, id).find(|need| self.all[*need as usize].free == 0);
        let Some(full) = full else {
            for need in self.needs(assembly, id) {
                self.all[need as usize].free -= 1;
            }
            return Ok(());
        };
        self.all[full as usize].waiting.push_back(id);
        let mut others = Vec::new();
        for need in self.needs(assembly, id).filter(|need| *need != full) {
            let resource = &mut self.all[need as usize];
            if resource.free > 0 {
                others.extend(resource.waiting.pop_front());
            }
        }
        Err(others)
    }

    /// Who may try in the place of a transition that waited and cannot start any more.
    pub(super) fn pass_on(
        &mut self,
        assembly: &Assembly<'_>,
        id: TransitionId,
    ) -> Vec<TransitionId> {
        let mut next = Vec::new();
        for need in self.needs(assembly, id) {
            let resource = &mut self.all[need as usize];
            if resource.free > 0 {
                next.extend(resource.waiting.pop_front());
            }
        }
        next
    }

    /// Gives back what a transition held; the answer is who may try now.
    pub(super) fn give_back(
        &mut self,
        assembly: &Assembly<'_>,
        id: TransitionId,
    ) -> Vec<TransitionId> {
        let mut next = Vec::new();
        for need in self.needs(assembly, id) {
            let resource = &mut self.all[need as usize];
            resource.free += 1;
            next.extend(resource.waiting.pop_front());
        }
        next
    }
}

//! Tier T1d: valid in spite of faults? Polynomial, sound, and nearly always enough.
//!
//! T1 with a set of possible elements for each stage. It starts with the planned elements; where
//! a requirement cannot be shown to be satisfied, the targets of the handlers are possible too;
//! operations push the sets forward. When the sets stop growing and every planned operation
//! exists in every possible state, the plan is valid: by induction the real element is always in
//! its set. When nothing had to be added, nothing faults in any order.
//!
//! The result is a [`Cover`], which `certificate` checks on its own.

use std::collections::BTreeSet;

use super::proofs;
use crate::application::{Application, GlobalState};
use crate::lifecycle::Protocol;
use crate::lifecycle::protocol::{Element, RequirementId};
use crate::plan::cover::{Cover, Satisfied};
use crate::plan::events::{EventKind, Events};
use crate::plan::lives::{LifeId, Lives};
use crate::plan::needs::{Possible, Scene};
use crate::plan::{Plan, PlanAction};

/// A cover of the plan, or none when this tier cannot tell.
pub fn cover(
    application: &Application,
    start: &GlobalState,
    plan: &Plan,
    events: &Events,
    lives: &Lives,
) -> Option<Cover> {
    if !lives.undefined.is_empty() {
        return None;
    }
    let mut possible = Possible::planned(lives);
    loop {
        let scene = Scene { application, start, events, lives, possible: &possible };
        let satisfied = proofs::satisfied(&scene);
        let next = Growth { scene, plan, satisfied: &satisfied }.grown()?;
        if next == possible {
            return Some(Cover { possible, satisfied });
        }
        possible = next;
    }
}

/// One round of growing the sets.
struct Growth<'a> {
    scene: Scene<'a>,
    plan: &'a Plan,
    satisfied: &'a [Satisfied],
}

impl Growth<'_> {
    /// The sets after one round; none when an operation or a handler is missing somewhere.
    fn grown(&self) -> Option<Possible> {
        let mut next = self.scene.possible.clone();
        for id in self.scene.lives.ids() {
            let life = self.scene.lives.get(id);
            let protocol = self.scene.application.protocol_of(life.node)?;
            for stage in 0..life.stages.len() {
                if life.stages[stage].element.is_none() {
                    continue;
                }
                let entered = self.entered(id, stage, &next.0[id.index()], protocol)?;
                let mut all = next.0[id.index()][stage].clone();
                all.extend(entered);
                next.0[id.index()][stage] = self.with_handlers(id, stage, all, protocol)?;
            }
        }
        Some(next)
    }

    /// Where the entering event of a stage may lead from the elements of the stage before it.
    fn entered(
        &self,
        id: LifeId,
        stage: usize,
        sets: &[BTreeSet<Element>],
        protocol: &Protocol,
    ) -> Option<BTreeSet<Element>> {
        let life = self.scene.lives.get(id);
        let Some(event) = life.stages[stage].enter else { return Some(BTreeSet::new()) };
        let event = self.scene.events.get(event);
        let before = &sets[stage.saturating_sub(1)];
        match event.kind {
            EventKind::ScaleOut | EventKind::ScaleIn => Some(BTreeSet::new()),
            // This tier is about the relation of 004, in which no operation is atomic.
            EventKind::Whole => None,
            EventKind::Start => {
                let PlanAction::Operation { operation, .. } = &self.plan.steps[event.step].action
                else {
                    return None;
                };
                let component = self.scene.application.type_of(life.node);
                let operation = component.operation_named(operation)?;
                let mut all = BTreeSet::new();
                for element in before {
                    let Element::State(state) = element else { return None };
                    let mut found = protocol.transitions_for(*state, operation).peekable();
                    found.peek()?;
                    all.extend(found.map(Element::Transition));
                }
                Some(all)
            }
            EventKind::End => {
                let mut all = BTreeSet::new();
                for element in before {
                    let Element::Transition(running) = element else { return None };
                    all.insert(Element::State(protocol.transition(*running).to));
                    for requirement in self.unsatisfied(id, stage - 1, *element, protocol) {
                        all.extend(targets(protocol, *element, requirement)?);
                    }
                }
                Some(all)
            }
        }
    }

    /// With everything that handlers may lead to; an operation is handled when it ends.
    fn with_handlers(
        &self,
        id: LifeId,
        stage: usize,
        mut all: BTreeSet<Element>,
        protocol: &Protocol,
    ) -> Option<BTreeSet<Element>> {
        let mut open: Vec<Element> = all.iter().copied().collect();
        while let Some(element) = open.pop() {
            if matches!(element, Element::Transition(_)) {
                continue;
            }
            for requirement in self.unsatisfied(id, stage, element, protocol) {
                for target in targets(protocol, element, requirement)? {
                    if all.insert(target) {
                        open.push(target);
                    }
                }
            }
        }
        Some(all)
    }

    /// The requirements of an element that are not shown to be satisfied in a stage.
    fn unsatisfied(
        &self,
        life: LifeId,
        stage: usize,
        element: Element,
        protocol: &Protocol,
    ) -> Vec<RequirementId> {
        let shown = |requirement: &RequirementId| {
            let key = (life, stage, *requirement);
            self.satisfied.binary_search_by_key(&key, |s| (s.life, s.stage, s.requirement)).is_ok()
        };
        protocol.requires(element).iter().copied().filter(|r| !shown(r)).collect()
    }
}

/// Where a fault of a requirement may lead: the handlers that drop it and keep the most. None
/// when there is no such handler, or when one relies on more than before.
fn targets(
    protocol: &Protocol,
    element: Element,
    requirement: RequirementId,
) -> Option<Vec<Element>> {
    let before = protocol.requires(element);
    let kept = |to| &protocol.state(to).requires;
    let takes: Vec<_> = protocol
        .handlers(element)
        .iter()
        .map(|handler| handler.to)
        .filter(|to| !kept(*to).contains(&requirement))
        .collect();
    if takes.is_empty() || takes.iter().any(|to| !kept(*to).is_subset(before)) {
        return None;
    }
    let largest = |to: &_| {
        !takes.iter().any(|other| kept(*to).is_subset(kept(*other)) && kept(*to) != kept(*other))
    };
    Some(takes.iter().copied().filter(largest).map(Element::State).collect())
}

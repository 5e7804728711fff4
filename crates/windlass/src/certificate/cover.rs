//! Checks a cover: a plan is valid because of what it says, need by need.
//!
//! Nothing is searched. The lives of the plan are laid out again; the possible elements must
//! contain where everything starts and be closed under operations and handlers; and each proof
//! must show what it claims, slot by slot.

use std::collections::BTreeSet;

use crate::application::{Application, GlobalState};
use crate::lifecycle::Protocol;
use crate::lifecycle::protocol::{Arity, Element, RequirementId, Sort};
use crate::plan::cover::{Counted, Cover, Entry, Offered, Origin, Proof, Satisfied};
use crate::plan::events::{EventKind, Events};
use crate::plan::lives::{LifeId, Lives};
use crate::plan::needs::{Need, Providers, Scene};
use crate::plan::slots::{self, PassedOver, Slot};
use crate::plan::{Plan, PlanAction, closure, counting};

/// Why a cover does not show that its plan is valid.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefusedCover {
    /// The order of the plan has a cycle.
    CyclicOrder,
    /// Actions on one instance are not ordered, or an instance is not there when it is needed.
    Disorder,
    /// The possible elements do not have the shape of the lives.
    WrongShape,
    /// An instance may be where the cover does not say so.
    NotClosed(LifeId, usize),
    /// A planned operation does not exist in some possible state.
    Undefined(LifeId, usize),
    /// No handler takes a fault that may happen.
    Unhandled(LifeId, usize, RequirementId),
    /// A proof does not show that a requirement is satisfied.
    WrongProof(LifeId, usize, RequirementId),
}

/// Whether a cover shows that a plan is valid from `start`.
pub fn check_cover(
    application: &Application,
    start: &GlobalState,
    plan: &Plan,
    cover: &Cover,
) -> Result<(), RefusedCover> {
    let events = Events::new(plan).map_err(|_| RefusedCover::CyclicOrder)?;
    let lives =
        Lives::new(application, start, plan, &events).map_err(|_| RefusedCover::Disorder)?;
    let stages = lives.ids().map(|id| lives.get(id).stages.len());
    if !lives.undefined.is_empty() || !stages.eq(cover.possible.0.iter().map(Vec::len)) {
        return Err(RefusedCover::WrongShape);
    }
    let possible = &cover.possible;
    let scene = Scene { application, start, events: &events, lives: &lives, possible };
    let checker = Checker { scene, plan, satisfied: &cover.satisfied };
    let keys = cover.satisfied.iter().map(key);
    if !keys.is_sorted_by(|a, b| a < b) {
        return Err(RefusedCover::WrongShape);
    }
    for satisfied in &cover.satisfied {
        let (life, stage, requirement) = key(satisfied);
        if !checker.shows(satisfied).unwrap_or(false) {
            return Err(RefusedCover::WrongProof(life, stage, requirement));
        }
    }
    for life in lives.ids() {
        for stage in 0..lives.get(life).stages.len() {
            checker.closed(life, stage)?;
        }
    }
    Ok(())
}

fn key(satisfied: &Satisfied) -> (LifeId, usize, RequirementId) {
    (satisfied.life, satisfied.stage, satisfied.requirement)
}

struct Checker<'a> {
    scene: Scene<'a>,
    plan: &'a Plan,
    satisfied: &'a [Satisfied],
}

impl Checker<'_> {
    /// Everything that may come after a stage is in the sets.
    fn closed(&self, id: LifeId, stage: usize) -> Result<(), RefusedCover> {
        let life = self.scene.lives.get(id);
        let here = self.scene.possible.at(id, stage);
        let protocol =
            self.scene.application.protocol_of(life.node).ok_or(RefusedCover::WrongShape)?;
        let begins = life.stages[stage].element;
        let is_first = stage == 0 || life.stages[stage - 1].element.is_none();
        if begins.is_some_and(|e| is_first && !here.contains(&e))
            || begins.is_none() != here.is_empty()
        {
            return Err(RefusedCover::NotClosed(id, stage));
        }
        for element in here {
            let ends_in = match element {
                Element::State(_) => Some(stage),
                Element::Transition(_) => self.end_of(id, stage),
            };
            if let Some(ends_in) = ends_in {
                let into = self.scene.possible.at(id, ends_in);
                self.handled(id, stage, *element, into, protocol)?;
            }
            self.followed(id, stage, *element, protocol)?;
        }
        Ok(())
    }

    /// The stage in which an operation ends; none when it is cut short or goes on.
    fn end_of(&self, id: LifeId, stage: usize) -> Option<usize> {
        let event = self.scene.lives.get(id).leave(stage)?;
        (self.scene.events.get(event).kind == EventKind::End).then_some(stage + 1)
    }

    /// Every requirement of an element is shown to be satisfied, or handlers lead into the set.
    fn handled(
        &self,
        id: LifeId,
        stage: usize,
        element: Element,
        into: &BTreeSet<Element>,
        protocol: &Protocol,
    ) -> Result<(), RefusedCover> {
        for requirement in protocol.requires(element) {
            let wanted = (id, stage, *requirement);
            if self.satisfied.binary_search_by_key(&wanted, key).is_ok() {
                continue;
            }
            let keeps = |to| &protocol.state(to).requires;
            let handlers = protocol.handlers(element).iter().map(|handler| handler.to);
            let taking: Vec<_> = handlers.filter(|to| !keeps(*to).contains(requirement)).collect();
            let largest = taking.iter().filter(|to| {
                let beaten = |other: &&_| {
                    keeps(**to).is_subset(keeps(**other)) && keeps(**to) != keeps(**other)
                };
                !taking.iter().any(|other| beaten(&other))
            });
            let mut any = false;
            for to in largest {
                any = true;
                // A handler that relies on more would bind at a moment that the proofs ignore.
                if !keeps(*to).is_subset(protocol.requires(element)) {
                    return Err(RefusedCover::Unhandled(id, stage, *requirement));
                }
                if !into.contains(&Element::State(*to)) {
                    return Err(RefusedCover::NotClosed(id, stage));
                }
            }
            if !any {
                return Err(RefusedCover::Unhandled(id, stage, *requirement));
            }
        }
        Ok(())
    }

    /// The event that ends a stage is possible for an element, and leads into the next set.
    fn followed(
        &self,
        id: LifeId,
        stage: usize,
        element: Element,
        protocol: &Protocol,
    ) -> Result<(), RefusedCover> {
        let life = self.scene.lives.get(id);
        let Some(event) = life.leave(stage).map(|event| self.scene.events.get(event)) else {
            return Ok(());
        };
        let undefined = Err(RefusedCover::Undefined(id, stage));
        let not_closed = Err(RefusedCover::NotClosed(id, stage));
        match (event.kind, element) {
            (EventKind::ScaleIn, _) => Ok(()),
            (EventKind::End, Element::Transition(running)) => {
                let to = Element::State(protocol.transition(running).to);
                let next = self.scene.possible.at(id, stage + 1);
                if next.contains(&to) { Ok(()) } else { not_closed }
            }
            (EventKind::Start, Element::State(state)) => {
                let PlanAction::Operation { operation, .. } = &self.plan.steps[event.step].action
                else {
                    return undefined;
                };
                let component = self.scene.application.type_of(life.node);
                let Some(operation) = component.operation_named(operation) else {
                    return undefined;
                };
                let next = self.scene.possible.at(id, stage + 1);
                let mut found = protocol.transitions_for(state, operation).peekable();
                if found.peek().is_none() {
                    return undefined;
                }
                let closed =
                    found.all(|transition| next.contains(&Element::Transition(transition)));
                if closed { Ok(()) } else { not_closed }
            }
            _ => undefined,
        }
    }

    /// Whether a proof shows that a requirement is satisfied; none when it speaks of nothing.
    fn shows(&self, satisfied: &Satisfied) -> Option<bool> {
        let (life, stage, requirement) = key(satisfied);
        let scene = &self.scene;
        let stages =
            scene.lives.ids().find(|id| *id == life).map(|id| scene.lives.get(id).stages.len())?;
        if stage >= stages || !scene.may_need(life, stage, requirement) {
            return None;
        }
        let needed = |at: usize| scene.may_need(life, at, requirement);
        let from = (0..=stage).rev().take_while(|at| needed(*at)).last()?;
        let to = (stage..stages).take_while(|at| needed(*at)).last()?;
        let need = Need { life, requirement, from, to };
        let window = scene.window(life, stage);
        let providers = scene.providers(&need)?;
        let kind = (scene.sort(&need), scene.arity(&need));
        match (&satisfied.proof, window, kind) {
            (Proof::NeverShows, None, _) => Some(true),
            (
                Proof::Offered(offered),
                Some(window),
                (Sort::Containment, _) | (Sort::ReplicaUnaware, Arity::Any),
            ) => self.offers(offered, &window, &providers),
            (Proof::Bound(entries), Some(window), (Sort::ReplicaAware, Arity::Any)) => {
                let stages = entries.iter().map(|entry| entry.stage);
                if !stages.eq(scene.entries(&need, stage)) {
                    return None;
                }
                entries
                    .iter()
                    .map(|e| self.keeps(e, &need, &window, &providers))
                    .find(|k| *k != Some(true))
                    .unwrap_or(Some(true))
            }
            (
                Proof::Counted(answers),
                Some(_),
                (Sort::ReplicaAware | Sort::ReplicaUnaware, Arity::All | Arity::AtLeast(_)),
            ) => {
                let questions = counting::questions(scene, &need, stage..=stage, &providers);
                let agree = questions.iter().zip(answers).all(|(q, answer)| self.counts(q, answer));
                Some(questions.len() == answers.len() && agree)
            }
            _ => None,
        }
    }

    fn offers(&self, offered: &Offered, window: &Slot, providers: &Providers) -> Option<bool> {
        if !offered.providers.iter().all(|life| providers.lives.contains(life)) {
            return None;
        }
        let missing: Vec<Vec<Slot>> = offered
            .providers
            .iter()
            .map(|life| self.scene.may_miss(*life, providers.capability))
            .collect();
        Some(self.never(window, &missing, &offered.passed))
    }

    fn never(&self, window: &Slot, others: &[Vec<Slot>], passed: &[PassedOver]) -> bool {
        let mut rows: Vec<&[Slot]> = vec![std::slice::from_ref(window)];
        rows.extend(others.iter().map(Vec::as_slice));
        slots::proves_never(&rows, passed, self.scene.events)
    }

    /// Whether a binding made at an entry is still good in the window.
    fn keeps(
        &self,
        entry: &Entry,
        need: &Need,
        window: &Slot,
        providers: &Providers,
    ) -> Option<bool> {
        let scene = &self.scene;
        let later = |provider: LifeId, slot: &Slot| {
            slots::not_before(scene.may_miss(provider, providers.capability), slot, scene.events)
        };
        match (&entry.origin, scene.lives.get(need.life).stages[entry.stage].enter) {
            (Origin::Start(provider), None) => {
                let (bound, slot) = scene.offering_at_start(need, providers.capability)?;
                let [kept] = entry.kept.as_slice() else { return None };
                let fails = later(bound, &slot);
                let holds = !kept.never_bound && self.never(window, &[fails], &kept.passed);
                Some(bound == *provider && holds)
            }
            (Origin::Entered(offered), Some(event)) => {
                let before = Slot::before(scene.events, event);
                if self.offers(offered, &before, providers) != Some(true) {
                    return Some(false);
                }
                let mut kept = entry.kept.iter();
                for &provider in &providers.lives {
                    for slot in scene.may_offer(provider, providers.capability) {
                        let kept = kept.next()?;
                        let holds = if kept.never_bound {
                            self.never(&before, &[vec![slot]], &kept.passed)
                        } else {
                            self.never(window, &[later(provider, &slot)], &kept.passed)
                        };
                        if !holds {
                            return Some(false);
                        }
                    }
                }
                Some(kept.next().is_none())
            }
            _ => None,
        }
    }

    fn counts(&self, question: &counting::Question, answer: &Counted) -> bool {
        let able = question.able();
        if question.together == 0 {
            return false;
        }
        match answer {
            Counted::TooFew => able.len() < question.together,
            Counted::MinimumCut => {
                let (window, rows) = (&question.window, &question.rows);
                closure::at_once(&self.scene, window, rows, question.together).is_none()
            }
            Counted::Combinations(proofs) => {
                let ways = counting::combinations(able.len(), question.together);
                if able.len() < question.together || ways != proofs.len() {
                    return false;
                }
                let mut chosen: Vec<usize> = (0..question.together).collect();
                proofs.iter().all(|passed| {
                    let rows: Vec<Vec<Slot>> =
                        chosen.iter().map(|at| question.rows[able[*at]].clone()).collect();
                    counting::next_combination(&mut chosen, able.len());
                    self.never(&question.window, &rows, passed)
                })
            }
        }
    }
}

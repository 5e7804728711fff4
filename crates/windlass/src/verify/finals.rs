//! Where a plan with a cover ends, without running it.

use std::collections::BTreeSet;

use super::bindings::Ending;
use super::effects::{Effect, Effects, effects};
use crate::application::{Application, GlobalState, Instance, InstanceId};
use crate::lifecycle::protocol::{Element, RequirementId};
use crate::plan::cover::Cover;
use crate::plan::lives::{LifeId, Lives};
use crate::plan::slots;

/// The final state of a plan whose cover is deterministic, without horizontal bindings: which
/// provider is bound is a choice.
pub(super) fn final_state(application: &Application, lives: &Lives, cover: &Cover) -> GlobalState {
    let mut state = GlobalState::empty();
    for id in lives.ids() {
        let life = lives.get(id);
        let Some(element) = last(cover, id) else { continue };
        let instance = Instance { node: life.node, element };
        state.instances.insert(life.instance.clone(), instance);
        let containment = application.type_of(life.node).containment();
        if let (Some(container), Some(requirement)) = (life.container, containment) {
            let container = lives.get(container).instance.clone();
            state.vertical.insert(life.instance.clone(), (requirement, container));
        }
    }
    state
}

fn last(cover: &Cover, life: LifeId) -> Option<Element> {
    cover.possible.0[life.index()].last()?.first().copied()
}

/// The effects of such a plan, with what it binds or without.
pub(super) fn effects_of(
    ending: &Ending<'_>,
    application: &Application,
    end: &GlobalState,
    with_bindings: bool,
) -> Effects {
    let start = ending.scene.start;
    let mut before = start.clone();
    before.horizontal.clear();
    let mut all = effects(application, &before, std::slice::from_ref(end));
    let name = |id: &InstanceId, requirement: RequirementId, state: &GlobalState| {
        let node = state.instances.get(id).map(|instance| instance.node)?;
        Some(application.type_of(node).requirements[requirement.index()].name.clone())
    };
    let mut relied_on: BTreeSet<(InstanceId, String)> = BTreeSet::new();
    if !with_bindings {
        return all;
    }
    for (user, requirement, providers) in ending.bindings() {
        let Some(name) = name(&user, requirement, end) else { continue };
        let bound: BTreeSet<&InstanceId> = start.bound(&user, requirement).collect();
        for (provider, certain) in providers.iter().filter(|(p, _)| !bound.contains(p)) {
            all.add(Effect::Bound(user.clone(), name.clone(), provider.clone()), *certain);
        }
        for provider in bound {
            let effect = Effect::Unbound(user.clone(), name.clone(), provider.clone());
            match providers.get(provider) {
                None => all.add(effect, ending.is_fault_free),
                Some(false) => all.add(effect, false),
                Some(true) => {}
            }
        }
        relied_on.insert((user, name));
    }
    for (user, requirement, provider) in &start.horizontal {
        let Some(name) = name(user, *requirement, start) else { continue };
        let is_kept = relied_on.contains(&(user.clone(), name.clone()))
            || (end.instances.contains_key(provider) && !is_dropped(ending, user, *requirement));
        if !is_kept {
            all.add(Effect::Unbound(user.clone(), name, provider.clone()), true);
        }
    }
    all
}

/// Whether a binding of the start state is taken away: its user is gone, or relied on it and does
/// not any more. One that its user never relied on stays.
fn is_dropped(ending: &Ending<'_>, user: &InstanceId, requirement: RequirementId) -> bool {
    let Some(life) = slots::life_at_start(ending.scene.lives, user) else { return true };
    let stages = ending.scene.lives.get(life).stages.len();
    let is_gone = ending.scene.possible.at(life, stages - 1).is_empty();
    is_gone || (0..stages).any(|stage| ending.scene.may_need(life, stage, requirement))
}

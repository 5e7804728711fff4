//! Where a plan with a cover ends, without running it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::effects::{Effect, Effects, effects};
use crate::application::{Application, GlobalState, Instance, InstanceId, NodeId};
use crate::lifecycle::protocol::{CapabilityId, Element, RequirementId, Sort};
use crate::plan::cover::Cover;
use crate::plan::lives::{LifeId, Lives};

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

/// The effects of such a plan. A requirement that only one instance can satisfy is bound to it for
/// certain; with several each is possible.
pub(super) fn effects_of(
    application: &Application,
    start: &GlobalState,
    end: &GlobalState,
) -> Effects {
    let mut before = start.clone();
    before.horizontal.clear();
    let mut all = effects(application, &before, std::slice::from_ref(end));
    let name = |id: &InstanceId, requirement: RequirementId, state: &GlobalState| {
        let node = state.instances.get(id).map(|instance| instance.node)?;
        Some(application.type_of(node).requirements[requirement.index()].name.clone())
    };
    let after = bindings_after(application, end);
    for (user, requirement, providers) in &after {
        let bound: BTreeSet<&InstanceId> = start.bound(user, *requirement).collect();
        let Some(name) = name(user, *requirement, end) else { continue };
        let only = providers.len() == 1;
        for provider in providers.iter().filter(|provider| !bound.contains(provider)) {
            let effect = Effect::Bound(user.clone(), name.clone(), provider.clone());
            if only {
                all.certain.insert(effect)
            } else {
                all.possible.insert(effect)
            };
        }
        for provider in bound {
            let effect = Effect::Unbound(user.clone(), name.clone(), provider.clone());
            if !providers.contains(provider) {
                all.certain.insert(effect);
            } else if !only {
                all.possible.insert(effect);
            }
        }
    }
    let relied_on: BTreeSet<(&InstanceId, RequirementId)> =
        after.iter().map(|(user, requirement, _)| (user, *requirement)).collect();
    for (user, requirement, provider) in &start.horizontal {
        let still = relied_on.contains(&(user, *requirement));
        if !still && let Some(name) = name(user, *requirement, start) {
            all.certain.insert(Effect::Unbound(user.clone(), name, provider.clone()));
        }
    }
    all
}

/// A requirement of an instance, and the instances that offer what it needs.
type Needed = (InstanceId, RequirementId, Rc<BTreeSet<InstanceId>>);

/// Every horizontal requirement that is relied on, with the instances that offer it.
fn bindings_after(application: &Application, end: &GlobalState) -> Vec<Needed> {
    // Many instances need the same: who offers it is looked up once.
    let mut known: BTreeMap<(NodeId, CapabilityId), Rc<BTreeSet<InstanceId>>> = BTreeMap::new();
    let mut all = Vec::new();
    for (id, instance) in &end.instances {
        let component = application.type_of(instance.node);
        let Some(protocol) = component.protocol() else { continue };
        for requirement in protocol.requires(instance.element) {
            if component.requirements[requirement.index()].sort == Sort::Containment {
                continue;
            }
            let Some(binding) = application.node(instance.node).binding(*requirement) else {
                continue;
            };
            let offers = |provider: &Instance| {
                application
                    .protocol_of(provider.node)
                    .is_some_and(|p| p.offers(provider.element).contains(&binding.capability))
            };
            let providers =
                known.entry((binding.target, binding.capability)).or_insert_with(|| {
                    let all = end.of_node(binding.target).filter(|(_, provider)| offers(provider));
                    Rc::new(all.map(|(id, _)| id.clone()).collect())
                });
            all.push((id.clone(), *requirement, Rc::clone(providers)));
        }
    }
    all
}

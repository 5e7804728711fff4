//! The management behavior of an application (paper 004 Def. 3.9): one function per inference
//! rule, in printed order. Premises are statements, in the paper's order; the conclusion is the
//! last expression.
//!
//! | rule | function |
//! |---|---|
//! | scaleout, scaleout-c, scalein | `scale_out`, `scale_out_contained`, `scale_in` |
//! | op-start, op-end | `op_start`, `op_end` |
//! | resolve-fault, handle-fault | `resolve_fault`, `handle_fault` |
//! | destroy, no-broken-instances | `destroy`, [`step`] |
//!
//! The relation has two levels, as printed: `→` is `support_step`, `⇒` is [`step`], in which
//! `destroy` comes before everything else.

use super::faults::{broken, is_resolvable, pending};
use super::policy::{bind, rebind};
use super::{Action, Blocked, Replica};
use crate::application::{GlobalState, Instance, InstanceId, NodeId};
use crate::lifecycle::protocol::{Element, RequirementId, TransitionId};
use crate::semantics::largest_targets;

/// The states that a rule leads to, one per choice of policy and handler; or the premise that
/// failed.
pub(crate) type Applied = Result<Vec<GlobalState>, Blocked>;

/// A label of `⇒`: an observable action, or something that happens by itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Label {
    /// An action of the manager of the application.
    Do(Action),
    /// `resolve(i, r)`.
    ResolveFault(InstanceId, RequirementId),
    /// `handle(i, r)`.
    HandleFault(InstanceId, RequirementId),
    /// `destroy(i)`.
    Destroy(InstanceId),
}

/// A new instance of a node that needs no container.
///
/// ```text
/// R_N^C = ∅     ∄ ⟨i, ·⟩ ∈ G     G' = G ∪ {⟨i, s̄⟩_N}
/// H' = H ∪ {⟨i, r, i'⟩ | r ∈ ρ(s̄) ∧ i' = π(r, satisfy(r, G))}
/// ----------------------------------------------------------- (scaleout)
/// ⟨G, H, V⟩ --scaleout(N, i)--> ⟨G', H', V⟩
/// ```
/// Paper: 004 Def. 3.9 (scaleout)
pub(crate) fn scale_out(
    replica: &Replica,
    before: &GlobalState,
    node: NodeId,
    id: &InstanceId,
) -> Applied {
    if let Some(requirement) = replica.application().type_of(node).containment() {
        return Err(Blocked::NeedsContainer { node, requirement });
    }
    is_unused(before, id)?;
    Ok(create(replica, before, before.clone(), node, id))
}

/// A new instance of a node, inside another instance.
///
/// ```text
/// R_N^C = {r_c}     ∄ ⟨i, ·⟩ ∈ G     ⟨i_c, ·⟩_{N_c} ∈ G     b(r_c) ∈ C_{N_c}
/// G' = G ∪ {⟨i, s̄⟩_N}     V' = V ∪ {⟨i, r_c, i_c⟩}
/// H' = H ∪ {⟨i, r, i'⟩ | r ∈ ρ(s̄) ∧ r ≠ r_c ∧ i' = π(r, satisfy(r, G))}
/// -------------------------------------------------------------------------- (scaleout-c)
/// ⟨G, H, V⟩ --scaleout(N, i, i_c)--> ⟨G', H', V'⟩
/// ```
/// The container must exist; whether it offers the capability is a question of faults.
///
/// Paper: 004 Def. 3.9 (scaleout-c)
pub(crate) fn scale_out_contained(
    replica: &Replica,
    before: &GlobalState,
    node: NodeId,
    id: &InstanceId,
    container: &InstanceId,
) -> Applied {
    let Some(requirement) = replica.application().type_of(node).containment() else {
        return Err(Blocked::NeedsNoContainer { node });
    };
    is_unused(before, id)?;
    let holder = active(before, container)?;
    let target = replica.application().node(node).binding(requirement).map(|b| b.target);
    if target != Some(holder.node) {
        let container = container.clone();
        return Err(Blocked::WrongContainer { node, requirement, container, is: holder.node });
    }
    let mut after = before.clone();
    after.vertical.insert(id.clone(), (requirement, container.clone()));
    Ok(create(replica, before, after, node, id))
}

/// An instance goes. What it contained stays behind, broken, until `destroy` takes it.
///
/// ```text
/// ⟨i, e⟩_N ∈ G     G' = G \ {⟨i, e⟩_N}
/// H' = H \ {⟨i, ·, ·⟩, ⟨·, ·, i⟩ ∈ H}     V' = V \ {⟨i, ·, ·⟩ ∈ V}
/// ---------------------------------------------------------------- (scalein)
/// ⟨G, H, V⟩ --scalein(i)--> ⟨G', H', V'⟩
/// ```
/// Paper: 004 Def. 3.9 (scalein)
pub(crate) fn scale_in(before: &GlobalState, id: &InstanceId) -> Applied {
    active(before, id)?;
    let mut after = before.clone();
    after.instances.remove(id);
    after.horizontal.retain(|(source, _, target)| source != id && target != id);
    after.vertical.remove(id);
    Ok(vec![after])
}

/// An operation starts. It has no premise on requirements: it binds what the policy can bind.
///
/// ```text
/// ⟨i, s⟩_N ∈ G     ⟨s, o, s'⟩ ∈ τ_N
/// G' = (G \ {⟨i, s⟩_N}) ∪ {⟨i, ⟨s, o, s'⟩⟩_N}     H' = ψ(H, N, i, s, ⟨s, o, s'⟩)
/// ------------------------------------------------------------------------------- (op-start)
/// ⟨G, H, V⟩ --op_start(i, o)--> ⟨G', H', V⟩
/// ```
/// Paper: 004 Def. 3.9 (op-start)
/// Deviation: several transitions with one operation in one state are alternatives, and each is a
/// possible outcome: there is no premise on requirements that could prefer one of them.
pub(crate) fn op_start(
    replica: &Replica,
    before: &GlobalState,
    id: &InstanceId,
    operation: &str,
) -> Applied {
    let instance = active(before, id)?;
    let Instance { node, element } = instance;
    let Element::State(state) = element else {
        return Err(Blocked::Busy { instance: id.clone(), node, element });
    };
    let protocol = replica.protocol(node);
    let known = replica.application().type_of(node).operation_named(operation);
    let alternatives: Vec<TransitionId> =
        known.map(|o| protocol.transitions_for(state, o).collect()).unwrap_or_default();
    if alternatives.is_empty() {
        let (instance, operation) = (id.clone(), operation.to_owned());
        return Err(Blocked::NotDefined { instance, node, state, operation });
    }
    let starts = alternatives.into_iter().map(Element::Transition);
    Ok(starts.flat_map(|t| enter(replica, before, id, instance, t)).collect())
}

/// An operation ends well.
///
/// ```text
/// ⟨i, ⟨s, o, s'⟩⟩_N ∈ G     ⟨i, ·⟩ ∉ pending(G, H, V)
/// G' = (G \ {⟨i, ⟨s, o, s'⟩⟩_N}) ∪ {⟨i, s'⟩_N}     H' = ψ(H, N, i, ⟨s, o, s'⟩, s')
/// --------------------------------------------------------------------------------- (op-end)
/// ⟨G, H, V⟩ --op_end(i, o)--> ⟨G', H', V⟩
/// ```
/// Paper: 004 Def. 3.9 (op-end)
pub(crate) fn op_end(
    replica: &Replica,
    before: &GlobalState,
    id: &InstanceId,
    operation: &str,
) -> Applied {
    let (instance, transition) = running(replica, before, id, operation)?;
    let faults = pending(replica, before);
    if let Some((_, requirement)) = faults.into_iter().find(|(faulted, _)| faulted == id) {
        return Err(Blocked::FaultPending {
            instance: id.clone(),
            node: instance.node,
            requirement,
        });
    }
    let target = replica.protocol(instance.node).transition(transition).to;
    Ok(enter(replica, before, id, instance, Element::State(target)))
}

/// A replica-unaware requirement switches to instances that satisfy it.
///
/// ```text
/// ⟨i, r⟩ ∈ resolvable(G, H, V)
/// H' = (H \ {⟨i, r, ·⟩ ∈ H}) ∪ {⟨i, r, π(r, satisfy(r, G))⟩}
/// ---------------------------------------------------------- (resolve-fault)
/// ⟨G, H, V⟩ --resolve(i, r)--> ⟨G, H', V⟩
/// ```
/// Paper: 004 Def. 3.9 (resolve-fault)
pub(crate) fn resolve_fault(
    replica: &Replica,
    before: &GlobalState,
    id: &InstanceId,
    requirement: RequirementId,
) -> Applied {
    let instance = faulted(replica, before, id, requirement)?;
    let node = instance.node;
    if !is_resolvable(replica, before, &(id.clone(), requirement)) {
        return Err(Blocked::NotResolvable { instance: id.clone(), node, requirement });
    }
    let mut after = before.clone();
    after.unbind(id, requirement);
    Ok(bind(replica, before, after, id, node, &[requirement]))
}

/// A fault that cannot be resolved brings the instance where its handler says.
///
/// ```text
/// ⟨i, e⟩_N ∈ G     ⟨i, r⟩ ∈ pending(G, H, V) \ resolvable(G, H, V)
/// ⟨e, s'⟩ ∈ φ_N     r ∉ ρ(s')     ∄ ⟨e, s''⟩ ∈ φ_N . r ∉ ρ(s'') ∧ ρ(s') ⊊ ρ(s'')
/// G' = (G \ {⟨i, e⟩_N}) ∪ {⟨i, s'⟩_N}     H' = ψ(H, N, i, e, s')
/// ------------------------------------------------------------------------------- (handle-fault)
/// ⟨G, H, V⟩ --handle(i, r)--> ⟨G', H', V⟩
/// ```
/// Paper: 004 Def. 3.9 (handle-fault)
pub(crate) fn handle_fault(
    replica: &Replica,
    before: &GlobalState,
    id: &InstanceId,
    requirement: RequirementId,
) -> Applied {
    let instance = faulted(replica, before, id, requirement)?;
    let Instance { node, element } = instance;
    if is_resolvable(replica, before, &(id.clone(), requirement)) {
        return Err(Blocked::Resolvable { instance: id.clone(), node, requirement });
    }
    let targets = largest_targets(replica.protocol(node), element, requirement);
    if targets.is_empty() {
        return Err(Blocked::NoHandler { instance: id.clone(), node, element, requirement });
    }
    let targets = targets.into_iter().map(Element::State);
    Ok(targets.flat_map(|target| enter(replica, before, id, instance, target)).collect())
}

/// `→`: every rule but the two that order them.
///
/// Paper: 004 Def. 3.9
pub(crate) fn support_step(replica: &Replica, before: &GlobalState, label: &Label) -> Applied {
    match label {
        Label::Do(Action::ScaleOut { node, instance }) => {
            scale_out(replica, before, *node, instance)
        }
        Label::Do(Action::ScaleOutContained { node, instance, container }) => {
            scale_out_contained(replica, before, *node, instance, container)
        }
        Label::Do(Action::ScaleIn { instance }) => scale_in(before, instance),
        Label::Do(Action::OpStart { instance, operation }) => {
            op_start(replica, before, instance, operation)
        }
        Label::Do(Action::OpEnd { instance, operation }) => {
            op_end(replica, before, instance, operation)
        }
        Label::ResolveFault(id, requirement) => resolve_fault(replica, before, id, *requirement),
        Label::HandleFault(id, requirement) => handle_fault(replica, before, id, *requirement),
        Label::Destroy(id) => destroy(before, id),
    }
}

/// What lived in something that is gone goes too.
///
/// ```text
/// ⟨i, ·⟩_N ∈ broken(G, V)     ⟨G, H, V⟩ --scalein(i)--> ⟨G', H', V'⟩
/// ------------------------------------------------------------------ (destroy)
/// ⟨G, H, V⟩ ==destroy(i)==> ⟨G', H', V'⟩
/// ```
/// Paper: 004 Def. 3.9 (destroy)
/// Deviation: the paper prints V in place of V' in the conclusion.
pub(crate) fn destroy(before: &GlobalState, id: &InstanceId) -> Applied {
    if !broken(before).any(|(broken, _)| broken == id) {
        return Err(Blocked::NotBroken { instance: id.clone() });
    }
    scale_in(before, id)
}

/// `⇒`: `destroy` comes first.
///
/// ```text
/// broken(G, V) = ∅     ⟨G, H, V⟩ --α--> ⟨G', H', V'⟩
/// -------------------------------------------------- (no-broken-instances)
/// ⟨G, H, V⟩ ==α==> ⟨G', H', V'⟩
/// ```
/// Paper: 004 Def. 3.9 (no-broken-instances)
pub fn step(replica: &Replica, before: &GlobalState, label: &Label) -> Applied {
    if let Label::Destroy(id) = label {
        return destroy(before, id);
    }
    nothing_is_broken(before)?;
    support_step(replica, before, label)
}

/// `broken(G, V) = ∅`.
pub(super) fn nothing_is_broken(state: &GlobalState) -> Result<(), Blocked> {
    match broken(state).next() {
        None => Ok(()),
        Some((instance, container)) => {
            let (instance, container) = (instance.clone(), container.clone());
            Err(Blocked::Broken { instance, container })
        }
    }
}

/// `⟨i, e⟩_N ∈ G`.
fn active(state: &GlobalState, id: &InstanceId) -> Result<Instance, Blocked> {
    state.instance(id).ok_or_else(|| Blocked::NotActive { instance: id.clone() })
}

/// `∄ ⟨i, ·⟩ ∈ G`.
fn is_unused(state: &GlobalState, id: &InstanceId) -> Result<(), Blocked> {
    match state.instance(id) {
        None => Ok(()),
        Some(instance) => Err(Blocked::IdInUse { instance: id.clone(), node: instance.node }),
    }
}

/// `⟨i, ⟨s, o, s'⟩⟩_N ∈ G`.
pub(super) fn running(
    replica: &Replica,
    state: &GlobalState,
    id: &InstanceId,
    operation: &str,
) -> Result<(Instance, TransitionId), Blocked> {
    let instance = active(state, id)?;
    let Instance { node, element } = instance;
    let Element::Transition(transition) = element else {
        let (instance, operation) = (id.clone(), operation.to_owned());
        return Err(Blocked::NotRunning { instance, node, element, operation });
    };
    let performed = replica.protocol(node).transition(transition).operation;
    if replica.application().type_of(node).operations[performed.index()].name != operation {
        let (instance, operation) = (id.clone(), operation.to_owned());
        return Err(Blocked::NotRunning { instance, node, element, operation });
    }
    Ok((instance, transition))
}

/// `⟨i, e⟩_N ∈ G` and `⟨i, r⟩ ∈ pending(G, H, V)`.
fn faulted(
    replica: &Replica,
    state: &GlobalState,
    id: &InstanceId,
    requirement: RequirementId,
) -> Result<Instance, Blocked> {
    let instance = active(state, id)?;
    if pending(replica, state).contains(&(id.clone(), requirement)) {
        return Ok(instance);
    }
    Err(Blocked::NotPending { instance: id.clone(), node: instance.node, requirement })
}

/// `G ∪ {⟨i, s̄⟩_N}` with the bindings of `ρ(s̄)`; `after` has the container already.
fn create(
    replica: &Replica,
    before: &GlobalState,
    mut after: GlobalState,
    node: NodeId,
    id: &InstanceId,
) -> Vec<GlobalState> {
    let element = Element::State(replica.protocol(node).initial);
    after.instances.insert(id.clone(), Instance { node, element });
    rebind(replica, before, after, id, node, None, element)
}

/// `(G \ {⟨i, e⟩_N}) ∪ {⟨i, e'⟩_N}` with `H' = ψ(H, N, i, e, e')`.
pub(super) fn enter(
    replica: &Replica,
    before: &GlobalState,
    id: &InstanceId,
    instance: Instance,
    to: Element,
) -> Vec<GlobalState> {
    let mut after = before.clone();
    after.instances.insert(id.clone(), Instance { element: to, ..instance });
    rebind(replica, before, after, id, instance.node, Some(instance.element), to)
}

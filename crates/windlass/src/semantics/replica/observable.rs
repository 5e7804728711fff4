//! The observable behavior (paper 004 Def. 4.1): faults settle before the next action.
//!
//! After each action: `destroy` while an instance is broken; else `resolve-fault` for any
//! instance; else `handle-fault` for instances that are in a state; until none applies. An
//! instance in a transition keeps a fault that cannot be resolved, until its `op-end` comes.

use std::collections::BTreeSet;

use super::behavior::{self, Label};
use super::faults::{Need, broken, is_resolvable, pending};
use super::{Action, Blocked, Event, Outcome, Replica, distinct};
use crate::application::{GlobalState, InstanceId, Policy};
use crate::lifecycle::protocol::Element;
use crate::system::Successors;

/// `↦`: all states that `action` can lead to, settled.
///
/// Paper: 004 Def. 4.1
/// Deviation: faults settle eagerly, see the head of this file; with the printed rules a
/// resolvable fault may stay, and then Fig. 3(b) would not be valid.
pub(crate) fn step(
    replica: &Replica,
    before: &GlobalState,
    action: &Action,
) -> Result<Successors<GlobalState>, Blocked> {
    let outcomes = outcomes(replica, before, action)?;
    let states = outcomes.into_iter().map(|outcome| outcome.state).collect();
    // A rule that applies has a successor, and each ends somewhere or never settles.
    Successors::from_vec(states)
        .ok_or_else(|| Blocked::NeverSettles { instance: action.instance().clone() })
}

/// `step` with the rules that fired by themselves: each state once, in order.
///
/// ```text
/// ⟨G, H, V⟩ ==α==> ⟨G', H', V'⟩     α is observable
/// ------------------------------------------------- (exec)
/// ⟨G, H, V⟩ |--α--> ⟨G', H', V'⟩
/// ```
/// Paper: 004 Def. 4.1 (exec)
pub fn outcomes(
    replica: &Replica,
    before: &GlobalState,
    action: &Action,
) -> Result<Vec<Outcome>, Blocked> {
    let started = match action {
        Action::OpEnd { instance, operation } => end(replica, before, instance, operation)?,
        _ => behavior::step(replica, before, &Label::Do(action.clone()))?
            .into_iter()
            .map(|state| Outcome { state, events: Vec::new() })
            .collect(),
    };
    settle(replica, started)
}

/// An operation ends: by its fault if one is pending that cannot be resolved, else well.
///
/// ```text
/// ⟨G, H, V⟩ ==handle(i, ·)==> ⟨G', H', V'⟩     ⟨i, ⟨·, o, ·⟩⟩ ∈ G
/// --------------------------------------------------------------- (op-fault)
/// ⟨G, H, V⟩ |--op_end(i, o)--> ⟨G', H', V'⟩
/// ```
/// Paper: 004 Def. 4.1 (op-fault)
/// Deviation: a start state is not settled, so a fault of `i` may be pending that can be resolved,
/// and neither op-end nor op-fault applies as printed. The operation ends well, because only a
/// fault that cannot be resolved ends it otherwise; what is left of the fault settles then.
fn end(
    replica: &Replica,
    before: &GlobalState,
    id: &InstanceId,
    operation: &str,
) -> Result<Vec<Outcome>, Blocked> {
    let (instance, transition) = behavior::running(replica, before, id, operation)?;
    let needs: Vec<Need> =
        pending(replica, before).into_iter().filter(|(faulted, _)| faulted == id).collect();
    let is_settled = needs.is_empty();
    let faults: Vec<Need> =
        needs.into_iter().filter(|need| !is_resolvable(replica, before, need)).collect();
    if !faults.is_empty() {
        return handle(replica, before, &faults);
    }
    let after = if is_settled {
        let (instance, operation) = (id.clone(), operation.to_owned());
        behavior::step(replica, before, &Label::Do(Action::OpEnd { instance, operation }))?
    } else {
        behavior::nothing_is_broken(before)?;
        let target = replica.protocol(instance.node).transition(transition).to;
        behavior::enter(replica, before, id, instance, Element::State(target))
    };
    Ok(after.into_iter().map(|state| Outcome { state, events: Vec::new() }).collect())
}

/// All settled states that `started` lead to. The rules that apply by themselves are followed
/// breadth first. Handlers that lead in a cycle settle nothing; an action is blocked when nothing
/// settles at all.
///
/// ```text
/// ⟨G, H, V⟩ |--α--> ⟨G', H', V'⟩     ⟨G', H', V'⟩ ==resolve, handle, destroy==> ⟨G'', H'', V''⟩
/// ---------------------------------------------------------------- (absorbe-r, absorbe-h, absorbe-d)
/// ⟨G, H, V⟩ |--α--> ⟨G'', H'', V''⟩
/// ```
/// Paper: 004 Def. 4.1 (absorbe-r)
/// Paper: 004 Def. 4.1 (absorbe-h)
/// Paper: 004 Def. 4.1 (absorbe-d)
pub(crate) fn settle(replica: &Replica, started: Vec<Outcome>) -> Result<Vec<Outcome>, Blocked> {
    let mut reached = distinct(started);
    let mut known: BTreeSet<GlobalState> =
        reached.iter().map(|outcome| outcome.state.clone()).collect();
    let mut settled = Vec::new();
    let mut at = 0;
    while at < reached.len() {
        let outcome = reached[at].clone();
        at += 1;
        let next = internal(replica, &outcome.state)?;
        if next.is_empty() {
            settled.push(outcome);
            continue;
        }
        for (event, state) in next {
            if known.insert(state.clone()) {
                reached.push(then(&outcome, event, state));
            }
        }
    }
    if settled.is_empty() {
        let faulted =
            reached.iter().flat_map(|outcome| &outcome.events).find_map(|event| match event {
                Event::Handled { instance, .. } => Some(instance.clone()),
                _ => None,
            });
        let instance = faulted.unwrap_or_else(|| InstanceId(String::new()));
        return Err(Blocked::NeverSettles { instance });
    }
    Ok(distinct(settled))
}

/// The rules that apply by themselves in `state`, with where each leads; none when it is settled.
///
/// Resolving one fault does not change who could resolve another, so faults are resolved in the
/// order of ids. With the policy `least-loaded` it does, so every order is followed.
fn internal(replica: &Replica, state: &GlobalState) -> Result<Vec<(Event, GlobalState)>, Blocked> {
    if let Some((instance, container)) = broken(state).next() {
        let label = Label::Destroy(instance.clone());
        let event = Event::Destroyed { instance: instance.clone(), container: container.clone() };
        let after = behavior::step(replica, state, &label)?;
        return Ok(after.into_iter().map(|state| (event.clone(), state)).collect());
    }
    let pending = pending(replica, state);
    let mut resolvable: Vec<&Need> =
        pending.iter().filter(|need| is_resolvable(replica, state, need)).collect();
    if !resolvable.is_empty() {
        if replica.policy != Policy::LeastLoaded {
            resolvable.truncate(1);
        }
        let mut resolved = Vec::new();
        for need in resolvable {
            resolved.extend(resolve(replica, state, need)?);
        }
        return Ok(resolved);
    }
    let rests = |id: &InstanceId| {
        state.instance(id).filter(|instance| matches!(instance.element, Element::State(_)))
    };
    let mut faults: Vec<Need> = pending.into_iter().filter(|(id, _)| rests(id).is_some()).collect();
    if replica.settles_in_order() {
        // The faults of an instance whose providers are all below it and settled will not
        // change any more, and handling them first takes no choice from any other instance.
        let rank = |id: &InstanceId| rests(id).map(|instance| replica.rank(instance.node));
        let lowest = faults.iter().map(|(id, _)| (rank(id), id.clone())).min();
        faults.retain(|(id, _)| lowest.as_ref().is_some_and(|(_, lowest)| id == lowest));
    }
    if faults.is_empty() {
        return Ok(Vec::new());
    }
    let handled = handle(replica, state, &faults)?;
    Ok(handled
        .into_iter()
        .filter_map(|mut outcome| outcome.events.pop().map(|event| (event, outcome.state)))
        .collect())
}

/// `outcome` after one more rule.
fn then(outcome: &Outcome, event: Event, state: GlobalState) -> Outcome {
    let mut events = outcome.events.clone();
    events.push(event);
    Outcome { state, events }
}

/// `resolve(i, r)`, once per choice of the policy.
fn resolve(
    replica: &Replica,
    state: &GlobalState,
    need: &Need,
) -> Result<Vec<(Event, GlobalState)>, Blocked> {
    let (id, requirement) = need;
    let bound = |state: &GlobalState| state.bound(id, *requirement).cloned().collect();
    let after = behavior::step(replica, state, &Label::ResolveFault(id.clone(), *requirement))?;
    let event = |after: &GlobalState| Event::Resolved {
        instance: id.clone(),
        requirement: *requirement,
        from: bound(state),
        to: bound(after),
    };
    Ok(after.into_iter().map(|after| (event(&after), after)).collect())
}

/// `handle(i, r)` for each of the `faults` that has a handler, each as an outcome with one event;
/// blocked when none has.
fn handle(
    replica: &Replica,
    state: &GlobalState,
    faults: &[Need],
) -> Result<Vec<Outcome>, Blocked> {
    let mut handled = Vec::new();
    let mut blocked = None;
    for (id, requirement) in faults {
        let label = Label::HandleFault(id.clone(), *requirement);
        let after = match behavior::step(replica, state, &label) {
            Ok(after) => after,
            Err(premise) => {
                blocked.get_or_insert(premise);
                continue;
            }
        };
        for after in after {
            let (Some(was), Some(is)) = (state.instance(id), after.instance(id)) else { continue };
            let Element::State(to) = is.element else { continue };
            let event = Event::Handled {
                instance: id.clone(),
                node: was.node,
                requirement: *requirement,
                from: was.element,
                to,
            };
            handled.push(Outcome { state: after, events: vec![event] });
        }
    }
    match blocked {
        Some(blocked) if handled.is_empty() => Err(blocked),
        _ => Ok(handled),
    }
}

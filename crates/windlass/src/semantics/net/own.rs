//! Rules of our own: an action that fails, takes too long or is stopped, and what can be done
//! about it; and the change from one behavior to the next.
//!
//! A transition in trouble keeps its token, so whatever it uses stays in use until an operator
//! decides: try again, go on without it, or undo it.

use super::{Action, Applied, Blocked, Element, Madeus, Trouble, Valuation, passed_on};
use crate::application::assembly::{ComponentId, TransitionId};
use crate::lifecycle::net::Side;

impl Madeus<'_> {
    /// What may happen to one token.
    pub(super) fn candidates_of(&self, element: Element, candidates: &mut Vec<Action>) {
        let assembly = self.assembly;
        match element {
            Element::Place(place) => candidates.push(Action::Leave(place)),
            Element::Dock(dock) => {
                let (component, local) = assembly.local_dock(dock);
                let (net, index) = assembly.net(component);
                if net.docks[local.index()].side == Side::Input {
                    let place = assembly.place(component, net.place_of(local));
                    candidates.push(Action::Enter(place));
                } else {
                    let all = index.transitions[local.index()].iter();
                    candidates
                        .extend(all.map(|id| Action::Fire(assembly.transition(component, *id))));
                }
            }
            Element::Transition(theta) => {
                candidates.push(Action::End(theta));
                if self.failures {
                    candidates.extend([
                        Action::Fail(theta),
                        Action::TimeOut(theta),
                        Action::Cancel(theta),
                        Action::Retry(theta),
                        Action::Skip(theta),
                        Action::Compensate(theta),
                    ]);
                }
            }
        }
    }
}

/// A running transition that is not in trouble gets into it.
fn gets_into(
    madeus: &Madeus<'_>,
    before: &Valuation,
    theta: TransitionId,
    trouble: Trouble,
) -> Applied {
    if !madeus.failures {
        return Err(Blocked::NoFailures);
    }
    if !before.is_marked(Element::Transition(theta)) {
        return Err(Blocked::NoToken(Element::Transition(theta)));
    }
    if before.troubles.contains_key(&theta) {
        return Err(Blocked::InTrouble(theta));
    }
    let mut after = before.clone();
    after.troubles.insert(theta, trouble);
    Ok(after)
}

/// The command of a running transition fails.
///
/// ```text
/// mk(θ)     θ ∉ dom(troubles)
/// ---------------------------------------- (fail)
/// ⟨...⟩ → ⟨..., troubles[θ := failed]⟩
/// ```
/// Deviation: not in paper 002, which leaves errors to future work.
pub(crate) fn fail(madeus: &Madeus<'_>, before: &Valuation, theta: TransitionId) -> Applied {
    gets_into(madeus, before, theta, Trouble::Failed)
}

/// A running transition takes longer than its `timeout`.
///
/// Deviation: not in paper 002.
pub(crate) fn time_out(madeus: &Madeus<'_>, before: &Valuation, theta: TransitionId) -> Applied {
    if madeus.assembly.net_transition(theta).action.timeout.is_none() {
        return Err(Blocked::NoTimeout(theta));
    }
    gets_into(madeus, before, theta, Trouble::TimedOut)
}

/// The operator stops a running transition.
///
/// Deviation: not in paper 002.
pub(crate) fn cancel(madeus: &Madeus<'_>, before: &Valuation, theta: TransitionId) -> Applied {
    gets_into(madeus, before, theta, Trouble::Cancelled)
}

fn in_trouble(before: &Valuation, theta: TransitionId) -> Result<Trouble, Blocked> {
    before.troubles.get(&theta).copied().ok_or(Blocked::NotInTrouble(theta))
}

/// A transition in trouble runs again, as often as its `retry` says.
///
/// ```text
/// θ ∈ dom(troubles)     retries(θ) < retry(θ)
/// ---------------------------------------------------------- (retry)
/// ⟨...⟩ → ⟨..., troubles \ θ, retries[θ := retries(θ) + 1]⟩
/// ```
/// Deviation: not in paper 002.
pub(crate) fn retry(madeus: &Madeus<'_>, before: &Valuation, theta: TransitionId) -> Applied {
    in_trouble(before, theta)?;
    let most = madeus.assembly.net_transition(theta).action.retry.map_or(0, |retry| retry.times);
    let done = before.retries.get(&theta).copied().unwrap_or(0);
    if done >= most {
        return Err(Blocked::NoRetryLeft { transition: theta, most });
    }
    let mut after = before.clone();
    after.troubles.remove(&theta);
    after.retries.insert(theta, done + 1);
    Ok(after)
}

/// The operator goes on without a transition in trouble: its token moves on and no value is set.
///
/// Deviation: not in paper 002.
pub(crate) fn skip(madeus: &Madeus<'_>, before: &Valuation, theta: TransitionId) -> Applied {
    in_trouble(before, theta)?;
    let mut after = passed_on(madeus, before, theta);
    after.troubles.remove(&theta);
    Ok(after)
}

/// A transition in trouble is undone by its `compensate` command: its token is back on the dock
/// where it started.
///
/// Deviation: not in paper 002.
pub(crate) fn compensate(madeus: &Madeus<'_>, before: &Valuation, theta: TransitionId) -> Applied {
    in_trouble(before, theta)?;
    let transition = madeus.assembly.net_transition(theta);
    if transition.action.compensate.is_none() {
        return Err(Blocked::NoCompensation(theta));
    }
    let (component, _) = madeus.assembly.local_transition(theta);
    let source = Element::Dock(madeus.assembly.dock(component, transition.source));
    let mut after = before.moved([Element::Transition(theta)], [source]);
    after.troubles.remove(&theta);
    after.retries.remove(&theta);
    Ok(after)
}

/// A component that has come to rest in one behavior of its program begins the next.
///
/// ```text
/// phase(c) + 1 < |program(c)|     every token of c is on a place without output docks
/// ----------------------------------------------------------------------------------- (next)
/// ⟨...⟩ → ⟨..., phase[c := phase(c) + 1]⟩
/// ```
/// Deviation: not in paper 002; behaviors are those of Concerto, which came after it.
pub(crate) fn next_behavior(
    madeus: &Madeus<'_>,
    before: &Valuation,
    component: ComponentId,
) -> Applied {
    let phase = before.phases.get(&component).copied().unwrap_or(0);
    if phase as usize + 1 >= madeus.assembly.component(component).program.len() {
        return Err(Blocked::LastBehavior(component));
    }
    let assembly = madeus.assembly;
    for element in &before.marked {
        let owner = match element {
            Element::Place(place) => assembly.local_place(*place).0,
            Element::Dock(dock) => assembly.local_dock(*dock).0,
            Element::Transition(theta) => assembly.local_transition(*theta).0,
        };
        let moves = match element {
            Element::Place(place) => !madeus.docks(before, *place, Side::Output).is_empty(),
            Element::Dock(_) | Element::Transition(_) => true,
        };
        if owner == component && moves {
            return Err(Blocked::NotAtRest { component, element: *element });
        }
    }
    let mut after = before.clone();
    after.phases.insert(component, phase + 1);
    Ok(after)
}

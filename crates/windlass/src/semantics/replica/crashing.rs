//! An application whose instances may also crash: managed actions and observations together.
//!
//! For `analyze --crash`: whatever an operator does, the process of any instance may die at any
//! time. Without crashes it is the relation of 004 alone.

use super::observe::{Observation, observe};
use super::{Action, Blocked, Replica};
use crate::application::GlobalState;
use crate::lifecycle::protocol::Element;
use crate::system::{Successors, System};

/// What happens next.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ActionOrCrash {
    /// An action of the plan.
    Managed(Action),
    /// The process of an instance dies.
    Crash(crate::application::InstanceId),
}

/// The relation of 004 with crashes, without scale-ins: every instance stays wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Crashing<'a> {
    /// The relation.
    pub(crate) replica: &'a Replica<'a>,
    /// Whether instances crash.
    pub(crate) crash: bool,
}

impl System for Crashing<'_> {
    type State = GlobalState;
    type Action = ActionOrCrash;
    type Blocked = Blocked;

    fn initial(&self) -> GlobalState {
        self.replica.initial()
    }

    fn candidates(&self, state: &GlobalState) -> Vec<ActionOrCrash> {
        let managed = self.replica.candidates(state).into_iter();
        let managed = managed.filter(|action| !matches!(action, Action::ScaleIn { .. }));
        let mut all: Vec<ActionOrCrash> = managed.map(ActionOrCrash::Managed).collect();
        if self.crash {
            let moves = |id: &&crate::application::InstanceId| {
                let instance = state.instances[*id];
                let protocol = self.replica.protocol(instance.node);
                let down = match instance.element {
                    Element::State(at) => protocol.state(at).on_crash.unwrap_or(protocol.initial),
                    Element::Transition(_) => return true,
                };
                instance.element != Element::State(down)
            };
            all.extend(state.instances.keys().filter(moves).cloned().map(ActionOrCrash::Crash));
        }
        all
    }

    fn step(
        &self,
        state: &GlobalState,
        happening: &ActionOrCrash,
    ) -> Result<Successors<GlobalState>, Blocked> {
        match happening {
            ActionOrCrash::Managed(action) => self.replica.step(state, action),
            ActionOrCrash::Crash(instance) => {
                let observation = Observation::Crashed { instance: instance.clone() };
                let outcomes = observe(self.replica, state, &observation)?;
                let states = outcomes.into_iter().map(|outcome| outcome.state).collect();
                Successors::from_vec(states)
                    .ok_or_else(|| Blocked::NeverSettles { instance: instance.clone() })
            }
        }
    }
}

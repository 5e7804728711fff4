//! Replicas, as `step` walks them: the names of states are those that `verify` prints.

use std::collections::BTreeMap;

use windlass::application::{Application, GlobalState};
use windlass::step::{Bound, Command, Done, NotDone, Stepper, Walk};

use crate::commands::verify::places;

/// A stepper with the application whose names it needs.
pub(super) struct Replicas<'a> {
    application: &'a Application,
    stepper: Stepper<'a>,
}

impl<'a> Replicas<'a> {
    pub(super) fn new(application: &'a Application, stepper: Stepper<'a>) -> Self {
        Replicas { application, stepper }
    }
}

impl Walk for Replicas<'_> {
    fn perform(&mut self, line: &str) -> Result<Done, NotDone> {
        Command::parse(line).and_then(|command| self.stepper.perform(&command))
    }

    fn places(&self) -> BTreeMap<String, String> {
        places(self.application, self.stepper.state())
    }

    fn bindings(&self) -> Bound {
        bindings(self.application, self.stepper.state())
    }

    fn state(&self) -> Option<GlobalState> {
        Some(self.stepper.state().clone())
    }
}

fn bindings(application: &Application, state: &GlobalState) -> Bound {
    let mut all = Bound::new();
    let contained = state.vertical.iter().map(|(id, (requirement, home))| (id, requirement, home));
    let bound = state.horizontal.iter().map(|(id, requirement, to)| (id, requirement, to));
    for (id, requirement, to) in contained.chain(bound) {
        let Some(instance) = state.instance(id) else { continue };
        let component = application.type_of(instance.node);
        let Some(requirement) = component.requirements.get(requirement.index()) else { continue };
        let of_instance = all.entry(id.to_string()).or_default();
        of_instance.entry(requirement.name.clone()).or_default().push(to.to_string());
    }
    all
}

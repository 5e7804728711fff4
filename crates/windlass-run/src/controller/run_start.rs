//! What a run begins with, as values. The journal has the same as text, which is written here.

use std::collections::{BTreeMap, BTreeSet};

use windlass::application::assembly::Assembly;
use windlass::application::{Application, GlobalState};
use windlass::goal::GoalFile;
use windlass::simulate::Scenario;

use super::stop_net;
use super::{WorldKind, recorded};
use crate::entry::{Entry, OrderId, Purpose};
use crate::machine::net::{HistoryError, NetHistory, NetMachine};

/// The orders behind the processes that run, by instance.
pub(crate) type Processes = BTreeMap<String, OrderId>;

/// Where nets are: they have tokens, and no instances.
pub(super) static NO_INSTANCES: GlobalState = GlobalState {
    instances: BTreeMap::new(),
    horizontal: BTreeSet::new(),
    vertical: BTreeMap::new(),
};
/// Nets have no processes either.
pub(super) static NO_PROCESSES: Processes = BTreeMap::new();

/// What a run begins with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunStart<'a> {
    /// What it is for.
    pub(crate) purpose: Purpose,
    /// The description that it follows.
    pub(crate) application: &'a Application,
    /// The text of that description, if it is in our own language and kept as it is.
    pub(crate) text: Option<&'a str>,
    /// Its goal.
    pub(crate) goal: Option<&'a GoalFile>,
    /// The folder that commands start from.
    pub(crate) directory: &'a str,
    /// Where it takes place.
    pub(crate) world: WorldKind,
    /// Where everything is; of nets nothing.
    pub(crate) state: &'a GlobalState,
    /// Of nets: what earlier runs have done.
    pub(crate) history: Option<&'a NetHistory>,
    /// The processes that run.
    pub(crate) processes: &'a Processes,
}

impl RunStart<'_> {
    /// The first entry of the run.
    pub(crate) fn entry(&self) -> Entry {
        let print = || recorded::application(self.application, self.goal);
        let start = if self.application.is_net() {
            self.history.map(NetHistory::to_text)
        } else {
            Some(recorded::state(self.application, self.state))
        };
        Entry::Begun {
            purpose: self.purpose,
            application: self.text.map_or_else(print, str::to_owned),
            directory: self.directory.to_owned(),
            world: self.world.as_str().to_owned(),
            start,
            processes: self.processes.clone(),
        }
    }

    /// The assembly at the beginning of the run.
    pub(crate) fn net<'a>(
        &self,
        assembly: &'a Assembly<'a>,
        scenario: &'a Scenario,
    ) -> Result<NetMachine<'a>, HistoryError> {
        match (self.history, self.purpose) {
            (Some(history), Purpose::Down) => stop_net::machine(assembly, scenario, history),
            (Some(history), Purpose::Up) => NetMachine::continue_net(assembly, scenario, history),
            (None, _) => Ok(NetMachine::new(assembly, scenario)),
        }
    }
}

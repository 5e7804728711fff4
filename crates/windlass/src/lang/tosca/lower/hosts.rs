//! Which nodes are carried out elsewhere, and where that is: see `command/execution_host`.

use super::super::command::execution_host;
use super::{Lowering, Parts};
use crate::application::{Application, NodeId};

impl Lowering<'_> {
    /// Writes down the host of every node that has one, and where all hosts are that anything runs
    /// on.
    pub(super) fn hosts(&self, application: &mut Application, parts: &Parts) {
        let inputs = self.inputs();
        let mut named = Vec::new();
        for component in &application.types {
            named.extend(component.operations.iter().filter_map(|it| it.host.clone()));
        }
        let deployment = &mut application.deployment;
        for (at, own) in parts.iter().enumerate() {
            let Some(station) = execution_host::usual(&inputs, at) else { continue };
            for part in own.clone() {
                deployment.host.insert(NodeId::from(part), station.name.clone());
            }
            deployment.addresses.insert(station.name, station.address);
        }
        if named.is_empty() {
            return;
        }
        let (here, address) = execution_host::ORCHESTRATOR;
        let makers =
            (0..self.service.nodes.len()).filter_map(|at| execution_host::inside(&inputs, at));
        let known = makers.map(|station| (station.name, station.address));
        for (name, address) in known.chain([(here.to_owned(), address.to_owned())]) {
            if named.contains(&name) {
                deployment.addresses.entry(name).or_insert(address);
            }
        }
    }
}

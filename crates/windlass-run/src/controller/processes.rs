//! Which processes of a deployment run, asked of this machine or of its hosts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::error::Error;
use super::hosts::HostAccess;
use super::{LastRun, Standing, WorldKind};
use crate::deployment::Deployment;
use crate::secrets::Secrets;
use crate::world::process::{ProcessSettings, Processes};
use crate::world::ssh::Ssh;

/// What is known about a process that should run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ObservedProcess {
    /// It runs, and has this number.
    Runs(u32),
    /// Its host does not answer.
    Unreachable {
        /// The host.
        host: String,
        /// Why.
        why: String,
    },
}

/// The processes that run, and those of which it is not known, by instance.
#[derive(Debug, Clone, Default)]
pub struct ObservedProcesses {
    found: Option<BTreeMap<String, ObservedProcess>>,
}

impl ObservedProcesses {
    /// Looks for the processes that should run, but not for containers or what is simulated.
    /// `tell` hears what is worth a line while a host is waited for.
    pub fn read(
        deployment: &Deployment,
        name: &str,
        last: &LastRun,
        standing: &Standing,
        tell: fn(&str),
    ) -> Result<Self, Error> {
        let unusable = |error| Error::file("read", deployment.folder(), error);
        let place = ProcessSettings {
            folder: deployment.folder().to_owned(),
            logs: deployment.logs(last.run),
            directory: PathBuf::from("."),
            name: name.to_owned(),
            program: None,
        };
        let found = match last.world {
            WorldKind::Docker | WorldKind::Simulated => return Ok(ObservedProcesses::default()),
            WorldKind::Process => {
                let world = Processes::new(place, Secrets::default()).map_err(unusable)?;
                local(&world, standing)
            }
            WorldKind::Ssh => {
                let hosts = HostAccess { deployment, name, config: None, tell }.settings()?;
                let world = Ssh::new(place, Secrets::default(), hosts).map_err(unusable)?;
                remote(&world, last, standing)
            }
        };
        Ok(ObservedProcesses { found: Some(found) })
    }

    /// Whether processes were looked for.
    pub fn is_known(&self) -> bool {
        self.found.is_some()
    }

    /// What is known about the process of an instance.
    pub fn get(&self, instance: &str) -> Option<&ObservedProcess> {
        self.found.as_ref()?.get(instance)
    }

    /// The instances whose processes should run and do not.
    pub(crate) fn dead(&self, standing: &Standing) -> Result<BTreeSet<String>, Error> {
        let Some(found) = &self.found else { return Ok(BTreeSet::new()) };
        for process in found.values() {
            if let ObservedProcess::Unreachable { why, .. } = process {
                return Err(Error::HostSilent(why.clone()));
            }
        }
        Ok(standing.processes.keys().filter(|id| !found.contains_key(*id)).cloned().collect())
    }
}

fn local(world: &Processes, standing: &Standing) -> BTreeMap<String, ObservedProcess> {
    let mut found = BTreeMap::new();
    for (id, order) in &standing.processes {
        let number = world.running(*order);
        found.extend(number.map(|number| (id.clone(), ObservedProcess::Runs(number))));
    }
    found
}

fn remote(world: &Ssh, last: &LastRun, standing: &Standing) -> BTreeMap<String, ObservedProcess> {
    let (mut found, mut away) = (BTreeMap::new(), BTreeMap::new());
    for (id, order) in &standing.processes {
        let instance = standing.state.instance(&id.as_str().into());
        let hosts = &last.application.deployment;
        let host = instance.and_then(|it| hosts.host.get(&it.node));
        let address = host.map(|name| hosts.addresses.get(name).unwrap_or(name).as_str());
        let host = host.cloned().unwrap_or_default();
        // A host that does not answer is asked once, not for each of its processes.
        let said = match away.get(&host) {
            Some(why) => Err(String::clone(why)),
            None => world.running(address, *order).map_err(|why| why.to_string()),
        };
        let one = match said {
            Ok(number) => number.map(ObservedProcess::Runs),
            Err(why) => {
                away.insert(host.clone(), why.clone());
                Some(ObservedProcess::Unreachable { host, why })
            }
        };
        found.extend(one.map(|one| (id.clone(), one)));
    }
    found
}

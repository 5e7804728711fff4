//! Compose projects on a Docker engine: what is kept about them, and where they stand.
//!
//! What the operations of a project ask of the engine is kept beside the journal, in
//! `compose.json`, so that only `up` needs the Compose file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use windlass::application::{Application, GlobalState};
use windlass::synthesize::graceful_removal::Arrange;

use super::Controller;
use super::error::Error;
use super::operator::{Notice, Operator, Question};
use super::replace_file::replace_file;
use crate::compose::{self, ProjectEvent};
use crate::deployment::Deployment;
use crate::entry::OrderId;
use crate::world::docker::engine::{Container, Engine, EngineError};
use crate::world::docker::http::Address;
use crate::world::docker::requests::{Part, Requests, SERVICE, Service};
use crate::world::docker::{self, Docker, DockerSettings, remove_container};
use crate::world::process::ProcessSettings;

/// The engine that `DOCKER_HOST` names.
pub fn engine() -> Result<Engine, Error> {
    let host = std::env::var("DOCKER_HOST").ok();
    let address = Address::parse(host.as_deref()).map_err(Error::DockerAddress)?;
    Ok(Engine::new(address))
}

/// The world of a run.
pub(super) fn world(controller: &Controller<'_>, place: ProcessSettings) -> Result<Docker, Error> {
    let requests = read(&controller.deployment)?.unwrap_or_default();
    let on_event = controller.settings.docker_progress;
    let settings = DockerSettings { engine: engine()?, requests, on_event };
    Ok(Docker::new(place, controller.settings.secrets.clone(), settings)?)
}

/// Removes what is left of a deployment that is down and no Compose project, or says what stays.
pub(super) fn remove_leftovers(name: &str, operator: &dyn Operator) -> Result<(), Error> {
    match docker::remove_leftovers(&engine()?, name) {
        Err(why @ EngineError::Unreachable(_)) => Err(why.into()),
        Err(EngineError::Rejected(_, why)) => {
            tell(operator, ProjectEvent::LeftoversStay { deployment: name.to_owned(), why });
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

/// Tells what happens to a project.
pub(super) fn tell(operator: &dyn Operator, event: ProjectEvent) {
    operator.notice(&Notice::Project(event));
}

fn path(deployment: &Deployment) -> PathBuf {
    deployment.folder().join("compose.json")
}

/// What is kept about a project; none for other deployments.
pub fn read(deployment: &Deployment) -> Result<Option<Requests>, Error> {
    let path = path(deployment);
    if !path.exists() {
        return Ok(None);
    }
    let text = fs::read_to_string(&path).map_err(|error| Error::file("read", &path, error))?;
    let requests = serde_json::from_str(&text);
    requests.map(Some).map_err(|why| Error::Unreadable { path, why: why.to_string() })
}

/// Keeps the requests for their owner alone: the variables of the containers are in them.
pub(super) fn keep(deployment: &Deployment, requests: &Requests) -> Result<(), Error> {
    let path = path(deployment);
    let failed = |error: std::io::Error| Error::file("write", &path, error);
    let text = serde_json::to_string_pretty(requests).map_err(|error| failed(error.into()))?;
    replace_file(&path, &text).map_err(failed)
}

/// Plans of a Compose project get the order in which it goes down.
pub(super) fn arrangement(deployment: &Deployment) -> Option<Arrange> {
    path(deployment).exists().then_some(compose::arrange_one_by_one as Arrange)
}

/// A project as the Docker engine has it.
pub(super) struct RunningProject {
    /// What it asks of the engine.
    pub(super) requests: Requests,
    /// Where it stands.
    pub(super) state: GlobalState,
    /// Its containers that run.
    pub(super) processes: BTreeMap<String, OrderId>,
    /// Containers of services that there are no more.
    orphans: Vec<String>,
    /// Containers of services that were not asked for.
    others: Vec<String>,
    /// Networks that stay, because a container that stays is in them.
    held: BTreeSet<String>,
}

impl RunningProject {
    /// Looks at the engine, after what the journal says; none for other deployments.
    pub(super) fn read(
        deployment: &Deployment,
        application: &Application,
        known: &GlobalState,
    ) -> Result<Option<Self>, Error> {
        let Some(mut requests) = read(deployment)? else { return Ok(None) };
        let observed = compose::observe_as_is(&engine()?, application, &mut requests, known)?;
        let compose::Observed { state, processes, orphans, others, .. } = observed;
        Ok(Some(RunningProject {
            requests,
            state,
            processes,
            orphans,
            others,
            held: BTreeSet::new(),
        }))
    }

    /// Removes the containers of services that there are no more, or says that they stay, and which
    /// networks with them.
    pub(super) fn settle_orphans(
        &mut self,
        operator: &dyn Operator,
        remove: bool,
        volumes: bool,
    ) -> Result<(), Error> {
        let engine = engine()?;
        for name in std::mem::take(&mut self.orphans) {
            if remove {
                let gone = engine.stop(&name, None).and_then(|()| engine.remove(&name, false));
                match gone {
                    Err(why) if !why.is_missing() => return Err(why.into()),
                    _ => tell(operator, ProjectEvent::OrphanRemoved { name }),
                }
                continue;
            }
            self.hold(&engine, &name)?;
            tell(operator, ProjectEvent::OrphanStays { name });
        }
        let mut ours = Vec::new();
        for name in std::mem::take(&mut self.others) {
            let container = engine.inspect(&name)?;
            if let Some(service) = self.earlier_service(container.label(SERVICE)) {
                ours.push((service.clone(), container));
                continue;
            }
            self.hold(&engine, &name)?;
            tell(operator, ProjectEvent::NotSelected { name });
        }
        self.remove_earlier(operator, &engine, ours, volumes)?;
        let ours = self.requests.parts.values().filter_map(|part| match part {
            Part::Network { name, .. } if self.held.contains(name) => Some(name),
            _ => None,
        });
        for name in ours {
            tell(operator, ProjectEvent::NetworkStays { name: name.clone() });
        }
        Ok(())
    }

    /// A service that an earlier run brought up.
    fn earlier_service(&self, name: &str) -> Option<&Service> {
        self.requests.earlier.values().find_map(|part| match part {
            Part::Service(service) if service.name == name => Some(&**service),
            _ => None,
        })
    }

    /// Removes what earlier runs brought up and the last one was not asked for: those first that
    /// wait for others.
    fn remove_earlier(
        &mut self,
        operator: &dyn Operator,
        engine: &Engine,
        mut ours: Vec<(Service, Container)>,
        volumes: bool,
    ) -> Result<(), Error> {
        ours.sort_by(|(a, one), (b, other)| (b.rank, &one.name).cmp(&(a.rank, &other.name)));
        for (service, container) in ours {
            let name = &container.name;
            remove_container(engine, &service, &container, volumes)
                .map_err(|why| Error::Container { name: name.clone(), why })?;
            tell(operator, ProjectEvent::EarlierRemoved { name: name.clone() });
        }
        for part in std::mem::take(&mut self.requests.earlier) {
            let gone = match &part.1 {
                Part::Network { name, .. } if !self.held.contains(name) => {
                    engine.drop("networks", name)
                }
                Part::Volume { name, .. } if volumes => engine.drop("volumes", name),
                // It stays, and may go the next time.
                Part::Network { .. } | Part::Volume { .. } => {
                    self.requests.earlier.extend([part]);
                    continue;
                }
                _ => continue,
            };
            match gone {
                Err(why) if !why.is_missing() => return Err(why.into()),
                _ => {}
            }
        }
        Ok(())
    }

    /// The networks of a container that stays stay as well.
    fn hold(&mut self, engine: &Engine, name: &str) -> Result<(), Error> {
        let found = engine.inspect(name)?;
        let networks = found.all["NetworkSettings"]["Networks"].as_object();
        self.held.extend(networks.into_iter().flat_map(|all| all.keys().cloned()));
        Ok(())
    }

    /// Whether a node goes with the project: images stay, and volumes unless they are named.
    pub(super) fn leaves(&self, node: &str, volumes: bool) -> bool {
        match self.requests.parts.get(node) {
            Some(Part::Service(_)) => true,
            Some(Part::Network { name, .. }) => !self.held.contains(name),
            Some(Part::Volume { .. }) => volumes,
            Some(Part::Image { .. } | Part::Nothing) | None => false,
        }
    }

    /// Keeps what the next run will ask of the engine.
    pub(super) fn keep(&self, deployment: &Deployment) -> Result<(), Error> {
        keep(deployment, &self.requests)
    }

    /// Keeps what going down will ask of the engine.
    pub(super) fn keep_removal_requests(
        &self,
        deployment: &Deployment,
        volumes: bool,
    ) -> Result<(), Error> {
        keep(deployment, &Requests { remove_volumes: volumes, ..self.requests.clone() })
    }

    /// The question before data is lost.
    pub(super) fn question(&self, volumes: bool) -> Option<Question> {
        let parts = self.requests.parts.values().chain(self.requests.earlier.values());
        let names = parts.filter_map(|part| match part {
            Part::Volume { name, .. } if volumes => Some(name.clone()),
            _ => None,
        });
        let names: Vec<String> = names.collect();
        (!names.is_empty()).then_some(Question::RemoveVolumes(names))
    }
}

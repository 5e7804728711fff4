//! Compose projects on a Docker engine: what `up`, `down`, `resume`, `status` and `logs` share.
//!
//! What the operations of a project ask of the engine is kept beside the journal, in
//! `compose.json`, so that only `up` needs the Compose file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::{IsTerminal, Write as _};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use windlass::application::{Application, GlobalState};
use windlass::synthesize::graceful_removal::Arrange;
use windlass_run::compose as running;
use windlass_run::deployment::Deployment;
use windlass_run::entry::OrderId;
use windlass_run::world::docker::engine::{Container, Engine, EngineError};
use windlass_run::world::docker::http::Address;
use windlass_run::world::docker::requests::{Part, Requests, SERVICE, Service};
use windlass_run::world::docker::{self, Docker, DockerSettings, remove_container};
use windlass_run::world::process::ProcessSettings;

use super::{Drive, actions};
use crate::failure::Failure;
use crate::{escape, exit_code, output};

/// The engine that `DOCKER_HOST` names.
pub(crate) fn engine() -> Result<Engine, Failure> {
    let host = std::env::var("DOCKER_HOST").ok();
    let address = Address::parse(host.as_deref());
    let address = address.map_err(|why| Failure::usage(why.to_string()))?;
    Ok(Engine::new(address))
}

/// The engine said no, or is not there.
pub(crate) fn refused(why: &EngineError) -> Failure {
    let failure = Failure::usage(why.to_string()).ending(exit_code::EXECUTION);
    match why {
        EngineError::Unreachable(_) => {
            failure.help("is a Docker engine running? `DOCKER_HOST` says where")
        }
        EngineError::Rejected(..) => failure,
    }
}

/// Progress is no result: it goes to standard error.
pub(crate) fn tell(line: &str) {
    output::stderr(&escape::visible_lines(&format!("{line}\n")));
}

/// The world of a run.
pub(crate) fn world(drive: &Drive<'_>, place: ProcessSettings) -> Result<Docker, Failure> {
    let requests = read(drive.deployment)?.unwrap_or_default();
    let setting = DockerSettings { engine: engine()?, requests, tell };
    Docker::new(place, drive.secrets.clone(), setting).map_err(|why| refused(&why))
}

/// Removes what is left of a deployment that is down and no Compose project, or says what stays.
pub(crate) fn remove_leftovers(name: &str) -> Result<(), Failure> {
    match docker::remove_leftovers(&engine()?, name) {
        Err(why @ EngineError::Unreachable(_)) => Err(refused(&why)),
        Err(EngineError::Rejected(_, why)) => {
            tell(&format!("stays   something of {name} on the Docker engine: {why}"));
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

fn path(deployment: &Deployment) -> PathBuf {
    deployment.folder().join("compose.json")
}

/// What is kept about a project; none for other deployments.
pub(crate) fn read(deployment: &Deployment) -> Result<Option<Requests>, Failure> {
    let path = path(deployment);
    if !path.exists() {
        return Ok(None);
    }
    let text = fs::read_to_string(&path).map_err(|error| Failure::file("read", &path, &error))?;
    let requests = serde_json::from_str(&text);
    requests.map(Some).map_err(|error| Failure::usage(format!("`{}`: {error}", path.display())))
}

/// Keeps the requests for their owner alone: they have the variables of the containers in it.
pub(crate) fn keep(deployment: &Deployment, requests: &Requests) -> Result<(), Failure> {
    let path = path(deployment);
    let new = path.with_extension("new");
    let failed = |error: std::io::Error| Failure::file("write", &path, &error);
    let text = serde_json::to_string_pretty(requests).map_err(|error| failed(error.into()))?;
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&new)
        .map_err(failed)?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
    fs::rename(&new, &path).map_err(failed)
}

/// Plans of a Compose project get the order in which it goes down.
pub(crate) fn arrangement(deployment: &Deployment) -> Option<Arrange> {
    path(deployment).exists().then_some(running::arrange_one_by_one as Arrange)
}

/// A project that is about to go down.
pub(crate) struct Composed {
    /// What it asks of the engine.
    pub(crate) requests: Requests,
    /// Where it stands.
    pub(crate) state: GlobalState,
    /// Its containers that run.
    pub(crate) processes: BTreeMap<String, OrderId>,
    /// Containers of services that there are no more.
    orphans: Vec<String>,
    /// Containers of services that were not asked for.
    others: Vec<String>,
    /// Networks that stay, because a container that stays is in them.
    held: BTreeSet<String>,
}

impl Composed {
    /// Looks at the engine, after what the journal says; none for other deployments.
    pub(crate) fn read(
        deployment: &Deployment,
        application: &Application,
        known: &GlobalState,
    ) -> Result<Option<Self>, Failure> {
        let Some(mut requests) = read(deployment)? else { return Ok(None) };
        let observed = running::observe_as_is(&engine()?, application, &mut requests, known)
            .map_err(|why| refused(&why))?;
        let running::Observed { state, processes, orphans, others, .. } = observed;
        Ok(Some(Composed { requests, state, processes, orphans, others, held: BTreeSet::new() }))
    }

    /// Removes the containers of services that there are no more, or says that they stay, and which
    /// networks with them.
    pub(crate) fn settle_orphans(&mut self, remove: bool, volumes: bool) -> Result<(), Failure> {
        let engine = engine()?;
        for name in std::mem::take(&mut self.orphans) {
            if remove {
                let gone = engine.stop(&name, None).and_then(|()| engine.remove(&name, false));
                match gone {
                    Err(why) if !why.is_missing() => return Err(refused(&why)),
                    _ => tell(&format!("removed {name}: no service of the project asked for it")),
                }
                continue;
            }
            tell(&format!(
                "orphan  {name}: no service of the project asks for it; it stays \
                 (--remove-orphans)"
            ));
            self.hold(&engine, &name)?;
        }
        let mut ours = Vec::new();
        for name in std::mem::take(&mut self.others) {
            let container = engine.inspect(&name).map_err(|why| refused(&why))?;
            if let Some(service) = self.brought_up(container.label(SERVICE)) {
                ours.push((service.clone(), container));
                continue;
            }
            tell(&format!("stays   {name}: its profile is off, or its service was not asked for"));
            self.hold(&engine, &name)?;
        }
        self.take_earlier(&engine, ours, volumes)?;
        let ours = self.requests.parts.values().filter_map(|part| match part {
            Part::Network { name, .. } if self.held.contains(name) => Some(name),
            _ => None,
        });
        for name in ours {
            tell(&format!("network {name}: it stays, a container that stays is in it"));
        }
        Ok(())
    }

    /// A service that an earlier run brought up.
    fn brought_up(&self, name: &str) -> Option<&Service> {
        self.requests.earlier.values().find_map(|part| match part {
            Part::Service(service) if service.name == name => Some(&**service),
            _ => None,
        })
    }

    /// Removes what earlier runs brought up and the last one was not asked for: those first that
    /// wait for others.
    fn take_earlier(
        &mut self,
        engine: &Engine,
        mut ours: Vec<(Service, Container)>,
        volumes: bool,
    ) -> Result<(), Failure> {
        ours.sort_by(|(a, one), (b, other)| (b.rank, &one.name).cmp(&(a.rank, &other.name)));
        for (service, container) in ours {
            let name = &container.name;
            remove_container(engine, &service, &container, volumes).map_err(|why| {
                Failure::usage(format!("`{name}`: {why}")).ending(exit_code::EXECUTION)
            })?;
            tell(&format!("removed {name}: an earlier `up` brought it up"));
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
                Err(why) if !why.is_missing() => return Err(refused(&why)),
                _ => {}
            }
        }
        Ok(())
    }

    /// The networks of a container that stays stay as well.
    fn hold(&mut self, engine: &Engine, name: &str) -> Result<(), Failure> {
        let found = engine.inspect(name).map_err(|why| refused(&why))?;
        let networks = found.all["NetworkSettings"]["Networks"].as_object();
        self.held.extend(networks.into_iter().flat_map(|all| all.keys().cloned()));
        Ok(())
    }

    /// Whether a node goes with the project: images stay, and volumes unless they are named.
    pub(crate) fn leaves(&self, node: &str, volumes: bool) -> bool {
        match self.requests.parts.get(node) {
            Some(Part::Service(_)) => true,
            Some(Part::Network { name, .. }) => !self.held.contains(name),
            Some(Part::Volume { .. }) => volumes,
            Some(Part::Image { .. } | Part::Nothing) | None => false,
        }
    }

    /// Keeps what the next run will ask of the engine.
    pub(crate) fn keep(&self, deployment: &Deployment) -> Result<(), Failure> {
        keep(deployment, &self.requests)
    }

    /// Keeps what going down will ask of the engine.
    pub(crate) fn keep_leaving(
        &self,
        deployment: &Deployment,
        volumes: bool,
    ) -> Result<(), Failure> {
        keep(deployment, &Requests { remove_volumes: volumes, ..self.requests.clone() })
    }

    /// Asks before data is lost.
    pub(crate) fn confirm(&self, volumes: bool, yes: bool) -> Result<(), Failure> {
        let parts = self.requests.parts.values().chain(self.requests.earlier.values());
        let names: Vec<&str> = parts
            .filter_map(|part| match part {
                Part::Volume { name, .. } if volumes => Some(name.as_str()),
                _ => None,
            })
            .collect();
        if !names.is_empty() && !yes {
            let question = format!("this removes volumes with their data: {}", names.join(", "));
            ask(&question)?;
        }
        Ok(())
    }
}

pub(crate) fn ask(question: &str) -> Result<(), Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::usage(question).help("say --yes if that is wanted"));
    }
    actions::asked(&escape::visible_lines(question))
}

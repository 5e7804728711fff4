//! What the operations of a Compose project ask of the engine, by node of its application.
//!
//! They are kept in the folder of the deployment at the beginning of a run, so that `resume` and
//! `down` need no Compose file.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::world::Order;

/// The label that names the project.
pub(crate) const PROJECT: &str = "com.docker.compose.project";
/// The label that names the service.
pub(crate) const SERVICE: &str = "com.docker.compose.service";
/// The label with the number of the container.
pub(crate) const NUMBER: &str = "com.docker.compose.container-number";
/// The label with what a service depends on: `NAME:CONDITION:RESTART`, with commas between.
pub(crate) const DEPENDS: &str = "com.docker.compose.depends_on";
/// The label with the hash of the configuration.
pub(crate) const HASH: &str = "com.docker.compose.config-hash";
/// The label with the id of the image.
pub(crate) const IMAGE: &str = "com.docker.compose.image";
/// The label with the id of the container that this one replaces.
pub(crate) const REPLACE: &str = "com.docker.compose.replace";
/// The label of containers that `run` made.
pub(crate) const ONE_OFF: &str = "com.docker.compose.oneoff";

/// All requests of a project.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Requests {
    /// The project.
    pub project: String,
    /// By node.
    pub parts: BTreeMap<String, Part>,
    /// Services of the file that were not asked for: their containers are no orphans.
    #[serde(default)]
    pub(crate) others: BTreeSet<String>,
    /// Whether only the engine checks health, at its intervals, and not this program too as soon
    /// as a container has started.
    #[serde(default)]
    pub(crate) engine_checks: bool,
    /// Whether volumes are removed with everything else.
    pub(crate) remove_volumes: bool,
    /// By container, what stood there before and comes back when the run is rolled back.
    #[serde(default)]
    pub(crate) previous: BTreeMap<String, Previous>,
    /// The volumes that are recreated because their definition changed: the operator said so.
    #[serde(default)]
    pub(crate) renew: BTreeSet<String>,
    /// What earlier runs brought up and the last one was not asked for: it goes with the rest.
    #[serde(default)]
    pub(crate) earlier: BTreeMap<String, Part>,
}

/// A container that is about to be replaced.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Previous {
    /// The hash of its configuration.
    pub(crate) hash: String,
    /// The id of its image.
    pub(crate) image: String,
    /// Whether it ran.
    pub(crate) ran: bool,
    /// What makes it again.
    pub(crate) body: Value,
    /// Further networks, by name.
    pub(crate) networks: Vec<(String, Value)>,
}

/// How the containers of a service are replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Update {
    /// How many at the same time; 0 for all.
    pub(crate) parallelism: u32,
    /// Whether the new one runs, and is healthy, before the old one goes.
    pub(crate) start_first: bool,
    /// How long to wait before the next.
    pub(crate) delay: Duration,
    /// How long the new one is watched before it counts.
    pub(crate) monitor: Duration,
}

impl Default for Update {
    /// One after the other, the old one first: nothing is there twice.
    fn default() -> Self {
        let nothing = Duration::ZERO;
        Update { parallelism: 1, start_first: false, delay: nothing, monitor: nothing }
    }
}

/// What a node is for the engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Part {
    /// A network.
    Network {
        /// Its name.
        name: String,
        /// What makes it.
        body: Value,
    },
    /// A volume.
    Volume {
        /// Its name.
        name: String,
        /// What makes it.
        body: Value,
    },
    /// An image.
    Image {
        /// Its name.
        reference: String,
        /// `always`, `never`, `missing` and so on.
        policy: String,
        /// How it is built.
        build: Option<Build>,
        /// For which platform.
        #[serde(default)]
        platform: Option<String>,
    },
    /// Something that the engine knows nothing about: it comes with the containers.
    Nothing,
    /// A service.
    Service(Box<Service>),
}

/// How an image is built.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// The folder that is sent.
    pub(crate) context: String,
    /// The query of the request.
    pub(crate) query: String,
    /// A Dockerfile that stands in the Compose file.
    pub(crate) inline: Option<String>,
    /// The Dockerfile, as a path that starts at the folder.
    #[serde(default = "usual_file")]
    pub(crate) file: String,
    /// Whether the engine fetches what is built, and nothing is sent.
    #[serde(default)]
    pub(crate) is_remote: bool,
}

fn usual_file() -> String {
    "Dockerfile".to_owned()
}

/// A file that is put into a container.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// Where.
    pub(crate) target: String,
    /// What.
    pub(crate) content: String,
    /// Who may do what with it.
    pub(crate) mode: u32,
    /// Whose it is: user and group.
    #[serde(default)]
    pub(crate) owner: (u32, u32),
}

impl File {
    /// An empty file that everybody may read.
    pub(crate) fn new(target: String) -> Self {
        File { target, content: String::new(), mode: 0o444, owner: (0, 0) }
    }
}

/// A command that runs inside a container, after its start or before its stop.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hook {
    /// The command, word by word.
    pub(crate) command: Vec<String>,
    /// Who runs it; empty for the user of the container.
    #[serde(default)]
    pub(crate) user: String,
    /// Whether it may do everything.
    #[serde(default)]
    pub(crate) privileged: bool,
    /// Where it runs; empty for the folder of the container.
    #[serde(default)]
    pub(crate) folder: String,
    /// More variables, as `NAME=VALUE`.
    #[serde(default)]
    pub(crate) environment: Vec<String>,
}

/// A service.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools, reason = "each says one thing that Compose says")]
pub struct Service {
    /// Its key.
    pub name: String,
    /// A fixed name of its container.
    pub container: Option<String>,
    /// What makes a container, without its number.
    pub body: Value,
    /// Further networks, by name.
    pub networks: Vec<(String, Value)>,
    /// The service as it is hashed, when it shares something: the hash has the id of a container
    /// that is not there yet.
    #[serde(default)]
    pub canon: Option<Value>,
    /// Whether a service waits for its end.
    pub is_job: bool,
    /// Whether an end with exit code 0 is no death.
    pub may_end: bool,
    /// Whether a service waits for its end and continues however it ends.
    #[serde(default)]
    pub may_fail: bool,
    /// What it waits for and does not need.
    #[serde(default, alias = "hopes")]
    pub optional_dependencies: Vec<OptionalDependency>,
    /// Whether containers that run are started again, because something that they need was.
    #[serde(alias = "starts_anew")]
    pub restarts: bool,
    /// Files that stand in the Compose file.
    pub files: Vec<File>,
    /// What runs inside after every start.
    #[serde(default)]
    pub post_start: Vec<Hook>,
    /// What runs inside before every stop.
    #[serde(default)]
    pub pre_stop: Vec<Hook>,
    /// For which platform its containers are.
    #[serde(default)]
    pub platform: Option<String>,
    /// How many containers there should be.
    #[serde(default)]
    pub replicas: u32,
    /// How they are replaced.
    #[serde(default)]
    pub update: Update,
    /// How long the longest row of services is that it waits for: one that waits for none is made
    /// first.
    #[serde(default)]
    pub rank: u32,
}

/// Something that is waited for and not needed: `required: false`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptionalDependency {
    /// The node of the other service.
    pub(crate) node: String,
    /// What is waited for.
    pub(crate) until: Until,
}

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Until {
    /// That it was started.
    Started,
    /// That it is healthy.
    Healthy,
    /// That it ended well.
    Completed,
}

/// What containers may share with one of another service.
pub(crate) const SHARED: &[&str] =
    &["NetworkMode", "IpcMode", "PidMode", "UTSMode", "CgroupnsMode"];

impl Requests {
    /// Remembers what `before` has and this one was not asked for. Services that the file has no
    /// more are orphans.
    pub(crate) fn remember(&mut self, before: Requests) {
        let all = before.earlier.into_iter().chain(before.parts);
        let is_left = |(node, part): &(String, Part)| match part {
            _ if self.parts.contains_key(node) => false,
            Part::Service(service) => self.others.contains(&service.name),
            Part::Network { .. } | Part::Volume { .. } => true,
            Part::Image { .. } | Part::Nothing => false,
        };
        self.earlier = all.filter(is_left).collect();
    }

    /// The service of a node.
    pub(crate) fn service(&self, node: &str) -> Option<&Service> {
        match self.parts.get(node) {
            Some(Part::Service(service)) => Some(service),
            _ => None,
        }
    }

    /// Whether a node is one of the project.
    pub(crate) fn knows(&self, node: &str) -> bool {
        self.parts.contains_key(node)
    }

    /// Whether an order is an operation of the project that asks the engine for something, or takes
    /// an instance away whose container is still there.
    pub(crate) fn performs(&self, order: &Order) -> bool {
        match self.parts.get(&order.node) {
            None | Some(Part::Nothing) => false,
            Some(Part::Service(_)) => order.operation.is_some() || order.removes,
            Some(_) => order.operation.is_some(),
        }
    }
}

/// What stands behind the name of its node in that of an instance.
pub(crate) fn number(node: &str, instance: &str) -> Option<u32> {
    instance.strip_prefix(node)?.strip_prefix('-')?.parse().ok()
}

impl Service {
    /// Whether its containers share something with one of another service, which must run first.
    pub(crate) fn shares(&self) -> bool {
        !self.shares_with().is_empty()
    }

    /// The services with whose first container those of this one share something.
    pub(crate) fn shares_with(&self) -> BTreeSet<&str> {
        let host = &self.body["HostConfig"];
        let modes = SHARED.iter().filter_map(|key| host.get(*key)?.as_str());
        let modes = modes.filter_map(|mode| mode.strip_prefix("service:"));
        let from = host.get("VolumesFrom").and_then(Value::as_array).into_iter().flatten();
        let from = from.filter_map(Value::as_str).filter(|one| !one.starts_with("container:"));
        let from = from.map(|one| one.split_once(':').map_or(one, |(service, _)| service));
        modes.chain(from).collect()
    }

    /// Why there can be only one container of it: a name, or a port of the host, that one alone
    /// has.
    pub(crate) fn only_one(&self) -> Option<String> {
        if let Some(name) = &self.container {
            return Some(format!("its container is called `{name}`"));
        }
        let ports = self.body["HostConfig"]["PortBindings"].as_object()?;
        let mut bindings = ports.values().filter_map(Value::as_array).flatten();
        bindings.find_map(|binding| {
            let port =
                binding["HostPort"].as_str()?.parse::<u16>().ok().filter(|port| *port > 0)?;
            Some(format!("it has the port {port} of the host"))
        })
    }

    /// The number of the container that an instance is. The first instance of a service that the
    /// file has once is called as its node, the second `web-2`.
    pub fn number(&self, node: &str, instance: &str) -> u32 {
        number(node, instance).unwrap_or(1)
    }

    /// The instance that the container with a number is.
    pub(crate) fn instance(&self, node: &str, container: u32) -> String {
        match (self.replicas, container) {
            (..=1, ..=1) => node.to_owned(),
            (_, number) => format!("{node}-{number}"),
        }
    }

    /// The name of a container.
    pub fn container_name(&self, project: &str, number: u32) -> String {
        self.container.clone().unwrap_or_else(|| format!("{project}-{}-{number}", self.name))
    }
}

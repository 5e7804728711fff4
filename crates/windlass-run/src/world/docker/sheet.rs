//! What the operations of a Compose project ask of the engine, by node of its application.
//!
//! The sheet is written into the journal at the beginning of a run, so that `resume` and `down`
//! need no Compose file.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::world::Order;

/// The label that names the project.
pub const PROJECT: &str = "com.docker.compose.project";
/// The label that names the service.
pub const SERVICE: &str = "com.docker.compose.service";
/// The label with the number of the container.
pub const NUMBER: &str = "com.docker.compose.container-number";
/// The label with the hash of the configuration.
pub const HASH: &str = "com.docker.compose.config-hash";
/// The label with the id of the image.
pub const IMAGE: &str = "com.docker.compose.image";
/// The label with the id of the container that this one replaces.
pub const REPLACE: &str = "com.docker.compose.replace";
/// The label of containers that `run` made.
pub const ONE_OFF: &str = "com.docker.compose.oneoff";

/// All requests of a project.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Sheet {
    /// The project.
    pub project: String,
    /// By node.
    pub parts: BTreeMap<String, Part>,
    /// Whether volumes are removed with everything else.
    pub remove_volumes: bool,
    /// By container, what stood there before and comes back when the run is rolled back.
    #[serde(default)]
    pub previous: BTreeMap<String, Previous>,
    /// The volumes that are made anew because their definition changed: the operator said so.
    #[serde(default)]
    pub renew: BTreeSet<String>,
}

/// A container that is about to be replaced.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Previous {
    /// The hash of its configuration.
    pub hash: String,
    /// The id of its image.
    pub image: String,
    /// Whether it ran.
    pub ran: bool,
    /// What makes it again.
    pub body: Value,
    /// Further networks, by name.
    pub networks: Vec<(String, Value)>,
}

/// How the containers of a service are replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Update {
    /// How many at the same time; 0 for all.
    pub parallelism: u32,
    /// Whether the new one runs, and is healthy, before the old one goes.
    pub start_first: bool,
    /// How long to wait before the next.
    pub delay: Duration,
    /// How long the new one is watched before it counts.
    pub monitor: Duration,
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
    pub context: String,
    /// The query of the request.
    pub query: String,
    /// A Dockerfile that stands in the Compose file.
    pub inline: Option<String>,
}

/// A file that is put into a container.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// Where.
    pub target: String,
    /// What.
    pub content: String,
    /// Who may do what with it.
    pub mode: u32,
}

/// A service.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// Whether somebody waits for its end.
    pub is_job: bool,
    /// Whether an end with exit code 0 is no death.
    pub may_end: bool,
    /// Whether somebody waits for its end and goes on however it ends.
    #[serde(default)]
    pub may_fail: bool,
    /// What it waits for and does not need.
    #[serde(default)]
    pub hopes: Vec<Hope>,
    /// Whether containers that run are started anew, because something that they need was.
    pub starts_anew: bool,
    /// Files that stand in the Compose file.
    pub files: Vec<File>,
    /// How many containers there should be.
    #[serde(default)]
    pub replicas: u32,
    /// How they are replaced.
    #[serde(default)]
    pub update: Update,
    /// How long the longest row of services is that it waits for: who waits for nobody is made
    /// first.
    #[serde(default)]
    pub rank: u32,
}

/// Something that is waited for and not needed: `required: false`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hope {
    /// The node of the other service.
    pub node: String,
    /// What is waited for.
    pub until: Until,
}

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Until {
    /// That it was started.
    Started,
    /// That it is healthy.
    Healthy,
    /// That it ended well.
    Completed,
}

/// What containers may share with one of another service.
pub const SHARED: &[&str] = &["NetworkMode", "IpcMode", "PidMode", "UTSMode", "CgroupnsMode"];

impl Sheet {
    /// The service of a node.
    pub fn service(&self, node: &str) -> Option<&Service> {
        match self.parts.get(node) {
            Some(Part::Service(service)) => Some(service),
            _ => None,
        }
    }

    /// Whether a node is one of the project.
    pub fn knows(&self, node: &str) -> bool {
        self.parts.contains_key(node)
    }

    /// Whether an order is an operation of the project that asks the engine for something.
    pub fn performs(&self, order: &Order) -> bool {
        let part = self.parts.get(&order.node);
        order.operation.is_some() && part.is_some_and(|part| *part != Part::Nothing)
    }
}

/// The number of the container that an instance is.
pub fn number(node: &str, instance: &str) -> u32 {
    let rest = instance.strip_prefix(node).and_then(|rest| rest.strip_prefix('-'));
    rest.and_then(|rest| rest.parse().ok()).unwrap_or(1)
}

impl Service {
    /// Whether its containers share something with one of another service, which must run first.
    pub fn shares(&self) -> bool {
        !self.shares_with().is_empty()
    }

    /// The services with whose first container those of this one share something.
    pub fn shares_with(&self) -> BTreeSet<&str> {
        let host = &self.body["HostConfig"];
        let modes = SHARED.iter().filter_map(|key| host.get(*key)?.as_str());
        let modes = modes.filter_map(|mode| mode.strip_prefix("service:"));
        let from = host.get("VolumesFrom").and_then(Value::as_array).into_iter().flatten();
        let from = from.filter_map(Value::as_str).filter(|one| !one.starts_with("container:"));
        let from = from.map(|one| one.split_once(':').map_or(one, |(service, _)| service));
        modes.chain(from).collect()
    }

    /// The name of a container.
    pub fn container_name(&self, project: &str, number: u32) -> String {
        self.container.clone().unwrap_or_else(|| format!("{project}-{}-{number}", self.name))
    }
}

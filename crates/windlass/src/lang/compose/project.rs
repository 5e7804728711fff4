//! A Compose project as it is meant: short forms spelled out, defaults filled in, places kept.

use core::net::IpAddr;
use std::collections::{BTreeMap, BTreeSet};

use ipnet::IpNet;

use super::item::{Item, OVERRIDES};
use super::short::ShortPort;
use crate::diagnostic::{Diagnostic, Label};
use crate::source::{SourceId, Span};

/// A project: what all files say together.
#[derive(Debug, Clone)]
pub struct Project {
    /// Its name, which starts the names of everything that is made for it.
    pub name: String,
    /// The services whose profiles are on, by name.
    pub services: BTreeMap<String, Service>,
    /// The services whose profiles are off.
    pub disabled: BTreeSet<String>,
    /// Networks by key, `default` included when something uses it.
    pub networks: BTreeMap<String, Network>,
    /// Volumes by key.
    pub volumes: BTreeMap<String, Resource>,
    /// Secrets by key.
    pub secrets: BTreeMap<String, Resource>,
    /// Configs by key.
    pub configs: BTreeMap<String, Resource>,
    /// Models by key.
    pub(crate) models: BTreeMap<String, Span>,
    /// What services that are off refer to, as `section.name`, so that it does not count as unused.
    pub(crate) used_elsewhere: BTreeSet<String>,
    /// Where the project starts.
    pub(crate) origin: Option<Span>,
    /// Where the paths of a text start that was included or extended: folders, from that of the
    /// project on, or in full.
    pub folders: BTreeMap<SourceId, String>,
    /// Where values were written that took the place of others, and where those were.
    pub(crate) overridden: BTreeMap<Span, Span>,
}

impl Project {
    /// Adds to findings which value won, where one took the place of another.
    pub(crate) fn explain(&self, findings: &mut [Diagnostic]) {
        for finding in findings {
            let primary = std::iter::once(finding.primary);
            let places: Vec<Span> =
                primary.chain(finding.labels.iter().map(|label| label.span)).collect();
            for place in places {
                let Some(lost) = self.overridden.get(&place) else { continue };
                if finding.labels.iter().all(|label| label.span != *lost) {
                    let message = OVERRIDES.to_owned();
                    finding.labels.push(Label { span: *lost, message });
                }
            }
        }
    }
}

/// A text with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The text.
    pub text: String,
    /// Where it was written.
    pub(crate) span: Span,
}

/// A volume, a secret or a config.
///
/// Paper: 000 6.2 (Secret)
/// Paper: 000 6.2 (Config)
/// Paper: 000 6.2 (Volume)
#[derive(Debug, Clone)]
pub struct Resource {
    /// Its name for the engine.
    pub name: String,
    /// Whether the name was given by the author.
    pub(crate) named: Option<Span>,
    /// Whether it exists outside of the project.
    pub external: bool,
    /// Everything that the file says about it.
    pub item: Item,
    /// Whether its file exists; none when it has none or that is not known.
    pub(crate) exists: Option<bool>,
    /// Where it was declared.
    pub(crate) span: Span,
}

/// A network.
#[derive(Debug, Clone)]
pub struct Network {
    /// What every resource has.
    pub resource: Resource,
    /// Its address ranges.
    pub(crate) subnets: Vec<Subnet>,
    /// Whether the file does not declare it.
    pub implicit: bool,
}

/// A range of addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Subnet {
    /// The addresses.
    pub(crate) range: IpNet,
    /// The gateway.
    pub(crate) gateway: Option<(IpAddr, Span)>,
    /// The part from which the engine takes addresses.
    pub(crate) pool: Option<(IpNet, Span)>,
    /// Where it was written.
    pub(crate) span: Span,
}

impl Subnet {
    /// Whether an address stands for the whole range: its first one, and the last one of IPv4.
    pub(crate) fn is_reserved(&self, address: IpAddr) -> bool {
        let free = self.range.max_prefix_len() - self.range.prefix_len();
        let is_last = self.range.addr().is_ipv4() && address == self.range.broadcast();
        free > 1 && (address == self.range.network() || is_last)
    }

    /// Whether two ranges have an address in common.
    pub(crate) fn overlaps(&self, other: &Subnet) -> bool {
        self.range.contains(&other.range) || other.range.contains(&self.range)
    }
}

/// What a dependant waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Condition {
    /// The containers were started.
    Started,
    /// Every container is healthy.
    Healthy,
    /// Every container ended with exit code 0.
    Completed,
}

impl Condition {
    /// The word in a Compose file.
    pub fn as_str(self) -> &'static str {
        match self {
            Condition::Started => "service_started",
            Condition::Healthy => "service_healthy",
            Condition::Completed => "service_completed_successfully",
        }
    }
}

/// A dependency on another service.
///
/// Paper: 000 6.2 (Service.depends_on)
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// What is waited for.
    pub condition: Condition,
    /// Whether a restart of the other service restarts this one.
    pub restart: bool,
    /// Whether the other service must be there.
    pub required: bool,
    /// The key that implies it, when it is not written in `depends_on`.
    pub(crate) implied_by: Option<&'static str>,
    /// Where it was written.
    pub(crate) span: Span,
    /// Where the condition was written, when it was.
    pub(crate) condition_span: Span,
}

/// What is known about the health of a service.
///
/// Paper: 000 6.2 (Healthcheck)
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Health {
    /// The file says nothing; the image may have a check.
    Unknown,
    /// The file switches checks off.
    Disabled(Span),
    /// The file has a check.
    Checked(Span),
}

/// When the engine starts a container again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Restart {
    /// Never.
    No,
    /// When it failed.
    OnFailure,
    /// Whenever it ends, unless it was stopped.
    UnlessStopped,
    /// Whenever it ends.
    Always,
}

/// A port of the containers of a service that is published, or only named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Port {
    /// What is published.
    pub port: ShortPort,
    /// Where it was written.
    pub(crate) span: Span,
}

/// What is mounted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MountKind {
    /// A path of the host.
    Bind,
    /// A volume.
    Volume,
    /// Memory.
    Tmpfs,
    /// Anything else: a pipe, an image, a volume of a cluster.
    Other,
}

/// Something that is mounted into the containers of a service.
///
/// Paper: 000 6.2 (MountSpec)
#[derive(Debug, Clone)]
pub struct Mount {
    /// What it is.
    pub kind: MountKind,
    /// A path, or the key of a volume.
    pub(crate) source: Option<String>,
    /// The path in the container.
    pub(crate) target: String,
    /// Whether it cannot be written.
    pub read_only: bool,
    /// Whether the engine makes the path of the host when it is not there.
    pub(crate) creates_path: bool,
    /// The short form, as it was written.
    pub(crate) short: Option<String>,
    /// The long form.
    pub(crate) item: Item,
    /// Whether the path of the host exists; none when that is not known.
    pub(crate) exists: Option<bool>,
    /// Where it was written.
    pub(crate) span: Span,
}

/// A secret or config that is granted to a service.
///
/// Paper: 000 6.2 (Service_access)
#[derive(Debug, Clone)]
pub struct Grant {
    /// Its key.
    pub source: String,
    /// The path in the container.
    pub target: Option<String>,
    /// The long form, if it is one.
    pub item: Item,
    /// Where it was written.
    pub(crate) span: Span,
}

/// A network that a service is attached to.
///
/// Paper: 000 6.2 (NetworkRole)
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Fixed addresses.
    pub addresses: Vec<(IpAddr, Span)>,
    /// Where it was written.
    pub(crate) span: Span,
}

/// A service.
///
/// Paper: 000 6.2 (Service)
#[derive(Debug, Clone)]
pub struct Service {
    /// Its name.
    pub name: String,
    /// Where it was declared.
    pub span: Span,
    /// Everything that the file says about it, as merged.
    pub item: Item,
    /// The image.
    pub image: Option<Text>,
    /// Whether the image is built.
    pub build: Option<Span>,
    /// Whether another program runs it.
    pub(crate) provider: Option<Span>,
    /// How many containers are wanted.
    pub replicas: u32,
    /// Where that was written.
    pub(crate) replicas_span: Option<Span>,
    /// A fixed name of the container.
    pub container_name: Option<Text>,
    /// What is waited for before it starts, by service.
    pub depends_on: BTreeMap<String, Dependency>,
    /// Its check.
    pub health: Health,
    /// When it is started again.
    pub restart: Restart,
    /// Where that was written.
    pub(crate) restart_span: Option<Span>,
    /// Its ports.
    pub ports: Vec<Port>,
    /// What is mounted.
    pub mounts: Vec<Mount>,
    /// Its secrets.
    pub secrets: Vec<Grant>,
    /// Its configs.
    pub configs: Vec<Grant>,
    /// Its networks, by key.
    pub networks: BTreeMap<String, Attachment>,
    /// `host`, `none`, `service:NAME` and the like, in place of networks.
    pub network_mode: Option<Text>,
    /// Its variables, with their values.
    pub environment: Vec<(String, Option<String>, Span)>,
}

impl Service {
    /// A key of the service, when it is there and not null.
    pub fn get(&self, key: &str) -> Option<&Item> {
        self.item.get(key)
    }

    /// Whether a flag is switched on.
    pub(crate) fn flag(&self, key: &str) -> Option<Span> {
        self.get(key).filter(|item| item.as_bool() == Some(true)).map(|item| item.span)
    }
}

//! Facts about Heat's resource types, read from `types.txt`.
//!
//! The text is written by `cargo xtask hot-types DUMP`, one line per fact, fields separated by
//! tabs:
//!
//! ```text
//! T  NAME  SERVICE  ENTITY  STATUS:VERSION,...      a type; types are sorted by name
//! P0 NAME  TYPE  FLAGS  CONSTRAINT...  =DEFAULT     a property; the number is the depth
//! U0 ...                                            the same for update_policy
//! A  NAME  TYPE                                     an attribute
//! ```
//!
//! Flags: `r` required, `u` can be updated in place, `i` immutable, `n` not implemented, `h`
//! hidden,
//! `d` deprecated, `x` unsupported. Constraints: `in:a|b`, `range:1..9`, `length:..255`,
//! `pattern:REGEX`, `is:neutron.network`. The entries of a list or of a mapping with any keys stand
//! under the name `*`. A type is parsed when a template first names it.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::value::Kind;

const TEXT: &str = include_str!("types.txt");

/// One resource type.
///
/// Paper: 000 7.1.3
#[derive(Debug)]
pub struct TypeFacts {
    /// Its name.
    pub name: &'static str,
    /// The service that has to be there.
    pub service: &'static str,
    /// What the service calls it; none for types that stand for nothing in the cloud.
    pub entity: Option<&'static str>,
    /// Its history, newest first.
    pub support: Vec<(&'static str, &'static str)>,
    /// Its properties.
    pub properties: Vec<PropertyFacts>,
    /// The schema of `update_policy`; empty when it takes none.
    pub update_policy: Vec<PropertyFacts>,
    /// Its attributes.
    pub attributes: Vec<(&'static str, Kind)>,
}

/// One property, on whatever level.
#[derive(Debug)]
pub struct PropertyFacts {
    /// Its name; `*` for the entries of a list or mapping.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    flags: &'static str,
    /// What a value has to satisfy.
    pub constraints: Vec<Constraint>,
    /// The default, as text.
    pub default: Option<&'static str>,
    /// The schema of entries.
    pub nested: Vec<PropertyFacts>,
}

/// What a value has to satisfy.
#[derive(Debug)]
pub enum Constraint {
    /// One of these.
    In(Vec<&'static str>),
    /// Between these bounds.
    Range(Option<f64>, Option<f64>),
    /// As long as this.
    Length(Option<usize>, Option<usize>),
    /// A regular expression.
    Pattern(&'static str),
    /// A thing of the cloud, or a notation.
    Is(&'static str),
}

impl PropertyFacts {
    fn has(&self, flag: char) -> bool {
        self.flags.contains(flag)
    }

    /// Whether a value must be given.
    pub fn required(&self) -> bool {
        self.has('r')
    }

    /// Whether a change is made in place.
    pub fn update_allowed(&self) -> bool {
        self.has('u')
    }

    /// Whether a change is refused.
    pub fn immutable(&self) -> bool {
        self.has('i')
    }

    /// Whether Heat knows the property and refuses it.
    pub fn unsupported(&self) -> bool {
        self.has('n') || self.has('x')
    }

    /// Whether it should not be used any more.
    pub fn deprecated(&self) -> bool {
        self.has('h') || self.has('d')
    }

    /// Whether a value names a thing of the cloud of this sort, such as `neutron.network`.
    pub fn is_custom(&self, name: &str) -> bool {
        self.constraints.iter().any(|own| matches!(own, Constraint::Is(sort) if *sort == name))
    }

    /// The schema of the entries of a list, or of a mapping with any keys.
    pub fn each(&self) -> Option<&PropertyFacts> {
        match self.nested.as_slice() {
            [each] if each.name == "*" => Some(each),
            _ => None,
        }
    }
}

impl TypeFacts {
    /// The property with this name.
    pub fn property(&self, name: &str) -> Option<&PropertyFacts> {
        self.properties.iter().find(|property| property.name == name)
    }

    /// The type of an attribute; `show` is one of every type.
    pub fn attribute(&self, name: &str) -> Option<Kind> {
        let own = self.attributes.iter().find(|attribute| attribute.0 == name);
        own.map(|attribute| attribute.1).or((name == "show").then_some(Kind::Map))
    }

    /// `DEPRECATED`, `HIDDEN` or `UNSUPPORTED` with the version of Heat that made it so.
    pub fn retired(&self) -> Option<(&'static str, &'static str)> {
        self.support.first().copied().filter(|(status, _)| *status != "SUPPORTED")
    }

    /// Whether only the name is left: Heat takes any property and creates nothing.
    pub fn is_placeholder(&self) -> bool {
        self.properties.is_empty() && self.retired().is_some()
    }

    /// The version of Heat that brought the type.
    pub fn since(&self) -> Option<&'static str> {
        self.support.last().map(|step| step.1).filter(|version| *version != "-")
    }

    /// What to use instead of a retired type.
    pub fn replacement(&self) -> Option<&'static str> {
        let own = REPLACEMENTS.iter().find(|(old, _)| *old == self.name).map(|(_, new)| *new);
        own.or_else(|| {
            let rest = self.name.strip_prefix("OS::Neutron::LBaaS::")?;
            types().keys().copied().find(|n| n.strip_prefix("OS::Octavia::") == Some(rest))
        })
    }
}

/// Successors of retired types.
const REPLACEMENTS: &[(&str, &str)] = &[
    ("OS::Glance::Image", "OS::Glance::WebImage"),
    ("OS::Heat::SoftwareDeployments", "OS::Heat::SoftwareDeploymentGroup"),
    ("OS::Heat::StructuredDeployments", "OS::Heat::StructuredDeploymentGroup"),
    ("OS::Magnum::Bay", "OS::Magnum::Cluster"),
    ("OS::Magnum::BayModel", "OS::Magnum::ClusterTemplate"),
    ("OS::Neutron::LoadBalancer", "OS::Octavia::LoadBalancer"),
    ("OS::Neutron::Pool", "OS::Octavia::Pool"),
    ("OS::Neutron::PoolMember", "OS::Octavia::PoolMember"),
    ("OS::Neutron::HealthMonitor", "OS::Octavia::HealthMonitor"),
    ("OS::Nova::FloatingIP", "OS::Neutron::FloatingIP"),
    ("OS::Nova::FloatingIPAssociation", "OS::Neutron::FloatingIPAssociation"),
];

/// Where each type stands in the text.
fn types() -> &'static BTreeMap<&'static str, &'static str> {
    static TYPES: OnceLock<BTreeMap<&'static str, &'static str>> = OnceLock::new();
    TYPES.get_or_init(|| {
        let mut blocks = BTreeMap::new();
        let starts = TEXT
            .match_indices("T\t")
            .filter(|(at, _)| *at == 0 || TEXT.as_bytes()[at - 1] == b'\n')
            .map(|(at, _)| at);
        let starts: Vec<usize> = starts.chain(std::iter::once(TEXT.len())).collect();
        for pair in starts.windows(2) {
            let block = &TEXT[pair[0]..pair[1]];
            let name = block.split('\t').nth(1).unwrap_or_default();
            blocks.insert(name, block);
        }
        blocks
    })
}

/// The names of all types, in order.
pub fn names() -> impl Iterator<Item = &'static str> + Clone {
    types().keys().copied()
}

/// The facts about a type.
pub fn find(name: &str) -> Option<&'static TypeFacts> {
    static PARSED: Mutex<BTreeMap<&'static str, &'static TypeFacts>> = Mutex::new(BTreeMap::new());
    let (name, block) = types().get_key_value(name)?;
    let mut parsed = PARSED.lock().unwrap_or_else(PoisonError::into_inner);
    // Each type is parsed once and kept for the life of the program, so nothing is lost.
    Some(parsed.entry(name).or_insert_with(|| Box::leak(Box::new(parse(block)))))
}

fn parse(block: &'static str) -> TypeFacts {
    let mut lines = block.lines();
    let mut head = lines.next().unwrap_or_default().split('\t').skip(1);
    let mut next = || head.next().unwrap_or_default();
    let (name, service, entity, support) = (next(), next(), next(), next());
    let mut facts = TypeFacts {
        name,
        service,
        entity: Some(entity).filter(|entity| *entity != "-"),
        support: support.split(',').filter_map(|step| step.split_once(':')).collect(),
        properties: Vec::new(),
        update_policy: Vec::new(),
        attributes: Vec::new(),
    };
    for line in lines {
        let mut fields = line.split('\t');
        let mark = fields.next().unwrap_or_default();
        let depth = mark.get(1..).and_then(|depth| depth.parse().ok()).unwrap_or(0);
        match mark.bytes().next() {
            Some(b'P') => insert(&mut facts.properties, depth, property(fields)),
            Some(b'U') => insert(&mut facts.update_policy, depth, property(fields)),
            Some(b'A') => {
                let name = fields.next().unwrap_or_default();
                facts.attributes.push((name, Kind::from_word(fields.next().unwrap_or_default())));
            }
            _ => {}
        }
    }
    facts
}

/// Adds a property below the last one of each smaller depth.
fn insert(siblings: &mut Vec<PropertyFacts>, depth: usize, property: PropertyFacts) {
    let mut level = siblings;
    for _ in 0..depth {
        if level.is_empty() {
            break;
        }
        let last = level.len() - 1;
        level = &mut level[last].nested;
    }
    level.push(property);
}

fn property(mut fields: std::str::Split<'static, char>) -> PropertyFacts {
    let name = fields.next().unwrap_or_default();
    let kind = Kind::from_word(fields.next().unwrap_or_default());
    let flags = fields.next().unwrap_or_default();
    let mut property =
        PropertyFacts { name, kind, flags, constraints: vec![], default: None, nested: vec![] };
    for field in fields {
        match field.strip_prefix('=') {
            Some(default) => property.default = Some(default),
            None => property.constraints.extend(constraint(field)),
        }
    }
    property
}

fn constraint(field: &'static str) -> Option<Constraint> {
    let (kind, value) = field.split_once(':')?;
    let bounds = || value.split_once("..").unwrap_or((value, ""));
    Some(match kind {
        "in" => Constraint::In(value.split('|').collect()),
        "range" => Constraint::Range(bounds().0.parse().ok(), bounds().1.parse().ok()),
        "length" => Constraint::Length(bounds().0.parse().ok(), bounds().1.parse().ok()),
        "pattern" => Constraint::Pattern(value),
        "is" => Constraint::Is(value),
        _ => return None,
    })
}

/// Every name of a custom constraint that Heat registers.
pub const CUSTOM_CONSTRAINTS: &[&str] = &[
    "aodh.alarm",
    "barbican.container",
    "barbican.secret",
    "blazar.host",
    "blazar.lease",
    "cinder.backup",
    "cinder.qos_specs",
    "cinder.snapshot",
    "cinder.volume",
    "cinder.vtype",
    "cron_expression",
    "designate.zone",
    "dns_domain",
    "dns_name",
    "expiration",
    "glance.image",
    "ip_addr",
    "ip_or_cidr",
    "ironic.node",
    "ironic.portgroup",
    "iso_8601",
    "json_string",
    "keystone.domain",
    "keystone.group",
    "keystone.project",
    "keystone.region",
    "keystone.role",
    "keystone.service",
    "keystone.user",
    "mac_addr",
    "magnum.baymodel",
    "magnum.cluster_template",
    "manila.share",
    "manila.share_network",
    "manila.share_snapshot",
    "manila.share_type",
    "mistral.workflow",
    "monasca.notification",
    "net_cidr",
    "neutron.address_scope",
    "neutron.flow_classifier",
    "neutron.lbaas.listener",
    "neutron.lbaas.loadbalancer",
    "neutron.lbaas.pool",
    "neutron.lbaas.provider",
    "neutron.network",
    "neutron.port",
    "neutron.port_pair",
    "neutron.port_pair_group",
    "neutron.qos_policy",
    "neutron.router",
    "neutron.security_group",
    "neutron.segment",
    "neutron.subnet",
    "neutron.subnetpool",
    "neutron.taas.tap_flow",
    "neutron.taas.tap_service",
    "nova.flavor",
    "nova.host",
    "nova.keypair",
    "nova.network",
    "nova.server",
    "octavia.availabilityzone",
    "octavia.availabilityzoneprofile",
    "octavia.flavor",
    "octavia.flavorprofile",
    "octavia.l7policy",
    "octavia.listener",
    "octavia.loadbalancer",
    "octavia.pool",
    "rel_dns_name",
    "sahara.cluster",
    "sahara.cluster_template",
    "sahara.data_source",
    "sahara.image",
    "sahara.job_binary",
    "sahara.job_type",
    "sahara.plugin",
    "senlin.cluster",
    "senlin.policy_type",
    "senlin.profile",
    "senlin.profile_type",
    "test_constr",
    "timezone",
    "trove.flavor",
    "zaqar.queue",
    "zun.container",
];

//! Properties against the schema of their type (rows C21, C25 to C29, I03).

use std::collections::BTreeMap;

use super::constraint::{length, matches, notation, outside};
use super::evaluate::Head;
use super::facts::{self, Constraint, PropertyFacts, TypeFacts};
use super::value::{Data, Kind, Value};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::spelling;

/// Where a value stands, for messages.
pub(super) struct Place<'a> {
    /// The resource.
    pub(super) resource: &'a str,
    /// Whether it exists already, so that nothing has to be given.
    pub(super) is_external: bool,
    /// The types of the other resources.
    pub(super) heads: &'a BTreeMap<String, Head>,
}

/// Compares a mapping with the schema of its entries.
pub(super) fn check_map(
    schema: &[PropertyFacts],
    map: &Value,
    at: Span,
    place: &Place<'_>,
    findings: &mut Vec<Diagnostic>,
) {
    let Data::Map(entries) = &map.data else { return };
    for entry in entries {
        let Some(property) = schema.iter().find(|property| property.name == entry.key) else {
            let resource = place.resource;
            let message = format!("resource `{resource}` has no property `{}`", entry.key);
            let mut finding = Diagnostic::error("HOT006", entry.key_span, message);
            let known = schema.iter().filter(|known| !known.deprecated()).map(|known| known.name);
            finding.help = spelling::advice("property", &entry.key, known, findings.len());
            findings.push(finding);
            continue;
        };
        if property.unsupported() {
            let message = format!("Heat does not support property `{}`", entry.key);
            findings.push(Diagnostic::warning("HOT016", entry.key_span, message));
        } else if property.deprecated() && !entry.value.is_null() {
            let message = format!("property `{}` is deprecated", entry.key);
            let mut finding = Diagnostic::warning("HOT016", entry.key_span, message);
            finding.help = successor(schema, &entry.key).map(|new| format!("use `{new}`"));
            findings.push(finding);
        }
        check(property, &entry.value, place, findings);
    }
    for property in schema.iter().filter(|property| property.required() && !place.is_external) {
        let given = entries.iter().any(|entry| {
            let null = entry.value.is_null();
            !null && (entry.key == property.name || is_alias(&entry.key, property.name))
        });
        if !given && property.name != "*" {
            let message = format!(
                "resource `{}` gives no value for the required property `{}` (C21)",
                place.resource, property.name
            );
            findings.push(Diagnostic::error("HOT121", at, message));
        }
    }
}

/// Whether a deprecated name stands for another.
fn is_alias(old: &str, new: &str) -> bool {
    old.strip_suffix("_id") == Some(new) || (old, new) == ("uuid", "network")
}

/// The property that took over from a deprecated one.
fn successor<'a>(schema: &'a [PropertyFacts], old: &str) -> Option<&'a str> {
    let known = |property: &&PropertyFacts| is_alias(old, property.name) && !property.deprecated();
    schema.iter().find(known).map(|property| property.name)
}

/// Compares one value with the schema of its property.
fn check(
    property: &PropertyFacts,
    value: &Value,
    place: &Place<'_>,
    findings: &mut Vec<Diagnostic>,
) {
    match &value.data {
        Data::Null | Data::Unknown(_) => return,
        Data::Resource(target) => return check_reference(property, target, value, place, findings),
        _ => {}
    }
    if !fits(property.kind, value) {
        let message = format!(
            "property `{}` of resource `{}` must be {}, and this is {} (C28)",
            property.name,
            place.resource,
            property.kind.words(),
            match value.shown() {
                shown if shown.starts_with('`') => format!("{shown}, {}", value.kind_words()),
                words => words,
            }
        );
        findings.push(Diagnostic::error("HOT128", value.span, message));
        return;
    }
    for constraint in &property.constraints {
        check_constraint(property, constraint, value, findings);
    }
    match (&value.data, property.each()) {
        (Data::List(items), Some(each)) => {
            for item in items {
                check(each, item, place, findings);
            }
        }
        (Data::Map(entries), Some(each)) => {
            for entry in entries {
                check(each, &entry.value, place, findings);
            }
        }
        (Data::Map(_), None) if !property.nested.is_empty() => {
            check_map(&property.nested, value, value.span, place, findings);
        }
        _ => {}
    }
}

/// Whether Heat takes a known value for a type, with its conversions.
fn fits(kind: Kind, value: &Value) -> bool {
    match (kind, &value.data) {
        (Kind::Any, _)
        | (Kind::Integer | Kind::Number, Data::Bool(_))
        | (Kind::List, Data::List(_))
        | (Kind::Map, Data::Map(_)) => true,
        (Kind::String, data) => !matches!(data, Data::List(_) | Data::Map(_)),
        (Kind::Integer, Data::Float(number)) => number.fract() == 0.0,
        (Kind::Integer, _) => value.as_int().is_some(),
        (Kind::Number, _) => value.as_number().is_some(),
        (Kind::Boolean, _) => value.as_bool().is_some(),
        // A text may be JSON.
        (Kind::List, Data::Str(text)) => text.trim_start().starts_with('['),
        (Kind::Map, Data::Str(text)) => text.trim_start().starts_with('{'),
        _ => false,
    }
}

fn check_constraint(
    property: &PropertyFacts,
    constraint: &Constraint,
    value: &Value,
    findings: &mut Vec<Diagnostic>,
) {
    let name = property.name;
    match constraint {
        Constraint::In(allowed) => {
            let items = match &value.data {
                Data::List(items) => items.as_slice(),
                _ => std::slice::from_ref(value),
            };
            for item in items {
                let Some(text) = item.scalar_text() else { continue };
                let same = |known: &&str| {
                    **known == text
                        || (known.parse::<f64>().is_ok_and(|n| Some(n) == item.as_number()))
                        || (property.kind == Kind::Boolean && known.eq_ignore_ascii_case(&text))
                };
                if allowed.iter().any(same) {
                    continue;
                }
                let message = format!("`{text}` is not allowed for property `{name}` (C25)");
                let mut finding = Diagnostic::error("HOT125", item.span, message);
                let known = allowed.iter().copied();
                finding.help = spelling::advice("value", &text, known, findings.len());
                findings.push(finding);
            }
        }
        Constraint::Range(min, max) => {
            if let Some(number) = value.as_number()
                && let Some(words) = outside(number, *min, *max)
            {
                let message = format!("property `{name}` is {number}, {words} (C27)");
                findings.push(Diagnostic::error("HOT127", value.span, message));
            }
        }
        Constraint::Length(min, max) => {
            let to_float = |bound: &Option<usize>| bound.map(|bound| bound as f64);
            if let Some(length) = length(value)
                && let Some(words) = outside(length as f64, to_float(min), to_float(max))
            {
                let message = format!("property `{name}` has length {length}, {words} (C26)");
                findings.push(Diagnostic::error("HOT126", value.span, message));
            }
        }
        Constraint::Pattern(pattern) => {
            if let Some(text) = value.as_str()
                && matches(pattern, text) == Some(false)
            {
                let message =
                    format!("{} of property `{name}` does not match `{pattern}`", value.shown());
                findings.push(Diagnostic::error("HOT017", value.span, message));
            }
        }
        Constraint::Is(custom) => {
            // A property that is left empty on purpose names nothing.
            if let Some(text) = value.as_str().filter(|text| !text.is_empty())
                && let Some(wanted) = notation(custom, text)
            {
                let message =
                    format!("{} of property `{name}` is not {wanted} (I03)", value.shown());
                findings.push(Diagnostic::error("HOT403", value.span, message));
            }
        }
    }
}

/// A property that wants a thing of the cloud must not name a resource that is another thing.
fn check_reference(
    property: &PropertyFacts,
    target: &str,
    value: &Value,
    place: &Place<'_>,
    findings: &mut Vec<Diagnostic>,
) {
    let Some(facts) = place.heads.get(target).and_then(|head| head.facts) else { return };
    for constraint in &property.constraints {
        let Constraint::Is(custom) = constraint else { continue };
        if is_wrong(custom, facts) {
            let message = format!(
                "property `{}` of resource `{}` must refer to {}, and `{target}` is {} (C29)",
                property.name,
                place.resource,
                words(custom),
                facts.name
            );
            findings.push(Diagnostic::error("HOT129", value.span, message));
        }
    }
}

/// Which types yield what a custom constraint asks for. Types that are in no row and stand for
/// nothing in the cloud (a random string, a value) may hold any name.
const PROVIDERS: &[(&str, &[&str])] = &[
    ("neutron.network", &["OS::Neutron::Net", "OS::Neutron::ProviderNet"]),
    ("neutron.subnet", &["OS::Neutron::Subnet", "AWS::EC2::Subnet"]),
    ("neutron.port", &["OS::Neutron::Port", "AWS::EC2::NetworkInterface"]),
    ("neutron.router", &["OS::Neutron::Router"]),
    ("neutron.qos_policy", &["OS::Neutron::QoSPolicy"]),
    ("neutron.security_group", &["OS::Neutron::SecurityGroup", "AWS::EC2::SecurityGroup"]),
    ("neutron.subnetpool", &["OS::Neutron::SubnetPool"]),
    ("neutron.address_scope", &["OS::Neutron::AddressScope"]),
    ("neutron.segment", &["OS::Neutron::Segment"]),
    ("neutron.flow_classifier", &["OS::Neutron::FlowClassifier"]),
    ("neutron.port_pair", &["OS::Neutron::PortPair"]),
    ("neutron.port_pair_group", &["OS::Neutron::PortPairGroup"]),
    ("neutron.taas.tap_service", &["OS::Neutron::TaaS::TapService"]),
    ("nova.server", &["OS::Nova::Server", "AWS::EC2::Instance"]),
    ("nova.flavor", &["OS::Nova::Flavor"]),
    ("nova.keypair", &["OS::Nova::KeyPair"]),
    ("cinder.volume", &["OS::Cinder::Volume", "AWS::EC2::Volume"]),
    ("cinder.vtype", &["OS::Cinder::VolumeType", "OS::Cinder::EncryptedVolumeType"]),
    ("cinder.qos_specs", &["OS::Cinder::QoSSpecs"]),
    ("glance.image", &["OS::Glance::Image", "OS::Glance::WebImage"]),
    ("keystone.project", &["OS::Keystone::Project"]),
    ("keystone.domain", &["OS::Keystone::Domain"]),
    ("keystone.role", &["OS::Keystone::Role"]),
    ("keystone.user", &["OS::Keystone::User", "AWS::IAM::User"]),
    ("keystone.group", &["OS::Keystone::Group"]),
    ("keystone.region", &["OS::Keystone::Region"]),
    ("keystone.service", &["OS::Keystone::Service"]),
    ("octavia.pool", &["OS::Octavia::Pool"]),
    ("octavia.listener", &["OS::Octavia::Listener"]),
    ("octavia.loadbalancer", &["OS::Octavia::LoadBalancer"]),
    ("octavia.l7policy", &["OS::Octavia::L7Policy"]),
    ("octavia.flavor", &["OS::Octavia::Flavor"]),
    ("octavia.flavorprofile", &["OS::Octavia::FlavorProfile"]),
    ("octavia.availabilityzone", &["OS::Octavia::AvailabilityZone"]),
    ("octavia.availabilityzoneprofile", &["OS::Octavia::AvailabilityZoneProfile"]),
    ("zaqar.queue", &["OS::Zaqar::Queue"]),
    ("mistral.workflow", &["OS::Mistral::Workflow"]),
    ("designate.zone", &["OS::Designate::Zone"]),
    ("manila.share_network", &["OS::Manila::ShareNetwork"]),
    ("manila.share_type", &["OS::Manila::ShareType"]),
    ("magnum.cluster_template", &["OS::Magnum::ClusterTemplate", "OS::Magnum::BayModel"]),
];

fn is_wrong(custom: &str, target: &TypeFacts) -> bool {
    let Some((_, right)) = PROVIDERS.iter().find(|(name, _)| *name == custom) else {
        return false;
    };
    let stands_for_something =
        target.entity.is_some() || PROVIDERS.iter().any(|(_, types)| types.contains(&target.name));
    let cloud = !target.name.starts_with("OS::Heat::");
    cloud && stands_for_something && !right.contains(&target.name)
}

/// A custom constraint in words.
fn words(custom: &str) -> String {
    let name = custom.rsplit('.').next().unwrap_or(custom).replace('_', " ");
    let article = if name.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
    format!("{article} {name}")
}

/// Types that yield what a constraint asks for.
pub(crate) fn providers(custom: &str) -> &'static [&'static str] {
    PROVIDERS.iter().find(|(name, _)| *name == custom).map_or(&[], |(_, types)| types)
}

/// The facts of a type by its name, or advice about the name.
pub(super) fn find_type(
    name: &str,
    span: Span,
    findings: &mut Vec<Diagnostic>,
) -> Option<&'static TypeFacts> {
    let found = facts::find(name);
    if found.is_none() {
        let message = format!("there is no resource type `{name}`");
        let mut finding = Diagnostic::error("HOT005", span, message);
        finding.help = Some(match spelling::nearest(name, facts::names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "an environment can map it: --env FILE".to_owned(),
        });
        findings.push(finding);
    }
    found
}

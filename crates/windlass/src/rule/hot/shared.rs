//! Checks that several rows of the table share.

use std::collections::BTreeMap;

use super::super::Rule;
use super::look::{
    FLOATING_IP, PORT, SERVER, address, is_elsewhere, is_given, row_finding, subnet_in, truth,
    twins,
};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::value::{Data, Value};
use crate::lang::hot::{Resource, Stack};
use crate::source::Span;

/// Types that run software on a server.
pub(super) const DEPLOYMENTS: &[&str] =
    &["OS::Heat::SoftwareDeployment", "OS::Heat::StructuredDeployment"];

/// Rows S09 and S10: each role is for a domain or for a project.
pub(super) fn role_assignments(
    stack: &Stack,
    types: &[&str],
    rule: &Rule,
    findings: &mut Vec<Diagnostic>,
) {
    for resource in stack.of(types) {
        for role in resource.list("roles") {
            let given = ["domain", "project"].map(|key| role.get(key));
            let wrong = match given {
                [Some(domain), Some(project)] if is_given(domain) && is_given(project) => "both",
                [None, None] if matches!(role.data, Data::Map(_)) => "neither",
                _ => continue,
            };
            let message =
                format!("a role of `{}` names {wrong} of domain and project", resource.name);
            findings.push(row_finding(rule, role.span, message));
        }
    }
}

/// Rows O49 to O53: names are unique in a domain.
pub(super) fn names_in_domain(
    stack: &Stack,
    type_name: &str,
    what: &str,
    rule: &Rule,
    findings: &mut Vec<Diagnostic>,
) {
    let types = [type_name];
    let names = stack.of(&types).filter_map(|resource| {
        let name = resource.get(&["name"])?.identity()?;
        let domain = match resource.get(&["domain"]) {
            None => "default".to_owned(),
            Some(domain) => domain.identity()?,
        };
        Some((format!("{domain} {name}"), resource.name.as_str(), resource.at("name")))
    });
    for twin in twins(names) {
        findings.push(twin.finding(rule, what, "the same name"));
    }
}

/// Rows O18 to O20: two entries of `fixed_ips` for one subnet. `which` picks by whether each entry
/// uses the old name of the property.
pub(super) fn port_subnet_pairs(
    stack: &Stack,
    rule: &Rule,
    which: fn(bool, bool) -> bool,
    findings: &mut Vec<Diagnostic>,
) {
    for port in stack.of(&[PORT]) {
        let entries = port.list("fixed_ips");
        let mut seen: BTreeMap<(String, Option<String>), (bool, Span)> = BTreeMap::new();
        let mut subnets: BTreeMap<String, (bool, Span)> = BTreeMap::new();
        for entry in entries {
            let is_old = entry.get("subnet").is_none() && entry.get("subnet_id").is_some();
            let subnet = subnet_in(entry).and_then(Value::identity);
            let own = entry.get("ip_address").and_then(address).map(|own| own.to_string());
            if own.is_some() {
                // An address belongs to one subnet, whether that is named or not.
                let key = (String::new(), own.clone());
                if let Some((before, span)) = seen.insert(key, (is_old, entry.span))
                    && which(before, is_old)
                {
                    let own = own.unwrap_or_default();
                    let message = format!("port `{}` asks for address {own} twice", port.name);
                    findings.push(row_finding(rule, entry.span, message).label(span, "first here"));
                    continue;
                }
            }
            let Some(subnet) = subnet else { continue };
            if let Some((before, span)) = subnets.insert(subnet, (is_old, entry.span))
                && which(before, is_old)
            {
                let message = format!(
                    "port `{}` has several addresses of one subnet, which Neutron allows",
                    port.name
                );
                let mut finding = row_finding(rule, entry.span, message).label(span, "first here");
                finding.severity = Severity::Note;
                findings.push(finding);
            }
        }
    }
}

/// Rows O24 and O25: a subnet in `fixed_ips` belongs to the network of the port.
pub(super) fn port_subnet_elsewhere(
    stack: &Stack,
    key: &str,
    rule: &Rule,
    findings: &mut Vec<Diagnostic>,
) {
    for port in stack.of(&[PORT]) {
        let Some(network) = port.get(&["network", "network_id"]) else { continue };
        for subnet in port.list("fixed_ips").iter().filter_map(|fixed| fixed.get(key)) {
            if is_elsewhere(stack, subnet, network) {
                let message = format!("port `{}` names a subnet of another network", port.name);
                findings.push(row_finding(rule, subnet.span, message));
            }
        }
    }
}

/// Rows O35, O39 and O40: an entry of a list of a server gives two keys that exclude each other.
pub(super) fn both_in_entry(
    stack: &Stack,
    list: &str,
    [one, other]: [&str; 2],
    rule: &Rule,
    findings: &mut Vec<Diagnostic>,
) {
    for server in stack.of(&[SERVER]) {
        for entry in server.list(list) {
            if let (Some(first), Some(second)) = (entry.get(one), entry.get(other))
                && is_given(first)
                && is_given(second)
            {
                let message = format!(
                    "an entry in `{list}` of server `{}` gives both `{one}` and `{other}`",
                    server.name
                );
                findings.push(row_finding(rule, second.span, message));
            }
        }
    }
}

/// A volume that a server gets.
pub(super) struct VolumeUse<'s> {
    pub(super) volume: String,
    pub(super) server: String,
    pub(super) server_name: &'s str,
    pub(super) by_attachment: bool,
    pub(super) multiattach: bool,
    pub(super) span: Span,
}

/// Every volume that a server gets, by its devices or by an attachment.
pub(super) fn volume_uses(stack: &Stack) -> Vec<VolumeUse<'_>> {
    let multiattach = |volume: &Value| match stack.target(volume) {
        Some(volume) => truth(volume, "multiattach") == Some(true),
        // A volume from outside may be shared.
        None => volume.as_str().is_none(),
    };
    let mut uses = Vec::new();
    for server in stack.of(&[SERVER]) {
        for list in ["block_device_mapping", "block_device_mapping_v2"] {
            for volume in server.list(list).iter().filter_map(|device| device.get("volume_id")) {
                let Some(id) = volume.identity() else { continue };
                uses.push(VolumeUse {
                    volume: id,
                    server: format!("resource {}", server.name),
                    server_name: &server.name,
                    by_attachment: false,
                    multiattach: multiattach(volume),
                    span: volume.span,
                });
            }
        }
    }
    for attachment in stack.of(&["OS::Cinder::VolumeAttachment"]) {
        let volume = attachment.get(&["volume_id"]);
        let server = attachment.get(&["instance_uuid"]);
        let (Some(volume), Some(server)) = (volume, server) else { continue };
        let (Some(id), Some(instance)) = (volume.identity(), server.identity()) else { continue };
        uses.push(VolumeUse {
            volume: id,
            server: instance,
            server_name: server.as_resource().unwrap_or(&attachment.name),
            by_attachment: true,
            multiattach: multiattach(volume),
            span: volume.span,
        });
    }
    uses
}

/// How a floating IP comes to a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Floating {
    /// Named by a server.
    Server,
    /// The floating IP names the port.
    Resource,
    /// By an association.
    Association,
}

/// A floating IP on an address of a port.
#[derive(Clone, Copy)]
struct FloatingUse<'s> {
    kind: Floating,
    resource: &'s Resource,
    span: Span,
}

/// Two floating IPs on one address of a port.
pub(super) struct SameFloatingAddress<'s> {
    first: FloatingUse<'s>,
    second: FloatingUse<'s>,
}

impl SameFloatingAddress<'_> {
    /// How they come to the port, in order.
    pub(super) fn kinds(&self) -> (Floating, Floating) {
        (self.first.kind.min(self.second.kind), self.first.kind.max(self.second.kind))
    }

    /// The finding, at the one that is written later.
    pub(super) fn finding(&self, rule: &Rule) -> Diagnostic {
        let (first, second) = if self.first.span <= self.second.span {
            (&self.first, &self.second)
        } else {
            (&self.second, &self.first)
        };
        let message = format!(
            "`{}` and `{}` give two floating IPs to one address of a port",
            first.resource.name, second.resource.name
        );
        row_finding(rule, second.span, message).label(first.span, "the other one")
    }
}

/// Pairs of different floating IPs on one address of a port.
pub(super) fn floating_twins(stack: &Stack) -> Vec<SameFloatingAddress<'_>> {
    type Bound<'s> = (String, String, FloatingUse<'s>);
    let mut bound: Vec<Bound<'_>> = Vec::new();
    let key = |port: &Value, fixed: Option<&Value>| {
        let fixed = fixed.and_then(Value::identity).unwrap_or_default();
        Some(format!("{} {fixed}", port.identity()?))
    };
    for server in stack.of(&[SERVER]) {
        for entry in server.list("networks") {
            if let (Some(port), Some(floating)) = (entry.get("port"), entry.get("floating_ip"))
                && let (Some(key), Some(id)) = (key(port, None), floating.identity())
            {
                bound.push((
                    key,
                    id,
                    FloatingUse { kind: Floating::Server, resource: server, span: floating.span },
                ));
            }
        }
    }
    for floating in stack.of(&[FLOATING_IP]) {
        if let Some(port) = floating.get(&["port_id"])
            && let Some(key) = key(port, floating.get(&["fixed_ip_address"]))
        {
            let id = format!("resource {}", floating.name);
            bound.push((
                key,
                id,
                FloatingUse { kind: Floating::Resource, resource: floating, span: port.span },
            ));
        }
    }
    for association in stack.of(&["OS::Neutron::FloatingIPAssociation"]) {
        if let (Some(port), Some(floating)) =
            (association.get(&["port_id"]), association.get(&["floatingip_id"]))
            && let Some(key) = key(port, association.get(&["fixed_ip_address"]))
            && let Some(id) = floating.identity()
        {
            bound.push((
                key,
                id,
                FloatingUse { kind: Floating::Association, resource: association, span: port.span },
            ));
        }
    }
    let mut first: BTreeMap<String, (String, FloatingUse<'_>)> = BTreeMap::new();
    let mut twins = Vec::new();
    for (key, id, place) in bound {
        match first.get(&key) {
            Some((other, before)) if *other != id => {
                twins.push(SameFloatingAddress { first: *before, second: place });
            }
            Some(_) => {}
            None => {
                first.insert(key, (id, place));
            }
        }
    }
    twins
}

/// A group that scales, with its sizes.
pub(super) struct ScalingGroup<'s> {
    pub(super) resource: &'s Resource,
    pub(super) min: Option<i128>,
    pub(super) max: Option<i128>,
    /// The size that is wanted, with its place.
    pub(super) desired: Option<(i128, Span)>,
}

/// The groups that scale.
pub(super) fn scaling_groups(stack: &Stack) -> Vec<ScalingGroup<'_>> {
    const GROUPS: &[(&str, [&str; 3])] = &[
        ("OS::Heat::AutoScalingGroup", ["min_size", "max_size", "desired_capacity"]),
        ("AWS::AutoScaling::AutoScalingGroup", ["MinSize", "MaxSize", "DesiredCapacity"]),
    ];
    let mut groups = Vec::new();
    for (type_name, [min, max, desired]) in GROUPS {
        let types = [*type_name];
        for group in stack.of(&types) {
            let number = |name: &str| group.get(&[name]).and_then(Value::as_int);
            let wanted = number(desired).map(|wanted| (wanted, group.at(desired)));
            groups.push(ScalingGroup {
                resource: group,
                min: number(min),
                max: number(max),
                desired: wanted,
            });
        }
    }
    groups
}

//! Properties that do not go together, as the plug-ins of Heat say when a stack is created.
//!
//! The report does not state these; they have one code, `HOT018`.

use std::collections::BTreeSet;

use super::super::{LooksAt, Rule, page};
use super::look::{PORT, PROVIDER_NET, ROUTER, SERVER, is_given, truth};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::base64::is_base64;
use crate::lang::hot::Stack;
use crate::lang::hot::value::Value;
use crate::source::Span;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT018",
    name: "incompatible-properties",
    severity: Severity::Error,
    summary: "properties are given that do not go together",
    doc: page!("HOT018"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

/// Type, a property, and another one that must be given with it.
const NEEDS: &[(&str, &str, &str)] = &[
    ("OS::Neutron::FloatingIP", "fixed_ip_address", "port_id"),
    ("OS::Manila::ShareNetwork", "neutron_network", "neutron_subnet"),
    ("OS::Manila::ShareNetwork", "neutron_subnet", "neutron_network"),
    ("OS::Barbican::Order", "profile", "ca_id"),
    ("OS::Barbican::Secret", "payload_content_type", "payload"),
    ("OS::Barbican::Secret", "payload_content_encoding", "payload_content_type"),
];

/// Type and two properties of which at most one may be given.
const EXCLUDES: &[(&str, &str, &str)] = &[
    (ROUTER, "l3_agent_id", "l3_agent_ids"),
    ("OS::Nova::KeyPair", "save_private_key", "public_key"),
];

/// Types of which at least one property beside the project must be given.
const QUOTAS: &[&str] =
    &["OS::Cinder::Quota", "OS::Neutron::Quota", "OS::Nova::Quota", "OS::Octavia::Quota"];

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    let mut report = |span: Span, message: String| {
        findings.push(RULE.finding(span, message));
    };
    for (type_name, property, needed) in NEEDS {
        for resource in stack.of(&[type_name]) {
            if resource.get(&[property]).is_some_and(is_given) && !resource.has(needed) {
                let name = &resource.name;
                let message = format!("`{property}` of resource `{name}` needs `{needed}` too");
                report(resource.at(property), message);
            }
        }
    }
    for (type_name, one, other) in EXCLUDES {
        for resource in stack.of(&[type_name]) {
            let given = |name: &str| {
                resource
                    .get(&[name])
                    .is_some_and(|value| is_given(value) && value.as_bool() != Some(false))
            };
            if given(one) && given(other) {
                let name = &resource.name;
                report(
                    resource.at(other),
                    format!("resource `{name}` has both `{one}` and `{other}`"),
                );
            }
        }
    }
    for quota in stack.of(QUOTAS) {
        if quota
            .properties
            .entries()
            .iter()
            .all(|entry| entry.key == "project" || entry.value.is_null())
        {
            report(quota.span, format!("quota `{}` limits nothing", quota.name));
        }
    }
    networks(stack, &mut report);
    secrets(stack, &mut report);
    others(stack, &mut report);
}

type Report<'r> = &'r mut dyn FnMut(Span, String);

fn networks(stack: &Stack, report: Report<'_>) {
    for port in stack.of(&[PORT]) {
        if truth(port, "no_fixed_ips") == Some(true) && !port.list("fixed_ips").is_empty() {
            report(
                port.at("fixed_ips"),
                format!("port `{}` has `fixed_ips` and `no_fixed_ips`", port.name),
            );
        }
    }
    for net in stack.of(&[PROVIDER_NET]) {
        let kind = net.get(&["network_type"]).and_then(Value::as_str);
        if let Some(kind @ ("flat" | "local")) = kind
            && net.has("segmentation_id")
        {
            let message = format!("{kind} network `{}` cannot have a `segmentation_id`", net.name);
            report(net.at("segmentation_id"), message);
        }
    }
    for group in stack.of(&["OS::Neutron::SecurityGroup"]) {
        if group.get(&["name"]).and_then(Value::as_str) == Some("default") {
            report(
                group.at("name"),
                format!("security group `{}` cannot be called `default`", group.name),
            );
        }
    }
    for server in stack.of(&[SERVER]) {
        let entries = server.list("networks");
        if entries.iter().any(|entry| entry.get("allocate_network").is_some()) && entries.len() > 1
        {
            let message =
                format!("`allocate_network` of server `{}` must be the only entry", server.name);
            report(server.at("networks"), message);
        }
        let all_ports = entries.iter().all(|entry| entry.get("port").is_some_and(is_given));
        if !server.list("security_groups").is_empty() && !entries.is_empty() && all_ports {
            let message = format!(
                "`security_groups` of server `{}` have no effect on ports, which have their own",
                server.name
            );
            report(server.at("security_groups"), message);
        }
    }
}

fn secrets(stack: &Stack, report: Report<'_>) {
    /// What an order of a kind may have beside its name.
    const CERTIFICATE: &[&str] = &[
        "name",
        "type",
        "ca_id",
        "profile",
        "request_data",
        "request_type",
        "source_container_ref",
        "subject_dn",
    ];
    const KEY: &[&str] =
        &["name", "type", "algorithm", "bit_length", "expiration", "mode", "payload_content_type"];
    for order in stack.of(&["OS::Barbican::Order"]) {
        let Some(kind) = order.get(&["type"]).and_then(Value::as_str) else { continue };
        let allowed = match kind {
            "certificate" => CERTIFICATE,
            "key" => KEY,
            _ => continue,
        };
        for entry in order.properties.entries() {
            if !allowed.contains(&entry.key.as_str()) && is_given(&entry.value) {
                report(entry.key_span, format!("an order of type {kind} has no `{}`", entry.key));
            }
        }
        if kind == "key" && !(order.has("algorithm") && order.has("bit_length")) {
            report(
                order.span,
                format!("order `{}` needs `algorithm` and `bit_length`", order.name),
            );
        }
    }
    for secret in stack.of(&["OS::Barbican::Secret"]) {
        let text = |name: &str| secret.get(&[name]).and_then(Value::as_str);
        let binary = text("payload_content_type") == Some("application/octet-stream");
        if binary && !secret.has("payload_content_encoding") {
            let message =
                format!("secret `{}` is binary and needs `payload_content_encoding`", secret.name);
            report(secret.at("payload_content_type"), message);
        }
        if text("payload_content_encoding") == Some("base64")
            && text("payload").is_some_and(|payload| !is_base64(payload.trim()))
        {
            report(
                secret.at("payload"),
                format!("the payload of secret `{}` is not base64", secret.name),
            );
        }
    }
}

fn others(stack: &Stack, report: Report<'_>) {
    for kind in stack.of(&["OS::Cinder::VolumeType"]) {
        let public = kind.get(&["is_public"]).map_or(Some(true), Value::as_bool);
        if public == Some(true) && !kind.list("projects").is_empty() {
            report(
                kind.at("projects"),
                format!("volume type `{}` is public and names projects", kind.name),
            );
        }
    }
    for component in stack.of(&["OS::Heat::SoftwareComponent"]) {
        let mut seen = BTreeSet::new();
        for config in component.list("configs") {
            let actions = config.get("actions").map_or(&[][..], Value::items);
            for action in actions.iter().filter_map(Value::as_str) {
                if !seen.insert(action) {
                    let message = format!(
                        "component `{}` has two configurations for {action}",
                        component.name
                    );
                    report(config.span, message);
                }
            }
        }
    }
    for workflow in stack.of(&["OS::Mistral::Workflow"]) {
        for task in workflow.list("tasks") {
            if let (Some(concurrency), None) = (task.get("concurrency"), task.get("with_items")) {
                report(
                    concurrency.span,
                    "`concurrency` of a task needs `with_items` too".to_owned(),
                );
            }
        }
    }
    for template in stack.of(&["OS::Magnum::ClusterTemplate"]) {
        let text = |name: &str| template.get(&[name]).and_then(Value::as_str);
        let wanted = match text("coe") {
            Some("mesos") => "rexray",
            Some("kubernetes") => "cinder",
            _ => continue,
        };
        if text("volume_driver").is_some_and(|driver| driver != wanted) {
            let message =
                format!("cluster template `{}` needs the volume driver {wanted}", template.name);
            report(template.at("volume_driver"), message);
        }
    }
    for cluster in stack.of(&["OS::Trove::Cluster"]) {
        let networks =
            cluster.list("instances").iter().filter_map(|instance| instance.get("networks"));
        for entry in networks.flat_map(Value::items) {
            if entry.get("network").is_some() == entry.get("port").is_some() {
                let message = format!(
                    "a network of cluster `{}` must name a network or a port",
                    cluster.name
                );
                report(entry.span, message);
            }
        }
    }
}

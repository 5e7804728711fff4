//! The networks of a container in the request that makes it, and who is known in them under what
//! name.

use serde_json::{Map, Value, json};
use windlass::lang::compose::project::Project;

use super::list;

/// The networks of a service by the name of the engine, those with priority first.
pub(in crate::compose) fn endpoints(
    project: &Project,
    key: &str,
    canon: &Value,
) -> Vec<(String, Value)> {
    let attached = canon.get("networks").and_then(Value::as_object);
    let links = links(project, canon);
    let mut all: Vec<(i64, String, Value)> = Vec::new();
    for (network, attachment) in attached.into_iter().flatten() {
        let Some(known) = project.networks.get(network) else { continue };
        let mut aliases = vec![key.to_owned()];
        aliases
            .extend(list(attachment, "aliases").iter().filter_map(Value::as_str).map(Into::into));
        let mut endpoint = json!({ "Aliases": aliases });
        if !links.is_empty() {
            endpoint["Links"] = links.clone().into();
        }
        let addresses = same(attachment, ADDRESSES);
        if !addresses.is_empty() {
            endpoint["IPAMConfig"] = Value::Object(addresses);
        }
        for (name, value) in same(attachment, PLAIN) {
            endpoint[name] = value;
        }
        if let Some(name) = attachment.get("interface_name") {
            // `driver_opts` may be there already.
            endpoint["DriverOpts"][INTERFACE] = name.clone();
        }
        let priority = attachment.get("priority").and_then(Value::as_i64).unwrap_or(0);
        all.push((-priority, known.resource.name.clone(), endpoint));
    }
    all.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    all.into_iter().map(|(_, name, endpoint)| (name, endpoint)).collect()
}

/// The option that names the network device inside.
const INTERFACE: &str = "com.docker.network.endpoint.ifname";

const ADDRESSES: &[(&str, &str)] = &[
    ("ipv4_address", "IPv4Address"),
    ("ipv6_address", "IPv6Address"),
    ("link_local_ips", "LinkLocalIPs"),
];

const PLAIN: &[(&str, &str)] =
    &[("mac_address", "MacAddress"), ("driver_opts", "DriverOpts"), ("gw_priority", "GwPriority")];

fn same(attachment: &Value, keys: &[(&str, &str)]) -> Map<String, Value> {
    let one = |(ours, theirs): &(&str, &str)| {
        Some(((*theirs).to_owned(), attachment.get(*ours)?.clone()))
    };
    keys.iter().filter_map(one).collect()
}

/// Containers that are known here under further names, as `CONTAINER:NAME`.
pub(super) fn links(project: &Project, canon: &Value) -> Vec<String> {
    let mut all = Vec::new();
    for link in list(canon, "links").iter().filter_map(Value::as_str) {
        let (name, alias) = link.split_once(':').unwrap_or((link, link));
        let Some(service) = project.services.get(name) else { continue };
        let fixed = service.container_name.as_ref().map(|name| name.text.clone());
        for number in 1..=service.replicas {
            let container =
                fixed.clone().unwrap_or_else(|| format!("{}-{name}-{number}", project.name));
            all.push(format!("{container}:{alias}"));
            all.push(format!("{container}:{name}-{number}"));
            all.push(format!("{container}:{container}"));
        }
    }
    for link in list(canon, "external_links").iter().filter_map(Value::as_str) {
        let (name, alias) = link.split_once(':').unwrap_or((link, link));
        all.push(format!("{name}:{alias}"));
    }
    all
}

//! What stands in the way of a project before anything of it is made: names that another project
//! has, external networks and volumes that do not exist, and ports of the host that a container
//! outside of the project holds.

use serde_json::Value;
use windlass::lang::compose::project::Project;

use crate::world::docker::engine::{Engine, EngineError};
use crate::world::docker::requests::{self, Part, Requests};

/// Everything that stands in the way, in words.
pub(crate) fn conflicts(
    engine: &Engine,
    project: &Project,
    requests: &Requests,
) -> Result<Vec<String>, EngineError> {
    let mut all = Vec::new();
    let networks = project.networks.values().map(|network| ("network", &network.resource));
    let volumes = project.volumes.values().map(|volume| ("volume", volume));
    for (kind, resource) in networks.chain(volumes).filter(|(_, resource)| resource.external) {
        if is_missing(engine, &format!("{kind}s"), &resource.name)? {
            all.push(format!("the {kind} `{}` is external, and is not there", resource.name));
        }
    }
    let containers = engine.names()?;
    for part in requests.parts.values() {
        match part {
            Part::Service(service) => {
                for number in 1..=service.replicas {
                    let name = service.container_name(&requests.project, number);
                    let Some(labels) = containers.get(&name) else { continue };
                    let owner = labels[requests::PROJECT].as_str().unwrap_or_default();
                    if owner != requests.project {
                        all.push(taken("container", &name, owner));
                    }
                }
            }
            Part::Network { name, .. } => {
                all.extend(of_another(engine, requests, "network", name)?);
            }
            Part::Volume { name, .. } => all.extend(of_another(engine, requests, "volume", name)?),
            Part::Image { .. } | Part::Nothing => {}
        }
    }
    Ok(all)
}

/// Ports of the host that services publish and that a container outside of the project holds, in
/// words. Whatever else holds a port the engine does not know either.
pub(crate) fn held_ports(engine: &Engine, requests: &Requests) -> Result<Vec<String>, EngineError> {
    let mut wanted = Vec::new();
    for part in requests.parts.values() {
        // A job that has completed is not started again.
        if let Part::Service(service) = part
            && !service.is_job
        {
            wanted.extend(published(&service.body).map(|port| (service.name.as_str(), port)));
        }
    }
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    Ok(port_conflicts(&wanted, &engine.list_running()?, &requests.project))
}

/// A port of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Held<'a> {
    address: &'a str,
    port: u64,
    protocol: &'a str,
}

impl Held<'_> {
    /// Whether two containers cannot have both. No address, or one of zeros, stands for all.
    fn excludes(&self, other: &Held<'_>) -> bool {
        let is_wide = |wide: &str, address: &str| match wide {
            "" => true,
            "0.0.0.0" => !address.contains(':'),
            "::" => address.contains(':'),
            _ => wide == address,
        };
        let meet = is_wide(self.address, other.address) || is_wide(other.address, self.address);
        (self.port, self.protocol) == (other.port, other.protocol) && meet
    }
}

/// The single ports of the host that a container will have; of several the engine chooses one.
fn published(body: &Value) -> impl Iterator<Item = Held<'_>> {
    let bindings = body["HostConfig"]["PortBindings"].as_object();
    bindings.into_iter().flatten().flat_map(|(inside, outside)| {
        let protocol = inside.split_once('/').map_or("tcp", |(_, protocol)| protocol);
        outside.as_array().into_iter().flatten().filter_map(move |one| {
            let port = one["HostPort"].as_str()?.parse().ok().filter(|port| *port > 0)?;
            Some(Held { address: one["HostIp"].as_str().unwrap_or_default(), port, protocol })
        })
    })
}

fn port_conflicts(wanted: &[(&str, Held<'_>)], running: &[Value], project: &str) -> Vec<String> {
    let mut all = Vec::new();
    for container in running {
        let owner = container["Labels"][requests::PROJECT].as_str().unwrap_or_default();
        if owner == project {
            continue;
        }
        let name = container["Names"][0].as_str().unwrap_or_default().trim_start_matches('/');
        let held = container["Ports"].as_array().into_iter().flatten().filter_map(|one| {
            let address = one["IP"].as_str().unwrap_or_default();
            let protocol = one["Type"].as_str().unwrap_or("tcp");
            Some(Held { address, port: one["PublicPort"].as_u64()?, protocol })
        });
        for held in held {
            let mut ours = wanted.iter();
            let Some((service, port)) = ours.find(|(_, port)| port.excludes(&held)) else {
                continue;
            };
            let whose = match owner {
                "" => "of no project".to_owned(),
                owner => format!("of the project `{owner}`"),
            };
            let line = format!(
                "the port {} of the host, which `{service}` publishes, is held by the container \
                 `{name}` {whose}",
                port.port
            );
            // One for each kind of address is once too often.
            if !all.contains(&line) {
                all.push(line);
            }
        }
    }
    all
}

fn is_missing(engine: &Engine, kind: &str, name: &str) -> Result<bool, EngineError> {
    match engine.look(kind, name) {
        Ok(_) => Ok(false),
        Err(refused) if refused.is_missing() => Ok(true),
        Err(refused) => Err(refused),
    }
}

/// A network or volume that another project made under the same name. What has no label was made
/// by hand, for those who want it.
fn of_another(
    engine: &Engine,
    requests: &Requests,
    kind: &str,
    name: &str,
) -> Result<Option<String>, EngineError> {
    let found = match engine.look(&format!("{kind}s"), name) {
        Ok(found) => found,
        Err(refused) if refused.is_missing() => return Ok(None),
        Err(refused) => return Err(refused),
    };
    let owner = found["Labels"][requests::PROJECT].as_str().unwrap_or_default();
    let is_taken = !owner.is_empty() && owner != requests.project;
    Ok(is_taken.then(|| taken(kind, name, owner)))
}

fn taken(kind: &str, name: &str, owner: &str) -> String {
    match owner {
        "" => format!("there is a {kind} `{name}` already, and it is of no project"),
        owner => format!("the {kind} `{name}` is one of the project `{owner}`"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ports_exclude_each_other_where_their_addresses_meet() {
        let held = |address, port, protocol| Held { address, port, protocol };
        let wide = held("0.0.0.0", 80, "tcp");
        for other in ["", "0.0.0.0", "127.0.0.1"] {
            assert!(wide.excludes(&held(other, 80, "tcp")), "{other}");
            assert!(held(other, 80, "tcp").excludes(&wide), "{other}");
        }
        assert!(held("127.0.0.1", 80, "tcp").excludes(&held("127.0.0.1", 80, "tcp")));
        for other in
            [held("::1", 80, "tcp"), held("0.0.0.0", 81, "tcp"), held("0.0.0.0", 80, "udp")]
        {
            assert!(!wide.excludes(&other), "{other:?}");
        }
        assert!(!held("127.0.0.1", 80, "tcp").excludes(&held("127.0.0.2", 80, "tcp")));
    }

    #[test]
    fn a_port_that_another_project_holds_is_reported_once() {
        let body = json!({"HostConfig": {"PortBindings": {
            "80/tcp": [{"HostIp": "", "HostPort": "8080"}],
            "81/tcp": [{"HostIp": "", "HostPort": "9000-9010"}, {"HostPort": ""}],
        }}});
        let wanted: Vec<_> = published(&body).map(|port| ("web", port)).collect();
        assert_eq!(wanted.len(), 1, "a range and a port of the engine's choice never clash");
        let port = |address| json!({"IP": address, "PublicPort": 8080, "Type": "tcp"});
        let other = |project| {
            json!({"Names": ["/x"], "Labels": {requests::PROJECT: project},
                   "Ports": [port("0.0.0.0"), port("::")]})
        };
        let told = port_conflicts(&wanted, &[other("there")], "here");
        let expected = "the port 8080 of the host, which `web` publishes, is held by the \
                        container `x` of the project `there`";
        assert_eq!(told, [expected]);
        assert!(port_conflicts(&wanted, &[other("here")], "here").is_empty());
    }
}

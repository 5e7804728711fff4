//! Instances that are containers: the engine is asked about each.

use windlass::lifecycle::protocol::Element;
use windlass_run::controller::{Error, LastRun, Standing, containers};
use windlass_run::deployment::Deployment;
use windlass_run::world::docker::engine::{Container, Engine};
use windlass_run::world::docker::requests::{Part, Service};

use super::InstanceReport;
/// Every instance, with what the engine says about its container.
pub(super) fn all(
    deployment: &Deployment,
    last: &LastRun,
    standing: &Standing,
) -> Result<Vec<InstanceReport>, Error> {
    let requests = containers::read(deployment)?.unwrap_or_default();
    let engine = containers::engine()?;
    let mut all = Vec::new();
    for (id, instance) in &standing.state.instances {
        let node = &last.application.node(instance.node).name;
        let component = last.application.type_of(instance.node);
        let Some(protocol) = component.protocol() else { continue };
        let service = match requests.parts.get(node) {
            Some(Part::Service(service)) => Some(service),
            _ => None,
        };
        let name = match service {
            Some(service) => service.container_name(&requests.project, service.number(node, &id.0)),
            None => format!("{}-{}", deployment_name(deployment), id.0),
        };
        let gone = is_gone(&engine, requests.parts.get(node));
        let (state, process) = match instance.element {
            Element::State(at) if gone && protocol.state(at).name == "present" => {
                ("absent".to_owned(), None)
            }
            Element::State(at) => {
                let is_held = component.processes.contains_key(&at);
                let state = protocol.state(at).name.clone();
                match service {
                    Some(service) => describe(service, state, is_held, engine.inspect(&name).ok()),
                    None => {
                        let runs = || engine.inspect(&name).is_ok_and(|it| it.is_running());
                        (state, is_held.then(runs))
                    }
                }
            }
            Element::Transition(transition) => {
                let operation = protocol.transition(transition).operation;
                (format!("{}...", component.operations[operation.index()].name), None)
            }
        };
        all.push(InstanceReport {
            instance: id.0.clone(),
            node: node.clone(),
            state,
            process,
            pid: None,
            waits: None,
            unreachable: None,
            is_gone: gone && instance.element != Element::State(protocol.initial),
        });
    }
    Ok(all)
}

/// Whether a network or volume is not there. Its removal is not reported.
fn is_gone(engine: &Engine, part: Option<&Part>) -> bool {
    let (kind, name) = match part {
        Some(Part::Network { name, .. }) => ("networks", name),
        Some(Part::Volume { name, .. }) => ("volumes", name),
        _ => return false,
    };
    engine.look(kind, name).is_err_and(|why| why.is_missing())
}

/// The state of a container of a service, and whether it runs as it should. The journal does not
/// know of an end that is none of its business, nor of a container that came back or went on after
/// a replacement failed.
fn describe(
    service: &Service,
    state: String,
    is_held: bool,
    container: Option<Container>,
) -> (String, Option<bool>) {
    match container {
        Some(it) if it.status == "paused" => ("paused".to_owned(), None),
        Some(it) if it.is_running() && !is_held => {
            let is_healthy = it.health.as_deref() == Some("healthy");
            (if is_healthy { "healthy" } else { "running" }.to_owned(), Some(true))
        }
        Some(it) if it.status == "exited" && is_held && service.may_end => match it.exit_code {
            0 => ("ended".to_owned(), None),
            code if service.is_job || service.may_fail => {
                (format!("failed (exit code {code})"), None)
            }
            _ => (state, Some(false)),
        },
        it => (state, is_held.then(|| it.is_some_and(|it| it.is_running()))),
    }
}

fn deployment_name(deployment: &Deployment) -> String {
    let name = deployment.folder().file_name();
    name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use windlass_run::world::docker::engine::Container;
    use windlass_run::world::docker::requests::Service;

    use super::describe;

    #[expect(clippy::unnecessary_wraps, reason = "as the engine answers")]
    fn container(status: &str, code: i64) -> Option<Container> {
        let state = json!({ "Status": status, "ExitCode": code, "Running": status == "running" });
        Some(Container::of(json!({ "Id": "1", "Name": "/a", "State": state })))
    }

    #[test]
    fn expected_ends_and_containers_that_went_on_are_no_drift() {
        let service = |may_end, is_job| Service { may_end, is_job, ..Service::default() };
        let say = |service: &Service, held, container| {
            describe(service, if held { "running" } else { "absent" }.to_owned(), held, container)
        };
        let (stays, ends, job) = (service(false, false), service(true, false), service(true, true));
        assert_eq!(say(&ends, true, container("exited", 0)), ("ended".to_owned(), None));
        assert_eq!(
            say(&job, true, container("exited", 3)),
            ("failed (exit code 3)".to_owned(), None)
        );
        assert_eq!(say(&ends, true, container("exited", 3)), ("running".to_owned(), Some(false)));
        assert_eq!(say(&stays, true, container("exited", 0)), ("running".to_owned(), Some(false)));
        assert_eq!(say(&stays, true, None), ("running".to_owned(), Some(false)));
        assert_eq!(say(&stays, true, container("running", 0)), ("running".to_owned(), Some(true)));
        assert_eq!(say(&stays, false, container("running", 0)), ("running".to_owned(), Some(true)));
        assert_eq!(say(&stays, true, container("paused", 0)), ("paused".to_owned(), None));
        assert_eq!(say(&stays, false, None), ("absent".to_owned(), None));
    }
}

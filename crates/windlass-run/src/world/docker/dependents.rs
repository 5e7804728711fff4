//! Services that are restarted when one that they need was (`restart: true`): while it is
//! replaced they are stopped, and when it is not they go on with the one of before.

use super::Shared;
use super::error::OrderError;
use super::requests::{self, Part, Service};
use super::service::{ok_if_missing, run_post_start, stop_with_hooks};
use crate::world::Order;

/// A container of a service that follows another.
pub(super) struct Dependent<'s> {
    service: &'s Service,
    name: String,
}

/// Whether a service is restarted when another was.
fn follows(service: &Service, other: &str) -> bool {
    let all = service.body["Labels"][requests::DEPENDS].as_str().unwrap_or_default();
    let mut all = all.split(',').map(|one| one.split(':').collect::<Vec<_>>());
    all.any(|one| one.first() == Some(&other) && one.last() == Some(&"true"))
}

/// What follows a service, and what follows those, each after those that it follows.
fn of<'s>(shared: &'s Shared, service: &Service) -> Vec<&'s Service> {
    let services = shared.requests.parts.values().filter_map(|part| match part {
        Part::Service(service) => Some(&**service),
        _ => None,
    });
    let mut others: Vec<&Service> = services.collect();
    let mut found: Vec<&Service> = Vec::new();
    let mut at = 0;
    let mut next = service.name.as_str();
    loop {
        found.extend(others.extract_if(.., |one| follows(one, next)));
        let Some(known) = found.get(at) else { break };
        (next, at) = (known.name.as_str(), at + 1);
    }
    found.sort_by_key(|one| one.rank);
    found
}

fn containers<'s>(shared: &'s Shared, services: Vec<&'s Service>) -> Vec<Dependent<'s>> {
    let each = |service: &'s Service| {
        let name = |number| service.container_name(&shared.requests.project, number);
        (1..=service.replicas).map(move |number| Dependent { service, name: name(number) })
    };
    services.into_iter().flat_map(each).collect()
}

/// The containers that follow a service and run.
pub(super) fn running<'s>(
    shared: &'s Shared,
    service: &Service,
) -> Result<Vec<Dependent<'s>>, OrderError> {
    let mut found = Vec::new();
    for dependent in containers(shared, of(shared, service)) {
        match shared.engine.inspect(&dependent.name) {
            Ok(container) if container.is_running() => found.push(dependent),
            Err(refused) if !refused.is_missing() => return Err(refused.into()),
            _ => {}
        }
    }
    Ok(found)
}

/// The containers that follow a service and ran before this run.
pub(super) fn before<'s>(shared: &'s Shared, service: &Service) -> Vec<Dependent<'s>> {
    let all = of(shared, service).into_iter().filter(|service| service.restarts);
    containers(shared, all.collect())
}

/// Stops them, the last first. One that has been stopped stays so.
pub(super) fn stop(
    shared: &Shared,
    order: &Order,
    dependents: &[Dependent<'_>],
) -> Result<(), OrderError> {
    let mut all = dependents.iter().rev();
    all.try_for_each(|dependent| stop_with_hooks(shared, order, dependent.service, &dependent.name))
}

/// Starts them, the first first.
pub(super) fn start(
    shared: &Shared,
    order: &Order,
    dependents: &[Dependent<'_>],
) -> Result<(), OrderError> {
    for dependent in dependents {
        ok_if_missing(shared.engine.start(&dependent.name))?;
        match shared.engine.inspect(&dependent.name) {
            Ok(now) => run_post_start(shared, order, dependent.service, &now.id)?,
            Err(refused) if refused.is_missing() => {}
            Err(refused) => return Err(refused.into()),
        }
    }
    Ok(())
}

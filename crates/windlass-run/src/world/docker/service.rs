//! The operations of a Compose project: what each asks of the engine.

use std::io::Read;

use super::engine::{Container, Engine, EngineError};
use super::error::{HookStage, OrderError};
use super::events::Guard;
use super::health::wait_healthy;
use super::replace::is_previous;
use super::requests::{self, Part, Service, Until};
use super::{Shared, archive, create, dependents, hook, pull, replace, resource};
use crate::compose::ProjectEvent;
use crate::world::Order;

/// What is not there any more, or will be gone in a moment, need not be removed or stopped.
pub(super) fn ok_if_gone(asked: Result<(), EngineError>) -> Result<(), EngineError> {
    asked.or_else(|refused| {
        if refused.is_missing() || refused.is_being_removed() { Ok(()) } else { Err(refused) }
    })
}

/// The same, as the outcome of an order.
pub(super) fn ok_if_missing(asked: Result<(), EngineError>) -> Result<(), OrderError> {
    Ok(ok_if_gone(asked)?)
}

/// Carries out an order.
pub(super) fn carry_out(shared: &Shared, order: &Order) -> Result<(), OrderError> {
    let operation = order.operation.as_deref();
    match shared.requests.parts.get(&order.node) {
        None | Some(Part::Nothing) => Ok(()),
        Some(Part::Network { name, body }) => match operation {
            Some("create") => resource::network(shared, name, body),
            Some("remove") => resource::drop_network(shared, name),
            _ => Ok(()),
        },
        Some(Part::Volume { name, body }) => match operation {
            Some("create") => resource::volume(shared, name, body),
            Some("remove") => resource::drop_volume(shared, name),
            _ => Ok(()),
        },
        Some(Part::Image { reference, policy, build, platform }) => match operation {
            Some("pull") => {
                let (build, platform) = (build.as_ref(), platform.as_deref());
                let request = pull::ImageRequest { reference, policy, build, platform };
                shared.forget_images();
                Ok(pull::fetch(&shared.engine, shared.on_event, &request)?)
            }
            // Images stay: others may use them, and to get them again takes long.
            _ => Ok(()),
        },
        Some(Part::Service(service)) => {
            let number = service.number(&order.node, &order.instance);
            let name = service.container_name(&shared.requests.project, number);
            perform(shared, order, service, &name, number)
        }
    }
}

fn perform(
    shared: &Shared,
    order: &Order,
    service: &Service,
    name: &str,
    number: u32,
) -> Result<(), OrderError> {
    match order.operation.as_deref() {
        Some("create") if service.shares() => Ok(()),
        Some("create") => {
            let _pass = shared.semaphore.enter(service.rank);
            create::make(shared, service, name, number)
        }
        Some("start") => start(shared, order, service, name, number),
        Some("await_healthy") => {
            if order.again {
                rerun(shared, order, service, name, number, |_| true)?;
            }
            let id = id_of(shared, name)?;
            wait_healthy(shared, order, &id).map_err(|why| with_last_lines(shared, name, why))
        }
        Some("await_completed") => {
            if order.again {
                rerun(shared, order, service, name, number, |code| code != 0)?;
            }
            wait_completed(shared, order, name)
        }
        Some("stop") => stop_with_hooks(shared, order, service, name),
        Some("remove") => remove(shared, order, service, name, number),
        Some(_) => Ok(()),
        // An instance may go in one step, so that what needs all of its node keeps up.
        None if order.removes => remove(shared, order, service, name, number),
        // No step of the plan: the container follows the state of its instance.
        None => match (&order.stop, &order.spawn) {
            (_, Some(_)) => start(shared, order, service, name, number),
            (Some(_), None) => stop_with_hooks(shared, order, service, name),
            (None, None) => Ok(()),
        },
    }
}

pub(super) fn unguard_container(shared: &Shared, name: &str) -> Result<(), OrderError> {
    match shared.engine.inspect(name) {
        Ok(container) => shared.watch.unguard(&container.id),
        Err(refused) if refused.is_missing() => {}
        Err(refused) => return Err(refused.into()),
    }
    Ok(())
}

pub(super) fn stop(shared: &Shared, name: &str) -> Result<(), OrderError> {
    unguard_container(shared, name)?;
    ok_if_missing(shared.engine.stop(name, None))
}

/// Removes the container of a service. One that still runs, because it lost what it needs and was
/// not restarted, is stopped first as any other.
fn remove(
    shared: &Shared,
    order: &Order,
    service: &Service,
    name: &str,
    number: u32,
) -> Result<(), OrderError> {
    let previous = shared.requests.previous.get(name);
    match shared.engine.inspect(name) {
        // It was never replaced, or goes on in the place of one that did not come up.
        Ok(now) if now.is_running() && previous.is_some_and(|it| is_previous(&now, it)) => {
            return replace::remove_replacement(shared, service, number);
        }
        Ok(container) if container.is_running() => stop_with_hooks(shared, order, service, name)?,
        Ok(container) => shared.watch.unguard(&container.id),
        Err(refused) if refused.is_missing() => {}
        Err(refused) => return Err(refused.into()),
    }
    shared.remember(name, None);
    replace::remove_replacement(shared, service, number)?;
    match previous {
        Some(previous) => {
            replace::restore(shared, name, previous)?;
            // Those that ran with the one of before run with it again.
            dependents::start(shared, order, &dependents::before(shared, service))
        }
        None => ok_if_missing(shared.engine.remove(name, shared.requests.remove_volumes)),
    }
}

/// Stops the container of a service; what has to happen inside before that happens first.
pub(super) fn stop_with_hooks(
    shared: &Shared,
    order: &Order,
    service: &Service,
    name: &str,
) -> Result<(), OrderError> {
    if !service.pre_stop.is_empty() {
        match shared.engine.inspect(name) {
            Ok(now) if now.status == "running" => {
                hook::run(shared, order.id, &now.id, HookStage::PreStop, &service.pre_stop)?;
            }
            Err(refused) if !refused.is_missing() => return Err(refused.into()),
            _ => {}
        }
    }
    stop(shared, name)
}

/// Stops and removes a container of a service outside of a run, with what has to happen inside
/// before that.
pub(crate) fn remove_container(
    engine: &Engine,
    service: &Service,
    container: &Container,
    volumes: bool,
) -> Result<(), OrderError> {
    if container.status == "running" {
        hook::run_all(engine, &container.id, HookStage::PreStop, &service.pre_stop, || false)?;
    }
    ok_if_missing(engine.stop(&container.id, None))?;
    ok_if_missing(engine.remove(&container.id, volumes))
}

fn guard(order: &Order, service: &Service) -> Guard {
    Guard { instance: order.instance.clone(), order: order.id, may_end: service.may_end }
}

fn start(
    shared: &Shared,
    order: &Order,
    service: &Service,
    name: &str,
    number: u32,
) -> Result<(), OrderError> {
    if service.shares() {
        // What it shares is there by now, in the container that stays.
        create::make(shared, service, name, number)?;
    }
    for dependency in &service.optional_dependencies {
        await_optional(shared, order, service, dependency)?;
    }
    if let Some(replacement) = replace::replacement(shared, service, number)? {
        return replace::replace(shared, order, service, name, &replacement);
    }
    if !service.restarts {
        return run(shared, order, service, name, number);
    }
    match shared.engine.inspect(name) {
        Ok(before) if before.is_running() => stop_with_hooks(shared, order, service, name)?,
        Err(refused) if !refused.is_missing() => return Err(refused.into()),
        _ => {}
    }
    run(shared, order, service, name, number)
}

/// The id of the container with a name; one that was made here is not asked for.
fn id_of(shared: &Shared, name: &str) -> Result<String, OrderError> {
    match shared.known_id(name) {
        Some(id) => Ok(id),
        None => Ok(shared.engine.inspect(name)?.id),
    }
}

/// Starts a container; from here on its end is reported. One that was removed is recreated.
fn run(
    shared: &Shared,
    order: &Order,
    service: &Service,
    name: &str,
    number: u32,
) -> Result<(), OrderError> {
    let known = shared.known_id(name).unwrap_or_else(|| name.to_owned());
    match shared.engine.start(&known) {
        Ok(()) => {}
        Err(refused) if refused.is_missing() || refused.is_being_removed() => {
            if refused.is_being_removed() {
                shared.engine.wait_removed(&known)?;
            }
            shared.remember(name, None);
            create::make(shared, service, name, number)?;
            shared.engine.start(name)?;
        }
        Err(refused) => return Err(refused.into()),
    }
    let id = id_of(shared, name)?;
    run_post_start(shared, order, service, &id)?;
    watch_end(shared, order, service, &id)
}

/// Starts a container once more that ended without success, as its exit code says: a job that has
/// failed, or whatever ended before it was healthy. One that runs is left alone.
fn rerun(
    shared: &Shared,
    order: &Order,
    service: &Service,
    name: &str,
    number: u32,
    is_failure: fn(i64) -> bool,
) -> Result<(), OrderError> {
    let now = shared.engine.inspect(name)?;
    match (now.status.as_str(), now.exit_code) {
        ("exited" | "dead", code) if is_failure(code) => run(shared, order, service, name, number),
        _ => Ok(()),
    }
}

/// Runs what has to happen inside a container after its start. One in which that fails is stopped:
/// it has not started, and the next attempt starts again.
pub(super) fn run_post_start(
    shared: &Shared,
    order: &Order,
    service: &Service,
    id: &str,
) -> Result<(), OrderError> {
    let ran = hook::run(shared, order.id, id, HookStage::PostStart, &service.post_start);
    if ran.is_err() {
        ok_if_missing(shared.engine.stop(id, None))?;
    }
    ran
}

/// From here on the end of a container that runs is reported, unless it may end as it likes.
pub(super) fn watch_end(
    shared: &Shared,
    order: &Order,
    service: &Service,
    id: &str,
) -> Result<(), OrderError> {
    if service.is_job || service.may_fail {
        return Ok(());
    }
    shared.watch.guard(id, guard(order, service));
    // It may have ended before anybody looked.
    let now = shared.engine.inspect(id)?;
    if !now.is_running() && now.exit_code != 0 {
        shared.watch.unguard(id);
        return Err(with_last_lines(shared, id, OrderError::ended(&now)));
    }
    Ok(())
}

/// Waits for what is not needed; when it does not come, the operator hears of it.
fn await_optional(
    shared: &Shared,
    order: &Order,
    service: &Service,
    dependency: &requests::OptionalDependency,
) -> Result<(), OrderError> {
    let Some(other) = shared.requests.service(&dependency.node) else { return Ok(()) };
    for number in 1..=other.replicas {
        let name = other.container_name(&shared.requests.project, number);
        let waited = match (dependency.until, shared.engine.inspect(&name)) {
            (Until::Started, _) => Ok(()),
            (_, Err(refused)) => Err(refused.into()),
            (Until::Healthy, Ok(other)) => wait_healthy(shared, order, &other.id),
            (Until::Completed, Ok(other)) if other.status == "created" => {
                Err(OrderError::NotStarted)
            }
            (Until::Completed, Ok(_)) => wait_completed(shared, order, &name),
        };
        match waited {
            Err(why) if shared.is_cancelled(order.id) => return Err(why),
            Err(why) => (shared.on_event)(&ProjectEvent::WithoutOptional {
                dependency: other.name.clone(),
                service: service.name.clone(),
                why: why.to_string(),
            }),
            Ok(()) => {}
        }
    }
    Ok(())
}

fn wait_completed(shared: &Shared, order: &Order, name: &str) -> Result<(), OrderError> {
    let id = id_of(shared, name)?;
    loop {
        let count = shared.watch.count(&id);
        let now: Container = shared.engine.inspect(&id)?;
        match (now.status.as_str(), now.exit_code) {
            ("exited", 0) => return Ok(()),
            ("exited" | "dead", _) => {
                return Err(with_last_lines(shared, name, OrderError::ended(&now)));
            }
            _ => {}
        }
        let stopped = || shared.is_cancelled(order.id);
        shared.watch.wait(&id, count, None, stopped)?;
        if stopped() {
            return Err(OrderError::Cancelled);
        }
    }
}

/// An error, with the last lines that the container wrote.
pub(super) fn with_last_lines(shared: &Shared, name: &str, why: OrderError) -> OrderError {
    let mut bytes = Vec::new();
    let read = shared.engine.logs(name, 0, false);
    if !read.is_ok_and(|mut body| body.read_to_end(&mut bytes).is_ok()) {
        return why;
    }
    why.with_output(&String::from_utf8_lossy(&archive::unframed(&bytes)))
}

/// Whether the container of an instance is as its state says; from here on its end is reported.
pub(super) fn adopt(shared: &Shared, order: &Order) -> bool {
    let Some(Part::Service(service)) = shared.requests.parts.get(&order.node) else { return true };
    let number = service.number(&order.node, &order.instance);
    let name = service.container_name(&shared.requests.project, number);
    let Ok(container) = shared.engine.inspect(&name) else { return false };
    if service.is_job || service.may_fail {
        return true;
    }
    if container.is_running() {
        shared.watch.guard(&container.id, guard(order, service));
        return true;
    }
    service.may_end && container.exit_code == 0
}

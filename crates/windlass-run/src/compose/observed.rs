//! The state of a project on an engine, whether `windlass` or `docker compose` started it.
//!
//! A container that was made from another configuration or another image counts as absent: its
//! operation `create` puts a new one in its place. One that runs although what it needs for as long
//! as it runs is not there counts as created, and is started again.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use windlass::application::{Application, GlobalState, Instance, InstanceId, NodeId};
use windlass::lifecycle::protocol::{Element, Protocol, StateId};

use crate::entry::OrderId;
use crate::world::docker::engine::{Container, Engine, EngineError};
use crate::world::docker::requests::{self, Part, Requests};
use crate::world::docker::{create, health, pull, replace, resource};

/// A container of the project.
#[derive(Debug, Clone)]
pub struct ProjectContainer {
    /// Its name.
    pub name: String,
    /// Its service.
    pub service: String,
    /// Its number.
    pub(crate) number: u32,
    /// All that is known.
    pub container: Container,
}

/// Where a project stands.
#[derive(Debug, Default)]
pub struct Observed {
    /// The state of its application.
    pub(crate) state: GlobalState,
    /// The instances whose containers run.
    pub(crate) processes: BTreeMap<String, OrderId>,
    /// Containers that will be replaced.
    pub(crate) stale: Vec<String>,
    /// Networks that will be recreated.
    pub(crate) networks: Vec<String>,
    /// What is there and stays, networks and volumes included.
    pub(crate) kept: Vec<String>,
    /// Containers of services that there are no more.
    pub(crate) orphans: Vec<String>,
    /// Containers of services of the file that were not asked for.
    pub(crate) others: Vec<String>,
    /// Instances beyond the replicas that the file asks for.
    pub(crate) surplus: Vec<InstanceId>,
}

/// All containers of a project.
pub fn containers(engine: &Engine, project: &str) -> Result<Vec<ProjectContainer>, EngineError> {
    let mut all = Vec::new();
    for id in engine.labelled(&format!("{}={project}", requests::PROJECT))? {
        let container = match engine.inspect(&id) {
            Ok(container) => container,
            Err(refused) if refused.is_missing() => continue,
            Err(refused) => return Err(refused),
        };
        let label = |name: &str| {
            let value = container.labels.get(name).and_then(Value::as_str);
            value.unwrap_or_default().to_owned()
        };
        if label(requests::ONE_OFF) == "True" || replace::is_replacement(&container) {
            continue;
        }
        let (service, number) =
            (label(requests::SERVICE), label(requests::NUMBER).parse().unwrap_or(1));
        let name = format!("{service}-{number}");
        all.push(ProjectContainer { name, service, number, container });
    }
    all.sort_by(|a, b| (&a.service, a.number).cmp(&(&b.service, b.number)));
    Ok(all)
}

/// Looks at an engine. Services of `requests` that have to be started again are marked in it.
pub fn observe(
    engine: &Engine,
    application: &Application,
    requests: &mut Requests,
) -> Result<Observed, EngineError> {
    observe_with(engine, application, requests, None)
}

/// Looks at an engine without comparing configurations: whatever is there is what is there. What is
/// known from before tells who ended because it was stopped, and who had nothing left to do.
pub fn observe_as_is(
    engine: &Engine,
    application: &Application,
    requests: &mut Requests,
    known: &GlobalState,
) -> Result<Observed, EngineError> {
    observe_with(engine, application, requests, Some(known))
}

fn observe_with(
    engine: &Engine,
    application: &Application,
    requests: &mut Requests,
    known: Option<&GlobalState>,
) -> Result<Observed, EngineError> {
    let compare = known.is_none();
    let mut observed = Observed::default();
    let mut changed = BTreeSet::new();
    requests.previous.clear();
    for id in application.node_ids() {
        let node = application.node(id);
        let found = match requests.parts.get(&node.name) {
            Some(Part::Network { name, body }) => match found(engine, "networks", name)? {
                Some(old) if compare && resource::is_changed(&old, body, &requests.project) => {
                    observed.networks.push(name.clone());
                    changed.insert(name.clone());
                    put_first(&mut observed.state, application, id);
                    false
                }
                old => keep(&mut observed, "network", name, old.is_some()),
            },
            Some(Part::Volume { name, .. }) if compare && requests.renew.contains(name) => {
                changed.insert(name.clone());
                put_first(&mut observed.state, application, id);
                false
            }
            Some(Part::Volume { name, .. }) => {
                let is_there = is_there(engine, "volumes", name)?;
                keep(&mut observed, "volume", name, is_there)
            }
            Some(Part::Image { reference, policy, build, .. }) => {
                is_image_usable(engine, reference, policy, build.is_some())?
            }
            // It comes with the containers: no order creates it.
            Some(Part::Nothing) => true,
            _ => false,
        };
        if found && let Some(state) = state_named(application, id, "present") {
            put(&mut observed.state, &node.name, id, state);
        }
    }
    let all = containers(engine, &requests.project)?;
    let mut stale = BTreeSet::new();
    for seen in all.iter().filter(|_| compare) {
        // One too many goes as it is.
        let own = service_of(requests, &seen.service).map(|(_, own)| own);
        let is_wanted = own.is_some_and(|own| seen.number <= own.replicas);
        let is_used = own.is_some_and(|own| uses(own, &changed));
        if is_wanted && (is_used || is_stale(engine, requests, seen)?) {
            stale.insert(seen.name.clone());
        }
    }
    spread(requests, &all, &mut stale);
    for mut seen in all {
        let is_stale = stale.contains(&seen.name);
        if !is_stale && is_healthy(engine, requests, &seen.container) {
            seen.container.health = Some("healthy".to_owned());
        }
        if is_stale {
            let name = seen.container.name.clone();
            requests.previous.insert(name, replace::previous(&seen.container));
        }
        place(application, requests, seen, known, is_stale, &mut observed);
    }
    settle(application, requests, &mut observed);
    hold(application, &mut observed);
    Ok(observed)
}

/// Notes which containers run.
fn hold(application: &Application, observed: &mut Observed) {
    for (id, instance) in &observed.state.instances {
        let Element::State(state) = instance.element else { continue };
        if application.type_of(instance.node).processes.contains_key(&state) {
            observed.processes.insert(id.0.clone(), OrderId(0));
        }
    }
}

/// Who shares something with a container that is replaced is replaced as well.
fn spread(requests: &Requests, all: &[ProjectContainer], stale: &mut BTreeSet<String>) {
    loop {
        let first = |seen: &&ProjectContainer| seen.number == 1 && stale.contains(&seen.name);
        let gone: BTreeSet<&str> =
            all.iter().filter(first).map(|seen| seen.service.as_str()).collect();
        let follows = |seen: &&ProjectContainer| {
            let own = service_of(requests, &seen.service).map(|(_, own)| own);
            let own = own.filter(|own| seen.number <= own.replicas);
            own.is_some_and(|own| own.shares_with().iter().any(|other| gone.contains(other)))
        };
        let more: Vec<String> = all.iter().filter(follows).map(|seen| seen.name.clone()).collect();
        let before = stale.len();
        stale.extend(more);
        if stale.len() == before {
            return;
        }
    }
}

fn found(engine: &Engine, kind: &str, name: &str) -> Result<Option<Value>, EngineError> {
    match engine.look(kind, name) {
        Ok(found) => Ok(Some(found)),
        Err(refused) if refused.is_missing() => Ok(None),
        Err(refused) => Err(refused),
    }
}

fn is_there(engine: &Engine, kind: &str, name: &str) -> Result<bool, EngineError> {
    Ok(found(engine, kind, name)?.is_some())
}

/// Whether an image is there that will do.
fn is_image_usable(
    engine: &Engine,
    image: &str,
    policy: &str,
    is_built: bool,
) -> Result<bool, EngineError> {
    let image = found(engine, "images", image)?;
    Ok(image.is_some_and(|image| pull::is_usable(policy, is_built, &image)))
}

fn keep(observed: &mut Observed, kind: &str, name: &str, is_there: bool) -> bool {
    if is_there {
        observed.kept.push(format!("{kind} {name}"));
    }
    is_there
}

/// The volumes of a project whose definition is not that which they were made from.
pub fn changed_volumes(
    engine: &Engine,
    requests: &Requests,
) -> Result<BTreeSet<String>, EngineError> {
    let mut changed = BTreeSet::new();
    for part in requests.parts.values() {
        let Part::Volume { name, body } = part else { continue };
        let old = found(engine, "volumes", name)?;
        if old.is_some_and(|old| resource::is_changed(&old, body, &requests.project)) {
            changed.insert(name.clone());
        }
    }
    Ok(changed)
}

/// Whether the containers of a service are in one of these networks, or have one of these volumes.
fn uses(service: &requests::Service, changed: &BTreeSet<String>) -> bool {
    let body = &service.body;
    let first = body.pointer("/NetworkingConfig/EndpointsConfig").and_then(Value::as_object);
    let mut networks = first.into_iter().flat_map(|all| all.keys());
    let binds = body["HostConfig"]["Binds"].as_array().into_iter().flatten();
    let mut binds = binds.filter_map(|bind| Some(bind.as_str()?.split_once(':')?.0));
    networks.any(|name| changed.contains(name))
        || service.networks.iter().any(|(name, _)| changed.contains(name))
        || binds.any(|name| changed.contains(name))
}

fn state_named(application: &Application, node: NodeId, name: &str) -> Option<StateId> {
    application.protocol_of(node)?.state_named(name)
}

/// What has to be recreated is where it began.
fn put_first(state: &mut GlobalState, application: &Application, node: NodeId) {
    if let Some(protocol) = application.protocol_of(node) {
        put(state, &application.node(node).name, node, protocol.initial);
    }
}

fn put(state: &mut GlobalState, id: &str, node: NodeId, at: StateId) {
    let instance = Instance { node, element: Element::State(at) };
    state.instances.insert(InstanceId(id.to_owned()), instance);
}

fn service_of<'s>(
    requests: &'s Requests,
    name: &str,
) -> Option<(&'s String, &'s requests::Service)> {
    requests.parts.iter().find_map(|(node, part)| match part {
        Part::Service(service) if service.name == name => Some((node, &**service)),
        _ => None,
    })
}

/// Whether a container was made from another configuration or image, or is in other networks.
fn is_stale(
    engine: &Engine,
    requests: &Requests,
    seen: &ProjectContainer,
) -> Result<bool, EngineError> {
    let Some((_, service)) = service_of(requests, &seen.service) else { return Ok(false) };
    let wanted = match create::resolved(engine, requests, service) {
        Ok(body) => body["Labels"][requests::HASH].clone(),
        // What it shares something with is gone.
        Err(refused) if refused.is_missing() => return Ok(true),
        Err(refused) => return Err(refused),
    };
    if seen.container.labels[requests::HASH] != wanted {
        return Ok(true);
    }
    match engine.look("images", service.body["Image"].as_str().unwrap_or_default()) {
        Ok(image) if image["Id"].as_str() == Some(&seen.container.image) => {
            Ok(!create::is_connected(engine, service, &seen.container)?)
        }
        Ok(_) => Ok(true),
        Err(refused) if refused.is_missing() => Ok(true),
        Err(refused) => Err(refused),
    }
}

/// The state of the instance that a container is.
fn place(
    application: &Application,
    requests: &Requests,
    seen: ProjectContainer,
    known: Option<&GlobalState>,
    is_stale: bool,
    observed: &mut Observed,
) {
    let own = service_of(requests, &seen.service);
    let node = own.and_then(|(node, _)| application.node_named(node));
    let (Some((name, service)), Some(node)) = (own, node) else {
        let is_known = requests.others.contains(&seen.service);
        let list = if is_known { &mut observed.others } else { &mut observed.orphans };
        list.push(seen.container.name);
        return;
    };
    let id = service.instance(name, seen.number);
    let Some(protocol) = application.protocol_of(node) else { return };
    if seen.number > service.replicas {
        observed.surplus.push(InstanceId(id.clone()));
    }
    if is_stale {
        observed.stale.push(seen.name);
        put(&mut observed.state, &id, node, protocol.initial);
        return;
    }
    let mut state = state_of(protocol, &seen.container, service.is_job);
    // `up` starts again what has ended, as Compose does; no other command runs a job twice.
    let known_here = known.filter(|known| !is_stopped(application, known, &id));
    if let Some(known) = known_here
        && service.may_end
        && ended_well(&seen.container)
        && !service.is_job
    {
        state = after_end(application, node, known.instance(&InstanceId(id.clone())), state);
    }
    let is_over = known.is_some() && ended_well(&seen.container) && !service.is_job;
    let word = match seen.container.status.as_str() {
        "paused" => "paused",
        _ if is_over => "ended",
        _ => &protocol.state(state).name,
    };
    observed.kept.push(format!("container {}: {word}", seen.name));
    put(&mut observed.state, &id, node, state);
}

/// Whether a container that the engine has no verdict on yet is healthy: asked as `up` asks when it
/// waits, so that what runs because of that is not taken for something that lost what it needs.
fn is_healthy(engine: &Engine, requests: &Requests, container: &Container) -> bool {
    let is_open = container.is_running() && container.health.as_deref() == Some("starting");
    is_open && !requests.engine_checks && health::passes(engine, container, || false)
}

/// Whether an instance is one that was stopped, or never started.
fn is_stopped(application: &Application, known: &GlobalState, id: &str) -> bool {
    let Some(instance) = known.instances.get(&InstanceId(id.to_owned())) else { return false };
    let created = state_named(application, instance.node, "created");
    created.is_some_and(|created| instance.element == Element::State(created))
}

/// Where an instance counts as being whose container has ended well: where it got to. A
/// service that waited for its health has seen it healthy, and cannot wait for that a second time.
/// One that was never seen healthy and is waited for has to be started again, or the wait never
/// ends.
fn after_end(
    application: &Application,
    node: NodeId,
    known: Option<Instance>,
    otherwise: StateId,
) -> StateId {
    let named = |name: &str| state_named(application, node, name);
    let running = named("running").unwrap_or(otherwise);
    let Some(healthy) = named("healthy") else { return running };
    if known.is_none_or(|known| known.element == Element::State(healthy)) {
        return healthy;
    }
    if is_awaited(application, node, running, healthy) { otherwise } else { running }
}

/// Whether another node needs what a node offers in one state and not yet in the state before.
fn is_awaited(application: &Application, node: NodeId, before: StateId, state: StateId) -> bool {
    let Some(protocol) = application.protocol_of(node) else { return false };
    let (less, more) = (&protocol.state(before).offers, &protocol.state(state).offers);
    let bindings = application.nodes.iter().flat_map(|other| &other.bindings);
    let mut needed = bindings.filter(|it| it.target == node).map(|it| &it.capability);
    needed.any(|capability| more.contains(capability) && !less.contains(capability))
}

fn ended_well(container: &Container) -> bool {
    container.status == "exited" && container.exit_code == 0
}

fn state_of(protocol: &Protocol, container: &Container, is_job: bool) -> StateId {
    let ended_well = ended_well(container);
    let name = match container.health.as_deref() {
        _ if ended_well && is_job => "completed",
        _ if container.status == "exited" && !ended_well => "failed",
        _ if !container.is_running() => "created",
        Some("healthy") => "healthy",
        _ => "running",
    };
    let found = protocol.state_named(name).or_else(|| protocol.state_named("running"));
    found.unwrap_or(protocol.initial)
}

/// Binds what runs to what it needs; what runs without it has to be started again.
fn settle(application: &Application, requests: &mut Requests, observed: &mut Observed) {
    loop {
        let state = &observed.state;
        let mut bound = BTreeSet::new();
        let mut lost = Vec::new();
        for (id, instance) in &state.instances {
            let Element::State(at) = instance.element else { continue };
            let Some(protocol) = application.protocol_of(instance.node) else { continue };
            let node = application.node(instance.node);
            for requirement in &protocol.state(at).requires {
                let binding = node.bindings.iter().find(|it| it.requirement == *requirement);
                let Some(binding) = binding else { continue };
                let offers = |other: &Instance| {
                    let Element::State(at) = other.element else { return false };
                    let protocol = application.protocol_of(other.node);
                    protocol.is_some_and(|it| it.state(at).offers.contains(&binding.capability))
                };
                let others: Vec<_> = state.of_node(binding.target).collect();
                let wanted = application.node(binding.target).count as usize;
                if others.len() < wanted || !others.iter().all(|(_, other)| offers(other)) {
                    lost.push((id.clone(), instance.node));
                }
                let new =
                    others.into_iter().map(|(other, _)| (id.clone(), *requirement, other.clone()));
                bound.extend(new);
            }
        }
        if lost.is_empty() {
            observed.state.horizontal = bound;
            return;
        }
        for (id, node) in lost {
            let Some(created) = state_named(application, node, "created") else { return };
            put(&mut observed.state, &id.0, node, created);
            if let Some(Part::Service(service)) =
                requests.parts.get_mut(&application.node(node).name)
            {
                service.restarts = true;
            }
        }
    }
}

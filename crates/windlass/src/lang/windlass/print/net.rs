//! Nets, and what belongs to their deployment.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::{command, effect, insert_cost, insert_names};
use crate::application::{Application, Deployment, NodeId};
use crate::lang::windlass::units::print_duration;
use crate::lifecycle::net::{DockId, Net, NetTransition, Port};
use crate::lifecycle::timing::{Retry, Timing};
use crate::tree::Value;

/// `net:` of a type.
pub(super) fn net(net: &Net) -> Value {
    let places = Value::list(net.places.iter().map(|place| place.name.as_str())).inline();
    let names = |ids: &mut dyn Iterator<Item = usize>| -> Vec<&str> {
        ids.map(|at| net.places[at].name.as_str()).collect()
    };
    let initial = Value::list(names(&mut net.initial.iter().map(|p| p.index()))).inline();
    let mut transitions = Value::map();
    for transition in &net.transitions {
        let value = self::transition(net, transition);
        let commands = [&transition.action.run, &transition.action.compensate];
        let short = commands.iter().all(|command| command.is_none());
        transitions.insert(&transition.name, if short { value.inline() } else { value });
    }
    let mut value = Value::map()
        .with("places", places)
        .with("initial", initial)
        .with("transitions", transitions);
    if !net.groups.is_empty() {
        let mut groups = Value::map();
        for group in &net.groups {
            let members = names(&mut group.places.iter().map(|p| p.index()));
            groups.insert(&group.name, Value::list(members).inline());
        }
        value.insert("groups", groups);
    }
    if !net.ports.is_empty() {
        let mut ports = Value::map();
        for port in &net.ports {
            ports.insert(&port.name, self::port(net, port).inline());
        }
        value.insert("ports", ports);
    }
    value
}

fn end(net: &Net, dock: DockId) -> Value {
    let dock = &net.docks[dock.index()];
    let place = net.place(dock.place).name.as_str();
    match &dock.name {
        None => place.into(),
        Some(name) => Value::map().with("place", place).with("dock", name.as_str()).inline(),
    }
}

fn port(net: &Net, port: &Port) -> Value {
    let mut value = Value::map().with("kind", port.kind.as_str());
    if let Some(port_type) = &port.port_type {
        value.insert("type", port_type.as_str());
    }
    let transitions = port.transitions.iter().map(|t| net.transition(*t).name.as_str()).collect();
    let groups = port.groups.iter().map(|g| net.groups[g.index()].name.as_str()).collect();
    let places = port.places.iter().map(|p| net.place(*p).name.as_str()).collect();
    insert_names(&mut value, "transitions", transitions);
    insert_names(&mut value, "groups", groups);
    insert_names(&mut value, "places", places);
    value
}

fn transition(net: &Net, transition: &NetTransition) -> Value {
    let action = &transition.action;
    let mut value = Value::map()
        .with("from", end(net, transition.source))
        .with("to", end(net, transition.destination))
        .with_some("run", action.run.as_ref().map(command))
        .with_some("duration", action.duration.as_ref().map(timing));
    insert_cost(&mut value, "cost", action.cost);
    let mut value = value
        .with_some("timeout", action.timeout.map(print_duration))
        .with_some("retry", action.retry.map(retry))
        .with_some("effect", action.effect.as_ref().map(effect))
        .with_some("compensate", action.compensate.as_ref().map(command))
        .with_some("host", action.host.as_deref())
        .with_some("lock", action.lock.as_deref());
    if !action.sets.is_empty() {
        let mut sets = Value::map();
        for (port, text) in &action.sets {
            sets.insert(&net.port(*port).name, text.as_str());
        }
        value.insert("sets", sets.inline());
    }
    value.with_some("behavior", transition.behavior.as_deref())
}

fn timing(timing: &Timing) -> Value {
    let one = |key: &str, value: Duration| Value::map().with(key, print_duration(value)).inline();
    let two = |keys: [&str; 2], values: [Duration; 2]| {
        Value::map()
            .with(keys[0], print_duration(values[0]))
            .with(keys[1], print_duration(values[1]))
            .inline()
    };
    match timing {
        Timing::Fixed(duration) => print_duration(*duration).into(),
        Timing::Range { least, most } => two(["from", "to"], [*least, *most]),
        Timing::Normal { mean, deviation } => two(["mean", "deviation"], [*mean, *deviation]),
        Timing::Exponential { mean } => one("exponential", *mean),
        Timing::Measured(values) => {
            let values = Value::list(values.iter().map(|value| print_duration(*value))).inline();
            Value::map().with("measured", values).inline()
        }
    }
}

pub(super) fn retry(retry: Retry) -> Value {
    let times = i128::from(retry.times);
    if retry.wait.is_zero() && retry.factor == 1 {
        return times.into();
    }
    let mut value = Value::map().with("times", times).with("wait", print_duration(retry.wait));
    if retry.factor != 1 {
        value.insert("factor", i128::from(retry.factor));
    }
    value.inline()
}

/// Names with how much may happen there at once; none when there are none.
pub(super) fn slots(slots: &BTreeMap<String, u32>) -> Option<Value> {
    let mut value = Value::map();
    for (name, number) in slots {
        value.insert(name, i128::from(*number));
    }
    (!slots.is_empty()).then_some(value)
}

/// How much each host carries out at once, and where it is.
pub(super) fn hosts(deployment: &Deployment) -> Option<Value> {
    let names: BTreeSet<&String> =
        deployment.hosts.keys().chain(deployment.addresses.keys()).collect();
    let mut all = Value::map();
    for name in &names {
        let slots = deployment.hosts.get(*name).map(|slots| i128::from(*slots));
        let address = deployment.addresses.get(*name);
        match (slots, address) {
            (Some(slots), None) => all.insert(*name, slots),
            _ => {
                let host = Value::map().with_some("slots", slots);
                all.insert(*name, host.with_some("address", address.map(String::as_str)).inline());
            }
        }
    }
    (!names.is_empty()).then_some(all)
}

/// The part of a node that is about its deployment.
pub(super) fn deployment(application: &Application, id: NodeId, value: &mut Value) {
    if let Some(host) = application.deployment.host.get(&id) {
        value.insert("host", host.as_str());
    }
    if let Some(behaviors) = application.deployment.behaviors.get(&id) {
        insert_names(value, "behaviors", behaviors.iter().map(String::as_str).collect());
    }
    if let Some(whole) = application.deployment.part_of.get(&id) {
        value.insert("part_of", whole.as_str());
    }
}

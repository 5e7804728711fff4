//! The way back of an assembly of nets: its behavior `stop`, or the `compensate` of what was done.

use std::collections::{BTreeMap, BTreeSet};

use windlass::application::assembly::Assembly;
use windlass::application::{Application, NodeId, TypeId};
use windlass::lang;
use windlass::lifecycle::Lifecycle;
use windlass::lifecycle::net::PlaceId;
use windlass::simulate::Scenario;
use windlass::tree::emit;
use windlass_run::entry::{Aim, Entry, Purpose};
use windlass_run::machine::Machine;
use windlass_run::machine::net::NetMachine;

use crate::commands::engine::{Beginning, Past, Towards, drive};
use crate::commands::up::net::refuse_deadlock;
use crate::exit_code;
use crate::failure::Failure;
use crate::output;

/// The behavior that takes a component down.
const STOP: &str = "stop";

/// Takes an assembly down.
pub(super) fn run(towards: &Towards<'_>, past: &Past) -> Result<u8, Failure> {
    if past.is_down() {
        output::stdout("nothing to do\n")?;
        return Ok(exit_code::GOOD);
    }
    let assembly = assembly(&past.application)?;
    let scenario = Scenario::default();
    let now = past.net_now(&assembly, &scenario)?;
    if !is_stoppable(&past.application) {
        return undo(towards, past, &assembly, &now);
    }
    let stopping = stopping(&past.application, &assembly, &now)?;
    let assembly = self::assembly(&stopping)?;
    refuse_deadlock(&assembly)?;
    let begun = begun(past, &stopping, None);
    let machine = NetMachine::new(&assembly, &scenario);
    drive(&towards.way(past, false)?, machine, Beginning::New { begun, plan: None })
}

fn assembly(application: &Application) -> Result<Assembly<'_>, Failure> {
    Assembly::new(application).map_err(|why| Failure::usage(why.to_string()))
}

fn begun(past: &Past, application: &Application, done: Option<String>) -> Entry {
    Entry::Begun {
        purpose: Purpose::Down,
        application: emit::yaml(&lang::windlass::print(application, None)),
        directory: past.directory.clone(),
        world: past.world.clone(),
        start: done,
        processes: BTreeMap::new(),
    }
}

/// Undoes what has been done, last first.
fn undo(
    towards: &Towards<'_>,
    past: &Past,
    assembly: &Assembly<'_>,
    now: &NetMachine<'_>,
) -> Result<u8, Failure> {
    let plan = now.plan(Aim::Back).map_err(|why| {
        Failure::usage(format!("there is no way back: {why}"))
            .help(format!(
                "say it with `compensate`, or give the nets a behavior `{STOP}`; `{}` takes the \
                 changed file over",
                towards.address.up()
            ))
            .ending(exit_code::FINDINGS)
    })?;
    let done = now.done();
    let scenario = Scenario::default();
    let machine = NetMachine::after(assembly, &scenario, &done).map_err(Failure::usage)?;
    let begun = begun(past, &past.application, Some(done));
    drive(&towards.way(past, false)?, machine, Beginning::New { begun, plan })
}

/// Whether every net that executes something has a behavior that takes it down.
fn is_stoppable(application: &Application) -> bool {
    let nets = application.types.iter().filter_map(|component| component.net());
    let mut working = nets.filter(|net| net.transitions.iter().any(|it| it.action.run.is_some()));
    let stops = |net: &windlass::lifecycle::net::Net| {
        net.transitions.iter().any(|transition| transition.behavior() == STOP)
    };
    let mut any = false;
    let all = working.all(|net| {
        any = true;
        stops(net)
    });
    any && all
}

/// The application in which tokens begin where they are now, and every component stops.
fn stopping(
    application: &Application,
    assembly: &Assembly<'_>,
    now: &NetMachine<'_>,
) -> Result<Application, Failure> {
    let marked = now.marked();
    let mut of_type: BTreeMap<TypeId, BTreeSet<PlaceId>> = BTreeMap::new();
    for component in assembly.component_ids() {
        let own = marked.iter().filter(|(id, _)| *id == component).map(|(_, place)| *place);
        let own: BTreeSet<PlaceId> = own.collect();
        let kind = application.node(assembly.component(component).node).component_type;
        if *of_type.entry(kind).or_insert_with(|| own.clone()) != own {
            let name = assembly.component_name(component);
            let message = format!("`{name}` is not where others of its type are");
            return Err(Failure::usage(message).help("`windlass resume` ends the run first"));
        }
    }
    let mut stopping = application.clone();
    for (kind, places) in of_type {
        if let Lifecycle::Net(net) = &mut stopping.types[kind.index()].lifecycle {
            net.initial = places;
        }
    }
    let nodes: Vec<NodeId> = stopping.node_ids().collect();
    for node in nodes {
        let net = stopping.type_of(node).net();
        if net.is_some_and(|net| net.transitions.iter().any(|it| it.behavior() == STOP)) {
            stopping.deployment.behaviors.insert(node, vec![STOP.to_owned()]);
        }
    }
    Ok(stopping)
}

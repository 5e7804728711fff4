//! The way back of an assembly of nets: its behavior `stop`, or the `compensate` of what was done.
//!
//! A way back that failed is gone on with: what has been undone is not undone again. Then, and when
//! there is no way back, the file as it is now counts, if what is left fits it: a command with a
//! mistake can be mended, and one that was missing be added.

use std::collections::{BTreeMap, BTreeSet};

use windlass::application::assembly::Assembly;
use windlass::application::{Application, NodeId, TypeId};
use windlass::lang;
use windlass::lifecycle::Lifecycle;
use windlass::lifecycle::net::{Net, PlaceId};
use windlass::simulate::Scenario;
use windlass::tree::emit;
use windlass_run::entry::{Aim, Entry, Purpose};
use windlass_run::machine::Machine;
use windlass_run::machine::net::{HistoryError, NetHistory, NetMachine};

use crate::commands::engine::{Beginning, Past, Towards, drive};
use crate::commands::up::net::refuse_deadlock;
use crate::failure::Failure;
use crate::load::Loader;
use crate::{exit_code, output};

/// The behavior that takes a component down.
const STOP: &str = "stop";

/// Takes an assembly down.
pub(super) fn run(
    towards: &Towards<'_>,
    past: &Past,
    file: &std::path::Path,
) -> Result<u8, Failure> {
    if past.is_down() {
        output::stdout("nothing to do\n")?;
        return Ok(exit_code::GOOD);
    }
    let assembly = assembly(&past.application)?;
    let scenario = Scenario::default();
    let now = past.net_now(&assembly, &scenario)?;
    if past.purpose == Purpose::Down || !is_stoppable(&past.application) {
        let done = now.history();
        let has_failed = past.purpose == Purpose::Down || now.is_undoing();
        // Whatever is wrong with the file, what is left can be tried as before.
        let mended = || Loader::default().application(file, None).ok().map(|it| it.application);
        let is_needed = has_failed || !fits(&past.application, &done);
        let mended = if is_needed { mended().filter(Application::is_net) } else { None };
        return go_on(towards, past, &done, mended);
    }
    let stopping = stopping(&past.application, &assembly, &now).map_err(|why| {
        let up = towards.address.up();
        Failure::usage(format!("{why}; nothing was done"))
            .help(format!("`{up}` brings it on first"))
            .ending(exit_code::FINDINGS)
    })?;
    let assembly = self::assembly(&stopping)?;
    refuse_deadlock(&assembly)?;
    let begun = begun(past, &stopping, None);
    let machine = NetMachine::new(&assembly, &scenario);
    drive(&towards.way(past, false)?, machine, Beginning::New { begun, plan: None })
}

fn assembly(application: &Application) -> Result<Assembly<'_>, Failure> {
    Assembly::new(application).map_err(|why| Failure::usage(why.to_string()))
}

fn begun(past: &Past, application: &Application, done: Option<&NetHistory>) -> Entry {
    Entry::Begun {
        purpose: Purpose::Down,
        application: emit::yaml(&lang::windlass::print(application, None)),
        directory: past.directory.clone(),
        world: past.world.clone(),
        start: done.map(NetHistory::to_text),
        processes: BTreeMap::new(),
    }
}

/// A machine that goes on with a way back: the rest of the behavior `stop`, or the undoing.
pub(crate) fn machine<'a>(
    assembly: &'a Assembly<'a>,
    scenario: &'a Scenario,
    done: &NetHistory,
) -> Result<NetMachine<'a>, HistoryError> {
    if is_stopping(assembly.application()) {
        NetMachine::continue_net(assembly, scenario, done)
    } else {
        NetMachine::undo_net(assembly, scenario, done)
    }
}

/// Whether a way back from what has been done leads on by a description.
fn fits(application: &Application, done: &NetHistory) -> bool {
    let Ok(assembly) = Assembly::new(application) else { return false };
    let scenario = Scenario::default();
    machine(&assembly, &scenario, done).is_ok_and(|machine| machine.plan(Aim::Back).is_ok())
}

/// Goes on with a way back, or begins to undo what has been done: by the mended description, if
/// that fits, else by the one that was followed.
fn go_on(
    towards: &Towards<'_>,
    past: &Past,
    done: &NetHistory,
    mended: Option<Application>,
) -> Result<u8, Failure> {
    let is_stopping = is_stopping(&past.application);
    let as_before = |file| if is_stopping { stopping_as(&past.application, file) } else { file };
    let mended = mended.map(as_before).filter(|application| fits(application, done));
    let application = mended.unwrap_or_else(|| past.application.clone());
    let (assembly, scenario) = (assembly(&application)?, Scenario::default());
    let machine = machine(&assembly, &scenario, done);
    let machine = machine.map_err(|why| Failure::usage(why.to_string()))?;
    let plan = machine.plan(Aim::Back).map_err(|why| {
        Failure::usage(format!("there is no way back: {why}"))
            .help(format!(
                "say it with `compensate`, or give the nets a behavior `{STOP}`; `{}` takes the \
                 changed file over",
                towards.address.up()
            ))
            .ending(exit_code::FINDINGS)
    })?;
    let begun = begun(past, &application, Some(done));
    // A behavior runs by its rules.
    let plan = plan.filter(|_| !is_stopping);
    drive(&towards.way(past, false)?, machine, Beginning::New { begun, plan })
}

fn stops(net: &Net) -> bool {
    net.transitions.iter().any(|transition| transition.behavior() == STOP)
}

/// Whether every net that executes something has a behavior that takes it down.
fn is_stoppable(application: &Application) -> bool {
    let nets = application.types.iter().filter_map(|component| component.net());
    let mut working = nets.filter(|net| net.transitions.iter().any(|it| it.action.run.is_some()));
    let mut any = false;
    let all = working.all(|net| {
        any = true;
        stops(net)
    });
    any && all
}

/// Whether a run of this application takes it down by the behavior `stop`.
fn is_stopping(application: &Application) -> bool {
    application.deployment.behaviors.values().any(|all| all.iter().any(|it| it == STOP))
}

/// The application in which tokens begin where they are now, and every component stops.
fn stopping(
    application: &Application,
    assembly: &Assembly<'_>,
    now: &NetMachine<'_>,
) -> Result<Application, String> {
    let places = now.occupied_places().map_err(|why| why.to_string())?;
    let mut of_type: BTreeMap<TypeId, BTreeSet<PlaceId>> = BTreeMap::new();
    for component in assembly.component_ids() {
        let own = places.get(&component).cloned().unwrap_or_default();
        let (net, name) = (assembly.net(component).0, assembly.component_name(component));
        if stops(net) && own != net.initial && !is_stopped_from(net, &own) {
            let names: Vec<&str> = own.iter().map(|id| net.place(*id).name.as_str()).collect();
            return Err(format!("nothing stops `{name}` from `{}`", names.join("`, `")));
        }
        let kind = application.node(assembly.component(component).node).component_type;
        if *of_type.entry(kind).or_insert_with(|| own.clone()) != own {
            return Err(format!("`{name}` is not where others of its type are"));
        }
    }
    let mut stopping = application.clone();
    for (kind, places) in of_type {
        if let Lifecycle::Net(net) = &mut stopping.types[kind.index()].lifecycle {
            net.initial = places;
        }
    }
    every_one_stops(&mut stopping);
    Ok(stopping)
}

/// Whether a way down begins in one of these places.
fn is_stopped_from(net: &Net, places: &BTreeSet<PlaceId>) -> bool {
    let mut ways = net.transitions.iter().filter(|it| it.behavior() == STOP);
    ways.any(|it| places.contains(&net.place_of(it.source)))
}

fn every_one_stops(application: &mut Application) {
    let nodes: Vec<NodeId> = application.node_ids().collect();
    for node in nodes {
        if application.type_of(node).net().is_some_and(stops) {
            application.deployment.behaviors.insert(node, vec![STOP.to_owned()]);
        }
    }
}

/// A file as it is now, in which every component stops from where it was when it began to.
fn stopping_as(before: &Application, mut file: Application) -> Application {
    for component in &mut file.types {
        let known = before.types.iter().find(|it| it.name == component.name);
        let Some(known) = known.and_then(|it| it.net()) else { continue };
        let names: BTreeSet<String> =
            known.initial.iter().map(|place| known.place(*place).name.clone()).collect();
        if let Lifecycle::Net(net) = &mut component.lifecycle {
            let places = (0..net.places.len()).map(PlaceId::from);
            net.initial = places.filter(|id| names.contains(&net.place(*id).name)).collect();
        }
    }
    every_one_stops(&mut file);
    file
}

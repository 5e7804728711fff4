//! Taking an assembly of nets down: its behavior `stop`, or the `compensate` of what was done.
//!
//! One that failed half-way is gone on with: what has been undone is not undone again. Then, and
//! when nothing says how to undo, the description as it is now counts, if what is left fits it: a
//! command with a mistake can be corrected, and one that was missing be added.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use windlass::application::assembly::Assembly;
use windlass::application::{Application, NodeId, TypeId};
use windlass::lifecycle::Lifecycle;
use windlass::lifecycle::net::{Net, PlaceId};
use windlass::plan::Plan;
use windlass::simulate::Scenario;

use super::drive::Beginning;
use super::error::Error;
use super::run_start::{NO_INSTANCES, NO_PROCESSES, RunStart};
use super::start_net::refuse_deadlock;
use super::take_down::TakeDown;
use super::{Controller, LastRun, Outcome};
use crate::entry::{Aim, Purpose};
use crate::machine::Machine;
use crate::machine::net::{HistoryError, InBetween, NetHistory, NetMachine};

/// The behavior that takes a component down.
pub const STOP: &str = "stop";

/// Why a net does not stop from where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotStoppable {
    /// A component is in the middle of something.
    InBetween(InBetween),
    /// Nothing stops a component from where it is.
    NoWay {
        /// The component.
        component: String,
        /// Its places.
        places: Vec<String>,
    },
    /// A component is not where others of its type are.
    Apart {
        /// The component.
        component: String,
    },
}

impl fmt::Display for NotStoppable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotStoppable::InBetween(why) => why.fmt(out),
            NotStoppable::NoWay { component, places } => {
                write!(out, "nothing stops `{component}` from `{}`", places.join("`, `"))
            }
            NotStoppable::Apart { component } => {
                write!(out, "`{component}` is not where others of its type are")
            }
        }
    }
}

impl Controller<'_> {
    /// Takes an assembly down.
    pub(super) fn stop_net(
        &self,
        last: &LastRun,
        request: &TakeDown<'_>,
    ) -> Result<Outcome, Error> {
        if last.is_down() {
            return Ok(Outcome::NothingToDo);
        }
        let assembly = Assembly::new(&last.application)?;
        let scenario = Scenario::default();
        let now = last.net_now(&assembly, &scenario)?;
        if last.purpose == Purpose::Down || !is_stoppable(&last.application) {
            let done = now.history();
            let has_failed = last.purpose == Purpose::Down || now.is_undoing();
            let is_needed = has_failed || !fits(&last.application, &done);
            // Whatever is wrong with the description, what is left can be tried as before.
            let corrected = request.corrected.filter(|_| is_needed).and_then(|read| read());
            return self.undo_net(last, &done, corrected.filter(Application::is_net));
        }
        let stopping = stopping(&last.application, &assembly, &now).map_err(Error::NotStoppable)?;
        let assembly = Assembly::new(&stopping)?;
        refuse_deadlock(&assembly)?;
        let machine = NetMachine::new(&assembly, &scenario);
        self.drive_down(last, &stopping, None, machine, None)
    }

    /// Goes on with undoing what has been done, or begins to: by the corrected description, if that
    /// fits, else by the one that was followed.
    fn undo_net(
        &self,
        last: &LastRun,
        done: &NetHistory,
        corrected: Option<Application>,
    ) -> Result<Outcome, Error> {
        let is_stopping = is_stopping(&last.application);
        let as_before = |it| if is_stopping { stopping_as(&last.application, it) } else { it };
        let corrected = corrected.map(as_before).filter(|application| fits(application, done));
        let application = corrected.unwrap_or_else(|| last.application.clone());
        let (assembly, scenario) = (Assembly::new(&application)?, Scenario::default());
        let machine = machine(&assembly, &scenario, done).map_err(Error::History)?;
        let plan = machine.plan(Aim::Back).map_err(Error::NoWayBack)?;
        // A behavior runs by its rules.
        let plan = plan.filter(|_| !is_stopping);
        self.drive_down(last, &application, Some(done), machine, plan)
    }

    fn drive_down(
        &self,
        last: &LastRun,
        application: &Application,
        history: Option<&NetHistory>,
        machine: NetMachine<'_>,
        plan: Option<Plan>,
    ) -> Result<Outcome, Error> {
        let start = RunStart {
            purpose: Purpose::Down,
            application,
            text: None,
            goal: None,
            directory: &last.directory,
            world: last.world,
            state: &NO_INSTANCES,
            history,
            processes: &NO_PROCESSES,
        };
        let finish = self.drive(machine, Beginning::New { start, plan }, false)?;
        Ok(Outcome::Finished(finish))
    }
}

/// A machine that goes on with taking down: the rest of the behavior `stop`, or the undoing.
pub(super) fn machine<'a>(
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

/// Whether what has been done can be undone by a description.
fn fits(application: &Application, done: &NetHistory) -> bool {
    let Ok(assembly) = Assembly::new(application) else { return false };
    let scenario = Scenario::default();
    machine(&assembly, &scenario, done).is_ok_and(|machine| machine.plan(Aim::Back).is_ok())
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
) -> Result<Application, NotStoppable> {
    let places = now.occupied_places().map_err(NotStoppable::InBetween)?;
    let mut of_type: BTreeMap<TypeId, BTreeSet<PlaceId>> = BTreeMap::new();
    for component in assembly.component_ids() {
        let own = places.get(&component).cloned().unwrap_or_default();
        let (net, name) = (assembly.net(component).0, assembly.component_name(component));
        if stops(net) && own != net.initial && !is_stopped_from(net, &own) {
            let places = own.iter().map(|id| net.place(*id).name.clone()).collect();
            return Err(NotStoppable::NoWay { component: name, places });
        }
        let kind = application.node(assembly.component(component).node).component_type;
        if *of_type.entry(kind).or_insert_with(|| own.clone()) != own {
            return Err(NotStoppable::Apart { component: name });
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

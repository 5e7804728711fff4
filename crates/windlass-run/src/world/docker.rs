//! Containers, networks and volumes of a Docker engine, beside the processes of this machine.
//!
//! Two kinds of orders end here. A process with an image is a container: it is made and started
//! when its state is entered, stopped and removed when it is left. And an operation of a Compose
//! project is looked up in the project's [`requests`]. Everything else is done by `Processes`.
//!
//! Containers are found again by their names and labels, so that nothing has to be remembered, and
//! every call may be repeated. A waiting thread sleeps until the engine reports an event.

pub mod archive;
pub mod build;
pub(crate) mod create;
mod dependents;
pub mod dockerignore;
pub mod engine;
pub mod error;
mod events;
pub(super) mod execute;
pub(crate) mod health;
mod hook;
pub mod http;
pub mod pull;
mod removal;
pub(crate) mod replace;
pub mod requests;
pub(crate) mod resource;
mod semaphore;
mod service;

pub(crate) use error::OrderError;
pub(crate) use execute::remove_leftovers;
pub(crate) use service::remove_container;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use serde_json::{Value, json};
use windlass::lifecycle::implementation::{Command, Process};

use super::process::{Interrupter, ProcessSettings, Processes};
use super::{Order, OrderStatus, Report, World, in_thread, without_thread};
use crate::compose::ProjectEvent;
use crate::entry::{End, OrderId};
use crate::secrets::Secrets;
use engine::{Engine, EngineError};
use events::EventWatch;
use requests::Requests;
use semaphore::Semaphore;

/// What an engine of ours made.
#[derive(Debug, Default)]
struct Created {
    /// Volumes: these alone are removed when a run is rolled back.
    volumes: BTreeSet<String>,
    /// Networks in the place of those that were there before: they stay.
    recreated: BTreeSet<String>,
    /// The containers that were in those, by id: they are replaced.
    rejoined: BTreeSet<String>,
}

/// What the threads share.
#[derive(Debug)]
pub(super) struct Shared {
    engine: Engine,
    watch: Arc<EventWatch>,
    requests: Requests,
    /// The name of the deployment, which starts the names of its containers.
    name: String,
    /// Orders that the operator or the clock has stopped.
    cancelled: Mutex<BTreeSet<OrderId>>,
    /// What this engine made.
    made: Mutex<Created>,
    /// What is known about images, by name, so that it is asked once.
    images: Mutex<BTreeMap<String, Value>>,
    /// The ids of the containers that this engine made, by name.
    ids: Mutex<BTreeMap<String, String>>,
    /// Whether containers may stand beside those that they replace.
    has_replacements: AtomicBool,
    semaphore: Semaphore,
    /// Many may join the network of a deployment at once; who removes it is alone.
    network: RwLock<()>,
    /// Hears what happens beside the orders, such as the progress of a pull.
    on_event: fn(&ProjectEvent),
}

/// Containers and processes.
#[derive(Debug)]
pub(crate) struct Docker {
    shared: Arc<Shared>,
    processes: Processes,
}

/// Where a Docker world works.
#[derive(Debug)]
pub(crate) struct DockerSettings {
    /// The engine.
    pub(crate) engine: Engine,
    /// What the operations of a Compose project do; empty for anything else.
    pub(crate) requests: Requests,
    /// Hears what happens beside the orders, from any thread.
    pub(crate) on_event: fn(&ProjectEvent),
}

impl Docker {
    /// A world of containers.
    pub(crate) fn new(
        place: ProcessSettings,
        secrets: Secrets,
        setting: DockerSettings,
    ) -> Result<Self, EngineError> {
        let DockerSettings { engine, requests, on_event } = setting;
        let name = place.name.clone();
        let mut processes = Processes::new(place, secrets).map_err(|error| {
            EngineError::Unreachable(format!("no folder for the deployment: {error}"))
        })?;
        let watch = EventWatch::begin(&engine, processes.reports())?;
        let has_replacements = AtomicBool::new(has_replacements(&engine, &requests)?);
        let shared = Arc::new(Shared {
            engine,
            watch,
            requests,
            name,
            cancelled: Mutex::default(),
            made: Mutex::default(),
            images: Mutex::default(),
            ids: Mutex::default(),
            has_replacements,
            semaphore: Semaphore::new(),
            network: RwLock::default(),
            on_event,
        });
        processes.attach(Arc::clone(&shared));
        Ok(Docker { shared, processes })
    }

    /// For the handler of Ctrl-C.
    pub(crate) fn interrupter(&self) -> Interrupter {
        self.processes.interrupter()
    }

    /// Carries out an order of a Compose project in a thread of its own.
    fn begin(&self, order: Order) {
        let shared = Arc::clone(&self.shared);
        let (id, reports) = (order.id, self.processes.reports());
        let answers = reports.clone();
        let begun = in_thread(move || {
            let end = match service::carry_out(&shared, &order) {
                Ok(()) => End::Done,
                Err(_) if shared.is_cancelled(order.id) => End::Cancelled,
                Err(why) => End::Failed { reason: why.to_string() },
            };
            answers.send(Report::Ended { order: order.id, end });
        });
        if let Err(error) = begun {
            reports.send(without_thread(id, true, &error));
        }
    }
}

/// Whether a run that was cut off left containers beside those that they replace.
fn has_replacements(engine: &Engine, requests: &Requests) -> Result<bool, EngineError> {
    if requests.parts.is_empty() {
        return Ok(false);
    }
    let labels =
        [format!("{}={}", requests::PROJECT, requests.project), requests::REPLACE.to_owned()];
    Ok(!engine.filtered(&json!({ "label": labels }))?.is_empty())
}

impl Shared {
    /// What this engine made.
    fn made(&self) -> MutexGuard<'_, Created> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An image; what is known is not asked again.
    fn image(&self, name: &str) -> Result<Value, EngineError> {
        let known = || self.images.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(image) = known().get(name) {
            return Ok(image.clone());
        }
        let found = self.engine.look("images", name)?;
        known().insert(name.to_owned(), found.clone());
        Ok(found)
    }

    /// What was known about images is forgotten: one was pulled or built.
    fn forget_images(&self) {
        self.images.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Remembers, or forgets, the id of the container with a name.
    fn remember(&self, name: &str, id: Option<&str>) {
        let mut ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        match id {
            Some(id) => ids.insert(name.to_owned(), id.to_owned()),
            None => ids.remove(name),
        };
    }

    /// The id of a container that this engine made under a name, and that has it still.
    fn known_id(&self, name: &str) -> Option<String> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    fn has_replacements(&self) -> bool {
        self.has_replacements.load(Ordering::SeqCst)
    }

    fn is_cancelled(&self, order: OrderId) -> bool {
        self.cancelled.lock().unwrap_or_else(PoisonError::into_inner).contains(&order)
    }
}

fn is_container(process: &Process) -> bool {
    process.image.is_some()
}

/// Whether an order is about containers and has no command.
fn is_pure(order: &Order) -> bool {
    let about = |process: Option<&Process>| process.is_some_and(is_container);
    order.run.is_none()
        && (about(order.spawn.as_ref()) || about(order.stop.as_ref().map(|(_, process)| process)))
}

impl World for Docker {
    fn now(&self) -> Duration {
        self.processes.now()
    }

    fn performs(&self, order: &Order) -> bool {
        !order.is_empty() || self.shared.requests.performs(order)
    }

    fn start(&mut self, order: &Order) {
        if self.shared.requests.knows(&order.node) {
            self.begin(order.clone());
        } else {
            self.processes.start(order);
        }
    }

    fn wait(&mut self, until: Option<Duration>) -> Option<Report> {
        self.processes.wait(until)
    }

    fn poll(&mut self) -> Option<Report> {
        self.processes.poll()
    }

    fn cancel(&mut self, order: OrderId) {
        let cancelled = self.shared.cancelled.lock();
        cancelled.unwrap_or_else(PoisonError::into_inner).insert(order);
        self.shared.watch.wake();
        self.processes.cancel(order);
    }

    fn inquire(&mut self, order: &Order) -> OrderStatus {
        if self.shared.requests.knows(&order.node) || is_pure(order) {
            // Every call to the engine may be repeated: what is there is found by its name.
            return OrderStatus::NotDone;
        }
        self.processes.inquire(order)
    }

    fn is_interrupted(&self) -> bool {
        self.processes.is_interrupted()
    }

    fn adopt(&mut self, order: &Order) -> bool {
        if self.shared.requests.knows(&order.node) {
            return service::adopt(&self.shared, order);
        }
        match &order.spawn {
            Some(process) if is_container(process) => execute::adopt(&self.shared, order),
            _ => self.processes.adopt(order),
        }
    }

    fn check(&mut self, order: &Order, check: &Command) -> Option<bool> {
        self.processes.check(order, check)
    }

    fn cleanup(&mut self, order: OrderId) {
        self.processes.cleanup(order);
    }
}

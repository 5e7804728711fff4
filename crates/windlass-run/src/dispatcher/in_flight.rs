//! What is under way: the orders that have been given and have not ended.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::entry::{OrderId, Task};
use crate::limits::Resource;
use crate::resume::InDoubt;
use crate::world::Order;

/// An order that has been given and has not ended.
#[derive(Debug, Clone)]
pub(crate) struct InFlight {
    pub(crate) order: Order,
    /// What it is part of; none where it puts a process into the state of its instance.
    pub(crate) task: Option<Task>,
    pub(crate) attempt: u32,
    pub(super) resources: Vec<Resource>,
    pub(super) timed_out: bool,
    /// When it is given up.
    pub(super) deadline: Option<Duration>,
}

impl InFlight {
    /// An order that holds nothing yet, and has no deadline.
    pub(crate) fn new(order: Order, task: Option<Task>, attempt: u32) -> Self {
        InFlight { order, task, attempt, resources: Vec::new(), timed_out: false, deadline: None }
    }
}

/// The orders under way, and the numbers of those to come.
#[derive(Debug)]
pub(crate) struct Orders {
    /// An order is large, and moved as others come and go.
    in_flight: BTreeMap<OrderId, Box<InFlight>>,
    /// Orders whose end is not known.
    doubtful: BTreeSet<OrderId>,
    /// Orders that the world was asked about: their reports may be old.
    inquired: BTreeSet<OrderId>,
    next: OrderId,
}

impl Orders {
    pub(super) fn new(next: OrderId) -> Self {
        let (doubtful, inquired) = (BTreeSet::new(), BTreeSet::new());
        Orders { in_flight: BTreeMap::new(), doubtful, inquired, next }
    }

    /// The number of a new order.
    pub(super) fn next_id(&mut self) -> OrderId {
        let id = self.next;
        self.next.0 += 1;
        id
    }

    /// The number is taken: those of new orders are greater.
    pub(crate) fn skip_id(&mut self, id: OrderId) {
        self.next = self.next.max(OrderId(id.0 + 1));
    }

    pub(crate) fn insert(&mut self, in_flight: InFlight) {
        self.in_flight.insert(in_flight.order.id, Box::new(in_flight));
    }

    /// An order has ended.
    pub(crate) fn remove(&mut self, id: OrderId) -> Option<InFlight> {
        self.doubtful.remove(&id);
        self.in_flight.remove(&id).map(|in_flight| *in_flight)
    }

    pub(crate) fn contains(&self, id: OrderId) -> bool {
        self.in_flight.contains_key(&id)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.in_flight.is_empty()
    }

    pub(crate) fn ids(&self) -> Vec<OrderId> {
        self.in_flight.keys().copied().collect()
    }

    pub(crate) fn order(&self, id: OrderId) -> Option<&Order> {
        self.in_flight.get(&id).map(|in_flight| &in_flight.order)
    }

    pub(super) fn task(&self, id: OrderId) -> Option<Task> {
        self.in_flight.get(&id).and_then(|in_flight| in_flight.task)
    }

    /// What an order holds while it is under way, and when it is given up.
    pub(super) fn hold(
        &mut self,
        id: OrderId,
        resources: Vec<Resource>,
        deadline: Option<Duration>,
    ) {
        if let Some(in_flight) = self.in_flight.get_mut(&id) {
            (in_flight.resources, in_flight.deadline) = (resources, deadline);
        }
    }

    /// An order has taken too long; whether it is under way.
    pub(super) fn time_out(&mut self, id: OrderId) -> bool {
        let found = self.in_flight.get_mut(&id);
        found.map(|in_flight| in_flight.timed_out = true).is_some()
    }

    /// Whether an order is about an instance.
    pub(super) fn has_instance(&self, instance: &str) -> bool {
        self.in_flight.values().any(|in_flight| in_flight.order.instance == instance)
    }

    /// The orders whose processes are being stopped.
    pub(crate) fn stopping(&self) -> BTreeSet<OrderId> {
        let stops = self.in_flight.values().filter_map(|in_flight| in_flight.order.stop.as_ref());
        stops.map(|(order, _)| *order).collect()
    }

    pub(super) fn mark_doubtful(&mut self, id: OrderId) {
        self.doubtful.insert(id);
    }

    pub(super) fn has_doubtful(&self) -> bool {
        !self.doubtful.is_empty()
    }

    /// All orders, when there are some and the end of none of them is known.
    pub(super) fn only_doubtful(&self) -> Option<Vec<InDoubt>> {
        if self.doubtful.is_empty() || self.in_flight.len() > self.doubtful.len() {
            return None;
        }
        let orders = self.in_flight.values().map(|in_flight| &in_flight.order);
        Some(orders.map(InDoubt::of).collect())
    }

    /// The world was asked about an order, and knows it.
    pub(crate) fn mark_inquired(&mut self, id: OrderId) {
        self.inquired.insert(id);
    }

    /// Whether the world was asked about an order; from now on it was not.
    pub(super) fn take_inquired(&mut self, id: OrderId) -> bool {
        self.inquired.remove(&id)
    }
}

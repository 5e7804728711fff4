//! Hosts that do not answer: the operator hears of them, and processes there are neither dead nor
//! seen until their host says so.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::connection::NoAnswer;
use crate::entry::OrderId;

/// How long after a notice about a host another order there is a reason to repeat it.
const NOTICE_INTERVAL: Duration = Duration::from_secs(10);

/// What is known about hosts that do not answer.
#[derive(Debug)]
pub(super) struct UnreachableHosts {
    tell: fn(&str),
    /// The hosts that do not answer, and when the operator was notified.
    hosts: Mutex<BTreeMap<String, Instant>>,
    /// The processes of which it is unknown whether they run.
    unseen: Mutex<BTreeSet<OrderId>>,
}

impl UnreachableHosts {
    /// Every host answers as far as anybody knows.
    pub(super) fn new(tell: fn(&str)) -> Self {
        UnreachableHosts { tell, hosts: Mutex::default(), unseen: Mutex::default() }
    }

    /// A host did not answer the first question.
    pub(super) fn first_failure(&self, host: &str, NoAnswer(why): &NoAnswer) {
        self.say(host, why, |notified| notified.elapsed() > NOTICE_INTERVAL);
    }

    /// A host did not answer repeated questions.
    pub(super) fn repeated_failure(&self, host: &str, NoAnswer(why): &NoAnswer) {
        self.say(host, why, |_| false);
    }

    /// A host takes its time.
    pub(super) fn is_slow(&self, host: &str, waited: Duration) {
        let why = format!("the host `{host}` has not answered for {} s", waited.as_secs());
        self.say(host, &why, |_| false);
    }

    fn say(&self, host: &str, why: &str, again: impl Fn(&Instant) -> bool) {
        let Ok(mut hosts) = self.hosts.lock() else { return };
        if hosts.get(host).is_none_or(again) {
            hosts.insert(host.to_owned(), Instant::now());
            (self.tell)(&format!("{why}; it is asked again"));
        }
    }

    /// A host answered.
    pub(super) fn answered(&self, host: &str) {
        if self.hosts.lock().is_ok_and(|mut hosts| hosts.remove(host).is_some()) {
            (self.tell)(&format!("the host `{host}` answers again"));
        }
    }

    /// It is unknown whether the process of an order runs.
    pub(super) fn hides(&self, order: OrderId) {
        if let Ok(mut unseen) = self.unseen.lock() {
            unseen.insert(order);
        }
    }

    /// It is known what became of the process of an order; whether it was not before.
    pub(super) fn shows(&self, order: OrderId) -> bool {
        self.unseen.lock().is_ok_and(|mut unseen| unseen.remove(&order))
    }

    /// The processes of which it is unknown whether they run.
    pub(super) fn unseen(&self) -> BTreeSet<OrderId> {
        self.unseen.lock().map(|unseen| unseen.clone()).unwrap_or_default()
    }
}

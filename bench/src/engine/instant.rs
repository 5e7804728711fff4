//! A world in which every action ends as soon as it begins.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::{Duration, Instant};

use windlass::lifecycle::implementation::Command;
use windlass_run::entry::{End, OrderId};
use windlass_run::world::{Order, OrderStatus, Report, World};

/// Times between a report and the start of what it enabled, in nanoseconds.
pub(super) type Latencies = Rc<RefCell<Vec<u128>>>;

/// Carries out nothing, at once.
#[derive(Debug)]
pub(super) struct InstantWorld {
    begun: Instant,
    reports: VecDeque<Report>,
    /// When the report came that enabled what starts now.
    told: Option<Instant>,
    /// Whether all wait for the first alone; otherwise each for the one before it.
    is_star: bool,
    latencies: Latencies,
}

impl InstantWorld {
    pub(super) fn new(is_star: bool) -> Self {
        InstantWorld {
            begun: Instant::now(),
            reports: VecDeque::new(),
            told: None,
            is_star,
            latencies: Latencies::default(),
        }
    }

    /// What will have been measured.
    pub(super) fn latencies(&self) -> Latencies {
        Rc::clone(&self.latencies)
    }
}

impl World for InstantWorld {
    fn now(&self) -> Duration {
        self.begun.elapsed()
    }

    fn start(&mut self, order: &Order) {
        if let Some(told) = self.told {
            self.latencies.borrow_mut().push(told.elapsed().as_nanos());
        }
        self.reports.push_back(Report::Ended { order: order.id, end: End::Done });
    }

    fn wait(&mut self, _: Option<Duration>) -> Option<Report> {
        if self.told.is_none() || !self.is_star {
            self.told = Some(Instant::now());
        }
        self.reports.pop_front()
    }

    /// Each wait gets one report, so that every outcome is a commit of its own.
    fn poll(&mut self) -> Option<Report> {
        None
    }

    fn cancel(&mut self, _: OrderId) {}

    fn inquire(&mut self, _: &Order) -> OrderStatus {
        OrderStatus::NotDone
    }

    fn adopt(&mut self, _: &Order) -> bool {
        false
    }

    fn check(&mut self, _: &Order, _: &Command) -> Option<bool> {
        Some(true)
    }

    fn cleanup(&mut self, _: OrderId) {}

    /// What does nothing leaves nothing.
    fn ends_with_machine(&self) -> bool {
        true
    }
}

//! How many commands of a crowd run at once. Short ones only keep each other from their ends when
//! more of them run than there are processors. So the start of another one waits for the end of
//! one; but not for long, because the others may be no short ones: after a wait without an end, the
//! process that runs counts no more, and twice as many may run beside them.

use std::num::NonZero;
use std::thread;
use std::time::Duration;

use crate::entry::OrderId;

/// How long the start of a command waits at most until another one has ended.
pub(super) const PATIENCE: Duration = Duration::from_millis(1);

/// The commands that run, as far as it matters here.
#[derive(Debug)]
pub(super) struct Throttle {
    processors: usize,
    /// How many may run, beside the long ones, before another one waits.
    most: usize,
    running: usize,
    /// How many of them are long ones.
    long: usize,
    /// The command that began last.
    newest: OrderId,
    /// The last of those that have turned out to be long ones.
    newest_long: OrderId,
}

impl Default for Throttle {
    fn default() -> Self {
        Throttle::new(thread::available_parallelism().map_or(1, NonZero::get))
    }
}

impl Throttle {
    fn new(processors: usize) -> Self {
        let (newest, newest_long) = (OrderId(0), OrderId(0));
        Throttle { processors, most: processors, running: 0, long: 0, newest, newest_long }
    }

    /// A command runs; each has a higher number than those before it.
    pub(super) fn begun(&mut self, order: OrderId) {
        self.running += 1;
        self.newest = order;
    }

    /// A command has ended.
    pub(super) fn ended(&mut self, order: OrderId) {
        self.running = self.running.saturating_sub(1);
        if order <= self.newest_long {
            self.long = self.long.saturating_sub(1);
        }
        if self.long == 0 {
            self.most = self.processors;
        }
    }

    /// Whether another one had better wait; so many have ended and were not counted yet.
    pub(super) fn is_saturated(&self, over: usize) -> bool {
        self.running.saturating_sub(self.long + over) >= self.most
    }

    /// A command has ended while another one waited.
    pub(super) fn wait_succeeded(&mut self) {
        self.most = self.processors;
    }

    /// None has ended.
    pub(super) fn wait_expired(&mut self) {
        self.long = self.running;
        self.newest_long = self.newest;
        self.most = self.most.saturating_mul(2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Starts commands until one had better wait; how many.
    fn fill(throttle: &mut Throttle, next: &mut u64) -> usize {
        let before = *next;
        while !throttle.is_saturated(0) {
            throttle.begun(OrderId(*next));
            *next += 1;
        }
        usize::try_from(*next - before).unwrap()
    }

    #[test]
    fn short_commands_run_as_many_as_there_are_processors() {
        let mut throttle = Throttle::new(2);
        let mut next = 1;
        assert_eq!(fill(&mut throttle, &mut next), 2);
        assert!(!throttle.is_saturated(1), "one that has ended makes room before it is counted");
        for order in 1..100 {
            throttle.wait_succeeded();
            throttle.ended(OrderId(order));
            assert_eq!(fill(&mut throttle, &mut next), 1);
        }
    }

    #[test]
    fn a_thousand_long_commands_all_run_after_a_few_waits() {
        let mut throttle = Throttle::new(2);
        let (mut next, mut waits) = (1, 0);
        while next <= 1_000 {
            fill(&mut throttle, &mut next);
            throttle.wait_expired();
            waits += 1;
        }
        assert_eq!(waits, 9);
        (1..next).for_each(|order| throttle.ended(OrderId(order)));
        assert_eq!(fill(&mut throttle, &mut next), 2, "what comes next may be short");
    }

    #[test]
    fn long_commands_take_no_room_from_short_ones_and_leave_none() {
        let mut throttle = Throttle::new(2);
        let mut next = 1;
        assert_eq!(fill(&mut throttle, &mut next), 2);
        throttle.wait_expired();
        assert_eq!(fill(&mut throttle, &mut next), 4);
        for order in 3..6 {
            throttle.wait_succeeded();
            throttle.ended(OrderId(order));
        }
        assert_eq!(fill(&mut throttle, &mut next), 1, "two beside the two long ones");
        for order in [1, 2, 6] {
            throttle.ended(OrderId(order));
        }
        assert_eq!(fill(&mut throttle, &mut next), 1, "two altogether");
    }
}

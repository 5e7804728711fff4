//! Who may make a container now: so many at a time, and those first that others wait for.
//!
//! An engine that makes twenty containers at once makes each of them slowly. The first to be
//! started are made first; the others are made while those start and become healthy.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Fewer than this and a machine with many processors waits for nothing.
const LEAST: usize = 4;

#[derive(Debug, Default)]
struct SemaphoreState {
    /// How many are in.
    count: usize,
    /// How many wait, by rank.
    waiting: BTreeMap<u32, usize>,
}

/// The gate.
#[derive(Debug)]
pub(super) struct Semaphore {
    most: usize,
    inside: Mutex<SemaphoreState>,
    changed: Condvar,
}

/// A place that is taken, until this is dropped.
pub(super) struct Permit<'g>(&'g Semaphore);

impl Semaphore {
    /// A gate for as many as the machine has use for.
    pub(super) fn new() -> Self {
        let processors = std::thread::available_parallelism().map_or(LEAST, usize::from);
        Semaphore {
            most: LEAST.max(2 * processors),
            inside: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, SemaphoreState> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a place; lower ranks go first.
    pub(super) fn enter(&self, rank: u32) -> Permit<'_> {
        let mut inside = self.lock();
        *inside.waiting.entry(rank).or_default() += 1;
        while inside.count >= self.most || inside.waiting.keys().next().is_some_and(|it| *it < rank)
        {
            inside = self.changed.wait(inside).unwrap_or_else(PoisonError::into_inner);
        }
        inside.count += 1;
        if let Some(waiting) = inside.waiting.get_mut(&rank) {
            *waiting -= 1;
            if *waiting == 0 {
                inside.waiting.remove(&rank);
            }
        }
        drop(inside);
        // The last of a rank lets the next rank in.
        self.changed.notify_all();
        Permit(self)
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.0.lock().count -= 1;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lower_ranks_go_first() {
        let semaphore = Semaphore { most: 1, inside: Mutex::default(), changed: Condvar::new() };
        let order = Mutex::new(Vec::new());
        let first = semaphore.enter(0);
        std::thread::scope(|scope| {
            for rank in [3, 1, 2] {
                let (semaphore, order) = (&semaphore, &order);
                scope.spawn(move || {
                    let _pass = semaphore.enter(rank);
                    order.lock().unwrap().push(rank);
                });
            }
            while semaphore.lock().waiting.len() < 3 {
                std::thread::yield_now();
            }
            drop(first);
        });
        assert_eq!(*order.lock().unwrap(), [1, 2, 3]);
    }
}

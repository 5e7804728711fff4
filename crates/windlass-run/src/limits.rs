//! How much runs at once: altogether, on a host, under a lock, on an instance.

use std::collections::{BTreeMap, VecDeque};

use crate::entry::Task;

/// Something of which there is a limited number.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Resource {
    /// A host carries out so many actions at once.
    Host(String),
    /// So many actions hold a lock at once.
    Lock(String),
    /// One thing at a time happens to an instance.
    Instance(String),
}

/// What is taken, and which tasks wait for it.
#[derive(Debug, Default)]
pub(crate) struct Limits {
    jobs: Option<usize>,
    capacity: BTreeMap<Resource, u32>,
    running: usize,
    taken: BTreeMap<Resource, u32>,
    waiting: BTreeMap<Resource, VecDeque<Task>>,
}

impl Limits {
    pub(crate) fn new(jobs: Option<usize>, capacity: BTreeMap<Resource, u32>) -> Self {
        Limits { jobs: jobs.map(|jobs| jobs.max(1)), capacity, ..Limits::default() }
    }

    /// Whether nothing more may run.
    pub(crate) fn is_full(&self) -> bool {
        self.jobs.is_some_and(|jobs| self.running >= jobs)
    }

    /// Takes all of `resources`, or lets `task` wait for the first that is not free.
    pub(crate) fn acquire(&mut self, task: Option<Task>, resources: &[Resource]) -> bool {
        let busy = resources.iter().find(|resource| self.is_taken(resource));
        if let (Some(busy), Some(task)) = (busy, task) {
            self.waiting.entry(busy.clone()).or_default().push_back(task);
            return false;
        }
        self.running += 1;
        for resource in resources {
            *self.taken.entry(resource.clone()).or_default() += 1;
        }
        true
    }

    fn is_taken(&self, resource: &Resource) -> bool {
        let capacity = match resource {
            Resource::Instance(_) => 1,
            other => self.capacity.get(other).copied().unwrap_or(u32::MAX),
        };
        self.taken.get(resource).copied().unwrap_or(0) >= capacity
    }

    /// Gives back; those who waited for it may try again.
    pub(crate) fn release(&mut self, resources: &[Resource]) -> Vec<Task> {
        self.running = self.running.saturating_sub(1);
        let mut woken = Vec::new();
        for resource in resources {
            if let Some(taken) = self.taken.get_mut(resource) {
                *taken -= 1;
                if *taken == 0 {
                    self.taken.remove(resource);
                }
            }
            let next = self.waiting.get_mut(resource).and_then(VecDeque::pop_front);
            woken.extend(next);
            if self.waiting.get(resource).is_some_and(VecDeque::is_empty) {
                self.waiting.remove(resource);
            }
        }
        woken
    }

    /// Forgets who waits: another plan is followed.
    pub(crate) fn clear_waiting(&mut self) {
        self.waiting.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_for_a_lock_gets_it_next() {
        let lock = [Resource::Lock("apt".to_owned())];
        let mut limits = Limits::new(Some(2), [(lock[0].clone(), 1)].into());
        assert!(limits.acquire(Some(Task(0)), &lock));
        assert!(!limits.acquire(Some(Task(1)), &lock));
        assert!(limits.acquire(Some(Task(2)), &[]));
        assert!(limits.is_full());
        assert_eq!(limits.release(&lock), [Task(1)]);
        assert!(limits.acquire(Some(Task(1)), &lock));
    }
}

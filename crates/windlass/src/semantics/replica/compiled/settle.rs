//! Paper 004 Def. 4.1 on encoded states: faults settle before the next action.
//!
//! Nearly always one rule applies at a time and a state settles in place. Only where a policy or
//! a handler has a choice, the states are kept and compared, as `observable.rs` does always.
//!
//! Nothing applies by itself in the state before an action, unless that is the start, which is
//! taken as given. So only what differs from it is looked at, and what depends on that: see
//! `touch.rs`.

use std::collections::BTreeSet;

use super::CompiledReplica;
use super::rules::NewRows;
use super::tables::ABSENT;
use super::touch::{self, Slots};
use crate::application::Policy;
use crate::lifecycle::protocol::Sort;
use crate::system::Outgoing;

/// How far a state came by itself.
enum Progress {
    Settled,
    /// A fault is left that no handler takes.
    Blocked,
    /// There are several ways to go on.
    Branches,
}

/// A fault: the slot, its element, and the place of the requirement among those of the element.
#[derive(Clone, Copy)]
struct Fault {
    slot: usize,
    element: usize,
    /// The place of the requirement among those of the element.
    place: usize,
}

impl CompiledReplica<'_> {
    /// Settles the rows from `begin` on, which an action led to from `before`, each maybe into
    /// several; false if one is blocked, or if none ever settles.
    pub(super) fn settle_all(
        &self,
        before: &[u64],
        number: u32,
        begin: usize,
        out: &mut Outgoing,
    ) -> bool {
        let mut scratch = Outgoing::new(out.width());
        let mut endless = Vec::new();
        for at in begin..out.len() {
            match self.progress(before, out.row_mut(at), &mut scratch) {
                Progress::Settled => {}
                Progress::Blocked => return false,
                Progress::Branches => {
                    let settled = self.settle_branches(before, &mut scratch);
                    let Some(settled) = settled else { return false };
                    let mut settled = settled.iter();
                    match settled.next() {
                        Some(row) => out.row_mut(at).copy_from_slice(row),
                        None => endless.push(at),
                    }
                    settled.for_each(|row| {
                        out.push(number, row);
                    });
                }
            }
        }
        for at in endless.into_iter().rev() {
            out.swap_remove(at);
        }
        if out.len() - begin > 1 {
            out.retain_distinct(begin);
        }
        debug_assert!(
            (begin..out.len()).all(|at| self.is_settled(out.row(at))),
            "a fault was overlooked"
        );
        out.len() > begin
    }

    /// Whether an instance is left over from a container that is gone. Only the start can have
    /// one: elsewhere such instances have been destroyed.
    pub(super) fn has_broken(&self, row: &[u64]) -> bool {
        self.start.is_broken && row == self.start.row
    }

    /// The first slot of all whose container is gone.
    pub(super) fn broken(&self, row: &[u64]) -> Option<usize> {
        (0..self.layout.slots.len()).find(|slot| touch::is_broken(&self.layout, row, *slot))
    }

    /// Whether nothing applies by itself in `row`.
    pub(super) fn is_settled(&self, row: &[u64]) -> bool {
        let (resolvable, faults) = self.scan(row, &Slots::all(self.layout.slots.len()));
        self.broken(row).is_none() && resolvable.is_empty() && faults.is_empty()
    }

    /// The slots of `row` that may have a fault, and one whose container is gone.
    #[inline]
    fn touched(&self, before: &[u64], row: &[u64]) -> (Slots, Option<usize>) {
        let count = self.layout.slots.len();
        if !self.start.is_settled && before == self.start.row {
            return (Slots::all(count), self.broken(row));
        }
        let mut touched = Slots::none(count);
        let (layout, tables) = (&self.layout, &self.tables);
        let broken = self.touch.between(layout, tables, before, row, &mut touched);
        (touched, broken)
    }

    /// Applies rules in place as long as exactly one leads on; appends to `branches` otherwise.
    fn progress(&self, before: &[u64], row: &mut [u64], branches: &mut Outgoing) -> Progress {
        // Handlers may lead in a cycle: a long way is handed to the search that notices.
        for _ in 0..64 + 4 * self.layout.slots.len() {
            let (touched, broken) = self.touched(before, row);
            if let Some(slot) = broken {
                self.remove(row, slot);
                continue;
            }
            let (resolvable, faults) = self.scan(row, &touched);
            if resolvable.is_empty() && faults.is_empty() {
                return Progress::Settled;
            }
            branches.clear();
            if resolvable.is_empty() {
                self.handle(row, &faults, branches);
            }
            for fault in resolvable {
                self.resolve(row, fault, branches);
            }
            branches.retain_distinct(0);
            match branches.len() {
                0 => return Progress::Blocked,
                1 => row.copy_from_slice(branches.row(0)),
                _ => return Progress::Branches,
            }
        }
        branches.clear();
        branches.push(0, row);
        Progress::Branches
    }

    /// Among some slots: the faults to be resolved now, which is the first, or with the policy
    /// `least-loaded` each; and if there is none, the faults of instances that rest in a state and
    /// are to be handled now.
    fn scan(&self, row: &[u64], slots: &Slots) -> (Vec<Fault>, Vec<Fault>) {
        let in_order = self.replica.settles_in_order();
        let mut resolvable: Vec<Fault> = Vec::new();
        let mut faults: Vec<Fault> = Vec::new();
        let mut lowest = usize::MAX;
        for slot in slots.iter() {
            let element = self.element(row, slot);
            if element == ABSENT {
                continue;
            }
            let node = self.tables.node[element];
            for (place, requirement) in self.tables.requires[element].iter().enumerate() {
                if self.is_satisfied(row, slot, element, *requirement) {
                    continue;
                }
                let sort = self.tables.needs[node.index()][*requirement].sort;
                if sort == Sort::ReplicaUnaware && self.is_satisfiable(row, node, *requirement) {
                    resolvable.push(Fault { slot, element, place });
                    if self.replica.policy != Policy::LeastLoaded {
                        return (resolvable, faults);
                    }
                    continue;
                }
                if self.tables.transition_operation[element].is_some() {
                    continue;
                }
                let rank = self.replica.rank(node);
                if in_order {
                    let is_later = match faults.first() {
                        None => false,
                        Some(first) => rank > lowest || (rank == lowest && slot != first.slot),
                    };
                    if is_later {
                        continue;
                    }
                    if rank < lowest {
                        faults.clear();
                        lowest = rank;
                    }
                }
                faults.push(Fault { slot, element, place });
            }
        }
        (resolvable, faults)
    }

    fn resolve(&self, row: &[u64], fault: Fault, out: &mut Outgoing) {
        let Fault { slot, element, place } = fault;
        let node = self.tables.node[element];
        let requirement = self.tables.requires[element][place];
        let of = &self.layout.slots[slot];
        let Some(option) = of.option_of(node) else { return };
        let begin = out.len();
        let after = out.push(0, row);
        of.options[option].bindings[requirement].field.clear(after);
        self.bind(row, NewRows { begin, number: 0 }, slot, option, &[requirement], out);
    }

    fn handle(&self, row: &[u64], faults: &[Fault], out: &mut Outgoing) {
        for &Fault { slot, element, place } in faults {
            for target in &self.tables.handlers[element][place] {
                let begin = out.len();
                out.push(0, row);
                self.enter(row, NewRows { begin, number: 0 }, slot, element, *target, out);
            }
        }
    }

    /// Follows every branch to the states that settle; none if one is blocked. Branches that lead
    /// back to what was seen settle nothing.
    fn settle_branches(&self, before: &[u64], branches: &mut Outgoing) -> Option<Vec<Vec<u64>>> {
        let mut known: BTreeSet<Vec<u64>> = BTreeSet::new();
        let mut open: Vec<Vec<u64>> = branches.rows().map(<[u64]>::to_vec).collect();
        let mut settled = Vec::new();
        while let Some(mut row) = open.pop() {
            if !known.insert(row.clone()) {
                continue;
            }
            match self.progress(before, &mut row, branches) {
                Progress::Settled => settled.push(row),
                Progress::Blocked => return None,
                Progress::Branches => open.extend(branches.rows().map(<[u64]>::to_vec)),
            }
        }
        Some(settled)
    }
}

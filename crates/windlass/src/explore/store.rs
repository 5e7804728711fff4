//! The distinct states of a search: one arena, one exact table of indices, one parent each.
//!
//! Per state: its row, four bytes for the parent, and between 5.7 and 11.5 bytes of table (an
//! index and a control byte per slot, filled between 7/16 and 7/8). The table is cut into parts
//! that grow one after the other, so that growing never holds two whole tables at once.
//! Invariant: two indices never stand for the same state, and no state is taken for another one:
//! the table compares rows, hashes only lead to them.

use std::borrow::Borrow;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::form::{BatchOf, Form, Row};
use super::rows::{Arena, Batch, Segments};

/// Parts of the table; a power of two.
const PARTS: usize = 64;
/// The parent of the first state.
const NO_PARENT: u32 = u32::MAX;
/// The most states that indices of 32 bits can name.
pub(super) const MOST_STATES: usize = u32::MAX as usize;

/// The distinct states of a search, numbered in the order in which they were found.
pub(super) struct Store<F: Form> {
    arena: F::Arena,
    parents: Segments<u32>,
    table: Vec<HashTable<u32>>,
    len: usize,
}

impl<F: Form> Store<F> {
    pub(super) fn new(form: &F) -> Self {
        let table = (0..PARTS).map(|_| HashTable::new()).collect();
        Self { arena: form.arena(), parents: Segments::new(1), table, len: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(super) fn row(&self, index: u32) -> &Row<F> {
        self.arena.row(index as usize)
    }

    /// The state from which `index` was first reached.
    pub(super) fn parent(&self, index: u32) -> Option<u32> {
        Some(*self.parents.item(index as usize)).filter(|parent| *parent != NO_PARENT)
    }

    /// The index of `row`, if it was found before.
    #[inline]
    pub(super) fn find(&self, hash: u64, row: &Row<F>) -> Option<u32> {
        let same = |index: &u32| BatchOf::<F>::same(self.arena.row(*index as usize), row);
        self.table[part_of(hash)].find(hash, same).copied()
    }

    /// The index of `row`, which is added when it is new.
    #[inline]
    pub(super) fn insert(
        &mut self,
        hash: u64,
        row: <BatchOf<F> as Batch>::Taken<'_>,
        parent: Option<u32>,
    ) -> u32 {
        let arena = &self.arena;
        let entry = self.table[part_of(hash)].entry(
            hash,
            |index| BatchOf::<F>::same(arena.row(*index as usize), row.borrow()),
            |index| BatchOf::<F>::hash(arena.row(*index as usize)),
        );
        match entry {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(free) => {
                let index = self.len as u32;
                free.insert(index);
                self.arena.push(row);
                self.parents.push_item(parent.unwrap_or(NO_PARENT));
                self.len += 1;
                index
            }
        }
    }

    /// Bytes of rows, parents and table.
    pub(super) fn bytes(&self) -> usize {
        let table: usize = self.table.iter().map(HashTable::allocation_size).sum();
        self.arena.bytes() + self.parents.bytes() + table
    }

    /// The indices from the first state to `index`, along the parents.
    pub(super) fn path_to(&self, index: u32) -> Vec<u32> {
        let mut path = vec![index];
        let mut at = index;
        while let Some(parent) = self.parent(at) {
            path.push(parent);
            at = parent;
        }
        path.reverse();
        path
    }
}

/// The part of the table for `hash`. A part uses the low and the highest bits of the hash itself,
/// so the part is chosen by a product that depends on all of them.
#[inline]
fn part_of(hash: u64) -> usize {
    (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - PARTS.ilog2())) as usize
}

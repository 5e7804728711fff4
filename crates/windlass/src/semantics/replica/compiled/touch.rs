//! What the change from one state to another can touch.
//!
//! Whether a requirement is satisfied depends on the bits of its own slot and on what the slots
//! offer that it may point at, on nothing else. So when nothing applies by itself in a state, only
//! slots that differ from it, and those that depend on one which offers something else than
//! before, can have a fault. What differs is read off the two bit strings, never said by the rule
//! that changed them: no rule can forget to say it.

use super::layout::Layout;
use super::tables::{ABSENT, Tables};
use crate::lifecycle::protocol::Sort;

/// A set of slots.
#[derive(Debug, Clone)]
pub(super) struct Slots {
    /// The first 256 slots, so that most applications need no allocation.
    few: [u64; 4],
    rest: Vec<u64>,
}

impl Slots {
    /// No slot, of so many.
    #[inline]
    pub(super) fn none(count: usize) -> Self {
        Self { few: [0; 4], rest: vec![0; count.div_ceil(64).saturating_sub(4)] }
    }

    /// All of so many slots.
    pub(super) fn all(count: usize) -> Self {
        let mut slots = Self::none(count);
        (0..count).for_each(|slot| slots.insert(slot));
        slots
    }

    #[inline]
    pub(super) fn insert(&mut self, slot: usize) {
        let word = slot / 64;
        let word = if word < 4 { &mut self.few[word] } else { &mut self.rest[word - 4] };
        *word |= 1 << (slot % 64);
    }

    #[inline]
    fn extend(&mut self, others: &Slots) {
        let rest = self.rest.iter_mut().zip(&others.rest);
        self.few.iter_mut().zip(&others.few).chain(rest).for_each(|(word, other)| *word |= other);
    }

    /// Each slot, in order.
    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> {
        let words = self.few.iter().chain(&self.rest).enumerate();
        words.filter(|(_, word)| **word != 0).flat_map(|(at, word)| {
            let mut bits = *word;
            std::iter::from_fn(move || {
                let slot = (bits != 0).then(|| at * 64 + bits.trailing_zeros() as usize);
                bits &= bits.wrapping_sub(1);
                slot
            })
        })
    }
}

/// Which slots depend on which.
#[derive(Debug, Clone)]
pub(super) struct Touch {
    /// By bit of an encoded state: the slot that it belongs to, and all bits of that slot in the
    /// same word.
    owners: Vec<(usize, u64)>,
    /// By slot: those that may rely on it.
    dependents: Vec<Slots>,
    /// By slot: those that it may contain.
    contents: Vec<Vec<usize>>,
}

impl Touch {
    pub(super) fn new(layout: &Layout, tables: &Tables) -> Self {
        let count = layout.slots.len();
        let mut touch = Touch {
            owners: layout.owners(),
            dependents: vec![Slots::none(count); count],
            contents: vec![Vec::new(); count],
        };
        for (at, slot) in layout.slots.iter().enumerate() {
            for container in slot.containers.iter().flatten() {
                touch.contents[*container].push(at);
                touch.dependents[*container].insert(at);
            }
            for option in &slot.options {
                let needs = &tables.needs[option.node.index()];
                for (binding, need) in option.bindings.iter().zip(needs) {
                    // Whatever the containment is bound to, only the container itself counts.
                    let target = need.target.filter(|_| need.sort != Sort::Containment);
                    let providers = target.map(|(node, _)| &layout.slots_of[node.index()]);
                    let bound = if target.is_some() { &binding.candidates[..] } else { &[] };
                    for provider in providers.into_iter().flatten().chain(bound) {
                        touch.dependents[*provider].insert(at);
                    }
                }
            }
        }
        touch
    }

    /// Adds to `touched` all slots that can have a fault in `after` when nothing applies in
    /// `before`; returns a slot whose container is gone, if there is one.
    #[inline]
    pub(super) fn between(
        &self,
        layout: &Layout,
        tables: &Tables,
        before: &[u64],
        after: &[u64],
        touched: &mut Slots,
    ) -> Option<usize> {
        let mut broken = None;
        for (word, (old, new)) in before.iter().zip(after).enumerate() {
            let mut bits = old ^ new;
            while bits != 0 {
                let (at, own) = self.owners[word * 64 + bits.trailing_zeros() as usize];
                bits &= !own;
                touched.insert(at);
                let slot = &layout.slots[at];
                let (was, is) = (slot.element(before), slot.element(after));
                if tables.profile(was) != tables.profile(is) {
                    touched.extend(&self.dependents[at]);
                }
                if is == ABSENT {
                    let mut inside = self.contents[at].iter().copied();
                    broken = broken.or_else(|| inside.find(|slot| is_broken(layout, after, *slot)));
                } else if is_broken(layout, after, at) {
                    broken = broken.or(Some(at));
                }
            }
        }
        broken
    }
}

/// Whether a slot exists and its container does not.
#[inline]
pub(super) fn is_broken(layout: &Layout, row: &[u64], slot: usize) -> bool {
    let of = &layout.slots[slot];
    of.container_in(row).is_some_and(|container| layout.slots[container].element(row) == ABSENT)
        && of.element(row) != ABSENT
}

//! Which bits change places when instances do.
//!
//! A swap of instances is a swap of the values of their fields when no field names one of them:
//! no binding that is part of the state may point at an instance that moves, and no container may
//! move without what it contains. Policies other than `any` tell instances apart by their names.

use std::collections::{BTreeMap, BTreeSet};

use super::CompiledReplica;
use super::layout::{Bound, Field, Slot};
use crate::application::{InstanceId, Policy};
use crate::system::{BitField, Interchangeable};

impl Interchangeable for CompiledReplica<'_> {
    type Name = InstanceId;

    fn fields(
        &self,
        blocks: &[Vec<InstanceId>],
        moving: &BTreeSet<InstanceId>,
    ) -> Option<Vec<Vec<BitField>>> {
        if self.replica.policy != Policy::Any || self.points_at(moving) {
            return None;
        }
        let slots = |block: &Vec<InstanceId>| -> Option<Vec<usize>> {
            block.iter().map(|id| self.layout.slot_of(id)).collect()
        };
        let blocks: Vec<Vec<usize>> = blocks.iter().map(slots).collect::<Option<_>>()?;
        let first = blocks.first()?;
        if !blocks.iter().all(|block| self.is_alike(first, block, moving)) {
            return None;
        }
        let of_slot = |slot: &usize| self.layout.slots[*slot].fields();
        let fields = |block: &Vec<usize>| -> Vec<BitField> {
            block.iter().flat_map(of_slot).filter_map(Field::public).collect()
        };
        Some(blocks.iter().map(fields).collect())
    }
}

impl CompiledReplica<'_> {
    /// Whether a binding that is part of the state may point at an instance that moves, or one
    /// that stays may be inside it.
    fn points_at(&self, moving: &BTreeSet<InstanceId>) -> bool {
        let moves = |slot: &usize| moving.contains(&self.layout.slots[*slot].id);
        self.layout.slots.iter().any(|slot| {
            let bindings = slot.options.iter().flat_map(|option| &option.bindings);
            let mut tracked = bindings.filter(|b| !matches!(b.field, Bound::Untracked));
            let stays = !moving.contains(&slot.id);
            tracked.any(|binding| binding.candidates.iter().any(moves))
                || (stays && slot.containers.iter().flatten().any(moves))
        })
    }

    /// Whether the slots of two blocks have fields with the same values for the same things.
    fn is_alike(&self, one: &[usize], other: &[usize], moving: &BTreeSet<InstanceId>) -> bool {
        let across: BTreeMap<usize, usize> =
            one.iter().copied().zip(other.iter().copied()).collect();
        // A container is one of the same block, or one that stays.
        let image = |container: &Option<usize>| match container {
            None => Some(None),
            Some(container) => match across.get(container) {
                Some(image) => Some(Some(*image)),
                None => {
                    let stays = !moving.contains(&self.layout.slots[*container].id);
                    stays.then_some(Some(*container))
                }
            },
        };
        let corresponds = |one: &Slot, other: &Slot| {
            let candidates = |slot: &Slot| -> Vec<Vec<usize>> {
                let bindings = slot.options.iter().flat_map(|option| &option.bindings);
                let tracked = bindings.filter(|b| !matches!(b.field, Bound::Untracked));
                tracked.map(|binding| binding.candidates.clone()).collect()
            };
            let images: Option<Vec<_>> = one.containers.iter().map(image).collect();
            one.nodes().eq(other.nodes())
                && candidates(one) == candidates(other)
                && images.as_deref() == Some(&other.containers[..])
        };
        one.len() == other.len()
            && across.iter().all(|(a, b)| {
                let slots = &self.layout.slots;
                corresponds(&slots[*a], &slots[*b])
            })
    }
}

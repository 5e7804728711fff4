//! Bit fields of encoded states, and blocks of them that may change places.
//!
//! When parts of a system are interchangeable, a state and the same state with two parts swapped
//! lead to the same things. If such a part is a block of bit fields, and no other field says which
//! block is meant, a swap moves values from block to block, and sorting the blocks gives one state
//! that stands for all.

use std::collections::BTreeSet;

/// Some bits of one word of an encoded state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BitField {
    /// The word.
    pub(crate) word: usize,
    /// How many bits of the word are below.
    pub(crate) shift: u32,
    /// As many ones as the field has bits.
    pub(crate) mask: u64,
}

impl BitField {
    /// The value of the field.
    #[inline]
    pub(crate) fn get(self, row: &[u64]) -> u64 {
        (row[self.word] >> self.shift) & self.mask
    }

    /// Changes the value of the field.
    #[inline]
    pub(crate) fn set(self, row: &mut [u64], value: u64) {
        row[self.word] = (row[self.word] & !(self.mask << self.shift)) | (value << self.shift);
    }

    /// The same field after `words` more words.
    #[must_use]
    pub(crate) fn after(self, words: usize) -> Self {
        Self { word: self.word + words, ..self }
    }

    fn width(self) -> u32 {
        self.mask.count_ones()
    }
}

/// A compiled system whose named parts may be interchangeable.
pub trait Interchangeable: super::Perform {
    /// What a part consists of.
    type Name;

    /// The fields of each of these blocks of names, which correspond by their places and may
    /// change places with each other; `moving` are the names of this and every other group of
    /// blocks. None when a swap of blocks is more than a swap of the values of these fields.
    fn fields(
        &self,
        blocks: &[Vec<Self::Name>],
        moving: &BTreeSet<Self::Name>,
    ) -> Option<Vec<Vec<BitField>>>;
}

/// Groups of blocks; the blocks of a group may change places.
#[derive(Debug, Clone, Default)]
pub struct Interchange {
    groups: Vec<Vec<Vec<BitField>>>,
}

/// Blocks that need no allocation to be sorted.
const FEW: usize = 16;

impl Interchange {
    /// Adds a group; false, and nothing is added, when its blocks are too wide or do not match.
    pub(crate) fn add(&mut self, blocks: Vec<Vec<BitField>>) -> bool {
        let shape = |block: &Vec<BitField>| block.iter().map(|f| f.mask).collect::<Vec<_>>();
        let Some(first) = blocks.first() else { return false };
        let is_narrow = first.iter().map(|field| field.width()).sum::<u32>() <= 128;
        let fits = is_narrow && blocks.len() > 1;
        let fits = fits && blocks.iter().all(|block| shape(block) == shape(first));
        if fits {
            self.groups.push(blocks);
        }
        fits
    }

    /// Whether nothing may change places.
    pub(crate) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// How many blocks each group has.
    pub fn sizes(&self) -> Vec<usize> {
        self.groups.iter().map(Vec::len).collect()
    }

    /// Turns a state into the one that stands for it and for all that swaps make of it.
    pub(crate) fn canonical(&self, row: &mut [u64]) {
        for blocks in &self.groups {
            let (mut few, mut many) = ([0; FEW], Vec::new());
            let values = if blocks.len() <= FEW {
                &mut few[..blocks.len()]
            } else {
                many.resize(blocks.len(), 0);
                &mut many[..]
            };
            for (value, block) in values.iter_mut().zip(blocks) {
                *value = read(block, row);
            }
            if !values.is_sorted() {
                values.sort_unstable();
                values.iter().zip(blocks).for_each(|(value, block)| write(block, row, *value));
            }
        }
    }

    /// All states that swaps make of one, in order; none when there are more than `most`.
    pub(crate) fn orbit(&self, row: &[u64], most: usize) -> Option<BTreeSet<Vec<u64>>> {
        let mut orbit = BTreeSet::from([row.to_vec()]);
        let mut open = vec![row.to_vec()];
        while let Some(row) = open.pop() {
            for pair in self.groups.iter().flat_map(|blocks| blocks.windows(2)) {
                let mut swapped = row.clone();
                write(&pair[0], &mut swapped, read(&pair[1], &row));
                write(&pair[1], &mut swapped, read(&pair[0], &row));
                if orbit.insert(swapped.clone()) {
                    open.push(swapped);
                }
            }
            if orbit.len() > most {
                return None;
            }
        }
        Some(orbit)
    }
}

/// The values of all fields of a block, as one number.
#[inline]
fn read(block: &[BitField], row: &[u64]) -> u128 {
    block.iter().fold(0, |all, field| all << field.width() | u128::from(field.get(row)))
}

#[inline]
fn write(block: &[BitField], row: &mut [u64], mut value: u128) {
    for field in block.iter().rev() {
        field.set(row, value as u64 & field.mask);
        value >>= field.width();
    }
}

#[cfg(test)]
mod tests {
    use super::{BitField, Interchange};

    fn block(at: usize) -> Vec<BitField> {
        let low = BitField { word: 0, shift: 8 * at as u32, mask: 0xf };
        let high = BitField { word: 1, shift: 4 * at as u32, mask: 0x3 };
        vec![low, high]
    }

    #[test]
    fn sorting_gives_the_same_state_for_all_that_swaps_make() {
        let mut interchange = Interchange::default();
        assert!(interchange.add((0..3).map(block).collect()));
        let row = vec![0x5f_01_0f_02, 0x7123];
        let orbit = interchange.orbit(&row, 100).expect("3! = 6");
        assert_eq!(orbit.len(), 6);
        let canonical = |row: &Vec<u64>| {
            let mut row = row.clone();
            interchange.canonical(&mut row);
            row
        };
        let all: std::collections::BTreeSet<_> = orbit.iter().map(canonical).collect();
        assert_eq!(all.len(), 1);
        assert!(orbit.contains(&canonical(&row)));
        // What belongs to no block stays.
        assert_eq!(canonical(&row)[0] >> 24, 0x5f);
        assert_eq!(canonical(&row)[1] >> 12, 7);
        assert_eq!(interchange.orbit(&row, 5), None);
    }

    #[test]
    fn blocks_of_different_shapes_do_not_change_places() {
        let mut interchange = Interchange::default();
        assert!(!interchange.add(vec![block(0), block(1)[..1].to_vec()]));
        assert!(!interchange.add(vec![block(0)]) && interchange.is_empty());
    }
}

//! Lists of states as a search keeps them: rows, each the encoded form of one state.
//!
//! Two kinds: words (compiled form, fixed width, no pointers) and values (derived form, the
//! readable state itself). Both are kept in segments of fixed size, so that growing copies
//! nothing and no memory stays unused but the end of the last segment.

use std::borrow::Borrow;
use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use crate::system::Outgoing;

/// Rows of one segment; a power of two.
const SEGMENT: usize = 1 << 13;

/// A list that grows by whole segments.
#[derive(Debug, Clone)]
pub struct Segments<T> {
    width: usize,
    len: usize,
    full_and_open: Vec<Vec<T>>,
}

impl<T> Segments<T> {
    /// An empty list whose rows have `width` items.
    pub(super) fn new(width: usize) -> Self {
        Self { width, len: 0, full_and_open: Vec::new() }
    }

    /// The segment that has room for one more row.
    #[inline]
    fn open_segment(&mut self) -> &mut Vec<T> {
        let segment = self.len / SEGMENT;
        if segment == self.full_and_open.len() {
            // The first segment grows as it needs, so that a small search stays small.
            let capacity = if segment == 0 { 0 } else { SEGMENT * self.width };
            self.full_and_open.push(Vec::with_capacity(capacity));
        }
        self.len += 1;
        &mut self.full_and_open[segment]
    }

    /// The row number `index`.
    #[inline]
    pub(super) fn row(&self, index: usize) -> &[T] {
        &self.full_and_open[index / SEGMENT][index % SEGMENT * self.width..][..self.width]
    }

    /// The only item of row number `index` of a list of width one.
    #[inline]
    pub(super) fn item(&self, index: usize) -> &T {
        &self.full_and_open[index / SEGMENT][index % SEGMENT]
    }

    /// Appends the only item of a row of a list of width one.
    #[inline]
    pub(super) fn push_item(&mut self, item: T) {
        self.open_segment().push(item);
    }

    /// Bytes that the rows take.
    pub(super) fn bytes(&self) -> usize {
        self.full_and_open.iter().map(|segment| segment.capacity() * size_of::<T>()).sum()
    }
}

impl Segments<u64> {
    /// Appends a row.
    #[inline]
    fn push_row(&mut self, row: &[u64]) {
        self.open_segment().extend_from_slice(row);
    }
}

/// Rows on their way from an expansion into the store.
pub trait Batch: Send {
    /// The encoded form of a state.
    type Row: ?Sized + Sync;
    /// A row that the store can keep.
    type Taken<'a>: Borrow<Self::Row>
    where
        Self: 'a;

    /// How many rows there are.
    fn len(&self) -> usize;
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The row number `index`.
    fn row(&self, index: usize) -> &Self::Row;
    /// The row number `index`, to be changed in place.
    fn row_mut(&mut self, index: usize) -> &mut Self::Row;
    /// Forgets all rows.
    fn clear(&mut self);
    /// Every row, in order; they are gone afterwards or of no further use.
    fn take(&mut self) -> impl Iterator<Item = Self::Taken<'_>>;
    /// The hash by which the store finds a row.
    fn hash(row: &Self::Row) -> u64;
    /// The hashes of all rows, in order.
    fn hashes(&self) -> impl Iterator<Item = u64>;
    /// Whether two rows are the same state. Exact: hashes only lead here.
    fn same(one: &Self::Row, other: &Self::Row) -> bool;
}

/// All distinct rows of a search.
pub trait Arena: Send + Sync {
    /// What new rows come in.
    type Batch: Batch;

    /// The row number `index`.
    fn row(&self, index: usize) -> &<Self::Batch as Batch>::Row;
    /// Appends a row.
    fn push(&mut self, row: <Self::Batch as Batch>::Taken<'_>);
    /// Bytes that the rows take.
    fn bytes(&self) -> usize;
}

impl Batch for Outgoing {
    type Row = [u64];
    type Taken<'a> = &'a [u64];

    fn len(&self) -> usize {
        Outgoing::len(self)
    }

    #[inline]
    fn row(&self, index: usize) -> &[u64] {
        Outgoing::row(self, index)
    }

    fn row_mut(&mut self, index: usize) -> &mut [u64] {
        Outgoing::row_mut(self, index)
    }

    fn clear(&mut self) {
        Outgoing::clear(self);
    }

    fn take(&mut self) -> impl Iterator<Item = &[u64]> {
        self.rows()
    }

    #[inline]
    fn hash(row: &[u64]) -> u64 {
        let mut hasher = FxHasher::default();
        for word in row {
            hasher.write_u64(*word);
        }
        hasher.finish()
    }

    fn hashes(&self) -> impl Iterator<Item = u64> {
        self.rows().map(Self::hash)
    }

    #[inline]
    fn same(one: &[u64], other: &[u64]) -> bool {
        // Written as a loop: a call of `memcmp` costs more than the words it compares.
        one.iter().zip(other).all(|(left, right)| left == right)
    }
}

impl Arena for Segments<u64> {
    type Batch = Outgoing;

    #[inline]
    fn row(&self, index: usize) -> &[u64] {
        Segments::row(self, index)
    }

    #[inline]
    fn push(&mut self, row: &[u64]) {
        self.push_row(row);
    }

    fn bytes(&self) -> usize {
        Segments::bytes(self)
    }
}

/// States as they are: rows of the derived form.
#[derive(Debug, Clone)]
pub struct Values<S>(pub(super) Vec<S>);

impl<S: Eq + Hash + Send + Sync> Batch for Values<S> {
    type Row = S;
    type Taken<'a>
        = S
    where
        S: 'a;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn row(&self, index: usize) -> &S {
        &self.0[index]
    }

    fn row_mut(&mut self, index: usize) -> &mut S {
        &mut self.0[index]
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    fn take(&mut self) -> impl Iterator<Item = S> {
        self.0.drain(..)
    }

    fn hash(row: &S) -> u64 {
        let mut hasher = FxHasher::default();
        row.hash(&mut hasher);
        hasher.finish()
    }

    fn hashes(&self) -> impl Iterator<Item = u64> {
        self.0.iter().map(Self::hash)
    }

    fn same(one: &S, other: &S) -> bool {
        one == other
    }
}

/// The arena of the derived form.
#[derive(Debug, Clone)]
pub struct ValueArena<S>(pub(super) Segments<S>);

impl<S: Eq + Hash + Send + Sync> Arena for ValueArena<S> {
    type Batch = Values<S>;

    fn row(&self, index: usize) -> &S {
        self.0.item(index)
    }

    fn push(&mut self, row: S) {
        self.0.push_item(row);
    }

    fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

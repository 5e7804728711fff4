//! The compiled form of a system: states as bit strings of fixed width.
//!
//! The readable [`System::step`] stays the reference. A compiled form is an optimization which is
//! tested against it per transition with [`disagreement`], and every path found on it is
//! replayed by the reference before it is shown.

use std::collections::BTreeSet;

use super::System;

/// A system that can also be searched on encoded states.
///
/// An implementor builds its index tables once, when it is made, so that [`Compile::successors`]
/// allocates nothing. Equal states have equal encodings and the other way round: unused bits are
/// zero.
pub trait Compile: System {
    /// How many words of 64 bits an encoded state has; at least one.
    fn words(&self) -> usize;

    /// Writes `state` into `into`, which has [`Compile::words`] words, all zero.
    fn encode(&self, state: &Self::State, into: &mut [u64]);

    /// The state that `encoded` stands for.
    fn decode(&self, encoded: &[u64]) -> Self::State;

    /// Appends every (action, successor) of `encoded` to `out`, always in the same order.
    fn successors(&self, encoded: &[u64], out: &mut Outgoing);

    /// The action that [`Compile::successors`] named `id` in the state `encoded`.
    fn action(&self, encoded: &[u64], id: u32) -> Self::Action;
}

/// A compiled system that can be asked for one action at a time, as the search for a plan's
/// failures does.
pub trait Perform: Compile {
    /// The number of an action; none when no state of the system can perform it.
    fn number(&self, action: &Self::Action) -> Option<u32>;

    /// Appends every successor of `encoded` by the action with this number, without duplicates;
    /// false, and nothing is appended, when the action is blocked.
    fn perform(&self, encoded: &[u64], number: u32, out: &mut Outgoing) -> bool;
}

/// Encoded successors with the compact names of the actions that lead to them.
///
/// A system that contains another one keeps its own words before those of the inner one: it hides
/// them (`Outgoing::hide`) while the inner one appends, so that nothing is copied twice.
#[derive(Debug, Clone)]
pub struct Outgoing {
    width: usize,
    words: Vec<u64>,
    actions: Vec<u32>,
    hidden: Vec<u64>,
}

impl Outgoing {
    /// An empty list of states of `width` words.
    pub fn new(width: usize) -> Self {
        let hidden = Vec::new();
        Self { width: width.max(1), words: Vec::new(), actions: Vec::new(), hidden }
    }

    /// From now on each row begins with a copy of `before`, which is neither given nor seen; it may
    /// be changed in place.
    #[inline]
    pub(crate) fn hide(&mut self, before: &[u64]) -> &mut [u64] {
        self.hidden.clear();
        self.hidden.extend_from_slice(before);
        &mut self.hidden
    }

    /// Rows are whole again.
    pub(crate) fn reveal(&mut self) {
        self.hidden.clear();
    }

    /// Appends a copy of `from` as a successor by `action`, to be changed in place.
    #[inline]
    pub(crate) fn push(&mut self, action: u32, from: &[u64]) -> &mut [u64] {
        let hidden = self.hidden.len();
        debug_assert_eq!(from.len() + hidden, self.width, "states of one system have one width");
        if hidden > 0 {
            self.words.extend_from_slice(&self.hidden);
        }
        let start = self.words.len();
        // Most systems fit in one word, and a call of `memcpy` costs more than that.
        match from {
            [word] => self.words.push(*word),
            words => self.words.extend_from_slice(words),
        }
        self.actions.push(action);
        &mut self.words[start..]
    }

    /// How many successors there are.
    pub fn len(&self) -> usize {
        self.actions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }

    /// Forgets all successors and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.words.clear();
        self.actions.clear();
    }

    /// Gives the successors from number `first` on another action.
    pub(crate) fn rename(&mut self, first: usize, action: u32) {
        self.actions[first..].fill(action);
    }

    /// The encoded successor number `index`.
    #[inline]
    pub(crate) fn row(&self, index: usize) -> &[u64] {
        &self.words[index * self.width..][self.hidden.len()..self.width]
    }

    /// The encoded successor number `index`, to be changed.
    #[inline]
    pub(crate) fn row_mut(&mut self, index: usize) -> &mut [u64] {
        &mut self.words[index * self.width..][self.hidden.len()..self.width]
    }

    /// How many words a state has, without hidden ones.
    pub(crate) fn width(&self) -> usize {
        self.width - self.hidden.len()
    }

    /// Forgets the successors from number `length` on.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.words.truncate(length * self.width);
        self.actions.truncate(length);
    }

    /// Forgets successor number `index`; the last one takes its place.
    pub(crate) fn swap_remove(&mut self, index: usize) {
        let last = self.len() - 1;
        self.words.copy_within(last * self.width.., index * self.width);
        self.actions[index] = self.actions[last];
        self.truncate(last);
    }

    /// Forgets each successor from number `begin` on that an earlier one of them equals.
    pub(crate) fn retain_distinct(&mut self, begin: usize) {
        let mut kept = begin;
        for at in begin..self.len() {
            let (before, from) = self.words.split_at(at * self.width);
            let row = &from[..self.width];
            let mut known = before[begin * self.width..kept * self.width].chunks_exact(self.width);
            if !known.any(|other| other == row) {
                let start = at * self.width;
                self.words.copy_within(start..start + self.width, kept * self.width);
                self.actions[kept] = self.actions[at];
                kept += 1;
            }
        }
        self.truncate(kept);
    }

    /// Every (action, successor) in order, as whole rows.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &[u64])> {
        self.actions.iter().copied().zip(self.words.chunks_exact(self.width))
    }

    /// Every successor in order, as a whole row.
    pub fn rows(&self) -> std::slice::ChunksExact<'_, u64> {
        self.words.chunks_exact(self.width)
    }
}

/// How the compiled form departs from the reference in one state.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Disagreement<S, A> {
    /// `decode(encode(state))` is this other state.
    RoundTrip(S),
    /// The reference has this transition, the compiled form has not.
    Missing(A, S),
    /// The compiled form has this transition, the reference has not.
    Invented(A, S),
}

/// The first difference between reference and compiled form in `state`, if there is one.
pub fn disagreement<S: Compile>(
    system: &S,
    state: &S::State,
) -> Option<Disagreement<S::State, S::Action>> {
    let mut encoded = vec![0; system.words().max(1)];
    system.encode(state, &mut encoded);
    let back = system.decode(&encoded);
    if back != *state {
        return Some(Disagreement::RoundTrip(back));
    }
    let mut reference = BTreeSet::new();
    for action in system.candidates(state) {
        if let Ok(successors) = system.step(state, &action) {
            reference.extend(successors.into_iter().map(|after| (action.clone(), after)));
        }
    }
    let mut out = Outgoing::new(encoded.len());
    system.successors(&encoded, &mut out);
    let compiled: BTreeSet<_> =
        out.iter().map(|(id, row)| (system.action(&encoded, id), system.decode(row))).collect();
    let missing = reference.difference(&compiled).next();
    let invented = compiled.difference(&reference).next();
    missing.map(|(action, after)| Disagreement::Missing(action.clone(), after.clone())).or_else(
        || invented.map(|(action, after)| Disagreement::Invented(action.clone(), after.clone())),
    )
}

#[cfg(test)]
mod tests {
    use super::Outgoing;

    #[test]
    fn hidden_words_stand_before_the_words_of_the_inner_system() {
        let mut out = Outgoing::new(3);
        out.push(0, &[1, 2, 3]);
        out.hide(&[6])[0] = 7;
        out.push(4, &[8, 9])[1] = 5;
        out.push(4, &[0, 0]);
        assert_eq!(out.row(1), [8, 5]);
        out.row_mut(1)[0] = 6;
        out.rename(1, 2);
        out.truncate(2);
        out.reveal();
        let all: Vec<_> = out.iter().collect();
        assert_eq!(all, [(0, &[1, 2, 3][..]), (2, &[7, 6, 5][..])]);
    }
}

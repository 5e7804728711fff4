//! The forms in which a system can be searched. One explorer serves them all.
//!
//! * [`Compiled`]: bit strings, for systems that implement [`Compile`].
//! * [`Derived`]: the readable states themselves, for any [`System`] whose states can be hashed.
//! * [`Quotient`]: either of them with equivalent states merged (symmetry).

use std::hash::Hash;

use super::rows::{Arena, Batch, Segments, ValueArena, Values};
use crate::system::{Compile, Outgoing, System};

/// The encoded form of a state in the form `F`.
pub type Row<F> = <BatchOf<F> as Batch>::Row;
/// Rows on their way from an expansion into the store.
pub(super) type BatchOf<F> = <<F as Form>::Arena as Arena>::Batch;
/// The states of the system behind `F`.
pub type StateOf<F> = <<F as Form>::System as System>::State;
/// The actions of the system behind `F`.
pub type ActionOf<F> = <<F as Form>::System as System>::Action;

/// A system in a form in which it can be searched.
pub trait Form: Sync {
    /// The reference that replays every path found.
    type System: System;
    /// How states are kept.
    type Arena: Arena;

    /// The reference that replays every path found.
    fn system(&self) -> &Self::System;
    /// An empty arena.
    fn arena(&self) -> Self::Arena;
    /// An empty batch.
    fn batch(&self) -> BatchOf<Self>;
    /// Appends the row that stands for `state` in the search.
    fn encode(&self, state: &StateOf<Self>, out: &mut BatchOf<Self>);
    /// The state that `row` stands for; of equivalent states, the one kept.
    fn decode(&self, row: &Row<Self>) -> StateOf<Self>;
    /// Appends the rows of all successors of `row`, always in the same order.
    fn expand(&self, row: &Row<Self>, out: &mut BatchOf<Self>);

    /// Appends the row of `state` itself, even where another one stands for it.
    fn encode_itself(&self, state: &StateOf<Self>, out: &mut BatchOf<Self>) {
        self.encode(state, out);
    }

    /// Whether one row may stand for several states.
    fn merges_states(&self) -> bool {
        false
    }
}

/// A system in its compiled form.
#[derive(Debug, Clone, Copy)]
pub struct Compiled<'a, S>(pub &'a S);

impl<S: Compile + Sync> Form for Compiled<'_, S> {
    type System = S;
    type Arena = Segments<u64>;

    fn system(&self) -> &S {
        self.0
    }

    fn arena(&self) -> Segments<u64> {
        Segments::new(self.0.words().max(1))
    }

    fn batch(&self) -> Outgoing {
        Outgoing::new(self.0.words())
    }

    fn encode(&self, state: &S::State, out: &mut Outgoing) {
        let zero = vec![0; self.0.words().max(1)];
        self.0.encode(state, out.push(0, &zero));
    }

    fn decode(&self, row: &[u64]) -> S::State {
        self.0.decode(row)
    }

    #[inline]
    fn expand(&self, row: &[u64], out: &mut Outgoing) {
        self.0.successors(row, out);
    }
}

/// A system without a compiled form: its states are kept as they are. Works for every system,
/// slower and larger than [`Compiled`].
#[derive(Debug, Clone, Copy)]
pub struct Derived<'a, S>(pub &'a S);

impl<S> Form for Derived<'_, S>
where
    S: System + Sync,
    S::State: Hash + Send + Sync,
{
    type System = S;
    type Arena = ValueArena<S::State>;

    fn system(&self) -> &S {
        self.0
    }

    fn arena(&self) -> ValueArena<S::State> {
        ValueArena(Segments::new(1))
    }

    fn batch(&self) -> Values<S::State> {
        Values(Vec::new())
    }

    fn encode(&self, state: &S::State, out: &mut Values<S::State>) {
        out.0.push(state.clone());
    }

    fn decode(&self, row: &S::State) -> S::State {
        row.clone()
    }

    fn expand(&self, row: &S::State, out: &mut Values<S::State>) {
        for action in self.0.candidates(row) {
            if let Ok(successors) = self.0.step(row, &action) {
                out.0.extend(successors);
            }
        }
    }
}

/// A form in which equivalent states are one: `canonical` turns a row into the row that stands
/// for all states equivalent to it.
///
/// The equivalence must be a symmetry: if `a` and `b` are equivalent, then for every successor of
/// `a` there is an equivalent successor of `b`, and the property asked cannot tell them apart. A
/// story found is replayed on real states, so a wrong `canonical` never yields a wrong
/// counterexample; but "holds" rests on it, and its evidence is the search alone.
pub struct Quotient<F, C> {
    form: F,
    canonical: C,
}

impl<F: Form, C: Fn(&mut Row<F>) + Sync> Quotient<F, C> {
    /// `form` with every row replaced by its canonical one.
    pub fn new(form: F, canonical: C) -> Self {
        Self { form, canonical }
    }

    fn canonicalize_from(&self, first: usize, rows: &mut BatchOf<F>) {
        for index in first..rows.len() {
            (self.canonical)(rows.row_mut(index));
        }
    }
}

impl<F: Form, C: Fn(&mut Row<F>) + Sync> Form for Quotient<F, C> {
    type System = F::System;
    type Arena = F::Arena;

    fn system(&self) -> &F::System {
        self.form.system()
    }

    fn arena(&self) -> F::Arena {
        self.form.arena()
    }

    fn batch(&self) -> BatchOf<F> {
        self.form.batch()
    }

    fn encode(&self, state: &StateOf<F>, out: &mut BatchOf<F>) {
        let first = out.len();
        self.form.encode(state, out);
        self.canonicalize_from(first, out);
    }

    fn decode(&self, row: &Row<F>) -> StateOf<F> {
        self.form.decode(row)
    }

    fn expand(&self, row: &Row<F>, out: &mut BatchOf<F>) {
        let first = out.len();
        self.form.expand(row, out);
        self.canonicalize_from(first, out);
    }

    fn encode_itself(&self, state: &StateOf<F>, out: &mut BatchOf<F>) {
        self.form.encode_itself(state, out);
    }

    fn merges_states(&self) -> bool {
        true
    }
}

//! The one state-space search: breadth first, exact, with shortest traces.
//!
//! Encoded states lie in one arena, an exact table of indices finds them again, each has one
//! parent index. A system is searched in a [`Form`]: [`Compiled`], [`Derived`] or a [`Quotient`]
//! by a symmetry. Threads exist in this module only, and the result is the same to the last byte
//! whether there is one or more. Why it is built so: `docs/design/0002-search.md`.
//!
//! Invariants: no proof rests on hashes alone; a limit reached is `Unknown`, never "holds"; every
//! story was replayed by the reference before it is returned.

mod form;
mod replay;
mod rows;
mod space;
mod store;
#[cfg(test)]
mod tests;

pub use form::{ActionOf, Compiled, Derived, Form, Quotient, Row, StateOf};
pub use rows::{Arena, Batch, Segments, ValueArena, Values};

use space::Found;

use crate::cycle::{self, Edges};
use crate::system::{Budget, Evidence, Progress, Property, StopReason, Trace, Verdict};

/// How a search is done.
#[derive(Debug, Clone)]
pub struct Options {
    /// How many threads generate successors. The result does not depend on it.
    pub threads: usize,
    /// The longest paths that are followed; longer ones end the search as unknown.
    pub max_depth: Option<u32>,
    /// The most states that evidence of "holds" may list; above it stands the search itself.
    pub evidence_limit: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { threads: 1, max_depth: None, evidence_limit: 10_000 }
    }
}

/// The evidence of a search in the form `F`, in readable states.
pub type EvidenceOf<F> = Evidence<StateOf<F>, ActionOf<F>>;

/// The answer of a search, and what it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome<E> {
    /// The answer, with evidence.
    pub verdict: Verdict<E, E>,
    /// What the search did.
    pub progress: Progress,
}

/// Decides `property` for the system in `form`, or says which limit came first.
///
/// A trace is as short as any that shows the same. A lasso has the shortest stem to a state that
/// lies on a cycle, and the shortest cycle through that state; under a [`Quotient`] both may be
/// longer. A run that ends is preferred to one that does not.
pub fn search<F: Form>(
    form: &F,
    property: Property<'_, Row<F>>,
    options: &Options,
    budget: &mut dyn Budget,
) -> Outcome<EvidenceOf<F>> {
    search_space(form, property, options, budget).0
}

/// [`search`], together with every state that it came across, without their edges.
pub fn search_space<'a, F: Form>(
    form: &'a F,
    property: Property<'_, Row<F>>,
    options: &Options,
    budget: &mut dyn Budget,
) -> (Outcome<EvidenceOf<F>>, Space<'a, F>) {
    let keep_edges = matches!(property, Property::Eventually(_));
    let found = space::explore(form, Some(property), keep_edges, options, budget);
    let verdict = judge(form, &property, options, &found).unwrap_or_else(Verdict::Unknown);
    (Outcome { verdict, progress: found.progress }, Space { form, found })
}

/// The verdict of a property by its evidence.
type VerdictOf<F> = Verdict<EvidenceOf<F>, EvidenceOf<F>>;

fn judge<F: Form>(
    form: &F,
    property: &Property<'_, Row<F>>,
    options: &Options,
    found: &Found<F>,
) -> Result<VerdictOf<F>, StopReason> {
    if let Some(hit) = found.hit {
        let path = found.store.path_to(hit);
        let trace = replay::trace(form, &found.store, &path).ok_or(StopReason::Replay)?;
        if !replay::decides(form, property, &trace) {
            return Err(StopReason::Replay);
        }
        let evidence = Evidence::Trace(trace);
        return Ok(match property {
            Property::Reachable(_) => Verdict::Holds(evidence),
            _ => Verdict::Fails(evidence),
        });
    }
    if let Some(reason) = found.stopped {
        return Err(reason);
    }
    match (property, &found.edges) {
        (Property::Eventually(_), Some(edges)) => no_cycle(form, property, options, found, edges),
        (Property::Reachable(_), _) => Ok(Verdict::Fails(all_states(form, options, found))),
        _ => Ok(Verdict::Holds(all_states(form, options, found))),
    }
}

/// The rest of `eventually`, after a search that met no end outside the predicate: it fails when
/// the states outside have a cycle.
fn no_cycle<F: Form>(
    form: &F,
    property: &Property<'_, Row<F>>,
    options: &Options,
    found: &Found<F>,
    edges: &Edges,
) -> Result<VerdictOf<F>, StopReason> {
    let components = cycle::components(edges, found.store.len());
    let Some(state) = components.on_cycle else {
        if lists_nothing(form, options, found) {
            return Ok(Verdict::Holds(Evidence::Search(found.store.len())));
        }
        let rank =
            |index: u32| (form.decode(found.store.row(index)), components.of[index as usize]);
        let mut ranks: Vec<_> = (0..found.store.len() as u32).map(rank).collect();
        ranks.sort();
        return Ok(Verdict::Holds(Evidence::Measure(ranks)));
    };
    let stem = found.store.path_to(state);
    let cycle = cycle::shortest_cycle(edges, &components, state);
    let (stem, cycle) =
        replay::lasso(form, &found.store, &stem, &cycle).ok_or(StopReason::Replay)?;
    let holds_in = |state| replay::holds_in(form, property, state);
    if stem.states().any(holds_in) || cycle.iter().any(|step| holds_in(&step.after)) {
        return Err(StopReason::Replay);
    }
    Ok(Verdict::Fails(Evidence::Lasso { stem, cycle }))
}

/// Whether the states of a complete search are too many to be listed, or are only
/// representatives, of which no list is closed under `step`.
fn lists_nothing<F: Form>(form: &F, options: &Options, found: &Found<F>) -> bool {
    found.store.len() > options.evidence_limit || form.merges_states()
}

fn all_states<F: Form>(form: &F, options: &Options, found: &Found<F>) -> EvidenceOf<F> {
    if lists_nothing(form, options, found) {
        return Evidence::Search(found.store.len());
    }
    let indices = 0..found.store.len() as u32;
    let mut states: Vec<_> = indices.map(|index| form.decode(found.store.row(index))).collect();
    states.sort();
    Evidence::ClosedSet(states)
}

/// Everything that can be reached, for analyses that ask more than one question.
pub struct Space<'a, F: Form> {
    form: &'a F,
    found: Found<F>,
}

/// All states of the system in `form`, with their edges, unless a limit comes first.
pub fn space<'a, F: Form>(
    form: &'a F,
    options: &Options,
    budget: &mut dyn Budget,
) -> Result<Space<'a, F>, StopReason> {
    let space = space_so_far(form, options, budget);
    space.stopped().map_or(Ok(space), Err)
}

/// The states of the system in `form`, with their edges, up to the limit that comes first:
/// [`Space::stopped`] says whether these are all.
pub fn space_so_far<'a, F: Form>(
    form: &'a F,
    options: &Options,
    budget: &mut dyn Budget,
) -> Space<'a, F> {
    Space { form, found: space::explore(form, None, true, options, budget) }
}

impl<F: Form> Space<'_, F> {
    /// What the search did; its depth is the length of the longest shortest path.
    pub fn progress(&self) -> &Progress {
        &self.found.progress
    }

    /// Which limit ended the search before all states were seen.
    pub fn stopped(&self) -> Option<StopReason> {
        self.found.stopped
    }

    /// The numbers of the states whose successors are known; the others were only seen.
    pub fn expanded(&self) -> std::ops::Range<u32> {
        0..self.found.progress.expanded as u32
    }

    /// The numbers of all states, in breadth-first order from the start, which is 0.
    pub fn states(&self) -> std::ops::Range<u32> {
        0..self.found.store.len() as u32
    }

    /// The encoded state with this number.
    pub fn row(&self, state: u32) -> &Row<F> {
        self.found.store.row(state)
    }

    /// The state with this number.
    pub fn decode(&self, state: u32) -> StateOf<F> {
        self.form.decode(self.row(state))
    }

    /// The numbers of the successors of a state, in the order of the system; none where the search
    /// kept no edges.
    pub fn successors(&self, state: u32) -> &[u32] {
        self.found.edges.as_ref().map_or(&[], |edges| edges.of(state))
    }

    /// A shortest run to the state with this number; nothing when the reference does not follow
    /// it, which is a defect of the form.
    pub fn trace(&self, state: u32) -> Option<Trace<StateOf<F>, ActionOf<F>>> {
        replay::trace(self.form, &self.found.store, &self.found.store.path_to(state))
    }
}

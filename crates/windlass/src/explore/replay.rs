//! From a path of rows to a story: replayed by the reference, on real states.
//!
//! The search stores no actions and, under a symmetry, no real states. Both come back here: from
//! the real state reached so far, the reference is asked for a step onto the next row. So a
//! defect of a compiled form or of a symmetry can cost an answer, but cannot tell a story that
//! did not happen.

use super::form::{ActionOf, BatchOf, Form, Row, StateOf};
use super::rows::Batch;
use super::store::Store;
use crate::system::{Property, Step, System, Trace};

/// How often a cycle of representatives is followed until a real state comes back.
const MOST_LAPS: usize = 10_000;

/// The run along `path`, which starts with the first state.
pub(super) fn trace<F: Form>(
    form: &F,
    store: &Store<F>,
    path: &[u32],
) -> Option<Trace<StateOf<F>, ActionOf<F>>> {
    let start = form.system().initial();
    let (first, rest) = path.split_first()?;
    if !stands_for(form, store.row(*first), &start) {
        return None;
    }
    let steps = follow(form, store, &start, rest)?;
    Some(Trace { start, steps })
}

/// A run that goes along `stem` and then round `cycle` until a real state comes back: under a
/// symmetry a cycle of representatives may have to be followed several times.
pub(super) fn lasso<F: Form>(
    form: &F,
    store: &Store<F>,
    stem: &[u32],
    cycle: &[u32],
) -> Option<Lasso<F>> {
    let mut stem = trace(form, store, stem)?;
    let mut steps: Vec<Step<StateOf<F>, ActionOf<F>>> = Vec::new();
    // The real state at the beginning of each lap, and how many steps were made before it.
    let mut laps = vec![(stem.last().clone(), 0)];
    for _ in 0..MOST_LAPS {
        let (from, _) = laps.last()?;
        steps.extend(follow(form, store, from, cycle)?);
        let after = steps.last()?.after.clone();
        if let Some((_, made)) = laps.iter().find(|(state, _)| *state == after) {
            let cycle = steps.split_off(*made);
            stem.steps.extend(steps);
            return Some((stem, cycle));
        }
        laps.push((after, steps.len()));
    }
    None
}

type Lasso<F> = (Trace<StateOf<F>, ActionOf<F>>, Vec<Step<StateOf<F>, ActionOf<F>>>);

/// Whether the real states of `trace`, not only the rows that stand for them, decide `property`.
pub(super) fn decides<F: Form>(
    form: &F,
    property: &Property<'_, Row<F>>,
    trace: &Trace<StateOf<F>, ActionOf<F>>,
) -> bool {
    let last = trace.last();
    match property {
        Property::Always(_) => !holds_in(form, property, last),
        Property::Reachable(_) => holds_in(form, property, last),
        Property::DeadlockFree(_) => is_end(form, last) && !holds_in(form, property, last),
        Property::Eventually(_) => {
            is_end(form, last) && !trace.states().any(|state| holds_in(form, property, state))
        }
    }
}

fn is_end<F: Form>(form: &F, state: &StateOf<F>) -> bool {
    let system = form.system();
    system.candidates(state).iter().all(|action| system.step(state, action).is_err())
}

/// Whether `state` itself, not only the row that stands for it, satisfies the predicate.
pub(super) fn holds_in<F: Form>(
    form: &F,
    property: &Property<'_, Row<F>>,
    state: &StateOf<F>,
) -> bool {
    let mut rows = form.batch();
    form.encode_itself(state, &mut rows);
    property.holds_in(rows.row(0))
}

fn stands_for<F: Form>(form: &F, row: &Row<F>, state: &StateOf<F>) -> bool {
    let mut rows = form.batch();
    form.encode(state, &mut rows);
    BatchOf::<F>::same(rows.row(0), row)
}

fn follow<F: Form>(
    form: &F,
    store: &Store<F>,
    start: &StateOf<F>,
    path: &[u32],
) -> Option<Vec<Step<StateOf<F>, ActionOf<F>>>> {
    let mut steps: Vec<Step<StateOf<F>, ActionOf<F>>> = Vec::new();
    for index in path {
        let from = steps.last().map_or(start, |step| &step.after);
        let step = step_onto(form, from, store.row(*index))?;
        steps.push(step);
    }
    Some(steps)
}

/// The first step of the reference from `state` onto a state for which `row` stands.
fn step_onto<F: Form>(
    form: &F,
    state: &StateOf<F>,
    row: &Row<F>,
) -> Option<Step<StateOf<F>, ActionOf<F>>> {
    let system = form.system();
    system.candidates(state).into_iter().find_map(|action| {
        let successors = system.step(state, &action).ok()?;
        let after = successors.into_iter().find(|after| stands_for(form, row, after))?;
        Some(Step { action, after })
    })
}

//! Breadth-first search, in one thread or several, with the same result to the last byte.
//!
//! States are expanded in the order of their numbers, in batches. Threads only generate the
//! successors of their share of a batch; numbers are given afterwards by one thread, in order.
//! So numbering, verdict, trace and counts do not depend on how many threads there are.
//!
//! The budget is asked with new figures after each batch, so that a limit on states or memory stops
//! at the same place with any number of threads, and with the same figures every few states in
//! between, because only the asker knows how much time these took.

use std::ops::{ControlFlow, Range};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::form::{BatchOf, Form, Row, StateOf};
use super::rows::Batch;
use super::store::{MOST_STATES, Store};
use super::{Edges, Options};
use crate::system::{Budget, Progress, Property, StopReason, System};

/// States expanded between two questions to the budget with new figures.
const BATCH: usize = 4096;
/// States expanded by one thread before their successors are stored: the buffers stay in cache.
const SHARE: usize = 64;
/// States that a thread takes from a batch at a time: enough to be worth it, few enough that a
/// thread which is held up does not hold up the others.
const CHUNK: usize = 256;
/// Batches smaller than this are not worth a second thread.
const WORTH_A_THREAD: usize = 2 * CHUNK;
/// States expanded between two questions to the budget: some take milliseconds.
const PATIENCE: usize = 8;
/// The target of a successor that is not yet known to the store.
const NEW: u32 = u32::MAX;

/// What a search found: the states, and why it ended.
pub(super) struct Found<F: Form> {
    pub(super) store: Store<F>,
    /// The successors of each expanded state, when the property needs them.
    pub(super) edges: Option<Edges>,
    /// The state that decides the property, the first in breadth-first order.
    pub(super) hit: Option<u32>,
    /// The limit that ended the search.
    pub(super) stopped: Option<StopReason>,
    pub(super) progress: Progress,
}

/// Walks through the states of `form` until one decides `property`, all are seen or a limit is
/// reached.
pub(super) fn explore<F: Form>(
    form: &F,
    property: Option<Property<'_, Row<F>>>,
    keep_edges: bool,
    options: &Options,
    budget: &mut dyn Budget,
) -> Found<F> {
    let mut found = Found {
        store: Store::new(form),
        edges: keep_edges.then(Edges::default),
        hit: None,
        stopped: None,
        progress: Progress::default(),
    };
    insert_initial(form, &mut found.store);
    let threads = options.threads.max(1);
    let shares = if threads > 1 { BATCH / CHUNK } else { 1 };
    let mut shares: Vec<Share<F>> = (0..shares).map(|_| Share::new(form)).collect();
    let (mut next, mut layer_end, mut asked) = (0, found.store.len(), 0);
    let walk = Walk { form, property };
    while next < found.store.len() {
        if next == layer_end {
            found.progress.depth += 1;
            layer_end = found.store.len();
            if options.max_depth.is_some_and(|most| found.progress.depth > most) {
                found.stopped = Some(StopReason::Depth);
                break;
            }
        }
        let end = layer_end.min(next + BATCH);
        let more = if threads > 1 && end - next >= WORTH_A_THREAD {
            walk.expand_in_threads(threads, next..end, &mut shares, &mut found, budget)
        } else {
            walk.expand_alone(next..end, &mut shares[0], &mut found, budget)
        };
        next = end;
        if more.is_break() {
            break;
        }
        if next - asked >= BATCH {
            asked = next;
            found.measure();
            if let ControlFlow::Break(reason) = budget.spend(&found.progress) {
                found.stopped = Some(reason);
                break;
            }
        }
    }
    found.measure();
    found
}

fn insert_initial<F: Form>(form: &F, store: &mut Store<F>) {
    let initial: StateOf<F> = form.system().initial();
    let mut rows = form.batch();
    form.encode(&initial, &mut rows);
    for row in rows.take() {
        let hash = BatchOf::<F>::hash(std::borrow::Borrow::borrow(&row));
        store.insert(hash, row, None);
    }
}

impl<F: Form> Found<F> {
    /// Brings states and bytes of the progress up to date.
    fn measure(&mut self) {
        let edges = self.edges.as_ref().map_or(0, Edges::bytes);
        self.progress.states = self.store.len();
        self.progress.bytes = self.store.bytes() + edges;
    }

    /// Gives numbers to the successors in `share`, in order; stops at the state that decides the
    /// property.
    fn merge(&mut self, share: &mut Share<F>) -> ControlFlow<()> {
        if self.store.len() + share.rows.len() > MOST_STATES {
            self.stopped = Some(StopReason::States);
            return ControlFlow::Break(());
        }
        let mut rows = share.rows.take().zip(&share.hashes).zip(&share.known);
        for (source, count) in (share.first..).zip(&share.counts) {
            for ((row, hash), known) in rows.by_ref().take(*count as usize) {
                let target = match *known {
                    NEW => self.store.insert(*hash, row, Some(source)),
                    known => known,
                };
                if let Some(edges) = &mut self.edges {
                    edges.push(target);
                }
            }
            if let Some(edges) = &mut self.edges {
                edges.close();
            }
            self.progress.transitions += u64::from(*count);
        }
        self.progress.expanded += share.counts.len();
        if share.hit {
            self.hit = Some(share.first + share.counts.len() as u32 - 1);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// The successors of a run of states, not yet numbered.
struct Share<F: Form> {
    /// The first of the states.
    first: u32,
    /// How many successors each state has; as many as were examined.
    counts: Vec<u32>,
    /// The successors of all of them.
    rows: BatchOf<F>,
    /// Their hashes.
    hashes: Vec<u64>,
    /// Their numbers, or [`NEW`] when the store did not know them at the time.
    known: Vec<u32>,
    /// Whether the last state examined decides the property.
    hit: bool,
}

impl<F: Form> Share<F> {
    fn new(form: &F) -> Self {
        let rows = form.batch();
        Self {
            first: 0,
            counts: Vec::new(),
            rows,
            hashes: Vec::new(),
            known: Vec::new(),
            hit: false,
        }
    }
}

/// What all threads share.
struct Walk<'a, F: Form> {
    form: &'a F,
    property: Option<Property<'a, Row<F>>>,
}

/// What is to be done with a state.
enum Look {
    Expand,
    Leaf,
    Decides,
}

impl<F: Form> Walk<'_, F> {
    fn expand_alone(
        &self,
        range: Range<usize>,
        share: &mut Share<F>,
        found: &mut Found<F>,
        budget: &mut dyn Budget,
    ) -> ControlFlow<()> {
        for first in range.clone().step_by(SHARE) {
            let mut stopped = None;
            let mut goes_on = || {
                stopped = budget.spend(&found.progress).break_value();
                stopped.is_none()
            };
            self.fill(first..range.end.min(first + SHARE), &found.store, share, &mut goes_on);
            share.known.clear();
            share.known.resize(share.rows.len(), NEW);
            found.merge(share)?;
            if stopped.is_some() {
                found.stopped = stopped;
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    fn expand_in_threads(
        &self,
        threads: usize,
        range: Range<usize>,
        shares: &mut [Share<F>],
        found: &mut Found<F>,
        budget: &mut dyn Budget,
    ) -> ControlFlow<()> {
        let store = &found.store;
        let firsts = range.clone().step_by(CHUNK);
        let mut used = 0;
        let chunks = Mutex::new(firsts.zip(shares.iter_mut()).inspect(|_| used += 1));
        let is_over = AtomicBool::new(false);
        let work = |goes_on: &mut dyn FnMut() -> bool| {
            // The lock is poisoned only when another thread panicked; the scope passes that on.
            while !is_over.load(Ordering::Relaxed)
                && let Ok(Some((first, share))) = chunks.lock().map(|mut rest| rest.next())
            {
                self.fill(first..range.end.min(first + CHUNK), store, share, goes_on);
                share.look_up(store);
            }
        };
        let mut stopped = None;
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(|| work(&mut || !is_over.load(Ordering::Relaxed)));
            }
            // This thread asks for all.
            work(&mut || {
                stopped = budget.spend(&found.progress).break_value();
                is_over.fetch_or(stopped.is_some(), Ordering::Relaxed);
                stopped.is_none()
            });
        });
        found.stopped = stopped;
        for share in &mut shares[..used] {
            found.merge(share)?;
            if stopped.is_some() && share.counts.len() < CHUNK {
                // What follows a share that was given up would get the wrong numbers.
                break;
            }
        }
        if stopped.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Examines the states of `range` and generates their successors, as long as it may go on.
    fn fill(
        &self,
        range: Range<usize>,
        store: &Store<F>,
        share: &mut Share<F>,
        goes_on: &mut dyn FnMut() -> bool,
    ) {
        share.first = range.start as u32;
        share.hit = false;
        share.rows.clear();
        share.counts.clear();
        for index in range {
            let row = store.row(index as u32);
            let before = share.rows.len();
            let look = self.look(row);
            if matches!(look, Look::Expand) {
                self.form.expand(row, &mut share.rows);
            }
            let count = share.rows.len() - before;
            share.counts.push(count as u32);
            share.hit = match look {
                Look::Decides => true,
                Look::Leaf => false,
                Look::Expand => count == 0 && self.must_not_end(row),
            };
            if share.hit || (share.counts.len().is_multiple_of(PATIENCE) && !goes_on()) {
                break;
            }
        }
        share.hashes.clear();
        share.hashes.extend(share.rows.hashes());
    }

    fn look(&self, row: &Row<F>) -> Look {
        match &self.property {
            Some(Property::Always(p)) if !p(row) => Look::Decides,
            Some(Property::Reachable(p)) if p(row) => Look::Decides,
            Some(Property::Eventually(p)) if p(row) => Look::Leaf,
            _ => Look::Expand,
        }
    }

    /// Whether a run that ends in `row` decides the property. For `eventually` only states are
    /// expanded in which the predicate does not hold, so each of them that is an end does.
    fn must_not_end(&self, row: &Row<F>) -> bool {
        match &self.property {
            Some(Property::DeadlockFree(accepted)) => !accepted(row),
            Some(Property::Eventually(_)) => true,
            _ => false,
        }
    }
}

impl<F: Form> Share<F> {
    /// Looks up which successors are known already, so that numbering need not.
    fn look_up(&mut self, store: &Store<F>) {
        self.known.clear();
        let rows = &self.rows;
        let number = |(at, hash): (usize, &u64)| store.find(*hash, rows.row(at)).unwrap_or(NEW);
        self.known.extend(self.hashes.iter().enumerate().map(number));
    }
}

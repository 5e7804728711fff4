//! What arities beyond `any` ask: can so many rows of slots hold at once?
//!
//! "Fewer than n of m offer" means that `m - n + 1` of them fail to offer at a common cut. `all`
//! fails when fewer instances exist than are wanted, or when one exists and does not offer. A
//! replica-aware need of arity `at_least n` is in addition bound to n that offer when it is
//! entered, and fails as soon as one of those stops.

use std::ops::RangeInclusive;

use super::needs::{Need, Providers, Scene};
use super::slots::Slot;
use crate::lifecycle::protocol::{Arity, Sort};

/// A need fails when, in the window, `together` of the rows are inside one of their slots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Question {
    /// The stage of the need.
    pub(crate) stage: usize,
    /// When the fault shows.
    pub(crate) window: Slot,
    /// The slots of each provider that count.
    pub(crate) rows: Vec<Vec<Slot>>,
    /// How many must hold at once; 0 means that the need fails in any case.
    pub(crate) together: usize,
}

/// Up to this many combinations each one is asked by itself.
pub(crate) const MOST_COMBINATIONS: usize = 2000;

impl Question {
    /// The rows that have a slot at all.
    pub(crate) fn able(&self) -> Vec<usize> {
        (0..self.rows.len()).filter(|row| !self.rows[*row].is_empty()).collect()
    }
}

/// Every question that a need with an arity beyond `any` asks in some of its stages; it is
/// satisfied at every cut of them when the answer to each one is no.
pub(crate) fn questions(
    scene: &Scene<'_>,
    need: &Need,
    stages: RangeInclusive<usize>,
    providers: &Providers,
) -> Vec<Question> {
    let mut all = Vec::new();
    for stage in stages {
        let Some(window) = scene.window(need.life, stage) else { continue };
        unsatisfied(scene, need, providers, stage, &window, &mut all);
        // Who relies on all of them relies on no one in particular.
        if scene.sort(need) != Sort::ReplicaAware || scene.arity(need) == Arity::All {
            continue;
        }
        changed(scene, providers, stage, &window, &mut all);
        for from in scene.entries(need, stage) {
            // Bound once, at the entry: what is missing then stays missing.
            if let Some(entry) = scene.lives.get(need.life).stages[from].enter {
                let window = Slot::before(scene.events, entry);
                unsatisfied(scene, need, providers, stage, &window, &mut all);
            }
        }
    }
    all
}

fn unsatisfied(
    scene: &Scene<'_>,
    need: &Need,
    providers: &Providers,
    stage: usize,
    window: &Slot,
    all: &mut Vec<Question>,
) {
    let mut fewer_than = |number: usize, rows: Vec<Vec<Slot>>| {
        let together = (rows.len() + 1).saturating_sub(number);
        all.push(Question { stage, window: window.clone(), rows, together });
    };
    match scene.arity(need) {
        Arity::Any => {}
        Arity::AtLeast(number) => {
            let missing = |life| scene.may_miss(life, providers.capability);
            fewer_than(number as usize, providers.lives.iter().copied().map(missing).collect());
        }
        Arity::All => {
            let absent = providers.lives.iter().map(|life| scene.absent(*life)).collect();
            fewer_than(scene.wanted(need), absent);
            for life in &providers.lives {
                let silent = scene.may_be_silent(*life, providers.capability);
                all.push(Question {
                    stage,
                    window: window.clone(),
                    rows: vec![silent],
                    together: 1,
                });
            }
        }
    }
}

fn changed(
    scene: &Scene<'_>,
    providers: &Providers,
    stage: usize,
    window: &Slot,
    all: &mut Vec<Question>,
) {
    let entered = |slots: Vec<Slot>| -> Vec<Slot> {
        slots.into_iter().filter(|slot| slot.enter.is_some()).collect()
    };
    for life in &providers.lives {
        let row = entered(scene.may_miss(*life, providers.capability));
        all.push(Question { stage, window: window.clone(), rows: vec![row], together: 1 });
    }
}

/// How many ways there are to choose; saturates.
pub(crate) fn combinations(from: usize, choose: usize) -> usize {
    let choose = choose.min(from.saturating_sub(choose));
    (0..choose).fold(1_usize, |ways, at| ways.saturating_mul(from - at) / (at + 1))
}

/// The next combination in lexicographic order.
pub(crate) fn next_combination(chosen: &mut [usize], from: usize) -> bool {
    let size = chosen.len();
    let Some(at) = (0..size).rev().find(|at| chosen[*at] < from - (size - at)) else {
        return false;
    };
    chosen[at] += 1;
    for next in at + 1..size {
        chosen[next] = chosen[next - 1] + 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_comes_once() {
        let mut chosen = vec![0, 1];
        let mut all = vec![chosen.clone()];
        while next_combination(&mut chosen, 4) {
            all.push(chosen.clone());
        }
        assert_eq!(all, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
        assert_eq!(combinations(4, 2), 6);
        assert_eq!(combinations(5, 5), 1);
    }
}

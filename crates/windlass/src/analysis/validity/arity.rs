//! Tier T1 for needs with more than one provider: `all` and `at_least n`.
//!
//! "Fewer than n offer" means that some `m - n + 1` of the `m` providers do not offer at the same
//! time. For few combinations each one is asked like an ordinary meeting of slots, which also
//! gives the least cut and a proof that can be replayed; for many, a minimum cut decides
//! ([`super::closure`]), and the combination that it names is asked alone.
//!
//! `all` fails when fewer instances exist than are wanted, or when one exists and does not offer.
//! A replica-aware need is in addition bound to whoever offers when it is entered: it fails as
//! soon as one of those stops, and `all` of them also when a new instance appears.

use super::closure;
use super::fault_free::{Covered, Fault};
use super::needs::{Need, Providers, Scene};
use crate::lifecycle::protocol::{Arity, Element, Sort};
use crate::plan::events::EventId;
use crate::plan::lives::LifeId;
use crate::plan::slots::{self, Meeting, Slot};

/// Up to this many combinations each one gets a proof of its own.
const MOST_COMBINATIONS: usize = 2000;

/// The ways in which a need with an arity beyond `any` can fault, or why it cannot.
pub(super) fn faults(
    scene: &Scene<'_>,
    need: &Need,
    providers: &Providers,
    covered: &mut Vec<Covered>,
) -> Vec<Fault> {
    let mut faults = Vec::new();
    for stage in need.from..=need.to {
        let Some(window) = scene.window(need.life, stage) else {
            covered.push(Covered::NeverShows);
            continue;
        };
        let at = Place { scene, need, stage, window };
        at.unsatisfied(providers, covered, &mut faults);
        if scene.sort(need) == Sort::ReplicaAware {
            at.changed(providers, covered, &mut faults);
        }
    }
    if scene.sort(need) == Sort::ReplicaAware
        && let Some(entry) = scene.entry(need)
    {
        // Bound once, at the entry: what is missing then stays missing.
        let window = Slot::before(scene.events, entry);
        Place { scene, need, stage: need.from, window }.unsatisfied(
            providers,
            covered,
            &mut faults,
        );
    }
    faults
}

/// One window of a need.
struct Place<'a> {
    scene: &'a Scene<'a>,
    need: &'a Need,
    stage: usize,
    window: Slot,
}

impl Place<'_> {
    fn unsatisfied(
        &self,
        providers: &Providers,
        covered: &mut Vec<Covered>,
        faults: &mut Vec<Fault>,
    ) {
        let missing = |life: LifeId| self.scene.offering(life, providers.capability, false);
        match self.scene.arity(self.need) {
            Arity::Any => {}
            Arity::AtLeast(number) => {
                let rows = providers.lives.iter().map(|life| missing(*life)).collect();
                self.fewer_than(number as usize, &providers.lives, rows, covered, faults);
            }
            Arity::All => {
                let absent = |life: &LifeId| self.present_and(*life, false, |_| true);
                let rows: Vec<Vec<Slot>> = providers.lives.iter().map(absent).collect();
                let wanted = self.wanted();
                self.fewer_than(wanted, &providers.lives, rows, covered, faults);
                for &life in &providers.lives {
                    let silent = self.present_and(life, true, |element| {
                        let node = self.scene.lives.get(life).node;
                        let protocol = self.scene.application.protocol_of(node);
                        !protocol.is_some_and(|p| p.offers(element).contains(&providers.capability))
                    });
                    self.meets(&[life], &[silent], covered, faults);
                }
            }
        }
    }

    /// A replica-aware need holds on to the instances that it was bound to at its entry.
    fn changed(&self, providers: &Providers, covered: &mut Vec<Covered>, faults: &mut Vec<Fault>) {
        for &life in &providers.lives {
            let stops: Vec<Slot> = self
                .scene
                .offering(life, providers.capability, false)
                .into_iter()
                .filter(|slot| slot.enter.is_some())
                .collect();
            self.meets(&[life], &[stops], covered, faults);
            if self.scene.arity(self.need) == Arity::All {
                let born = self.present_and(life, true, |_| true);
                let born = born.into_iter().filter(|slot| slot.enter.is_some()).collect();
                self.meets(&[life], &[born], covered, faults);
            }
        }
    }

    /// How many instances of the target node `all` asks for: as many as are wanted, never none.
    fn wanted(&self) -> usize {
        let node = self.scene.lives.get(self.need.life).node;
        let binding = self.scene.application.node(node).binding(self.need.requirement);
        binding.map_or(1, |b| self.scene.application.node(b.target).count.max(1)) as usize
    }

    /// The slots in which an instance exists with a property of its element, or does not exist.
    fn present_and(&self, id: LifeId, present: bool, holds: impl Fn(Element) -> bool) -> Vec<Slot> {
        let life = self.scene.lives.get(id);
        let fits = |stage: usize| match life.stages[stage].element {
            Some(element) => present && holds(element),
            None => !present,
        };
        let runs = slots::runs(life.stages.len(), fits);
        runs.into_iter().map(|(from, to)| Slot::stages(life, from, to)).collect()
    }

    /// Whether fewer than `number` rows can be outside of all their slots at once.
    fn fewer_than(
        &self,
        number: usize,
        lives: &[LifeId],
        rows: Vec<Vec<Slot>>,
        covered: &mut Vec<Covered>,
        faults: &mut Vec<Fault>,
    ) {
        if rows.len() < number {
            return self.report(vec![self.window.clone()], faults);
        }
        // A row without a slot always counts; that many together are too few.
        let able: Vec<usize> = (0..rows.len()).filter(|row| !rows[*row].is_empty()).collect();
        let together = rows.len() - number + 1;
        if able.len() < together {
            let alone = lives.iter().zip(&rows).filter(|(_, row)| row.is_empty());
            covered.push(Covered::Always { providers: alone.map(|(life, _)| *life).collect() });
            return;
        }
        if combinations(able.len(), together) > MOST_COMBINATIONS {
            match closure::at_once(self.scene, &self.window, &rows, together) {
                None => covered.push(Covered::Counted { stage: self.stage, together }),
                Some(chosen) => {
                    let slots: Vec<Vec<Slot>> = chosen.iter().map(|r| rows[*r].clone()).collect();
                    let of: Vec<LifeId> = chosen.iter().map(|row| lives[*row]).collect();
                    self.meets(&of, &slots, covered, faults);
                }
            }
            return;
        }
        let mut chosen: Vec<usize> = (0..together).collect();
        loop {
            let picked: Vec<usize> = chosen.iter().map(|at| able[*at]).collect();
            let slots: Vec<Vec<Slot>> = picked.iter().map(|row| rows[*row].clone()).collect();
            let of: Vec<LifeId> = picked.iter().map(|row| lives[*row]).collect();
            self.meets(&of, &slots, covered, faults);
            if !next_combination(&mut chosen, able.len()) {
                return;
            }
        }
    }

    /// Asks whether the window and one slot of each row can hold at once.
    fn meets(
        &self,
        lives: &[LifeId],
        rows: &[Vec<Slot>],
        covered: &mut Vec<Covered>,
        faults: &mut Vec<Fault>,
    ) {
        let mut all: Vec<&[Slot]> = vec![std::slice::from_ref(&self.window)];
        all.extend(rows.iter().map(Vec::as_slice));
        match slots::meeting(&all, self.scene.events) {
            Meeting::Never(passed) => {
                let (stage, providers) = (self.stage, lives.to_vec());
                covered.push(Covered::Window { stage, providers, passed });
            }
            Meeting::At(chosen) => {
                let slots = all.iter().zip(chosen).map(|(row, at)| row[at].clone()).collect();
                self.report(slots, faults);
            }
        }
    }

    fn report(&self, slots: Vec<Slot>, faults: &mut Vec<Fault>) {
        let cut: Vec<EventId> = slots::least_cut(slots.iter());
        let later = usize::from(self.scene.is_operation(self.need.life, self.stage));
        let length = self.scene.events.count_below(&cut) + later;
        let (need, stage) = (self.need.clone(), self.stage);
        faults.push(Fault { need, stage, boxes: vec![slots], entry: Vec::new(), cut, length });
    }
}

/// How many ways there are to choose, cut off far above the limit.
fn combinations(from: usize, choose: usize) -> usize {
    let choose = choose.min(from - choose);
    (0..choose).fold(1_usize, |ways, at| ways.saturating_mul(from - at) / (at + 1))
}

/// The next combination in lexicographic order.
fn next_combination(chosen: &mut [usize], from: usize) -> bool {
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

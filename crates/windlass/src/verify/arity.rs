//! Tier T1 for needs with more than one provider: `all` and `at_least n`.
//!
//! "Fewer than n offer" means that some `m - n + 1` of the `m` providers do not offer at the same
//! time. For few combinations each one is asked like an ordinary meeting of slots, which also
//! gives the least cut and a proof that can be replayed; for many, a minimum cut decides
//! ([`closure`]), and the combination that it names is asked alone.
//!
//! `all` fails when fewer instances exist than are wanted, or when one exists and does not offer.
//! A replica-aware need of arity `at_least n` is in addition bound to n that offer when it is
//! entered, and fails as soon as one of those stops.

use super::fault_free::Fault;
use crate::plan::closure;
use crate::plan::counting::{self, Question};
use crate::plan::needs::{Need, Providers, Scene};
use crate::plan::slots::{self, Meeting, Slot};

/// The ways in which a need with an arity beyond `any` can fault.
pub(super) fn faults(scene: &Scene<'_>, need: &Need, providers: &Providers) -> Vec<Fault> {
    let mut faults = Vec::new();
    for question in counting::questions(scene, need, need.from..=need.to, providers) {
        let rows = &question.rows;
        let able = question.able();
        if question.together == 0 {
            report(scene, need, &question, vec![question.window.clone()], &mut faults);
        } else if counting::combinations(able.len(), question.together)
            > counting::MOST_COMBINATIONS
        {
            let chosen = closure::at_once(scene, &question.window, rows, question.together);
            if let Some(chosen) = chosen {
                ask(scene, need, &question, &chosen, &mut faults);
            }
        } else if able.len() >= question.together {
            let mut chosen: Vec<usize> = (0..question.together).collect();
            loop {
                let picked: Vec<usize> = chosen.iter().map(|at| able[*at]).collect();
                ask(scene, need, &question, &picked, &mut faults);
                if !counting::next_combination(&mut chosen, able.len()) {
                    break;
                }
            }
        }
    }
    faults
}

/// Asks whether the window and one slot of each chosen row can hold at once.
fn ask(
    scene: &Scene<'_>,
    need: &Need,
    question: &Question,
    chosen: &[usize],
    faults: &mut Vec<Fault>,
) {
    let mut rows: Vec<&[Slot]> = vec![std::slice::from_ref(&question.window)];
    rows.extend(chosen.iter().map(|row| question.rows[*row].as_slice()));
    if let Meeting::At(at) = slots::meeting(&rows, scene.events) {
        let slots = rows.iter().zip(at).map(|(row, at)| row[at].clone()).collect();
        report(scene, need, question, slots, faults);
    }
}

fn report(
    scene: &Scene<'_>,
    need: &Need,
    question: &Question,
    slots: Vec<Slot>,
    faults: &mut Vec<Fault>,
) {
    let cut = slots::least_cut(slots.iter());
    let later = usize::from(scene.is_operation(need.life, question.stage));
    let length = scene.events.count_below(&cut) + later;
    let (need, stage) = (need.clone(), question.stage);
    faults.push(Fault { need, stage, boxes: vec![slots], entry: Vec::new(), cut, length });
}

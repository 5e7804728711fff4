//! Tier T1: can any order of the plan make anything fault? Polynomial, exact for the policy `any`.
//!
//! For each need the question "is there a cut at which it is not satisfied" is one about slots of
//! lives (see [`slots`]): the window in which the fault shows, and for each provider a slot in
//! which it does not offer. No such cut for any need: no order faults or gets stuck, so the plan
//! is valid and deterministic, and for each need the slots passed over are the evidence. Else the
//! smallest cut is a shortest way to a fault.
//!
//! The statement, its assumptions and its proof stand in `docs/theory/fault-free.md`.

use super::needs::{Need, Providers, Scene};
use crate::lifecycle::protocol::{Arity, Sort};
use crate::plan::events::EventId;
use crate::plan::lives::LifeId;
use crate::plan::slots::{self, Meeting, PassedOver, Slot};

/// A way to a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The need that is not satisfied.
    pub need: Need,
    /// The stage of the need at which it shows.
    pub stage: usize,
    /// The boxes: an order avoids the fault if and only if it separates two slots of one of them.
    pub boxes: Vec<Vec<Slot>>,
    /// Events below which everything happens first; for a lost binding, entering comes before.
    pub entry: Vec<EventId>,
    /// Events below which everything has happened when the fault is there.
    pub cut: Vec<EventId>,
    /// How many events a shortest run to this fault has.
    pub length: usize,
}

/// Why a need is satisfied at every cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Covered {
    /// The fault never shows: the operation does not end within the plan.
    NeverShows,
    /// For a window, these providers and never one non-offering slot of each at once.
    Window {
        /// The stage of the window.
        stage: usize,
        /// The providers whose slots are compared; one alone is often enough.
        providers: Vec<LifeId>,
        /// The proof.
        passed: Vec<PassedOver>,
    },
    /// These providers do at every cut what is asked, so enough of them do.
    Always {
        /// The providers.
        providers: Vec<LifeId>,
    },
    /// A minimum cut showed that never so many providers fail at once.
    Counted {
        /// The stage of the window.
        stage: usize,
        /// How many would have to fail.
        together: usize,
    },
    /// At the entry of a run of a replica-aware need some provider offers.
    Bound {
        /// The providers whose slots are compared.
        providers: Vec<LifeId>,
        /// The proof.
        passed: Vec<PassedOver>,
    },
    /// A provider that may be bound at the entry does not stop offering before `stage` is over.
    Kept {
        /// The provider.
        provider: LifeId,
        /// Which offering slot it may be bound in.
        offered: usize,
        /// The stage.
        stage: usize,
        /// Whether the provider cannot be bound in that slot at all; else it does not stop.
        never_bound: bool,
        /// The proof.
        passed: Vec<PassedOver>,
    },
}

/// The evidence that nothing can fault: for each need why it is satisfied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cover {
    /// One or more entries for each need.
    pub needs: Vec<(Need, Vec<Covered>)>,
}

/// What the tier found out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultFree {
    /// No order faults or gets stuck.
    Always(Cover),
    /// Some order faults; a shortest way to a fault.
    Sometimes(Fault),
}

/// Asks every need. The plan must have passed T0a and T0b.
pub fn check(scene: &Scene<'_>) -> FaultFree {
    let mut cover = Cover::default();
    let mut shortest: Option<Fault> = None;
    for need in scene.needs() {
        let mut covered = Vec::new();
        for fault in faults(scene, &need, &mut covered) {
            if shortest.as_ref().is_none_or(|known| fault.length < known.length) {
                shortest = Some(fault);
            }
        }
        if shortest.is_none() {
            cover.needs.push((need, covered));
        }
    }
    match shortest {
        Some(fault) => FaultFree::Sometimes(fault),
        None => FaultFree::Always(cover),
    }
}

/// The ways in which one need can fault, or why it cannot.
fn faults(scene: &Scene<'_>, need: &Need, covered: &mut Vec<Covered>) -> Vec<Fault> {
    let providers = scene.providers(need);
    let nobody = Providers { capability: 0.into(), lives: Vec::new() };
    let providers = providers.as_ref().unwrap_or(&nobody);
    match (scene.sort(need), scene.arity(need)) {
        (Sort::ReplicaAware, Arity::Any) => bound(scene, need, providers, covered),
        (Sort::Containment, _) | (Sort::ReplicaUnaware, Arity::Any) => {
            let stages = need.from..=need.to;
            stages.filter_map(|stage| window(scene, need, stage, providers, covered)).collect()
        }
        (_, Arity::All | Arity::AtLeast(_)) => {
            super::arity::faults(scene, need, providers, covered)
        }
    }
}

/// Containment and replica-unaware: the window meets a non-offering slot of every provider.
fn window(
    scene: &Scene<'_>,
    need: &Need,
    stage: usize,
    providers: &Providers,
    covered: &mut Vec<Covered>,
) -> Option<Fault> {
    let Some(window) = scene.window(need.life, stage) else {
        covered.push(Covered::NeverShows);
        return None;
    };
    let later = usize::from(scene.is_operation(need.life, stage));
    match nobody_offers(scene, &window, providers) {
        Ok((by, passed)) => {
            covered.push(Covered::Window { stage, providers: by, passed });
            None
        }
        Err(slots) => {
            let cut = slots::least_cut(slots.iter());
            let length = scene.events.count_below(&cut) + later;
            let boxes = vec![slots];
            Some(Fault { need: need.clone(), stage, boxes, entry: Vec::new(), cut, length })
        }
    }
}

/// Why somebody always offers in a window, or the slots at which nobody does.
fn nobody_offers(
    scene: &Scene<'_>,
    window: &Slot,
    providers: &Providers,
) -> Result<(Vec<LifeId>, Vec<PassedOver>), Vec<Slot>> {
    let window_row = std::slice::from_ref(window);
    let missing: Vec<Vec<Slot>> = providers
        .lives
        .iter()
        .map(|life| scene.offering(*life, providers.capability, false))
        .collect();
    for (life, slots) in providers.lives.iter().zip(&missing) {
        if let Meeting::Never(passed) = slots::meeting(&[window_row, slots], scene.events) {
            return Ok((vec![*life], passed));
        }
    }
    let mut rows: Vec<&[Slot]> = vec![window_row];
    rows.extend(missing.iter().map(Vec::as_slice));
    match slots::meeting(&rows, scene.events) {
        Meeting::Never(passed) => Ok((providers.lives.clone(), passed)),
        Meeting::At(chosen) => {
            Err(rows.iter().zip(chosen).map(|(row, at)| row[at].clone()).collect())
        }
    }
}

/// Replica-aware: bound at the entry of the run to whoever offers then, and faulting when that
/// one stops, or when nobody offered.
fn bound(
    scene: &Scene<'_>,
    need: &Need,
    providers: &Providers,
    covered: &mut Vec<Covered>,
) -> Vec<Fault> {
    let Some(entry_event) = scene.entry(need) else {
        return bound_at_start(scene, need, providers, covered);
    };
    let entry = Slot::before(scene.events, entry_event);
    let mut faults = Vec::new();
    match nobody_offers(scene, &entry, providers) {
        Ok((by, passed)) => covered.push(Covered::Bound { providers: by, passed }),
        Err(slots) => faults.extend(unbound(scene, need, entry_event, slots)),
    }
    for &provider in &providers.lives {
        let offered = scene.offering(provider, providers.capability, true);
        for (at, slot) in offered.iter().enumerate() {
            let rows = [std::slice::from_ref(&entry), std::slice::from_ref(slot)];
            match slots::meeting(&rows, scene.events) {
                Meeting::Never(passed) => covered.push(Covered::Kept {
                    provider,
                    offered: at,
                    stage: need.from,
                    never_bound: true,
                    passed,
                }),
                Meeting::At(_) => {
                    let first = vec![entry.clone(), slot.clone()];
                    let after = (provider, at, slot.leave);
                    faults.extend(lost(scene, need, providers, &first, after, covered));
                }
            }
        }
    }
    faults
}

/// The fault of a run that nobody could be bound to when it was entered: there at once in a
/// state, at the end of an operation. A later offer does not help.
fn unbound(scene: &Scene<'_>, need: &Need, entry: EventId, slots: Vec<Slot>) -> Option<Fault> {
    let before = slots::least_cut(slots.iter());
    let shown_by = if scene.is_operation(need.life, need.from) {
        scene.window(need.life, need.from)?.leave?
    } else {
        entry
    };
    let mut cut = before.clone();
    cut.push(shown_by);
    let length = scene.events.count_below(&cut);
    let (need, stage) = (need.clone(), need.from);
    Some(Fault { need, stage, boxes: vec![slots], entry: before, cut, length })
}

/// A provider that was bound in one of its offering slots stops before a stage of the run ends.
fn lost(
    scene: &Scene<'_>,
    need: &Need,
    providers: &Providers,
    entry: &[Slot],
    (provider, offered, stops): (LifeId, usize, Option<EventId>),
    covered: &mut Vec<Covered>,
) -> Vec<Fault> {
    let missing = scene.offering(provider, providers.capability, false);
    // Only what comes after the offering slot can take the binding away.
    let later: Vec<Slot> = missing
        .into_iter()
        .filter(|slot| {
            slot.enter.zip(stops).is_some_and(|(enter, stops)| scene.events.at_most(stops, enter))
        })
        .collect();
    let mut faults = Vec::new();
    for stage in need.from..=need.to {
        let Some(window) = scene.window(need.life, stage) else {
            covered.push(Covered::NeverShows);
            continue;
        };
        let rows = [std::slice::from_ref(&window), later.as_slice()];
        match slots::meeting(&rows, scene.events) {
            Meeting::Never(passed) => {
                covered.push(Covered::Kept {
                    provider,
                    offered,
                    stage,
                    never_bound: false,
                    passed,
                });
            }
            Meeting::At(chosen) => {
                let second = vec![window.clone(), later[chosen[1]].clone()];
                let cut = slots::least_cut(second.iter());
                let later = usize::from(scene.is_operation(need.life, stage));
                let length = scene.events.count_below(&cut) + later;
                let first: Vec<Slot> = entry.to_vec();
                let entry = slots::least_cut(first.iter());
                let boxes = if first.is_empty() { vec![second] } else { vec![first, second] };
                faults.push(Fault { need: need.clone(), stage, boxes, entry, cut, length });
            }
        }
    }
    faults
}

/// A run that is there at the start keeps the binding it has.
fn bound_at_start(
    scene: &Scene<'_>,
    need: &Need,
    providers: &Providers,
    covered: &mut Vec<Covered>,
) -> Vec<Fault> {
    let bound = scene.bound_at_start(need);
    let offers_now = |life: &LifeId| {
        let slots = scene.offering(*life, providers.capability, true);
        slots.first().filter(|slot| slot.enter.is_none()).cloned()
    };
    let Some((provider, offered)) = bound.iter().find_map(|life| Some((*life, offers_now(life)?)))
    else {
        let stage = need.from;
        let later = usize::from(scene.is_operation(need.life, stage));
        return match scene.window(need.life, stage) {
            Some(window) => {
                let cut = slots::least_cut([&window].into_iter());
                let length = scene.events.count_below(&cut) + later;
                let boxes = vec![vec![window]];
                vec![Fault { need: need.clone(), stage, boxes, entry: Vec::new(), cut, length }]
            }
            None => {
                covered.push(Covered::NeverShows);
                Vec::new()
            }
        };
    };
    lost(scene, need, providers, &[], (provider, 0, offered.leave), covered)
}

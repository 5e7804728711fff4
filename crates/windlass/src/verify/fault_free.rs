//! Tier T1: can any order of the plan make anything fault? Polynomial, exact for the policy `any`.
//!
//! For each need the question "is there a cut at which it is not satisfied" is one about slots of
//! lives (see [`slots`]): the window in which the fault shows, and for each provider a slot in
//! which it does not offer. No such cut for any need: no order faults or gets stuck, so the plan
//! is valid and deterministic. Else the smallest cut is a shortest way to a fault.
//!
//! The statement, its assumptions and its proof stand in `docs/theory/fault-free.md`.

use crate::lifecycle::protocol::{Arity, Sort};
use crate::plan::events::EventId;
use crate::plan::lives::LifeId;
use crate::plan::needs::{Need, Providers, Scene};
use crate::plan::slots::{self, Meeting, Slot};

/// A way to a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The need that is not satisfied.
    pub(crate) need: Need,
    /// The stage of the need at which it shows.
    pub(crate) stage: usize,
    /// The boxes: an order avoids the fault if and only if it separates two slots of one of them.
    pub(crate) boxes: Vec<Vec<Slot>>,
    /// Events below which everything happens first; for a lost binding, entering comes before.
    pub(crate) entry: Vec<EventId>,
    /// Events below which everything has happened when the fault is there.
    pub(crate) cut: Vec<EventId>,
    /// How many events a shortest run to this fault has.
    pub length: usize,
}

/// A shortest way to a fault, or none when no order faults or gets stuck. The plan must have
/// passed T0a and T0b.
pub fn shortest_fault(scene: &Scene<'_>) -> Option<Fault> {
    // The first of several that are equally short.
    each_fault(scene).min_by_key(|fault| fault.length)
}

/// The ways in which needs can fault, in the order of needs. The shortest of them is a shortest
/// way to a fault; on another one something else may have faulted before.
pub(crate) fn all_faults(scene: &Scene<'_>) -> Vec<Fault> {
    each_fault(scene).collect()
}

fn each_fault(scene: &Scene<'_>) -> impl Iterator<Item = Fault> {
    scene.needs().flat_map(|need| faults(scene, &need))
}

/// The ways in which one need can fault.
fn faults(scene: &Scene<'_>, need: &Need) -> Vec<Fault> {
    let none = Providers { capability: 0.into(), lives: Vec::new() };
    let providers = scene.providers(need).unwrap_or(none);
    match (scene.sort(need), scene.arity(need)) {
        (Sort::ReplicaAware, Arity::Any) => bound(scene, need, &providers),
        (Sort::Containment, _) | (Sort::ReplicaUnaware, Arity::Any) => {
            let stages = need.from..=need.to;
            stages.filter_map(|stage| window(scene, need, stage, &providers)).collect()
        }
        (_, Arity::All | Arity::AtLeast(_)) => super::arity::faults(scene, need, &providers),
    }
}

/// Containment and replica-unaware: the window meets a non-offering slot of every provider.
fn window(scene: &Scene<'_>, need: &Need, stage: usize, providers: &Providers) -> Option<Fault> {
    let window = scene.window(need.life, stage)?;
    let slots = no_offer(scene, &window, providers)?;
    let cut = slots::least_cut(slots.iter());
    let later = usize::from(scene.is_operation(need.life, stage));
    let length = scene.events.count_below(&cut) + later;
    let boxes = vec![slots];
    Some(Fault { need: need.clone(), stage, boxes, entry: Vec::new(), cut, length })
}

/// Slots at which no provider offers in a window, when there are such.
fn no_offer(scene: &Scene<'_>, window: &Slot, providers: &Providers) -> Option<Vec<Slot>> {
    let window_row = std::slice::from_ref(window);
    let mut missing = Vec::with_capacity(providers.lives.len());
    for life in &providers.lives {
        let slots = scene.may_miss(*life, providers.capability);
        // One provider that is always there is enough, and quickly found.
        if let Meeting::Never(_) = slots::meeting(&[window_row, &slots], scene.events) {
            return None;
        }
        missing.push(slots);
    }
    let mut rows: Vec<&[Slot]> = vec![window_row];
    rows.extend(missing.iter().map(Vec::as_slice));
    match slots::meeting(&rows, scene.events) {
        Meeting::Never(_) => None,
        Meeting::At(chosen) => {
            Some(rows.iter().zip(chosen).map(|(row, at)| row[at].clone()).collect())
        }
    }
}

/// Replica-aware: bound at the entry of the run to an instance that offers then, and faulting
/// when that one stops, or when none offered.
fn bound(scene: &Scene<'_>, need: &Need, providers: &Providers) -> Vec<Fault> {
    let Some(entry_event) = scene.entry(need) else {
        return bound_at_start(scene, need, providers);
    };
    let entry = Slot::before(scene.events, entry_event);
    let mut faults = Vec::new();
    if let Some(slots) = no_offer(scene, &entry, providers) {
        faults.extend(unbound(scene, need, entry_event, slots));
    }
    for &provider in &providers.lives {
        for slot in scene.may_offer(provider, providers.capability) {
            let rows = [std::slice::from_ref(&entry), std::slice::from_ref(&slot)];
            if let Meeting::At(_) = slots::meeting(&rows, scene.events) {
                let first = vec![entry.clone(), slot.clone()];
                faults.extend(lost(scene, need, providers, &first, provider, &slot));
            }
        }
    }
    faults
}

/// The fault of a run without a provider to be bound to when it was entered: there at once in a
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
    provider: LifeId,
    offered: &Slot,
) -> Vec<Fault> {
    let fails = scene.may_miss(provider, providers.capability);
    let later = slots::not_before(fails, offered, scene.events);
    let mut faults = Vec::new();
    for stage in need.from..=need.to {
        let Some(window) = scene.window(need.life, stage) else { continue };
        let rows = [std::slice::from_ref(&window), later.as_slice()];
        let Meeting::At(chosen) = slots::meeting(&rows, scene.events) else { continue };
        let second = vec![window.clone(), later[chosen[1]].clone()];
        let cut = slots::least_cut(second.iter());
        let shown_later = usize::from(scene.is_operation(need.life, stage));
        let length = scene.events.count_below(&cut) + shown_later;
        let boxes = if entry.is_empty() { vec![second] } else { vec![entry.to_vec(), second] };
        let entry = slots::least_cut(entry.iter());
        faults.push(Fault { need: need.clone(), stage, boxes, entry, cut, length });
    }
    faults
}

/// A run that is there at the start keeps the binding it has.
fn bound_at_start(scene: &Scene<'_>, need: &Need, providers: &Providers) -> Vec<Fault> {
    if let Some((provider, offered)) = scene.offering_at_start(need, providers.capability) {
        return lost(scene, need, providers, &[], provider, &offered);
    }
    let stage = need.from;
    let Some(window) = scene.window(need.life, stage) else { return Vec::new() };
    let cut = slots::least_cut([&window].into_iter());
    let shown_later = usize::from(scene.is_operation(need.life, stage));
    let length = scene.events.count_below(&cut) + shown_later;
    let boxes = vec![vec![window]];
    vec![Fault { need: need.clone(), stage, boxes, entry: Vec::new(), cut, length }]
}

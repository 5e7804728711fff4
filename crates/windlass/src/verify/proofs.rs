//! Why requirements are satisfied: the proofs of a cover.

use crate::lifecycle::protocol::{Arity, Sort};
use crate::plan::closure;
use crate::plan::counting::{self, Question};
use crate::plan::cover::{Counted, Entry, Kept, Offered, Origin, Proof, Satisfied};
use crate::plan::lives::LifeId;
use crate::plan::needs::{Need, Providers, Scene};
use crate::plan::slots::{self, Meeting, Slot};

/// Everything that can be shown to be satisfied, in the order of lives, stages and requirements.
pub(super) fn satisfied(scene: &Scene<'_>) -> Vec<Satisfied> {
    let mut all = Vec::new();
    for need in scene.needs() {
        let Some(providers) = scene.providers(&need) else { continue };
        for stage in need.from..=need.to {
            if let Some(proof) = proof(scene, &need, stage, &providers) {
                let Need { life, requirement, .. } = need;
                all.push(Satisfied { life, stage, requirement, proof });
            }
        }
    }
    all.sort_by_key(|s: &Satisfied| (s.life, s.stage, s.requirement));
    all
}

fn proof(scene: &Scene<'_>, need: &Need, stage: usize, providers: &Providers) -> Option<Proof> {
    let Some(window) = scene.window(need.life, stage) else { return Some(Proof::NeverShows) };
    match (scene.sort(need), scene.arity(need)) {
        (Sort::ReplicaAware, Arity::Any) => {
            let entries = scene.entries(need, stage).into_iter();
            let entries = entries.map(|from| entry(scene, need, from, &window, providers));
            entries.collect::<Option<Vec<Entry>>>().map(Proof::Bound)
        }
        (Sort::Containment, _) | (Sort::ReplicaUnaware, Arity::Any) => {
            offered(scene, &window, providers).map(Proof::Offered)
        }
        (_, Arity::All | Arity::AtLeast(_)) => {
            let questions = counting::questions(scene, need, stage..=stage, providers);
            let answers = questions.iter().map(|question| counted(scene, question));
            answers.collect::<Option<Vec<Counted>>>().map(Proof::Counted)
        }
    }
}

/// Some provider offers at every cut of a window.
fn offered(scene: &Scene<'_>, window: &Slot, providers: &Providers) -> Option<Offered> {
    let window_row = std::slice::from_ref(window);
    let mut missing = Vec::with_capacity(providers.lives.len());
    for life in &providers.lives {
        let slots = scene.may_miss(*life, providers.capability);
        if let Meeting::Never(passed) = slots::meeting(&[window_row, &slots], scene.events) {
            return Some(Offered { providers: vec![*life], passed });
        }
        missing.push(slots);
    }
    let mut rows: Vec<&[Slot]> = vec![window_row];
    rows.extend(missing.iter().map(Vec::as_slice));
    match slots::meeting(&rows, scene.events) {
        Meeting::Never(passed) => Some(Offered { providers: providers.lives.clone(), passed }),
        Meeting::At(_) => None,
    }
}

/// A binding made at `from` is still good in the window.
fn entry(
    scene: &Scene<'_>,
    need: &Need,
    from: usize,
    window: &Slot,
    providers: &Providers,
) -> Option<Entry> {
    let Some(event) = scene.lives.get(need.life).stages[from].enter else {
        let (provider, slot) = scene.offering_at_start(need, providers.capability)?;
        let kept = keeps(scene, provider, &slot, window, providers)?;
        return Some(Entry { stage: from, origin: Origin::Start(provider), kept: vec![kept] });
    };
    let entry = Slot::before(scene.events, event);
    let origin = Origin::Entered(offered(scene, &entry, providers)?);
    let mut kept = Vec::new();
    for &provider in &providers.lives {
        for slot in scene.may_offer(provider, providers.capability) {
            let rows = [std::slice::from_ref(&entry), std::slice::from_ref(&slot)];
            kept.push(match slots::meeting(&rows, scene.events) {
                Meeting::Never(passed) => Kept { never_bound: true, passed },
                Meeting::At(_) => keeps(scene, provider, &slot, window, providers)?,
            });
        }
    }
    Some(Entry { stage: from, origin, kept })
}

/// A provider that was bound in a slot does not fail from then on while the window lasts.
fn keeps(
    scene: &Scene<'_>,
    provider: LifeId,
    slot: &Slot,
    window: &Slot,
    providers: &Providers,
) -> Option<Kept> {
    let fails = scene.may_miss(provider, providers.capability);
    let later = slots::not_before(fails, slot, scene.events);
    match slots::meeting(&[std::slice::from_ref(window), &later], scene.events) {
        Meeting::Never(passed) => Some(Kept { never_bound: false, passed }),
        Meeting::At(_) => None,
    }
}

/// A question of counting is answered by no.
fn counted(scene: &Scene<'_>, question: &Question) -> Option<Counted> {
    let Question { window, rows, together, .. } = question;
    if *together == 0 {
        return None;
    }
    let able = question.able();
    if able.len() < *together {
        return Some(Counted::TooFew);
    }
    if counting::combinations(able.len(), *together) > counting::MOST_COMBINATIONS {
        let found = closure::at_once(scene, window, rows, *together);
        return found.is_none().then_some(Counted::MinimumCut);
    }
    let mut proofs = Vec::new();
    let mut chosen: Vec<usize> = (0..*together).collect();
    loop {
        let mut all: Vec<&[Slot]> = vec![std::slice::from_ref(window)];
        all.extend(chosen.iter().map(|at| rows[able[*at]].as_slice()));
        match slots::meeting(&all, scene.events) {
            Meeting::Never(passed) => proofs.push(passed),
            Meeting::At(_) => return None,
        }
        if !counting::next_combination(&mut chosen, able.len()) {
            return Some(Counted::Combinations(proofs));
        }
    }
}

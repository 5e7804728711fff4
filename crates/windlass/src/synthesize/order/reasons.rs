//! Why one action of a sequence has to come before another.
//!
//! Edges of the order carry one of few reasons: both are about one instance; a container comes
//! before what lives in it and goes after; a provider is established before its user; a user is
//! gone before its provider, or another provider is there before; an invariant of the goal.
//! Everything else may happen at the same time.

use std::collections::{BTreeMap, BTreeSet};

use crate::application::{Application, GlobalState, InstanceId};
use crate::lifecycle::protocol::{Arity, Element, Sort};
use crate::plan::events::{EventId, Events};
use crate::plan::lives::{LifeId, Lives};
use crate::plan::needs::{Need, Possible, Providers, Scene};
use crate::plan::slots::Slot;
use crate::plan::{Plan, PlanAction};

/// An edge by the indices of its steps.
pub(crate) type Edge = (usize, usize);

/// The edges of an order, each with its reason. Those of `structure` cannot be left out.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reasons {
    /// One instance, its container, its name.
    pub(crate) structure: BTreeMap<Edge, String>,
    /// Providers and users.
    pub(crate) needs: BTreeMap<Edge, String>,
    /// Invariants of the goal.
    pub(crate) invariants: BTreeMap<Edge, String>,
    /// The steps that change what invariants look at.
    pub(crate) watched: Vec<usize>,
}

/// The reasons in a sequence that is free of faults; none when its structure is not in order.
/// `watched` are the nodes that invariants look at.
pub(crate) fn reasons(
    application: &Application,
    start: &GlobalState,
    sequence: &Plan,
    watched: &[bool],
) -> Option<Reasons> {
    let events = Events::new(sequence).ok()?;
    let lives = Lives::new(application, start, sequence, &events).ok()?;
    let possible = Possible::planned(&lives);
    let scene = Scene { application, start, events: &events, lives: &lives, possible: &possible };
    let mut finding = Finding { scene, found: Reasons::default() };
    finding.structure();
    for need in scene.needs() {
        finding.need(&need);
    }
    finding.invariants(sequence, watched);
    let Reasons { structure, mut needs, mut invariants, watched } = finding.found;
    needs.retain(|edge, _| !structure.contains_key(edge));
    invariants.retain(|edge, _| !structure.contains_key(edge) && !needs.contains_key(edge));
    Some(Reasons { structure, needs, invariants, watched })
}

/// Steps of a sequence have their events in order, so the number of an event is its time. A slot
/// that holds from the start has no entering event and counts as before everything.
fn time(event: Option<EventId>) -> i64 {
    event.map_or(-1, |event| i64::from(event.0))
}

/// When a slot ends; never is after everything.
fn end(event: Option<EventId>) -> i64 {
    event.map_or(i64::MAX, |event| i64::from(event.0))
}

struct Finding<'a> {
    scene: Scene<'a>,
    found: Reasons,
}

impl Finding<'_> {
    fn edge(&mut self, before: Option<EventId>, after: Option<EventId>, why: impl Fn() -> String) {
        let (Some(before), Some(after)) = (before, after) else { return };
        let steps = (self.scene.events.get(before).step, self.scene.events.get(after).step);
        if steps.0 < steps.1 {
            self.found.needs.entry(steps).or_insert_with(why);
        }
    }

    fn structure(&mut self) {
        let scene = self.scene;
        let step = |event: EventId| scene.events.get(event).step;
        let mut last_of_id: BTreeMap<&InstanceId, EventId> = BTreeMap::new();
        let mut add = |before: EventId, after: EventId, why: String| {
            if step(before) != step(after) {
                self.found.structure.entry((step(before), step(after))).or_insert(why);
            }
        };
        for life in scene.lives.ids().map(|id| scene.lives.get(id)) {
            let enters: Vec<EventId> = life.stages.iter().filter_map(|s| s.enter).collect();
            let container = life.container.map(|id| scene.lives.get(id));
            for pair in enters.windows(2) {
                let by_container = container.is_some_and(|c| c.death() == Some(pair[1]));
                let why = match container {
                    Some(container) if by_container => {
                        format!("{} goes with {}", life.instance, container.instance)
                    }
                    _ => format!("both are about {}", life.instance),
                };
                add(pair[0], pair[1], why);
            }
            if let (Some(birth), Some(previous)) = (life.birth(), last_of_id.get(&life.instance)) {
                add(*previous, birth, format!("the name {} is used again", life.instance));
            }
            if let Some(last) = enters.last() {
                last_of_id.insert(&life.instance, *last);
            }
            let Some(container) = container else { continue };
            if let (Some(born), Some(birth)) = (container.birth(), life.birth()) {
                add(born, birth, format!("{} contains {}", container.instance, life.instance));
            }
        }
    }

    fn need(&mut self, need: &Need) {
        let life = self.scene.lives.get(need.life);
        let is_operation = matches!(life.stages[need.to].element, Some(Element::Transition(_)));
        let ends = life.stages.get(need.to + 1).is_some_and(|next| next.element.is_some());
        // The fault of an operation shows at its end; without one it never does.
        if is_operation && !ends && need.from == need.to {
            return;
        }
        let Some(providers) = self.scene.providers(need) else { return };
        match (self.scene.sort(need), self.scene.arity(need)) {
            (Sort::Containment, _) => self.contained(need, &providers),
            (Sort::ReplicaUnaware, Arity::Any) => self.handed_over(need, &providers),
            (Sort::ReplicaAware, Arity::Any) => self.bound(need, &providers),
            (_, Arity::All | Arity::AtLeast(_)) => self.as_in_sequence(need, &providers),
        }
    }

    fn entry(&self, need: &Need) -> Option<EventId> {
        self.scene.entry(need)
    }

    fn leave(&self, need: &Need) -> Option<EventId> {
        self.scene.lives.get(need.life).leave(need.to)
    }

    fn offers(&self, need: &Need, provider: LifeId) -> String {
        let user = self.scene.lives.get(need.life);
        let name = self.scene.application.type_of(user.node).requirements[need.requirement.index()]
            .name
            .clone();
        let provider = &self.scene.lives.get(provider).instance;
        format!("{provider} is {name} of {}", user.instance)
    }

    /// The container offers as long as the need lasts.
    fn contained(&mut self, need: &Need, providers: &Providers) {
        let (entry, leave) = (self.entry(need), self.leave(need));
        for provider in &providers.lives {
            for slot in self.scene.may_offer(*provider, providers.capability) {
                if time(slot.enter) < time(entry).max(0) && end(slot.leave) > time(entry) {
                    let why = self.offers(need, *provider);
                    self.edge(slot.enter, entry, || why.clone());
                    self.edge(leave, slot.leave, || format!("until then {why}"));
                }
            }
        }
    }

    /// Some provider offers at any time: one to the end, or one after another, each there before
    /// the one before stops.
    fn handed_over(&mut self, need: &Need, providers: &Providers) {
        let mut slots: Vec<(LifeId, Slot)> = Vec::new();
        for provider in &providers.lives {
            let of = self.scene.may_offer(*provider, providers.capability);
            slots.extend(of.into_iter().map(|slot| (*provider, slot)));
        }
        let leave = self.leave(need);
        let (mut from, mut now) = (self.entry(need), time(self.entry(need)));
        loop {
            let there = slots.iter().filter(|(_, slot)| {
                (time(slot.enter) < now || slot.enter.is_none()) && end(slot.leave) > now
            });
            // Who lasts comes first, then who needs no edge at the end, then who is there first.
            let best = there.min_by_key(|(_, slot)| {
                let lasts = end(slot.leave) >= end(leave);
                let rank = if lasts { i64::MIN } else { -end(slot.leave) };
                (rank, slot.leave.is_some(), time(slot.enter))
            });
            let Some((provider, slot)) = best.cloned() else { return };
            let why = self.offers(need, provider);
            self.edge(slot.enter, from, || why.clone());
            if end(slot.leave) >= end(leave) {
                self.edge(leave, slot.leave, || format!("until then {why}"));
                return;
            }
            from = slot.leave;
            now = time(slot.leave);
        }
    }

    /// What offers when the need begins may be bound, and must not stop while it lasts.
    fn bound(&mut self, need: &Need, providers: &Providers) {
        let (entry, leave) = (self.entry(need), self.leave(need));
        let bound_at_start = self.scene.bound_at_start(need);
        let mut first: Option<(bool, i64, LifeId, Slot)> = None;
        for provider in &providers.lives {
            if entry.is_none() && !bound_at_start.contains(provider) {
                continue;
            }
            let why = self.offers(need, *provider);
            for slot in self.scene.may_offer(*provider, providers.capability) {
                let is_over = end(slot.leave) <= time(entry);
                let is_later = slot.enter.is_some() && time(slot.enter) > time(entry);
                if is_over {
                    self.edge(slot.leave, entry, || format!("so that not {why}"));
                } else if is_later {
                    if slot.leave.is_some() && end(slot.leave) < end(leave) {
                        self.edge(entry, slot.enter, || format!("so that not {why}"));
                    } else {
                        self.edge(leave, slot.leave, || format!("until then {why}"));
                    }
                } else {
                    self.edge(leave, slot.leave, || format!("until then {why}"));
                    let key = (slot.leave.is_some(), time(slot.enter));
                    if first.as_ref().is_none_or(|(late, at, ..)| key < (*late, *at)) {
                        first = Some((key.0, key.1, *provider, slot));
                    }
                }
            }
        }
        if let Some((_, _, provider, slot)) = first {
            let why = self.offers(need, provider);
            self.edge(slot.enter, entry, || why.clone());
        }
    }

    /// Where the number of providers counts, what changes it while the need lasts stays as it is in
    /// the sequence.
    fn as_in_sequence(&mut self, need: &Need, providers: &Providers) {
        let (entry, leave) = (self.entry(need), self.leave(need));
        let mut changes: Vec<(EventId, LifeId)> = Vec::new();
        for provider in &providers.lives {
            let life = self.scene.lives.get(*provider);
            changes.extend(life.stages.iter().filter_map(|s| s.enter).map(|e| (e, *provider)));
        }
        changes.sort_unstable();
        for (event, provider) in &changes {
            let why = self.offers(need, *provider);
            let at = i64::from(event.0);
            if at < time(entry) {
                self.edge(Some(*event), entry, || why.clone());
            } else if at <= end(leave) {
                self.edge(entry, Some(*event), || why.clone());
                self.edge(Some(*event), leave, || why.clone());
            } else {
                self.edge(leave, Some(*event), || why.clone());
            }
        }
        // What happens before the need or after it leads to the same number in whatever order.
        let lasts = |event: EventId| {
            let at = i64::from(event.0);
            at >= time(entry) && at <= end(leave)
        };
        for pair in changes.windows(2).filter(|pair| lasts(pair[0].0) && lasts(pair[1].0)) {
            let why = self.offers(need, pair[1].1);
            self.edge(Some(pair[0].0), Some(pair[1].0), || why.clone());
        }
    }

    /// What invariants look at happens in the order of the sequence, so that every run passes
    /// through the same states of it.
    fn invariants(&mut self, sequence: &Plan, watched: &[bool]) {
        let scene = self.scene;
        let mut steps: Vec<usize> = Vec::new();
        for life in scene.lives.ids().map(|id| scene.lives.get(id)) {
            if watched[life.node.index()] {
                let enters = life.stages.iter().filter_map(|stage| stage.enter);
                steps.extend(enters.map(|event| scene.events.get(event).step));
            }
        }
        steps.sort_unstable();
        steps.dedup();
        for pair in steps.windows(2) {
            let about = sequence.steps[pair[1]].action.instance();
            let why = format!("an invariant looks at {about}");
            self.found.invariants.entry((pair[0], pair[1])).or_insert(why);
        }
        self.found.watched = steps;
    }
}

/// The label of an action: unique among those given already. An instance that has an operation
/// called `create` or `remove` of its own is said to be added and dropped, so that the two are not
/// confused; `operations` has the plain labels of those.
pub(crate) fn label(
    action: &PlanAction,
    operations: &BTreeSet<String>,
    times: &mut BTreeMap<String, usize>,
) -> String {
    let unless_taken =
        |usual: String, other: String| if operations.contains(&usual) { other } else { usual };
    let plain = match action {
        PlanAction::Operation { instance, operation } => format!("{operation} {instance}"),
        PlanAction::ScaleOut { instance, .. } => {
            unless_taken(format!("create {instance}"), format!("add {instance}"))
        }
        PlanAction::ScaleIn { instance } => {
            unless_taken(format!("remove {instance}"), format!("drop {instance}"))
        }
    };
    let count = times.entry(plain.clone()).or_insert(0);
    *count += 1;
    if *count == 1 { plain } else { format!("{plain} #{count}") }
}

//! The checker outside: it knows the rules of the library and what the world really did, and
//! nothing of the dispatcher, its machines or its fold.
//!
//! 1. The journal is a trace of the semantics: every intent is a step that the rules allow.
//! 2. Nothing that must not happen twice happened twice.
//! 3. Nothing is lost: what the journal calls done was done, and in the end the goal holds.

use std::collections::{BTreeMap, BTreeSet};

use windlass::application::assembly::{Assembly, TransitionId};
use windlass::application::{Application, GlobalState, InstanceId};
use windlass::goal::GoalFile;
use windlass::goal::evaluate::Closure;
use windlass::lang::documents;
use windlass::lifecycle::implementation::Effect;
use windlass::lifecycle::protocol::Element as Place;
use windlass::plan::{Plan, PlanAction};
use windlass::semantics::net::{Action as Rule, Madeus, Valuation};
use windlass::semantics::replica::observe::{Observation, observe};
use windlass::semantics::replica::{Action, Creation, Replica, observable};
use windlass::source::Sources;
use windlass::system::System;
use windlass_run::entry::{End, Entry, OrderId, Task, Witness};
use windlass_run::world::simulated::Simulated;

/// What happened to one order.
pub(crate) struct Story {
    pub(crate) generation: usize,
    pub(crate) task: Option<Task>,
    label: String,
    end: Option<(End, Option<Witness>)>,
}

/// The orders of a journal, by number; each intent has at most one outcome.
pub(crate) fn stories(entries: &[Entry]) -> Result<BTreeMap<OrderId, Story>, String> {
    let mut stories: BTreeMap<OrderId, Story> = BTreeMap::new();
    let mut generation = 0;
    for entry in entries {
        match entry {
            Entry::Planned { .. } => generation += 1,
            Entry::TakenUp { .. } => generation += 0,
            Entry::Intent { order, task, label, .. } => {
                let story = Story { generation, task: *task, label: label.clone(), end: None };
                if stories.insert(*order, story).is_some() {
                    return Err(format!("two intents have the number {}", order.0));
                }
            }
            Entry::Outcome { order, end, witness } => {
                let story = stories.get_mut(order).ok_or("an outcome without an intent")?;
                if story.end.replace((end.clone(), *witness)).is_some() {
                    return Err(format!("`{}` ended twice", story.label));
                }
            }
            _ => {}
        }
    }
    Ok(stories)
}

/// Points 2 and 3, as far as they are about commands.
pub(crate) fn commands(
    stories: &BTreeMap<OrderId, Story>,
    world: &Simulated,
    effect: impl Fn(&str) -> Option<Effect>,
) -> Result<(), String> {
    let executed = world.executed();
    // What was carried out has an intent: nothing happens that was not written down before.
    for order in executed.keys() {
        if !stories.contains_key(order) {
            return Err(format!("order {} was carried out and never written down", order.0));
        }
    }
    let mut begun: BTreeMap<(usize, &str), Vec<OrderId>> = BTreeMap::new();
    for (order, story) in stories {
        let label = story.label.as_str();
        let really = executed.get(order);
        match &story.end {
            Some((End::Done, witness)) if effect(label).is_some() => {
                let by_operator = *witness == Some(Witness::Operator);
                if really != Some(&End::Done) && !by_operator {
                    return Err(format!("`{label}` is called done and was {really:?}"));
                }
            }
            Some((End::NotDone, Some(Witness::World))) if really.is_some() => {
                return Err(format!("`{label}` is called not done and was {really:?}"));
            }
            _ => {}
        }
        if effect(label) == Some(Effect::AtMostOnce) && really == Some(&End::Done) {
            begun.entry((story.generation, label)).or_default().push(*order);
        }
    }
    match begun.iter().find(|(_, orders)| orders.len() > 1) {
        Some(((_, label), orders)) => Err(format!("`{label}` was done {} times", orders.len())),
        None => Ok(()),
    }
}

/// A journal of plans.
pub(crate) fn of_plans(
    application: &Application,
    goal: &GoalFile,
    entries: &[Entry],
    world: &Simulated,
) -> Result<(), String> {
    let stories = stories(entries)?;
    commands(&stories, world, |label| declared(application, label))?;
    let states = follow(application, entries, &stories)?;
    let holds = |state: &GlobalState| goal.goal.holds(application, state, Closure::Open);
    if !states.iter().any(holds) {
        return Err("the journal does not lead to the goal".to_owned());
    }
    fitting(application, states.iter(), world)
}

/// What the operation of a label declares.
pub(crate) fn declared(application: &Application, label: &str) -> Option<Effect> {
    let (operation, instance) = label.split_once(' ')?;
    // Instances are called like their types, with a number or without.
    let named = application.types.iter().filter(|it| instance.starts_with(&it.name));
    let found = named.flat_map(|it| &it.operations).filter(|it| it.run.is_some());
    let found = found.filter(|it| it.name == operation);
    found.map(|it| it.effect.clone().unwrap_or(Effect::AtMostOnce)).next()
}

/// Processes are where the model says in one of these states, and nowhere else.
pub(crate) fn fitting<'s>(
    application: &Application,
    mut states: impl Iterator<Item = &'s GlobalState>,
    world: &Simulated,
) -> Result<(), String> {
    let wanted = |state: &GlobalState| -> BTreeSet<String> {
        let runs = state.instances.iter().filter(|(_, instance)| {
            let Place::State(state) = instance.element else { return false };
            application.type_of(instance.node).processes.contains_key(&state)
        });
        runs.map(|(id, _)| id.0.clone()).collect()
    };
    let (running, unseen) = (world.running(), world.unseen());
    if !states.any(|state| wanted(state).difference(&unseen).eq(&running)) {
        return Err(format!("these processes run: {running:?}"));
    }
    Ok(())
}

/// Every state that the journal can have led to, by the rules alone.
fn follow(
    application: &Application,
    entries: &[Entry],
    stories: &BTreeMap<OrderId, Story>,
) -> Result<BTreeSet<GlobalState>, String> {
    let mut replica = Replica::new(application, GlobalState::empty()).ok_or("nets")?;
    let mut states = BTreeSet::from([GlobalState::empty()]);
    let mut plan = Plan::default();
    let mut started: BTreeSet<(usize, u32)> = BTreeSet::new();
    for entry in entries {
        match entry {
            Entry::Planned { plan: text, .. } => {
                let mut sources = Sources::new();
                let root = sources.add("plan", text.text());
                plan = documents::read_plan(root, &sources).document.ok_or("no plan")?;
                replica.pool = Creation::planned(application, &plan);
            }
            Entry::Intent { order, task: Some(task), .. } => {
                let generation = stories[order].generation;
                if let PlanAction::Operation { instance, operation } = action(&plan, *task)
                    && started.insert((generation, task.0))
                {
                    let action = Action::OpStart { instance, operation };
                    states = step(&replica, &states, &action)?;
                }
            }
            Entry::Outcome { order, end: End::Done, .. } => {
                let Some(task) = stories[order].task else { continue };
                let action = match action(&plan, task) {
                    PlanAction::Operation { instance, operation } => {
                        Action::OpEnd { instance, operation }
                    }
                    PlanAction::ScaleIn { instance } => Action::ScaleIn { instance },
                    PlanAction::ScaleOut { node, instance, container } => {
                        let node = application.node_named(&node).ok_or("no such node")?;
                        Action::create(&Creation { instance, node, container })
                    }
                };
                // An operation whose instance died meanwhile ends in vain.
                if let Ok(after) = step(&replica, &states, &action) {
                    states = after;
                }
            }
            Entry::GaveUp { task, .. } => {
                let instance = action(&plan, *task).instance().clone();
                states = given_up(&replica, &states, &instance)?;
                started.retain(|(_, other)| *other != task.0);
            }
            Entry::Observed { instance, .. } => {
                let seen = Observation::Crashed { instance: instance.as_str().into() };
                states = observed(&replica, &states, |_| Some(seen.clone()))?;
            }
            _ => {}
        }
    }
    Ok(states)
}

pub(crate) fn action(plan: &Plan, task: Task) -> PlanAction {
    plan.steps[task.0 as usize].action.clone()
}

fn step(
    replica: &Replica<'_>,
    states: &BTreeSet<GlobalState>,
    action: &Action,
) -> Result<BTreeSet<GlobalState>, String> {
    let mut after = BTreeSet::new();
    let mut refused = String::new();
    for state in states {
        match observable::outcomes(replica, state, action) {
            Ok(outcomes) => after.extend(outcomes.into_iter().map(|outcome| outcome.state)),
            Err(blocked) => refused = format!("{blocked:?}"),
        }
    }
    if after.is_empty() { Err(format!("{action:?} is no step: {refused}")) } else { Ok(after) }
}

fn observed(
    replica: &Replica<'_>,
    states: &BTreeSet<GlobalState>,
    seen: impl Fn(&GlobalState) -> Option<Observation>,
) -> Result<BTreeSet<GlobalState>, String> {
    let mut after = BTreeSet::new();
    for state in states {
        match seen(state) {
            Some(observation) => {
                let outcomes = observe(replica, state, &observation);
                let outcomes = outcomes.map_err(|blocked| format!("{blocked:?}"))?;
                after.extend(outcomes.into_iter().map(|outcome| outcome.state));
            }
            None => {
                after.insert(state.clone());
            }
        }
    }
    Ok(after)
}

/// An operation that failed for good: its instance is in the state that it started from.
fn given_up(
    replica: &Replica<'_>,
    states: &BTreeSet<GlobalState>,
    instance: &InstanceId,
) -> Result<BTreeSet<GlobalState>, String> {
    observed(replica, states, |state| {
        let found = state.instance(instance)?;
        let Place::Transition(transition) = found.element else { return None };
        let from = replica.protocol(found.node).transition(transition).from;
        Some(Observation::InState { instance: instance.clone(), state: from })
    })
}

/// A journal of nets.
pub(crate) fn of_nets(
    assembly: &Assembly<'_>,
    entries: &[Entry],
    world: &Simulated,
) -> Result<(), String> {
    let stories = stories(entries)?;
    let effects: BTreeMap<String, Effect> = assembly
        .transition_ids()
        .filter(|id| assembly.net_transition(*id).action.run.is_some())
        .map(|id| {
            let effect = assembly.net_transition(id).action.effect.clone();
            (assembly.transition_name(id), effect.unwrap_or(Effect::AtMostOnce))
        })
        .collect();
    commands(&stories, world, |label| effects.get(label).cloned())?;
    // The reference, as eager as it can be: it fires what the journal says, and ends it.
    let madeus = Madeus::new(assembly);
    let mut state = settled(&madeus, madeus.initial());
    let mut started: BTreeSet<Task> = BTreeSet::new();
    for entry in entries {
        match entry {
            Entry::Intent { task: Some(task), label, .. } if started.insert(*task) => {
                let fire = Rule::Fire(TransitionId(task.0));
                let after = madeus.step(&state, &fire);
                let after = after.map_err(|why| format!("`{label}` is no step: {why:?}"))?;
                state = settled(&madeus, after.first().clone());
            }
            Entry::Outcome { order, end: End::Done, .. } => {
                let story = &stories[order];
                let task = story.task.ok_or("an order without a task")?;
                let end = Rule::End(TransitionId(task.0));
                let after = madeus.step(&state, &end);
                let after = after.map_err(|why| format!("`{}` is no end: {why:?}", story.label))?;
                state = settled(&madeus, after.first().clone());
            }
            _ => {}
        }
    }
    if madeus.is_final(&state) {
        return Ok(());
    }
    Err("the journal does not lead to the final places".to_owned())
}

/// Every rule without an action; these assemblies never withdraw a port, so the order does not
/// matter.
fn settled(madeus: &Madeus<'_>, mut state: Valuation) -> Valuation {
    loop {
        let own = |rule: &Rule| !matches!(rule, Rule::Fire(_) | Rule::End(_));
        let mut candidates = madeus.candidates(&state).into_iter().filter(own);
        let next = candidates.find_map(|rule| madeus.step(&state, &rule).ok());
        match next {
            Some(after) => state = after.first().clone(),
            None => return state,
        }
    }
}

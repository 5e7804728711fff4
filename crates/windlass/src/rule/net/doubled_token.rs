//! `doubled-token`: a place that holds a token is entered again, or two tokens end in one dock.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{Context, LooksAt, Rule, page};
use super::choices::Choices;
use super::cyclic_net::transition_on_a_cycle;
use crate::application::ComponentType;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lifecycle::net::{DockId, Net, NetTransitionId, PlaceId};

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "NET010",
    name: "doubled-token",
    severity: Severity::Warning,
    summary: "a second token can come where one is, so that one of them is lost",
    paper: Some("002 Sec. III-C (valuation)"),
    doc: page!("NET010"),
    looks_at: LooksAt::Application(check),
    ..Rule::DEFAULT
};

fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    for (component, net) in super::nets(context) {
        // A cycle is reported already; what it does to tokens follows from it.
        if transition_on_a_cycle(net).is_some() {
            continue;
        }
        let wrong = initial_again(component, net).into_iter().chain(one_dock(component, net));
        let wrong: BTreeMap<NetTransitionId, String> =
            wrong.chain(held_from_before(context, component, net)).collect();
        for (id, message) in wrong {
            findings.push(
                RULE.finding(context.place(net.transition(id).origin), message)
                    .help("give each of several transitions that run a dock of its own"),
            );
        }
    }
}

type Wrong = Vec<(NetTransitionId, String)>;

fn ids(net: &Net) -> impl Iterator<Item = NetTransitionId> {
    (0..net.transitions.len()).map(NetTransitionId::from)
}

/// A transition leads to an initial place that its own behavior leaves.
fn initial_again(component: &ComponentType, net: &Net) -> Wrong {
    let left: BTreeSet<(&str, PlaceId)> =
        ids(net).map(|id| (net.transition(id).behavior(), net.source_place(id))).collect();
    let again = ids(net).filter(|id| {
        let to = net.destination_place(*id);
        net.initial.contains(&to) && left.contains(&(net.transition(*id).behavior(), to))
    });
    let findings = again.map(|id| {
        let message = format!(
            "`{}` of type `{}` leads to the initial place `{}`, which holds a token",
            net.transition(id).name,
            component.name,
            net.place(net.destination_place(id)).name
        );
        (id, message)
    });
    findings.collect()
}

/// Two transitions that may both run end in one dock.
fn one_dock(component: &ComponentType, net: &Net) -> Wrong {
    let mut ends: BTreeMap<(&str, DockId), Vec<NetTransitionId>> = BTreeMap::new();
    for id in ids(net) {
        let transition = net.transition(id);
        ends.entry((transition.behavior(), transition.destination)).or_default().push(id);
    }
    let mut choices: BTreeMap<&str, Choices> = BTreeMap::new();
    let mut wrong = Vec::new();
    for ((behavior, _), together) in ends.into_iter().filter(|(_, together)| together.len() > 1) {
        let choices = choices.entry(behavior).or_insert_with(|| Choices::of(net, behavior));
        for (at, id) in together.iter().enumerate() {
            let mut before = together[..at].iter();
            let Some(other) = before.find(|other| !choices.exclude(**other, *id)) else { continue };
            let message = format!(
                "`{}` and `{}` of type `{}` can both run, and end in one dock of `{}`",
                net.transition(*other).name,
                net.transition(*id).name,
                component.name,
                net.place(net.destination_place(*id)).name
            );
            wrong.push((*id, message));
        }
    }
    wrong
}

/// A behavior of a program leads to a place where an earlier one has left a token.
fn held_from_before(context: &Context<'_>, component: &ComponentType, net: &Net) -> Wrong {
    let application = context.application;
    let mut wrong = Vec::new();
    for (node, program) in &application.deployment.behaviors {
        if !std::ptr::eq(application.type_of(*node), component) {
            continue;
        }
        let mut marked = net.initial.clone();
        for (number, behavior) in program.iter().enumerate() {
            let entered = entered(net, behavior, &marked);
            let again = entered
                .values()
                .filter(|id| number > 0 && marked.contains(&net.destination_place(**id)));
            wrong.extend(again.map(|id| {
                let message = format!(
                    "`{}` of type `{}` leads to `{}`, which holds a token since `{}`",
                    net.transition(*id).name,
                    component.name,
                    net.place(net.destination_place(*id)).name,
                    program[number - 1]
                );
                (*id, message)
            }));
            marked.extend(entered.keys());
            let of_it = |id: &NetTransitionId| net.transition(*id).behavior() == behavior.as_str();
            for id in ids(net).filter(of_it) {
                marked.remove(&net.source_place(id));
            }
        }
    }
    wrong
}

/// The places that a behavior can enter from some places, each with a transition that leads there.
fn entered(
    net: &Net,
    behavior: &str,
    from: &BTreeSet<PlaceId>,
) -> BTreeMap<PlaceId, NetTransitionId> {
    let own: Vec<NetTransitionId> =
        ids(net).filter(|id| net.transition(*id).behavior() == behavior).collect();
    let mut leaving: BTreeMap<PlaceId, Vec<NetTransitionId>> = BTreeMap::new();
    let mut docks: BTreeMap<PlaceId, BTreeSet<DockId>> = BTreeMap::new();
    for id in &own {
        leaving.entry(net.source_place(*id)).or_default().push(*id);
        let to = docks.entry(net.destination_place(*id)).or_default();
        to.insert(net.transition(*id).destination);
    }
    let mut entered = BTreeMap::new();
    let mut open: Vec<PlaceId> = from.iter().copied().collect();
    while let Some(place) = open.pop() {
        for id in leaving.remove(&place).unwrap_or_default() {
            let to = net.destination_place(id);
            let Some(missing) = docks.get_mut(&to) else { continue };
            missing.remove(&net.transition(id).destination);
            if missing.is_empty() && !entered.contains_key(&to) {
                entered.insert(to, id);
                open.push(to);
            }
        }
    }
    entered
}

//! A shortest run to marked elements of an assembly without choice: exactly what has to happen
//! before, in an order that respects it.
//!
//! Where nothing that has become possible becomes impossible, and every use port has one provider
//! that comes to serve in one way, each action has its needs, and every run to an element contains
//! all of them. So they are a shortest run; and where one of them takes a wanted token away again,
//! there is no run at all.

use std::collections::{BTreeMap, BTreeSet};

use crate::application::assembly::{Assembly, ComponentId, LinkId, PlaceId, PortId, progress};
use crate::certificate;
use crate::lifecycle::net::{self, Side};
use crate::semantics::net::{Action, Element};

/// What is known about a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Known {
    /// A shortest one.
    Run(Vec<Action>),
    /// There is none.
    Never,
}

/// A shortest run to a valuation with these elements marked; none where it has to be searched.
pub(super) fn shortest(assembly: &Assembly<'_>, marked: &[Element]) -> Option<Known> {
    let progress = progress::progress(assembly).ok()?;
    let completes = progress.completes(assembly);
    certificate::check_order(assembly, &BTreeSet::new(), &progress.run, completes).ok()?;
    let mut goals = Vec::new();
    for element in marked {
        let (is_reached, action) = match *element {
            Element::Place(place) => (progress.enters(place), entering(assembly, place)),
            Element::Transition(id) => (progress.fires(id), Some(Action::Fire(id))),
            Element::Dock(_) => return None,
        };
        if !is_reached {
            return Some(Known::Never);
        }
        goals.extend(action);
    }
    let run = in_order(assembly, goals)?;
    let takes_away: BTreeSet<Action> = marked
        .iter()
        .filter_map(|element| match *element {
            Element::Place(place) => Some(Action::Leave(place)),
            Element::Transition(id) => Some(Action::End(id)),
            Element::Dock(_) => None,
        })
        .collect();
    if run.iter().any(|action| takes_away.contains(action)) {
        return Some(Known::Never);
    }
    Some(Known::Run(run))
}

/// The goals and all that they need, each after its needs. A list in place of recursion: a chain of
/// needs is as long as the assembly.
fn in_order(assembly: &Assembly<'_>, goals: Vec<Action>) -> Option<Vec<Action>> {
    let mut run = Vec::new();
    // False while its needs are being put before it.
    let mut done: BTreeMap<Action, bool> = BTreeMap::new();
    let mut open: Vec<Action> = goals.into_iter().rev().collect();
    while let Some(action) = open.last().copied() {
        match done.get(&action) {
            Some(true) => {
                open.pop();
            }
            Some(false) => {
                open.pop();
                done.insert(action, true);
                run.push(action);
            }
            None => {
                done.insert(action, false);
                let needs = needs(assembly, action)?;
                // What waits for itself never happens, and was sorted out before.
                if needs.iter().any(|need| done.get(need) == Some(&false)) {
                    return None;
                }
                open.extend(needs.into_iter().rev());
            }
        }
    }
    Some(run)
}

/// How a place gets its token; none for an initial one.
fn entering(assembly: &Assembly<'_>, place: PlaceId) -> Option<Action> {
    let (component, local) = assembly.local_place(place);
    let is_initial = assembly.net(component).0.initial.contains(&local);
    (!is_initial).then_some(Action::Enter(place))
}

/// What has to happen before an action; none where there are several ways.
fn needs(assembly: &Assembly<'_>, action: Action) -> Option<Vec<Action>> {
    match action {
        Action::Fire(id) => {
            let (component, local) = assembly.local_transition(id);
            let (net, index) = assembly.net(component);
            let source = assembly.place(component, net.source_place(local));
            let mut all = vec![Action::Leave(source)];
            for port in &index.needs[local.index()] {
                all.push(connection(assembly, assembly.port(component, *port))?);
            }
            Some(all)
        }
        Action::End(id) => Some(vec![Action::Fire(id)]),
        Action::Leave(place) => Some(entering(assembly, place).into_iter().collect()),
        Action::Enter(place) => {
            let (component, local) = assembly.local_place(place);
            let mut all = Vec::new();
            for id in incoming(assembly, component, local) {
                all.push(Action::End(assembly.transition(component, id)));
            }
            for port in &assembly.net(component).1.holds[local.index()] {
                all.push(connection(assembly, assembly.port(component, *port))?);
            }
            Some(all)
        }
        Action::Enable(link) => groups_served(assembly, link),
        Action::EnableData(link) => value_set(assembly, link),
        _ => None,
    }
}

/// The transitions that lead to a place in the behavior of its component.
fn incoming(
    assembly: &Assembly<'_>,
    component: ComponentId,
    place: net::PlaceId,
) -> Vec<net::NetTransitionId> {
    let behavior = assembly.component(component).program[0];
    let index = assembly.net(component).1;
    let docks = index.active(place, Side::Input, behavior);
    docks.flat_map(|dock| index.active_transitions(dock, behavior)).collect()
}

/// The only connection of a use port.
fn connection(assembly: &Assembly<'_>, port: PortId) -> Option<Action> {
    let [link] = assembly.links_of_user(port) else { return None };
    Some(if assembly.link(*link).data { Action::EnableData(*link) } else { Action::Enable(*link) })
}

/// Each group of the provider gets its first token at one place.
fn groups_served(assembly: &Assembly<'_>, link: LinkId) -> Option<Vec<Action>> {
    let (component, local) = assembly.local_port(assembly.link(link).provider);
    let net = assembly.net(component).0;
    let mut all = Vec::new();
    for group in &net.port(local).groups {
        let places = &net.groups[group.index()].places;
        let mut first = places.iter().filter(|place| {
            let into = incoming(assembly, component, **place);
            net.initial.contains(place)
                || !into.is_empty()
                    && into.iter().all(|id| !places.contains(&net.source_place(*id)))
        });
        let (Some(place), None) = (first.next(), first.next()) else { return None };
        all.extend(entering(assembly, assembly.place(component, *place)));
    }
    (!net.port(local).groups.is_empty()).then_some(all)
}

/// One transition sets the value of the provider.
fn value_set(assembly: &Assembly<'_>, link: LinkId) -> Option<Vec<Action>> {
    let (component, local) = assembly.local_port(assembly.link(link).provider);
    let places = assembly.net(component).0.port(local).places.iter();
    let mut setting = places.flat_map(|place| incoming(assembly, component, *place));
    let (Some(id), None) = (setting.next(), setting.next()) else { return None };
    Some(vec![Action::End(assembly.transition(component, id))])
}

//! What an update from one template to another does, as an application with both in it.
//!
//! A resource that is replaced is there twice: under its own name as it will be, with ` (old)`
//! behind it as it was. The new one is created first, then what refers to it is updated or replaced
//! in its turn, and the old one is deleted when nothing needs it any more: the order that Heat
//! takes.

use std::collections::{BTreeMap, BTreeSet};

use super::lower::{self, ABSENT, CREATED, Need, OUTDATED, Part};
use super::stack::{Resource, Stack};
use super::update;
use super::value::{Data, Value};
use crate::application::{Application, GlobalState, Instance, InstanceId, NodeId};
use crate::goal::{Amount, Goal, Want};
use crate::lifecycle::protocol::{Element, StateId};
use crate::source::Span;

/// What becomes of a resource of the new template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    Kept,
    Updated,
    Replaced,
    Added,
}

/// An update with everything that a plan for it needs.
#[derive(Debug, Clone)]
pub struct Renewal {
    /// The resources of both templates.
    pub application: Application,
    /// Where the old stack is.
    pub start: GlobalState,
    /// Everything as the new template describes it, and nothing else.
    pub goal: Goal,
    /// The names of resources that are updated in place, replaced, added and removed.
    pub updated: Vec<String>,
    /// Replaced.
    pub replaced: Vec<String>,
    /// Added.
    pub added: Vec<String>,
    /// Removed.
    pub removed: Vec<String>,
}

/// The update from `old`, of which `exists` says what is there, to `new`.
pub fn renew(old: &Stack, new: &Stack, name: &str, exists: impl Fn(&str) -> bool) -> Renewal {
    let both = Both::new(old, new, exists);
    let after = &both.after;
    let named: BTreeSet<&str> = after.iter().map(|at| new.resources[*at].name.as_str()).collect();
    let stays = |name: &str| named.contains(name);
    let (parts, starts) = both.parts();
    let application = lower::build(name, new.span, &parts);
    let start = start(&application, &starts);
    let wants = application.node_ids().zip(&starts).map(|(node, state)| {
        let state = StateId::from(if state.is_leaving { ABSENT } else { CREATED });
        Want::Node { node, state, amount: Amount::Wanted }
    });
    let goal = Goal { wants: wants.collect() };
    let with = |wanted: Change| {
        let all =
            both.after.iter().zip(&both.changes).filter(move |(_, change)| **change == wanted);
        all.map(|(at, _)| new.resources[*at].name.clone()).collect::<Vec<_>>()
    };
    let gone = both.before.keys().filter(|name| !stays(name));
    let removed = gone.map(|name| (*name).to_owned()).collect();
    let [updated, replaced, added] = [Change::Updated, Change::Replaced, Change::Added].map(with);
    Renewal { application, start, goal, updated, replaced, added, removed }
}

/// The names of the resources of the new template that an update replaces, by what is written in
/// them or because they refer to something that is replaced.
pub(super) fn replaced<'a>(old: &Stack, new: &'a Stack) -> BTreeSet<&'a str> {
    let both = Both::new(old, new, |_| true);
    let all =
        both.after.iter().zip(&both.changes).filter(|(_, change)| **change == Change::Replaced);
    all.map(|(at, _)| new.resources[*at].name.as_str()).collect()
}

/// Where a part is at first, and whether it is there in the end.
struct Start {
    state: usize,
    is_leaving: bool,
}

struct Both<'s> {
    old: &'s Stack,
    new: &'s Stack,
    /// Positions in the old template, by name.
    before: BTreeMap<&'s str, usize>,
    /// Positions in the new template.
    after: Vec<usize>,
    /// What becomes of each of them.
    changes: Vec<Change>,
}

impl<'s> Both<'s> {
    /// The resources of both; of the old ones those of which `exists` says that they are there.
    fn new(old: &'s Stack, new: &'s Stack, exists: impl Fn(&str) -> bool) -> Self {
        let before: BTreeMap<&str, usize> = (0..old.resources.len())
            .filter(|at| lower::is_part(&old.resources[*at]) && exists(&old.resources[*at].name))
            .map(|at| (old.resources[at].name.as_str(), at))
            .collect();
        let after: Vec<usize> =
            (0..new.resources.len()).filter(|at| lower::is_part(&new.resources[*at])).collect();
        let changes = changes(old, new, &before, &after);
        Both { old, new, before, after, changes }
    }

    fn parts(&self) -> (Vec<Part<'s>>, Vec<Start>) {
        let (old, new) = (self.old, self.new);
        // First those of the new template, then those that leave.
        let of_new: BTreeMap<usize, usize> =
            self.after.iter().enumerate().map(|(place, at)| (*at, place)).collect();
        let change_of: BTreeMap<&str, (usize, Change)> = self
            .after
            .iter()
            .zip(&self.changes)
            .enumerate()
            .map(|(place, (at, change))| (new.resources[*at].name.as_str(), (place, *change)))
            .collect();
        let mut of_old: BTreeMap<usize, usize> = BTreeMap::new();
        let mut leaving = Vec::new();
        for (name, at) in &self.before {
            match change_of.get(name) {
                Some((place, Change::Kept | Change::Updated)) => {
                    of_old.insert(*at, *place);
                }
                _ => {
                    of_old.insert(*at, self.after.len() + leaving.len());
                    leaving.push(*at);
                }
            }
        }
        let (waits, waited) = (lower::waits(new), lower::waits(old));
        let needs = |waits: &[(usize, Span)], places: &BTreeMap<usize, usize>| {
            let known = waits.iter();
            known
                .filter_map(|(to, span)| Some(Need { target: *places.get(to)?, span: *span }))
                .collect::<Vec<Need>>()
        };
        let (mut parts, mut starts) = (Vec::new(), Vec::new());
        for (at, change) in self.after.iter().zip(&self.changes) {
            let resource = &new.resources[*at];
            let name = resource.name.clone();
            let mut own = needs(&waits[*at], &of_new);
            let outdated = self.before.get(name.as_str()).filter(|_| *change == Change::Updated);
            let outdated = outdated.map(|before| needs(&waited[*before], &of_old));
            if *change == Change::Kept {
                // Nothing happens to it, so it relies on nothing that is not there yet.
                own.retain(|need| {
                    matches!(self.changes[need.target], Change::Kept | Change::Updated)
                });
            }
            parts.push(Part { name, resource, needs: own, outdated, replacement: None });
            let state = match change {
                Change::Kept => CREATED,
                Change::Updated => OUTDATED,
                Change::Replaced | Change::Added => ABSENT,
            };
            starts.push(Start { state, is_leaving: false });
        }
        for at in leaving {
            let resource = &old.resources[at];
            let mut name = resource.name.clone();
            // The new one is there before the old one goes.
            let span = resource.span;
            let replacement =
                change_of.get(name.as_str()).map(|(target, _)| Need { target: *target, span });
            if replacement.is_some() {
                name.push_str(" (old)");
            }
            let needs = needs(&waited[at], &of_old);
            parts.push(Part { name, resource, needs, outdated: None, replacement });
            starts.push(Start { state: CREATED, is_leaving: true });
        }
        (parts, starts)
    }
}

/// The state of the old stack, with everything bound that is needed in it.
fn start(application: &Application, starts: &[Start]) -> GlobalState {
    let mut state = GlobalState::empty();
    let id = |node: NodeId| InstanceId(application.node(node).name.clone());
    for (node, start) in application.node_ids().zip(starts) {
        let element = Element::State(StateId::from(start.state));
        state.instances.insert(id(node), Instance { node, element });
        let Some(protocol) = application.protocol_of(node) else { continue };
        for requirement in &protocol.states[start.state].requires {
            if let Some(binding) = application.node(node).binding(*requirement) {
                state.horizontal.insert((id(node), *requirement, id(binding.target)));
            }
        }
    }
    state
}

/// What becomes of each resource of the new template. What refers to something that is replaced
/// changes with it.
fn changes(
    old: &Stack,
    new: &Stack,
    before: &BTreeMap<&str, usize>,
    after: &[usize],
) -> Vec<Change> {
    let place: BTreeMap<usize, usize> =
        after.iter().enumerate().map(|(place, at)| (*at, place)).collect();
    let mut changes: Vec<Change> = after
        .iter()
        .map(|at| {
            let resource = &new.resources[*at];
            match before.get(resource.name.as_str()) {
                None => Change::Added,
                Some(before) => changed(&old.resources[*before], resource),
            }
        })
        .collect();
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); after.len()];
    for (user, at) in after.iter().enumerate() {
        for (to, _) in &new.resources[*at].waits_for {
            if let Some(to) = place.get(to) {
                users[*to].push(user);
            }
        }
    }
    let mut open: Vec<usize> =
        (0..after.len()).filter(|place| changes[*place] == Change::Replaced).collect();
    while let Some(replaced) = open.pop() {
        let name = &new.resources[after[replaced]].name;
        for user in &users[replaced] {
            let change = follows(&new.resources[after[*user]], name).max(changes[*user]);
            if change == Change::Replaced && changes[*user] < Change::Replaced {
                open.push(*user);
            }
            changes[*user] = change;
        }
    }
    changes
}

/// What becomes of a resource by what is written in it.
fn changed(old: &Resource, new: &Resource) -> Change {
    if old.type_name != new.type_name {
        return Change::Replaced;
    }
    let Some(facts) = new.facts else {
        let same = !update::differ(&old.properties, &new.properties);
        return if same { Change::Kept } else { Change::Updated };
    };
    let changed = facts.properties.iter().filter(|property| update::changes(property, old, new));
    changed
        .map(|property| if property.update_allowed() { Change::Updated } else { Change::Replaced })
        .max()
        .unwrap_or(Change::Kept)
}

/// What becomes of a resource when another that it waits for is replaced.
fn follows(resource: &Resource, replaced: &str) -> Change {
    let named = resource.properties.entries().iter().filter(|own| mentions(&own.value, replaced));
    let change = |entry: &super::value::Entry| {
        let property = resource.facts.and_then(|facts| facts.property(&entry.key));
        match property {
            Some(property) if !property.update_allowed() => Change::Replaced,
            _ => Change::Updated,
        }
    };
    named.map(change).max().unwrap_or(Change::Kept)
}

/// Whether a value depends on a resource; one of which nothing is known may.
fn mentions(value: &Value, resource: &str) -> bool {
    match &value.data {
        Data::Resource(name) => name == resource,
        Data::Unknown(unknown) => match &unknown.from {
            Some(from) => {
                let rest = from.strip_prefix("attribute ").and_then(|f| f.strip_prefix(resource));
                rest.is_some_and(|rest| rest.starts_with(' '))
            }
            None => true,
        },
        Data::List(items) => items.iter().any(|item| mentions(item, resource)),
        Data::Map(entries) => entries.iter().any(|entry| mentions(&entry.value, resource)),
        _ => false,
    }
}

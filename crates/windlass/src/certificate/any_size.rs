//! Checks an argument that every topology of a rule set completes, by looking everything up again.
//!
//! Shares no code with the prover in `prove/any_size`: what a rule makes of a view is said a
//! second time here, the other way round: every view and every rule is asked whether its outcome is
//! listed. What the argument means: `docs/theory/any-size.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::lifecycle::setup::argument::{Argument, Case, Direction, Place, View};
use crate::lifecycle::setup::{
    Guard, Kind, Local, Neighbors, NodeTypeId, Quantifier, Rule, RuleId, RuleSet, Subject,
};

/// What is wrong with an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefusedArgument {
    /// A rule does not make its object lighter.
    DoesNotFall(RuleId),
    /// A place has no views, or not the one at the start.
    NoStart(Place),
    /// A rule leads from a listed view to one that is not listed.
    NotClosed(Place, View, RuleId),
    /// No case speaks of nodes of this type in this state.
    NoCase(NodeTypeId, Local),
    /// A case names a rule that is not the node's in this state, or asks for some neighbour.
    WrongRule(NodeTypeId, Local),
    /// A case says nothing about a neighbour that keeps the node from moving.
    NoFact(NodeTypeId, Local, Place, View),
    /// A rule that is said to apply does not.
    DoesNotApply(Place, View, RuleId),
}

impl fmt::Display for RefusedArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DoesNotFall(rule) => write!(f, "rule {} makes nothing lighter", rule.0),
            Self::NoStart(_) => f.write_str("a relationship type lacks its first view"),
            Self::NotClosed(_, _, rule) => write!(f, "rule {} leads to a view not listed", rule.0),
            Self::NoCase(..) => f.write_str("a state of a node type has no case"),
            Self::WrongRule(..) => f.write_str("a case names a rule that cannot serve"),
            Self::NoFact(..) => f.write_str("a case forgets a neighbour"),
            Self::DoesNotApply(_, _, rule) => write!(f, "rule {} does not apply there", rule.0),
        }
    }
}

impl std::error::Error for RefusedArgument {}

/// Whether `argument` shows that every topology of `rules` completes.
pub fn check_argument(rules: &RuleSet, argument: &Argument) -> Result<(), RefusedArgument> {
    for node_type in rules.node_type_ids() {
        let own = rules.node_rules(node_type);
        check_weights(rules, Kind::Node, node_type.index(), &own, argument)?;
    }
    for relationship in rules.relationship_type_ids() {
        let of_type = relationship.index();
        let capability = rules.capability_rules(relationship);
        check_weights(rules, Kind::Capability, of_type, &capability, argument)?;
        let requirement = rules.requirement_rules(relationship);
        check_weights(rules, Kind::Requirement, of_type, &requirement, argument)?;
    }
    for source in rules.node_type_ids() {
        for relationship in rules.relationship_type_ids() {
            for target in rules.node_type_ids() {
                check_views(rules, Place { source, relationship, target }, &argument.views)?;
            }
        }
    }
    for node_type in rules.node_type_ids() {
        check_cases(rules, node_type, argument)?;
    }
    Ok(())
}

/// Whether every rule of a type makes its object lighter.
fn check_weights(
    rules: &RuleSet,
    kind: Kind,
    of_type: usize,
    own: &[RuleId],
    argument: &Argument,
) -> Result<(), RefusedArgument> {
    let weights = argument.weights[kind as usize].get(of_type).map_or(&[][..], Vec::as_slice);
    let weight = |state: Local| weights.get(usize::from(state)).copied();
    let falls = |id: &RuleId| {
        let (from, to) = (weight(rules.rule(*id).from), weight(rules.rule(*id).to));
        from.zip(to).is_some_and(|(from, to)| from > to)
    };
    own.iter().find(|id| !falls(id)).map_or(Ok(()), |id| Err(RefusedArgument::DoesNotFall(*id)))
}

fn check_views(
    rules: &RuleSet,
    place: Place,
    all: &BTreeMap<Place, BTreeSet<View>>,
) -> Result<(), RefusedArgument> {
    let messages = vec![0; rules.messages.len()];
    let start = View { source: 0, requirement: 0, capability: 0, target: 0, messages };
    let views = all.get(&place).filter(|views| views.contains(&start));
    let views = views.ok_or(RefusedArgument::NoStart(place))?;
    let acting = actors(rules, place);
    for view in views {
        for &(actor, id) in &acting {
            let after = outcome(rules, place, view, actor, rules.rule(id));
            if after.is_some_and(|after| !views.contains(&after)) {
                return Err(RefusedArgument::NotClosed(place, view.clone(), id));
            }
        }
    }
    Ok(())
}

/// What changes: an end of the relationship, or another one with the same capability.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Actor {
    Source,
    Target,
    Capability,
    Requirement,
    OtherRequirement,
}

fn actors(rules: &RuleSet, place: Place) -> Vec<(Actor, RuleId)> {
    let mut all = Vec::new();
    let mut add = |actor: Actor, ids: Vec<RuleId>| {
        all.extend(ids.into_iter().map(|id| (actor, id)));
    };
    add(Actor::Source, rules.node_rules(place.source));
    add(Actor::Target, rules.node_rules(place.target));
    add(Actor::Capability, rules.capability_rules(place.relationship));
    add(Actor::Requirement, rules.requirement_rules(place.relationship));
    if rules.shared_capabilities {
        add(Actor::OtherRequirement, rules.requirement_rules(place.relationship));
    }
    all
}

/// Whether `guard` can hold while the relationship looks like `view`.
fn may_hold(rules: &RuleSet, place: Place, view: &View, actor: Actor, guard: &Guard) -> bool {
    let owner_first =
        |own: Local, far: Local| if actor == Actor::Requirement { (own, far) } else { (far, own) };
    let (owner, far) = owner_first(view.source, view.target);
    match guard {
        Guard::Neighbors { quantifier: Quantifier::Some, .. } => true,
        Guard::Neighbors { quantifier: Quantifier::All, neighbors, over, states } => {
            let mine = match neighbors {
                Neighbors::Requirements | Neighbors::Targets => actor == Actor::Source,
                Neighbors::Capabilities | Neighbors::Sources => actor == Actor::Target,
            };
            let local = match neighbors {
                Neighbors::Requirements => view.requirement,
                Neighbors::Capabilities => view.capability,
                Neighbors::Targets => view.target,
                Neighbors::Sources => view.source,
            };
            !mine || !rules.looks_at(over, place.relationship) || states.contains(local)
        }
        Guard::Owner(states) => states.contains(owner),
        Guard::Far(states) => states.contains(far),
        Guard::Capability(states) => states.contains(view.capability),
        Guard::Requirement(states) => states.contains(view.requirement),
        Guard::Message(message) => {
            view.messages.get(message.index()).is_some_and(|count| *count > 0)
        }
    }
}

/// What a rule makes of a view; none when it cannot be applied there.
fn outcome(rules: &RuleSet, place: Place, view: &View, actor: Actor, rule: &Rule) -> Option<View> {
    let mut after = view.clone();
    if actor != Actor::OtherRequirement {
        let local = match actor {
            Actor::Source => &mut after.source,
            Actor::Target => &mut after.target,
            Actor::Capability => &mut after.capability,
            _ => &mut after.requirement,
        };
        if *local != rule.from
            || !rule.guards.iter().all(|guard| may_hold(rules, place, view, actor, guard))
        {
            return None;
        }
        *local = rule.to;
    }
    if let Some(message) = rule.consumes {
        let count = after.messages.get_mut(message.index())?;
        *count = count.checked_sub(1)?;
    }
    if let Some(message) = rule.sends.filter(|_| actor == Actor::Capability) {
        let count = after.messages.get_mut(message.index())?;
        *count = count.saturating_add(1);
    }
    Some(after)
}

fn check_cases(
    rules: &RuleSet,
    node_type: NodeTypeId,
    argument: &Argument,
) -> Result<(), RefusedArgument> {
    let mine = rules.node_rules(node_type);
    // Whatever a rule leads to, whether or not it can be applied.
    let mut states = BTreeSet::from([0]);
    loop {
        let more: BTreeSet<Local> = mine
            .iter()
            .map(|id| rules.rule(*id))
            .filter(|rule| states.contains(&rule.from) && !states.contains(&rule.to))
            .map(|rule| rule.to)
            .collect();
        if more.is_empty() {
            break;
        }
        states.extend(more);
    }
    for state in states.into_iter().filter(|state| !rules.goal.contains(*state)) {
        let case = argument.cases.iter().find(|c| c.node_type == node_type && c.state == state);
        let case = case.ok_or(RefusedArgument::NoCase(node_type, state))?;
        let rule = mine.iter().find(|id| **id == case.rule).map(|id| rules.rule(*id));
        let rule = rule.filter(|rule| rule.from == state);
        let rule = rule.ok_or(RefusedArgument::WrongRule(node_type, state))?;
        for guard in &rule.guards {
            check_guard(rules, argument, case, guard)?;
        }
    }
    Ok(())
}

/// A premise of the node's rule holds where nothing moves.
fn check_guard(
    rules: &RuleSet,
    argument: &Argument,
    case: &Case,
    guard: &Guard,
) -> Result<(), RefusedArgument> {
    let Guard::Neighbors { quantifier: Quantifier::All, neighbors, over, states } = guard else {
        return Err(RefusedArgument::WrongRule(case.node_type, case.state));
    };
    let outgoing = matches!(neighbors, Neighbors::Requirements | Neighbors::Targets);
    let towards = matches!(argument.direction, Direction::Targets) == outgoing;
    for (place, views) in &argument.views {
        let near = if outgoing { place.source } else { place.target };
        if near != case.node_type || !rules.looks_at(over, place.relationship) {
            continue;
        }
        let acyclic = rules.relationship_types[place.relationship.index()].acyclic;
        for view in views {
            let (here, far) =
                if outgoing { (view.source, view.target) } else { (view.target, view.source) };
            let local = match neighbors {
                Neighbors::Requirements => view.requirement,
                Neighbors::Capabilities => view.capability,
                Neighbors::Targets => view.target,
                Neighbors::Sources => view.source,
            };
            let done = !(towards && acyclic) || rules.goal.contains(far);
            if here == case.state && done && !states.contains(local) {
                check_fact(rules, case, *place, view)?;
            }
        }
    }
    Ok(())
}

/// Something moves in a relationship that looks like this.
fn check_fact(
    rules: &RuleSet,
    case: &Case,
    place: Place,
    view: &View,
) -> Result<(), RefusedArgument> {
    let fact = case.facts.iter().find(|fact| fact.place == place && fact.view == *view);
    let Some(fact) = fact else {
        return Err(RefusedArgument::NoFact(case.node_type, case.state, place, view.clone()));
    };
    let refused = || RefusedArgument::DoesNotApply(place, view.clone(), fact.applies);
    let rule = rules.rules.get(fact.applies.index()).ok_or_else(refused)?;
    let (actor, mine) = match rule.subject {
        Subject::Node(_) => return Err(refused()),
        Subject::Capability(_) => (Actor::Capability, rules.capability_rules(place.relationship)),
        Subject::Requirement(_) => {
            (Actor::Requirement, rules.requirement_rules(place.relationship))
        }
    };
    let about_others = rules.shared_capabilities
        && rule.subject.kind() == Kind::Capability
        && rule.guards.iter().any(|g| matches!(g, Guard::Requirement(_) | Guard::Far(_)));
    let applies = mine.contains(&fact.applies)
        && !about_others
        && outcome(rules, place, view, actor, rule).is_some();
    if applies { Ok(()) } else { Err(refused()) }
}

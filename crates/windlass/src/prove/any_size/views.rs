//! What a relationship and its two nodes can look like together, in any topology.
//!
//! An over-approximation that is closed under every rule, so it is an invariant (paper 001,
//! conditions 5 and 6) that needs no invention.

use std::collections::{BTreeMap, BTreeSet};

use crate::lifecycle::setup::argument::{Place, View};
use crate::lifecycle::setup::{
    Guard, Kind, Neighbors, Quantifier, RelationshipTypeId, Rule, RuleId, RuleSet,
};

/// Every view of every place.
///
/// Paper: 001 (5)
/// Paper: 001 (6)
/// Paper: 001 initinv
/// Paper: 001 invinv
pub(super) fn all(rules: &RuleSet) -> BTreeMap<Place, BTreeSet<View>> {
    let mut all = BTreeMap::new();
    for source in rules.node_type_ids() {
        for relationship in rules.relationship_type_ids() {
            for target in rules.node_type_ids() {
                let place = Place { source, relationship, target };
                all.insert(place, closure(rules, place));
            }
        }
    }
    all
}

fn closure(rules: &RuleSet, place: Place) -> BTreeSet<View> {
    let messages = vec![0; rules.messages.len()];
    let start = View { source: 0, requirement: 0, capability: 0, target: 0, messages };
    let mut found = BTreeSet::from([start.clone()]);
    let mut open = vec![start];
    while let Some(view) = open.pop() {
        for after in successors(rules, place, &view) {
            if found.insert(after.clone()) {
                open.push(after);
            }
        }
    }
    found
}

/// What any rule can make of a view.
fn successors(rules: &RuleSet, place: Place, view: &View) -> Vec<View> {
    let mut after = Vec::new();
    for id in rules.capability_rules(place.relationship) {
        let rule = rules.rule(id);
        if rule.from == view.capability && link_guards(rule, view) {
            after.push(sent(rule, View { capability: rule.to, ..view.clone() }));
        }
    }
    for id in rules.requirement_rules(place.relationship) {
        let rule = rules.rule(id);
        if rule.from == view.requirement && link_guards(rule, view) {
            after.extend(taken(rule, View { requirement: rule.to, ..view.clone() }));
        }
        if rules.shared_capabilities {
            // Another relationship takes a message of the same capability.
            after.extend(rule.consumes.and_then(|_| taken(rule, view.clone())));
        }
    }
    for id in rules.node_rules(place.source) {
        let rule = rules.rule(id);
        if rule.from == view.source && node_guards(rules, rule, place.relationship, view, true) {
            after.push(View { source: rule.to, ..view.clone() });
        }
    }
    for id in rules.node_rules(place.target) {
        let rule = rules.rule(id);
        if rule.from == view.target && node_guards(rules, rule, place.relationship, view, false) {
            after.push(View { target: rule.to, ..view.clone() });
        }
    }
    after
}

fn sent(rule: &Rule, mut view: View) -> View {
    if let Some(message) = rule.sends {
        let count = &mut view.messages[message.index()];
        *count = count.saturating_add(1);
    }
    view
}

fn taken(rule: &Rule, mut view: View) -> Option<View> {
    if let Some(message) = rule.consumes {
        let count = &mut view.messages[message.index()];
        *count = count.checked_sub(1)?;
    }
    Some(view)
}

/// Whether the premises of a rule about the relationship itself hold in a view. Premises about all
/// relationships of a shared capability hold only if they hold for this one too.
fn link_guards(rule: &Rule, view: &View) -> bool {
    let of_requirement = rule.subject.kind() == Kind::Requirement;
    rule.guards.iter().all(|guard| match guard {
        Guard::Owner(states) => {
            states.contains(if of_requirement { view.source } else { view.target })
        }
        Guard::Far(states) => {
            states.contains(if of_requirement { view.target } else { view.source })
        }
        Guard::Capability(states) => states.contains(view.capability),
        Guard::Requirement(states) => states.contains(view.requirement),
        Guard::Message(message) => view.messages[message.index()] > 0,
        Guard::Neighbors { .. } => true,
    })
}

/// Whether a rule about a node can be applied as far as one relationship is concerned.
fn node_guards(
    rules: &RuleSet,
    rule: &Rule,
    relationship: RelationshipTypeId,
    view: &View,
    outgoing: bool,
) -> bool {
    rule.guards.iter().all(|guard| match guard {
        Guard::Neighbors { quantifier: Quantifier::All, neighbors, over, states } => {
            neighbors.is_outgoing() != outgoing
                || !rules.looks_at(over, relationship)
                || states.contains(seen(*neighbors, view))
        }
        _ => true,
    })
}

/// What a premise about neighbours sees of a relationship.
pub(super) fn seen(neighbors: Neighbors, view: &View) -> u8 {
    match neighbors {
        Neighbors::Requirements => view.requirement,
        Neighbors::Capabilities => view.capability,
        Neighbors::Targets => view.target,
        Neighbors::Sources => view.source,
    }
}

/// A rule of the relationship's capability or requirement that can be applied in a view.
pub(super) fn moves(rules: &RuleSet, place: Place, view: &View) -> Option<RuleId> {
    let capability = rules.capability_rules(place.relationship).into_iter().filter(|id| {
        let rule = rules.rule(*id);
        // Premises about other relationships of a shared capability may fail.
        let alone = !rules.shared_capabilities
            || !rule.guards.iter().any(|g| matches!(g, Guard::Requirement(_) | Guard::Far(_)));
        alone && rule.from == view.capability && link_guards(rule, view)
    });
    let requirement = rules.requirement_rules(place.relationship).into_iter().filter(|id| {
        let rule = rules.rule(*id);
        let message = rule.consumes.is_none_or(|message| view.messages[message.index()] > 0);
        message && rule.from == view.requirement && link_guards(rule, view)
    });
    capability.chain(requirement).next()
}

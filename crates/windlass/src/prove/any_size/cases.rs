//! A node that waits only for nodes that are done is never stuck (paper 001, conditions 1 and 2).

use std::collections::{BTreeMap, BTreeSet};

use super::argument::OpenCase;
use super::views::{moves, seen};
use crate::lifecycle::setup::argument::{Case, Direction, Fact, Place, View};
use crate::lifecycle::setup::{Guard, Local, Neighbors, NodeTypeId, Quantifier, RuleId, RuleSet};

type Views = BTreeMap<Place, BTreeSet<View>>;

/// One case for each node type and each state that is no goal, or the first that stays open.
///
/// Paper: 001 (1)
/// Paper: 001 (2)
/// Paper: 001 initcont
/// Paper: 001 contcont
pub(super) fn all(
    rules: &RuleSet,
    views: &Views,
    direction: Direction,
) -> Result<Vec<Case>, OpenCase> {
    let mut cases: Vec<Case> = Vec::new();
    for node_type in rules.node_type_ids() {
        for state in states_of(rules, node_type) {
            let case = Question { rules, views, direction, node_type, state };
            let known = cases.iter().find(|known| case.is_answered_by(known));
            let reused = known.map(|known| (known.rule, known.facts.clone(), known.node_type));
            cases.push(match reused {
                Some((rule, facts, from)) => {
                    let renamed = |fact| case.renamed(rule, fact, from);
                    let facts = facts.into_iter().map(renamed).collect();
                    Case { node_type, state, rule, facts, reused: Some(from) }
                }
                None => case.answer()?,
            });
        }
    }
    Ok(cases)
}

/// The states that are no goal and that a node of a type can be in: where its rules lead.
fn states_of(rules: &RuleSet, node_type: NodeTypeId) -> Vec<Local> {
    let mine = rules.node_rules(node_type);
    let mut reached = vec![0];
    let mut next = 0;
    while let Some(&state) = reached.get(next) {
        next += 1;
        for rule in mine.iter().map(|id| rules.rule(*id)).filter(|rule| rule.from == state) {
            if !reached.contains(&rule.to) {
                reached.push(rule.to);
            }
        }
    }
    reached.retain(|state| !rules.goal.contains(*state));
    reached.sort_unstable();
    reached
}

/// One node type in one state.
struct Question<'a> {
    rules: &'a RuleSet,
    views: &'a Views,
    direction: Direction,
    node_type: NodeTypeId,
    state: Local,
}

impl Question<'_> {
    /// Finds a rule all of whose premises hold where nothing moves.
    fn answer(&self) -> Result<Case, OpenCase> {
        let mut open = OpenCase { node_type: self.node_type, state: self.state, neighbour: None };
        for rule in self.my_rules() {
            match self.facts(rule) {
                Ok(facts) => {
                    let Question { node_type, state, .. } = *self;
                    return Ok(Case { node_type, state, rule, facts, reused: None });
                }
                Err(neighbour) => open.neighbour = open.neighbour.or(neighbour),
            }
        }
        Err(open)
    }

    fn my_rules(&self) -> Vec<RuleId> {
        let mut mine = self.rules.node_rules(self.node_type);
        mine.retain(|id| self.rules.rule(*id).from == self.state);
        mine
    }

    /// For every neighbour that would keep `rule` from being applied: what moves there.
    fn facts(&self, rule: RuleId) -> Result<Vec<Fact>, Option<(Place, View)>> {
        let mut facts = Vec::new();
        for (at, guard) in self.rules.rule(rule).guards.iter().enumerate() {
            let Guard::Neighbors { quantifier, neighbors, over, states } = guard else { continue };
            if *quantifier == Quantifier::Some {
                return Err(None);
            }
            for (place, view) in self.neighbours(*neighbors) {
                if self.rules.looks_at(over, place.relationship)
                    && !states.contains(seen(*neighbors, view))
                {
                    let applies = moves(self.rules, place, view);
                    let applies = applies.ok_or_else(|| Some((place, view.clone())))?;
                    facts.push(Fact { guard: at, place, view: view.clone(), applies });
                }
            }
        }
        Ok(facts)
    }

    /// The views of relationships on one side of the node, with the node in its state and a far
    /// end that is done where the direction says so.
    fn neighbours(&self, neighbors: Neighbors) -> impl Iterator<Item = (Place, &View)> {
        let outgoing = neighbors.is_outgoing();
        let waits_on = matches!(self.direction, Direction::Targets) == outgoing;
        self.views.iter().flat_map(move |(place, views)| {
            let near = if outgoing { place.source } else { place.target };
            let acyclic = self.rules.relationship_types[place.relationship.index()].acyclic;
            let views = views.iter().filter(move |view| {
                let (here, far) =
                    if outgoing { (view.source, view.target) } else { (view.target, view.source) };
                let far_is_done = !(waits_on && acyclic) || self.rules.goal.contains(far);
                near == self.node_type && here == self.state && far_is_done
            });
            views.map(move |view| (*place, view))
        })
    }

    /// Whether the same case of another type is about the same rules and the same views.
    fn is_answered_by(&self, known: &Case) -> bool {
        let other = Question { node_type: known.node_type, ..*self };
        known.state == self.state
            && known.reused.is_none()
            && self.my_rules() == other.my_rules()
            && [Neighbors::Requirements, Neighbors::Capabilities].into_iter().all(|neighbors| {
                let mine = self.neighbours(neighbors).map(|(place, view)| {
                    (renamed(place, self.node_type, known.node_type, neighbors), view)
                });
                mine.collect::<BTreeSet<_>>() == other.neighbours(neighbors).collect()
            })
    }

    /// A fact about a guard of a rule for another type, as one about this.
    fn renamed(&self, rule: RuleId, mut fact: Fact, from: NodeTypeId) -> Fact {
        let guard = self.rules.rule(rule).guards.get(fact.guard);
        if let Some(Guard::Neighbors { neighbors, .. }) = guard {
            fact.place = renamed(fact.place, from, self.node_type, *neighbors);
        }
        fact
    }
}

/// A place seen from its near end, with another type there.
fn renamed(mut place: Place, from: NodeTypeId, to: NodeTypeId, neighbors: Neighbors) -> Place {
    let near = if neighbors.is_outgoing() { &mut place.source } else { &mut place.target };
    if *near == from {
        *near = to;
    }
    place
}

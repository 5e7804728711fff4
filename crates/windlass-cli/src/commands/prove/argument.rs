//! Proofs and topologies as JSON.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use windlass::lifecycle::setup::argument::{Argument, Direction};
use windlass::lifecycle::setup::{Kind, RuleSet, Topology};
use windlass::prove::any_size::describe;
use windlass::prove::{AnySize, Proof};

/// What was checked.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct Certificate {
    /// `run`, `trace`, `measure`, `search` or `argument`.
    kind: &'static str,
    /// Steps of the run, states of the search, or topologies looked at.
    size: usize,
    /// The argument for every topology.
    argument: Option<ArgumentReport>,
}

impl Certificate {
    pub(super) fn of_one(proof: &Proof) -> Self {
        Self { kind: proof.evidence, size: proof.size, argument: None }
    }

    pub(super) fn of_every(rules: &RuleSet, answer: &AnySize) -> Self {
        let argument = answer.argument.as_ref().map(|argument| ArgumentReport::of(rules, argument));
        let looked_at = answer.smallest.as_ref().map_or(0, |smallest| smallest.looked_at);
        let kind = if argument.is_some() { "argument" } else { "search" };
        let size = argument.as_ref().map_or(looked_at, |argument| argument.cases.len());
        Self { kind, size, argument }
    }
}

/// Why every topology completes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct ArgumentReport {
    /// What each local state weighs, by kind, type and name; every rule leads to a lighter state.
    weights: BTreeMap<&'static str, BTreeMap<String, BTreeMap<String, u32>>>,
    /// What a relationship can look like, by type.
    views: BTreeMap<String, Vec<String>>,
    /// Which nodes are looked at: those whose `targets` or `sources` are done.
    direction: &'static str,
    /// Why a node in each state moves on.
    cases: Vec<CaseReport>,
}

/// Why a node in one state moves on.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct CaseReport {
    /// The type of the node.
    node_type: String,
    /// Its state.
    state: String,
    /// The rule that it can follow in the end.
    rule: String,
    /// What moves in neighbours that keep it from doing so.
    neighbours: Vec<NeighbourReport>,
    /// The type whose proof was taken over.
    reused_from: Option<String>,
}

/// What moves in a neighbour.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct NeighbourReport {
    /// The type of the relationship.
    relationship: String,
    /// What it looks like.
    view: String,
    /// The rule that applies.
    applies: String,
}

impl ArgumentReport {
    fn of(rules: &RuleSet, argument: &Argument) -> Self {
        let kinds = [Kind::Node, Kind::Capability, Kind::Requirement];
        let weights = kinds.into_iter().map(|kind| {
            let of_type = |(at, weights): (usize, &Vec<u32>)| {
                let named =
                    rules.states[kind as usize].iter().cloned().zip(weights.iter().copied());
                (rules.type_name(kind, at).to_owned(), named.collect())
            };
            (
                kind.as_str(),
                argument.weights[kind as usize].iter().enumerate().map(of_type).collect(),
            )
        });
        let place = |relationship: usize| rules.relationship_types[relationship].name.clone();
        let mut views: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (at, all) in &argument.views {
            let types = &rules.node_types;
            let (source, target) = (&types[at.source.index()].name, &types[at.target.index()].name);
            let name = format!("{}({source}, {target})", place(at.relationship.index()));
            views.insert(name, all.iter().map(|view| describe(rules, view)).collect());
        }
        let cases = argument.cases.iter().map(|case| CaseReport {
            node_type: rules.node_types[case.node_type.index()].name.clone(),
            state: rules.state_name(Kind::Node, case.state).to_owned(),
            rule: rules.rule(case.rule).name.clone(),
            neighbours: case
                .facts
                .iter()
                .map(|fact| NeighbourReport {
                    relationship: place(fact.place.relationship.index()),
                    view: describe(rules, &fact.view),
                    applies: rules.rule(fact.applies).name.clone(),
                })
                .collect(),
            reused_from: case.reused.map(|id| rules.node_types[id.index()].name.clone()),
        });
        Self {
            weights: weights.collect(),
            views,
            direction: match argument.direction {
                Direction::Targets => "targets",
                Direction::Sources => "sources",
            },
            cases: cases.collect(),
        }
    }
}

/// A topology.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct TopologyReport {
    /// The type of each node.
    nodes: BTreeMap<String, String>,
    /// The relationships.
    relationships: Vec<RelationshipReport>,
}

/// A relationship.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct RelationshipReport {
    /// Its type.
    r#type: String,
    /// The node that has the requirement.
    from: String,
    /// The node that has the capability.
    to: String,
}

impl TopologyReport {
    pub(super) fn of(topology: &Topology) -> Self {
        let name = |at: usize| topology.nodes[at].name.clone();
        let types = &topology.rules.node_types;
        Self {
            nodes: topology
                .nodes
                .iter()
                .map(|node| (node.name.clone(), types[node.node_type.index()].name.clone()))
                .collect(),
            relationships: topology
                .links
                .iter()
                .map(|link| RelationshipReport {
                    r#type: topology.rules.relationship_types[link.relationship.index()]
                        .name
                        .clone(),
                    from: name(link.source),
                    to: name(link.target),
                })
                .collect(),
        }
    }
}

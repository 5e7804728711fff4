//! The declarative workflows of a service, written out: `deploy` and `undeploy` as the weaving
//! rules that the service chooses order its operations.
//!
//! Everything that the rules leave open stays open: two operations have an order only when one is
//! on the way of the other, or needs what the other brings.

use super::super::lower::links::Link;
use super::super::lower::operation_sequences::{Way, ways};
use super::super::model::Model;
use super::super::weaving::{Level, Weaving};
use crate::application::InstanceId;
use crate::plan::{Order, Plan, PlanAction, Step};
use crate::source::Origin;

/// How everything comes up, and how it goes away again. None without a service, and none when
/// protocols in the file say more than the rules.
pub fn declarative_plans(model: &Model) -> Option<(Plan, Plan)> {
    let (ways, links, weaving) = ways(model)?;
    Some((up(&ways, &links, weaving), down(&ways, &links)))
}

/// A chain of steps for each node; gives the places of its steps.
fn chains(plan: &mut Plan, nodes: &[(&str, Vec<&str>)]) -> Vec<Vec<usize>> {
    let mut places = Vec::new();
    for (node, operations) in nodes {
        let mut own: Vec<usize> = Vec::new();
        for operation in operations {
            let at = plan.steps.len();
            let action = PlanAction::Operation {
                instance: InstanceId((*node).to_owned()),
                operation: (*operation).to_owned(),
            };
            let label = format!("{operation} {node}");
            plan.steps.push(Step { label, action, origin: Origin(None) });
            if let Some(before) = own.last() {
                plan.order.push(edge(*before, at));
            }
            own.push(at);
        }
        places.push(own);
    }
    places
}

fn edge(before: usize, after: usize) -> Order {
    Order { before, after, why: None, origin: Origin(None) }
}

/// The source of a relationship goes on when its target is far enough.
fn up(ways: &[Way], links: &[Link<'_>], weaving: &Weaving) -> Plan {
    let mut plan = Plan::default();
    let operations = |way: &Way| way.up.iter().map(|(operation, _)| operation.clone()).collect();
    let names: Vec<(&str, Vec<String>)> =
        ways.iter().map(|way| (&*way.node, operations(way))).collect();
    let places = chains(&mut plan, &borrowed(&names));
    for link in links.iter().filter(|link| link.source != link.target) {
        let need = weaving.need(link.kind);
        let before = match need.target {
            Level::Started => places[link.target].last(),
            Level::Created => places[link.target].first(),
        };
        let waits = ways[link.source].up.iter().position(|(_, phase)| *phase >= need.from);
        if let (Some(before), Some(waits)) = (before, waits) {
            plan.order.push(edge(*before, places[link.source][waits]));
        }
    }
    plan
}

/// What a source needs it needs until it is gone.
fn down(ways: &[Way], links: &[Link<'_>]) -> Plan {
    let mut plan = Plan::default();
    let names: Vec<(&str, Vec<String>)> =
        ways.iter().map(|way| (&*way.node, way.down.clone())).collect();
    let places = chains(&mut plan, &borrowed(&names));
    for link in links.iter().filter(|link| link.source != link.target) {
        let (before, after) = (places[link.source].last(), places[link.target].first());
        if let (Some(before), Some(after)) = (before, after) {
            plan.order.push(edge(*before, *after));
        }
    }
    plan
}

fn borrowed<'n>(names: &'n [(&'n str, Vec<String>)]) -> Vec<(&'n str, Vec<&'n str>)> {
    let words = |words: &'n Vec<String>| words.iter().map(|word| &**word).collect();
    names.iter().map(|(node, operations)| (*node, words(operations))).collect()
}

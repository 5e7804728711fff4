//! The operations of each node on its way up and on its way down, without their states.

use std::collections::BTreeSet;

use super::super::command::{Inputs, ReturnedAttributes};
use super::super::model::Model;
use super::super::protocol;
use super::super::weaving::{Phase, Weaving};
use super::links::{Links, links};
use super::pairs::Pairs;
use super::{Lowering, chosen, name_of};

/// The ways of one node.
pub(crate) struct Way {
    /// What the node is called.
    pub(crate) node: String,
    /// From nothing to the last state, with the phase of each operation.
    pub(crate) up: Vec<(String, Phase)>,
    /// And back.
    pub(crate) down: Vec<String>,
    /// Those of them that nothing carries out.
    pub(crate) bare: BTreeSet<String>,
}

/// The ways of all nodes, in their order, with the relationships and the rules that order them.
pub(crate) fn ways(model: &Model) -> Option<(Vec<Way>, Links<'_>, &'static Weaving)> {
    let service = model.service.as_ref()?;
    if protocol::is_used(model, service) {
        return None;
    }
    let weaving = chosen(service);
    let (links, given) = (links(model, service), ReturnedAttributes::new());
    // A workflow has one step for all nodes of a template.
    let pairs = Pairs::none(&Inputs { model, service, links: &links, given: &given });
    let lowering = Lowering { model, service, weaving, links, given, pairs };
    let mut all = Vec::new();
    for (at, (name, template)) in service.nodes.iter().enumerate() {
        let (up, stop, delete, _) = lowering.stages(at, template);
        let stages = up.iter().chain(&stop).chain(&delete);
        let bare = stages.filter(|stage| stage.run.is_none());
        let bare = bare.map(|stage| stage.operation.clone()).collect();
        all.push(Way {
            node: name_of(&name.text),
            up: up.into_iter().map(|stage| (stage.operation, stage.phase)).collect(),
            down: stop.into_iter().chain(delete).map(|stage| stage.operation).collect(),
            bare,
        });
    }
    Some((all, lowering.links, weaving))
}

//! The same assembly with other durations, or without a dependency.

use std::collections::BTreeMap;
use std::fmt;

use crate::application::{Application, NodeId};
use crate::lifecycle::Lifecycle;
use crate::lifecycle::net::{self, NetTransitionId, PortKind};
use crate::lifecycle::timing::Timing;
use crate::spelling;

/// What is to be otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A transition of a node takes another time.
    Duration {
        /// The node.
        node: NodeId,
        /// The transition of its type.
        transition: NetTransitionId,
        /// How long it takes.
        timing: Timing,
    },
    /// A node does not wait for what a port gives.
    Without {
        /// The node.
        node: NodeId,
        /// The use port of its type.
        port: net::PortId,
    },
}

/// The changed application. A type that several nodes share is copied for the node that differs.
pub fn apply(application: &Application, changes: &[Change]) -> Application {
    let mut changed = application.clone();
    let mut nodes_of = vec![0u32; changed.types.len()];
    for node in &changed.nodes {
        nodes_of[node.component_type.index()] += 1;
    }
    for change in changes {
        match change {
            Change::Duration { node, transition, timing } => {
                if let Some(net) = own_net(&mut changed, &mut nodes_of, *node) {
                    let action = &mut net.transitions[transition.index()].action;
                    action.duration = Some(timing.clone());
                }
            }
            Change::Without { node, port } => {
                if let Some(net) = own_net(&mut changed, &mut nodes_of, *node) {
                    net.ports[port.index()].transitions.clear();
                    net.ports[port.index()].places.clear();
                }
                changed.nodes[node.index()].connections.retain(|c| c.port != *port);
            }
        }
    }
    changed
}

/// The net of a node, shared with no other node. `nodes_of` counts the nodes of each type.
fn own_net<'a>(
    application: &'a mut Application,
    nodes_of: &mut Vec<u32>,
    node: NodeId,
) -> Option<&'a mut net::Net> {
    let kind = application.node(node).component_type;
    let own = if nodes_of[kind.index()] > 1 {
        let mut copy = application.component_type(kind).clone();
        copy.name = format!("{} of {}", copy.name, application.node(node).name);
        application.types.push(copy);
        nodes_of[kind.index()] -= 1;
        nodes_of.push(1);
        let own = (application.types.len() - 1).into();
        application.nodes[node.index()].component_type = own;
        own
    } else {
        kind
    };
    match &mut application.types[own.index()].lifecycle {
        Lifecycle::Net(net) => Some(net),
        Lifecycle::Protocol(_) => None,
    }
}

/// A name that nothing has.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownName {
    /// What was looked for, for people.
    what: &'static str,
    /// The name as it was written.
    pub(crate) name: String,
    /// The nearest name that exists.
    pub(crate) nearest: Option<String>,
}

impl UnknownName {
    fn new(what: &'static str, name: &str, known: &[String]) -> Self {
        let nearest = spelling::nearest(name, known.iter().map(String::as_str));
        UnknownName { what, name: name.to_owned(), nearest: nearest.map(str::to_owned) }
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no {} `{}`", self.what, self.name)?;
        match &self.nearest {
            Some(near) => write!(f, "; did you mean `{near}`?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for UnknownName {}

/// The nodes of an application by name, for many questions.
#[derive(Debug, Clone)]
pub struct Names<'a> {
    application: &'a Application,
    nodes: BTreeMap<&'a str, NodeId>,
}

impl<'a> Names<'a> {
    /// Every node of an application.
    pub fn new(application: &'a Application) -> Self {
        let nodes = application.node_ids().map(|id| (&*application.node(id).name, id));
        Self { application, nodes: nodes.collect() }
    }

    /// What `NODE.NAME` can mean, where both may contain dots.
    fn split<T>(
        &self,
        text: &str,
        find: impl Fn(&net::Net, &str) -> Option<T>,
    ) -> Option<(NodeId, T)> {
        text.match_indices('.').find_map(|(at, _)| {
            let node = *self.nodes.get(&text[..at])?;
            let net = self.application.type_of(node).net()?;
            Some((node, find(net, &text[at + 1..])?))
        })
    }

    /// Which transition `NODE.TRANSITION` is, or what is wrong with it.
    pub fn transition(&self, text: &str) -> Result<(NodeId, NetTransitionId), UnknownName> {
        let find = |net: &net::Net, name: &str| {
            net.transitions.iter().position(|t| t.name == name).map(NetTransitionId::from)
        };
        self.split(text, find).ok_or_else(|| {
            let all = names(self.application, |net| {
                net.transitions.iter().map(|transition| transition.name.clone()).collect()
            });
            UnknownName::new("transition", text, &all)
        })
    }

    /// Which dependency `NODE.PORT` is, or what is wrong with it.
    pub fn dependency(&self, text: &str) -> Result<(NodeId, net::PortId), UnknownName> {
        let uses = |kind: PortKind| kind.counterpart().is_some();
        let find = |net: &net::Net, name: &str| {
            net.port_named(name).filter(|port| uses(net.port(*port).kind))
        };
        self.split(text, find).ok_or_else(|| {
            let all = names(self.application, |net| {
                let ports = net.ports.iter().filter(|port| uses(port.kind));
                ports.map(|port| port.name.clone()).collect()
            });
            UnknownName::new("port that uses something", text, &all)
        })
    }
}

/// `NODE.NAME` of everything, for suggestions; of the first thousand nodes.
fn names(application: &Application, of: impl Fn(&net::Net) -> Vec<String>) -> Vec<String> {
    let mut all = Vec::new();
    for node in application.node_ids().take(1000) {
        let Some(net) = application.type_of(node).net() else { continue };
        let name = &application.node(node).name;
        all.extend(of(net).into_iter().map(|part| format!("{name}.{part}")));
    }
    all
}

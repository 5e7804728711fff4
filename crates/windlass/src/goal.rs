//! Goals: what the application should look like, in one grammar for every command.
//!
//! ```text
//! goal := want ("," want)*
//! want := NODE=STATE          all wanted instances of NODE are in STATE, at least one
//!       | NODE=STATE*N        exactly N instances of NODE exist, all in STATE
//!       | NODE=STATE*>=N      at least N instances of NODE are in STATE
//!       | NODE=gone           no instance of NODE exists
//!       | ID=STATE | ID=gone  the same for one instance
//!       | @CAPABILITY         some instance offers CAPABILITY
//! ```
//!
//! A name is a node when the application has such a node, else an instance; [`names`] says which
//! instances there can be. A goal file adds what must hold on the way: see [`GoalFile`].

pub mod evaluate;
pub mod names;

use std::collections::BTreeMap;

use crate::application::{Application, ComponentType, InstanceId, NodeId};
use crate::diagnostic::Diagnostic;
use crate::lifecycle::protocol::StateId;
use crate::source::Span;
use crate::spelling;

use self::names::Ids;

/// How many instances of a node a want speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Amount {
    /// As many as the application wants, at least one.
    Wanted,
    /// Exactly that many.
    Exactly(u32),
    /// That many or more.
    AtLeast(u32),
}

/// One part of a goal, with every name resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Want {
    /// Instances of a node in a state.
    Node {
        /// Which node.
        node: NodeId,
        /// In which state.
        state: StateId,
        /// How many.
        amount: Amount,
    },
    /// At least so many instances of a node, each in one of some states.
    NodeIn {
        /// Which node.
        node: NodeId,
        /// In which states.
        states: Vec<StateId>,
        /// How many.
        least: u32,
    },
    /// No instance of a node.
    NodeGone(NodeId),
    /// One instance in a state, by the name of the state: the instance's node is known only
    /// where the state of the application is.
    Instance {
        /// Which instance.
        instance: InstanceId,
        /// In which state.
        state: String,
    },
    /// One instance gone.
    InstanceGone(InstanceId),
    /// A capability is offered by some instance of one of these nodes.
    Capability(String),
}

/// A conjunction of wants, in the order of the text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Goal {
    /// The parts.
    pub wants: Vec<Want>,
}

impl Goal {
    /// How many instances of which nodes the goal wants, where it says so itself.
    pub fn counts(&self) -> BTreeMap<NodeId, u32> {
        let count = |want: &Want| match want {
            Want::Node {
                node, amount: Amount::Exactly(count) | Amount::AtLeast(count), ..
            } => Some((*node, *count)),
            Want::NodeIn { node, least, .. } => Some((*node, *least)),
            Want::NodeGone(node) => Some((*node, 0)),
            _ => None,
        };
        self.wants.iter().filter_map(count).collect()
    }
}

/// A goal with conditions on the way to it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GoalFile {
    /// What must hold in the end.
    pub goal: Goal,
    /// Instances that may not be destroyed or restarted on the way.
    pub keep: Vec<InstanceId>,
    /// Conditions that hold in every state on the way.
    pub always: Vec<Goal>,
    /// Conditions that hold in no state on the way.
    pub never: Vec<Goal>,
    /// The largest number of instances of a node at any time.
    pub budget: BTreeMap<NodeId, u32>,
}

/// The code of every finding about a goal.
pub(crate) const BAD_GOAL: &str = "GOAL001";

/// Reads a goal that may name any instance. `span` is where its text stands: findings point into
/// it, part by part, when the text stands there as it is (`verbatim`), else at the whole of it.
pub fn parse(
    text: &str,
    span: Span,
    verbatim: bool,
    application: &Application,
    findings: &mut Vec<Diagnostic>,
) -> Goal {
    parse_among(text, span, verbatim, application, Ids::Any, findings)
}

/// Reads a goal whose instances are known, as [`parse`] does.
pub fn parse_among(
    text: &str,
    span: Span,
    verbatim: bool,
    application: &Application,
    ids: Ids<'_>,
    findings: &mut Vec<Diagnostic>,
) -> Goal {
    let mut goal = Goal::default();
    let mut offset = 0;
    for part in text.split(',') {
        let trimmed = part.trim();
        let start = span.start + (offset + part.len() - part.trim_start().len()) as u32;
        let place = if verbatim {
            Span { source: span.source, start, end: start + trimmed.len() as u32 }
        } else {
            span
        };
        offset += part.len() + 1;
        match want(trimmed, application, ids) {
            Ok(want) => goal.wants.push(want),
            Err((message, help)) => {
                findings.push(Diagnostic::error(BAD_GOAL, place, message).help(help));
            }
        }
    }
    goal
}

/// What is wrong, and what to write instead.
type Complaint = (String, String);

fn want(text: &str, application: &Application, ids: Ids<'_>) -> Result<Want, Complaint> {
    if text.is_empty() {
        return Err((
            "a part of the goal is empty".to_owned(),
            "write NODE=STATE, ID=STATE or @CAPABILITY between the commas".to_owned(),
        ));
    }
    if let Some(capability) = text.strip_prefix('@') {
        return wanted_capability(capability.trim(), application);
    }
    let Some((name, rest)) = text.split_once('=') else {
        return Err((
            format!("`{text}` says no state"),
            format!("write `{text}=STATE`, or `@{text}` for a capability"),
        ));
    };
    let (name, rest) = (name.trim(), rest.trim());
    if name.is_empty() {
        return Err((
            format!("`{text}` names no node and no instance"),
            format!("write NODE={rest}"),
        ));
    }
    let (state, amount) = match rest.split_once('*') {
        None => (rest, Amount::Wanted),
        Some((state, amount)) => (state.trim(), parse_amount(text, amount.trim())?),
    };
    match application.node_named(name) {
        Some(node) => wanted_node(node, state, amount, application),
        None => wanted_instance(name, state, amount, application, ids),
    }
}

fn parse_amount(text: &str, amount: &str) -> Result<Amount, Complaint> {
    let (number, at_least) = match amount.strip_prefix(">=") {
        Some(number) => (number.trim(), true),
        None => (amount, false),
    };
    let help = "write `*N` for exactly N or `*>=N` for at least N, with N from 0 to 4294967295";
    match number.parse() {
        Ok(number) if at_least => Ok(Amount::AtLeast(number)),
        Ok(number) => Ok(Amount::Exactly(number)),
        Err(_) => Err((format!("`{amount}` in `{text}` is no amount"), help.to_owned())),
    }
}

fn wanted_capability(name: &str, application: &Application) -> Result<Want, Complaint> {
    let offered = |name: &str| application.types.iter().any(|t| t.capability_named(name).is_some());
    if offered(name) {
        return Ok(Want::Capability(name.to_owned()));
    }
    let known = application.types.iter().flat_map(|t| t.capabilities.iter().map(|c| &*c.name));
    Err((format!("unknown capability `{name}` in the goal"), spelling::known("capability", known)))
}

fn wanted_node(
    node: NodeId,
    state: &str,
    amount: Amount,
    application: &Application,
) -> Result<Want, Complaint> {
    if state == "gone" {
        return match amount {
            Amount::Wanted => Ok(Want::NodeGone(node)),
            _ => Err((
                "`gone` takes no amount".to_owned(),
                "write NODE=gone, or NODE=STATE*0".to_owned(),
            )),
        };
    }
    let name = &application.node(node).name;
    if application.type_of(node).name.is_empty() {
        // The type of the node is unknown and has been reported; any answer will do.
        return Ok(Want::NodeGone(node));
    }
    let Some(protocol) = application.protocol_of(node) else {
        return Err((
            format!("`{name}` is a net and has no states to ask for"),
            "leave the goal out: a net is up when every final place is reached".to_owned(),
        ));
    };
    let named = |state: &str| {
        protocol.state_named(state).ok_or_else(|| {
            let known = spelling::known("state", protocol.states.iter().map(|s| &*s.name));
            (format!("`{name}` has no state `{state}`"), known)
        })
    };
    // A state may be called so as a whole.
    if !state.contains('|') || protocol.state_named(state).is_some() {
        return Ok(Want::Node { node, state: named(state)?, amount });
    }
    let states: Result<Vec<StateId>, Complaint> =
        state.split('|').map(|state| named(state.trim())).collect();
    match amount {
        Amount::AtLeast(least) => Ok(Want::NodeIn { node, states: states?, least }),
        _ => Err((
            format!("`{name}` may be in one of several states, and it is not said how many are"),
            format!("write `{name}={state}*>=N`"),
        )),
    }
}

fn wanted_instance(
    name: &str,
    state: &str,
    amount: Amount,
    application: &Application,
    ids: Ids<'_>,
) -> Result<Want, Complaint> {
    if amount != Amount::Wanted {
        return Err((
            format!("unknown node `{name}` in the goal; one instance takes no amount"),
            names::advice(name, application, Ids::Known(&BTreeMap::new())),
        ));
    }
    let node = ids.node_of(name, application);
    if node.is_none() && !ids.may_be(name) {
        return Err((
            format!("`{name}` is no node and no instance"),
            names::advice(name, application, ids),
        ));
    }
    if state == "gone" {
        return Ok(Want::InstanceGone(InstanceId(name.to_owned())));
    }
    let has_state =
        |t: &ComponentType| t.protocol().is_some_and(|p| p.state_named(state).is_some());
    match node.map(|node| application.type_of(node)) {
        Some(component) if !has_state(component) => {
            let states = component.protocol().map_or(&[][..], |protocol| &protocol.states);
            return Err((
                format!("`{name}` has no state `{state}`"),
                spelling::known("state", states.iter().map(|s| &*s.name)),
            ));
        }
        None if !application.types.iter().any(has_state) => {
            return Err((
                format!("`{name}` is no node, and no instance can be in a state `{state}`"),
                names::advice(name, application, ids),
            ));
        }
        _ => {}
    }
    Ok(Want::Instance { instance: InstanceId(name.to_owned()), state: state.to_owned() })
}

/// Writes a goal so that [`parse`] reads it back.
pub fn print(goal: &Goal, application: &Application) -> String {
    let one = |want: &Want| match want {
        Want::Node { node, state, amount } => {
            let name = &application.node(*node).name;
            let state = application.protocol_of(*node).map_or("", |p| &p.state(*state).name);
            match amount {
                Amount::Wanted => format!("{name}={state}"),
                Amount::Exactly(number) => format!("{name}={state}*{number}"),
                Amount::AtLeast(number) => format!("{name}={state}*>={number}"),
            }
        }
        Want::NodeIn { node, states, least } => {
            let name = |state: &StateId| {
                application.protocol_of(*node).map_or("", |p| &p.state(*state).name)
            };
            let states: Vec<&str> = states.iter().map(name).collect();
            format!("{}={}*>={least}", application.node(*node).name, states.join("|"))
        }
        Want::NodeGone(node) => format!("{}=gone", application.node(*node).name),
        Want::Instance { instance, state } => format!("{instance}={state}"),
        Want::InstanceGone(instance) => format!("{instance}=gone"),
        Want::Capability(name) => format!("@{name}"),
    };
    goal.wants.iter().map(one).collect::<Vec<_>>().join(", ")
}

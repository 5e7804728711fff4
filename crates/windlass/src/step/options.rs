//! What can be done next, and why the rest cannot: every command that makes sense, tried.

use super::{Command, Done, Stepper};
use crate::application::{InstanceId, NodeId};
use crate::lifecycle::protocol::Element;

/// A command that makes sense here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The line to write.
    pub command: String,
    /// Why it is not possible; none when it is.
    pub blocked: Option<String>,
    /// What would happen by itself.
    pub consequences: Vec<String>,
}

impl Stepper<'_> {
    /// The commands that make sense now, by instance, then by node.
    pub(crate) fn options(&self) -> Vec<Choice> {
        let mut choices = Vec::new();
        for (id, instance) in &self.state().instances {
            match instance.element {
                Element::Transition(_) => choices.push(Command::End(id.clone())),
                // Those that do not exist in this state are tried as well: the answer says where
                // they do.
                Element::State(_) => {
                    let component = self.replica.application().type_of(instance.node);
                    let operations = component.operations.iter();
                    choices
                        .extend(operations.map(|one| Command::Start(id.clone(), one.name.clone())));
                }
            }
            choices.push(Command::Crash(id.clone()));
            choices.push(Command::ScaleIn(id.clone()));
        }
        for node in self.replica.application().node_ids() {
            choices.extend(self.creations(node));
        }
        choices.iter().map(|command| self.choice(command)).collect()
    }

    /// How an instance of a node can be created: in each instance of the node that contains it.
    fn creations(&self, node: NodeId) -> Vec<Command> {
        let application = self.replica.application();
        let name = &application.node(node).name;
        let fresh = self.fresh(name);
        let containment = application.type_of(node).containment();
        let home = containment.and_then(|role| application.node(node).binding(role));
        let create = |container| Command::ScaleOut(name.clone(), fresh.clone(), container);
        let Some(home) = home else { return vec![create(None)] };
        let instances = self.state().instances.iter();
        let homes: Vec<_> =
            instances.filter(|(_, instance)| instance.node == home.target).collect();
        match homes.as_slice() {
            // It cannot be created, and trying it says why.
            [] => vec![create(None)],
            homes => homes.iter().map(|(id, _)| create(Some((*id).clone()))).collect(),
        }
    }

    /// A name that no instance has.
    fn fresh(&self, node: &str) -> InstanceId {
        let names = (1_usize..).map(|number| InstanceId::from(format!("{node}-{number}").as_str()));
        let mut free = names.filter(|name| !self.state().instances.contains_key(name));
        free.next().unwrap_or_else(|| node.into())
    }

    fn choice(&self, command: &Command) -> Choice {
        let (blocked, done) = match self.look(command) {
            Ok((_, done)) => (None, done),
            Err(reason) => (Some(reason.to_string()), Done::default()),
        };
        Choice { command: command.to_string(), blocked, consequences: done.consequences }
    }
}

/// A command as the line that it is read from.
impl std::fmt::Display for Command {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Command::Start(id, operation) => write!(out, "start {id} {operation}"),
            Command::End(id) => write!(out, "end {id}"),
            Command::ScaleOut(node, id, None) => write!(out, "scale-out {node} {id}"),
            Command::ScaleOut(node, id, Some(home)) => {
                write!(out, "scale-out {node} {id} in {home}")
            }
            Command::ScaleIn(id) => write!(out, "scale-in {id}"),
            Command::Crash(id) => write!(out, "crash {id}"),
            Command::Undo => out.write_str("undo"),
            Command::Show => out.write_str("show"),
            Command::Options => out.write_str("options"),
        }
    }
}

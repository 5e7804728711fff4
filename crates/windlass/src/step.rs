//! `windlass step` as a library: try actions one at a time.
//!
//! Three relations, one trait: replicas (paper 004, [`Stepper`]), one instance for each node (paper
//! 003, [`Single`]), and assemblies of nets (paper 002, [`Nets`]).

mod nets;
mod not_done;
mod options;
mod single;

use std::collections::BTreeMap;

pub use nets::Nets;
pub use not_done::NotDone;
pub use options::Choice;
pub use single::Single;

use crate::application::{GlobalState, InstanceId};
use crate::lifecycle::protocol::Element;
use crate::semantics::Semantics;
use crate::semantics::replica::observe::{Observation, observe};
use crate::semantics::replica::{Action, Blocked, Creation, Outcome, Replica, observable};

/// By instance and requirement, which instances or ports give it now.
pub type Bound = BTreeMap<String, BTreeMap<String, Vec<String>>>;

/// An application that lines change, one step at a time.
pub trait Walk {
    /// Carries out a line, or says why that is not possible; then nothing has changed.
    fn perform(&mut self, line: &str) -> Result<Done, NotDone>;

    /// Where everything is, in words.
    fn places(&self) -> BTreeMap<String, String>;

    /// Which instance is bound to which.
    fn bindings(&self) -> Bound;

    /// The state as a value; none where states have no file.
    fn state(&self) -> Option<GlobalState>;
}

/// What can be written.
const WORDS: &str = "write `start ID OPERATION`, `end ID`, `scale-out NODE ID [in CONTAINER]`, \
                     `scale-in ID`, `crash ID`, `undo`, `show`, `options`, `save FILE` or `quit`";

/// One command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Start an operation on an instance.
    Start(InstanceId, String),
    /// End the operation under way on an instance.
    End(InstanceId),
    /// Create an instance of a node, inside another if it is contained.
    ScaleOut(String, InstanceId, Option<InstanceId>),
    /// Destroy an instance.
    ScaleIn(InstanceId),
    /// Let the process of an instance die.
    Crash(InstanceId),
    /// Take the last change back.
    Undo,
    /// Show the state.
    Show,
    /// List what can be done, and why the rest cannot.
    Options,
}

impl Command {
    /// Reads a line, or says what could be written.
    pub fn parse(line: &str) -> Result<Command, NotDone> {
        let words: Vec<&str> = line.split_whitespace().collect();
        Ok(match words.as_slice() {
            ["start", id, operation] => Command::Start((*id).into(), (*operation).to_owned()),
            ["end", id] => Command::End((*id).into()),
            ["scale-out", node, id] => Command::ScaleOut((*node).to_owned(), (*id).into(), None),
            ["scale-out", node, id, "in", container] => {
                let container = Some((*container).into());
                Command::ScaleOut((*node).to_owned(), (*id).into(), container)
            }
            ["scale-in", id] => Command::ScaleIn((*id).into()),
            ["crash", id] => Command::Crash((*id).into()),
            ["undo"] => Command::Undo,
            ["show"] => Command::Show,
            ["options"] => Command::Options,
            _ => {
                return Err(NotDone::NoCommand(WORDS));
            }
        })
    }
}

/// What came of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Done {
    /// What there is to say instead of the state.
    pub message: Option<String>,
    /// What happened by itself.
    pub consequences: Vec<String>,
    /// How many other outcomes there were.
    pub alternatives: usize,
    /// What can be done, when that was asked.
    pub options: Vec<Choice>,
}

/// An application with a state that commands change.
pub struct Stepper<'a> {
    replica: Replica<'a>,
    /// The states so far; the last one is now.
    history: Vec<GlobalState>,
}

impl<'a> Stepper<'a> {
    /// Begins where the system starts.
    pub fn new(replica: Replica<'a>) -> Self {
        let history = vec![replica.start.clone()];
        Stepper { replica, history }
    }

    /// Where everything is.
    pub fn state(&self) -> &GlobalState {
        self.history.last().unwrap_or(&self.replica.start)
    }

    /// Carries out a command, or says why that is not possible; then nothing has changed.
    pub fn perform(&mut self, command: &Command) -> Result<Done, NotDone> {
        match command {
            Command::Show => Ok(Done::default()),
            Command::Options => Ok(Done { options: self.options(), ..Done::default() }),
            Command::Undo => {
                if self.history.len() < 2 {
                    return Err(NotDone::NothingToUndo);
                }
                self.history.pop();
                Ok(Done::default())
            }
            _ => {
                let (first, done) = self.look(command)?;
                self.history.push(first);
                Ok(done)
            }
        }
    }

    /// What would come of a command that changes something.
    fn look(&self, command: &Command) -> Result<(GlobalState, Done), NotDone> {
        let action = match command {
            Command::Show | Command::Options | Command::Undo => {
                return Ok((self.state().clone(), Done::default()));
            }
            Command::Crash(instance) => {
                let observation = Observation::Crashed { instance: instance.clone() };
                let outcomes = observe(&self.replica, self.state(), &observation);
                return self.take(outcomes);
            }
            Command::Start(instance, operation) => {
                Action::OpStart { instance: instance.clone(), operation: operation.clone() }
            }
            Command::End(instance) => {
                let operation = self.running(instance)?;
                Action::OpEnd { instance: instance.clone(), operation }
            }
            Command::ScaleIn(instance) => Action::ScaleIn { instance: instance.clone() },
            Command::ScaleOut(node, instance, container) => {
                let application = self.replica.application();
                let Some(node) = application.node_named(node) else {
                    let known = application.nodes.iter().map(|node| &*node.name);
                    let known = crate::spelling::known("node", known);
                    return Err(NotDone::UnknownNode { name: node.clone(), known });
                };
                let (instance, container) = (instance.clone(), container.clone());
                Action::create(&Creation { instance, node, container })
            }
        };
        let outcomes = observable::outcomes(&self.replica, self.state(), &action);
        self.take(outcomes)
    }

    fn take(
        &self,
        outcomes: Result<Vec<Outcome>, Blocked>,
    ) -> Result<(GlobalState, Done), NotDone> {
        let explained = |blocked| NotDone::Blocked(self.replica.explain(&blocked));
        let outcomes = outcomes.map_err(explained)?;
        let alternatives = outcomes.len().saturating_sub(1);
        let Some(first) = outcomes.into_iter().next() else {
            return Err(NotDone::NeverSettles);
        };
        let application = self.replica.application();
        let consequences = first.events.iter().map(|event| event.describe(application)).collect();
        Ok((first.state, Done { consequences, alternatives, ..Done::default() }))
    }

    /// The operation that an instance is performing.
    fn running(&self, id: &InstanceId) -> Result<String, NotDone> {
        let found = self.state().instances.get(id).copied();
        let Some(instance) = found else { return Err(NotDone::UnknownInstance(id.clone())) };
        let Element::Transition(running) = instance.element else {
            return Err(NotDone::Idle(id.clone()));
        };
        let component = self.replica.application().type_of(instance.node);
        let operation = self.replica.protocol(instance.node).transition(running).operation;
        Ok(component.operations[operation.index()].name.clone())
    }
}

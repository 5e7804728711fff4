//! The commands behind operations and the processes behind states.
//!
//! A command is an argument vector that ends; a shell takes part only when the author asks for
//! one. A process stays: it is the state. Secrets are named, never written down.

use std::collections::BTreeMap;
use std::time::Duration;

/// What is executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandLine {
    /// A program and its arguments, passed on as they are.
    Arguments(Vec<String>),
    /// A script for `/bin/sh -c`, because the author wrote `shell:`.
    Shell(String),
}

/// A value in the environment of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EnvironmentValue {
    /// The text itself.
    Plain(String),
    /// The name of a secret that the operator hands in; its value is never logged.
    Secret(String),
}

/// A command that ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// What is executed.
    pub line: CommandLine,
    /// Working directory, relative to the file that declares the command.
    pub directory: Option<String>,
    /// Additional environment variables.
    pub environment: BTreeMap<String, EnvironmentValue>,
    /// Files and folders that it needs, relative to the file that declares it: another host gets
    /// them before it runs there. It starts where they are.
    pub files: Vec<String>,
}

/// How a process is stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// By a signal, `TERM` by default.
    Signal(String),
    /// By a command.
    Command(Command),
}

/// What may be done about an action when it is unknown whether it happened, because the engine
/// that started it died before it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Doing it twice is the same as doing it once: it is done again.
    Idempotent,
    /// This command ends well exactly when the action has been done.
    Observable(Command),
    /// It must not be done twice: the operator decides.
    AtMostOnce,
}

/// How to tell whether a process serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProbeKind {
    /// A command that ends well.
    Command(Command),
    /// An address, `HOST:PORT`, that accepts connections.
    Tcp(String),
    /// An address, `http://HOST:PORT/PATH`, that answers with 2xx or 3xx.
    Http(String),
}

/// A health check: a process is in its state when the check passes, and has failed when it does
/// not pass any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// What is asked.
    pub kind: ProbeKind,
    /// How long to wait between two checks.
    pub every: Option<Duration>,
    /// How long one check may take.
    pub timeout: Option<Duration>,
    /// After how many checks in a row that fail a process that served counts as dead.
    pub failures: Option<u32>,
}

/// A process that stays: while it runs, the instance is in the state that declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// What is executed.
    pub command: Command,
    /// How it is stopped.
    pub stop: Stop,
    /// How long it may take to stop before it is killed.
    pub grace: Option<Duration>,
    /// How to tell whether it serves; without one it does as soon as it runs.
    pub health: Option<Probe>,
    /// The image in which it runs: then it is a container of a Docker engine.
    pub image: Option<String>,
}

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
}

/// How a process is stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// By a signal, `TERM` when nothing is said.
    Signal(String),
    /// By a command.
    Command(Command),
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
}

//! Operations, commands and processes.

use std::collections::BTreeMap;

use super::{conflict, cost, duration, entries, integer, text};
use crate::application::Operation;
use crate::diagnostic::Diagnostic;
use crate::lifecycle::implementation::{
    Command, CommandLine, Effect, EnvironmentValue, Probe, ProbeKind, Process, Stop,
};
use crate::tree::{Entry, Node};

/// An operation with the command behind it.
pub(super) fn operation(entry: Entry<'_>, findings: &mut Vec<Diagnostic>) -> Operation {
    let node = entry.value;
    Operation {
        name: entry.name().to_owned(),
        run: node.get("run").and_then(|run| command(run, findings)),
        duration: duration(node, "duration"),
        cost: cost(node, "cost"),
        timeout: duration(node, "timeout"),
        retry: node.get("retry").and_then(super::timing::retry),
        effect: node.get("effect").and_then(|effect| self::effect(effect, findings)),
        host: text(node, "host").map(str::to_owned),
        origin: entry.key.span().into(),
    }
}

/// A command: an argument list, or a record.
pub(super) fn command(node: Node<'_>, findings: &mut Vec<Diagnostic>) -> Option<Command> {
    let arguments = |list: Node<'_>| -> Vec<String> {
        list.items().filter_map(|item| item.as_str().map(str::to_owned)).collect()
    };
    if node.is_list() {
        return program(node, arguments(node), findings).map(plain);
    }
    if !node.is_mapping() {
        return None;
    }
    let line = match (node.get("argv"), text(node, "shell")) {
        (Some(argv), None) => program(argv, arguments(argv), findings)?,
        (None, Some(script)) => CommandLine::Shell(script.to_owned()),
        (None, None) => {
            let help = "add `argv: [PROGRAM, ARGUMENT]` or `shell: SCRIPT`";
            findings.push(conflict(node, "a command has neither `argv` nor `shell`", help));
            return None;
        }
        (Some(argv), Some(_)) => {
            findings.push(conflict(argv, "a command has both `argv` and `shell`", "keep one"));
            return None;
        }
    };
    let value = |value: Node<'_>| match text(value, "secret") {
        Some(name) => Some(EnvironmentValue::Secret(name.to_owned())),
        None => value.as_str().map(|text| EnvironmentValue::Plain(text.to_owned())),
    };
    let environment: BTreeMap<_, _> = entries(node, "environment")
        .filter_map(|entry| Some((entry.name().to_owned(), value(entry.value)?)))
        .collect();
    let directory = text(node, "directory").map(str::to_owned);
    let files = node.get("files").map(arguments).unwrap_or_default();
    Some(Command { line, directory, environment, files })
}

fn program(
    node: Node<'_>,
    arguments: Vec<String>,
    findings: &mut Vec<Diagnostic>,
) -> Option<CommandLine> {
    if arguments.first().is_none_or(String::is_empty) {
        findings.push(conflict(node, "a command names no program", "name one as first item"));
        return None;
    }
    Some(CommandLine::Arguments(arguments))
}

fn plain(line: CommandLine) -> Command {
    Command { line, directory: None, environment: BTreeMap::new(), files: Vec::new() }
}

/// What may be done about an action in doubt: a word, or a record with a check.
pub(super) fn effect(node: Node<'_>, findings: &mut Vec<Diagnostic>) -> Option<Effect> {
    if node.is_mapping() {
        return command(node.get("check")?, findings).map(Effect::Observable);
    }
    match node.as_str()? {
        "idempotent" => Some(Effect::Idempotent),
        "at_most_once" => Some(Effect::AtMostOnce),
        _ => None,
    }
}

/// A health check.
fn probe(node: Node<'_>, findings: &mut Vec<Diagnostic>) -> Option<Probe> {
    let kind = match (node.get("run"), text(node, "tcp"), text(node, "http")) {
        (Some(run), None, None) => ProbeKind::Command(command(run, findings)?),
        (None, Some(address), None) => ProbeKind::Tcp(address.to_owned()),
        (None, None, Some(address)) => ProbeKind::Http(address.to_owned()),
        _ => {
            let help =
                "write one of `run: [PROGRAM]`, `tcp: HOST:PORT` and `http: http://HOST:PORT/`";
            findings.push(conflict(node, "a health check asks for one thing", help));
            return None;
        }
    };
    let (every, timeout) = (duration(node, "every"), duration(node, "timeout"));
    Some(Probe { kind, every, timeout, failures: integer(node, "failures") })
}

/// A process: an argument list, or a record.
pub(super) fn process(node: Node<'_>, findings: &mut Vec<Diagnostic>) -> Option<Process> {
    let by_default = || Stop::Signal("TERM".to_owned());
    if node.is_list() {
        let command = command(node, findings)?;
        return Some(Process {
            command,
            stop: by_default(),
            grace: None,
            health: None,
            image: None,
        });
    }
    let stop = match node.get("stop") {
        None => by_default(),
        Some(stop) if stop.is_mapping() => Stop::Command(command(stop.get("run")?, findings)?),
        Some(stop) => Stop::Signal(signal(stop, findings)?),
    };
    let command = command(node.get("run")?, findings)?;
    let health = node.get("health").and_then(|health| probe(health, findings));
    let image = text(node, "image").map(str::to_owned);
    Some(Process { command, stop, grace: duration(node, "grace"), health, image })
}

/// The name of a signal, with or without `SIG`.
fn signal(node: Node<'_>, findings: &mut Vec<Diagnostic>) -> Option<String> {
    const KNOWN: &[&str] = &["TERM", "INT", "QUIT", "HUP", "USR1", "USR2", "KILL", "ABRT", "WINCH"];
    let written = node.as_str()?;
    let name = written.strip_prefix("SIG").unwrap_or(written);
    if KNOWN.contains(&name) {
        return Some(name.to_owned());
    }
    super::super::unknown("signal", node, KNOWN.iter().copied(), findings);
    None
}

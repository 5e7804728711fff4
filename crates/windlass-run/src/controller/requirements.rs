//! The secrets that a description asks for, looked up before anything starts.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use windlass::application::{Application, ComponentType};
use windlass::lifecycle::implementation::{
    Command, Effect, EnvironmentValue, ProbeKind, Process, Stop,
};

use super::WorldKind;
use super::error::Error;
use crate::secrets::Secrets;

/// A secret that a command names and that is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingSecret {
    /// Its name.
    pub name: String,
    /// What needs it.
    pub(crate) needed_by: String,
    /// Where the description names it, if that is known.
    pub(crate) place: Option<(PathBuf, usize)>,
}

impl fmt::Display for MissingSecret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "`{}`, which {} needs", self.name, self.needed_by)?;
        match &self.place {
            Some((file, line)) => write!(out, " ({}:{line})", file.display()),
            None => Ok(()),
        }
    }
}

/// Refuses to begin in a world that lacks what the description asks for. The file is where it was
/// read from.
pub(crate) fn check(
    application: &Application,
    secrets: &Secrets,
    file: Option<&Path>,
    world: WorldKind,
) -> Result<(), Error> {
    if world == WorldKind::Simulated {
        return Ok(());
    }
    check_secrets(application, secrets, file)?;
    check_images(application, world)
}

/// Refuses to begin when a secret is missing that a command of the description names.
fn check_secrets(
    application: &Application,
    secrets: &Secrets,
    file: Option<&Path>,
) -> Result<(), Error> {
    let missing: BTreeMap<String, String> =
        needed(application).into_iter().filter(|(name, _)| secrets.get(name).is_none()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let text = file.filter(|file| file.is_file()).and_then(|it| std::fs::read_to_string(it).ok());
    let missing = missing.into_iter().map(|(name, needed_by)| {
        let line = text.as_deref().and_then(|text| line_of(text, &name));
        let place = file.map(Path::to_owned).zip(line);
        MissingSecret { name, needed_by, place }
    });
    Err(Error::MissingSecrets(missing.collect()))
}

/// Refuses to begin when a container is described and the world makes none.
fn check_images(application: &Application, world: WorldKind) -> Result<(), Error> {
    if world == WorldKind::Docker {
        return Ok(());
    }
    for node in &application.nodes {
        let component = application.component_type(node.component_type);
        if let Some(image) = component.processes.values().find_map(|it| it.image.as_ref()) {
            let (component, image) = (component.name.clone(), image.clone());
            return Err(Error::NeedsContainers { component, image });
        }
    }
    Ok(())
}

/// Every secret with what needs it.
fn needed(application: &Application) -> BTreeMap<String, String> {
    let used: BTreeSet<_> = application.nodes.iter().map(|node| node.component_type).collect();
    let mut all = BTreeMap::new();
    for kind in used {
        let component = application.component_type(kind);
        for (needed_by, command) in commands(component) {
            for value in command.environment.values() {
                if let EnvironmentValue::Secret(name) = value {
                    all.entry(name.clone()).or_insert_with(|| needed_by.clone());
                }
            }
        }
    }
    all
}

/// The commands of a type that bring something up, as far as its author says which do, each with
/// what it is for.
fn commands(component: &ComponentType) -> Vec<(String, &Command)> {
    let of = |what: String| format!("{what} of type `{}`", component.name);
    let mut all = Vec::new();
    let up = component.protocol().and_then(|protocol| protocol.up.as_ref());
    for (at, operation) in component.operations.iter().enumerate() {
        // What only leads down again may get its secrets then.
        if up.is_some_and(|up| up.iter().all(|other| other.0 as usize != at)) {
            continue;
        }
        let name = of(format!("operation `{}`", operation.name));
        let check = operation.effect.as_ref().and_then(check_command);
        all.extend(operation.run.iter().chain(check).map(|command| (name.clone(), command)));
    }
    for (state, process) in &component.processes {
        let state = component.protocol().map_or("", |protocol| &protocol.state(*state).name);
        let name = of(format!("state `{state}`"));
        all.extend(of_process(process).into_iter().map(|command| (name.clone(), command)));
    }
    for transition in component.net().into_iter().flat_map(|net| &net.transitions) {
        let name = of(format!("transition `{}`", transition.name));
        let action = &transition.action;
        let check = action.effect.as_ref().and_then(check_command);
        let own = action.run.iter().chain(&action.compensate).chain(check);
        all.extend(own.map(|command| (name.clone(), command)));
    }
    all
}

fn check_command(effect: &Effect) -> Option<&Command> {
    match effect {
        Effect::Observable(command) => Some(command),
        Effect::Idempotent | Effect::AtMostOnce => None,
    }
}

fn of_process(process: &Process) -> Vec<&Command> {
    let mut all = vec![&process.command];
    if let Stop::Command(command) = &process.stop {
        all.push(command);
    }
    if let Some(ProbeKind::Command(command)) = process.health.as_ref().map(|probe| &probe.kind) {
        all.push(command);
    }
    all
}

/// The line of a text that names a secret.
fn line_of(text: &str, name: &str) -> Option<usize> {
    let names = |line: &str| {
        line.split("secret:").skip(1).any(|rest| {
            let rest = rest.trim_start().trim_start_matches(['"', '\'']);
            let after = rest.strip_prefix(name).map(|after| after.chars().next());
            after.is_some_and(|next| next.is_none_or(|next| !next.is_alphanumeric() && next != '_'))
        })
    };
    text.lines().position(names).map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_a_secret_is_the_one_that_names_it() {
        let text = "a: b\nenv: { T: { secret: token_2 } }\nenv: { T: { secret: \"token\" } }\n";
        assert_eq!(line_of(text, "token"), Some(3));
        assert_eq!(line_of(text, "token_2"), Some(2));
        assert_eq!(line_of(text, "tok"), None);
    }
}

//! The outputs of a service that is up: what they are made of is in its file, what operations have
//! left is beside the journal.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use windlass::lang::tosca::model::Fields;
use windlass::lang::tosca::{self, Output};
use windlass_run::controller::bring_up::SHARED;
use windlass_run::deployment::Deployment;

use crate::args::Format;
use crate::failure::Failure;
use crate::load::Loader;
use crate::read_options::CommandOptions;
use crate::{exit_code, output, replace};

/// Where it is kept which service a deployment is of.
const SERVICE: &str = "service.json";

/// A service and what was given to it.
#[derive(Debug, Serialize, Deserialize)]
struct Remembered {
    /// Its file.
    file: PathBuf,
    /// Texts with values of inputs, by their names.
    inputs: Vec<(String, String)>,
}

/// Tells the outputs of a service that is up.
pub(super) fn tell(
    format: Format,
    code: u8,
    deployment: &Deployment,
    service: Option<&tosca::Model>,
) -> Result<(), Failure> {
    if code == exit_code::GOOD && format == Format::Text {
        output::stdout(&outputs(deployment, service))?;
    }
    Ok(())
}

/// Prints them when another command has reached the goal that `up` was given. A service that cannot
/// be read any more has none to tell.
pub(crate) fn tell_again(format: Format, code: u8, deployment: &Deployment) -> Result<(), Failure> {
    if code != exit_code::GOOD || format != Format::Text {
        return Ok(());
    }
    tell(format, code, deployment, service(deployment).as_deref())
}

/// Keeps where the service is and what was given to it. Without that its outputs cannot be printed
/// later, and nothing else is lost.
pub(super) fn remember(
    file: &Path,
    deployment: &Deployment,
    service: Option<&tosca::Model>,
    options: &CommandOptions,
) {
    let path = deployment.folder().join(SERVICE);
    let outputs = service.and_then(|model| model.service.as_ref()).map(|it| &it.outputs);
    if outputs.is_none_or(Fields::is_empty) {
        let _ = fs::remove_file(path);
        return;
    }
    let Ok(file) = std::path::absolute(file) else { return };
    let remembered = Remembered { file, inputs: options.inputs().to_vec() };
    if let Ok(text) = serde_json::to_string(&remembered) {
        let _ = replace::write(&path, text);
    }
}

/// The service as `up` read it last.
fn service(deployment: &Deployment) -> Option<Box<tosca::Model>> {
    let text = fs::read_to_string(deployment.folder().join(SERVICE)).ok()?;
    let Remembered { file, inputs } = serde_json::from_str(&text).ok()?;
    let loader = Loader { options: CommandOptions::with_inputs(inputs) };
    loader.service(&file)
}

/// The outputs of a service, a line for each; one without a value is named.
fn outputs(deployment: &Deployment, service: Option<&tosca::Model>) -> String {
    let Some(model) = service else { return String::new() };
    let folder = deployment.folder().join(SHARED);
    let kept = |node: &str, name: &str| left(&folder.join(node), name);
    let mut text = String::new();
    for (name, output) in tosca::outputs(model, &kept) {
        let value = match output {
            Output::Given(value) => value,
            Output::Missing => "(no operation has given it)".to_owned(),
            Output::NotComputed => "(it cannot be computed of what operations gave)".to_owned(),
        };
        let _ = writeln!(text, "output {name}: {value}");
    }
    text
}

/// What a node has left; of several instances the first by number that has left it.
fn left(node: &Path, name: &str) -> Option<String> {
    if let Ok(text) = fs::read_to_string(node.join(name)) {
        return Some(text);
    }
    let number = |folder: &PathBuf| {
        let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let number = name.rsplit_once('-').and_then(|(_, number)| number.parse::<u64>().ok());
        (number, name.to_owned())
    };
    let mut folders: Vec<PathBuf> =
        fs::read_dir(node).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    folders.sort_by_key(number);
    folders.iter().find_map(|folder| fs::read_to_string(folder.join(name)).ok())
}

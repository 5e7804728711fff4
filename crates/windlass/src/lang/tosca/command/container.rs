//! Nodes that are containers: a node of such a type with an image among its artifacts. Operations
//! without an implementation are those of the `docker` client of this machine; what is hosted on it
//! is carried out inside.

use super::super::lower::name_of;
use super::super::model::NodeTemplate;
use super::super::value::{Entry, Value};
use super::{Inputs, ValueContext, artifact, quoted};
use crate::lifecycle::implementation::{Command, CommandLine};
use std::collections::BTreeMap;

/// The types of containers: of the profile, by its name in 2.0, and of TosKer.
const CONTAINERS: &[&str] =
    &["tosca.nodes.Container.Application", "Container.Application", "tosker.nodes.Container"];

/// Properties with variables of the environment.
const ENVIRONMENT: &[&str] = &["env_variables", "environment"];

/// The name of the container of a node, with the name of the deployment as the run knows it.
pub(crate) fn address(node: &str) -> String {
    format!("docker://${{WINDLASS_DEPLOYMENT}}-{}", plain(&name_of(node)))
}

/// Names of containers have few signs.
fn plain(name: &str) -> String {
    let good = |c: char| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '-' };
    name.chars().map(good).collect()
}

/// The image of a node that is a container.
pub(crate) fn image<'m>(inputs: &Inputs<'_, 'm>, template: &'m NodeTemplate) -> Option<&'m str> {
    let id = template.of.id?;
    let types = &inputs.model.types;
    if !CONTAINERS.iter().any(|name| types.derives_from_name(id, name)) {
        return None;
    }
    artifact::image(inputs, template)
}

/// What the client does for an operation of the life cycle.
pub(crate) fn operation(
    inputs: &Inputs<'_, '_>,
    at: usize,
    template: &NodeTemplate,
    operation: &str,
) -> Option<Command> {
    let image = image(inputs, template)?;
    let (node, _) = inputs.service.nodes.at(at)?;
    let name = format!("\"$WINDLASS_DEPLOYMENT\"-{}", plain(&name_of(&node.text)));
    let line = match operation {
        "Standard.create" => {
            let words = creation(inputs, at, template, image);
            // The last words of the client need not name it.
            let failed = quoted(&format!("no container can be made of the image `{image}`"));
            // It may be there already, when this is done again.
            format!(
                "docker container inspect {name} > /dev/null 2>&1 || \
                 docker create --init --name {name} \
                 --label windlass.deployment=\"$WINDLASS_DEPLOYMENT\" {words} || \
                 {{ printf '%s\\n' {failed} >&2; exit 1; }}"
            )
        }
        "Standard.start" => format!("docker start {name}"),
        "Standard.stop" => format!("docker stop {name}"),
        "Standard.delete" => format!("docker rm --force {name}"),
        _ => return None,
    };
    Some(Command {
        line: CommandLine::Shell(line),
        directory: None,
        environment: BTreeMap::new(),
        files: Vec::new(),
    })
}

/// Options, image and words of a new container.
fn creation(inputs: &Inputs<'_, '_>, at: usize, template: &NodeTemplate, image: &str) -> String {
    let place = ValueContext::of_node(at);
    let known = |value: &Value| inputs.evaluate(value, &place).and_then(|found| found.plain());
    let pairs = |name: &str| {
        let entries = template.properties.get(name).map(Value::entries).unwrap_or_default();
        let pair = |entry: &Entry| Some((known(&entry.key)?, known(&entry.value)?));
        entries.iter().filter_map(pair).collect::<Vec<(String, String)>>()
    };
    let mut words = Vec::new();
    for (key, value) in ENVIRONMENT.iter().flat_map(|name| pairs(name)) {
        words.extend(["--env".to_owned(), quoted(&format!("{key}={value}"))]);
    }
    for (inside, outside) in pairs("ports") {
        words.extend(["--publish".to_owned(), quoted(&format!("{outside}:{inside}"))]);
    }
    words.extend(["--".to_owned(), quoted(image)]);
    if let Some(command) = template.properties.get("command").and_then(known) {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_./=:,+- ".contains(c);
        if command.chars().all(is_plain) {
            words.extend(command.split_whitespace().map(quoted));
        } else {
            words.extend(["sh".to_owned(), "-c".to_owned(), quoted(&command)]);
        }
    }
    words.join(" ")
}

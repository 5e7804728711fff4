//! What carries an operation out: the script, what it gets in its environment, and where what it
//! gives back is kept.
//!
//! Inputs are environment variables. A script gives values back by writing lines `NAME=VALUE` to
//! the file that `TOSCA_OUTPUTS` names; the declared outputs among them are kept beside the state
//! of the deployment, where `get_attribute` and `get_operation_output` of later operations find
//! them.

mod artifact;
mod compute;
pub(crate) mod container;
mod evaluate;
pub(crate) mod execution_host;
mod instance_values;
mod locate;
mod refusal;
mod runtime_values;
pub(crate) mod state;
pub(crate) mod static_values;
mod value_context;
mod variables;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::lower::links::Link;
use super::lower::name_of;
use super::model::{
    Artifact, FileId, Implementation, Interface, Model, NodeTemplate, Operation, Types,
};
use super::value::{Data, Value};
use crate::lifecycle::implementation::{Command, CommandLine, EnvironmentValue};
pub(crate) use evaluate::{Inputs, ReturnedAttributes};
pub(crate) use refusal::refusals;
pub(crate) use runtime_values::Reading;
use runtime_values::{Fetching, RuntimeValue, shown};
use value_context::ValueContext;

/// The operations that find deployment artifacts where they belong; without any implementation the
/// first one puts them there.
const ON_THE_WAY_UP: &[&str] = &["Standard.create", "Standard.configure", "Standard.start"];

/// The operations that take away; a value that is not set is empty for them.
const ON_THE_WAY_DOWN: &[&str] =
    &["Standard.stop", "Standard.delete", "Configure.remove_target", "Configure.remove_source"];

/// Where values are kept. Another host has what is shared for each command apart.
const KEPT: &str = "kept=\"${WINDLASS_SHARED:-$WINDLASS_STATE/shared}\"";

/// What carries an operation out, and where.
#[derive(Clone)]
pub(crate) struct Run {
    /// The command.
    pub(crate) command: Command,
    /// The host, when it is not the usual one of the node whose life it is part of.
    pub(crate) host: Option<String>,
    /// When it is given up.
    pub(crate) timeout: Option<Duration>,
}

/// The operation as the template and its types declare it, nearest first.
struct Declared<'m> {
    all: Vec<(FileId, &'m Interface, Option<&'m Operation>)>,
}

impl<'m> Declared<'m> {
    fn of_node(
        inputs: &Inputs<'_, 'm>,
        template: &'m NodeTemplate,
        interface: &str,
        operation: &str,
    ) -> Self {
        let file = inputs.service.file;
        let own = template.interfaces.iter().map(|(name, it)| (file, &*name.text, it));
        let chain = template.of.id.into_iter().flat_map(|id| inputs.model.types.chain(id));
        let inherited = chain
            .flat_map(|(_, of)| of.interfaces.iter().map(|(name, it)| (of.file, &*name.text, it)));
        let all = own.chain(inherited).filter(|(_, name, _)| same_interface(name, interface));
        let all = all.map(|(file, _, it)| (file, it, it.operations.get(operation))).collect();
        Declared { all }
    }

    fn of_link(inputs: &Inputs<'_, 'm>, link: &Link<'m>, operation: &str) -> Self {
        let file = inputs.service.file;
        let own = link.interfaces.iter().flat_map(|fields| fields.iter());
        let own = own.map(|(name, it)| (file, &*name.text, it));
        let chain = link.relationship.into_iter().flat_map(|id| inputs.model.types.chain(id));
        let inherited = chain
            .flat_map(|(_, of)| of.interfaces.iter().map(|(name, it)| (of.file, &*name.text, it)));
        let all = own.chain(inherited).filter(|(_, name, _)| same_interface(name, "Configure"));
        let all = all.map(|(file, _, it)| (file, it, it.operations.get(operation))).collect();
        Declared { all }
    }

    /// What carries it out, and the file that says so.
    fn implementation(&self) -> Option<(FileId, &'m Artifact, &'m Implementation)> {
        self.all.iter().find_map(|(file, _, operation)| {
            let implementation = operation.as_ref()?.implementation.as_ref()?;
            Some((*file, implementation.primary.as_ref()?, implementation))
        })
    }

    /// Inputs by name: those of the interface, then those of the operation, the nearest last.
    fn inputs(&self) -> impl Iterator<Item = (&'m str, &'m Value)> {
        let all = self.all.iter().rev().flat_map(|(_, interface, operation)| {
            let own = operation.map(|operation| &operation.inputs);
            std::iter::once(&interface.inputs).chain(own).flat_map(super::model::Fields::iter)
        });
        all.filter_map(|(name, parameter)| {
            let value = parameter.value.as_ref().or(parameter.schema.value.as_ref());
            let value = value.or(parameter.schema.default.as_ref())?;
            Some((&*name.text, value))
        })
    }
}

/// The command of an operation of a node; none when nothing carries it out.
pub(crate) fn of_node<'m>(
    inputs: &Inputs<'_, 'm>,
    at: usize,
    template: &'m NodeTemplate,
    interface: &str,
    operation: &str,
) -> Option<Run> {
    let declared = Declared::of_node(inputs, template, interface, operation);
    let place = ValueContext::of_node(at);
    command(inputs, &declared, &place, at, template, &format!("{interface}.{operation}"))
}

/// The command of an operation of a relationship, as part of the life of the node `at`.
pub(crate) fn of_link<'m>(
    inputs: &Inputs<'_, 'm>,
    link: &Link<'m>,
    operation: &str,
    at: usize,
) -> Option<Run> {
    let declared = Declared::of_link(inputs, link, operation);
    let (_, template) = inputs.service.nodes.at(link.source)?;
    let place = ValueContext::of_link(link, at);
    command(inputs, &declared, &place, at, template, &format!("Configure.{operation}"))
}

/// What an output of a service says once operations have run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Its value.
    Given(String),
    /// It needs what no operation has given.
    Missing,
    /// It is made by a function that is not computed, or that does not take what was given.
    NotComputed,
}

/// The outputs of a service, with what operations have left.
pub(crate) fn of_service(model: &Model, kept: &Reading<'_>) -> Vec<(String, Output)> {
    let Some(service) = &model.service else { return Vec::new() };
    let links = super::lower::links::links(model, service);
    let given = ReturnedAttributes::new();
    let inputs = Inputs { model, service, links: &links, given: &given };
    let nowhere = ValueContext::nowhere();
    let mut all = Vec::new();
    for (name, output) in service.outputs.iter() {
        let Some(value) = &output.value else { continue };
        let output = match static_values::after(&inputs, value, &nowhere, kept) {
            Some(value) => Output::Given(shown(&value)),
            None if lacks(&inputs, value, kept) => Output::Missing,
            None => Output::NotComputed,
        };
        all.push((name.text.clone(), output));
    }
    all
}

/// Whether something in a value reads what is not set.
fn lacks(inputs: &Inputs<'_, '_>, value: &Value, kept: &Reading<'_>) -> bool {
    let nowhere = ValueContext::nowhere();
    if let Some((name, _)) = static_values::function(value, inputs.model.version.is_2())
        && name.starts_with("get_")
    {
        return static_values::after(inputs, value, &nowhere, kept).is_none();
    }
    let entries = value.entries().iter().map(|entry| &entry.value);
    value.items().iter().chain(entries).any(|inner| lacks(inputs, inner, kept))
}

/// The attributes of nodes that operations of them or of their relationships give back.
fn given_back(inputs: &Inputs<'_, '_>) -> BTreeMap<usize, BTreeSet<String>> {
    let mut given: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    let mut add = |interface: &Interface, place: &ValueContext| {
        let operations = interface.operations.iter().map(|(_, operation)| operation);
        for (_, mapping) in operations.flat_map(|operation| operation.outputs.iter()) {
            if let Some((node, name)) = inputs.target(mapping.items(), place) {
                given.entry(node).or_default().insert(name);
            }
        }
    };
    for (source, (_, template)) in inputs.service.nodes.iter().enumerate() {
        let place = ValueContext::of_node(source);
        let chain = template.of.id.into_iter().flat_map(|id| inputs.model.types.chain(id));
        let inherited = chain.flat_map(|(_, of)| of.interfaces.iter());
        template.interfaces.iter().chain(inherited).for_each(|(_, it)| add(it, &place));
    }
    for link in inputs.links.iter() {
        let place = ValueContext::of_link(link, link.source);
        let chain = link.relationship.into_iter().flat_map(|id| inputs.model.types.chain(id));
        let inherited = chain.flat_map(|(_, of)| of.interfaces.iter());
        let own = link.interfaces.iter().flat_map(|fields| fields.iter());
        own.chain(inherited).for_each(|(_, it)| add(it, &place));
    }
    given
}

/// Interfaces go by their short or by their long names.
fn same_interface(name: &str, wanted: &str) -> bool {
    const STANDARD: &[&str] = &["Standard", "tosca.interfaces.node.lifecycle.Standard"];
    const CONFIGURE: &[&str] = &["Configure", "tosca.interfaces.relationship.Configure"];
    match wanted {
        "Standard" => STANDARD.contains(&name),
        "Configure" => CONFIGURE.contains(&name),
        other => name == other,
    }
}

/// The operations of interfaces other than the life cycle, with the names of both.
pub(crate) fn others(types: &Types, template: &NodeTemplate) -> Vec<(String, String)> {
    let chain = template.of.id.into_iter().flat_map(|id| types.chain(id));
    let inherited = chain.flat_map(|(_, of)| of.interfaces.iter());
    let all = template.interfaces.iter().chain(inherited);
    let all = all.filter(|(name, _)| !same_interface(&name.text, "Standard"));
    let mut names: Vec<(String, String)> = all
        .flat_map(|(name, it)| {
            it.operations.names().map(|operation| (name.text.clone(), operation.to_owned()))
        })
        .collect();
    names.sort();
    names.dedup();
    names
}

fn command(
    inputs: &Inputs<'_, '_>,
    declared: &Declared<'_>,
    place: &ValueContext,
    at: usize,
    template: &NodeTemplate,
    operation: &str,
) -> Option<Run> {
    let is_way_up = ON_THE_WAY_UP.contains(&operation);
    let deployed = if is_way_up { artifact::deployed(inputs, template) } else { Vec::new() };
    let Some((file, primary, implementation)) = declared.implementation() else {
        let made = container::operation(inputs, place.source, template, operation);
        let copies = operation == ON_THE_WAY_UP[0] && !deployed.is_empty();
        let command = made.or_else(|| copies.then(|| artifact::copying(deployed)));
        return command.map(|command| Run { command, host: None, timeout: None });
    };
    let word = implementation.host.as_ref().map(|word| word.text.as_str());
    let word = word.or(execution_host::end_of(operation));
    let said = word.and_then(|word| execution_host::named_host(inputs, word, place, at));
    let usual = if said.is_none() { execution_host::usual(inputs, at) } else { None };
    let is_inside =
        said.as_ref().or(usual.as_ref()).is_some_and(execution_host::ExecutionHost::is_container);
    let script = script(inputs, file, primary, template, is_inside)?;
    let mut files: Vec<String> = script.last().cloned().into_iter().collect();
    let outputs = outputs(inputs, declared, place, at);
    let Values { mut environment, late, odd } = values(inputs, declared, place);
    let dependencies = dependencies(inputs, file, implementation, template);
    if !dependencies.is_empty() {
        let text = EnvironmentValue::Plain(dependencies.join(":"));
        environment.insert("TOSCA_DEPENDENCIES".to_owned(), text);
    }
    files.extend(dependencies);
    files.extend(artifact::files(inputs, template));
    files.sort();
    files.dedup();
    if outputs.is_empty() {
        // A script for many operations may write what this one does not declare.
        let nowhere = EnvironmentValue::Plain("/dev/null".to_owned());
        environment.insert("TOSCA_OUTPUTS".to_owned(), nowhere);
    }
    let states = state::lines(inputs, template, operation);
    let is_plain = late.is_empty() && outputs.is_empty() && states.is_none();
    let line = if is_plain && deployed.is_empty() && odd.is_empty() {
        CommandLine::Arguments(script)
    } else {
        let mut lines = vec!["set -e".to_owned()];
        lines.extend(deployed.iter().map(artifact::Deployed::line));
        lines.extend([KEPT.to_owned(), own(inputs, at)].into_iter().filter(|_| !is_plain));
        let (before, after) = states.unzip();
        lines.extend(before);
        let down = ON_THE_WAY_DOWN.contains(&operation).then_some(operation);
        lines.extend(fetched(inputs, at, &late, down));
        lines.extend(wrapped(&variables::given(&odd, &script), &outputs, operation));
        lines.extend(after);
        CommandLine::Shell(lines.join("\n"))
    };
    let command = Command { line, directory: None, environment, files };
    let timeout = timeout(implementation);
    Some(Run { command, host: said.map(|station| station.name), timeout })
}

/// When an implementation is given up: after so many seconds.
fn timeout(implementation: &Implementation) -> Option<Duration> {
    match implementation.timeout.as_ref()?.data {
        Data::Int(seconds) => u64::try_from(seconds).ok().map(Duration::from_secs),
        _ => None,
    }
}

/// Program and arguments by what kind of file it is.
fn script(
    inputs: &Inputs<'_, '_>,
    file: FileId,
    primary: &Artifact,
    template: &NodeTemplate,
    is_inside: bool,
) -> Option<Vec<String>> {
    let path = path(inputs, file, primary, template)?;
    let program = match path.rsplit_once('.').map(|(_, end)| end) {
        // Small images have no other shell.
        Some("sh") if is_inside => Some("sh"),
        Some("sh" | "bash") => Some("bash"),
        Some("py") => Some("python3"),
        Some("yaml" | "yml") => Some("ansible-playbook"),
        _ => None,
    };
    let path = if program.is_none() && !path.contains('/') { format!("./{path}") } else { path };
    Some(program.map(str::to_owned).into_iter().chain([path]).collect())
}

/// A file, or the artifact of that name; relative to the file of the service.
fn path(
    inputs: &Inputs<'_, '_>,
    file: FileId,
    primary: &Artifact,
    template: &NodeTemplate,
) -> Option<String> {
    let written = &primary.file.as_ref()?.text;
    let chain = template.of.id.into_iter().flat_map(|id| inputs.model.types.chain(id));
    let inherited = chain.map(|(_, of)| (of.file, &of.artifacts));
    let mut all = std::iter::once((inputs.service.file, &template.artifacts)).chain(inherited);
    let artifact = all.find_map(|(file, artifacts)| Some((file, artifacts.get(written)?)));
    let (file, path) = match artifact {
        Some((owner, artifact)) => (owner, &artifact.file.as_ref()?.text),
        None => (file, written),
    };
    Some(inputs.beside(file, path))
}

fn dependencies(
    inputs: &Inputs<'_, '_>,
    file: FileId,
    implementation: &Implementation,
    template: &NodeTemplate,
) -> Vec<String> {
    let all = implementation.dependencies.iter();
    all.filter_map(|artifact| path(inputs, file, artifact, template)).collect()
}

/// Values of inputs, by the names of their variables.
#[derive(Default)]
struct Values<'m> {
    /// Those that are known before.
    environment: BTreeMap<String, EnvironmentValue>,
    /// Those that only the run knows.
    late: Vec<(String, RuntimeValue)>,
    /// The inputs whose names no variable can have, with the variable of each.
    odd: Vec<(&'m str, String)>,
}

fn values<'m>(
    inputs: &Inputs<'_, 'm>,
    declared: &Declared<'m>,
    place: &ValueContext,
) -> Values<'m> {
    let variables = variables::of(declared.inputs().map(|(name, _)| name));
    let found = |(name, value)| Some((name, inputs.evaluate(value, place)?));
    // The nearest value of each.
    let found: BTreeMap<&str, RuntimeValue> = declared.inputs().filter_map(found).collect();
    let mut values = Values::default();
    for (name, found) in found {
        let Some(variable) = variables.get(name).cloned() else { continue };
        if name != variable {
            values.odd.push((name, variable.clone()));
        }
        match found.plain() {
            Some(text) => {
                values.environment.insert(variable, EnvironmentValue::Plain(text));
            }
            None => values.late.push((variable, found)),
        }
    }
    values
}

/// Where each output is kept beside its own place, in words of a shell: the attributes that it
/// sets. Those of the node itself are those of its instance.
fn outputs(
    inputs: &Inputs<'_, '_>,
    declared: &Declared<'_>,
    place: &ValueContext,
    at: usize,
) -> BTreeMap<String, Option<(String, String)>> {
    let mut outputs = BTreeMap::new();
    for operation in declared.all.iter().rev().filter_map(|(_, _, operation)| *operation) {
        for (name, mapping) in operation.outputs.iter() {
            let target = inputs.target(mapping.items(), place);
            let file = target.map(|(node, name)| {
                (if node == at { "$own".to_owned() } else { inputs.folder(node) }, name)
            });
            outputs.insert(name.text.clone(), file);
        }
    }
    outputs
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The line of a shell that says where values of the instance are kept: with its node, when it is
/// the only one and has its name.
fn own(inputs: &Inputs<'_, '_>, at: usize) -> String {
    let (folder, name) = (inputs.folder(at), node_name(inputs, at));
    let instance = "printf %s \"$WINDLASS_INSTANCE\" | sed 's,/,_,g; s,[.][.],__,g'";
    format!(
        "case $WINDLASS_INSTANCE in {}) own={folder} ;; *) own={folder}/$({instance}) ;; esac",
        quoted(&name)
    )
}

/// What the only instance of a node is called.
fn node_name(inputs: &Inputs<'_, '_>, at: usize) -> String {
    name_of(inputs.service.nodes.at(at).map_or("", |(name, _)| &*name.text))
}

/// The lines of a shell that fetch what only the run knows.
fn fetched(
    inputs: &Inputs<'_, '_>,
    at: usize,
    late: &[(String, RuntimeValue)],
    down: Option<&str>,
) -> Option<String> {
    let (folder, name) = (inputs.folder(at), node_name(inputs, at));
    let mut fetching = Fetching::new(&folder, &name, down);
    for (name, found) in late {
        fetching.variable(name, found);
    }
    (!late.is_empty()).then(|| fetching.lines())
}

/// A shell script around the command: it keeps what comes back.
fn wrapped(
    line: &str,
    outputs: &BTreeMap<String, Option<(String, String)>>,
    operation: &str,
) -> Vec<String> {
    if outputs.is_empty() {
        return vec![line.to_owned()];
    }
    let mut lines = vec![
        "mkdir -p \"$kept/$own\"".to_owned(),
        "TOSCA_OUTPUTS=\"$kept/$own/.outputs\"".to_owned(),
        "export TOSCA_OUTPUTS".to_owned(),
        ": > \"$TOSCA_OUTPUTS\"".to_owned(),
    ];
    let own = |name: &str| format!("$kept/$own/{}.{}", name_of(operation), name_of(name));
    // What an earlier time gave is no answer of this one.
    for (name, attribute) in outputs {
        lines.push(format!("rm -f \"{}\"", own(name)));
        let attribute = attribute.iter();
        lines.extend(attribute.map(|(folder, file)| format!("rm -f \"$kept/{folder}/{file}\"")));
    }
    lines.push(line.to_owned());
    // The last line need not have an end.
    lines.push("while IFS= read -r line || [ -n \"$line\" ]; do value=${line#*=}".to_owned());
    lines.push("case $line in".to_owned());
    for (name, attribute) in outputs {
        let mut keep = format!("printf %s \"$value\" > \"{}\"", own(name));
        if let Some((folder, file)) = attribute {
            keep = format!(
                "{keep}; mkdir -p \"$kept/{folder}\"; printf %s \"$value\" > \"$kept/{folder}/{file}\""
            );
        }
        lines.push(format!("{}=*) {keep} ;;", quoted(name)));
    }
    lines.push("esac; done < \"$TOSCA_OUTPUTS\"".to_owned());
    lines
}

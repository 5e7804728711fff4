//! Where operations are carried out: here, on a machine with an address, or in a container.
//!
//! A `Compute` is a machine when its address is known before anything runs, or when a run finds it
//! out: `public_address`, else `private_address` (attribute or property), else `ip_address` of the
//! capability `endpoint`; user and port are those of that capability. Keys are the business of the
//! configuration of ssh. Operations of a node run on the nearest machine or container that it is
//! hosted on, itself included; those of a container, and of a machine that they have to make
//! first, run here. `operation_host` says otherwise.

use super::super::lower::{is_a, name_of};
use super::super::model::NodeTemplate;
use super::super::value::Value;
use super::runtime_values::RuntimeValue;
use super::value_context::ValueContext;
use super::{Inputs, container};

/// The types of machines: of the profile, and by its name in 2.0.
const MACHINES: &[&str] = &["tosca.nodes.Compute", "Compute"];
/// Where the address of a machine stands.
const ADDRESSES: &[&str] = &["public_address", "private_address"];
/// Where it stands in the capability `endpoint`.
const OF_ENDPOINT: &str = "ip_address";

/// The host that is this machine, and its address.
pub(crate) const ORCHESTRATOR: (&str, &str) = ("ORCHESTRATOR", "here:");

/// A place that is reached under an address.
pub(crate) struct ExecutionHost {
    /// The node template that it is; none for this machine.
    pub(crate) node: Option<usize>,
    /// What it is called.
    pub(crate) name: String,
    /// Where it is reached.
    pub(crate) address: String,
    /// Whether its own operations run elsewhere: they make it.
    is_made: bool,
}

impl ExecutionHost {
    fn here() -> ExecutionHost {
        let (name, address) = ORCHESTRATOR;
        ExecutionHost {
            node: None,
            name: name.to_owned(),
            address: address.to_owned(),
            is_made: false,
        }
    }

    /// Whether it is a container.
    pub(crate) fn is_container(&self) -> bool {
        self.address.starts_with("docker://")
    }
}

/// Where the operations of a node are carried out by default; none means here.
pub(crate) fn usual(inputs: &Inputs<'_, '_>, at: usize) -> Option<ExecutionHost> {
    let execution_host = inside(inputs, at)?;
    (execution_host.node != Some(at) || !execution_host.is_made).then_some(execution_host)
}

/// At which end of its relationship an operation is carried out when that is not the node whose
/// life it is part of: what a target is sent is sent there.
pub(crate) fn end_of(operation: &str) -> Option<&'static str> {
    matches!(operation, "Configure.add_source" | "Configure.remove_source").then_some("TARGET")
}

/// Where an operation is carried out that says so; none when it says nothing, or nothing else than
/// what is usual at the node `at`, whose life it is part of.
pub(crate) fn named_host(
    inputs: &Inputs<'_, '_>,
    word: &str,
    place: &ValueContext,
    at: usize,
) -> Option<ExecutionHost> {
    let found = match (word, place.link) {
        ("ORCHESTRATOR", _) => None,
        ("HOST", _) => inputs.homes(at).nth(1).and_then(|host| inside(inputs, host)),
        ("SELF", _) => inside(inputs, at),
        ("SOURCE", Some((source, _))) => inside(inputs, source),
        ("TARGET", Some((_, target))) => inside(inputs, target),
        _ => return None,
    };
    let found = found.unwrap_or_else(ExecutionHost::here);
    let usual = usual(inputs, at).unwrap_or_else(ExecutionHost::here);
    (usual.name != found.name).then_some(found)
}

/// The nearest machine or container: the node itself, or what it is hosted on.
pub(crate) fn inside(inputs: &Inputs<'_, '_>, at: usize) -> Option<ExecutionHost> {
    for home in inputs.homes(at) {
        let (name, template) = inputs.service.nodes.at(home)?;
        let is_container = container::image(inputs, template).is_some();
        let found = if is_container {
            Some((container::address(&name.text), true))
        } else {
            address(inputs, home, template)
        };
        if let Some((address, is_made)) = found {
            let name = name_of(&name.text);
            return Some(ExecutionHost { node: Some(home), name, address, is_made });
        }
    }
    None
}

/// An address of a machine that differs from instance to instance: they have one together.
pub(crate) fn differing<'m>(
    inputs: &Inputs<'_, 'm>,
    at: usize,
    template: &'m NodeTemplate,
) -> Option<&'m Value> {
    if !MACHINES.iter().any(|name| is_a(&inputs.model.types, template, name)) {
        return None;
    }
    let place = first(inputs, at);
    addresses(template)
        .find(|value| inputs.evaluate(value, &place).is_some_and(|found| found.is_numbered()))
}

/// The place of a machine; of one that is alone its number is known.
fn first(inputs: &Inputs<'_, '_>, at: usize) -> ValueContext {
    let place = ValueContext::of_node(at);
    if inputs.count(at) <= 1 { place.numbered(0) } else { place }
}

/// What a template says about the address of its machine, most important first.
fn addresses(template: &NodeTemplate) -> impl Iterator<Item = &Value> {
    let own = |name: &&str| template.attributes.get(name).or_else(|| template.properties.get(name));
    ADDRESSES.iter().filter_map(own).chain(of_endpoint(template, OF_ENDPOINT))
}

fn of_endpoint<'t>(template: &'t NodeTemplate, name: &str) -> Option<&'t Value> {
    let endpoint = template.capabilities.get("endpoint")?;
    endpoint.properties.get(name).or_else(|| endpoint.attributes.get(name))
}

/// The address of a machine, and whether only a run finds it out.
fn address(inputs: &Inputs<'_, '_>, at: usize, template: &NodeTemplate) -> Option<(String, bool)> {
    if !MACHINES.iter().any(|name| is_a(&inputs.model.types, template, name)) {
        return None;
    }
    let place = first(inputs, at);
    let found = |value: &Value| inputs.evaluate(value, &place);
    let known = |value: &Value| found(value)?.plain().filter(|text| !text.is_empty());
    let of_endpoint = |name: &str| of_endpoint(template, name);
    let written = || addresses(template);
    let host = written().find_map(known);
    let is_made = host.is_none();
    let host = host.or_else(|| {
        // What a run tells: in the words of the template, or by what operations give back.
        let is_late = |it: &RuntimeValue| it.plain().is_none() && !it.is_numbered();
        let late = written().find_map(|value| found(value).filter(is_late));
        late.map(|late| late.reference()).or_else(|| given_back(inputs, at))
    })?;
    let user = of_endpoint("credential").and_then(|it| it.get("user")).and_then(known);
    let port = of_endpoint("port").and_then(known);
    let address = match (user, port) {
        (None, None) => host,
        (user, port) => {
            let user = user.map(|user| format!("{user}@")).unwrap_or_default();
            let port = port.map(|port| format!(":{port}")).unwrap_or_default();
            // An address of IPv6 has colons of its own.
            let is_bare = !is_made && host.contains(':');
            let host = if is_bare { format!("[{host}]") } else { host };
            format!("ssh://{user}{host}{port}")
        }
    };
    Some((address, is_made))
}

/// A reference to the address among what the operations of the service give back.
fn given_back(inputs: &Inputs<'_, '_>, at: usize) -> Option<String> {
    let given = inputs.given.get_or_init(|| super::given_back(inputs)).get(&at)?;
    let names = ADDRESSES.iter().chain([&OF_ENDPOINT]).filter(|name| given.contains(**name));
    let files: Vec<String> = names.flat_map(|name| inputs.files(at, name)).collect();
    (!files.is_empty()).then(|| RuntimeValue::first_of(&files))
}

//! The attribute `state` of a node. Operations keep it where outputs are kept, and only in a
//! service that reads it. An operation that nothing carries out is passed over with its state.

use super::super::model::NodeTemplate;
use super::{Inputs, same_interface};
use crate::tree::Node;

/// Its name.
pub(crate) const ATTRIBUTE: &str = "state";

/// An operation of the life of a node: the state while it runs, and the one that it leads to.
struct Standard {
    name: &'static str,
    during: &'static str,
    to: &'static str,
}

/// The way up, then the way down.
const LIFE: &[Standard] = &[
    Standard { name: "create", during: "creating", to: "created" },
    Standard { name: "configure", during: "configuring", to: "configured" },
    Standard { name: "start", during: "starting", to: "started" },
    Standard { name: "stop", during: "stopping", to: "configured" },
    Standard { name: "delete", during: "deleting", to: "initial" },
];
/// So many of them lead up.
const UP: usize = 3;

/// Whether something in a text reads the attribute. Trees are at most a few hundred levels deep.
pub(crate) fn is_read(node: Node<'_>) -> bool {
    let is_call = |name: &str| name.trim_start_matches('$') == "get_attribute";
    let reads = node.entries().any(|entry| {
        let last = entry.value.items().last().and_then(Node::as_str);
        is_call(entry.name()) && last == Some(ATTRIBUTE) || is_read(entry.value)
    });
    reads || node.items().any(is_read)
}

/// The state of a node before an operation has kept one.
pub(crate) fn before(inputs: &Inputs<'_, '_>, node: usize) -> Option<String> {
    let (_, template) = inputs.service.nodes.at(node)?;
    let is_passed = LIFE[..UP].iter().all(|it| !is_implemented(inputs, template, it.name));
    // Who asks needs a node that is there, and nothing had to be done for it.
    Some(if is_passed { "started" } else { "initial" }.to_owned())
}

/// The lines of a shell before and after an operation of the life of a node.
pub(crate) fn lines(
    inputs: &Inputs<'_, '_>,
    template: &NodeTemplate,
    operation: &str,
) -> Option<(String, String)> {
    let name = operation.strip_prefix("Standard.").filter(|_| inputs.model.reads_state)?;
    let found = LIFE.iter().position(|it| it.name == name)?;
    let passed = LIFE[..UP].iter().skip(found + 1);
    let passed = passed.take_while(|it| !is_implemented(inputs, template, it.name));
    let to = passed.last().map_or(LIFE[found].to, |last| last.to);
    let keep = |state: &str| format!("printf %s {state} > \"$kept/$own/{ATTRIBUTE}\"");
    let before = format!("mkdir -p \"$kept/$own\"\n{}", keep(LIFE[found].during));
    Some((before, keep(to)))
}

/// Whether a script carries an operation out.
fn is_implemented(inputs: &Inputs<'_, '_>, template: &NodeTemplate, operation: &str) -> bool {
    let chain = template.of.id.into_iter().flat_map(|id| inputs.model.types.chain(id));
    let inherited = chain.flat_map(|(_, of)| of.interfaces.iter());
    let all = template.interfaces.iter().chain(inherited);
    let mut standard = all.filter(|(name, _)| same_interface(&name.text, "Standard"));
    standard.any(|(_, it)| {
        let body = it.operations.get(operation).and_then(|it| it.implementation.as_ref());
        body.is_some_and(|it| it.primary.is_some())
    })
}

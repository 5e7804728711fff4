//! Whether a text is a Compose file, by the keys at its top.

use super::schema::table;
use crate::tree::Node;

/// Keys at the top of a file that Compose knows.
const TOP: &[&str] = &[
    "configs", "include", "models", "name", "networks", "secrets", "services", "version", "volumes",
];

/// Whether the keys at the top are those of a Compose file: services, or else a part of one and
/// nothing that Compose does not know.
pub fn detect(root: Node<'_>) -> bool {
    if ["tosca_definitions_version", "heat_template_version"].iter().any(|k| root.get(k).is_some())
    {
        return false;
    }
    if root.get("services").is_some_and(Node::is_mapping) {
        return true;
    }
    let telling = ["services", "include", "volumes", "networks", "configs", "secrets", "models"];
    root.entries().all(|entry| is_top(entry.name()))
        && root.entries().any(|entry| telling.contains(&entry.name()))
}

/// Whether a text that is in no language was probably meant as a Compose file: it has nothing but
/// what Compose knows at the top, and services, be it that they stand where the first format had
/// them, or below a key that was misspelled.
///
/// Only for a file that was named: in a folder there are too many that only look so.
pub fn resembles(root: Node<'_>) -> bool {
    let is_group = |node: Node<'_>| {
        node.entries().next().is_some() && node.entries().all(|entry| is_service(entry.value))
    };
    root.entries().next().is_some()
        && root
            .entries()
            .all(|entry| is_top(entry.name()) || is_service(entry.value) || is_group(entry.value))
}

fn is_top(name: &str) -> bool {
    TOP.contains(&name) || name.starts_with("x-")
}

/// A mapping that says what it runs, with keys of a service only.
fn is_service(node: Node<'_>) -> bool {
    let has_image = node.get("image").is_some_and(|image| image.as_text().is_some());
    (has_image || node.get("build").is_some())
        && node.entries().all(|entry| table::is_key_of_service(entry.name()))
}

//! `server_not_one_boot_source` (row O44): an image or one bootable device, not both.

use super::super::{LooksAt, Rule, page};
use super::look::{SERVER, is_given, row_finding};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;
use crate::lang::hot::value::{Data, Value};

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT344",
    name: "server-not-one-boot-source",
    severity: Severity::Error,
    summary: "a server has no boot source, or several",
    paper: Some("000 7.1.4"),
    doc: page!("HOT344"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for server in stack.of(&[SERVER]).filter(|server| !server.is_external) {
        let devices = server.list("block_device_mapping_v2");
        let old = server.list("block_device_mapping");
        let unknown = ["image", "block_device_mapping", "block_device_mapping_v2"];
        if unknown.iter().any(|name| {
            server.get(&[name]).is_some_and(|value| {
                !is_given(value)
                    || matches!(
                        (&value.data, *name),
                        (Data::Unknown(_), "block_device_mapping" | "block_device_mapping_v2")
                    )
            })
        }) {
            continue;
        }
        let is_boot = |device: &&Value| match device.get("boot_index") {
            None => ["volume_id", "snapshot_id", "image", "image_id"]
                .iter()
                .any(|name| device.get(name).is_some()),
            Some(index) => index.as_int().is_none_or(|index| index == 0),
        };
        let first = |device: &&Value| device.get("boot_index").and_then(Value::as_int) == Some(0);
        let bootable = devices.iter().filter(is_boot).count() + old.len();
        let name = &server.name;
        if !server.has("image") && bootable == 0 {
            let message = format!("server `{name}` has neither an image nor a device to boot from");
            findings.push(row_finding(&RULE, server.span, message));
        }
        let sources = devices.iter().filter(first).count() + usize::from(server.has("image"));
        if sources > 1 {
            let message = format!("server `{name}` has {sources} sources to boot from");
            findings.push(row_finding(&RULE, server.at("block_device_mapping_v2"), message));
        }
    }
}

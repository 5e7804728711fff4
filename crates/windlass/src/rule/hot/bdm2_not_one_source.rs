//! `bdm2_not_one_source` (row O41): a bdm_v2 entry has one source among volume_id, snapshot_id,
//! image, image_id, swap_size, ephemeral_size, ephemeral_format.

use super::super::{LooksAt, Rule, page};
use super::look::{SERVER, is_given, row_finding};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;
use crate::lang::hot::value::Data;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT341",
    name: "bdm2-not-one-source",
    severity: Severity::Error,
    summary: "a bdm_v2 entry has no source or several among volume_id, snapshot_id, image, image_id, swap_size, ephemeral_size, ephemeral_format",
    paper: Some("000 7.1.4"),
    doc: page!("HOT341"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for server in stack.of(&[SERVER]) {
        for entry in server.list("block_device_mapping_v2") {
            let has =
                |names: &[&str]| names.iter().any(|name| entry.get(name).is_some_and(is_given));
            let sources = [
                has(&["volume_id"]),
                has(&["snapshot_id"]),
                has(&["image", "image_id"]),
                has(&["swap_size"]),
                has(&["ephemeral_size", "ephemeral_format"]),
            ];
            let count = sources.iter().filter(|has| **has).count();
            let complete = entry.entries().iter().all(|entry| is_given(&entry.value));
            if count > 1 || (count == 0 && complete && matches!(entry.data, Data::Map(_))) {
                let message = format!(
                    "a device of server `{}` has {count} sources, and needs one",
                    server.name
                );
                findings.push(row_finding(&RULE, entry.span, message));
            }
        }
    }
}

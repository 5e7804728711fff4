//! `volume_without_size` (row S07): size is given unless backup_id, source_volid or snapshot_id
//! is.

use super::super::{LooksAt, Rule, page};
use super::look::row_finding;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT207",
    name: "volume-without-size",
    severity: Severity::Error,
    summary: "size is missing, and so are backup_id, source_volid and snapshot_id",
    paper: Some("000 7.1.4"),
    doc: page!("HOT207"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for volume in stack.of(&["OS::Cinder::Volume"]) {
        if volume.has("size") || volume.has("backup_id") {
            continue;
        }
        let sources =
            ["source_volid", "snapshot_id"].iter().filter(|name| volume.has(name)).count();
        if sources != 1 || volume.has("image") {
            let message = format!(
                "volume `{}` has no `size`, and not just one volume, snapshot or backup to take it from",
                volume.name
            );
            findings.push(row_finding(&RULE, volume.span, message));
        }
    }
}

//! `volume_size_not_one_source` (row O59): with size given exactly one of image, source_volid,
//! snapshot_id.

use super::super::{LooksAt, Rule, page};
use super::look::{is_given, row_finding};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT359",
    name: "volume-size-not-one-source",
    severity: Severity::Error,
    summary: "size is given with several of image, source_volid and snapshot_id",
    paper: Some("000 7.1.4"),
    doc: page!("HOT359"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for volume in stack.of(&["OS::Cinder::Volume"]) {
        let sources = ["image", "imageRef", "source_volid", "snapshot_id"];
        let given: Vec<_> =
            sources.into_iter().filter(|name| volume.get(&[name]).is_some_and(is_given)).collect();
        if volume.has("size") && given.len() > 1 {
            let message =
                format!("volume `{}` has several sources: {}", volume.name, given.join(", "));
            findings.push(row_finding(&RULE, volume.at(given[1]), message));
        }
    }
}

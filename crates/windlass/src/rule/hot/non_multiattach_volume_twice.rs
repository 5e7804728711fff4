//! `non_multiattach_volume_twice` (row O58): a volume with multiattach false is attached once at
//! most.

use std::collections::BTreeMap;

use super::super::{LooksAt, Rule, page};
use super::look::row_finding;
use super::shared::{VolumeUse, volume_uses};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT358",
    name: "non-multiattach-volume-twice",
    severity: Severity::Error,
    summary: "a volume with multiattach false is attached twice",
    paper: Some("000 7.1.4"),
    doc: page!("HOT358"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    let uses = volume_uses(stack).into_iter().filter(|usage| !usage.multiattach);
    let mut first: BTreeMap<String, VolumeUse<'_>> = BTreeMap::new();
    for usage in uses {
        let Some(before) = first.get(&usage.volume) else {
            first.insert(usage.volume.clone(), usage);
            continue;
        };
        if (before.by_attachment || usage.by_attachment) && before.server != usage.server {
            let message = "a volume without `multiattach` is attached twice";
            findings.push(
                row_finding(&RULE, usage.span, message.to_owned()).label(before.span, "first here"),
            );
        }
    }
}

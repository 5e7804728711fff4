//! `bdm2_image_and_image_id` (row O40): image and image_id are not both used in a bdm_v2 entry.

use super::super::{LooksAt, Rule, page};
use super::shared::both_in_entry;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT340",
    name: "bdm2-image-and-image-id",
    severity: Severity::Error,
    summary: "a bdm_v2 entry has both image and image_id",
    paper: Some("000 7.1.4"),
    doc: page!("HOT340"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    both_in_entry(stack, "block_device_mapping_v2", ["image", "image_id"], &RULE, findings);
}

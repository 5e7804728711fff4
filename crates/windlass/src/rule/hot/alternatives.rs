//! Resources under different undecided conditions may exclude each other: what is said
//! about two of them together is dropped. One of them beside a resource that is always there stays,
//! and so do two under the same condition.

use crate::diagnostic::Diagnostic;
use crate::lang::hot::{Resource, Stack};
use crate::source::Span;

/// Drops the findings about resources that may never exist together.
pub(super) fn drop_those_that_never_meet(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    let undecided = |resource: &&Resource| resource.only_if.is_some() && resource.group.is_none();
    // They stand in the order of the text.
    let all: Vec<&Resource> = stack.resources.iter().filter(undecided).collect();
    if all.len() < 2 {
        return;
    }
    let condition = |span: Span| {
        let after = all.partition_point(|resource| resource.extent.start <= span.start);
        let resource = all[after.checked_sub(1)?];
        let is_inside = resource.extent.source == span.source && span.end <= resource.extent.end;
        resource.only_if.as_ref().filter(|_| is_inside)
    };
    findings.retain(|finding| {
        let own = condition(finding.primary);
        let others = finding.labels.iter().filter_map(|label| condition(label.span));
        own.is_none_or(|own| others.into_iter().all(|other| other == own))
    });
}

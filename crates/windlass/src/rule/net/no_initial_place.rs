//! `no-initial-place`: a net has no initial place, so it never starts.

use super::super::{Context, LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "NET007",
    name: "no-initial-place",
    severity: Severity::Error,
    summary: "a net has no initial place, so it never starts",
    paper: Some("002 Sec. III-A (places)"),
    doc: page!("NET007"),
    looks_at: LooksAt::Application(check),
    ..Rule::DEFAULT
};

fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    for (component, net) in super::nets(context) {
        if net.initial.is_empty() {
            let message = format!("type `{}` has no initial place", component.name);
            findings.push(
                RULE.finding(context.place(component.origin), message)
                    .help("name the places that hold a token at the start: `initial: [PLACE]`"),
            );
        }
    }
}

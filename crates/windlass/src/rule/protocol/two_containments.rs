//! `two-containments`: a type has more than one containment requirement.

use super::super::{Context, LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};

use crate::lifecycle::protocol::Sort;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "PROT001",
    name: "two-containments",
    severity: Severity::Error,
    summary: "a type has more than one containment requirement",
    paper: Some("004 Def. 3.3 (i)"),
    doc: page!("PROT001"),
    looks_at: LooksAt::Application(check),
    ..Rule::DEFAULT
};

/// Paper: 004 Def. 3.3 (i)
fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    for component in &context.application.types {
        let mut containments =
            component.requirements.iter().filter(|r| r.sort == Sort::Containment);
        let Some(first) = containments.next() else { continue };
        for second in containments {
            let message = format!(
                "type `{}` is contained twice: by `{}` and by `{}`",
                component.name, first.name, second.name
            );
            findings.push(
                RULE.finding(context.place(second.origin), message)
                    .label(context.place(first.origin), "the first containment")
                    .help("make one of them replica_aware or replica_unaware"),
            );
        }
    }
}

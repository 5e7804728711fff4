//! `capability-never-offered`: a requirement is bound to a capability that its node never offers.

use super::super::{Context, LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "TOP005",
    name: "capability-never-offered",
    severity: Severity::Error,
    summary: "a requirement is bound to a capability that its node never offers",
    paper: Some("004 Notation 3.3"),
    doc: page!("TOP005"),
    looks_at: LooksAt::Application(check),
    ..Rule::DEFAULT
};

fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    let application = context.application;
    for node in &application.nodes {
        for binding in &node.bindings {
            let target = application.type_of(binding.target);
            let Some(protocol) = target.protocol() else { continue };
            if protocol.elements().any(|e| protocol.offers(e).contains(&binding.capability)) {
                continue;
            }
            let capability = &target.capabilities[binding.capability.index()];
            let (name, provider) = (&capability.name, &application.node(binding.target).name);
            findings.push(
                RULE.finding(
                    context.place(binding.origin),
                    format!("`{provider}` declares `{name}` and offers it in no state"),
                )
                .label(context.place(capability.origin), "declared here")
                .help(format!("add `offers: [{name}]` to a state of type `{}`", target.name)),
            );
        }
    }
}

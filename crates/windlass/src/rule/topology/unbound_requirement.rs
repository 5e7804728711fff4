//! `unbound-requirement`: a requirement is bound to nothing, so it can never be satisfied.

use super::super::{Context, LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};

use crate::lifecycle::protocol::RequirementId;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "TOP002",
    name: "unbound-requirement",
    severity: Severity::Error,
    summary: "a requirement of a node is bound to nothing, so it can never be satisfied",
    paper: Some("004 Def. 3.2"),
    doc: page!("TOP002"),
    looks_at: LooksAt::Application(check),
    ..Rule::DEFAULT
};

/// A requirement that no state and no operation relies on may stay unbound.
fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    for node in &context.application.nodes {
        let component = context.application.component_type(node.component_type);
        let Some(protocol) = component.protocol() else { continue };
        for (at, requirement) in component.requirements.iter().enumerate() {
            let id = RequirementId::from(at);
            let relied_on = protocol.elements().any(|e| protocol.requires(e).contains(&id));
            if !relied_on || node.binding(id).is_some() {
                continue;
            }
            let name = &requirement.name;
            let finding = RULE
                .finding(
                    context.place(node.origin),
                    format!("requirement `{name}` of node `{}` is bound to nothing", node.name),
                )
                .label(context.place(requirement.origin), format!("`{name}` is declared here"))
                .help(format!("add `{name}: NODE.CAPABILITY` under `bind`"));
            findings.push(finding);
        }
    }
}

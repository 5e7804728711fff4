//! `port-type-mismatch`: two connected ports have different types.

use super::super::{Context, LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "NET005",
    name: "port-type-mismatch",
    severity: Severity::Error,
    summary: "two connected ports have different types",
    paper: Some("002 Sec. III-B"),
    doc: page!("NET005"),
    looks_at: LooksAt::Application(check),
    ..Rule::DEFAULT
};

/// Paper: 002 Sec. III-B
fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    let application = context.application;
    for node in &application.nodes {
        let Some(net) = application.component_type(node.component_type).net() else { continue };
        for connection in &node.connections {
            let Some(target) = application.type_of(connection.target).net() else { continue };
            let (user, provider) = (net.port(connection.port), target.port(connection.target_port));
            let (Some(wanted), Some(given)) = (&user.port_type, &provider.port_type) else {
                continue;
            };
            if wanted == given {
                continue;
            }
            let message = format!(
                "port `{}` of `{}` wants `{wanted}` and is connected to `{given}`",
                user.name, node.name
            );
            findings.push(
                RULE.finding(context.place(connection.origin), message)
                    .label(context.place(provider.origin), format!("provides `{given}` here"))
                    .label(context.place(user.origin), format!("wants `{wanted}` here"))
                    .help("connect a port of the same type, or correct the type"),
            );
        }
    }
}

//! `unconnected-port`: a port that transitions need is connected to nothing.

use super::super::{Context, LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};

use crate::lifecycle::net::PortId;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "NET006",
    name: "unconnected-port",
    severity: Severity::Error,
    summary: "a port that transitions need is connected to nothing",
    paper: Some("002 Sec. III-B"),
    doc: page!("NET006"),
    looks_at: LooksAt::Application(check),
    ..Rule::DEFAULT
};

fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    let application = context.application;
    for node in &application.nodes {
        let Some(net) = application.component_type(node.component_type).net() else { continue };
        for (at, port) in net.ports.iter().enumerate() {
            let id = PortId::from(at);
            let connected = node.connections.iter().any(|c| c.port == id);
            let wanted = port.kind.counterpart().is_some();
            let needed = !port.transitions.is_empty() || !port.places.is_empty();
            if !wanted || !needed || connected {
                continue;
            }
            let message = format!(
                "{} port `{}` of node `{}` is connected to nothing, so its transitions never start",
                port.kind.as_str(),
                port.name,
                node.name
            );
            findings.push(
                RULE.finding(context.place(node.origin), message)
                    .label(context.place(port.origin), "the port is declared here")
                    .help(format!("add `{}: NODE.PORT` under `bind`", port.name)),
            );
        }
    }
}

//! `replicas-without-faults`: several instances of a node are wanted where the relation knows one.

use super::super::{Context, LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};

use crate::application::Faults;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "TOP006",
    name: "replicas-without-faults",
    severity: Severity::Error,
    summary: "several instances of a node are wanted where the relation knows one",
    paper: Some("003 Def. 4"),
    doc: page!("TOP006"),
    looks_at: LooksAt::Application(check),
    ..Rule::DEFAULT
};

fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    let faults = context.application.faults;
    if faults == Faults::Replicas || context.application.is_net() {
        return;
    }
    for node in context.application.nodes.iter().filter(|node| node.count != 1) {
        let message = format!(
            "{} instances of `{}` are wanted, yet `faults: {}` knows exactly one of each node",
            node.count,
            node.name,
            faults.as_str(),
        );
        findings.push(
            RULE.finding(context.place(node.origin), message)
                .help("write `faults: replicas`, or remove `count`"),
        );
    }
}

//! `nondeterministic-operation`: an operation can lead from one state to two different states.

use super::super::{Context, LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use std::collections::BTreeMap;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "PROT002",
    name: "nondeterministic-operation",
    severity: Severity::Error,
    summary: "an operation can lead from one state to two different states",
    paper: Some("003 Def. 2"),
    doc: page!("PROT002"),
    looks_at: LooksAt::Application(check),
    ..Rule::DEFAULT
};

/// Paper: 003 Def. 2
/// Paper: 004 Def. 3.3 (iii, deterministic)
fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    for (component, protocol) in super::protocols(context) {
        let mut first = BTreeMap::new();
        for transition in &protocol.transitions {
            let known = first.entry((transition.from, transition.operation)).or_insert(transition);
            if known.to == transition.to {
                continue;
            }
            let message = format!(
                "operation `{}` leads from `{}` to `{}` and to `{}`",
                component.operations[transition.operation.index()].name,
                protocol.state(transition.from).name,
                protocol.state(known.to).name,
                protocol.state(transition.to).name,
            );
            findings.push(
                RULE.finding(context.place(transition.origin), message)
                    .label(context.place(known.origin), "the other way it leads")
                    .help("give the two operations different names"),
            );
        }
    }
}

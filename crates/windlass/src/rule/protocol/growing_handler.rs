//! `growing-handler`: a fault handler leads to a state that relies on or offers more than before.

use super::super::{Context, LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lifecycle::Protocol;
use crate::lifecycle::protocol::{Element, StateId};

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "PROT004",
    name: "growing-handler",
    severity: Severity::Error,
    summary: "a fault handler leads to a state that relies on or offers more than before",
    paper: Some("004 Def. 3.3 (iii, well-formed)"),
    doc: page!("PROT004"),
    looks_at: LooksAt::Application(check),
    ..Rule::DEFAULT
};

/// Paper: 004 Def. 3.3 (iii, well-formed)
fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    for (component, protocol) in super::protocols(context) {
        for element in protocol.elements() {
            for handler in protocol.handlers(element) {
                let target = protocol.state(handler.to);
                let requirements = target
                    .requires
                    .difference(protocol.requires(element))
                    .map(|r| ("relies on", &component.requirements[r.index()].name));
                let capabilities = target
                    .offers
                    .difference(protocol.offers(element))
                    .map(|c| ("offers", &component.capabilities[c.index()].name));
                for (verb, name) in requirements.chain(capabilities) {
                    let message = format!(
                        "a fault in {} leads to `{}`, which {verb} `{name}` and did not before",
                        super::element_name(component, protocol, element),
                        target.name,
                    );
                    findings.push(
                        RULE.finding(context.place(handler.origin), message)
                            .label(context.place(target.origin), format!("{verb} `{name}` here"))
                            .help("a fault can only take away: handle it in a state with less"),
                    );
                }
            }
        }
    }
}

/// Whether a handler of `element` that leads to `to` is a finding of this rule.
pub(super) fn grows(protocol: &Protocol, element: Element, to: StateId) -> bool {
    let target = protocol.state(to);
    !target.requires.is_subset(protocol.requires(element))
        || !target.offers.is_subset(protocol.offers(element))
}

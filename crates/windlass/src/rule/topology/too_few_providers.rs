//! `too-few-providers`: a requirement asks for more providers than instances are wanted.

use super::super::{Context, LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};

use crate::lifecycle::protocol::Arity;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "TOP004",
    name: "too-few-providers",
    severity: Severity::Warning,
    summary: "a requirement asks for more providers than the application wants instances of",
    doc: page!("TOP004"),
    looks_at: LooksAt::Application(check),
    ..Rule::DEFAULT
};

fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    let application = context.application;
    for node in &application.nodes {
        let component = application.component_type(node.component_type);
        for binding in &node.bindings {
            let requirement = &component.requirements[binding.requirement.index()];
            let target = application.node(binding.target);
            let Arity::AtLeast(needed) = requirement.arity else { continue };
            if target.count >= needed {
                continue;
            }
            let message = format!(
                "`{}` of `{}` needs {needed} instances of `{}`, and only {} {} wanted",
                requirement.name,
                node.name,
                target.name,
                target.count,
                if target.count == 1 { "is" } else { "are" },
            );
            findings.push(
                RULE.finding(context.place(binding.origin), message)
                    .label(context.place(target.origin), "wanted here")
                    .help(format!(
                        "write `count: {needed}` for `{}`, or ask for fewer",
                        target.name
                    )),
            );
        }
    }
}

//! `wrong-container`: a wanted instance names a container that cannot hold it.

use super::super::{Context, LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "TOP003",
    name: "wrong-container",
    severity: Severity::Error,
    summary: "a wanted instance names a container that cannot hold it",
    paper: Some("004 Def. 3.9 (scaleout-c)"),
    doc: page!("TOP003"),
    looks_at: LooksAt::Application(check),
    ..Rule::DEFAULT
};

fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    let application = context.application;
    let owner = |id: &str| {
        application.node_ids().find(|n| application.node(*n).instances.iter().any(|i| i.id == id))
    };
    for node in &application.nodes {
        let component = application.component_type(node.component_type);
        let home = component.containment().and_then(|r| node.binding(r)).map(|b| b.target);
        for instance in &node.instances {
            let place = context.place(instance.origin);
            let (id, name) = (&instance.id, &node.name);
            match (&instance.container, home) {
                (Some(container), None) => findings.push(
                    RULE.finding(
                        place,
                        format!("`{id}` is placed in `{container}`, yet `{name}` is contained in nothing"),
                    )
                    .help("remove `in`, or give the type a containment requirement and bind it"),
                ),
                (Some(container), Some(home)) if owner(container) != Some(home) => {
                    let home = &application.node(home).name;
                    findings.push(
                        RULE.finding(
                            place,
                            format!("`{id}` is placed in `{container}`, which is no instance of `{home}`"),
                        )
                        .help(format!("name an instance that is declared under `{home}`")),
                    );
                }
                _ => {}
            }
        }
    }
}

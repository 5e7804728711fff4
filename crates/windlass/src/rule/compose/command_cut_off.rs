//! A command of which Compose drops the end.

use super::super::{LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::{Project, command, validate};

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE045",
    name: "command-cut-off",
    severity: Severity::Warning,
    summary: "what follows an operator of a shell in a command is dropped",
    doc: page!("COMPOSE045"),
    looks_at: LooksAt::Project(check),
    ..Rule::DEFAULT
};

/// Commands in one text with `;`, `&`, `|`, `<` or `>` outside of quotes.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    for service in project.services.values() {
        for (key, item) in validate::commands(&service.item) {
            let text = item.plain();
            let Some(cut) = command::split(&text).and_then(|line| line.cut) else { continue };
            let dropped = text.get(cut..).unwrap_or_default().trim();
            let dropped = dropped.lines().next().unwrap_or_default();
            let message = format!(
                "no shell reads `{key}` of `{}`: it ends before `{dropped}`, and that is dropped",
                service.name
            );
            let help = "write `sh -c '...'`, or quote the character";
            findings.push(item.explain(RULE.finding(item.span, message)).help(help));
        }
    }
}

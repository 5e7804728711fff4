//! A restart policy that no engine knows.

use super::super::{LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;
use crate::spelling;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE039",
    name: "unknown-restart-policy",
    severity: Severity::Warning,
    summary: "a restart policy that no engine knows",
    paper: Some("000 6.2 (Service)"),
    doc: page!("COMPOSE039"),
    looks_at: LooksAt::Project(check),
    ..Rule::DEFAULT
};

/// The words that engines know.
const WORDS: &[&str] = &["no", "always", "on-failure", "unless-stopped"];

/// Policies in other words.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    for service in project.services.values() {
        let Some(item) = service.get("restart") else { continue };
        let text = item.plain();
        let (word, count) = text.split_once(':').unwrap_or((&text, "0"));
        let has_count = text.contains(':');
        let is_good = WORDS.contains(&word)
            && (!has_count || (word == "on-failure" && count.parse::<u32>().is_ok()));
        if is_good || text.is_empty() {
            continue;
        }
        let finding = RULE.finding(item.span, format!("`{text}` is no restart policy"));
        findings.push(match spelling::nearest(word, WORDS.iter().copied()) {
            Some(near) if near != word => finding.help(format!("did you mean `{near}`?")),
            _ => finding.help(format!("one of: {}", WORDS.join(", "))),
        });
    }
}

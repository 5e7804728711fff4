//! A secret in plain text.

use super::super::{Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;
use crate::source::Sources;

/// The rule.
pub const RULE: Rule = Rule {
    code: "COMPOSE031",
    name: "secret-in-environment",
    severity: Severity::Warning,
    summary: "a password or key stands in the file in plain text",
    paper: None,
    doc: page!("COMPOSE031"),
    check: None,
};

/// Parts of names that speak of secrets.
const TELLING: &[&str] =
    &["PASSWORD", "PASSWD", "SECRET", "TOKEN", "API_KEY", "APIKEY", "PRIVATE_KEY", "ACCESS_KEY"];

/// Variables with a telling name and a value that stands in the file.
pub fn check(project: &Project, sources: &Sources, findings: &mut Vec<Diagnostic>) {
    for service in project.services.values() {
        for (name, value, span) in &service.environment {
            let upper = name.to_uppercase();
            let tells =
                TELLING.iter().any(|word| upper.contains(word)) && !upper.ends_with("_FILE");
            let is_plain = value.as_deref().is_some_and(|value| !value.is_empty())
                && !sources.slice(*span).contains('$');
            let is_switch = value.as_deref().is_some_and(|value| {
                matches!(value.to_lowercase().as_str(), "true" | "false" | "yes" | "no" | "0" | "1")
            });
            if tells && is_plain && !is_switch {
                let message = format!("the value of `{name}` stands in the file");
                let finding = RULE.finding(*span, message);
                findings.push(
                    finding.help("take it from a secret, or from the surroundings: `${...}`"),
                );
            }
        }
    }
}

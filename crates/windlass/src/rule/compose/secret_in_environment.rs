//! A secret in plain text.

use super::super::{LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;
use crate::source::Sources;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE031",
    name: "secret-in-environment",
    severity: Severity::Warning,
    summary: "a password or key is in the file in plain text",
    doc: page!("COMPOSE031"),
    looks_at: LooksAt::ProjectText(check),
    ..Rule::DEFAULT
};

/// Ends of names that speak of secrets: what follows such a word makes it something about one, as
/// in `PASSWORD_RESET_URL` or `TOKEN_EXPIRY`.
const TELLING: &[&str] = &[
    "PASSWORD",
    "PASSWD",
    "SECRET",
    "TOKEN",
    "API_KEY",
    "APIKEY",
    "PRIVATE_KEY",
    "ACCESS_KEY",
    "SECRET_KEY",
    "SECRET_KEY_BASE",
    "ENCRYPTION_KEY",
];

/// Whether a name ends in such a word; a number or a plural makes no difference.
fn is_telling(name: &str) -> bool {
    let upper = name.to_uppercase();
    let stem = upper.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
    let is_one = |text: &str| TELLING.iter().any(|word| text.ends_with(word));
    is_one(stem) || stem.strip_suffix('S').is_some_and(is_one)
}

/// Whether a text is an address with a password in it: `SCHEME://USER:PASSWORD@HOST`.
fn has_password(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_scheme = scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.:".contains(c));
    let user = authority.rsplit_once('@').map(|(user, _)| user);
    let password = user.and_then(|user| user.split_once(':')).map(|(_, password)| password);
    is_scheme && password.is_some_and(|password| !password.is_empty())
}

/// Variables with a telling name, or an address with a password, and a value that stands in the
/// file.
fn check(project: &Project, sources: &Sources, findings: &mut Vec<Diagnostic>) {
    for service in project.services.values() {
        for (name, value, span) in &service.environment {
            let is_place = value.as_deref().is_some_and(|value| value.contains("://"));
            let tells = is_telling(name) && !is_place || value.as_deref().is_some_and(has_password);
            let is_plain = value.as_deref().is_some_and(|value| !value.is_empty())
                && !sources.slice(*span).contains('$');
            let is_switch = value.as_deref().is_some_and(|value| {
                matches!(value.to_lowercase().as_str(), "true" | "false" | "yes" | "no" | "0" | "1")
            });
            if tells && is_plain && !is_switch {
                let message = format!("the value of `{name}` is in the file");
                let finding = RULE.finding(*span, message);
                findings.push(
                    finding.help("take it from a secret, or from the surroundings: `${...}`"),
                );
            }
        }
    }
}

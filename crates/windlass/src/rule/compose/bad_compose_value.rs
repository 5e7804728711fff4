//! A value of the right kind that means nothing to Compose.
//!
//! The reader reports the same code for values that it cannot decode.

use super::super::{LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;
use crate::lang::compose::item::Item;
use crate::lang::compose::project::Service;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE013",
    name: "bad-compose-value",
    severity: Severity::Error,
    summary: "a value of the right kind means nothing to Compose",
    doc: page!("COMPOSE013"),
    looks_at: LooksAt::Project(check),
    ..Rule::DEFAULT
};

/// Values of services that Compose refuses.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    for service in project.services.values() {
        check_contexts(service, findings);
        check_healthcheck(service, findings);
        check_watch(service, findings);
    }
}

fn check_contexts(service: &Service, findings: &mut Vec<Diagnostic>) {
    let contexts = service.item.at(&["build", "additional_contexts"]);
    let items = contexts.map(Item::items).unwrap_or_default();
    for item in items.iter().filter(|item| !item.plain().contains('=')) {
        let message = format!("`{}` in `additional_contexts` has no name", item.plain());
        findings.push(item.error(RULE.code, message).help("write `NAME=PATH`"));
    }
}

fn check_healthcheck(service: &Service, findings: &mut Vec<Diagnostic>) {
    let Some(test) = service.item.at(&["healthcheck", "test"]) else { return };
    let Some(first) = test.items().first() else { return };
    if !matches!(first.plain().as_str(), "NONE" | "CMD" | "CMD-SHELL") {
        let message = format!(
            "a check must start with `CMD`, `CMD-SHELL` or `NONE`; this starts with `{}`",
            first.plain()
        );
        let help = "write `[CMD, PROGRAM, ARGUMENT]`, or one text for a shell";
        findings.push(first.error(RULE.code, message).help(help));
    }
}

fn check_watch(service: &Service, findings: &mut Vec<Diagnostic>) {
    let watched = service.item.at(&["develop", "watch"]).map(Item::items).unwrap_or_default();
    for watch in watched {
        let action = watch.get("action").map(Item::plain).unwrap_or_default();
        if watch.get("target").is_none_or(|target| target.plain().is_empty())
            && matches!(action.as_str(), "sync" | "sync+exec" | "sync+restart")
        {
            let message = format!("`{action}` needs a `target`, a path in the container");
            let help = "write `target:` with the path in the container";
            findings.push(watch.error(RULE.code, message).help(help));
        }
    }
}

//! Counts and limits that are said twice must agree.

use super::conflicting_keys::RULE;
use crate::diagnostic::Diagnostic;
use crate::lang::compose::cast;
use crate::lang::compose::item::Item;
use crate::lang::compose::project::Service;

/// The old key, the key of `deploy`, and whether they are sizes.
const TWICE: &[(&str, &[&str], bool)] = &[
    ("cpus", &["deploy", "resources", "limits", "cpus"], false),
    ("mem_limit", &["deploy", "resources", "limits", "memory"], true),
    ("mem_reservation", &["deploy", "resources", "reservations", "memory"], true),
    ("pids_limit", &["deploy", "resources", "limits", "pids"], false),
];

/// Checks counts and limits of one service.
pub(super) fn check(service: &Service, findings: &mut Vec<Diagnostic>) {
    let name = &service.name;
    if let (Some(scale), Some(replicas)) =
        (service.get("scale"), service.item.at(&["deploy", "replicas"]))
        && scale.as_int() != replicas.as_int()
    {
        let message = format!("`{name}` has different numbers in `scale` and `deploy.replicas`");
        let finding = scale.error(RULE.code, message).label(replicas.span, "the other number");
        findings.push(finding.help("remove `scale`: `deploy.replicas` says the same"));
    }
    for (old, path, is_size) in TWICE {
        let Some(own) = service.get(old) else { continue };
        let Some(section) = service.item.at(&path[..path.len() - 1]) else { continue };
        let number = |item: &Item| match is_size {
            true => cast::bytes(&item.plain()),
            false => item.plain().parse::<f64>().ok(),
        };
        // For Compose nothing is said by a 0, and what a section leaves out is 0 there. What is no
        // number has been reported.
        let deploy = service.item.at(path);
        let (Some(value), Some(other)) = (number(own), deploy.map_or(Some(0.0), number)) else {
            continue;
        };
        if value == 0.0 || value.total_cmp(&other).is_eq() {
            continue;
        }
        let (place, keys) = (deploy.unwrap_or(section).span, path.join("."));
        findings.push(match deploy {
            Some(_) => {
                let message = format!("`{name}` has different values in `{old}` and `{keys}`");
                own.error(RULE.code, message).label(place, "the other value")
            }
            None => {
                let message = format!("`{name}` has `{old}`, and its `deploy` says nothing of it");
                let help = format!("say it as `{keys}` too, or there only");
                own.error(RULE.code, message).label(place, "here it is missing").help(help)
            }
        });
    }
    if let Some(container) = &service.container_name
        && service.replicas > 1
    {
        let message = format!(
            "`{name}` has {} containers, which cannot all be called `{}`",
            service.replicas, container.text
        );
        let finding = RULE.finding(container.span, message);
        let span = service.replicas_span.unwrap_or(service.span);
        let finding =
            finding.help("remove `container_name`: each container gets a name of its own");
        findings.push(finding.label(span, "the number of containers"));
    }
}

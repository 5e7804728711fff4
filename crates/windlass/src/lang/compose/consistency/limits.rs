//! Counts and limits that are said twice must agree.

use super::super::cast;
use super::super::item::Item;
use super::super::project::Service;
use super::super::{CONFLICT, Findings};
use crate::diagnostic::Diagnostic;

/// The old key, the key of `deploy`, and whether they are sizes.
const TWICE: &[(&str, &[&str], bool)] = &[
    ("cpus", &["deploy", "resources", "limits", "cpus"], false),
    ("mem_limit", &["deploy", "resources", "limits", "memory"], true),
    ("mem_reservation", &["deploy", "resources", "reservations", "memory"], true),
    ("pids_limit", &["deploy", "resources", "limits", "pids"], false),
];

/// Checks counts and limits of one service.
pub(super) fn check(service: &Service, findings: &mut Findings) {
    let name = &service.name;
    if let (Some(scale), Some(replicas)) =
        (service.get("scale"), service.item.at(&["deploy", "replicas"]))
        && scale.as_int() != replicas.as_int()
    {
        let message = format!("`{name}` has different numbers in `scale` and `deploy.replicas`");
        findings.push(scale.error(CONFLICT, message).label(replicas.span, "the other number"));
    }
    for (old, path, is_size) in TWICE {
        let (Some(own), Some(deploy)) = (service.get(old), service.item.at(path)) else { continue };
        let number = |item: &Item| match is_size {
            true => cast::bytes(&item.plain()),
            false => item.plain().parse::<f64>().ok(),
        };
        if number(own) != number(deploy) {
            let message =
                format!("`{name}` has different values in `{old}` and `{}`", path.join("."));
            findings.push(own.error(CONFLICT, message).label(deploy.span, "the other value"));
        }
    }
    if let Some(container) = &service.container_name
        && service.replicas > 1
    {
        let message = format!(
            "`{name}` has {} containers, which cannot all be called `{}`",
            service.replicas, container.text
        );
        let finding = Diagnostic::error(CONFLICT, container.span, message);
        let span = service.replicas_span.unwrap_or(service.span);
        findings.push(finding.label(span, "the number of containers"));
    }
}

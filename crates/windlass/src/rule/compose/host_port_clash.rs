//! Two services publish the same port of the host.

use super::super::{Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use core::net::IpAddr;
use std::collections::BTreeMap;

use crate::lang::compose::Project;
use crate::source::Span;

/// The rule.
pub const RULE: Rule = Rule {
    code: "COMPOSE021",
    name: "host-port-clash",
    severity: Severity::Warning,
    summary: "two services publish the same port of the host",
    paper: None,
    doc: page!("COMPOSE021"),
    check: None,
};

/// Ports of the host by number and protocol: address, service and place.
type Taken<'p> = BTreeMap<(u16, &'p str), Vec<(Option<IpAddr>, &'p str, Span)>>;

/// Single ports of the host that two services publish on an address that both use.
pub fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    let mut taken: Taken<'_> = BTreeMap::new();
    for service in project.services.values().filter(|service| service.replicas > 0) {
        if service.network_mode.as_ref().is_some_and(|mode| mode.text == "host") {
            continue;
        }
        for port in &service.ports {
            let Some((first, last)) = port.port.published else { continue };
            if first != last || first == 0 {
                continue;
            }
            let here = taken.entry((first, &port.port.protocol)).or_default();
            let address = port.port.host_ip.filter(|address| !address.is_unspecified());
            let clash = here.iter().find(|(other, name, _)| {
                *name != service.name && (other.is_none() || address.is_none() || *other == address)
            });
            if let Some((_, other, span)) = clash {
                let message = format!(
                    "`{}` and `{other}` both publish port {first} of the host",
                    service.name
                );
                findings.push(
                    RULE.finding(port.span, message)
                        .label(*span, format!("`{other}` publishes it here")),
                );
            }
            // More than a few are told by the first.
            if here.len() < 8 {
                here.push((address, &service.name, port.span));
            }
        }
    }
}

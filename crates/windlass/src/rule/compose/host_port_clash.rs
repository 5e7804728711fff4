//! One port of the host is published twice.

use super::super::{LooksAt, Rule, Tag, page};
use crate::diagnostic::{Diagnostic, Severity};
use core::net::IpAddr;
use std::collections::{BTreeMap, BTreeSet};

use crate::lang::compose::Project;
use crate::source::Span;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE021",
    name: "host-port-clash",
    severity: Severity::Warning,
    summary: "one port of the host is published twice",
    doc: page!("COMPOSE021"),
    looks_at: LooksAt::Project(check),
    tags: &[Tag::Hazard, Tag::PreventsUp, Tag::OnlyWhileBothRun],
    ..Rule::DEFAULT
};

/// Who publishes a port of the host: on which address, which service, and where that is written.
type User<'p> = (Option<IpAddr>, &'p str, Span);

/// Ports of the host by number and protocol.
type Taken<'p> = BTreeMap<(u16, &'p str), Vec<User<'p>>>;

/// Two places with their services, the later one first.
type Places<'p> = ((Span, &'p str), (Span, &'p str));

/// Ports that two places want.
type Clashes<'p> = BTreeMap<Places<'p>, BTreeSet<u16>>;

/// Single ports of the host that are published twice on an address that both use: one finding for
/// each two places, however many ports they have in common.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    let mut taken: Taken<'_> = BTreeMap::new();
    let mut clashes: Clashes<'_> = BTreeMap::new();
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
            let clash = here.iter().find(|(other, _, span)| {
                *span != port.span && (other.is_none() || address.is_none() || *other == address)
            });
            if let Some((_, other, span)) = clash {
                let key = ((port.span, service.name.as_str()), (*span, *other));
                clashes.entry(key).or_default().insert(first);
            }
            // More than a few are reported with the first.
            if here.len() < 8 {
                here.push((address, &service.name, port.span));
            }
        }
    }
    findings.extend(clashes.into_iter().map(|(places, ports)| finding(places, &ports)));
}

fn finding(places: Places<'_>, ports: &BTreeSet<u16>) -> Diagnostic {
    let ((span, name), (first, other)) = places;
    let ports = super::ports_in_words(ports);
    let (message, label) = if name == other {
        (format!("`{name}` publishes {ports} of the host twice"), "the other place".to_owned())
    } else {
        let message = format!("`{name}` and `{other}` both publish {ports} of the host");
        (message, format!("`{other}` publishes it here"))
    };
    let help = "publish another port of the host, or bind the two to different addresses";
    RULE.finding(span, message).label(first, label).help(help)
}

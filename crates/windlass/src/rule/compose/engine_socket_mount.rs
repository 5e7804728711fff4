//! A container with the socket of the engine.

use super::super::{LooksAt, Rule, page};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::compose::Project;

/// What can be done about it.
const HELP: &str = "leave it out, or put a proxy before it that allows only what is needed";

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "COMPOSE034",
    name: "engine-socket-mount",
    severity: Severity::Warning,
    summary: "a container may command the engine",
    doc: page!("COMPOSE034"),
    looks_at: LooksAt::Project(check),
    ..Rule::DEFAULT
};

/// Names of the sockets of engines.
const SOCKETS: &[&str] = &["docker.sock", "podman.sock", "containerd.sock", "crio.sock"];

/// Mounts of such a socket.
fn check(project: &Project, findings: &mut Vec<Diagnostic>) {
    for service in project.services.values() {
        let is_socket = |path: &str| SOCKETS.iter().any(|socket| path.ends_with(socket));
        for mount in &service.mounts {
            if mount.source.as_deref().is_some_and(is_socket) {
                let message = format!("`{}` may command the engine, and so the host", service.name);
                findings.push(RULE.finding(mount.span, message).help(HELP));
            }
        }
        if let Some(span) = service.flag("use_api_socket") {
            let message = format!("`{}` may command the engine, and so the host", service.name);
            findings.push(RULE.finding(span, message).help(HELP));
        }
    }
}

//! `software_deployment_without_user_data_format` (row O43): a server with a SoftwareDeployment has
//! user_data_format SOFTWARE_CONFIG.

use super::super::{LooksAt, Rule, page};
use super::look::{SERVER, row_finding};
use super::shared::DEPLOYMENTS;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::hot::Stack;
use crate::lang::hot::value::Value;

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "HOT343",
    name: "software-deployment-without-user-data-format",
    severity: Severity::Error,
    summary: "a server with a SoftwareDeployment has another user_data_format than SOFTWARE_CONFIG",
    paper: Some("000 7.1.4"),
    doc: page!("HOT343"),
    looks_at: LooksAt::Template(check),
    ..Rule::DEFAULT
};

fn check(stack: &Stack, findings: &mut Vec<Diagnostic>) {
    for deployment in stack.of(DEPLOYMENTS) {
        let server = deployment.get(&["server"]).and_then(|server| stack.target(server));
        let Some(server) = server.filter(|server| server.is(SERVER)) else { continue };
        let format = server.get(&["user_data_format"]).map_or(Some("HEAT_CFNTOOLS"), Value::as_str);
        if format.is_some_and(|format| format != "SOFTWARE_CONFIG") {
            let message = format!(
                "server `{}` of deployment `{}` must have `user_data_format: SOFTWARE_CONFIG`",
                server.name, deployment.name
            );
            findings.push(
                row_finding(&RULE, server.at("user_data_format"), message)
                    .label(deployment.span, "the deployment"),
            );
        }
    }
}

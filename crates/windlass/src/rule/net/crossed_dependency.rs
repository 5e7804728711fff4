//! `crossed-dependency`: transitions wait for each other, or for what nothing provides.

use super::super::{Context, LooksAt, Rule, page};
use crate::application::assembly::{Assembly, progress};
use crate::diagnostic::{Diagnostic, Severity};

/// The rule.
pub(crate) const RULE: Rule = Rule {
    code: "NET008",
    name: "crossed-dependency",
    severity: Severity::Error,
    summary: "transitions wait for each other in a cycle, so that they never start",
    doc: page!("NET008"),
    looks_at: LooksAt::Application(check),
    ..Rule::DEFAULT
};

fn check(context: &Context<'_>, findings: &mut Vec<Diagnostic>) {
    if !context.application.is_net() {
        return;
    }
    let Ok(assembly) = Assembly::new(context.application) else { return };
    let Ok(found) = progress::progress(&assembly) else { return };
    let Some(stuck) = found.stuck(&assembly) else { return };
    let explanation = found.explain(&assembly, stuck);
    // A wait outside of a cycle is an unconnected port, an unset value or an unreachable place: the
    // rules on those say it better.
    let Some(cycle) = explanation.cycle else { return };
    let first = explanation.waits[cycle].who();
    let message =
        format!("{}: none of them ever starts", progress::sentence(&assembly, &explanation));
    let place = context.place(assembly.net_transition(first).origin);
    findings.push(
        RULE.finding(place, message)
            .help("let one of the transitions need less, or one of the ports be provided earlier"),
    );
}

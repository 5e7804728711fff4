//! The order in which a workflow calls operations, against the life cycle of nodes.
//!
//! Before 2.0 a node is created, configured and started, in this order, and a node is created only
//! when its host is started, or by other weaving rules created. What it depends on in other ways
//! is started before it is. Steps that are not ordered may run in any order, so two that touch the
//! same node race. What a workflow that runs in place does is part of the step; what happens within
//! it is said where it is written.

use super::Checker;
use super::operation_calls::{Call, Calls, calls};
use crate::diagnostic::Diagnostic;
use crate::lang::tosca::codes;
use crate::lang::tosca::lower::chosen;
use crate::lang::tosca::lower::links::kind;
use crate::lang::tosca::model::{Service, Workflow};
use crate::lang::tosca::weaving::{Kind, Level};
use std::collections::BTreeSet;

impl Checker<'_> {
    pub(super) fn order(&mut self, service: &Service, workflow: &Workflow) {
        if self.version().is_2() {
            return;
        }
        let (calls, orders) = calls(service, workflow);
        let precedes = |one: &Call<'_>, other: &Call<'_>| orders.precedes(one, other);
        let mut said = BTreeSet::new();
        let mut is_new =
            |one: &Call<'_>, other: &Call<'_>| said.insert((one.at.span, other.at.span));
        let calls = Calls::new(&calls);
        for (at, one) in calls.all.iter().enumerate() {
            for (_, other) in calls.of(one.node).filter(|(place, _)| *place > at) {
                // What only follows a failure takes the place of what follows a success.
                let both = || one.is_usual && other.is_usual;
                let in_any_order = || !precedes(one, other) && !precedes(other, one);
                if !one.is_beside(other) && both() && in_any_order() && is_new(one, other) {
                    self.race(one, other);
                }
            }
        }
        for one in calls.all {
            let own = || calls.of(one.node).map(|(_, call)| call);
            for other in own().filter(|other| !one.is_beside(other)) {
                // What is deleted has nothing left that could be stopped.
                let is_gone = one.operation == "delete" && other.operation == "stop";
                if is_gone
                    && precedes(one, other)
                    && !own().any(|it| is_up(it.operation))
                    && is_new(one, other)
                {
                    let message = format!("`delete` of `{}` is called before `stop`", one.node);
                    let finding = Diagnostic::error(codes::WORKFLOW_ORDER, one.at.span, message);
                    self.findings.push(finding.label(other.at.span, "called here"));
                }
                if rank(one.operation) > rank(other.operation)
                    && is_up(one.operation)
                    && is_up(other.operation)
                    && precedes(one, other)
                    && !own().any(|again| is_down(again, other, &precedes))
                    && is_new(one, other)
                {
                    let message = format!(
                        "`{}` of `{}` is called before `{}`",
                        one.operation, one.node, other.operation
                    );
                    let finding = Diagnostic::error(codes::WORKFLOW_ORDER, one.at.span, message);
                    self.findings.push(finding.label(other.at.span, "called here"));
                }
            }
        }
        self.hosts(service, &calls, &precedes);
        self.dependencies(&calls, &precedes);
    }

    fn race(&mut self, one: &Call<'_>, other: &Call<'_>) {
        let message = format!(
            "`{}` and `{}` of `{}` may run in any order",
            one.operation, other.operation, one.node
        );
        let finding = Diagnostic::error(codes::RACE, one.at.span, message);
        let finding = finding.label(other.at.span, "the other call");
        self.findings.push(finding.help("name one step in `on_success` of the other"));
    }

    /// A node is created only when what it is hosted on is as far as the rules want it.
    fn hosts(
        &mut self,
        service: &Service,
        calls: &Calls<'_, '_>,
        precedes: &dyn Fn(&Call<'_>, &Call<'_>) -> bool,
    ) {
        let (operations, word) = match chosen(service).hosted.target {
            Level::Started => (["start", "deploy"], "started"),
            Level::Created => (["create", "deploy"], "created"),
        };
        for call in calls.all.iter().filter(|call| call.operation == "create") {
            for (_, requirement) in call.template.requirements.iter() {
                let Some(target) = &requirement.target else { continue };
                let is_host = target.relationship.is_some_and(|of| {
                    self.model.types.chain(of).any(|(_, of)| of.name.text.ends_with("HostedOn"))
                });
                let hosts = calls.of(&target.node).map(|(_, host)| host);
                let starts = |host: &&Call<'_>| operations.contains(&host.operation);
                let mut started = hosts.filter(starts).peekable();
                if !is_host || started.peek().is_none() {
                    continue;
                }
                if !started.any(|host| precedes(host, call) || host.is_beside(call)) {
                    let message = format!(
                        "`{}` is created before `{}`, which hosts it, is {word}",
                        call.node, target.node
                    );
                    self.error(codes::WORKFLOW_ORDER, call.at.span, message);
                }
            }
        }
    }

    /// A node is started only when what it depends on or connects to is, if the workflow starts
    /// both. Further demands of the rules, which authors of workflows need not share, are those of
    /// `verify`.
    fn dependencies(
        &mut self,
        calls: &Calls<'_, '_>,
        precedes: &dyn Fn(&Call<'_>, &Call<'_>) -> bool,
    ) {
        // What is stopped before runs already: to start it again says nothing about the first time.
        let is_again =
            |call: &Call<'_>| calls.of(call.node).any(|(_, down)| is_down(down, call, precedes));
        let starts = |call: &&Call<'_>| call.is_usual && call.operation == "start";
        for call in calls.all.iter().filter(starts) {
            for (name, requirement) in call.template.requirements.iter() {
                let Some(target) = &requirement.target else { continue };
                let word = match kind(self.model, target.relationship, &name.text) {
                    Kind::Hosted => continue,
                    Kind::Connects => "connects to",
                    Kind::Depends => "depends on",
                };
                let starts = |other: &&Call<'_>| {
                    other.is_usual
                        && target.node != call.node
                        && ["start", "deploy"].contains(&other.operation)
                        && !is_again(other)
                };
                let others = calls.of(&target.node).map(|(_, other)| other);
                let started: Vec<&Call<'_>> = others.filter(starts).collect();
                let Some(first) = started.first() else { continue };
                if started.iter().any(|other| precedes(other, call) || other.is_beside(call)) {
                    continue;
                }
                let message = format!(
                    "`{}` is started before `{}`, which it {word}, is started",
                    call.node, target.node
                );
                let finding = Diagnostic::error(codes::WORKFLOW_ORDER, call.at.span, message);
                let finding = finding.label(first.at.span, "started here");
                let help = "let the step of the target have the other one in its `on_success`";
                self.findings.push(finding.help(help));
            }
        }
    }
}

fn rank(operation: &str) -> usize {
    ["create", "configure", "start"].iter().position(|known| *known == operation).unwrap_or(9)
}

fn is_up(operation: &str) -> bool {
    rank(operation) < 9
}

/// Whether a call takes a node down before another call.
fn is_down(
    call: &Call<'_>,
    before: &Call<'_>,
    precedes: &dyn Fn(&Call<'_>, &Call<'_>) -> bool,
) -> bool {
    ["stop", "delete"].contains(&call.operation)
        && call.node == before.node
        && precedes(call, before)
}

//! The order in which a workflow calls operations, against the life cycle of nodes.
//!
//! Before 2.0 a node is created, configured and started, in this order, and a node is created only
//! when its host is started, or by other weaving rules created. What it depends on in other ways
//! is started before it is. Steps that are not ordered may run in any order, so two that touch the
//! same node race.

use super::super::codes;
use super::super::lower::chosen;
use super::super::lower::links::kind;
use super::super::model::{ActivityKind, Service, Workflow};
use super::super::value::Name;
use super::super::weaving::{Kind, Level};
use super::super::workflow::taken;
use super::Checker;
use crate::diagnostic::Diagnostic;
use std::collections::BTreeMap;

/// One call within a workflow.
struct Call<'m> {
    step: usize,
    name: &'m str,
    index: usize,
    node: &'m str,
    operation: &'m str,
    at: &'m Name,
}

impl Checker<'_> {
    pub(super) fn order(&mut self, service: &Service, workflow: &Workflow) {
        if self.version().is_2() {
            return;
        }
        let before = reachable(workflow);
        let taken = taken(workflow);
        let calls = calls(service, workflow);
        let precedes = |one: &Call<'_>, other: &Call<'_>| {
            one.step == other.step && one.index < other.index || before[one.step][other.step]
        };
        for (at, one) in calls.iter().enumerate() {
            for other in &calls[at + 1..] {
                let same = one.node == other.node && one.step != other.step;
                // What only follows a failure takes the place of what follows a success.
                let both = || [one, other].iter().all(|call| taken.contains(call.name));
                if same && both() && !precedes(one, other) && !precedes(other, one) {
                    self.race(one, other);
                }
            }
        }
        for one in &calls {
            for other in &calls {
                // What is deleted has nothing left that could be stopped.
                let is_gone = one.operation == "delete" && other.operation == "stop";
                if is_gone
                    && one.node == other.node
                    && precedes(one, other)
                    && !calls.iter().any(|it| it.node == one.node && is_up(it.operation))
                {
                    let message = format!("`delete` of `{}` is called before `stop`", one.node);
                    let finding = Diagnostic::error(codes::WORKFLOW_ORDER, one.at.span, message);
                    self.findings.push(finding.label(other.at.span, "called here"));
                }
                if rank(one.operation) > rank(other.operation)
                    && is_up(one.operation)
                    && is_up(other.operation)
                    && one.node == other.node
                    && precedes(one, other)
                    && !calls.iter().any(|again| is_down(again, other, &precedes))
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
        let usual: Vec<&Call<'_>> = calls.iter().filter(|it| taken.contains(it.name)).collect();
        self.dependencies(service, &calls, &usual, &precedes);
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
        calls: &[Call<'_>],
        precedes: &dyn Fn(&Call<'_>, &Call<'_>) -> bool,
    ) {
        let (operations, word) = match chosen(service).hosted.target {
            Level::Started => (["start", "deploy"], "started"),
            Level::Created => (["create", "deploy"], "created"),
        };
        for call in calls.iter().filter(|call| call.operation == "create") {
            let Some(node) = service.nodes.get(call.node) else { continue };
            for (_, requirement) in node.requirements.iter() {
                let Some(target) = &requirement.target else { continue };
                let is_host = target.relationship.is_some_and(|of| {
                    self.model.types.chain(of).any(|(_, of)| of.name.text.ends_with("HostedOn"))
                });
                let starts = |host: &&Call<'_>| {
                    host.node == target.node && operations.contains(&host.operation)
                };
                let mut started = calls.iter().filter(starts).peekable();
                if !is_host || started.peek().is_none() {
                    continue;
                }
                if !started.any(|host| precedes(host, call)) {
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
        service: &Service,
        calls: &[Call<'_>],
        usual: &[&Call<'_>],
        precedes: &dyn Fn(&Call<'_>, &Call<'_>) -> bool,
    ) {
        // What is stopped before runs already: to start it again says nothing about the first time.
        let is_again = |call: &Call<'_>| calls.iter().any(|down| is_down(down, call, precedes));
        for call in usual.iter().filter(|call| call.operation == "start") {
            let Some(node) = service.nodes.get(call.node) else { continue };
            for (name, requirement) in node.requirements.iter() {
                let Some(target) = &requirement.target else { continue };
                let word = match kind(self.model, target.relationship, &name.text) {
                    Kind::Hosted => continue,
                    Kind::Connects => "connects to",
                    Kind::Depends => "depends on",
                };
                let starts = |other: &&&Call<'_>| {
                    other.node == target.node
                        && target.node != call.node
                        && ["start", "deploy"].contains(&other.operation)
                        && !is_again(other)
                };
                let started: Vec<&&Call<'_>> = usual.iter().filter(starts).collect();
                let Some(first) = started.first() else { continue };
                if started.iter().any(|other| precedes(other, call)) {
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

/// Which steps come before which.
fn reachable(workflow: &Workflow) -> Vec<Vec<bool>> {
    let places: BTreeMap<&str, usize> =
        workflow.steps.names().enumerate().map(|(at, name)| (name, at)).collect();
    let count = workflow.steps.len();
    let next: Vec<Vec<usize>> = workflow
        .steps
        .iter()
        .map(|(_, step)| {
            let names = step.on_success.iter().chain(&step.on_failure);
            names.filter_map(|name| places.get(name.text.as_str()).copied()).collect()
        })
        .collect();
    let mut all = vec![vec![false; count]; count];
    for (start, reached) in all.iter_mut().enumerate() {
        let mut open = next[start].clone();
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut reached[at], true) {
                open.extend(&next[at]);
            }
        }
    }
    all
}

/// Calls of the standard interface, and `deploy` for a node that is left to the orchestrator.
fn calls<'m>(service: &'m Service, workflow: &'m Workflow) -> Vec<Call<'m>> {
    let mut calls = Vec::new();
    for (at, (name, step)) in workflow.steps.iter().enumerate() {
        let name = name.text.as_str();
        let Some(target) = &step.target else { continue };
        let Some((node, _)) = service.nodes.entry(&target.text) else { continue };
        for (index, activity) in step.activities.iter().enumerate() {
            let subject = &activity.subject;
            let operation = match activity.kind {
                ActivityKind::CallOperation => match subject.text.rsplit_once('.') {
                    Some((interface, operation)) if interface.ends_with("Standard") => operation,
                    _ => continue,
                },
                ActivityKind::Delegate if ["deploy", "install"].contains(&&*subject.text) => {
                    "deploy"
                }
                _ => continue,
            };
            calls.push(Call { step: at, name, index, node: &node.text, operation, at: subject });
        }
    }
    calls
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

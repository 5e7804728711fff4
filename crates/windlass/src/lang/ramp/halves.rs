//! Plans of RAMP's branch `v0`: the start and the end of an operation are elements of their own.
//!
//! Our plans, like RAMP's later ones, order whole operations: "a before b" is "the end of a before
//! the start of b". So a start and an end that belong together become one step. An order that
//! concerns only one half, such as "both have started before either ends", is reported unless the
//! rest of the order implies more than it says.

use std::collections::{BTreeMap, BTreeSet};

use super::HALF_AN_OPERATION;
use super::fields::{bad_value, record, text};
use super::plan::{Labels, actions, edges, id, operation, scale_out};
use crate::diagnostic::Diagnostic;
use crate::plan::{Order, Plan, PlanAction, Step};
use crate::tree::{Entry, Node};

/// Which part of a step an element is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    Start,
    End,
}

/// One element of the plan.
struct Element<'t> {
    entry: Entry<'t>,
    action: PlanAction,
    part: Part,
}

/// Reads a plan of `v0`.
pub(super) fn read_plan(root: Node<'_>, findings: &mut Vec<Diagnostic>) -> Plan {
    let known = [
        "planExecutableElements",
        "constraintsLables",
        "constraints",
        // RAMP's own files misspell the key that they leave empty.
        "contranints",
        "isSequence",
    ];
    record(root, "the plan", &known, findings);
    let mut elements = Vec::new();
    let mut labels = Labels::new();
    for entry in actions(root, &["planExecutableElements"], findings) {
        let element = element(entry, findings);
        labels.insert(entry.name(), element.is_some().then_some(elements.len()));
        elements.extend(element);
    }
    let edges = edges(root, "constraintsLables", &labels, findings);
    let step_of = steps(&elements, &edges, findings);
    let mut plan = Plan::default();
    for element in elements.iter().filter(|element| element.part != Part::End) {
        plan.steps.push(Step {
            label: element.entry.name().to_owned(),
            action: element.action.clone(),
            origin: element.entry.key.span().into(),
        });
    }
    let is_sequence = root.get("isSequence").and_then(Node::as_str) == Some("true");
    if is_sequence {
        adjacent(&elements, &step_of, findings);
        return plan.into_sequence();
    }
    order(&mut plan, &elements, &edges, &step_of, findings);
    plan
}

fn element<'t>(entry: Entry<'t>, findings: &mut Vec<Diagnostic>) -> Option<Element<'t>> {
    let what = format!("element `{}`", entry.name());
    let known = ["rule", "instanceID", "op", "nodeName", "idToAssign", "containerID"];
    if !record(entry.value, &what, &known, findings) {
        return None;
    }
    let rule = text(entry.value, &["rule"], &what, findings)?;
    let (part, action) = match rule.as_str()? {
        "opStart" => (Part::Start, operation(entry.value, "op", &what, findings)?),
        "opEnd" => (Part::End, operation(entry.value, "op", &what, findings)?),
        "scaleOut1" | "scaleOut2" => (Part::Whole, scale_out(entry.value, &what, findings)?),
        "scaleIn" => {
            let instance = id(entry.value, "instanceID", &what, findings)?;
            (Part::Whole, PlanAction::ScaleIn { instance })
        }
        other => {
            let help = "write `opStart`, `opEnd`, `scaleOut1`, `scaleOut2` or `scaleIn`";
            findings.push(bad_value(rule, format!("`{other}` is no rule")).help(help));
            return None;
        }
    };
    Some(Element { entry, action, part })
}

/// The step of each element. A start and an end of one operation of one instance belong together
/// when the order says so, else in the order of the document.
fn steps(
    elements: &[Element<'_>],
    edges: &[(usize, usize, Node<'_>)],
    findings: &mut Vec<Diagnostic>,
) -> Vec<Option<usize>> {
    let mut start_of: Vec<Option<usize>> = vec![None; elements.len()];
    let mut taken = BTreeSet::new();
    let mut pair = |start: usize, end: usize, start_of: &mut Vec<Option<usize>>| {
        let fits = elements[start].part == Part::Start
            && elements[end].part == Part::End
            && elements[start].action == elements[end].action;
        if fits && start_of[end].is_none() && taken.insert(start) {
            start_of[end] = Some(start);
        }
    };
    for (before, after, _) in edges {
        pair(*before, *after, &mut start_of);
    }
    let mut waiting: BTreeMap<(&PlanAction, bool), Vec<usize>> = BTreeMap::new();
    for (at, element) in elements.iter().enumerate().filter(|(_, e)| e.part != Part::Whole) {
        waiting.entry((&element.action, element.part == Part::End)).or_default().push(at);
    }
    let paired: BTreeSet<usize> = start_of.iter().flatten().copied().collect();
    for ((action, is_end), starts) in waiting.iter().filter(|((_, is_end), _)| !is_end) {
        let ends = waiting.get(&(*action, !is_end)).map_or(&[][..], Vec::as_slice);
        let free_ends: Vec<usize> =
            ends.iter().copied().filter(|end| start_of[*end].is_none()).collect();
        let free_starts = starts.iter().filter(|start| !paired.contains(start));
        for (start, end) in free_starts.zip(free_ends) {
            pair(*start, end, &mut start_of);
        }
    }
    number(elements, &start_of, findings)
}

/// Numbers the steps in the order of the document and reports halves without the other half.
fn number(
    elements: &[Element<'_>],
    start_of: &[Option<usize>],
    findings: &mut Vec<Diagnostic>,
) -> Vec<Option<usize>> {
    let paired: BTreeSet<usize> = start_of.iter().flatten().copied().collect();
    let mut step_of = vec![None; elements.len()];
    let mut next = 0;
    for (at, element) in elements.iter().enumerate() {
        if element.part != Part::End {
            step_of[at] = Some(next);
            next += 1;
        }
        let alone = match element.part {
            Part::Whole => None,
            Part::Start => (!paired.contains(&at)).then_some("starts and never ends"),
            Part::End => start_of[at].is_none().then_some("ends and never starts"),
        };
        if let Some(complaint) = alone {
            let message = format!("the operation of `{}` {complaint}", element.entry.name());
            findings.push(
                Diagnostic::error(HALF_AN_OPERATION, element.entry.key.span(), message)
                    .help("give every operation an `opStart` and an `opEnd`"),
            );
        }
    }
    for (end, start) in start_of.iter().enumerate() {
        if let Some(start) = start {
            step_of[end] = step_of[*start];
        }
    }
    step_of
}

/// In a sequence every operation ends before the next element.
fn adjacent(elements: &[Element<'_>], step_of: &[Option<usize>], findings: &mut Vec<Diagnostic>) {
    for at in 0..elements.len() {
        let start = elements[at].part == Part::Start;
        let next = step_of.get(at + 1).copied().flatten();
        if start && step_of[at].is_some() && next != step_of[at] {
            let name = elements[at].entry.name();
            let message = format!("other actions stand between the start `{name}` and its end");
            findings.push(
                Diagnostic::error(HALF_AN_OPERATION, elements[at].entry.key.span(), message)
                    .help("a sequence performs one whole operation after another"),
            );
        }
    }
}

/// Adds the order between whole steps, then looks whether the rest is implied by it.
fn order(
    plan: &mut Plan,
    elements: &[Element<'_>],
    edges: &[(usize, usize, Node<'_>)],
    step_of: &[Option<usize>],
    findings: &mut Vec<Diagnostic>,
) {
    let mut weak = Vec::new();
    for (before, after, edge) in edges {
        let (Some(first), Some(second)) = (step_of[*before], step_of[*after]) else { continue };
        let parts = (elements[*before].part, elements[*after].part);
        if first == second && parts == (Part::Start, Part::End) {
            continue;
        }
        if parts.0 != Part::Start && parts.1 != Part::End {
            let origin = edge.span().into();
            plan.order.push(Order { before: first, after: second, why: None, origin });
        } else {
            weak.push((first, second, *edge));
        }
    }
    let mut successors = vec![Vec::new(); plan.steps.len()];
    for edge in &plan.order {
        successors[edge.before].push(edge.after);
    }
    for (first, second, edge) in weak {
        if !leads(&successors, first, second) {
            let message = "this orders one half of an operation";
            findings.push(
                Diagnostic::error(HALF_AN_OPERATION, edge.span(), message)
                    .help("order the end of the earlier one before the start of the later one"),
            );
        }
    }
}

fn leads(successors: &[Vec<usize>], from: usize, to: usize) -> bool {
    let mut seen = vec![false; successors.len()];
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        for next in &successors[at] {
            if *next == to {
                return true;
            }
            if !std::mem::replace(&mut seen[*next], true) {
                open.push(*next);
            }
        }
    }
    false
}

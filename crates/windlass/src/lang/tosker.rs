//! TosKer's plan files: one operation a line, performed one after another.
//!
//! `.plan` has `component:Interface.operation`, `.csv` has `component,Interface,operation`; blank
//! lines mean nothing. An operation is called `Interface.operation`, an instance like its
//! component. TosKer's descriptions are TOSCA; `service` says what TosKer asks of them beyond.

use std::collections::BTreeMap;

use super::language::{Context, Kind, Language, Origin, Reach, Reader, Text, Unrecognized};
use super::tosca::{self, model::TypeRef};
use super::{Inexpressible, Reading, Written};
use crate::application::InstanceId;
use crate::diagnostic::{self, Diagnostic};
use crate::plan::{Plan, PlanAction, Step};
use crate::source::{Source, SourceId, Span};
use crate::spelling;
use crate::tree::Node;

/// A line that names no operation.
pub(crate) const BAD_LINE: &str = "TOSKER001";

/// A node of a kind that TosKer does not bring up.
pub(crate) const UNKNOWN_KIND: &str = "TOSKER002";

/// The node types that TosKer brings up, with everything that derives from them.
const KINDS: &[&str] = &["tosker.nodes.Container", "tosker.nodes.Software", "tosker.nodes.Volume"];

impl Language {
    /// The plan files of TosKer, and the services of TOSCA that it brings up.
    pub const TOSKER: Language = Language::new(&Tosker);
}

#[derive(Debug)]
struct Tosker;

impl Reader for Tosker {
    fn name(&self) -> &'static str {
        "tosker"
    }

    fn recognize_text(&self, text: &str) -> Option<Kind> {
        detect(text).then_some(Kind::Plan)
    }

    /// A plan is one by its name; in a folder also something in it must look like an operation.
    fn guess(&self, text: Unrecognized<'_>) -> Option<Kind> {
        let is_anything = matches!(text.origin, Origin::Found | Origin::Packed);
        let is_plan = is_named(text.name) && (!is_anything || has_operation(text.text));
        is_plan.then_some(Kind::Plan)
    }

    fn reach(&self, root: Option<Node<'_>>) -> Reach {
        if root.is_some_and(tosca::detect) { Reach::Project } else { Reach::Folder }
    }

    fn read(&self, text: Text, context: &mut Context<'_>) -> Reading {
        if text.parsed.as_ref().is_some_and(|parsed| tosca::detect(parsed.root())) {
            let reading = service(tosca::read_service(text, context));
            return Reading { language: Some(Language::TOSCA), ..reading };
        }
        let mut reading = Reading::default();
        read_plan(text.id, context.sources.get(text.id), &mut reading.findings);
        reading
    }

    fn read_plan(
        &self,
        text: Text,
        context: &mut Context<'_>,
        findings: &mut Vec<Diagnostic>,
    ) -> Option<Plan> {
        Some(read_plan(text.id, context.sources.get(text.id), findings))
    }
}

/// A service template read for TosKer: all its nodes are of its kinds.
fn service(mut reading: Reading) -> Reading {
    let Some(model) = &reading.tosca else { return reading };
    let nodes = model.service.iter().flat_map(|service| service.nodes.iter());
    let known = |of: &TypeRef| {
        of.id.is_none_or(|id| KINDS.iter().any(|kind| model.types.derives_from_name(id, kind)))
    };
    let mut findings = Vec::new();
    for (name, node) in nodes.filter(|(_, node)| !known(&node.of)) {
        let message =
            format!("TosKer does not bring up `{}`, a `{}`", name.text, node.of.name.text);
        let finding = Diagnostic::error(UNKNOWN_KIND, node.of.name.span, message);
        findings.push(finding.help(spelling::known("kind", KINDS.iter().copied())));
    }
    if !findings.is_empty() {
        reading.findings.append(&mut findings);
        diagnostic::sort(&mut reading.findings);
        (reading.application, reading.goal) = (None, None);
    }
    reading
}

/// How the parts of a line are separated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `component:Interface.operation`.
    Plan,
    /// `component,Interface,operation`.
    Csv,
}

impl Form {
    /// The form of a line; none when it has neither.
    fn of(line: &str) -> Option<Form> {
        [Form::Plan, Form::Csv].into_iter().find(|form| form.parts(line).is_some())
    }

    /// Component, interface and operation of a line.
    fn parts(self, line: &str) -> Option<[&str; 3]> {
        /// Names have at most 200 characters; this leaves room for the number of a repeated label.
        const LONGEST: usize = 180;
        let line = line.trim();
        if line.chars().count() > LONGEST {
            return None;
        }
        let parts = match self {
            Form::Plan => {
                let (component, rest) = line.split_once(':')?;
                // A space behind the colon makes it YAML.
                if rest.starts_with(char::is_whitespace) {
                    return None;
                }
                let (interface, operation) = rest.rsplit_once('.')?;
                [component, interface, operation]
            }
            Form::Csv => {
                let mut parts = line.split(',');
                let three = [parts.next()?, parts.next()?, parts.next()?];
                if parts.next().is_some() {
                    return None;
                }
                three
            }
        };
        let parts = parts.map(str::trim);
        let word = |part: &&str| {
            let strange =
                |c: char| c.is_whitespace() || c.is_control() || ",:=*@{}[]<>\"".contains(c);
            !part.is_empty() && !part.contains(strange)
        };
        parts.iter().all(word).then_some(parts)
    }
}

/// Whether every line of a text with anything on it is an operation, and there is one.
pub(crate) fn detect(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let Some(form) = lines.next().and_then(Form::of) else { return false };
    lines.all(|line| form.parts(line).is_some())
}

/// Whether a file is a plan of TosKer by its name, whatever is wrong with its lines.
fn is_named(name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| matches!(ending.as_str(), "plan" | "csv"))
}

/// Whether a line of a text is an operation.
fn has_operation(text: &str) -> bool {
    text.lines().any(|line| Form::of(line).is_some())
}

/// Reads a plan; it is a sequence.
pub fn read_plan(id: SourceId, source: &Source, findings: &mut Vec<Diagnostic>) -> Plan {
    let mut plan = Plan::default();
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    let lines = || source.text.lines().filter(|line| !line.trim().is_empty());
    let form = lines().find_map(Form::of).unwrap_or(Form::Plan);
    let mut start = 0;
    for line in source.text.split_inclusive('\n') {
        let trimmed = line.trim();
        let at = start + line.len() - line.trim_start().len();
        let span = Span { source: id, start: at as u32, end: (at + trimmed.len()) as u32 };
        start += line.len();
        if trimmed.is_empty() {
            continue;
        }
        let Some([component, interface, operation]) = form.parts(trimmed) else {
            let (message, help) = (format!("`{trimmed}` names no operation"), help(form));
            findings.push(Diagnostic::error(BAD_LINE, span, message).help(help));
            continue;
        };
        let operation = format!("{interface}.{operation}");
        let mut label = format!("{component}:{operation}");
        let count = times.entry(label.clone()).or_insert(0);
        *count += 1;
        if *count > 1 {
            label = format!("{label} #{count}");
        }
        let action = PlanAction::Operation { instance: component.into(), operation };
        plan.steps.push(Step { label, action, origin: span.into() });
    }
    plan.into_sequence()
}

fn help(form: Form) -> &'static str {
    match form {
        Form::Plan => "write `component:Interface.operation`",
        Form::Csv => "write `component,Interface,operation`",
    }
}

/// A plan as TosKer performs it. Of a partial order one sequence is written that respects it.
pub fn print_plan(plan: &Plan, form: Form) -> Result<Written<String>, Inexpressible> {
    let mut refused = Inexpressible::new("TosKer");
    let Ok(sorted) = plan.topological_order() else {
        refused.add("an order with a cycle");
        return Err(refused);
    };
    let mut document = String::new();
    for step in sorted.iter().map(|at| &plan.steps[*at]) {
        let PlanAction::Operation { instance: InstanceId(component), operation } = &step.action
        else {
            refused.add(format!("the scaling of `{}`", step.label));
            continue;
        };
        let line = match (form, operation.rsplit_once('.')) {
            (_, None) => {
                refused.add(format!("the operation `{operation}`, which names no interface"));
                continue;
            }
            (Form::Plan, Some((interface, name))) => format!("{component}:{interface}.{name}"),
            (Form::Csv, Some((interface, name))) => format!("{component},{interface},{name}"),
        };
        if form.parts(&line).is_none() {
            refused.add(format!("the names in `{line}`"));
        }
        document.push_str(&line);
        document.push('\n');
    }
    let mut left_out = Vec::new();
    if !is_sequence(plan, &sorted) {
        left_out.push("what may happen at the same time; one order was chosen");
    }
    refused.or(Written { document, left_out })
}

/// Whether the order leaves no choice: neighbors are ordered directly.
fn is_sequence(plan: &Plan, sorted: &[usize]) -> bool {
    let edges: std::collections::BTreeSet<(usize, usize)> =
        plan.order.iter().map(|edge| (edge.before, edge.after)).collect();
    sorted.windows(2).all(|pair| edges.contains(&(pair[0], pair[1])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Sources;

    fn read(text: &str) -> (Plan, Vec<Diagnostic>) {
        let mut sources = Sources::new();
        let id = sources.add("x.plan", text);
        let mut findings = Vec::new();
        let plan = read_plan(id, sources.get(id), &mut findings);
        (plan, findings)
    }

    #[test]
    fn both_forms_read_as_the_same_sequence_and_are_written_again() {
        let text = "db:Standard.create\n\n db:Standard.start \r\ndb:Standard.stop\n";
        let csv = "db,Standard,create\ndb,Standard,start\ndb,Standard,stop";
        let (plan, findings) = read(text);
        assert!(findings.is_empty());
        assert_eq!(plan, read(csv).0);
        assert_eq!(plan.order.len(), 2);
        let printed = print_plan(&plan, Form::Csv).expect("only operations");
        assert_eq!(printed.document.trim(), csv);
        assert!(printed.left_out.is_empty());
        assert_eq!(read(&print_plan(&plan, Form::Plan).unwrap().document).0, plan);
    }

    #[test]
    fn the_same_operation_twice_has_two_labels() {
        let (plan, _) = read("a:I.x\nb:I.y\na:I.x\n");
        let labels: Vec<&str> = plan.steps.iter().map(|step| &*step.label).collect();
        assert_eq!(labels, ["a:I.x", "b:I.y", "a:I.x #2"]);
    }

    #[test]
    fn a_line_that_is_no_operation_is_reported_at_its_place() {
        let (plan, findings) = read("a:I.x\n  what now\na,b,c\n");
        assert_eq!(plan.steps.len(), 1);
        let places: Vec<_> = findings.iter().map(|f| (f.primary.start, f.primary.end)).collect();
        assert_eq!(places, [(8, 16), (17, 22)]);
    }

    #[test]
    fn other_texts_are_not_taken_for_plans() {
        for text in ["", "\n\n", "a: b.c\n", "windlass: 1\n", "a,b\n", "{\"a\":1}", "<a:b.c/>"] {
            assert!(!detect(text), "{text}");
        }
        assert!(detect("\na:I.x\n"));
        assert!(detect("a,I,x"));
    }

    #[test]
    fn scaling_and_bare_operations_are_refused() {
        let step = |label: &str, action| Step {
            label: label.to_owned(),
            action,
            origin: crate::source::Origin(None),
        };
        let plan = Plan {
            steps: vec![
                step("in", PlanAction::ScaleIn { instance: "a".into() }),
                step(
                    "op",
                    PlanAction::Operation { instance: "a".into(), operation: "start".to_owned() },
                ),
            ],
            ..Plan::default()
        };
        let refused = print_plan(&plan, Form::Plan).unwrap_err();
        assert_eq!(refused.things.len(), 2, "{refused}");
    }
}

//! Conditions: each is true, false or not known, and a condition may name others.

use std::collections::BTreeMap;

use super::evaluate::Evaluator;
use super::value::{Data, all, equal};
use crate::diagnostic::Diagnostic;
use crate::lang::names;
use crate::tree::Node;

/// The conditions of a template, evaluated.
#[derive(Debug, Clone, Default)]
pub(super) struct Conditions {
    truths: BTreeMap<String, Option<bool>>,
}

/// There is no such condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unknown;

impl Conditions {
    /// The truth of a condition, as far as it is known; an error when there is no such condition.
    pub(super) fn get(&self, name: &str) -> Result<Option<bool>, Unknown> {
        self.truths.get(name).copied().ok_or(Unknown)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.truths.keys().map(String::as_str)
    }

    /// Evaluates a section. Conditions that name each other in a cycle are an error.
    pub(super) fn read<'a>(
        section: Node<'a>,
        evaluator: &mut Evaluator<'a>,
    ) -> (Conditions, Vec<Diagnostic>) {
        let mut run = Run { section, open: Vec::new(), done: Conditions::default() };
        for entry in section.entries() {
            run.truth(entry.name(), entry.key, evaluator);
        }
        (run.done, std::mem::take(&mut evaluator.findings))
    }
}

struct Run<'a> {
    section: Node<'a>,
    open: Vec<String>,
    done: Conditions,
}

/// Conditions inside each other that are followed.
const MOST_NESTED: usize = 100;

impl<'a> Run<'a> {
    fn truth(&mut self, name: &str, at: Node<'a>, evaluator: &mut Evaluator<'a>) -> Option<bool> {
        if let Ok(truth) = self.done.get(name) {
            return truth;
        }
        let Some(node) = self.section.get(name) else {
            let known = self.section.entries().map(|entry| entry.name());
            let findings = &mut evaluator.findings;
            names::missing("HOT007", "condition", name, at.span(), known, findings);
            return None;
        };
        if self.open.iter().any(|open| open == name) || self.open.len() >= MOST_NESTED {
            let message = format!("condition `{name}` depends on itself");
            evaluator.findings.push(Diagnostic::error("HOT009", at.span(), message));
            self.done.truths.insert(name.to_owned(), None);
            return None;
        }
        self.open.push(name.to_owned());
        let truth = self.of(node, evaluator);
        self.open.pop();
        self.done.truths.insert(name.to_owned(), truth);
        truth
    }

    fn of(&mut self, node: Node<'a>, evaluator: &mut Evaluator<'a>) -> Option<bool> {
        if let Some(value) = node.as_bool() {
            return Some(value);
        }
        if let Some(name) = node.as_str().filter(|_| !node.is_null()) {
            return self.truth(name, node, evaluator);
        }
        function(evaluator, node, &mut |evaluator, node| self.of(node, evaluator))
    }
}

/// The truth of a condition that is a function.
pub(super) fn function<'a>(
    evaluator: &mut Evaluator<'a>,
    node: Node<'a>,
    inner: &mut dyn FnMut(&mut Evaluator<'a>, Node<'a>) -> Option<bool>,
) -> Option<bool> {
    let entry = node.entries().next().filter(|_| node.len() == 1);
    let Some(entry) = entry else {
        evaluator.wrong(node.span(), "a condition is a boolean, a name or one function");
        return None;
    };
    let arguments = entry.value;
    match entry.name().trim_start_matches("Fn::") {
        "equals" | "Equals" => {
            if arguments.len() != 2 || !arguments.is_list() {
                evaluator.wrong(entry.span(), "`equals` takes a list of two values");
                return None;
            }
            let resources_allowed = std::mem::replace(&mut evaluator.resources_allowed, false);
            let values: Vec<_> = arguments.items().map(|item| evaluator.value(item)).collect();
            evaluator.resources_allowed = resources_allowed;
            // Numbers and texts meet in parameters, so both are compared as texts.
            match (values[0].scalar_text(), values[1].scalar_text()) {
                (Some(a), Some(b)) => Some(a == b || equal(&values[0], &values[1]) == Some(true)),
                _ => equal(&values[0], &values[1]),
            }
        }
        "not" | "Not" => {
            let argument = if arguments.is_list() { arguments.items().next() } else { None };
            inner(evaluator, argument.unwrap_or(arguments)).map(|truth| !truth)
        }
        name @ ("and" | "And" | "or" | "Or") => {
            if arguments.len() < 2 || !arguments.is_list() {
                evaluator
                    .wrong(entry.span(), "`and` and `or` take a list of two conditions or more");
                return None;
            }
            let truths: Vec<_> = arguments.items().map(|item| inner(evaluator, item)).collect();
            if name.eq_ignore_ascii_case("and") {
                all(truths.into_iter())
            } else {
                all(truths.into_iter().map(|truth| truth.map(|t| !t))).map(|none| !none)
            }
        }
        "get_param" | "contains" | "yaql" | "Ref" => {
            let value = evaluator.value(node);
            if let Data::Unknown(_) = value.data {
                return None;
            }
            let truth = value.as_bool();
            if truth.is_none() {
                evaluator.wrong(node.span(), "a condition must be a boolean");
            }
            truth
        }
        "If" | "if" => None,
        _ => {
            let message = format!("`{}` is no condition", entry.name());
            evaluator.wrong(entry.key.span(), message);
            None
        }
    }
}

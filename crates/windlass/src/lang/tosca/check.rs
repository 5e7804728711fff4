//! What the model must satisfy, one file per question.
//!
//! | file | question |
//! |---|---|
//! | `derivation`, `declared`, `refinement`, `scalar` | are the types well defined? |
//! | `value`, `constraint`, `clause`, `evaluate`, `quantity`, `schema` | does a value fit its type? |
//! | `function`, `result`, `known`, `preset`, `arithmetic`, `asked`, `path`, `signature`, `outside`, `flow` | do functions refer to something, of the right type, without a cycle? |
//! | `template`, `given`, `needed`, `operation` | does a template give what its type declares? |
//! | `requirement`, `indexed`, `filter`, `relationship` | does every requirement have a target, and what is it? |
//! | `topology` | can the nodes be brought up at all? |
//! | `substitution`, `mapping`, `behavior` | does the service fit the type that it stands for? |
//! | `policy`, `trigger`, `workflow`, `related`, `order`, `called` | do policies and workflows name what is there, in an order that works? |
//! | `artifact` | are the files there? |

mod arithmetic;
mod artifact;
mod asked;
mod assignment;
mod behavior;
mod called;
mod clause;
mod constraint;
mod declared;
mod derivation;
mod early;
mod evaluate;
mod filter;
mod flow;
mod function;
mod given;
mod indexed;
mod known;
mod mapping;
mod needed;
mod operation;
mod order;
mod outside;
mod passing;
mod path;
mod policy;
mod preset;
mod quantity;
mod refinement;
mod related;
mod relationship;
mod requirement;
mod result;
mod scalar;
mod schema;
mod signature;
mod substitution;
mod template;
mod topology;
mod trigger;
mod value;
mod workflow;

use super::model::{Model, Target};
use super::version::Version;
use crate::diagnostic::{Diagnostic, Severity};
use crate::source::files::Files;
use crate::source::{Sources, Span};
use std::cell::OnceCell;

/// Runs every check. `is_open`: some import could not be read.
pub(super) fn all(
    model: &mut Model,
    sources: &Sources,
    files: Option<&mut dyn Files>,
    is_open: bool,
    findings: &mut Vec<Diagnostic>,
) {
    let circular = Checker::new(model, sources, is_open, findings).derivation();
    // What a type in a cycle has is not known; everything else can be asked.
    for id in circular {
        if let Some(parent) = &mut model.types.all[id.0 as usize].parent {
            parent.id = None;
        }
    }
    let mut checker = Checker::new(model, sources, is_open, findings);
    checker.types();
    checker.templates();
    let targets = checker.requirements();
    resolve(model, targets);
    let mut checker = Checker::new(model, sources, is_open, findings);
    checker.topology();
    checker.relationships();
    checker.substitution();
    checker.functions();
    checker.outside();
    checker.flow();
    checker.policies();
    checker.workflows();
    if let Some(files) = files {
        checker.artifacts(files);
    }
}

/// Writes down what the requirements were resolved to.
fn resolve(model: &mut Model, targets: Vec<(usize, usize, Target)>) {
    let Some(service) = &mut model.service else { return };
    for (node, requirement, target) in targets {
        let found = service.nodes.iter_mut().nth(node);
        let found = found.and_then(|(_, node)| node.requirements.iter_mut().nth(requirement));
        if let Some((_, requirement)) = found {
            requirement.target = Some(target);
        }
    }
}

/// What every check sees.
struct Checker<'a> {
    model: &'a Model,
    sources: &'a Sources,
    /// Whether some import could not be read.
    is_open: bool,
    /// Whether a path may go through a requirement without a target: what a type says is for all
    /// nodes of it.
    bears_absent: bool,
    /// What functions are computed in, once somebody asks what one gives.
    ground: OnceCell<known::Ground<'a>>,
    findings: &'a mut Vec<Diagnostic>,
}

impl<'a> Checker<'a> {
    fn new(
        model: &'a Model,
        sources: &'a Sources,
        is_open: bool,
        findings: &'a mut Vec<Diagnostic>,
    ) -> Self {
        Checker { model, sources, is_open, bears_absent: false, ground: OnceCell::new(), findings }
    }
}

impl Checker<'_> {
    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.findings.push(Diagnostic::error(code, span, message));
    }

    fn advise(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        let finding = Diagnostic::error(code, span, message);
        self.findings.push(match help {
            Some(help) => finding.help(help),
            None => finding,
        });
    }

    /// Makes the last finding a warning when it is one of the things that are borne with.
    fn bear(&mut self, is_quirk: bool) {
        if is_quirk
            && super::quirks::are_borne(self.version())
            && let Some(last) = self.findings.last_mut()
        {
            last.severity = Severity::Warning;
        }
    }

    /// Says which quirk bears with the last finding.
    fn quirk(&mut self, quirk: &'static str) {
        if let Some(last) = self.findings.last_mut() {
            last.quirk = Some(quirk);
        }
    }

    fn version(&self) -> Version {
        self.model.version
    }
}

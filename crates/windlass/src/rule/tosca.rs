//! What the model must satisfy, one file per question.
//!
//! | file | question |
//! |---|---|
//! | `derivation`, `redeclared_names`, `incompatible_refinement`, `scalar_type` | are the types well defined? |
//! | `value`, `violated_constraint`, `constraint_clause`, `validation_clause`, `quantity`, `schema` | does a value fit its type? |
//! | `function`, `function_result`, `constant_values`, `type_default`, `standard_function`, `function_context`, `property_path`, `function_signature`, `misplaced_index`, `value_order` | do functions refer to something, of the right type, without a cycle? |
//! | `template`, `required_values`, `missing_operation_input`, `operation` | does a template give what its type declares? |
//! | `requirement`, `indexed_target`, `node_filter`, `relationship` | does every requirement have a target, and what is it? |
//! | `cyclic_requirements` | can the nodes be brought up at all? |
//! | `substitution`, `requirement_mapping`, `substitute_behavior` | does the service fit the type that it stands for? |
//! | `policy`, `policy_trigger`, `workflow`, `relationship_step`, `workflow_order`, `operation_calls` | do policies and workflows name what is there, in an order that works? |
//! | `missing_file` | are the files there? |

mod attribute_order;
mod codes;
mod constant_values;
mod constraint_clause;
mod cyclic_requirements;
mod derivation;
mod function;
mod function_context;
mod function_result;
mod function_signature;
mod incompatible_refinement;
mod indexed_target;
mod misplaced_index;
mod missing_file;
mod missing_operation_input;
mod node_filter;
mod operation;
mod operation_calls;
mod policy;
mod policy_trigger;
mod property_path;
mod quantity;
mod redeclared_names;
mod relationship;
mod relationship_step;
mod required_values;
mod requirement;
mod requirement_assignment;
mod requirement_mapping;
mod scalar_type;
mod schema;
mod standard_function;
mod substitute_behavior;
mod substitution;
mod template;
mod type_default;
mod unimplemented_operations;
mod validation_clause;
mod value;
mod value_order;
mod violated_constraint;
mod workflow;
mod workflow_order;

pub(crate) use codes::CODES;

use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::tosca::model::{Model, Target};
use crate::lang::tosca::version::Version;
use crate::source::files::Files;
use crate::source::{Sources, Span};
use std::cell::OnceCell;

/// Runs every check, and gives requirements their targets. Whether the files of artifacts are there
/// is only asked of `files`. Every finding says what to do.
pub(crate) fn check(
    model: &mut Model,
    sources: &Sources,
    files: Option<&mut dyn Files>,
    findings: &mut Vec<Diagnostic>,
) {
    check_all(model, sources, files, findings);
    explain(findings);
}

/// Findings that say nothing better say what usually helps.
pub(crate) fn explain(findings: &mut [Diagnostic]) {
    for finding in findings.iter_mut().filter(|finding| finding.help.is_none()) {
        finding.help = super::find(finding.code).and_then(|rule| rule.help).map(str::to_owned);
    }
}

fn check_all(
    model: &mut Model,
    sources: &Sources,
    files: Option<&mut dyn Files>,
    findings: &mut Vec<Diagnostic>,
) {
    let is_open = model.has_unread_imports;
    let cyclic = Checker::new(model, sources, is_open, findings).derivation();
    // What a type in a cycle has is not known; everything else can be asked.
    for id in cyclic {
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
    /// Whether the texts could be parsed: what cannot be leaves nothing behind.
    is_parsed: bool,
    /// Whether a path may go through a requirement without a target: what a type says is for all
    /// nodes of it.
    tolerates_absent: bool,
    /// What functions are computed in, once the value of one is needed.
    evaluation: OnceCell<constant_values::Evaluation<'a>>,
    findings: &'a mut Vec<Diagnostic>,
}

impl<'a> Checker<'a> {
    fn new(
        model: &'a Model,
        sources: &'a Sources,
        is_open: bool,
        findings: &'a mut Vec<Diagnostic>,
    ) -> Self {
        let is_parsed = !findings.iter().any(super::is_syntax);
        Checker {
            model,
            sources,
            is_open,
            is_parsed,
            tolerates_absent: false,
            evaluation: OnceCell::new(),
            findings,
        }
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

    /// Makes the last finding a warning when it is one of the things that are tolerated.
    fn tolerate(&mut self, is_quirk: bool) {
        if is_quirk
            && crate::lang::tosca::quirks::are_tolerated(self.version())
            && let Some(last) = self.findings.last_mut()
        {
            last.severity = Severity::Warning;
        }
    }

    /// Says which quirk tolerates the last finding.
    fn quirk(&mut self, quirk: &'static str) {
        if let Some(last) = self.findings.last_mut() {
            last.quirk = Some(quirk);
        }
    }

    fn version(&self) -> Version {
        self.model.version
    }
}

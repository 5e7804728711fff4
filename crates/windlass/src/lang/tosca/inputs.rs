//! Values for the inputs of a service, given beside it: they take the place of the defaults, so
//! that everything that is asked of a default is asked of them.

use super::codes;
use super::model::Service;
use super::value::{Data, Value};
use crate::diagnostic::Diagnostic;
use crate::source::Sources;
use crate::spelling;
use crate::tree::{self, Node};

/// The name of the text of a single value.
pub const SINGLE: &str = "--input";

/// Values for inputs, as texts.
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// Name and text of each: a mapping from inputs to values. A later one wins.
    pub texts: Vec<(String, String)>,
    /// Whether every input that needs a value must have one, even when no text is given.
    pub must_be_complete: bool,
}

/// Gives a service the values for its inputs and says which do not exist or are missing.
pub(super) fn give(
    given: &Given,
    service: &mut Service,
    sources: &mut Sources,
    findings: &mut Vec<Diagnostic>,
) {
    for (name, text) in &given.texts {
        let id = sources.add(name.clone(), text.clone());
        let (tree, wrong) = tree::parse(id, text, &tree::Options::default());
        findings.extend(wrong);
        // On a command line everything is text.
        values(tree.root(), service, name == SINGLE, findings);
    }
    if given.texts.is_empty() && !given.must_be_complete {
        return;
    }
    for (name, input) in service.inputs.iter() {
        let has_value = input.schema.default.is_some() || input.value.is_some();
        if !has_value && input.schema.required.unwrap_or(true) {
            let message = format!("the input `{}` has no value", name.text);
            let finding = Diagnostic::error(codes::MISSING_VALUE, name.span, message);
            let help = format!("give it with `--input {}=VALUE`", name.text);
            findings.push(finding.help(help));
        }
    }
}

fn values(root: Node<'_>, service: &mut Service, is_text: bool, findings: &mut Vec<Diagnostic>) {
    if !root.is_mapping() && !root.is_null() {
        let message = format!("inputs must be a map, this is {}", root.kind_name());
        findings.push(Diagnostic::error(codes::WRONG_SHAPE, root.span(), message));
    }
    for entry in root.entries() {
        let found = service.inputs.iter_mut().find(|(name, _)| name.text == entry.name());
        if let Some((_, input)) = found {
            let mut value = Value::of(entry.value);
            let of = input.schema.of.as_ref().map(|of| of.name.text.as_str());
            let is_scalar = matches!(value.data, Data::Bool(_) | Data::Int(_) | Data::Float(..));
            if is_text && is_scalar && of == Some("string") {
                value.data = Data::Text(entry.value.as_str().unwrap_or_default().to_owned());
            }
            input.schema.default = Some(value);
            continue;
        }
        let message = format!("there is no input `{}`", entry.name());
        let finding = Diagnostic::error(codes::UNKNOWN_NAME, entry.key.span(), message);
        let names: Vec<&str> = service.inputs.names().collect();
        let advice = spelling::advice("input", entry.name(), names.iter().copied(), 0);
        findings.push(match advice {
            Some(advice) => finding.help(advice),
            None => finding,
        });
    }
}

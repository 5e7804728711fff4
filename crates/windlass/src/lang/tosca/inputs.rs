//! Values for the inputs of a service, given beside it: they take the place of the defaults, so
//! that everything that is asked of a default is asked of them.

use super::codes;
use super::model::{Parameter, Service};
use super::value::{Data, Value};
use crate::diagnostic::Diagnostic;
use crate::source::{SourceId, Sources, Span};
use crate::spelling;
use crate::tree::{self, Node};

/// The name of the text of a single value.
pub const SINGLE: &str = "--input";

/// Values for inputs, as texts.
#[derive(Debug, Clone, Default)]
pub struct InputValues {
    /// Name and text of each: a mapping from inputs to values. A later one wins.
    pub texts: Vec<(String, String)>,
    /// Whether every input that needs a value must have one, even when no text is given.
    pub must_be_complete: bool,
}

/// Gives a service the values for its inputs and says which do not exist or are missing.
pub(super) fn give(
    given: &InputValues,
    service: &mut Service,
    sources: &mut Sources,
    findings: &mut Vec<Diagnostic>,
) {
    for (name, text) in &given.texts {
        let id = sources.add(name.clone(), text.clone());
        if name == SINGLE && is_given_as_text(id, text, service) {
            continue;
        }
        let (tree, wrong) = tree::parse(id, text, &tree::Options::default());
        let is_whole = wrong.is_empty();
        findings.extend(wrong);
        // What follows from a text that cannot be read says nothing new.
        if is_whole {
            values(tree.root(), service, name == SINGLE, findings);
        }
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

/// A value on the command line for an input of type `string` is what is written there, whatever it
/// would mean in YAML: a password may begin or end as it likes.
fn is_given_as_text(id: SourceId, text: &str, service: &mut Service) -> bool {
    let Some((name, value)) = text.split_once(": ") else { return false };
    let found = service.inputs.iter_mut().find(|(input, _)| input.text == name);
    let Some((_, input)) = found.filter(|(_, input)| is_string(input)) else { return false };
    let value = value.strip_suffix('\n').unwrap_or(value);
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let start = name.len() + 2;
    let span = Span { source: id, start: offset(start), end: offset(start + value.len()) };
    input.schema.default = Some(Value { span, data: Data::Text(value.to_owned()) });
    true
}

fn is_string(input: &Parameter) -> bool {
    input.schema.of.as_ref().is_some_and(|of| of.name.text == "string")
}

fn values(root: Node<'_>, service: &mut Service, is_single: bool, findings: &mut Vec<Diagnostic>) {
    if !root.is_mapping() && !root.is_null() {
        let message = format!("inputs must be a map, this is {}", root.kind_name());
        findings.push(Diagnostic::error(codes::WRONG_SHAPE, root.span(), message));
    }
    for entry in root.entries() {
        let found = service.inputs.iter_mut().find(|(name, _)| name.text == entry.name());
        if let Some((_, input)) = found {
            let value = Value::of(entry.value);
            if is_single && value.data == Data::Null {
                let message = format!("the input `{}` is given no value", entry.name());
                let finding = Diagnostic::error(codes::MISSING_VALUE, entry.key.span(), message);
                let help = format!("write `--input {}=VALUE`, or leave it out", entry.name());
                findings.push(finding.help(help));
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

//! Functions of one's own, from 2.0: what a call gives must fit one of the signatures.

use super::Checker;
use crate::lang::tosca::codes;
use crate::lang::tosca::model::{FileId, Schema, TypeKind, TypeRef};
use crate::lang::tosca::value::{Data, Name, Value};
use crate::source::Span;

impl Checker<'_> {
    /// A call of a function that the file declares or imports.
    pub(super) fn signature(&mut self, name: &str, span: Span, arguments: &Value) {
        let model = self.model;
        let Some((file, body)) = model
            .files
            .iter()
            .enumerate()
            .find_map(|(at, file)| Some((FileId(at as u32), file.signatures.get(name)?)))
        else {
            return;
        };
        let signatures = body.get("signatures").map_or(&[][..], Value::items);
        if signatures.is_empty() {
            return;
        }
        let alone = std::slice::from_ref(arguments);
        let given = if matches!(arguments.data, Data::List(_)) { arguments.items() } else { alone };
        let mut reasons = Vec::new();
        for signature in signatures {
            match self.misfit(file, signature, given) {
                None => return,
                Some(reason) => reasons.push(reason),
            }
        }
        let message = format!("no signature of `{name}` takes these arguments");
        let mut finding = crate::diagnostic::Diagnostic::error(codes::FUNCTION, span, message);
        for reason in reasons {
            finding = finding.note(reason);
        }
        self.findings.push(finding);
    }

    /// Why arguments do not fit a signature.
    fn misfit(&mut self, file: FileId, signature: &Value, given: &[Value]) -> Option<String> {
        let declared = signature.get("arguments").map_or(&[][..], Value::items);
        let is_variadic = signature.get("variadic").is_some_and(|it| it.data == Data::Bool(true));
        let is_optional =
            |it: &&Value| it.get("required").is_some_and(|it| it.data == Data::Bool(false));
        let needed = declared.iter().filter(|it| !is_optional(it)).count();
        let least = if is_variadic { needed.saturating_sub(1) } else { needed };
        if given.len() < least || !is_variadic && given.len() > declared.len() {
            let words = if given.len() == 1 { "argument" } else { "arguments" };
            return Some(format!("It takes {needed} and not {} {words}.", given.len()));
        }
        for (at, value) in given.iter().enumerate() {
            let Some(argument) = declared.get(at).or(declared.last()) else { continue };
            let schema = self.argument(file, argument)?;
            let before = self.findings.len();
            self.value(value, &schema, self.version());
            let found = self.findings.split_off(before);
            if let Some(first) = found.into_iter().next() {
                return Some(format!("Argument {}: {}.", at + 1, first.message));
            }
        }
        None
    }

    /// What an argument must be; none when its type is not known.
    pub(super) fn argument(&self, file: FileId, argument: &Value) -> Option<Schema> {
        let of = argument.get("type")?;
        let name = Name { text: of.text()?.to_owned(), span: of.span };
        let names = &self.model.files[file.0 as usize].names;
        let id = names.get(&(TypeKind::Data, name.text.clone())).copied();
        let entry = argument.get("entry_schema").and_then(|entry| self.argument(file, entry));
        Some(Schema {
            of: Some(TypeRef { name, id }),
            constraints: argument.get("validation").cloned(),
            entry: entry.map(Box::new),
            ..Schema::default()
        })
    }
}

//! Names that were given up stay given up: files, modules, types, functions and fields have the
//! words of `docs/wording.md`. Local variables are free.

use super::Tree;
use super::ratchet::{self, Counted, Left};
use super::syntax::{Syntax, line};
use crate::repository::Finding;
use proc_macro2::Ident;
use syn::visit::{self, Visit};
use syn::{
    Field, FnArg, ItemEnum, ItemMod, ItemStruct, ItemTrait, ItemType, ReturnType, Signature, Type,
};

/// Files and modules: the old name, and the word for it.
const MODULES: &[(&str, &str)] = &[
    ("apart", "expand_instances"),
    ("asked", "function_context"),
    ("beside", "bundled_profiles"),
    ("crowd", "batch"),
    ("differs", "drift"),
    ("early", "attribute_order"),
    ("ends", "sigchld"),
    ("errand", "execute"),
    ("found", "runtime_values"),
    ("given", "required_values"),
    ("known", "constant_values"),
    ("laid", "staging"),
    ("meant", "resolve_relationship"),
    ("onward", "continue_net"),
    ("passing", "unimplemented_operations"),
    ("past", "last_run"),
    ("sheet", "requests"),
    ("stepping", "step"),
    ("straight", "direct_plan"),
    ("surroundings", "read_options"),
    ("survey", "analyze"),
    ("swift", "spawn"),
    ("told", "describe"),
    ("towards", "change_goal"),
    ("unasked", "skipped_steps"),
    ("unkept", "journal_error"),
    ("veil", "redact"),
];

/// Structs, enums, traits and aliases.
const TYPES: &[(&str, &str)] = &[
    ("Asked", "Request"),
    ("Crowd", "Batch"),
    ("Doubt", "OrderStatus"),
    ("Given", "InFlight"),
    ("Holder", "RunningProcess"),
    ("Hopeless", "Unrepairable"),
    ("NoLock", "LockError"),
    ("Surroundings", "ReadOptions"),
    ("Untidy", "ProcessMismatch"),
    ("Whose", "PlanContext"),
];

/// Functions and methods.
const FUNCTIONS: &[(&str, &str)] = &[
    ("bury", "reap"),
    ("crowd", "batch"),
    ("hear_operator", "install_ctrlc"),
    ("hopeless", "unrepairable"),
    ("take_up", "retry_abandoned"),
    ("told", "describe"),
];

/// Fields.
const FIELDS: &[(&str, &str)] = &[
    ("crowd", "batch"),
    ("doubt", "order_status"),
    ("hopeless", "unrepairable"),
    ("in_vain", "not_done_streak"),
];

/// None is left.
pub const LEFT: &[Left] = &[];

/// Names every old name beyond those that are left.
pub fn check(tree: &Tree) -> Vec<Finding> {
    ratchet::beyond(all(tree), LEFT)
}

/// Every old name.
pub fn all(tree: &Tree) -> Vec<Counted> {
    tree.syntax.iter().flat_map(of_file).collect()
}

fn of_file(file: &Syntax) -> Vec<Counted> {
    let mut names = Names { path: &file.path, found: Vec::new() };
    // A folder belongs to a file of its name, which is found by itself.
    let stem = file.path.rsplit('/').next().unwrap_or_default().trim_end_matches(".rs");
    names.compare("file", stem, 1, MODULES);
    names.visit_file(&file.tree);
    names.found
}

struct Names<'a> {
    path: &'a str,
    found: Vec<Counted>,
}

impl Names<'_> {
    fn compare(&mut self, what: &str, name: &str, line: usize, old: &[(&str, &str)]) {
        if let Some((_, word)) = old.iter().find(|(old, _)| *old == name) {
            let message = format!("the {what} `{name}` has an old name; the word is `{word}`");
            self.found.push((name.to_owned(), Finding::new(self.path, line, message)));
        }
    }

    fn identifier(&mut self, what: &str, name: &Ident, old: &[(&str, &str)]) {
        self.compare(what, &name.to_string(), line(name.span()), old);
    }
}

impl<'a> Visit<'a> for Names<'_> {
    fn visit_item_mod(&mut self, module: &'a ItemMod) {
        // A module in a file of its own is found by the file.
        if module.content.is_some() {
            self.identifier("module", &module.ident, MODULES);
        }
        visit::visit_item_mod(self, module);
    }

    fn visit_item_struct(&mut self, item: &'a ItemStruct) {
        self.identifier("type", &item.ident, TYPES);
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'a ItemEnum) {
        self.identifier("type", &item.ident, TYPES);
        visit::visit_item_enum(self, item);
    }

    fn visit_item_trait(&mut self, item: &'a ItemTrait) {
        self.identifier("type", &item.ident, TYPES);
        visit::visit_item_trait(self, item);
    }

    fn visit_item_type(&mut self, item: &'a ItemType) {
        self.identifier("type", &item.ident, TYPES);
        visit::visit_item_type(self, item);
    }

    fn visit_signature(&mut self, signature: &'a Signature) {
        self.identifier("function", &signature.ident, FUNCTIONS);
        if signature.ident == "word" && is_a_name_of_self(signature) {
            self.identifier("function", &signature.ident, &[("word", "as_str")]);
        }
        visit::visit_signature(self, signature);
    }

    fn visit_field(&mut self, field: &'a Field) {
        if let Some(name) = &field.ident {
            self.identifier("field", name, FIELDS);
        }
        visit::visit_field(self, field);
    }
}

/// Whether a method gives a text for its object: `fn word(self) -> &'static str`.
fn is_a_name_of_self(signature: &Signature) -> bool {
    let gives_text = match &signature.output {
        ReturnType::Type(_, output) => matches!(&**output, Type::Reference(_)),
        ReturnType::Default => false,
    };
    let only_self = signature.inputs.len() == 1
        && signature.inputs.iter().all(|input| matches!(input, FnArg::Receiver(_)));
    gives_text && only_self
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        of_file(&Syntax::of(path, text)).into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn old_names_are_found_where_something_is_defined() {
        assert_eq!(found("a/past.rs", "mod veil { } mod veil;"), ["past", "veil"]);
        assert_eq!(found("a.rs", "struct Doubt { in_vain: u8 }"), ["Doubt", "in_vain"]);
        assert_eq!(found("a.rs", "enum Whose {} trait Given {} type Asked = u8;").len(), 3);
        assert_eq!(found("a.rs", "impl X { fn told(&self) {} }"), ["told"]);
        assert_eq!(found("a.rs", "impl X { fn word(self) -> &'static str { x } }"), ["word"]);
    }

    #[test]
    fn variables_uses_and_functions_that_read_a_word_are_free() {
        let text = "fn f(given: u8) { let found = past; told(known); } \
                    fn word(text: &str) -> String { asked }";
        assert_eq!(found("a/b.rs", text), Vec::<String>::new());
    }
}

//! A public function that can fail says how by a type, not by a text.

use super::Tree;
use super::ratchet::{self, Counted, Left};
use super::syntax::{Syntax, is_public, line};
use crate::repository::Finding;
use syn::visit::{self, Visit};
use syn::{GenericArgument, ItemType, Path, PathArguments, Type};

const KIND: &str = "text as an error";

/// None is left.
pub const LEFT: &[Left] = &[];

/// Names every error that is a text, beyond those that are left.
pub fn check(tree: &Tree) -> Vec<Finding> {
    ratchet::beyond(all(tree), LEFT)
}

/// Every error that is a text.
pub fn all(tree: &Tree) -> Vec<Counted> {
    tree.syntax.iter().filter(|file| file.is_product()).flat_map(of_file).collect()
}

fn of_file(file: &Syntax) -> Vec<Counted> {
    let mut found = Vec::new();
    let mut find = |name: &syn::Ident| {
        let message = format!("`{name}` fails with a text; give the error a type");
        found.push((KIND.to_owned(), Finding::new(&file.path, line(name.span()), message)));
    };
    for function in file.functions() {
        let mut errors = StringErrors(false);
        errors.visit_return_type(&function.signature.output);
        if function.is_public && !function.is_test && errors.0 {
            find(&function.signature.ident);
        }
    }
    let mut aliases = Aliases(Vec::new());
    aliases.visit_file(&file.tree);
    aliases.0.into_iter().for_each(find);
    found
}

struct Aliases<'a>(Vec<&'a syn::Ident>);

impl<'a> Visit<'a> for Aliases<'a> {
    fn visit_item_type(&mut self, alias: &'a ItemType) {
        let mut errors = StringErrors(false);
        errors.visit_type(&alias.ty);
        if is_public(&alias.vis) && errors.0 {
            self.0.push(&alias.ident);
        }
    }
}

/// Whether a type has `Result<_, String>` in it.
struct StringErrors(bool);

impl<'a> Visit<'a> for StringErrors {
    fn visit_path(&mut self, path: &'a Path) {
        if let Some(last) = path.segments.last()
            && last.ident == "Result"
            && let PathArguments::AngleBracketed(arguments) = &last.arguments
            && let Some(GenericArgument::Type(Type::Path(error))) = arguments.args.iter().nth(1)
            && error.path.is_ident("String")
        {
            self.0 = true;
        }
        visit::visit_path(self, path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str) -> usize {
        of_file(&Syntax::of("crates/a/src/b.rs", text)).len()
    }

    #[test]
    fn texts_as_errors_are_found_in_what_is_public() {
        assert_eq!(count("pub fn f() -> Result<u8, String> { g() }"), 1);
        assert_eq!(
            count("impl X { pub fn f() -> Option<std::result::Result<u8, String>> { g() } }"),
            1
        );
        assert_eq!(count("pub trait T { fn f(&self) -> Result<(), String>; }"), 1);
        assert_eq!(count("pub type Answer = Result<u8, String>;"), 1);
    }

    #[test]
    fn other_errors_and_what_is_not_public_are_fine() {
        assert_eq!(count("pub fn f() -> Result<String, E> { g() }"), 0);
        assert_eq!(count("pub(crate) fn f() -> Result<u8, String> { g() }"), 0);
        assert_eq!(count("#[cfg(test)] mod t { pub fn f() -> Result<u8, String> { g() } }"), 0);
    }
}

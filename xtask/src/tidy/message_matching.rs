//! No decision looks into a message: what is compared with a text is a value, not a sentence.
//!
//! A guess by names: `contains`, `starts_with` or `ends_with` of a literal text, asked of something
//! that is called a message or was made by `to_string`.

use super::Tree;
use super::ratchet::{self, Counted, Left};
use super::syntax::{Syntax, is_test_code, line};
use crate::repository::Finding;
use syn::visit::{self, Visit};
use syn::{Expr, ExprMethodCall, ImplItemFn, ItemFn, ItemMod, Lit, Member};

const QUESTIONS: &[&str] = &["contains", "starts_with", "ends_with", "strip_prefix", "find"];
/// Steps that do not change what is asked.
const THROUGH: &[&str] = &["as_str", "as_ref", "trim", "to_lowercase", "to_ascii_lowercase"];
/// Names of texts for people.
const MESSAGES: &[&str] = &["message", "error", "why", "reason", "hint", "failure"];
/// Methods that make texts for people.
const MAKERS: &[&str] = &["to_string", "message", "describe"];

const KIND: &str = "look into a message";

/// None is left.
pub const LEFT: &[Left] = &[];

/// Names every look into a message, beyond those that are left.
pub fn check(tree: &Tree) -> Vec<Finding> {
    ratchet::beyond(all(tree), LEFT)
}

/// Every look into a message.
pub fn all(tree: &Tree) -> Vec<Counted> {
    tree.syntax.iter().filter(|file| file.is_product()).flat_map(of_file).collect()
}

fn of_file(file: &Syntax) -> Vec<Counted> {
    let mut looks = Looks { file, found: Vec::new() };
    looks.visit_file(&file.tree);
    looks.found
}

struct Looks<'a> {
    file: &'a Syntax,
    found: Vec<Counted>,
}

impl<'a> Visit<'a> for Looks<'a> {
    fn visit_item_mod(&mut self, module: &'a ItemMod) {
        if !is_test_code(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, item: &'a ItemFn) {
        if !is_test_code(&item.attrs) {
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'a ImplItemFn) {
        if !is_test_code(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_expr_method_call(&mut self, call: &'a ExprMethodCall) {
        let asks = QUESTIONS.iter().any(|question| call.method == question);
        if asks && is_text(call.args.first()) && is_message(&call.receiver) {
            let message = format!("`{}` looks into a message; ask a value", call.method);
            let finding = Finding::new(&self.file.path, line(call.method.span()), message);
            self.found.push((KIND.to_owned(), finding));
        }
        visit::visit_expr_method_call(self, call);
    }
}

fn is_text(argument: Option<&Expr>) -> bool {
    matches!(argument, Some(Expr::Lit(literal)) if matches!(literal.lit, Lit::Str(_)))
}

fn is_message(asked: &Expr) -> bool {
    match asked {
        Expr::Reference(reference) => is_message(&reference.expr),
        Expr::Paren(inner) => is_message(&inner.expr),
        Expr::MethodCall(call) if THROUGH.iter().any(|step| call.method == step) => {
            is_message(&call.receiver)
        }
        Expr::MethodCall(call) => MAKERS.iter().any(|maker| call.method == maker),
        Expr::Field(field) => match &field.member {
            Member::Named(name) => MESSAGES.iter().any(|message| name == message),
            Member::Unnamed(_) => false,
        },
        Expr::Path(path) => {
            path.path.get_ident().is_some_and(|name| MESSAGES.iter().any(|one| name == one))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str) -> usize {
        let text = format!("fn f() {{ {text}; }}");
        of_file(&Syntax::of("crates/a/src/b.rs", &text)).len()
    }

    #[test]
    fn questions_to_messages_are_found() {
        assert_eq!(count("error.to_string().contains(\"no such\")"), 1);
        assert_eq!(count("failed.message.as_str().starts_with(\"no\")"), 1);
        assert_eq!(count("if message.ends_with(\"no\") { g() }"), 1);
    }

    #[test]
    fn questions_to_other_texts_are_fine() {
        assert_eq!(count("path.contains(\"/\")"), 0);
        assert_eq!(count("message.contains(&name)"), 0);
        assert_eq!(count("value.trim().starts_with(\"0x\")"), 0);
    }
}

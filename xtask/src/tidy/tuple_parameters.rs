//! A parameter has a name and a type of its own; `(a, b): (&A, &B)` hides two parameters in one.

use super::Tree;
use super::ratchet::{self, Counted, Left};
use super::syntax::{Syntax, line};
use crate::repository::Finding;
use syn::{FnArg, Pat};

const KIND: &str = "tuple parameter";

/// How many are left: none.
pub const LEFT: &[Left] = &[];

/// Names every parameter that is a tuple, beyond those that are left.
pub fn check(tree: &Tree) -> Vec<Finding> {
    ratchet::beyond(all(tree), LEFT)
}

/// Every parameter that is a tuple.
pub fn all(tree: &Tree) -> Vec<Counted> {
    tree.syntax.iter().filter(|file| file.is_product()).flat_map(of_file).collect()
}

fn of_file(file: &Syntax) -> Vec<Counted> {
    let mut found = Vec::new();
    for function in file.functions().iter().filter(|function| !function.is_test) {
        let is_tuple = |input: &FnArg| matches!(input, FnArg::Typed(typed) if matches!(*typed.pat, Pat::Tuple(_)));
        if function.signature.inputs.iter().any(is_tuple) {
            let name = &function.signature.ident;
            let message = format!("`{name}` has a tuple for a parameter; name its parts");
            let finding = Finding::new(&file.path, line(name.span()), message);
            found.push((KIND.to_owned(), finding));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tuples_are_found_in_functions_and_not_in_closures() {
        let count = |text: &str| of_file(&Syntax::of("crates/a/src/b.rs", text)).len();
        assert_eq!(count("fn f((a, b): (u8, u8)) {}"), 1);
        assert_eq!(count("impl X { fn f(&self, c: u8, (a, b): (u8, u8)) {} }"), 1);
        assert_eq!(count("fn f(pair: (u8, u8)) { g(|(a, b)| a + b) }"), 0);
    }
}

//! A Rust file as a tree, and what several checks ask of it.

use crate::repository::File;
use proc_macro2::Span;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, ImplItemFn, ItemFn, ItemMod, Meta, Signature, TraitItemFn, Visibility};

/// A file and its tree.
pub struct Syntax {
    /// Path from the root of the repository.
    pub path: String,
    /// What is in it.
    pub tree: syn::File,
}

/// A function, a method, or one that a trait asks for.
pub struct Function<'a> {
    /// Name, parameters and result.
    pub signature: &'a Signature,
    /// What it does; a trait may leave that open.
    pub body: Option<&'a Block>,
    /// Whether it is `pub`; the functions of a trait have no mark of their own and count as such.
    pub is_public: bool,
    /// Whether it is compiled for tests only.
    pub is_test: bool,
}

impl Syntax {
    /// Reads a file.
    pub fn read(file: &File) -> Result<Self, String> {
        match syn::parse_file(&file.text) {
            Ok(tree) => Ok(Syntax { path: file.path.clone(), tree }),
            Err(error) => Err(format!("{}:{}: {error}", file.path, line(error.span()))),
        }
    }

    /// A file of a test.
    #[cfg(test)]
    pub fn of(path: &str, text: &str) -> Self {
        Self::read(&File { path: path.to_owned(), text: text.to_owned() }).unwrap()
    }

    /// Every function, those inside of others too.
    pub fn functions(&self) -> Vec<Function<'_>> {
        let mut finder = Functions { found: Vec::new(), is_test: self.is_of_tests() };
        finder.visit_file(&self.tree);
        finder.found
    }

    /// Whether the whole file is compiled for tests only.
    pub fn is_of_tests(&self) -> bool {
        let below = |folder: &str| self.path.contains(&format!("/{folder}/"));
        below("tests") || self.path.ends_with("/tests.rs")
    }

    /// Whether this is a file of what people use: of a crate, and not a test of it.
    pub fn is_product(&self) -> bool {
        self.path.starts_with("crates/") && self.path.contains("/src/") && !self.is_of_tests()
    }
}

/// The line on which something begins.
pub fn line(span: Span) -> usize {
    span.start().line
}

/// Whether attributes say that an item is compiled for tests only.
pub fn is_test_code(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        Meta::NameValue(_) => false,
    })
}

struct Functions<'a> {
    found: Vec<Function<'a>>,
    is_test: bool,
}

impl<'a> Functions<'a> {
    fn push(&mut self, function: Function<'a>) {
        self.found.push(function);
    }

    /// Visits what is inside of an item, knowing whether it is for tests.
    fn inside(&mut self, attributes: &[Attribute], visit: impl FnOnce(&mut Self)) {
        let before = self.is_test;
        self.is_test |= is_test_code(attributes);
        visit(self);
        self.is_test = before;
    }
}

impl<'a> Visit<'a> for Functions<'a> {
    fn visit_item_mod(&mut self, module: &'a ItemMod) {
        self.inside(&module.attrs, |this| visit::visit_item_mod(this, module));
    }

    fn visit_item_fn(&mut self, item: &'a ItemFn) {
        self.inside(&item.attrs, |this| {
            this.push(Function {
                signature: &item.sig,
                body: Some(&item.block),
                is_public: is_public(&item.vis),
                is_test: this.is_test,
            });
            visit::visit_item_fn(this, item);
        });
    }

    fn visit_impl_item_fn(&mut self, item: &'a ImplItemFn) {
        self.inside(&item.attrs, |this| {
            this.push(Function {
                signature: &item.sig,
                body: Some(&item.block),
                is_public: is_public(&item.vis),
                is_test: this.is_test,
            });
            visit::visit_impl_item_fn(this, item);
        });
    }

    fn visit_trait_item_fn(&mut self, item: &'a TraitItemFn) {
        self.inside(&item.attrs, |this| {
            this.push(Function {
                signature: &item.sig,
                body: item.default.as_ref(),
                is_public: true,
                is_test: this.is_test,
            });
            visit::visit_trait_item_fn(this, item);
        });
    }
}

/// Whether an item is `pub`, without a limit.
pub fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_wherever_they_are() {
        let file = Syntax::of(
            "crates/a/src/b.rs",
            "pub fn a() { fn b() {} } trait T { fn c(&self); } impl T for X { fn c(&self) {} } \
             #[cfg(test)] mod tests { #[test] fn d() {} }",
        );
        let found: Vec<_> = file
            .functions()
            .iter()
            .map(|it| (it.signature.ident.to_string(), it.is_public, it.is_test))
            .collect();
        let of = |name: &str, is_public, is_test| (name.to_owned(), is_public, is_test);
        let all = [("a", true, false), ("b", false, false), ("c", true, false)];
        let all = all.into_iter().chain([("c", false, false), ("d", false, true)]);
        assert_eq!(found, all.map(|(name, a, b)| of(name, a, b)).collect::<Vec<_>>());
    }
}

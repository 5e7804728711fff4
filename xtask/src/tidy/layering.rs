//! The arrows between the modules of the library point downward only.
//!
//! A module may name itself, the modules listed beside it, and those for all. Code for tests is
//! free. ARCHITECTURE.md has the same table for people; `architecture` compares the two.

use super::Tree;
use super::library::{self, LIBRARY};
use crate::lexer::{code, path_uses, without_test_code};
use crate::repository::{File, Finding};

/// Every part speaks about places in texts, finds something wrong and says what was meant.
const FOR_ALL: &[&str] = &["source", "diagnostic", "spelling", "cycle", "fnv"];

/// Module, what it may name, and why no more.
pub(super) const ARROWS: &[(&str, &[&str], &str)] = &[
    ("source", &[], "texts and places know nothing of what stands in them"),
    ("diagnostic", &[], "a finding is a value; how it came about is another's business"),
    ("spelling", &[], "words, whatever they mean"),
    ("cycle", &[], "graphs by number, whatever their vertices are"),
    ("fnv", &[], "numbers of texts, whatever they mean"),
    ("tree", &[], "YAML and JSON, whatever they describe"),
    ("graph", &[], "the pivot is described without a language and without behaviour"),
    ("lifecycle", &[], "descriptions of lifecycles, no behaviour"),
    ("application", &["lifecycle", "graph"], "what every language is lowered to"),
    ("plan", &["application", "lifecycle", "graph"], "a plan is about an application"),
    ("goal", &["application", "lifecycle"], "a goal is about an application"),
    (
        "lang",
        &["tree", "plan", "goal", "application", "lifecycle", "graph"],
        "a language is read and lowered; it does not judge, move or search",
    ),
    (
        "rule",
        &["graph", "application", "lifecycle", "plan", "tree", "lang"],
        "a rule sees the description and its places: what was lowered, or what a language read",
    ),
    ("system", &[], "the abstraction knows none of its systems"),
    (
        "semantics",
        &["system", "lifecycle", "application", "graph", "plan"],
        "a relation says what may happen; it never searches",
    ),
    ("explore", &["system"], "the one search knows a system by its trait only"),
    (
        "certificate",
        &["system", "plan", "goal", "semantics", "lifecycle", "application"],
        "the checker of evidence shares nothing with those who made it",
    ),
    (
        "verify",
        &[
            "system",
            "plan",
            "goal",
            "semantics",
            "explore",
            "certificate",
            "lifecycle",
            "application",
        ],
        "is a plan valid: asked, searched, and the evidence checked",
    ),
    (
        "synthesize",
        &["system", "plan", "goal", "semantics", "verify", "lifecycle", "application"],
        "a plan is looked for and ordered; what leaves is what verify calls valid",
    ),
    (
        "prove",
        &["system", "semantics", "explore", "certificate", "goal", "lifecycle", "application"],
        "does bringing up always complete: asked, searched, and the evidence checked",
    ),
    (
        "analyze",
        &["system", "semantics", "explore", "certificate", "lifecycle", "application"],
        "the whole state space is counted, and what can be reached is checked",
    ),
    (
        "simulate",
        &["plan", "semantics", "lifecycle", "application"],
        "a run of nets or of a plan in virtual time: it follows the rules, and searches nothing",
    ),
    (
        "step",
        &["system", "semantics", "lifecycle", "application"],
        "one action at a time, chosen by a person",
    ),
    (
        "export",
        &["graph", "application", "lifecycle", "plan", "verify", "lang"],
        "pictures and interchange formats show descriptions, lowered or as a language read them",
    ),
];

/// What the file of a module may name beyond what its folder may: reading a text asks the rules of
/// its language before it is lowered, but no reader judges by itself.
const ENTRIES: &[(&str, &str)] = &[("lang", "rule")];

/// Names every path that points upward.
pub fn check(tree: &Tree) -> Vec<Finding> {
    library::files(tree).into_iter().flat_map(upward_paths).collect()
}

fn upward_paths(file: &File) -> Vec<Finding> {
    let module = module_of(&file.path);
    let Some(own) = module.first() else { return Vec::new() };
    let Some((_, allowed, reason)) = ARROWS.iter().find(|(name, ..)| name == own) else {
        let message = format!("module `{own}` has no row in the table of layers");
        return vec![Finding::new(&file.path, 1, message)];
    };
    let tokens = without_test_code(&code(&file.text));
    let mut findings = Vec::new();
    for path in path_uses(&tokens) {
        let words: Vec<&str> = path.words.iter().map(String::as_str).collect();
        let around: Vec<&str> =
            module.iter().copied().chain(path.inside.iter().map(String::as_str)).collect();
        let Some(target) = top_module(&words, &around) else { continue };
        let known = ARROWS.iter().any(|(name, ..)| *name == target);
        let from_entry = module.len() == 1 && ENTRIES.contains(&(*own, target));
        let fine =
            target == *own || from_entry || FOR_ALL.contains(&target) || allowed.contains(&target);
        if known && !fine {
            let message = format!("`{own}` may not use `{target}`: {reason}");
            findings.push(Finding::new(&file.path, path.line, message));
        }
    }
    findings.dedup();
    findings
}

/// The module below the crate's root that a path leads to, if it starts with `crate` or `super`.
fn top_module<'a>(words: &[&'a str], around: &[&'a str]) -> Option<&'a str> {
    if words[0] == "crate" {
        return words.get(1).copied();
    }
    let ups = words.iter().take_while(|word| **word == "super").count();
    if ups == 0 || ups > around.len() {
        return None;
    }
    let mut absolute = around[..around.len() - ups].to_vec();
    absolute.extend(&words[ups..]);
    absolute.first().copied()
}

/// `crates/windlass/src/graph/role.rs` is `graph::role`; the root of the crate is empty.
fn module_of(path: &str) -> Vec<&str> {
    let inner = path.trim_start_matches(LIBRARY).trim_end_matches(".rs");
    inner.split('/').filter(|word| *word != "lib" && *word != "mod").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, text: &str) -> Vec<String> {
        let file = File { path: format!("{LIBRARY}{path}"), text: text.to_owned() };
        upward_paths(&file).into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn an_arrow_that_points_upward_is_found_in_every_spelling() {
        for text in [
            "use crate::explore::search;",
            "use crate::{source::Span, explore};",
            "fn f() { crate::explore::search() }",
            "use super::super::explore;",
            "mod inner { use super::super::super::explore::search; }",
        ] {
            let found = findings("semantics/net.rs", text);
            assert_eq!(found.len(), 1, "{text}");
            assert!(found[0].contains("`semantics` may not use `explore`"));
        }
    }

    #[test]
    fn downward_arrows_and_test_code_are_fine() {
        for text in [
            "use crate::system::System;",
            "use super::protocol::step;",
            "#[cfg(test)] mod tests { use crate::explore::search; }",
            "// use crate::explore::search;",
            "const X: &str = \"crate::explore::search\";",
        ] {
            assert_eq!(findings("semantics/net.rs", text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn only_the_entry_of_the_languages_asks_the_rules() {
        assert_eq!(findings("lang.rs", "use crate::rule;"), Vec::<String>::new());
        assert_eq!(findings("lang/tosca.rs", "use crate::rule;").len(), 1);
    }

    #[test]
    fn the_checker_of_evidence_names_no_search_and_no_question() {
        for name in ["explore", "verify", "synthesize", "prove", "analyze", "simulate", "step"] {
            let found = findings("certificate/run.rs", &format!("use crate::{name}::x;"));
            assert_eq!(found.len(), 1, "{name}");
        }
    }

    #[test]
    fn a_new_module_needs_a_row() {
        assert_eq!(findings("colour.rs", "").len(), 1);
        assert!(findings("lib.rs", "pub use crate::explore::x;").is_empty());
    }
}

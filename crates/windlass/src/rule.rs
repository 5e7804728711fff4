//! Rules: one file per bad pattern, and the list of every code that a finding can carry.
//!
//! A rule is `rule/<lang>/<bad_pattern>.rs` with one constant and one function, one line in
//! [`RULES`], and `docs/rules/<CODE>.md`, which is explanation and test at once: the runner in
//! `tests/library/rule_docs.rs` reads its fenced examples. A rule's name is the bad pattern, so that
//! it reads as "allow ..."; a code is never used again for something else.
//!
//! What the readers report by themselves (syntax, files, settings) stands in [`CODES`], so that
//! `windlass explain` knows every code there is. Invariant: codes and names are unique, and every
//! code has a page; a test holds both.

mod codes;
pub mod compose;
pub mod hot;
pub mod net;
pub mod protocol;
pub mod topology;
pub mod tosca;

pub use codes::CODES;

use crate::application::Application;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::Reading;
use crate::source::{Origin, SourceId, Sources, Span};

/// The rules that look at an application, in the order in which they run. One line each.
pub const RULES: &[&Rule] = &[
    &topology::cyclic_topology::RULE,
    &topology::unbound_requirement::RULE,
    &topology::wrong_container::RULE,
    &topology::too_few_providers::RULE,
    &topology::capability_never_offered::RULE,
    &topology::replicas_without_faults::RULE,
    &protocol::two_containments::RULE,
    &protocol::nondeterministic_operation::RULE,
    &protocol::tied_handlers::RULE,
    &protocol::growing_handler::RULE,
    &protocol::handler_cycle::RULE,
    &protocol::racing_handlers::RULE,
    &protocol::unhandled_fault::RULE,
    &protocol::unreachable_state::RULE,
    &protocol::unused_operation::RULE,
    &protocol::broken_up_path::RULE,
    &net::cyclic_net::RULE,
    &net::unreachable_place::RULE,
    &net::group_without_port::RULE,
    &net::port_without_binding::RULE,
    &net::port_type_mismatch::RULE,
    &net::unconnected_port::RULE,
    &net::no_initial_place::RULE,
    &net::crossed_dependency::RULE,
    &net::value_never_set::RULE,
    &net::doubled_token::RULE,
];

/// What a rule sees: the description and the texts that it came from.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The description.
    pub application: &'a Application,
    /// The texts.
    pub sources: &'a Sources,
}

impl Context<'_> {
    /// The place to point at: where the part was written, else where the description starts.
    pub fn place(&self, origin: Origin) -> Span {
        let nowhere = Span { source: SourceId(0), start: 0, end: 0 };
        origin.0.or(self.application.origin.0).unwrap_or(nowhere)
    }
}

/// Looks for one bad pattern and adds what it finds.
pub type Check = fn(&Context<'_>, &mut Vec<Diagnostic>);

/// One bad pattern: what it is called, how bad it is, why, and how to find it.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Prefix by language, then a number: `WL012`.
    pub code: &'static str,
    /// The bad pattern, in words joined by hyphens: `unbound-requirement`.
    pub name: &'static str,
    /// How bad it is, unless the user's settings say otherwise.
    pub severity: Severity,
    /// One sentence, without a full stop: what is wrong.
    pub summary: &'static str,
    /// The definition that the rule comes from, e.g. `004 Def. 3.1`.
    pub paper: Option<&'static str>,
    /// The page `docs/rules/<CODE>.md`; write `page!("WL012")`.
    pub doc: &'static str,
    /// How to find it in an application; none when a reader reports it on the way.
    pub check: Option<Check>,
}

impl Rule {
    /// A finding of this rule.
    pub fn finding(&self, primary: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.code, self.severity, primary, message)
    }
}

/// The page of a code, taken into the library when it is built.
macro_rules! page {
    ($code:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/rules/", $code, ".md"))
    };
}
pub(crate) use page;

/// Every rule and every code of a reader, in the order of their codes.
pub fn all() -> Vec<&'static Rule> {
    let of_compose = compose::RULES.iter().map(|(rule, _)| *rule);
    let others = RULES.iter().chain(CODES).chain(hot::RULES).chain(tosca::CODES).copied();
    let mut all: Vec<_> = others.chain(of_compose).collect();
    all.sort_by_key(|rule| rule.code);
    all
}

/// What is known about a code.
pub fn find(code: &str) -> Option<&'static Rule> {
    all().into_iter().find(|rule| rule.code == code)
}

/// Everything that the rules find in what was read. A Compose file and a template
/// have rules of their own: what they are lowered to is ours, so that the rules for life cycles
/// would say nothing that their author knows.
pub fn check_reading(reading: &Reading, sources: &Sources) -> Vec<Diagnostic> {
    if let Some(stack) = &reading.stack {
        let mut findings = hot::check(stack);
        crate::diagnostic::sort(&mut findings);
        return findings;
    }
    match (&reading.compose, &reading.application) {
        (Some(project), _) => {
            let mut findings = compose::check(project, sources);
            let errors = reading.findings.iter().filter(|it| it.severity == Severity::Error);
            let wrong: Vec<_> = errors.map(|error| error.primary).collect();
            // What is wrong anyway is told once.
            findings.retain(|finding| !wrong.iter().any(|it| it.contains(finding.primary)));
            findings
        }
        (None, Some(application)) => check(application, sources),
        (None, None) => Vec::new(),
    }
}

/// Everything that the rules find in an application, in the order of its text.
pub fn check(application: &Application, sources: &Sources) -> Vec<Diagnostic> {
    let context = Context { application, sources };
    let mut findings = Vec::new();
    for check in RULES.iter().filter_map(|rule| rule.check) {
        check(&context, &mut findings);
    }
    crate::diagnostic::sort(&mut findings);
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_and_name_is_unique_and_has_a_page_of_its_own() {
        let all = all();
        for pair in all.windows(2) {
            assert_ne!(pair[0].code, pair[1].code);
        }
        for rule in &all {
            let same_name = all.iter().filter(|other| other.name == rule.name).count();
            assert_eq!(same_name, 1, "the name {} is used twice", rule.name);
            let title = format!("# {} {}\n", rule.code, rule.name);
            assert!(rule.doc.starts_with(&title), "docs/rules/{}.md: {title}", rule.code);
            assert!(!rule.summary.ends_with('.'), "{}", rule.code);
            let letters = rule.code.trim_end_matches(|c: char| c.is_ascii_digit());
            assert!(
                !letters.is_empty()
                    && rule.code.len() == letters.len() + 3
                    && letters.chars().all(|c| c.is_ascii_uppercase()),
                "{} is not letters and three digits",
                rule.code
            );
        }
    }
}

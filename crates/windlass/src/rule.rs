//! Rules: one file per bad pattern, and the tables of every code that a finding can carry.
//!
//! A rule is `rule/<lang>/<bad_pattern>.rs` with one constant and one function, one line in the
//! list of its folder, and `docs/rules/<CODE>.md`, which is explanation and test at once: the
//! runner in `tests/library/rule_docs.rs` reads its fenced examples. The constant says what the
//! rule looks at ([`LooksAt`]) and what else commands must know about it ([`Tag`]): no list of
//! codes stands anywhere else. A rule's name is the bad pattern, so that it reads as "allow ..."; a
//! code is never used again for something else.
//!
//! What only a reader can see (syntax, files, settings) is a line in the table `codes.rs` of its
//! language. Invariant: codes and names are unique, and every code has a page; a test holds both.

mod codes;
pub mod compose;
pub(crate) mod hot;
pub(crate) mod net;
pub(crate) mod protocol;
pub(crate) mod topology;
pub(crate) mod tosca;

use crate::application::Application;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::Reading;
use crate::lang::compose::Project;
use crate::lang::hot::Stack;
use crate::source::{Origin, SourceId, Sources, Span};

/// The rules that look at an application, in the order in which they run.
const APPLICATION: &[&[&Rule]] = &[topology::RULES, protocol::RULES, net::RULES];

/// The rules and codes of each language, and those of no language.
const OTHERS: &[&[&Rule]] = &[
    compose::REFUSED,
    compose::RULES,
    compose::CODES,
    hot::RULES,
    hot::CODES,
    tosca::CODES,
    codes::CODES,
];

/// What a rule sees: the description and the texts that it came from.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The description.
    pub(crate) application: &'a Application,
    /// The texts.
    pub sources: &'a Sources,
}

impl Context<'_> {
    /// The place to point at: where the part was written, else where the description starts.
    pub(crate) fn place(&self, origin: Origin) -> Span {
        let nowhere = Span { source: SourceId(0), start: 0, end: 0 };
        origin.0.or(self.application.origin.0).unwrap_or(nowhere)
    }
}

/// What a rule looks at, and how it finds its bad pattern there.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum LooksAt {
    /// An application, whatever language it was written in.
    Application(fn(&Context<'_>, &mut Vec<Diagnostic>)),
    /// A project of Docker Compose.
    Project(fn(&Project, &mut Vec<Diagnostic>)),
    /// A project of Docker Compose together with how it is written.
    ProjectText(fn(&Project, &Sources, &mut Vec<Diagnostic>)),
    /// A template of OpenStack Heat.
    Template(fn(&Stack, &mut Vec<Diagnostic>)),
    /// The types and the service template of TOSCA. The checks follow each other and share what
    /// they find out, so that `tosca::check` runs them, and several may report one code.
    Model,
    /// What a reader sees on the way; the reader reports it.
    Reader,
    /// The text as YAML, JSON or XML; the parser reports it.
    Syntax,
}

impl LooksAt {
    /// What it looks at, in a word or two.
    pub fn as_str(self) -> &'static str {
        match self {
            LooksAt::Application(_) => "application",
            LooksAt::Project(_) | LooksAt::ProjectText(_) => "Compose project",
            LooksAt::Template(_) => "Heat template",
            LooksAt::Model => "TOSCA model",
            LooksAt::Reader => "reader",
            LooksAt::Syntax => "parser",
        }
    }
}

/// What commands must know about the findings of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tag {
    /// Something goes wrong when the project comes up: commands that bring it up show it.
    Hazard,
    /// No engine and no order can bring the project up: `up` refuses it.
    PreventsUp,
    /// It does not matter for services that never run at the same time.
    OnlyWhileBothRun,
    /// A file that is put over another one cannot be judged for it alone.
    NeedsWholeProject,
    /// It is about an archive, which has no lines.
    Archive,
    /// The rows of the table of invariants that the rule stands for, where its code does not tell.
    Rows(&'static str),
}

impl Tag {
    /// The rows, if that is what the tag says.
    fn rows(&self) -> Option<&'static str> {
        match self {
            Tag::Rows(rows) => Some(rows),
            _ => None,
        }
    }
}

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
    /// What usually helps, for findings that know nothing better.
    pub(crate) help: Option<&'static str>,
    /// What it looks at.
    pub looks_at: LooksAt,
    /// What commands must know about its findings.
    pub(crate) tags: &'static [Tag],
}

impl Rule {
    /// What a rule does not say about itself.
    const DEFAULT: Rule = Rule {
        code: "",
        name: "",
        severity: Severity::Error,
        summary: "",
        paper: None,
        doc: "",
        help: None,
        looks_at: LooksAt::Reader,
        tags: &[],
    };

    /// Whether the rule has this tag.
    pub(crate) fn has(&self, tag: Tag) -> bool {
        self.tags.contains(&tag)
    }

    /// A finding of this rule.
    pub(crate) fn finding(&self, primary: Span, message: impl Into<String>) -> Diagnostic {
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

/// A line in a table of codes: code, name, severity and summary, then fields of [`Rule`] that
/// differ from what a reader reports by itself.
macro_rules! code {
    ($code:literal, $name:literal, $severity:ident, $summary:literal
     $(, $field:ident = $value:expr)*) => {
        &Rule {
            code: $code,
            name: $name,
            severity: crate::diagnostic::Severity::$severity,
            summary: $summary,
            doc: crate::rule::page!($code),
            $($field: $value,)*
            ..Rule::DEFAULT
        }
    };
}
pub(crate) use code;

fn every() -> impl Iterator<Item = &'static Rule> {
    APPLICATION.iter().chain(OTHERS).copied().flatten().copied()
}

/// Every rule and every code of a reader, in the order of their codes.
pub fn all() -> Vec<&'static Rule> {
    let mut all: Vec<_> = every().collect();
    all.sort_by_key(|rule| rule.code);
    all
}

/// What is known about a code.
pub fn find(code: &str) -> Option<&'static Rule> {
    every().find(|rule| rule.code == code)
}

/// Whether the rule with this code has a tag.
pub fn has_tag(code: &str, tag: Tag) -> bool {
    find(code).is_some_and(|rule| rule.has(tag))
}

/// Whether a finding says that the text is not YAML, JSON or XML as it must be.
pub fn is_syntax(finding: &Diagnostic) -> bool {
    find(finding.code).is_some_and(|rule| matches!(rule.looks_at, LooksAt::Syntax))
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
            // What is wrong anyway is reported once.
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
    for rule in APPLICATION.iter().copied().flatten() {
        if let LooksAt::Application(check) = rule.looks_at {
            check(&context, &mut findings);
        }
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
            let is_reported = matches!(rule.looks_at, LooksAt::Reader | LooksAt::Syntax);
            let is_listed = APPLICATION
                .iter()
                .chain([&compose::REFUSED, &compose::RULES, &hot::RULES])
                .copied();
            let is_listed = is_listed.flatten().any(|listed| listed.code == rule.code);
            let has_check = !is_reported && !matches!(rule.looks_at, LooksAt::Model);
            assert_eq!(has_check, is_listed, "{} is in the wrong table", rule.code);
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

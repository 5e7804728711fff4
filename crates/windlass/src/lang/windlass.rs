//! Our own language, `windlass.yaml`: the textual form of [`Application`].
//!
//! Reading order: `grammar.rs` (which keys there are), `shape.rs` (how a document is compared with
//! them), `lower.rs` and its folder (how names become indices), `print.rs` (the way back),
//! `state.rs`, `plan.rs`, `goal_file.rs` (the documents beside an application), `schema.rs`.

pub mod digest;
mod goal_file;
mod grammar;
mod lower;
mod plan;
mod print;
pub mod schema;
mod setup;
mod shape;
mod state;
pub mod units;

pub use goal_file::read_goal_file;
pub use plan::{cyclic_order, print_plan, read_plan};
pub use print::print;
pub use setup::{read_rules, read_topology};
pub(super) use shape::name_complaint;
pub use state::{print_state, read_state};

use crate::application::Application;
use crate::diagnostic::Diagnostic;
use crate::goal::GoalFile;
use crate::goal::names::Ids;
use crate::lang::names;
use crate::lifecycle::timing::Timing;
use crate::source::Span;
use crate::tree::Node;

/// A name that nothing declares.
pub const UNKNOWN_NAME: &str = "WL004";
/// Something that is declared twice in one list.
pub const DECLARED_TWICE: &str = "WL006";
/// A type without a life cycle, with two, or an application that mixes kinds.
pub const LIFECYCLE: &str = "WL007";
/// A document that is none of ours.
pub const UNKNOWN_DOCUMENT: &str = "WL008";
/// Keys that exclude or need each other.
pub const CONFLICTING_KEYS: &str = "WL009";
/// A state that does not fit its application.
pub const STATE_DOES_NOT_FIT: &str = "WL010";
/// A plan that does not fit its application.
pub const PLAN_DOES_NOT_FIT: &str = "WL011";
/// A rule that says nothing sensible.
pub const BAD_RULE: &str = "WL012";
/// A topology that its rules do not allow.
pub const BAD_TOPOLOGY: &str = "WL013";

/// Which of our documents a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Document {
    /// `windlass: 1`.
    Application,
    /// `state:`.
    State,
    /// `plan:`.
    Plan,
    /// `goal:` alone.
    Goal,
    /// `rules:` alone.
    Rules,
    /// `topology:`, with or without `rules:`.
    Topology,
}

impl Document {
    /// Decides by the keys at the top.
    pub fn detect(root: Node<'_>) -> Option<Document> {
        let has = |key: &str| root.get(key).is_some();
        if has("windlass") || (has("types") && has("nodes")) {
            Some(Document::Application)
        } else if root.get("plan").is_some_and(|plan| plan.get("actions").is_some()) {
            Some(Document::Plan)
        } else if root.get("state").is_some_and(|state| state.get("instances").is_some()) {
            Some(Document::State)
        } else if root.get("goal").is_some_and(Node::is_scalar) {
            Some(Document::Goal)
        } else if root.get("topology").is_some_and(|it| it.get("nodes").is_some()) {
            Some(Document::Topology)
        } else if root.get("rules").is_some_and(|it| it.get("behaviour").is_some()) {
            Some(Document::Rules)
        } else {
            None
        }
    }

    fn record(self) -> &'static shape::Record {
        match self {
            Document::Application => &grammar::APPLICATION,
            Document::State => &grammar::STATE_FILE,
            Document::Plan => &grammar::PLAN_FILE,
            Document::Goal => &grammar::GOAL,
            Document::Rules => &grammar::RULES_FILE,
            Document::Topology => &grammar::TOPOLOGY_FILE,
        }
    }

    /// Compares a text with the shape of this document.
    pub fn check_shape(self, root: Node<'_>, findings: &mut Vec<Diagnostic>) {
        shape::check(root, &shape::Shape::Record(self.record()), findings);
    }
}

/// Reads an application and the goal that it declares. The application is there when the text has
/// no errors: half an application would make every later finding a follower.
pub fn read_application(
    root: Node<'_>,
    findings: &mut Vec<Diagnostic>,
) -> (Option<Application>, Option<GoalFile>) {
    let before = findings.len();
    Document::Application.check_shape(root, findings);
    let application = lower::application(root, findings);
    let goal =
        root.get("goal").map(|node| goal_file::lower(node, &application, Ids::Later, findings));
    let broken = findings.len() > before || !root.tree().is_complete();
    if broken { (None, None) } else { (Some(application), goal) }
}

/// Reads a list of durations: `NODE.TRANSITION` with how long it takes.
pub fn read_durations(root: Node<'_>, findings: &mut Vec<Diagnostic>) -> Vec<(String, Timing)> {
    shape::check(root, &grammar::DURATIONS, findings);
    lower::durations(root, findings)
}

/// The place of a mapping for messages about the whole of it: its first line, not all of it.
pub(super) fn first_line(node: Node<'_>) -> Span {
    let span = node.span();
    let first = node.entries().next().map(|entry| entry.key.span());
    first.filter(|key| key.start >= span.start && key.end <= span.end).unwrap_or(span)
}

/// Reports a name that nothing declares.
fn unknown<'a>(
    what: &str,
    node: Node<'_>,
    known: impl Iterator<Item = &'a str> + Clone,
    findings: &mut Vec<Diagnostic>,
) {
    names::unknown(UNKNOWN_NAME, what, node, known, findings);
}

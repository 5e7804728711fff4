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

pub(crate) use goal_file::read_goal_file;
pub use plan::{cyclic_order, print_plan, read_plan};
pub use print::print;
pub use setup::{read_rules, read_topology};
pub(super) use shape::name_complaint;
pub use state::{print_state, read_state};

use super::language::{Context, Kind, Language, Reader, Text};
use super::{Reading, documents};
use crate::application::{Application, GlobalState};
use crate::diagnostic::{self, Diagnostic};
use crate::goal::GoalFile;
use crate::goal::names::Ids;
use crate::lang::names;
use crate::lifecycle::timing::Timing;
use crate::plan::Plan;
use crate::source::Span;
use crate::tree::{self, Node, Tree};

/// A name that nothing declares.
pub(crate) const UNKNOWN_NAME: &str = "WL004";
/// Something that is declared twice in one list.
pub(crate) const DECLARED_TWICE: &str = "WL006";
/// A type without a life cycle, with two, or an application that mixes kinds.
pub(crate) const LIFECYCLE: &str = "WL007";
/// A document that is none of ours.
pub(crate) const UNKNOWN_DOCUMENT: &str = "WL008";
/// Keys that exclude or need each other.
pub(crate) const CONFLICTING_KEYS: &str = "WL009";
/// A state that does not fit its application.
pub(crate) const STATE_DOES_NOT_FIT: &str = "WL010";
/// A plan that does not fit its application.
pub(crate) const PLAN_DOES_NOT_FIT: &str = "WL011";
/// A rule that says nothing sensible.
pub(crate) const BAD_RULE: &str = "WL012";
/// A topology that its rules do not allow.
pub(crate) const BAD_TOPOLOGY: &str = "WL013";

impl Language {
    /// Our own, `windlass.yaml`.
    pub const WINDLASS: Language = Language::new(&Windlass);
}

#[derive(Debug)]
struct Windlass;

impl Reader for Windlass {
    fn name(&self) -> &'static str {
        "windlass"
    }

    fn recognize_keys(&self, root: Node<'_>) -> Option<Kind> {
        detect(root)
    }

    fn read(&self, text: Text, context: &mut Context<'_>) -> Reading {
        let (tree, mut findings) = text.parse(context.sources, &tree::Options::default());
        let (application, goal) = read_document(&tree, &mut findings);
        diagnostic::sort(&mut findings);
        Reading { application, goal, findings, ..Reading::default() }
    }

    fn read_plan(
        &self,
        text: Text,
        context: &mut Context<'_>,
        findings: &mut Vec<Diagnostic>,
    ) -> Option<Plan> {
        let (tree, mut syntax) = text.parse(context.sources, &documents::tree_options());
        findings.append(&mut syntax);
        Some(read_plan(tree.root(), findings))
    }

    fn read_state(
        &self,
        root: Node<'_>,
        application: &Application,
        findings: &mut Vec<Diagnostic>,
    ) -> Option<GlobalState> {
        Some(read_state(root, application, findings))
    }
}

/// Which of our documents a text is, by the keys at its top.
pub(crate) fn detect(root: Node<'_>) -> Option<Kind> {
    let has = |key: &str| root.get(key).is_some();
    if has("windlass") || (has("types") && has("nodes")) {
        Some(Kind::Application)
    } else if root.get("plan").is_some_and(|plan| plan.get("actions").is_some()) {
        Some(Kind::Plan)
    } else if root.get("state").is_some_and(|state| state.get("instances").is_some()) {
        Some(Kind::State)
    } else if root.get("goal").is_some_and(Node::is_scalar) {
        Some(Kind::Goal)
    } else if root.get("topology").is_some_and(|it| it.get("nodes").is_some()) {
        Some(Kind::Topology)
    } else if root.get("rules").is_some_and(|it| it.get("behaviour").is_some()) {
        Some(Kind::Rules)
    } else {
        None
    }
}

/// Compares a text with the shape of one of our documents.
pub(crate) fn check_shape(kind: Kind, root: Node<'_>, findings: &mut Vec<Diagnostic>) {
    let record = match kind {
        Kind::Application => &grammar::APPLICATION,
        Kind::State => &grammar::STATE_FILE,
        Kind::Plan => &grammar::PLAN_FILE,
        Kind::Goal => &grammar::GOAL,
        Kind::Rules => &grammar::RULES_FILE,
        Kind::Topology => &grammar::TOPOLOGY_FILE,
    };
    shape::check(root, &shape::Shape::Record(record), findings);
}

/// Reads whichever of our documents a text is.
fn read_document(
    tree: &Tree,
    findings: &mut Vec<Diagnostic>,
) -> (Option<Application>, Option<GoalFile>) {
    let root = tree.root();
    match detect(root) {
        Some(Kind::Application) => return read_application(root, findings),
        Some(Kind::Plan) => {
            let plan = read_plan(root, findings);
            findings.extend(cyclic_order(&plan));
        }
        Some(Kind::Rules) => {
            read_rules(root, findings);
        }
        Some(Kind::Topology) => {
            read_topology(root, findings);
        }
        Some(kind) => check_shape(kind, root, findings),
        None if !tree.is_complete() => {}
        None => findings.push(
            Diagnostic::error(
                UNKNOWN_DOCUMENT,
                first_line(root),
                "this is no application, no state, no plan and no goal",
            )
            .help("an application starts with `windlass: 1` and has `types` and `nodes`"),
        ),
    }
    (None, None)
}

/// Reads an application and the goal that it declares. The application is there when the text has
/// no errors: half an application would make every later finding a follower.
pub(crate) fn read_application(
    root: Node<'_>,
    findings: &mut Vec<Diagnostic>,
) -> (Option<Application>, Option<GoalFile>) {
    let before = findings.len();
    check_shape(Kind::Application, root, findings);
    let application = lower::application(root, findings);
    let goal =
        root.get("goal").map(|node| goal_file::lower(node, &application, Ids::Later, findings));
    let is_doubtful = findings.len() > before || !root.tree().is_complete();
    let is_broken = is_doubtful || super::has_errors(findings);
    if is_broken { (None, None) } else { (Some(application), goal) }
}

/// Reads a list of durations: `NODE.TRANSITION` with how long it takes.
pub(crate) fn read_durations(
    root: Node<'_>,
    findings: &mut Vec<Diagnostic>,
) -> Vec<(String, Timing)> {
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

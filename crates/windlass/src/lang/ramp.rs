//! RAMP's JSON: the application, global state, plan and sequence of paper 004's own tool.
//!
//! The tool ignores keys that it does not know and ends with a stack trace where one is missing;
//! here every mistake is a finding at its place. Both spellings of the sorts of requirements are
//! read, and so are the keys of its older branch `v0` (`startingState`, `reqSort`,
//! `activeNodeInstances`, `planExecutableElements` and others).
//!
//! Reading order: `application.rs`, `state.rs`, `plan.rs`, `halves.rs` (plans of `v0`, which order
//! the start and the end of an operation), `print.rs` (the way back), `fields.rs` (how a key is
//! read).

mod application;
mod fields;
mod halves;
mod plan;
mod print;
mod state;

pub use plan::read_plan;
pub use print::{print, print_plan, print_state};
pub use state::read_state;

use super::language::{Context, Kind, Language, Reader, Text};
use super::{Reading, documents};
use crate::application::{Application, GlobalState};
use crate::diagnostic::{self, Diagnostic};
use crate::plan::Plan;
use crate::tree::{self, Node};

/// A name that nothing declares.
pub(crate) const UNKNOWN_NAME: &str = "RAMP001";
/// A value of the wrong type.
pub(crate) const WRONG_TYPE: &str = "RAMP002";
/// A key that must be there and is not.
pub(crate) const MISSING_KEY: &str = "RAMP003";
/// A list that is not there and reads as empty; RAMP ends with a stack trace.
pub(crate) const MISSING_LIST: &str = "RAMP004";
/// A value of the right type that means nothing.
pub(crate) const BAD_VALUE: &str = "RAMP005";
/// A capability or operation that is used and not listed; RAMP does not look.
pub(crate) const UNLISTED: &str = "RAMP006";
/// Something that is declared twice.
pub(crate) const DECLARED_TWICE: &str = "RAMP007";
/// A key that RAMP ignores.
pub(crate) const UNKNOWN_KEY: &str = "RAMP008";
/// A state that does not fit its application.
pub(crate) const STATE_DOES_NOT_FIT: &str = "RAMP009";
/// An order that only concerns the start or the end of an operation.
pub(crate) const HALF_AN_OPERATION: &str = "RAMP010";

impl Language {
    /// The JSON of RAMP, paper 004's tool.
    pub const RAMP: Language = Language::new(&Ramp);
}

#[derive(Debug)]
struct Ramp;

impl Reader for Ramp {
    fn name(&self) -> &'static str {
        "ramp"
    }

    fn recognize_keys(&self, root: Node<'_>) -> Option<Kind> {
        detect(root)
    }

    fn read(&self, text: Text, context: &mut Context<'_>) -> Reading {
        let (tree, mut findings) = text.parse(context.sources, &tree::Options::default());
        let root = tree.root();
        let application = match detect(root) {
            Some(Kind::State) => {
                check_state(root, &mut findings);
                None
            }
            Some(Kind::Plan) => {
                read_plan(root, &mut findings);
                None
            }
            // What is no document of RAMP is compared with the one that people most often mean.
            _ => read_application(root, &mut findings),
        };
        diagnostic::sort(&mut findings);
        Reading { application, findings, ..Reading::default() }
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

/// Which of RAMP's documents a text is, by the keys at its top: an application has `nodes`, each
/// with a `managementProtocol`; a state `activeInstances`, in `v0` `activeNodeInstances`; a plan
/// `actions`, in `v0` `planExecutableElements`. A sequence is the same file.
pub(crate) fn detect(root: Node<'_>) -> Option<Kind> {
    let has = |key: &str| root.get(key).is_some();
    let protocol = |node: Node<'_>| node.get("managementProtocol").is_some();
    let nodes = root.get("nodes").filter(|nodes| nodes.is_list());
    let described = nodes.is_some_and(|nodes| nodes.items().any(protocol));
    if described || (nodes.is_some() && has("piVersion")) {
        Some(Kind::Application)
    } else if has("activeInstances") || has("activeNodeInstances") {
        Some(Kind::State)
    } else if has("planExecutableElements") || has_actions(root) {
        Some(Kind::Plan)
    } else {
        None
    }
}

/// Whether there are actions that say `action`, or an empty plan and nothing else: other tools
/// have `actions` too.
fn has_actions(root: Node<'_>) -> bool {
    let Some(actions) = root.get("actions").filter(|actions| actions.is_mapping()) else {
        return false;
    };
    let ours = |name: &str| matches!(name, "actions" | "partialOrder");
    actions.entries().any(|entry| entry.value.get("action").is_some())
        || (actions.is_empty() && root.entries().all(|entry| ours(entry.name())))
}

/// Reads an application; it is there when the text has no errors.
pub(crate) fn read_application(
    root: Node<'_>,
    findings: &mut Vec<Diagnostic>,
) -> Option<Application> {
    let application = application::lower(root, findings);
    let broken = super::has_errors(findings) || !root.tree().is_complete();
    (!broken).then_some(application)
}

/// Looks at a state without its application: whether every key is there and of its type.
pub(crate) fn check_state(root: Node<'_>, findings: &mut Vec<Diagnostic>) {
    state::instances(root, findings);
    state::bindings(root, findings);
}

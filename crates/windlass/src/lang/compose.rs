//! Docker Compose, pinned to what Compose 2.40.3 accepts and means.
//!
//! [`load`] goes the way of Compose, in its order: each document is read, its variables replaced,
//! its `include` and `extends` followed, put over the documents before it (`merge`), freed of
//! doubles (`unicity`), and compared with the table of keys (`schema`). The result is checked
//! (`validate`) and decoded with its defaults (`read` into [`project`]); whether its parts fit
//! each other is asked by the rules. [`lower`] turns it into an application. Values keep their
//! places all the way.

mod application;
pub mod cast;
pub mod command;
pub mod dotenv;
mod extends;
pub(crate) mod graph;
mod include;
pub mod interpolate;
pub mod item;
mod load;
pub(crate) mod merge;
mod named_files;
mod normalize;
pub mod project;
mod read;
mod read_parts;
mod recognize;
pub(crate) mod schema;
pub mod short;
mod typed;
pub(crate) mod unicity;
pub(crate) mod validate;
mod waits;

pub use application::lower;
pub use load::{Loaded, load};
pub use project::Project;
pub use read::uses;
pub use recognize::{detect, resembles};
pub use waits::{EndlessWait, endless_waits};

use super::Reading;
use super::language::{
    Context, Kind, Language, Origin, Reach, Reader, Text, Unrecognized, reborrow,
};
use crate::diagnostic::{self, Diagnostic};
use crate::tree::Node;
use interpolate::Environment;

impl Language {
    /// Docker Compose.
    pub const COMPOSE: Language = Language::new(&Compose);
}

/// Names of the file of a project, in the order in which Compose looks for them.
pub const FILE_NAMES: &[&str] =
    &["compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"];

#[derive(Debug)]
struct Compose;

impl Reader for Compose {
    fn name(&self) -> &'static str {
        "compose"
    }

    fn recognize_keys(&self, root: Node<'_>) -> Option<Kind> {
        detect(root).then_some(Kind::Application)
    }

    /// A file with the name of a Compose file is one, however little its keys tell; so is one that
    /// was named and only lacks the right key at its top.
    fn guess(&self, text: Unrecognized<'_>) -> Option<Kind> {
        let is_compose = match text.origin {
            Origin::Alone | Origin::Packed => false,
            Origin::Found => FILE_NAMES.contains(&text.file_name()),
            Origin::Named => FILE_NAMES.contains(&text.file_name()) || resembles(text.root),
        };
        is_compose.then_some(Kind::Application)
    }

    fn reach(&self, _root: Option<Node<'_>>) -> Reach {
        Reach::CurrentFolder
    }

    fn read(&self, text: Text, context: &mut Context<'_>) -> Reading {
        let files = reborrow(&mut context.files);
        let loaded = load(text, &context.options.compose, context.sources, files);
        let check = |project| (context.rules.compose)(project, loaded.is_complete);
        let refused = loaded.project.as_ref().map(check).unwrap_or_default();
        let (project, mut findings) = loaded.judged(refused);
        diagnostic::sort(&mut findings);
        let sound = project.as_ref().filter(|_| !super::has_errors(&findings));
        let (application, goal) = sound.map(lower).unzip();
        let compose = project.map(Box::new);
        Reading { application, goal, compose, findings, ..Reading::default() }
    }
}

/// Findings on the way.
pub(crate) type Findings = Vec<Diagnostic>;

pub(crate) const SHAPE: &str = "COMPOSE001";
pub(crate) const BAD_TEMPLATE: &str = "COMPOSE002";
pub(crate) const BAD_CAST: &str = "COMPOSE003";
pub(crate) const BAD_SHORT_FORM: &str = "COMPOSE004";
pub(crate) const BAD_EXTENDS: &str = "COMPOSE005";
pub(crate) const BAD_INCLUDE: &str = "COMPOSE006";
pub(crate) const CONFLICT: &str = "COMPOSE009";
pub(crate) const NO_ENV_FILE: &str = "COMPOSE012";
pub(crate) const BAD_VALUE: &str = "COMPOSE013";
pub(crate) const UNSET_VARIABLE: &str = "COMPOSE015";
pub(crate) const OBSOLETE_KEY: &str = "COMPOSE016";
pub(crate) const CANNOT_MERGE: &str = "COMPOSE017";
pub(crate) const EMPTY: &str = "COMPOSE018";

/// A text with its name, read by the caller.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedText {
    /// What people call it.
    pub name: String,
    /// The content.
    pub text: String,
}

/// What stands beside the first file.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The variables of the surroundings.
    pub environment: Environment,
    /// Files given in place of `.env`; none means that `.env` beside the first file counts.
    pub env_files: Option<Vec<NamedText>>,
    /// Files that are put over the first, in order.
    pub overrides: Vec<NamedText>,
    /// The profiles that are switched on.
    pub profiles: Vec<String>,
    /// Services that were named: naming one switches its profiles on.
    pub services: Vec<String>,
    /// The name of the project, before any other.
    pub project_name: Option<String>,
    /// The folder of the first file, which names the project when nothing else does.
    pub folder: Option<String>,
}

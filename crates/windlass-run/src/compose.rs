//! From a Compose project to the requests of a Docker engine.
//!
//! `canon` spells a service out as Compose 2.40.3 does before it hashes it, so that containers
//! made here carry the labels that Compose would give them and a later `docker compose up` finds
//! nothing to change. `body` turns the same value into the request that makes the container.
//! [`requests`] is the list of all requests, by node of the application; `observed` says where a
//! project stands on an engine. Nothing here sends anything.

mod additions;
mod body;
mod build;
mod canon;
mod conflict;
mod describe;
mod event;
mod go_format;
mod health;
mod observed;
mod order;
mod refresh;
mod registry;
mod requests;
mod security;
mod special;
mod tables;
mod unsupported;
mod update;

pub(crate) use canon::digest;
pub use canon::hashes;
pub(crate) use conflict::{conflicts, held_ports};
pub(crate) use describe::describe;
pub use event::ProjectEvent;
pub(crate) use health::learn_checks;
pub use observed::{
    Observed, ProjectContainer, changed_volumes, containers, observe, observe_as_is,
};
pub use order::{arrange, arrange_one_by_one, optional_order, rolling_update};
pub(crate) use refresh::refresh;
pub(crate) use registry::Credentials;
pub use requests::{UnknownService, prune, requests, select, with_processes};
pub use unsupported::unsupported;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use windlass::lang::compose::item::Item;
use windlass::source::SourceId;

/// The version of Compose whose labels are written.
const VERSION: &str = "2.40.3";

/// What a project stands on.
#[derive(Debug, Clone, Default)]
pub struct ProjectContext {
    /// The folder of the first file: relative paths start here.
    pub folder: PathBuf,
    /// The files, as a label of every container names them.
    pub files: Vec<PathBuf>,
    /// The variables, those of `.env` included.
    pub environment: BTreeMap<String, String>,
    /// Where the paths of texts start that were included or extended.
    pub folders: BTreeMap<SourceId, PathBuf>,
}

impl ProjectContext {
    /// A path of the host, in full; it starts where the text stands in which it was written.
    pub(crate) fn path_of(&self, item: &Item) -> String {
        self.path_from(item, &item.plain())
    }

    /// A path that is a part of a value.
    pub(crate) fn path_from(&self, item: &Item, path: &str) -> String {
        self.below(self.folders.get(&item.span.source).unwrap_or(&self.folder), path)
    }

    /// A path that starts in the folder of the project.
    pub(crate) fn path(&self, path: &str) -> String {
        self.below(&self.folder, path)
    }

    /// One that is in full stays as it was written.
    fn below(&self, folder: &Path, path: &str) -> String {
        let path = match (path.strip_prefix('~'), self.environment.get("HOME")) {
            (Some(rest), Some(home)) => format!("{home}{rest}"),
            _ => path.to_owned(),
        };
        if Path::new(&path).is_absolute() {
            return path;
        }
        let mut out = PathBuf::new();
        for part in folder.join(Path::new(&path)).components() {
            match part {
                std::path::Component::CurDir => {}
                std::path::Component::ParentDir => {
                    out.pop();
                }
                other => out.push(other),
            }
        }
        out.display().to_string()
    }
}

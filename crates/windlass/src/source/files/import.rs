//! The files that are being imported right now: how a cycle is recognized.

use super::{FileError, ReadFile};
use crate::source::Span;

/// Imports inside each other that are allowed.
const MAX_DEPTH: usize = 64;

/// The chain of files from the one given by the user to the one being read.
#[derive(Debug, Clone, Default)]
pub(crate) struct ImportStack {
    open: Vec<Open>,
}

#[derive(Debug, Clone)]
struct Open {
    identity: String,
    name: String,
    imported_at: Option<Span>,
}

impl ImportStack {
    /// No file is being read.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Begins with a file that was imported at a place, or given by the user. Refuses one that is
    /// being read already, and one too deep in a chain; then [`ImportStack::leave`] must not be
    /// called for it.
    pub(crate) fn enter(
        &mut self,
        file: &ReadFile,
        imported_at: Option<Span>,
    ) -> Result<(), FileError> {
        if let Some(at) = self.open.iter().position(|open| open.identity == file.identity) {
            let cycle = &self.open[at..];
            return Err(FileError::ImportCycle {
                chain: cycle.iter().map(|open| open.name.clone()).collect(),
                imports: cycle[1..].iter().filter_map(|open| open.imported_at).collect(),
            });
        }
        if self.open.len() > MAX_DEPTH {
            return Err(FileError::TooDeep { name: file.name.clone(), limit: MAX_DEPTH });
        }
        self.open.push(Open {
            identity: file.identity.clone(),
            name: file.name.clone(),
            imported_at,
        });
        Ok(())
    }

    /// Ends the file that was begun last.
    pub(crate) fn leave(&mut self) {
        self.open.pop();
    }

    /// The names of the files that are being read, the user's first.
    #[cfg(test)]
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.open.iter().map(|open| open.name.as_str())
    }
}

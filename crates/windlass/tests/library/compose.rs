//! Docker Compose: loading, merging, lowering, proving and writing.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod alloy;
mod behavior;
mod decoded;
mod findings;
mod hostile;
mod loading;

use windlass::lang::compose::{NamedText, Options};
use windlass::lang::{self, Language, ReadOptions, Reading};
use windlass::source::Sources;
use windlass::source::files::{Limits, MemoryFiles};

/// A project of files in memory, the first of which is `compose.yaml`.
pub(crate) struct Read {
    pub(crate) sources: Sources,
    pub(crate) reading: Reading,
}

impl Read {
    /// `CODE file:line` of everything that the reader found.
    pub(crate) fn findings(&self) -> Vec<String> {
        let place = |finding: &windlass::diagnostic::Diagnostic| {
            let source = self.sources.get(finding.primary.source);
            let line = source.position(finding.primary.start).line;
            format!("{} {}:{line}", finding.code, source.name)
        };
        self.reading.findings.iter().map(place).collect()
    }

    /// The project, which must be there.
    pub(crate) fn project(&self) -> &lang::compose::Project {
        let found = self.findings();
        self.reading.compose.as_deref().unwrap_or_else(|| panic!("{found:?}"))
    }
}

/// Reads files with options.
pub(crate) fn read_with(files: &[(&str, &str)], mut options: Options) -> Read {
    let mut memory = MemoryFiles::new(Limits::default());
    for (name, text) in files {
        memory.insert(*name, *text);
    }
    options.folder.get_or_insert_with(|| "shop".to_owned());
    let mut sources = Sources::new();
    let root = sources.add("compose.yaml", files[0].1);
    let options = ReadOptions { compose: options, ..ReadOptions::default() };
    let language = Some(Language::COMPOSE);
    let reading =
        lang::read_in(language, root, "compose.yaml", &mut sources, &mut memory, &options);
    Read { sources, reading }
}

/// Reads files.
pub(crate) fn read(files: &[(&str, &str)]) -> Read {
    read_with(files, Options::default())
}

/// An override.
pub(crate) fn over(name: &str, text: &str) -> NamedText {
    NamedText { name: name.to_owned(), text: text.to_owned() }
}

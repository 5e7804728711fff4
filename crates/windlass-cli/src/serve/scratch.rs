//! A private folder for the texts of one request. It goes when the answer is there.

use std::path::PathBuf;

use tempfile::TempDir;

use super::ask::{Question, SECONDS};
use super::refusal::Refusal;
use super::requests::About;
use super::workspace::Workspace;

/// The texts of one request, as files.
pub(super) struct Scratch {
    folder: TempDir,
    /// Where the application is.
    pub(super) root: PathBuf,
    /// The name of the application there.
    pub(super) file: String,
}

impl Scratch {
    /// The application that a request is about: the opened file, or a copy with the text of the
    /// editor in its place.
    pub(super) fn new(workspace: &Workspace, about: &About) -> Result<Self, Refusal> {
        let made = tempfile::Builder::new().prefix("windlass-").tempdir();
        let folder = made.map_err(|error| Refusal::internal(&error))?;
        let file = workspace.document(&about.file)?.name.clone();
        let (root, file) = match &about.text {
            Some(text) => workspace.copy(folder.path(), &file, text)?,
            None => (workspace.root.clone(), file),
        };
        Ok(Scratch { folder, root, file })
    }

    /// A path for a file of the request.
    pub(super) fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// Writes a text that a command is to read, and gives its path.
    pub(super) fn put(&self, name: &str, text: &str) -> Result<String, Refusal> {
        let path = self.path(name);
        std::fs::write(&path, text).map_err(|error| Refusal::internal(&error))?;
        Ok(path)
    }

    /// A question whose words end with the application. What a request says is never a word of its
    /// own, so that it cannot be taken for an option.
    pub(super) fn question(&self, words: &[&str]) -> Asking<'_> {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        Asking { scratch: self, words, input: String::new() }
    }
}

/// A question in the making.
pub(super) struct Asking<'a> {
    scratch: &'a Scratch,
    words: Vec<String>,
    input: String,
}

impl Asking<'_> {
    /// With an option and its value, when there is one.
    pub(super) fn option(mut self, name: &str, value: Option<impl AsRef<str>>) -> Self {
        if let Some(value) = value {
            self.words.push(format!("{name}={}", value.as_ref()));
        }
        self
    }

    /// With a switch, when it is on.
    pub(super) fn switch(mut self, name: &str, is_on: bool) -> Self {
        if is_on {
            self.words.push(name.to_owned());
        }
        self
    }

    /// With a text that goes into a file of its own.
    pub(super) fn text(self, name: &str, text: Option<&String>) -> Result<Self, Refusal> {
        let file = format!("{}.yaml", name.trim_start_matches('-'));
        let path = text.map(|text| self.scratch.put(&file, text)).transpose()?;
        Ok(self.option(name, path))
    }

    /// With the limit of every search.
    pub(super) fn limited(self) -> Self {
        self.option("--time-limit", Some(SECONDS))
    }

    /// With lines for standard input.
    pub(super) fn input(mut self, input: String) -> Self {
        self.input = input;
        self
    }

    /// The question about the application.
    pub(super) fn about_file(self) -> Question {
        let file = self.scratch.file.clone();
        self.about(file)
    }

    /// The question about something else.
    pub(super) fn about(mut self, file: String) -> Question {
        self.words.push("--".to_owned());
        self.words.push(file);
        Question { folder: self.scratch.root.clone(), words: self.words, input: self.input }
    }
}

//! The files that are served: those that were opened, and what they import. No other file is read
//! or written, whatever a request says: names are looked up in a list, never put together.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;
use windlass::lang::{Kind, Origin};
use windlass::source::Sources;

use super::refusal::Refusal;
use crate::commands::check::inputs::{self, Input};
use crate::failure::Failure;
use crate::load::{Content, Loader};
use crate::{files, replace};

/// The opened files.
#[derive(Debug)]
pub(super) struct Workspace {
    /// The folder that names are relative to; the current folder of the server.
    pub(super) root: PathBuf,
    /// What was opened, relative to the root.
    opened: PathBuf,
    /// The files, by name.
    documents: BTreeMap<String, Document>,
}

/// One file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct Document {
    /// The name by which requests speak of it.
    pub(super) name: String,
    /// What it describes.
    pub(super) kind: What,
    /// The language it is in, where that is known.
    pub(super) language: Option<&'static str>,
    /// Whether it is a text that can be edited.
    pub(super) is_text: bool,
}

/// What a file describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum What {
    /// An application.
    Application,
    /// A state of one.
    State,
    /// A plan for one.
    Plan,
    /// Something else: a goal, a rule set, or what another file imports.
    Other,
}

/// The largest number of files that one folder shows.
const MOST: usize = 500;

impl Workspace {
    /// Opens a file or a folder, and makes its folder the current one.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let real = path.canonicalize().map_err(|error| Failure::file("read", path, &error))?;
        let (root, opened) = match real.parent() {
            Some(parent) if !real.is_dir() => {
                (parent.to_owned(), PathBuf::from(real.file_name().unwrap_or_default()))
            }
            _ => (real, PathBuf::from(".")),
        };
        std::env::set_current_dir(&root).map_err(|error| Failure::file("open", &root, &error))?;
        let mut workspace = Workspace { root, opened, documents: BTreeMap::new() };
        workspace.look();
        if workspace.documents.is_empty() {
            let message = format!("nothing to serve in `{}`", path.display());
            let help = "open a file in a known language, or a folder that holds some";
            return Err(Failure::usage(message).help(help));
        }
        Ok(workspace)
    }

    /// Looks which files there are now.
    pub(super) fn look(&mut self) {
        let (found, _) = inputs::collect(std::slice::from_ref(&self.opened));
        let mut documents = BTreeMap::new();
        for input in found.into_iter().take(MOST) {
            let (path, is_named) = match input {
                Input::Named(path) => (path, true),
                Input::Found(path) => (path, false),
                Input::Stdin | Input::Unpacked(_) => continue,
            };
            let (document, imports) = describe(&path);
            if is_named || document.kind != What::Other || document.language.is_some() {
                documents.insert(document.name.clone(), document);
            }
            for name in imports {
                let kind = What::Other;
                let other = Document { name: name.clone(), kind, language: None, is_text: true };
                documents.entry(name).or_insert(other);
            }
        }
        self.documents = documents;
    }

    /// The files, in the order of their names.
    pub(super) fn documents(&self) -> Vec<Document> {
        self.documents.values().cloned().collect()
    }

    /// The file with this name.
    pub(super) fn document(&self, name: &str) -> Result<&Document, Refusal> {
        let unknown = || Refusal::new(StatusCode::NOT_FOUND, "no such file is open");
        self.documents.get(name).ok_or_else(unknown)
    }

    /// The text of a file.
    pub(super) fn text(&self, name: &str) -> Result<String, Refusal> {
        let document = self.document(name)?;
        if !document.is_text {
            return Err(Refusal::bad("this file is an archive; convert it to edit it"));
        }
        let path = self.real(document)?;
        std::fs::read_to_string(path).map_err(|error| Refusal::internal(&error))
    }

    /// Replaces the text of a file as a whole, if it still is what the request says it was.
    pub(super) fn save(&self, name: &str, was: &str, text: &str) -> Result<(), Refusal> {
        if self.text(name)? != was {
            let message = "the file has changed on disk since it was opened; reload it first";
            return Err(Refusal::new(StatusCode::CONFLICT, message));
        }
        let path = self.real(self.document(name)?)?;
        replace::write(&path, text).map_err(|error| Refusal::internal(&error))
    }

    /// Where a file is; a link that leads out of the folder leads nowhere.
    fn real(&self, document: &Document) -> Result<PathBuf, Refusal> {
        let real = self.root.join(&document.name).canonicalize();
        match real {
            Ok(real) if real.starts_with(&self.root) => Ok(real),
            Ok(_) => Err(Refusal::new(StatusCode::FORBIDDEN, "the file is outside of the folder")),
            Err(error) => Err(Refusal::internal(&error)),
        }
    }

    /// Copies every text into a folder of its own, with another text for one of them. The name of
    /// the folder stays, because it is the name of a Compose project. Gives the folder and the name
    /// of the changed file there: what was imported from an archive is a text of our own language.
    pub(super) fn copy(
        &self,
        into: &Path,
        name: &str,
        text: &str,
    ) -> Result<(PathBuf, String), Refusal> {
        let document = self.document(name)?;
        let changed = if document.is_text { name } else { "imported.windlass.yaml" };
        let root = into.join(self.root.file_name().unwrap_or("root".as_ref()));
        let settings = ["windlass.toml", ".env"].map(String::from);
        let others = self.documents.values().filter(|other| other.is_text && other.name != name);
        for other in others.map(|other| &other.name).chain(&settings) {
            // What cannot be copied is missing in the copy as well, and the answer says so.
            if let Ok(content) = std::fs::read(self.root.join(other)) {
                write(&root.join(other), &content)?;
            }
        }
        write(&root.join(changed), text.as_bytes())?;
        Ok((root, changed.to_owned()))
    }
}

fn write(path: &Path, content: &[u8]) -> Result<(), Refusal> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(path, content))
        .map_err(|error| Refusal::internal(&error))
}

/// What a file is, and which others it imports.
fn describe(path: &Path) -> (Document, Vec<String>) {
    let name = path.display().to_string();
    if files::looks_like_archive(path) {
        let kind = What::Application;
        return (Document { name, kind, language: None, is_text: false }, Vec::new());
    }
    let other = Document { name: name.clone(), kind: What::Other, language: None, is_text: true };
    let (loader, mut sources) = (Loader::default(), Sources::new());
    let Ok(Content::Text(text)) = loader.open(path, None, Origin::Named, &mut sources) else {
        return (other, Vec::new());
    };
    let said = text.kind;
    let Ok((reading, imports)) = loader.read(text, path, &mut sources, true) else {
        return (other, Vec::new());
    };
    let language = reading.language.map(windlass::lang::Language::name);
    let kind = match said {
        Some(Kind::Application) => What::Application,
        Some(Kind::State) => What::State,
        Some(Kind::Plan) => What::Plan,
        None if language.is_some() => What::Application,
        Some(_) | None => What::Other,
    };
    let imports = imports.iter().map(|path| path.display().to_string()).collect();
    (Document { name, kind, language, is_text: true }, imports)
}

//! The repository as the chores see it: its root and its files, sorted, without what is built.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders that hold nothing written by hand.
const SKIPPED: &[&str] = &["target", ".git", "node_modules", "dist", "artifacts", ".windlass"];

/// One file with its path from the root, written with `/`.
#[derive(Debug, Clone)]
pub struct File {
    /// Path from the root of the repository.
    pub path: String,
    /// The whole text.
    pub text: String,
}

impl File {
    /// Whether the name ends with `.extension`.
    pub fn has_extension(&self, extension: &str) -> bool {
        Path::new(&self.path).extension().is_some_and(|found| found == extension)
    }
}

/// One thing that is wrong, at a place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Path from the root.
    pub path: String,
    /// Line from 1; 0 stands for the file as a whole.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl Finding {
    /// A finding at a line.
    pub fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Finding { path: path.to_owned(), line, message: message.into() }
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}: {}", self.path, self.line.max(1), self.message)
    }
}

/// The root of the repository.
#[derive(Debug, Clone)]
pub struct Repository {
    root: PathBuf,
}

impl Repository {
    /// Cargo says where the package is; its parent is the root.
    pub fn find() -> Result<Self, String> {
        let start = match std::env::var_os("CARGO_MANIFEST_DIR") {
            Some(package) => PathBuf::from(package),
            None => std::env::current_dir().map_err(|error| error.to_string())?,
        };
        start
            .ancestors()
            .find(|folder| folder.join("Cargo.lock").is_file())
            .map(|root| Repository { root: root.to_owned() })
            .ok_or_else(|| "no Cargo.lock in this folder or above it".to_owned())
    }

    /// A path below the root.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// Whether a file or folder is there.
    pub fn exists(&self, relative: &str) -> bool {
        self.path(relative).exists()
    }

    /// The text of a file.
    pub fn read(&self, relative: &str) -> Result<String, String> {
        fs::read_to_string(self.path(relative)).map_err(|error| format!("{relative}: {error}"))
    }

    /// Writes a file and the folders above it.
    pub fn write(&self, relative: &str, text: &str) -> Result<(), String> {
        let path = self.path(relative);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| format!("{relative}: {error}"))?;
        }
        fs::write(path, text).map_err(|error| format!("{relative}: {error}"))
    }

    /// Every text file below `folder` (empty: the root), sorted by path.
    pub fn files(&self, folder: &str) -> Result<Vec<File>, String> {
        let mut files = Vec::new();
        let mut open = vec![self.path(folder)];
        while let Some(folder) = open.pop() {
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            for entry in entries {
                let path = entry.map_err(|error| error.to_string())?.path();
                let skipped = path
                    .file_name()
                    .and_then(|name| name.to_str())
                    .is_none_or(|name| SKIPPED.contains(&name));
                if skipped || path.is_symlink() {
                    continue;
                }
                if path.is_dir() {
                    open.push(path);
                } else if let Ok(text) = fs::read_to_string(&path) {
                    files.push(File { path: self.relative(&path), text });
                }
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }

    fn relative(&self, path: &Path) -> String {
        let below = path.strip_prefix(&self.root).unwrap_or(path);
        below.to_string_lossy().replace('\\', "/")
    }
}

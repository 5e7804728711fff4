//! Why a file could not be read, in words for the person who named it.

use std::fmt;
use std::io::ErrorKind;

use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// Why a file cannot be read that exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnreadableReason {
    /// It is a folder.
    Folder,
    /// It is a pipe, a device or the like.
    Irregular,
    /// An entry of an archive that is no file.
    NoFile,
    /// An entry of an archive that is a link.
    LinkInArchive,
    /// The system refused.
    System(ErrorKind),
}

impl fmt::Display for UnreadableReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UnreadableReason::Folder => "it is a folder",
            UnreadableReason::Irregular => "it is not a regular file",
            UnreadableReason::NoFile => "it is not a file",
            UnreadableReason::LinkInArchive => "links in archives are not followed",
            UnreadableReason::System(kind) => return kind.fmt(f),
        })
    }
}

/// Why a file could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileError {
    /// There is no such file.
    Missing {
        /// The file.
        name: String,
    },
    /// The path leaves the root, directly or through a link.
    OutsideRoot {
        /// The path as it was written.
        path: String,
    },
    /// The file has more bytes than one file may have.
    TooLarge {
        /// The file.
        name: String,
        /// The bytes allowed.
        limit: u64,
    },
    /// One more file would be too many.
    TooManyFiles {
        /// The file.
        name: String,
        /// The files allowed.
        limit: usize,
    },
    /// All files together have too many bytes.
    TooManyBytes {
        /// The file.
        name: String,
        /// The bytes allowed.
        limit: u64,
    },
    /// Files import each other in a chain that is too long.
    TooDeep {
        /// The file.
        name: String,
        /// The imports allowed inside each other.
        limit: usize,
    },
    /// The content is not UTF-8.
    NotUtf8 {
        /// The file.
        name: String,
        /// The first byte that is wrong.
        offset: usize,
        /// The encoding that it seems to be.
        encoding: Option<&'static str>,
    },
    /// The file is being imported already.
    ImportCycle {
        /// The files from the one that is imported again to the one that imports it again.
        chain: Vec<String>,
        /// Where each of them but the first was imported.
        imports: Vec<Span>,
    },
    /// The archive cannot be read.
    BrokenArchive {
        /// The archive, or the entry in it.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The archive unpacks to too much.
    ArchiveBomb {
        /// The archive, or the entry in it.
        name: String,
        /// What there is too much of, with the limit.
        reason: String,
    },
    /// The archive has an entry whose name leaves it.
    UnsafeName {
        /// The archive.
        name: String,
        /// The entry.
        entry: String,
    },
    /// The archive does not say with which of its files it begins.
    SeveralEntries {
        /// The files.
        entries: Vec<String>,
    },
    /// The file exists and cannot be read.
    Unreadable {
        /// The file.
        name: String,
        /// Why.
        reason: UnreadableReason,
    },
    /// The path is an address on the network.
    Remote {
        /// The address.
        path: String,
    },
    /// The path could name no file on any system.
    BadPath {
        /// The path as it was written.
        path: String,
        /// What is wrong with it.
        reason: &'static str,
    },
}

impl FileError {
    /// The code of the finding.
    pub fn code(&self) -> &'static str {
        match self {
            FileError::Missing { .. } | FileError::BadPath { .. } => "FILE001",
            FileError::OutsideRoot { .. } => "FILE002",
            FileError::TooLarge { .. } => "FILE003",
            FileError::TooManyFiles { .. }
            | FileError::TooManyBytes { .. }
            | FileError::TooDeep { .. } => "FILE004",
            FileError::NotUtf8 { .. } => "FILE005",
            FileError::ImportCycle { .. } => "FILE006",
            FileError::BrokenArchive { .. } => "FILE007",
            FileError::ArchiveBomb { .. } => "FILE008",
            FileError::UnsafeName { .. } => "FILE009",
            FileError::Unreadable { .. } => "FILE010",
            FileError::Remote { .. } => "FILE011",
            FileError::SeveralEntries { .. } => "FILE012",
        }
    }

    /// Whether a limit on everything that is read together is used up.
    pub fn is_limit(&self) -> bool {
        matches!(
            self,
            FileError::TooManyFiles { .. }
                | FileError::TooManyBytes { .. }
                | FileError::TooDeep { .. }
                | FileError::ArchiveBomb { .. }
        )
    }

    /// What to do about it.
    pub(crate) fn help(&self) -> &'static str {
        match self {
            FileError::Missing { .. } => {
                "paths are relative to the file that names them, with `/` between folders"
            }
            FileError::OutsideRoot { .. } => {
                "move the file below the folder of the description that is checked"
            }
            FileError::NotUtf8 { .. } => "save the file as UTF-8",
            FileError::ImportCycle { .. } => {
                "move what the files share into a file that imports neither"
            }
            FileError::Remote { .. } => "keep a copy beside the description; nothing is fetched",
            FileError::SeveralEntries { .. } => {
                "write `Entry-Definitions: FILE` in TOSCA-Metadata/TOSCA.meta"
            }
            FileError::UnsafeName { .. } | FileError::BrokenArchive { .. } => {
                "make the archive again from its folder"
            }
            FileError::ArchiveBomb { .. } => "unpack it, and name the folder",
            FileError::TooLarge { .. } => {
                "no description is that large: name another file, or split it"
            }
            FileError::TooManyFiles { .. } | FileError::TooManyBytes { .. } => {
                "look at parts of it, one after the other"
            }
            FileError::TooDeep { .. } => "let files import each other in fewer steps",
            FileError::Unreadable { reason, .. } => match reason {
                UnreadableReason::Folder => "name a file in it",
                UnreadableReason::System(ErrorKind::PermissionDenied) => {
                    "give yourself the right to read it"
                }
                _ => "name a regular file that can be read",
            },
            FileError::BadPath { .. } => "name a file, with `/` between folders",
        }
    }

    /// The finding, at the place that names the file.
    pub fn diagnostic(&self, at: Span) -> Diagnostic {
        let mut finding = Diagnostic::error(self.code(), at, self.to_string());
        finding.help = Some(self.help().to_owned());
        if let FileError::ImportCycle { chain, imports } = self {
            for (name, span) in chain.iter().skip(1).zip(imports) {
                finding = finding.label(*span, format!("`{name}` is imported here"));
            }
        }
        finding
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::Missing { name } => write!(f, "there is no file `{name}`"),
            FileError::OutsideRoot { path } => {
                write!(f, "`{path}` leads out of the folder that may be read")
            }
            FileError::TooLarge { name, limit } => {
                write!(f, "`{name}` has more than {limit} bytes")
            }
            FileError::TooManyFiles { name, limit } => {
                write!(f, "`{name}` is not read because {limit} files were read already")
            }
            FileError::TooManyBytes { name, limit } => {
                write!(f, "with `{name}` all files together have more than {limit} bytes")
            }
            FileError::TooDeep { name, limit } => {
                write!(f, "`{name}` is imported through more than {limit} other files")
            }
            FileError::NotUtf8 { name, offset, encoding: None } => {
                write!(f, "`{name}` is not UTF-8: byte {offset} is wrong")
            }
            FileError::NotUtf8 { name, encoding: Some(encoding), .. } => {
                write!(f, "`{name}` is {encoding}, not UTF-8")
            }
            FileError::ImportCycle { chain, .. } => match chain.as_slice() {
                [only] => write!(f, "`{only}` imports itself"),
                [first, rest @ ..] => {
                    write!(f, "`{first}` imports itself, through `{}`", rest.join("` and `"))
                }
                [] => write!(f, "a file imports itself"),
            },
            FileError::BrokenArchive { name, reason } => {
                write!(f, "the archive `{name}` cannot be read: {reason}")
            }
            FileError::ArchiveBomb { name, reason } => {
                write!(f, "the archive `{name}` has {reason}")
            }
            FileError::UnsafeName { name, entry } => {
                write!(f, "the archive `{name}` has an entry that leads out of it: `{entry}`")
            }
            FileError::SeveralEntries { entries } => write!(
                f,
                "the archive does not say with which file it begins: `{}`",
                entries.join("` or `")
            ),
            FileError::Unreadable { name, reason } => {
                write!(f, "`{name}` cannot be read: {reason}")
            }
            FileError::Remote { path } => write!(f, "`{path}` is an address on the network"),
            FileError::BadPath { path, reason } => {
                write!(f, "`{path}` is not the path of a file: {reason}")
            }
        }
    }
}

impl std::error::Error for FileError {}

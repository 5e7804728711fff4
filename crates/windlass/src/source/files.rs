//! Files that a description names: how every reader gets at them.
//!
//! The library does no I/O. A reader that meets an import asks [`Files`] for it; the forms that
//! read a disk or an archive live in the command line, the form in memory is here. All of them
//! keep the same law: a path is relative to the file that names it and never leaves the root,
//! limits hold for bytes and for files, every file read is recorded, and nothing is fetched.

mod error;
mod import;
mod memory;
mod path;

pub use error::{FileError, UnreadableReason};
pub(crate) use import::ImportStack;
pub use memory::MemoryFiles;
pub use path::{check as check_path, resolve};

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadFile {
    /// The name for people, and `from` for the files that this one names.
    pub name: String,
    /// The same for two names of one file, e.g. through a link; what cycles are recognized by.
    pub identity: String,
    /// The content.
    pub text: String,
}

/// Where a reader gets the files that a description names.
pub trait Files {
    /// Reads `path` as it is written in the file `from`; without `from` it is relative to the
    /// root.
    fn read(&mut self, from: Option<&str>, path: &str) -> Result<ReadFile, FileError>;

    /// Whether `path`, as written in `from`, is a file that could be read; its content is not
    /// looked at. For artifacts that must exist.
    fn exists(&mut self, from: Option<&str>, path: &str) -> Result<(), FileError>;

    /// What a file is recognized by, as [`ReadFile::identity`] says it. The file is not read.
    fn identity(&mut self, from: Option<&str>, path: &str) -> Result<String, FileError>;

    /// The names of all files that may be read, in order, when they are known without
    /// searching a disk: those of an archive or in memory.
    fn names(&self) -> Vec<String>;

    /// The bytes of a file by its path from the root, whatever is in it.
    fn bytes(&mut self, path: &str) -> Result<Vec<u8>, FileError> {
        self.read(None, path).map(|file| file.text.into_bytes())
    }

    /// The file with which the archive at `path`, as written in `from`, begins; none when this form
    /// does not look into archives. What that file names is read from there.
    fn archive(&mut self, _from: Option<&str>, _path: &str) -> Result<Option<ReadFile>, FileError> {
        Ok(None)
    }

    /// The names of the files in the folder of the file `from`, in order, to look for a
    /// file by what it says; they are written as `from` would write them. Forms that know all
    /// their [`Files::names`] have none.
    fn neighbors(&self, _from: &str) -> Vec<String> {
        Vec::new()
    }

    /// What was read so far.
    fn record(&self) -> &Record;
}

/// How much may be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one file.
    pub file_bytes: u64,
    /// Bytes of all files together.
    pub total_bytes: u64,
    /// Files, each counted as often as it is asked for.
    pub files: usize,
    /// Entries of an archive.
    pub archive_entries: usize,
    /// Bytes to which an archive may unpack when all of it has to be unpacked.
    pub archive_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            file_bytes: 64 << 20,
            total_bytes: 256 << 20,
            files: 10_000,
            archive_entries: 100_000,
            archive_bytes: 512 << 20,
        }
    }
}

/// What was read so far, counted against the limits.
#[derive(Debug, Clone, Default)]
pub struct Record {
    limits: Limits,
    names: Vec<String>,
    bytes: u64,
}

impl Record {
    /// Nothing read yet.
    pub fn new(limits: Limits) -> Self {
        Record { limits, names: Vec::new(), bytes: 0 }
    }

    /// The limits.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The names of the files read, in the order of reading; a file asked for twice appears twice.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The bytes of the files read.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many bytes the next file may have, or why there can be no next file.
    pub fn allowance(&self, name: &str) -> Result<u64, FileError> {
        if self.names.len() >= self.limits.files {
            return Err(FileError::TooManyFiles {
                name: name.to_owned(),
                limit: self.limits.files,
            });
        }
        Ok(self.limits.file_bytes.min(self.limits.total_bytes.saturating_sub(self.bytes)))
    }

    /// Records a file whose bytes were read, at most one more than [`Record::allowance`], and
    /// gives its text.
    pub fn admit(&mut self, name: &str, bytes: Vec<u8>) -> Result<String, FileError> {
        let bytes = self.admit_bytes(name, bytes)?;
        decode(name, bytes)
    }

    /// The same for a file that may be no text.
    pub fn admit_bytes(&mut self, name: &str, bytes: Vec<u8>) -> Result<Vec<u8>, FileError> {
        let allowance = self.allowance(name)?;
        let length = bytes.len() as u64;
        let name = name.to_owned();
        if length > self.limits.file_bytes {
            return Err(FileError::TooLarge { name, limit: self.limits.file_bytes });
        }
        if length > allowance {
            return Err(FileError::TooManyBytes { name, limit: self.limits.total_bytes });
        }
        self.bytes += length;
        self.names.push(name);
        Ok(bytes)
    }
}

/// The text of a file that must be UTF-8.
pub fn decode(name: &str, bytes: Vec<u8>) -> Result<String, FileError> {
    String::from_utf8(bytes).map_err(|error| {
        let encoding = match error.as_bytes() {
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some("UTF-16"),
            _ => None,
        };
        let offset = error.utf8_error().valid_up_to();
        FileError::NotUtf8 { name: name.to_owned(), offset, encoding }
    })
}

#[cfg(test)]
mod tests;

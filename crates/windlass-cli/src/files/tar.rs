//! Files of a tar archive, packed or not. It has no list of entries, so all of it is read once.

use std::collections::BTreeMap;
use std::io::{self, Read};

use windlass::source::files::{FileError, Files, Limits, ReadFile, Record};

use super::FileCache;
use super::archive::{Names, entry_name, is_root, not_a_file, too_many_entries, twice};

/// The files of a tar archive.
pub(crate) struct TarFiles {
    entries: BTreeMap<String, Entry>,
    shown: String,
    names: Names,
    record: Record,
    cache: FileCache,
}

#[derive(Debug)]
enum Entry {
    File(Vec<u8>),
    /// A file with more bytes than one file may have.
    LargeFile,
    /// A file that came when the archive had used up the bytes of all files.
    DroppedFile,
    Link,
    Other,
}

impl TarFiles {
    /// Reads an archive. Refuses one that unpacks to too much, has too many entries, two with one
    /// name, or one that leads out of it. Files over the limits are known and not kept.
    pub(crate) fn open(
        reader: impl Read,
        shown: &str,
        limits: Limits,
        cache: &FileCache,
    ) -> Result<Self, FileError> {
        let limited = Limited { inner: reader, left: limits.archive_bytes };
        let mut archive = tar::Archive::new(limited);
        let wrong = |error: io::Error| broken(shown, limits, &error);
        let mut entries = BTreeMap::new();
        let mut kept = 0;
        for entry in archive.entries().map_err(wrong)? {
            let mut entry = entry.map_err(wrong)?;
            let raw = entry.path_bytes().into_owned();
            if is_root(&raw) {
                continue;
            }
            let name = entry_name(shown, &raw)?;
            if entries.len() >= limits.archive_entries {
                return Err(too_many_entries(shown, limits.archive_entries));
            }
            let content = match entry.header().entry_type() {
                tar::EntryType::Regular | tar::EntryType::Continuous => {
                    let allowed = limits.file_bytes.min(limits.total_bytes - kept);
                    read_file(&mut entry, allowed, limits).map_err(wrong)?
                }
                tar::EntryType::Link | tar::EntryType::Symlink => Entry::Link,
                _ => Entry::Other,
            };
            if let Entry::File(bytes) = &content {
                kept += bytes.len() as u64;
            }
            if entries.insert(name.clone(), content).is_some() {
                return Err(twice(shown, &name));
            }
        }
        let record = Record::new(limits);
        let (shown, names, cache) = (shown.to_owned(), Names::new(shown), cache.clone());
        Ok(TarFiles { entries, shown, names, record, cache })
    }

    fn locate(&self, from: Option<&str>, path: &str) -> Result<(String, &Entry), FileError> {
        let name = self.names.resolve(from, path)?;
        let shown = self.names.shown(&name);
        match self.entries.get(&name) {
            Some(Entry::Link) => Err(not_a_file(shown, true)),
            Some(Entry::Other) => Err(not_a_file(shown, false)),
            Some(entry) => Ok((shown, entry)),
            None => Err(FileError::Missing { name: shown }),
        }
    }
}

impl TarFiles {
    fn unpacked(&self, from: Option<&str>, path: &str) -> Result<(String, Vec<u8>), FileError> {
        let (name, entry) = self.locate(from, path)?;
        let limits = self.record.limits();
        match entry {
            Entry::File(bytes) => Ok((name, bytes.clone())),
            Entry::LargeFile => {
                let limit = limits.file_bytes;
                let reason = format!("an entry that unpacks to more than {limit} bytes: `{name}`");
                Err(FileError::ArchiveBomb { name: self.shown.clone(), reason })
            }
            _ => Err(FileError::TooManyBytes { name, limit: limits.total_bytes }),
        }
    }
}

impl Files for TarFiles {
    fn read(&mut self, from: Option<&str>, path: &str) -> Result<ReadFile, FileError> {
        let (name, bytes) = self.unpacked(from, path)?;
        let allowance = self.record.allowance(&name)?;
        let bytes = self.cache.read(&name, &name, allowance, || Ok::<_, FileError>(bytes))?;
        let text = self.record.admit(&name, bytes)?;
        Ok(ReadFile { identity: name.clone(), name, text })
    }

    fn identity(&mut self, from: Option<&str>, path: &str) -> Result<String, FileError> {
        self.locate(from, path).map(|(name, _)| name)
    }

    fn bytes(&mut self, path: &str) -> Result<Vec<u8>, FileError> {
        let (name, bytes) = self.unpacked(None, path)?;
        self.record.admit_bytes(&name, bytes)
    }

    fn exists(&mut self, from: Option<&str>, path: &str) -> Result<(), FileError> {
        self.locate(from, path).map(|_| ())
    }

    fn names(&self) -> Vec<String> {
        let is_file = |entry: &Entry| !matches!(entry, Entry::Link | Entry::Other);
        let files = self.entries.iter().filter(|(_, entry)| is_file(entry));
        files.map(|(name, _)| name.clone()).collect()
    }

    fn record(&self) -> &Record {
        &self.record
    }
}

fn read_file(entry: &mut impl Read, allowed: u64, limits: Limits) -> io::Result<Entry> {
    let mut bytes = Vec::new();
    entry.take(allowed.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(match bytes.len() as u64 {
        length if length <= allowed => Entry::File(bytes),
        length if length > limits.file_bytes => Entry::LargeFile,
        _ => Entry::DroppedFile,
    })
}

/// A reader that fails instead of giving more than its share.
struct Limited<R> {
    inner: R,
    left: u64,
}

/// How [`Limited`] fails.
const TOO_MUCH: io::ErrorKind = io::ErrorKind::QuotaExceeded;

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.left = self.left.checked_sub(count as u64).ok_or(TOO_MUCH)?;
        Ok(count)
    }
}

fn broken(shown: &str, limits: Limits, error: &io::Error) -> FileError {
    let name = shown.to_owned();
    if is_too_much(error) {
        let reason = format!("more than {} bytes when it is unpacked", limits.archive_bytes);
        return FileError::ArchiveBomb { name, reason };
    }
    FileError::BrokenArchive { name, reason: error.to_string().to_lowercase() }
}

/// The archive reader wraps errors in errors of its own.
fn is_too_much(error: &io::Error) -> bool {
    if error.kind() == TOO_MUCH {
        return true;
    }
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        if inner.downcast_ref::<io::Error>().is_some_and(|inner| inner.kind() == TOO_MUCH) {
            return true;
        }
        source = inner.source();
    }
    false
}

//! Files of a zip archive, such as a CSAR. Entries are unpacked when they are read.

use std::collections::BTreeMap;
use std::io::{Read, Seek};

use windlass::source::files::{FileError, Files, Limits, ReadFile, Record};
use zip::read::Config;
use zip::result::ZipError;
use zip::unstable::read::ZipIterable;

use super::FileCache;
use super::archive::{Names, entry_name, is_root, not_a_file, too_many_entries, twice};

/// Texts are packed to a tenth of their size, seldom to a twentieth; an entry that unpacks to more
/// than so many times its size holds nothing for people.
const MOST_TIMES: u64 = 100;
/// As many bytes may unpack from anything.
const SMALL: u64 = 4 << 20;

/// The files of a zip archive.
pub(crate) struct ZipFiles<R> {
    archive: zip::ZipArchive<R>,
    entries: BTreeMap<String, Entry>,
    shown: String,
    names: Names,
    record: Record,
    cache: FileCache,
}

#[derive(Debug, Clone, Copy)]
enum Entry {
    File(usize),
    Folder,
    Link,
}

impl<R: Read + Seek> ZipFiles<R> {
    /// Reads the list of entries. Refuses an archive that has too many of them, two with one
    /// name, one that leads out of it, or an encrypted one.
    pub(crate) fn open(
        mut reader: R,
        shown: &str,
        limits: Limits,
        cache: &FileCache,
    ) -> Result<Self, FileError> {
        let wrong = |error: ZipError| broken(shown, &error);
        let listed = ZipIterable::try_new(&mut reader, Config::default()).map_err(wrong)?.len();
        if listed > limits.archive_entries {
            return Err(too_many_entries(shown, limits.archive_entries));
        }
        let mut archive = zip::ZipArchive::new(reader).map_err(wrong)?;
        let mut entries = BTreeMap::new();
        for index in 0..archive.len() {
            let entry = archive.by_index_raw(index).map_err(wrong)?;
            if is_root(entry.name_raw()) {
                continue;
            }
            let name = entry_name(shown, entry.name().map_err(wrong)?.as_bytes())?;
            if entry.encrypted() {
                let reason = format!("its entry `{name}` is encrypted");
                return Err(FileError::BrokenArchive { name: shown.to_owned(), reason });
            }
            let kind = match (entry.is_symlink(), entry.is_dir()) {
                (true, _) => Entry::Link,
                (false, true) => Entry::Folder,
                (false, false) => Entry::File(index),
            };
            if entries.insert(name.clone(), kind).is_some() {
                return Err(twice(shown, &name));
            }
        }
        if archive.has_duplicate_names() {
            let reason = "it has two entries with one name".to_owned();
            return Err(FileError::BrokenArchive { name: shown.to_owned(), reason });
        }
        let record = Record::new(limits);
        let (shown, names) = (shown.to_owned(), Names::new(shown));
        Ok(ZipFiles { archive, entries, shown, names, record, cache: cache.clone() })
    }

    fn locate(&self, from: Option<&str>, path: &str) -> Result<(String, usize), FileError> {
        let name = self.names.resolve(from, path)?;
        let shown = self.names.shown(&name);
        match self.entries.get(&name) {
            Some(Entry::File(index)) => Ok((shown, *index)),
            Some(Entry::Link) => Err(not_a_file(shown, true)),
            Some(Entry::Folder) => Err(not_a_file(shown, false)),
            None => Err(FileError::Missing { name: shown }),
        }
    }
}

impl<R: Read + Seek> ZipFiles<R> {
    /// The bytes of an entry, at most one more than are allowed.
    fn unpacked(&mut self, name: &str, index: usize, allowance: u64) -> Result<Vec<u8>, FileError> {
        let limit = self.record.limits().file_bytes;
        let options = zip::read::ZipReadOptions::new().enforce_header_consistency(true);
        let shown = &self.shown;
        let entry = self
            .archive
            .by_index_with_options(index, options)
            .map_err(|error| broken(shown, &error))?;
        let believable = SMALL.max(entry.compressed_size().saturating_mul(MOST_TIMES));
        let mut bytes = Vec::new();
        entry
            .take(allowance.min(believable).saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|error| broken(shown, &ZipError::Io(error)))?;
        if bytes.len() as u64 > believable {
            let reason =
                format!("an entry that unpacks to more than {MOST_TIMES} times its size: `{name}`");
            return Err(FileError::ArchiveBomb { name: shown.clone(), reason });
        }
        if bytes.len() as u64 > limit {
            let reason = format!("an entry that unpacks to more than {limit} bytes: `{name}`");
            return Err(FileError::ArchiveBomb { name: shown.clone(), reason });
        }
        Ok(bytes)
    }
}

impl<R: Read + Seek> Files for ZipFiles<R> {
    fn read(&mut self, from: Option<&str>, path: &str) -> Result<ReadFile, FileError> {
        let (name, index) = self.locate(from, path)?;
        let allowance = self.record.allowance(&name)?;
        let cache = self.cache.clone();
        let unpack = || self.unpacked(&name, index, allowance);
        let bytes = cache.read(&name, &name, allowance, unpack)?;
        let text = self.record.admit(&name, bytes)?;
        Ok(ReadFile { identity: name.clone(), name, text })
    }

    fn identity(&mut self, from: Option<&str>, path: &str) -> Result<String, FileError> {
        self.locate(from, path).map(|(name, _)| name)
    }

    fn bytes(&mut self, path: &str) -> Result<Vec<u8>, FileError> {
        let (name, index) = self.locate(None, path)?;
        let allowance = self.record.allowance(&name)?;
        let bytes = self.unpacked(&name, index, allowance)?;
        self.record.admit_bytes(&name, bytes)
    }

    fn exists(&mut self, from: Option<&str>, path: &str) -> Result<(), FileError> {
        self.locate(from, path).map(|_| ())
    }

    fn names(&self) -> Vec<String> {
        let is_file = |entry: &Entry| matches!(entry, Entry::File(_));
        let files = self.entries.iter().filter(|(_, entry)| is_file(entry));
        files.map(|(name, _)| name.clone()).collect()
    }

    fn record(&self) -> &Record {
        &self.record
    }
}

/// Why an archive is broken, without the words of the crate that reads it.
fn broken(shown: &str, error: &ZipError) -> FileError {
    let words = error.to_string().to_lowercase();
    let reason = if words.contains("unexpected end") || words.contains("eocd") {
        "it ends too early; was it cut off?".to_owned()
    } else if words.contains("::") {
        "its list of entries is damaged".to_owned()
    } else {
        words
    };
    FileError::BrokenArchive { name: shown.to_owned(), reason }
}

//! Files in memory: for tests, and for texts that never were on a disk.

use std::collections::BTreeMap;

use super::{FileError, Files, Limits, ReadFile, Record, resolve};

/// Files in memory, by their names within the root.
#[derive(Debug, Clone, Default)]
pub struct MemoryFiles {
    files: BTreeMap<String, Vec<u8>>,
    record: Record,
}

impl MemoryFiles {
    /// No files.
    pub fn new(limits: Limits) -> Self {
        MemoryFiles { files: BTreeMap::new(), record: Record::new(limits) }
    }

    /// With one more file.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        self.insert(name, content);
        self
    }

    /// Adds or replaces a file.
    pub fn insert(&mut self, name: impl Into<String>, content: impl Into<Vec<u8>>) {
        self.files.insert(name.into(), content.into());
    }
}

impl Files for MemoryFiles {
    fn read(&mut self, from: Option<&str>, path: &str) -> Result<ReadFile, FileError> {
        let name = resolve(from, path)?;
        let allowance = self.record.allowance(&name)?;
        let Some(content) = self.files.get(&name) else { return Err(FileError::Missing { name }) };
        let length = content.len().min(usize::try_from(allowance).unwrap_or(usize::MAX) + 1);
        let text = self.record.admit(&name, content[..length].to_vec())?;
        Ok(ReadFile { identity: name.clone(), name, text })
    }

    fn identity(&mut self, from: Option<&str>, path: &str) -> Result<String, FileError> {
        self.exists(from, path)?;
        resolve(from, path)
    }

    fn exists(&mut self, from: Option<&str>, path: &str) -> Result<(), FileError> {
        let name = resolve(from, path)?;
        if self.files.contains_key(&name) { Ok(()) } else { Err(FileError::Missing { name }) }
    }

    fn names(&self) -> Vec<String> {
        self.files.keys().cloned().collect()
    }

    fn record(&self) -> &Record {
        &self.record
    }
}

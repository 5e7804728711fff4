//! What one command has read: a file that is asked for again is not read again.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use windlass::source::ReadLog;

/// The contents of files by what they are recognized by, and how often each was read. A clone is
/// the same cache.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileCache {
    log: ReadLog,
    contents: Rc<RefCell<BTreeMap<String, Rc<[u8]>>>>,
}

impl FileCache {
    /// Nothing read yet; what is read is counted in the same log.
    pub(crate) fn emptied(&self) -> Self {
        FileCache { log: self.log.clone(), ..Self::default() }
    }

    /// What was read from a file, if it was.
    pub(crate) fn get(&self, identity: &str) -> Option<Vec<u8>> {
        self.contents.borrow().get(identity).map(|known| known.to_vec())
    }

    /// Something that stands for the content of a file.
    pub(crate) fn put(&self, identity: &str, content: &[u8]) {
        self.contents.borrow_mut().insert(identity.to_owned(), content.into());
    }

    /// How often files were read.
    pub(crate) fn log(&self) -> &ReadLog {
        &self.log
    }

    /// The content of a file that people call `name`. `read` gives it the first time, and may end
    /// behind `limit`; then there is more, and nothing is kept.
    pub(crate) fn read<E>(
        &self,
        identity: &str,
        name: &str,
        limit: u64,
        read: impl FnOnce() -> Result<Vec<u8>, E>,
    ) -> Result<Vec<u8>, E> {
        if let Some(known) = self.get(identity) {
            return Ok(known);
        }
        let bytes = read()?;
        self.log.note_read(name);
        if bytes.len() as u64 <= limit {
            self.put(identity, &bytes);
        }
        Ok(bytes)
    }
}

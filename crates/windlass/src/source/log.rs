//! How often each text was read and parsed. A command reads a file once and parses it once; who
//! wants to see that hands a log in and looks at it afterwards.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Counts by the names of texts. A clone counts into the same log.
#[derive(Debug, Clone, Default)]
pub struct ReadLog(Arc<Mutex<Counts>>);

#[derive(Debug, Default)]
struct Counts {
    reads: BTreeMap<String, usize>,
    parses: BTreeMap<String, usize>,
}

impl ReadLog {
    /// The content of a file was read.
    pub fn note_read(&self, name: &str) {
        *self.counts().reads.entry(name.to_owned()).or_default() += 1;
    }

    /// A text was parsed.
    pub fn note_parse(&self, name: &str) {
        *self.counts().parses.entry(name.to_owned()).or_default() += 1;
    }

    /// How often each file was read.
    pub fn reads(&self) -> BTreeMap<String, usize> {
        self.counts().reads.clone()
    }

    /// How often each text was parsed.
    pub fn parses(&self) -> BTreeMap<String, usize> {
        self.counts().parses.clone()
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

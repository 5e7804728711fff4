//! What was decided last, before it is in the tables: a file beside them with one line for each
//! commit.
//!
//! A commit is one write to this file; the same in the tables takes a dozen calls of the system.
//! One that has to survive the machine ([`Safety::PowerLoss`]) waits until the file, with all that
//! was written to it before, is on the disk. Lines that are in the tables already count for
//! nothing, so that nothing is lost or doubled when the engine dies between putting them there and
//! the clearing of this file.
//!
//! The file is longer than its lines: zeros stand where the next ones will. Whoever waits for a
//! line to reach the disk waits for that alone, and not for the new length of the file, which is
//! written elsewhere.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{JournalError, Safety};
use crate::entry::{Entry, Record};

/// A file larger than this is put into the tables.
const MOST: u64 = 1 << 20;
/// So many zeros are written when there is no room for a line.
const ROOM: usize = 1 << 16;

/// An entry on its way into the tables.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) run: u64,
    pub(super) seq: u64,
    pub(super) at: u64,
    pub(super) kind: &'static str,
    pub(super) body: String,
}

/// One commit.
#[derive(Debug, Deserialize)]
struct Line {
    run: u64,
    seq: u64,
    at: u64,
    entries: Vec<Entry>,
}

/// The beginning of a line; its entries follow.
#[derive(Debug, Serialize)]
struct Head {
    run: u64,
    seq: u64,
    at: u64,
}

/// The file, as its writer knows it.
#[derive(Debug)]
pub(super) struct Tail {
    file: File,
    /// Where the next line begins.
    length: u64,
    /// The length of the file.
    room: u64,
    rows: Vec<Row>,
}

/// Where the lines of a journal are.
pub(super) fn beside(journal: &Path) -> PathBuf {
    let mut name = OsString::from(journal);
    name.push("-tail");
    PathBuf::from(name)
}

/// Makes the file when there is none; whether that was so. Its name is not on the disk yet.
pub(super) fn make(journal: &Path) -> io::Result<bool> {
    let made = OpenOptions::new().create_new(true).append(true).mode(0o600).open(beside(journal));
    match made {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// The entries of all whole lines, in order. A line that was being written when the engine died, or
/// that the disk has lost, is none, and nothing after it is.
pub(super) fn read(journal: &Path) -> Result<Vec<Record>, JournalError> {
    let mut bytes = Vec::new();
    match File::open(beside(journal)) {
        Ok(mut file) => file.read_to_end(&mut bytes)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let mut records: Vec<Record> = Vec::new();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let Some(line) = line.strip_suffix(b"\n") else { break };
        let Ok(line) = serde_json::from_slice::<Line>(line) else { break };
        let Line { run, seq, at, entries } = line;
        let follows = |last: &Record| (last.run, last.seq + 1) == (run, seq) || last.run < run;
        if !records.last().is_none_or(follows) {
            break;
        }
        let numbered = entries.into_iter().zip(seq..);
        records.extend(numbered.map(|(entry, seq)| Record { run, seq, at, entry }));
    }
    Ok(records)
}

impl Tail {
    /// For the only writer. What is in the file has been taken over by now.
    pub(super) fn open(journal: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().write(true).open(beside(journal))?;
        file.set_len(0)?;
        Ok(Tail { file, length: 0, room: 0, rows: Vec::new() })
    }

    /// One commit: all of the rows or none of them.
    pub(super) fn append(&mut self, rows: Vec<Row>, safety: Safety) -> Result<(), JournalError> {
        let Some(first) = rows.first() else { return Ok(()) };
        let head = Head { run: first.run, seq: first.seq, at: first.at };
        let head = serde_json::to_string(&head).map_err(io::Error::from)?;
        let mut line = head.strip_suffix('}').unwrap_or(&head).to_owned();
        let mut before = ",\"entries\":[";
        for row in &rows {
            line.push_str(before);
            line.push_str(&row.body);
            before = ",";
        }
        line.push_str("]}\n");
        let end = self.length + line.len() as u64;
        let written = self.write(line.into_bytes(), end);
        let settled = written.and_then(|()| match safety {
            Safety::Crash => Ok(()),
            Safety::PowerLoss => self.file.sync_data(),
        });
        if let Err(error) = settled {
            // Half a line must not stand before a whole one.
            self.file.set_len(self.length)?;
            self.room = self.length;
            return Err(error.into());
        }
        self.length = end;
        self.rows.extend(rows);
        Ok(())
    }

    fn write(&mut self, mut line: Vec<u8>, end: u64) -> io::Result<()> {
        if end > self.room {
            line.resize(line.len() + ROOM, 0);
            self.room = end + ROOM as u64;
        }
        self.file.write_all_at(&line, self.length)
    }

    /// What is not in the tables yet.
    pub(super) fn rows(&self) -> &[Row] {
        &self.rows
    }

    pub(super) fn is_long(&self) -> bool {
        self.length > MOST
    }

    /// An engine that ends leaves nothing that only the memory of the machine knows.
    pub(super) fn settle(&self) -> io::Result<()> {
        if self.rows.is_empty() { Ok(()) } else { self.file.sync_data() }
    }

    /// Everything is in the tables now.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        self.rows.clear();
        if self.length > 0 {
            self.file.set_len(0)?;
            (self.length, self.room) = (0, 0);
        }
        Ok(())
    }
}

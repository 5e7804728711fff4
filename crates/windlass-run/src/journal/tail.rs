//! What was decided last, before it is in the tables: a file beside them with one line for each
//! commit.
//!
//! A commit is one write to this file; the same in the tables takes a dozen calls of the system.
//! One that has to survive the machine ([`Safety::PowerLoss`]) waits until the file, with all that
//! was written to it before, is on the disk. Lines that are in the tables already count for
//! nothing, so that nothing is lost or doubled when the engine dies between putting them there and
//! the clearing of this file.
//!
//! The file is longer than its lines: zeros fill the place of the next ones. A wait for a
//! line to reach the disk waits for that alone, and not for the new length of the file, which is
//! written elsewhere.
//!
//! A line that was being written when the engine died is none, and after a loss of power lines may
//! be missing that the engine did not wait for. Anything else that is missing was lost otherwise,
//! and is an error: what the journal forgets would be done again. So every line has a sum, and says
//! how much of the file was on the disk when it was written, and the first line, the *head*, says
//! how long the file was when its engine ended.

mod head;

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{FileExt, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::sqlite::run_and_number;
use super::{JournalError, Safety};
use crate::entry::{Entry, Record};
use head::{Head, LENGTH};

/// A file larger than this is put into the tables.
const MOST: u64 = 1 << 20;
/// So many zeros are written when there is no room for a line.
const ROOM: usize = 1 << 16;

/// An engine may write while another process reads: what looks damaged is looked at again.
const LOOKS: usize = 5;
const PAUSE: Duration = Duration::from_millis(5);

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
    /// That of the head. Lines of another one are left over.
    #[serde(default)]
    generation: u64,
    /// So much of the file was on the disk when this was written.
    #[serde(default)]
    kept: u64,
    run: u64,
    seq: u64,
    at: u64,
    entries: Vec<Entry>,
}

/// The beginning of a line; its entries follow.
#[derive(Debug, Serialize)]
struct Beginning {
    generation: u64,
    kept: u64,
    run: u64,
    seq: u64,
    at: u64,
}

/// What the file says.
#[derive(Debug, Default)]
pub(super) struct Contents {
    head: Head,
    /// The entries of all whole lines, in order.
    pub(super) records: Vec<Record>,
}

impl Contents {
    /// An error when the tables, whose last entry has this place, lack what the lines follow.
    pub(super) fn follows(&self, last: u64) -> Result<(), JournalError> {
        if self.head.after <= last {
            return Ok(());
        }
        Err(JournalError::TablesDamaged)
    }
}

/// What is asked of a file. Behind a trait, so that tests can lose power.
pub(super) trait Medium {
    fn write_all_at(&self, bytes: &[u8], at: u64) -> io::Result<()>;
    fn set_len(&self, length: u64) -> io::Result<()>;
    fn sync_data(&self) -> io::Result<()>;
}

impl Medium for File {
    fn write_all_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        FileExt::write_all_at(self, bytes, at)
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.sync_data()
    }
}

/// The file, as its writer knows it.
#[derive(Debug)]
pub(super) struct Tail<F = File> {
    file: F,
    head: Head,
    /// Where the next line begins.
    length: u64,
    /// So much of the file is on the disk.
    kept: u64,
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

fn for_writing(journal: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true).mode(0o600).open(beside(journal))
}

/// Makes the file, or one without lines of what is there.
pub(super) fn make(journal: &Path) -> io::Result<()> {
    let file = for_writing(journal)?;
    begin(&file, Head::default())
}

/// In this order: who is killed in between leaves lines of another generation, and after a loss of
/// power no head is there that asks for the lines which this removes.
fn begin(file: &impl Medium, head: Head) -> io::Result<()> {
    file.write_all_at(head.line().as_bytes(), 0)?;
    file.sync_data()?;
    file.set_len(LENGTH as u64)
}

/// Whether there is a file that says anything. Only a journal that is new has none.
pub(super) fn says_something(journal: &Path) -> Result<bool, JournalError> {
    match bytes(journal)? {
        None => Ok(false),
        Some(bytes) if bytes.is_empty() => Ok(false),
        Some(bytes) => {
            let contents = contents(&bytes);
            Ok(contents.is_none_or(|it| it.head.after > 0 || !it.records.is_empty()))
        }
    }
}

fn bytes(journal: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    match File::open(beside(journal)) {
        Ok(mut file) => file.read_to_end(&mut bytes).map(|_| Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads the file; an error when something is missing that no end of an engine or of the machine
/// explains.
pub(super) fn read(journal: &Path) -> Result<Contents, JournalError> {
    let mut why: fn(PathBuf) -> JournalError = JournalError::TailMissing;
    for look in 0..LOOKS {
        if look > 0 {
            thread::sleep(PAUSE);
        }
        let Some(bytes) = bytes(journal)? else { continue };
        if let Some(contents) = contents(&bytes) {
            return Ok(contents);
        }
        why = JournalError::TailDamaged;
    }
    Err(why(beside(journal)))
}

/// The entries of a file without a head, as older programs wrote it.
pub(super) fn read_plain(journal: &Path) -> Result<Contents, JournalError> {
    let bytes = bytes(journal)?.unwrap_or_default();
    let mut records = Vec::new();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let Some(line) = line.strip_suffix(b"\n") else { break };
        let Ok(line) = serde_json::from_slice::<Line>(line) else { break };
        if !push(&mut records, line, 0) {
            break;
        }
    }
    Ok(Contents { head: Head::default(), records })
}

/// What the bytes of a file say; none when they are damaged.
fn contents(bytes: &[u8]) -> Option<Contents> {
    let (head, lines) = bytes.split_at_checked(LENGTH)?;
    let head = Head::parse(head)?;
    let mut records = Vec::new();
    // Where the first line is that is none, and up to where all of them have to be.
    let (mut end, mut kept, mut at) = (None, head.whole, LENGTH as u64);
    for text in lines.split_inclusive(|byte| *byte == b'\n') {
        let begins = at;
        at += text.len() as u64;
        match whole(text) {
            Some(line) if line.generation == head.generation => {
                // Unless power was lost since, everything before it was there.
                kept = kept.max(if head.is_of_this_boot() { begins } else { line.kept });
                if end.is_none() && !push(&mut records, line, head.after) {
                    // No end of an engine or a machine takes a whole line out of the middle.
                    return None;
                }
            }
            // The end of a line is written last.
            None if head.is_of_this_boot() && text.ends_with(b"\n") => return None,
            _ => end = end.or(Some(begins)),
        }
    }
    (end.unwrap_or(at) >= kept).then_some(Contents { head, records })
}

/// A line, if it is as it was written.
fn whole(line: &[u8]) -> Option<Line> {
    serde_json::from_slice(head::opened(line)?).ok()
}

/// Adds the entries of a line, if they follow; the first ones what is in the tables, as far as that
/// is known.
fn push(records: &mut Vec<Record>, line: Line, after: u64) -> bool {
    let Line { run, seq, at, entries, .. } = line;
    let before = records.last().map(|last| (last.run, last.seq));
    let before = before.or((after > 0).then(|| run_and_number(after)));
    let follows = |(last, number)| (last == run && number + 1 == seq) || (last < run && seq == 1);
    if !before.is_none_or(follows) {
        return false;
    }
    let numbered = entries.into_iter().zip(seq..);
    records.extend(numbered.map(|(entry, seq)| Record { run, seq, at, entry }));
    true
}

impl Tail {
    /// For the only writer. What is in the file has been taken over by now; `after` is the place
    /// of the last entry in the tables.
    pub(super) fn open(journal: &Path, before: &Contents, after: u64) -> io::Result<Self> {
        Tail::on(for_writing(journal)?, before, after)
    }
}

impl<F: Medium> Tail<F> {
    fn on(file: F, before: &Contents, after: u64) -> io::Result<Self> {
        let head = before.head.next(after);
        begin(&file, head)?;
        let length = LENGTH as u64;
        Ok(Tail { file, head, length, kept: 0, room: length, rows: Vec::new() })
    }

    /// One commit: all of the rows or none of them.
    pub(super) fn append(&mut self, rows: Vec<Row>, safety: Safety) -> Result<(), JournalError> {
        let Some(first) = rows.first() else { return Ok(()) };
        let beginning = Beginning {
            generation: self.head.generation,
            kept: self.kept,
            run: first.run,
            seq: first.seq,
            at: first.at,
        };
        let beginning = serde_json::to_string(&beginning).map_err(io::Error::from)?;
        let mut line = beginning.strip_suffix('}').unwrap_or(&beginning).to_owned();
        let mut before = ",\"entries\":[";
        for row in &rows {
            line.push_str(before);
            line.push_str(&row.body);
            before = ",";
        }
        line.push_str("]}");
        head::close(&mut line);
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
        if safety == Safety::PowerLoss {
            self.kept = end;
        }
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
    pub(super) fn settle(&mut self) -> io::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        self.file.sync_data()?;
        // Not before: a loss of power could leave a head that asks for lines which are not there.
        self.head.whole = self.length;
        self.file.write_all_at(self.head.line().as_bytes(), 0)
    }

    /// Everything up to `after` is in the tables now.
    pub(super) fn clear(&mut self, after: u64) -> io::Result<()> {
        self.head = self.head.next(after);
        begin(&self.file, self.head)?;
        self.rows.clear();
        (self.length, self.kept, self.room) = (LENGTH as u64, 0, LENGTH as u64);
        Ok(())
    }
}

#[cfg(test)]
mod power;
#[cfg(test)]
mod tests;

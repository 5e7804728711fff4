//! The journal in SQLite: write-ahead log, synchronous FULL, one table that only grows.
//!
//! A commit is one line of a file beside the table (`super::tail`), which reaches the disk before
//! the commit returns when it was asked to survive the end of the machine ([`Safety`]). When the
//! file is long, and when the next engine opens the journal, its lines are put into the table. The
//! table refuses changes and deletions, and the files can be read by their owner only.

use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::tail::{self, Contents, Row, Tail};
use super::{Journal, JournalError, Safety};
use crate::entry::{Entry, OrderId, Record};
use crate::secrets::Secrets;

/// The version of the table below; a journal of a newer one is refused, an older one migrated.
pub(crate) const SCHEMA: i64 = 4;
/// The size of a page, in bytes. Short commits go to the tail; what is written here is many rows at
/// once.
const PAGE: u32 = 4096;
/// How large the log of commits gets, in bytes, before it is copied to its place, which waits for
/// the disk several times. An engine that ends copies it anyway.
const LOG: u32 = 16 << 20;

/// So many entries are one statement.
const ROWS: usize = 16;

/// The version of a file whose maker died before its tables were there: nothing ever ran.
const EMPTY: i64 = 0;
/// The first version.
const FIRST: i64 = 1;
/// The second version, which had no file beside its tables.
const SECOND: i64 = 2;
/// The third version, whose lines beside the tables had no sums.
const THIRD: i64 = 3;

/// The place of an entry is its run and its number in one: what comes at the end of such a table is
/// written without touching anything before it.
const TABLES: &str = "
CREATE TABLE entries (
    place INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    run INTEGER GENERATED ALWAYS AS (place >> 40) VIRTUAL,
    seq INTEGER GENERATED ALWAYS AS (place & 1099511627775) VIRTUAL
);
CREATE TRIGGER entries_stay BEFORE UPDATE ON entries
BEGIN SELECT RAISE(ABORT, 'entries are never changed'); END;
CREATE TRIGGER entries_remain BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'entries are never removed'); END;
";

/// From version 1, which had a table sorted by run and number.
const FROM_FIRST: &str = "
DROP TRIGGER entries_stay;
DROP TRIGGER entries_remain;
ALTER TABLE entries RENAME TO entries_of_version_1;
";
const COPY_FIRST: &str = "
INSERT INTO entries (place, at, kind, body)
SELECT (run << 40) + seq, at, kind, body FROM entries_of_version_1 ORDER BY run, seq;
DROP TABLE entries_of_version_1;
";

/// Where an entry stands; see [`TABLES`].
fn place(run: u64, seq: u64) -> u64 {
    (run << 40) + seq
}

/// What [`place`] puts into one.
pub(super) fn run_and_number(place: u64) -> (u64, u64) {
    (place >> 40, place & ((1 << 40) - 1))
}

impl From<rusqlite::Error> for JournalError {
    fn from(error: rusqlite::Error) -> Self {
        let is_full = error.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull);
        JournalError::Sqlite { message: error.to_string(), is_full }
    }
}

impl From<std::io::Error> for JournalError {
    fn from(error: std::io::Error) -> Self {
        let is_full = matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded);
        JournalError::File { message: error.to_string(), is_full }
    }
}

/// Whether a journal that is not there has left something beside it.
pub(crate) fn is_lost(path: &Path) -> bool {
    // What cannot be read is something.
    tail::says_something(path).unwrap_or(true)
}

/// A journal in a file.
#[derive(Debug)]
pub struct Sqlite {
    connection: Connection,
    run: u64,
    next: u64,
    secrets: Secrets,
    path: PathBuf,
    /// What is not in the tables yet; none for who only reads.
    tail: Option<Tail>,
}

impl Sqlite {
    /// Opens the journal for writing, and makes it when there is none.
    pub fn open(path: &Path, secrets: Secrets) -> Result<Self, JournalError> {
        // Made with the right mode before SQLite sees it; its helper files inherit that.
        OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
        let connection = Connection::open(path)?;
        connection.busy_timeout(Duration::from_secs(5))?;
        connection.pragma_update(None, "page_size", PAGE)?;
        connection.set_prepared_statement_cache_capacity(2 * ROWS);
        let version = version(&connection)?;
        // What is made here is safe at once or not needed: it is not waited for bit by bit.
        connection.pragma_update(
            None,
            "synchronous",
            if version == EMPTY { "OFF" } else { "FULL" },
        )?;
        migrate(&connection, version, path)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "wal_autocheckpoint", LOG / PAGE)?;
        if version != SCHEMA {
            settle(path)?;
            connection.pragma_update(None, "synchronous", "FULL")?;
        }
        let mut waiting = tail::read(path)?;
        waiting.follows(last_place(&connection)?)?;
        take_over(&connection, std::mem::take(&mut waiting.records))?;
        let tail = Some(Tail::open(path, &waiting, last_place(&connection)?)?);
        let path = path.to_owned();
        let mut journal = Sqlite { connection, run: 0, next: 1, secrets, path, tail };
        journal.continue_run(journal.last_run()?)?;
        Ok(journal)
    }

    /// Removes a journal in which no run has begun.
    pub(crate) fn remove_unused(self) {
        if self.last_run().is_ok_and(|run| run == 0) {
            let path = self.path.clone();
            // SQLite removes its own files beside it.
            drop(self);
            // What stays is an empty journal, or a file without lines, which is as good as none.
            let _ = fs::remove_file(&path).and_then(|()| fs::remove_file(tail::beside(&path)));
        }
    }

    /// Opens the journal for reading; it must exist.
    pub fn read_only(path: &Path) -> Result<Self, JournalError> {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        connection.busy_timeout(Duration::from_secs(5))?;
        connection.pragma_update(None, "query_only", true)?;
        match version(&connection)? {
            EMPTY | FIRST | SECOND | THIRD | SCHEMA => {}
            other => return Err(wrong_version(other)),
        }
        let (secrets, path) = (Secrets::default(), path.to_owned());
        Ok(Sqlite { connection, run: 0, next: 1, secrets, path, tail: None })
    }

    /// The same for a copy of the tables of the journal at `path`.
    #[must_use]
    pub(crate) fn of_copy(mut self, path: &Path) -> Self {
        path.clone_into(&mut self.path);
        self
    }

    /// The number of the last run; 0 when there was none.
    pub fn last_run(&self) -> Result<u64, JournalError> {
        if let Some(tail) = &self.tail {
            let waiting = tail.rows().last().map_or(0, |row| row.run);
            return Ok((last_place(&self.connection)? >> 40).max(waiting));
        }
        let version = version(&self.connection)?;
        if version == FIRST {
            let sql = "SELECT coalesce(max(run), 0) FROM entries";
            return Ok(self.connection.query_row(sql, [], |row| row.get(0))?);
        }
        // Read before the tables: what leaves it meanwhile is found there.
        let waiting = self.waiting(version)?;
        let last = if version == EMPTY { 0 } else { last_place(&self.connection)? };
        waiting.follows(last)?;
        Ok((last >> 40).max(waiting.records.last().map_or(0, |record| record.run)))
    }

    /// What is not in the tables yet, by the file beside them.
    fn waiting(&self, version: i64) -> Result<Contents, JournalError> {
        match version {
            EMPTY if tail::says_something(&self.path)? => Err(JournalError::WithoutTables),
            EMPTY | FIRST | SECOND => Ok(Contents::default()),
            THIRD => tail::read_plain(&self.path),
            _ => tail::read(&self.path),
        }
    }

    /// Entries go to a new run from here on.
    pub fn begin_run(&mut self) -> Result<u64, JournalError> {
        self.run = self.last_run()? + 1;
        self.next = 1;
        Ok(self.run)
    }

    /// Entries go to the end of this run from here on.
    pub(crate) fn continue_run(&mut self, run: u64) -> Result<(), JournalError> {
        let sql = "SELECT max(place) FROM entries WHERE place BETWEEN ?1 AND ?2";
        let bounds = [place(run, 0), place(run + 1, 0) - 1];
        let last: Option<u64> = self.connection.query_row(sql, bounds, |row| row.get(0))?;
        self.next = last.map_or(0, |last| last - place(run, 0)) + 1;
        self.run = run;
        Ok(())
    }

    /// The entries of a run after the entry `after`, in order.
    pub fn records(&self, run: u64, after: u64) -> Result<Vec<Record>, JournalError> {
        let version = version(&self.connection)?;
        let (sql, bounds) = if version == FIRST {
            let sql = "SELECT seq, at, body FROM entries WHERE run = ?1 AND seq > ?2 ORDER BY seq";
            (sql, [run, after])
        } else {
            let sql = "SELECT seq, at, body FROM entries
                       WHERE place > ?1 AND place < ?2 ORDER BY place";
            (sql, [place(run, after), place(run + 1, 0)])
        };
        // Read before the tables: what leaves it meanwhile is found there.
        let waiting = self.waiting(version)?;
        let mut statement = self.connection.prepare(sql)?;
        let mut rows = statement.query(bounds)?;
        let mut records: Vec<Record> = Vec::new();
        while let Some(row) = rows.next()? {
            let body: String = row.get(2)?;
            let entry = serde_json::from_str(&body)
                .map_err(|error| JournalError::Unreadable(error.to_string()))?;
            records.push(Record { run, seq: row.get(0)?, at: row.get(1)?, entry });
        }
        let last = records.last().map_or(after, |last| last.seq);
        let left = waiting.records.into_iter();
        records.extend(left.filter(|record| record.run == run && record.seq > last));
        Ok(records)
    }

    /// A number for the next order that no order of any run has.
    pub(crate) fn next_order(&self) -> Result<OrderId, JournalError> {
        let sql = "SELECT coalesce(max(json_extract(body, '$.order')), 0) FROM entries
                   WHERE kind = 'intent'";
        Ok(OrderId(self.connection.query_row(sql, [], |row| row.get::<_, u64>(0))? + 1))
    }

    /// The entries as rows that come next.
    fn rows(&self, at: u64, entries: &[Entry]) -> Result<Vec<Row>, JournalError> {
        let numbered = entries.iter().zip(self.next..);
        let row = |(entry, seq): (&Entry, u64)| {
            let body = serde_json::to_string(entry.redacted(&self.secrets).as_ref())
                .map_err(|error| JournalError::Unwritable(error.to_string()))?;
            Ok(Row { run: self.run, seq, at, kind: entry.kind(), body })
        };
        numbered.map(row).collect()
    }

    /// Puts what waits and `rows` into the tables, in one commit.
    fn fold(&mut self, rows: &[Row]) -> Result<(), JournalError> {
        let waiting = self.tail.as_ref().map_or(&[][..], Tail::rows);
        insert_all(&self.connection, &[waiting, rows])?;
        let last = last_place(&self.connection)?;
        if let Some(tail) = &mut self.tail {
            tail.clear(last)?;
        }
        Ok(())
    }
}

impl Journal for Sqlite {
    fn append(
        &mut self,
        at: Duration,
        entries: &[Entry],
        safety: Safety,
    ) -> Result<(), JournalError> {
        let at = u64::try_from(at.as_millis()).unwrap_or(u64::MAX);
        let rows = self.rows(at, entries)?;
        match &mut self.tail {
            Some(tail) if !tail.is_long() => tail.append(rows, safety)?,
            _ => self.fold(&rows)?,
        }
        self.next += entries.len() as u64;
        Ok(())
    }
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        if let Some(tail) = &mut self.tail {
            // What was promised has been kept already.
            let _ = tail.settle();
        }
    }
}

/// Adds a few rows.
fn insert(connection: &Connection, rows: &[Row]) -> Result<(), JournalError> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut sql = String::from("INSERT INTO entries (place, at, kind, body) VALUES (?, ?, ?, ?)");
    sql.push_str(&", (?, ?, ?, ?)".repeat(rows.len() - 1));
    let mut insert = connection.prepare_cached(&sql)?;
    for (row, first) in rows.iter().zip((1..).step_by(4)) {
        insert.raw_bind_parameter(first, place(row.run, row.seq))?;
        insert.raw_bind_parameter(first + 1, row.at)?;
        insert.raw_bind_parameter(first + 2, row.kind)?;
        insert.raw_bind_parameter(first + 3, row.body.as_str())?;
    }
    insert.raw_execute()?;
    Ok(())
}

/// Adds any number of rows in one commit.
fn insert_all(connection: &Connection, groups: &[&[Row]]) -> Result<(), JournalError> {
    let transaction = connection.unchecked_transaction()?;
    for part in groups.iter().flat_map(|rows| rows.chunks(ROWS)) {
        insert(&transaction, part)?;
    }
    Ok(transaction.commit()?)
}

/// The place of the last entry in the tables; 0 when there is none.
fn last_place(connection: &Connection) -> Result<u64, JournalError> {
    let sql = "SELECT coalesce(max(place), 0) FROM entries";
    Ok(connection.query_row(sql, [], |row| row.get(0))?)
}

/// Puts into the tables what the engine before had only written beside them.
fn take_over(connection: &Connection, waiting: Vec<Record>) -> Result<(), JournalError> {
    let last = last_place(connection)?;
    let waiting = waiting.into_iter();
    let left: Vec<Record> = waiting.filter(|record| place(record.run, record.seq) > last).collect();
    if left.is_empty() {
        return Ok(());
    }
    let row = |Record { run, seq, at, entry }: Record| {
        // What had to be hidden was hidden when it was written.
        let body = serde_json::to_string(&entry)
            .map_err(|error| JournalError::Unwritable(error.to_string()))?;
        Ok(Row { run, seq, at, kind: entry.kind(), body })
    };
    let rows = left.into_iter().map(row).collect::<Result<Vec<_>, JournalError>>()?;
    insert_all(connection, &[&rows])
}

/// New files and their names reach the disk.
fn settle(path: &Path) -> std::io::Result<()> {
    fs::File::open(path)?.sync_all()?;
    settle_names(path)
}

/// The names of new files reach the disk.
fn settle_names(path: &Path) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    fs::File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

fn version(connection: &Connection) -> Result<i64, JournalError> {
    Ok(connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

fn wrong_version(found: i64) -> JournalError {
    JournalError::UnknownVersion { found, known: SCHEMA }
}

/// Brings a journal to the version of today. There is a file beside its tables before they say so.
fn migrate(connection: &Connection, version: i64, path: &Path) -> Result<(), JournalError> {
    match version {
        EMPTY if tail::says_something(path)? => return Err(JournalError::WithoutTables),
        THIRD => take_over(connection, tail::read_plain(path)?.records)?,
        _ => {}
    }
    if (EMPTY..SCHEMA).contains(&version) {
        tail::make(path)?;
        settle_names(path)?;
    }
    match version {
        SCHEMA => Ok(()),
        SECOND | THIRD => Ok(connection.pragma_update(None, "user_version", SCHEMA)?),
        EMPTY => {
            connection.execute_batch("BEGIN IMMEDIATE")?;
            connection.execute_batch(TABLES)?;
            connection.pragma_update(None, "user_version", SCHEMA)?;
            connection.execute_batch("COMMIT")?;
            Ok(())
        }
        FIRST => {
            connection.execute_batch("BEGIN IMMEDIATE")?;
            connection.execute_batch(FROM_FIRST)?;
            connection.execute_batch(TABLES)?;
            connection.execute_batch(COPY_FIRST)?;
            connection.pragma_update(None, "user_version", SCHEMA)?;
            connection.execute_batch("COMMIT")?;
            Ok(())
        }
        other => Err(wrong_version(other)),
    }
}

#[cfg(test)]
mod tests;

//! The journal in SQLite: write-ahead log, synchronous FULL, one table that only grows.
//!
//! A commit that has returned survives the end of the process, and the end of the machine when it
//! was asked to ([`Safety`]). The table refuses changes and deletions, and the file can be read by
//! its owner only.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::{Journal, JournalError, Safety};
use crate::entry::{Entry, OrderId, Record};
use crate::secrets::Secrets;

/// The version of the table below; a journal of a newer one is refused, an older one migrated.
pub const SCHEMA: i64 = 2;
/// The size of a page, in bytes.
const PAGE: u32 = 1024;
/// How large the log of commits gets, in bytes, before it is copied to its place, which waits for
/// the disk several times. A run that ends copies it anyway.
const LOG: u32 = 16 << 20;

/// So many entries are one statement.
const ROWS: usize = 16;

/// The version of a file whose maker died before its tables were there: nothing ever ran.
const EMPTY: i64 = 0;
/// The first version.
const FIRST: i64 = 1;

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

impl From<rusqlite::Error> for JournalError {
    fn from(error: rusqlite::Error) -> Self {
        JournalError(error.to_string())
    }
}

impl From<std::io::Error> for JournalError {
    fn from(error: std::io::Error) -> Self {
        JournalError(error.to_string())
    }
}

/// A journal in a file.
#[derive(Debug)]
pub struct Sqlite {
    connection: Connection,
    run: u64,
    next: u64,
    secrets: Secrets,
    /// What the connection does at the end of a commit.
    safety: Safety,
}

impl Sqlite {
    /// Opens the journal for writing, and makes it when there is none.
    pub fn open(path: &Path, secrets: Secrets) -> Result<Self, JournalError> {
        // Made with the right mode before SQLite sees it; its helper files inherit that.
        OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
        let connection = Connection::open(path)?;
        connection.busy_timeout(Duration::from_secs(5))?;
        // A commit writes whole pages, and most are two short rows.
        connection.pragma_update(None, "page_size", PAGE)?;
        connection.set_prepared_statement_cache_capacity(2 * ROWS);
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "wal_autocheckpoint", LOG / PAGE)?;
        migrate(&connection)?;
        let safety = Safety::PowerLoss;
        let mut journal = Sqlite { connection, run: 0, next: 1, secrets, safety };
        journal.continue_run(journal.last_run()?)?;
        Ok(journal)
    }

    /// Opens the journal for reading; it must exist.
    pub fn read_only(path: &Path) -> Result<Self, JournalError> {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        connection.busy_timeout(Duration::from_secs(5))?;
        connection.pragma_update(None, "query_only", true)?;
        match version(&connection)? {
            EMPTY | FIRST | SCHEMA => {}
            other => return Err(wrong_version(other)),
        }
        let (secrets, safety) = (Secrets::default(), Safety::PowerLoss);
        Ok(Sqlite { connection, run: 0, next: 1, secrets, safety })
    }

    /// The number of the last run; 0 when there was none.
    pub fn last_run(&self) -> Result<u64, JournalError> {
        let sql = match version(&self.connection)? {
            EMPTY => return Ok(0),
            FIRST => "SELECT coalesce(max(run), 0) FROM entries",
            _ => "SELECT coalesce(max(place) >> 40, 0) FROM entries",
        };
        Ok(self.connection.query_row(sql, [], |row| row.get(0))?)
    }

    /// Entries go to a new run from here on.
    pub fn begin_run(&mut self) -> Result<u64, JournalError> {
        self.run = self.last_run()? + 1;
        self.next = 1;
        Ok(self.run)
    }

    /// Entries go to the end of this run from here on.
    pub fn continue_run(&mut self, run: u64) -> Result<(), JournalError> {
        let sql = "SELECT max(place) FROM entries WHERE place BETWEEN ?1 AND ?2";
        let bounds = [place(run, 0), place(run + 1, 0) - 1];
        let last: Option<u64> = self.connection.query_row(sql, bounds, |row| row.get(0))?;
        self.next = last.map_or(0, |last| last - place(run, 0)) + 1;
        self.run = run;
        Ok(())
    }

    /// The entries of a run after the entry `after`, in order.
    pub fn records(&self, run: u64, after: u64) -> Result<Vec<Record>, JournalError> {
        let is_first = version(&self.connection)? == FIRST;
        let (sql, bounds) = if is_first {
            let sql = "SELECT seq, at, body FROM entries WHERE run = ?1 AND seq > ?2 ORDER BY seq";
            (sql, [run, after])
        } else {
            let sql = "SELECT seq, at, body FROM entries
                       WHERE place > ?1 AND place < ?2 ORDER BY place";
            (sql, [place(run, after), place(run + 1, 0)])
        };
        let mut statement = self.connection.prepare(sql)?;
        let mut rows = statement.query(bounds)?;
        let mut records = Vec::new();
        while let Some(row) = rows.next()? {
            let body: String = row.get(2)?;
            let entry = serde_json::from_str(&body)
                .map_err(|error| JournalError(format!("an entry cannot be read: {error}")))?;
            records.push(Record { run, seq: row.get(0)?, at: row.get(1)?, entry });
        }
        Ok(records)
    }

    /// A number for the next order that no order of any run has.
    pub fn next_order(&self) -> Result<OrderId, JournalError> {
        let sql = "SELECT coalesce(max(json_extract(body, '$.order')), 0) FROM entries
                   WHERE kind = 'intent'";
        Ok(OrderId(self.connection.query_row(sql, [], |row| row.get::<_, u64>(0))? + 1))
    }

    /// Adds a few rows.
    fn insert(&self, at: u64, first: u64, entries: &[Entry]) -> Result<(), JournalError> {
        if entries.is_empty() {
            return Ok(());
        }
        let mut sql =
            String::from("INSERT INTO entries (at, place, kind, body) VALUES (?1, ?, ?, ?)");
        sql.push_str(&", (?1, ?, ?, ?)".repeat(entries.len() - 1));
        let mut insert = self.connection.prepare_cached(&sql)?;
        insert.raw_bind_parameter(1, at)?;
        for (offset, entry) in entries.iter().enumerate() {
            let body = serde_json::to_string(entry.redacted(&self.secrets).as_ref())
                .map_err(|error| JournalError(error.to_string()))?;
            let parameter = 3 * offset + 2;
            insert.raw_bind_parameter(parameter, place(self.run, first + offset as u64))?;
            insert.raw_bind_parameter(parameter + 1, entry.kind())?;
            insert.raw_bind_parameter(parameter + 2, body)?;
        }
        insert.raw_execute()?;
        Ok(())
    }

    /// The next commit writes through to the disk, or leaves that to the system. One that writes
    /// through takes those before it along, for they are in the same file.
    fn promise(&mut self, safety: Safety) -> Result<(), JournalError> {
        if self.safety != safety {
            let word = match safety {
                Safety::Crash => "NORMAL",
                Safety::PowerLoss => "FULL",
            };
            self.connection.pragma_update(None, "synchronous", word)?;
            self.safety = safety;
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
        self.promise(safety)?;
        let at = u64::try_from(at.as_millis()).unwrap_or(u64::MAX);
        // One statement is one commit; beginning and ending another takes longer than all of it.
        if entries.len() <= ROWS {
            self.insert(at, self.next, entries)?;
        } else {
            let transaction = self.connection.unchecked_transaction()?;
            for (part, entries) in entries.chunks(ROWS).enumerate() {
                self.insert(at, self.next + (part * ROWS) as u64, entries)?;
            }
            transaction.commit()?;
        }
        self.next += entries.len() as u64;
        Ok(())
    }
}

fn version(connection: &Connection) -> Result<i64, JournalError> {
    Ok(connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

fn wrong_version(version: i64) -> JournalError {
    JournalError(format!("it has version {version}, and this program knows {SCHEMA}"))
}

/// Brings a journal to the version of today.
fn migrate(connection: &Connection) -> Result<(), JournalError> {
    match version(connection)? {
        SCHEMA => Ok(()),
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
mod tests {
    use super::*;
    use crate::entry::End;
    use rusqlite::params;

    fn outcome(order: u64, reason: &str) -> Entry {
        let end = End::Failed { reason: reason.to_owned() };
        Entry::Outcome { order: OrderId(order), end, witness: None }
    }

    #[test]
    fn entries_come_back_in_order_and_cannot_be_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.db");
        let mut journal = Sqlite::open(&path, Secrets::default()).unwrap();
        journal.begin_run().unwrap();
        let at = Duration::from_millis(7);
        journal.append(at, &[outcome(1, "a"), outcome(2, "b")], Safety::Crash).unwrap();
        drop(journal);
        let mut journal = Sqlite::open(&path, Secrets::default()).unwrap();
        journal.append(at, &[outcome(3, "c")], Safety::PowerLoss).unwrap();
        let records = journal.records(1, 0).unwrap();
        let places: Vec<u64> = records.iter().map(|record| record.seq).collect();
        assert_eq!(places, [1, 2, 3]);
        assert_eq!(records[2].entry, outcome(3, "c"));
        assert!(journal.connection.execute("DELETE FROM entries", []).is_err());
        assert!(journal.connection.execute("UPDATE entries SET at = 0", []).is_err());
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn secrets_do_not_reach_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.db");
        let secrets = Secrets::from([("token".to_owned(), "hunter2".to_owned())]);
        let mut journal = Sqlite::open(&path, secrets).unwrap();
        journal.begin_run().unwrap();
        let entries = [outcome(1, "bad token hunter2")];
        journal.append(Duration::ZERO, &entries, Safety::PowerLoss).unwrap();
        assert_eq!(journal.records(1, 0).unwrap()[0].entry, outcome(1, "bad token ***"));
    }

    #[test]
    fn a_secret_that_is_a_word_of_the_journal_changes_nothing_but_what_was_said() {
        let folder = tempfile::tempdir().unwrap();
        for word in ["ab", "n", "intent", "outcome", "how", "store", "\"", "1"] {
            let path = folder.path().join(format!("{}.db", word.len()));
            let secrets = Secrets::from([("token".to_owned(), word.to_owned())]);
            let mut journal = Sqlite::open(&path, secrets).unwrap();
            let run = journal.begin_run().unwrap();
            let intent = Entry::Intent {
                order: OrderId(1),
                task: None,
                instance: "store".to_owned(),
                label: "start store".to_owned(),
                attempt: 1,
            };
            let entries = [intent.clone(), outcome(1, &format!("it said {word}."))];
            journal.append(Duration::ZERO, &entries, Safety::Crash).unwrap();
            let records = journal.records(run, 0).unwrap();
            assert_eq!(records[0].entry, intent, "{word}");
            let Entry::Outcome { end: End::Failed { reason }, .. } = &records[1].entry else {
                panic!("{:?}", records[1]);
            };
            assert!(reason.contains("***") && !reason.contains(word), "{word}: {reason}");
        }
    }

    #[test]
    fn a_journal_whose_maker_died_at_once_has_no_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.db");
        fs::write(&path, "").unwrap();
        assert_eq!(Sqlite::read_only(&path).unwrap().last_run().unwrap(), 0);
        let journal = Sqlite::open(&path, Secrets::default()).unwrap();
        assert_eq!(version(&journal.connection).unwrap(), SCHEMA);
    }

    #[test]
    fn a_journal_of_the_first_version_is_taken_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.db");
        let first = Connection::open(&path).unwrap();
        first
            .execute_batch(
                "CREATE TABLE entries (run INTEGER NOT NULL, seq INTEGER NOT NULL,
                    at INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
                    PRIMARY KEY (run, seq)) WITHOUT ROWID;
                 CREATE TRIGGER entries_stay BEFORE UPDATE ON entries
                 BEGIN SELECT RAISE(ABORT, 'no'); END;
                 CREATE TRIGGER entries_remain BEFORE DELETE ON entries
                 BEGIN SELECT RAISE(ABORT, 'no'); END;
                 PRAGMA user_version = 1;",
            )
            .unwrap();
        for (run, seq) in [(1, 1), (1, 2), (2, 1)] {
            let entry = outcome(run * 10 + seq, "old");
            let body = serde_json::to_string(&entry).unwrap();
            let sql = "INSERT INTO entries VALUES (?1, ?2, 5, 'outcome', ?3)";
            first.execute(sql, params![run, seq, body]).unwrap();
        }
        drop(first);
        // Who only reads leaves it as it is.
        let reader = Sqlite::read_only(&path).unwrap();
        assert_eq!(reader.records(1, 1).unwrap()[0].entry, outcome(12, "old"));
        assert_eq!(reader.last_run().unwrap(), 2);
        drop(reader);
        let mut journal = Sqlite::open(&path, Secrets::default()).unwrap();
        journal.append(Duration::ZERO, &[outcome(22, "new")], Safety::Crash).unwrap();
        let places = |run: u64| {
            let records = journal.records(run, 0).unwrap();
            records.iter().map(|it| (it.run, it.seq, it.entry.clone())).collect::<Vec<_>>()
        };
        assert_eq!(places(1), [(1, 1, outcome(11, "old")), (1, 2, outcome(12, "old"))]);
        assert_eq!(places(2), [(2, 1, outcome(21, "old")), (2, 2, outcome(22, "new"))]);
        assert!(journal.connection.execute("DELETE FROM entries", []).is_err());
        assert!(journal.connection.execute("UPDATE entries SET at = 0", []).is_err());
    }

    #[test]
    fn a_newer_journal_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.db");
        let journal = Sqlite::open(&path, Secrets::default()).unwrap();
        journal.connection.pragma_update(None, "user_version", 99).unwrap();
        drop(journal);
        assert!(Sqlite::open(&path, Secrets::default()).is_err());
    }
}

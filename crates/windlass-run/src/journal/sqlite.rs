//! The journal in SQLite: write-ahead log, synchronous FULL, one table that only grows.
//!
//! A commit that has returned survives the end of the process, and the end of the machine when it
//! was asked to ([`Safety`]). The table refuses changes and deletions, and the file can be read by
//! its owner only.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, params};

use super::{Journal, JournalError, Safety};
use crate::entry::{Entry, OrderId, Record};
use crate::secrets::Secrets;

/// The version of the table below; a journal of a newer one is refused, an older one migrated.
pub const SCHEMA: i64 = 1;
/// The size of a page, in bytes.
const PAGE: u32 = 1024;

/// So many entries are one statement.
const ROWS: usize = 16;

/// The version of a file whose maker died before its tables were there: nothing ever ran.
const EMPTY: i64 = 0;

const TABLES: &str = "
CREATE TABLE entries (
    run INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (run, seq)
) WITHOUT ROWID;
CREATE TRIGGER entries_stay BEFORE UPDATE ON entries
BEGIN SELECT RAISE(ABORT, 'entries are never changed'); END;
CREATE TRIGGER entries_remain BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'entries are never removed'); END;
";

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
            EMPTY | SCHEMA => {}
            other => return Err(wrong_version(other)),
        }
        let (secrets, safety) = (Secrets::default(), Safety::PowerLoss);
        Ok(Sqlite { connection, run: 0, next: 1, secrets, safety })
    }

    /// The number of the last run; 0 when there was none.
    pub fn last_run(&self) -> Result<u64, JournalError> {
        if version(&self.connection)? == EMPTY {
            return Ok(0);
        }
        let sql = "SELECT coalesce(max(run), 0) FROM entries";
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
        let sql = "SELECT coalesce(max(seq), 0) FROM entries WHERE run = ?1";
        self.next = self.connection.query_row(sql, [run], |row| row.get::<_, u64>(0))? + 1;
        self.run = run;
        Ok(())
    }

    /// The entries of a run after the entry `after`, in order.
    pub fn records(&self, run: u64, after: u64) -> Result<Vec<Record>, JournalError> {
        let sql = "SELECT seq, at, body FROM entries WHERE run = ?1 AND seq > ?2 ORDER BY seq";
        let mut statement = self.connection.prepare(sql)?;
        let mut rows = statement.query(params![run, after])?;
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
            String::from("INSERT INTO entries (run, at, seq, kind, body) VALUES (?1, ?2, ?, ?, ?)");
        sql.push_str(&", (?1, ?2, ?, ?, ?)".repeat(entries.len() - 1));
        let mut insert = self.connection.prepare_cached(&sql)?;
        insert.raw_bind_parameter(1, self.run)?;
        insert.raw_bind_parameter(2, at)?;
        for (offset, entry) in entries.iter().enumerate() {
            let body = serde_json::to_string(entry.redacted(&self.secrets).as_ref())
                .map_err(|error| JournalError(error.to_string()))?;
            let place = 3 * offset + 3;
            insert.raw_bind_parameter(place, first + offset as u64)?;
            insert.raw_bind_parameter(place + 1, entry.kind())?;
            insert.raw_bind_parameter(place + 2, body)?;
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

/// Brings a journal to the version of today. There is one version so far.
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
        other => Err(wrong_version(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::End;

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
    fn a_newer_journal_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.db");
        let journal = Sqlite::open(&path, Secrets::default()).unwrap();
        journal.connection.pragma_update(None, "user_version", 99).unwrap();
        drop(journal);
        assert!(Sqlite::open(&path, Secrets::default()).is_err());
    }
}

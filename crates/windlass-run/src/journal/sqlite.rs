//! The journal in SQLite: write-ahead log, synchronous FULL, one table that only grows.
//!
//! A commit is one line of a file beside the table ([`super::tail`]), which reaches the disk before
//! the commit returns when it was asked to survive the end of the machine ([`Safety`]). When the
//! file is long, and when the next engine opens the journal, its lines are put into the table. The
//! table refuses changes and deletions, and the files can be read by their owner only.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::tail::{self, Row, Tail};
use super::{Journal, JournalError, Safety};
use crate::entry::{Entry, OrderId, Record};
use crate::secrets::Secrets;

/// The version of the table below; a journal of a newer one is refused, an older one migrated.
pub const SCHEMA: i64 = 3;
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
        let is_new = version(&connection)? == EMPTY;
        // What is made here is safe at once or not needed: it is not waited for bit by bit.
        connection.pragma_update(None, "synchronous", if is_new { "OFF" } else { "FULL" })?;
        migrate(&connection)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "wal_autocheckpoint", LOG / PAGE)?;
        if tail::make(path)? || is_new {
            settle(path)?;
            connection.pragma_update(None, "synchronous", "FULL")?;
        }
        take_over(&connection, path)?;
        let tail = Some(Tail::open(path)?);
        let path = path.to_owned();
        let mut journal = Sqlite { connection, run: 0, next: 1, secrets, path, tail };
        journal.continue_run(journal.last_run()?)?;
        Ok(journal)
    }

    /// Removes a journal in which no run has begun.
    pub fn remove_unused(self) {
        if self.last_run().is_ok_and(|run| run == 0) {
            let path = self.path.clone();
            // SQLite removes its own files beside it.
            drop(self);
            // What stays is an empty journal.
            let _ = fs::remove_file(tail::beside(&path)).and_then(|()| fs::remove_file(&path));
        }
    }

    /// Opens the journal for reading; it must exist.
    pub fn read_only(path: &Path) -> Result<Self, JournalError> {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        connection.busy_timeout(Duration::from_secs(5))?;
        connection.pragma_update(None, "query_only", true)?;
        match version(&connection)? {
            EMPTY | FIRST | SECOND | SCHEMA => {}
            other => return Err(wrong_version(other)),
        }
        let (secrets, path) = (Secrets::default(), path.to_owned());
        Ok(Sqlite { connection, run: 0, next: 1, secrets, path, tail: None })
    }

    /// The same for a copy of the tables of the journal at `path`.
    #[must_use]
    pub fn of_copy(mut self, path: &Path) -> Self {
        path.clone_into(&mut self.path);
        self
    }

    /// The number of the last run; 0 when there was none.
    pub fn last_run(&self) -> Result<u64, JournalError> {
        let sql = match version(&self.connection)? {
            EMPTY => return Ok(0),
            FIRST => "SELECT coalesce(max(run), 0) FROM entries",
            _ => "SELECT coalesce(max(place) >> 40, 0) FROM entries",
        };
        // Read before the tables: what leaves it meanwhile is found there.
        let waiting = match &self.tail {
            Some(tail) => tail.rows().last().map_or(0, |row| row.run),
            None => tail::read(&self.path)?.last().map_or(0, |record| record.run),
        };
        let last: u64 = self.connection.query_row(sql, [], |row| row.get(0))?;
        Ok(last.max(waiting))
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
        // Read before the tables: what leaves it meanwhile is found there.
        let tail = tail::read(&self.path)?;
        let mut statement = self.connection.prepare(sql)?;
        let mut rows = statement.query(bounds)?;
        let mut records: Vec<Record> = Vec::new();
        while let Some(row) = rows.next()? {
            let body: String = row.get(2)?;
            let entry = serde_json::from_str(&body)
                .map_err(|error| JournalError(format!("an entry cannot be read: {error}")))?;
            records.push(Record { run, seq: row.get(0)?, at: row.get(1)?, entry });
        }
        let last = records.last().map_or(after, |last| last.seq);
        records.extend(tail.into_iter().filter(|record| record.run == run && record.seq > last));
        Ok(records)
    }

    /// A number for the next order that no order of any run has.
    pub fn next_order(&self) -> Result<OrderId, JournalError> {
        let sql = "SELECT coalesce(max(json_extract(body, '$.order')), 0) FROM entries
                   WHERE kind = 'intent'";
        Ok(OrderId(self.connection.query_row(sql, [], |row| row.get::<_, u64>(0))? + 1))
    }

    /// The entries as rows that come next.
    fn rows(&self, at: u64, entries: &[Entry]) -> Result<Vec<Row>, JournalError> {
        let numbered = entries.iter().zip(self.next..);
        let row = |(entry, seq): (&Entry, u64)| {
            let body = serde_json::to_string(entry.redacted(&self.secrets).as_ref())
                .map_err(|error| JournalError(error.to_string()))?;
            Ok(Row { run: self.run, seq, at, kind: entry.kind(), body })
        };
        numbered.map(row).collect()
    }

    /// Puts what waits and `rows` into the tables, in one commit.
    fn fold(&mut self, rows: &[Row]) -> Result<(), JournalError> {
        let waiting = self.tail.as_ref().map_or(&[][..], Tail::rows);
        // One statement is one commit; beginning and ending another takes longer than all of it.
        if waiting.is_empty() && rows.len() <= ROWS {
            return insert(&self.connection, rows);
        }
        insert_all(&self.connection, &[waiting, rows])?;
        if let Some(tail) = &mut self.tail {
            tail.clear()?;
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
        if let Some(tail) = &self.tail {
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

/// Puts into the tables what the engine before had only written beside them.
fn take_over(connection: &Connection, path: &Path) -> Result<(), JournalError> {
    let sql = "SELECT coalesce(max(place), 0) FROM entries";
    let last: u64 = connection.query_row(sql, [], |row| row.get(0))?;
    let tail = tail::read(path)?.into_iter();
    let left: Vec<Record> = tail.filter(|record| place(record.run, record.seq) > last).collect();
    if left.is_empty() {
        return Ok(());
    }
    let row = |Record { run, seq, at, entry }: Record| {
        // What had to be hidden was hidden when it was written.
        let body =
            serde_json::to_string(&entry).map_err(|error| JournalError(error.to_string()))?;
        Ok(Row { run, seq, at, kind: entry.kind(), body })
    };
    let rows = left.into_iter().map(row).collect::<Result<Vec<_>, JournalError>>()?;
    insert_all(connection, &[&rows])
}

/// New files and their names reach the disk.
fn settle(path: &Path) -> std::io::Result<()> {
    fs::File::open(path)?.sync_all()?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    fs::File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
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
        SECOND => Ok(connection.pragma_update(None, "user_version", SCHEMA)?),
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

    /// A copy of the files of a journal, as a kill of the engine would leave them now.
    fn killed(path: &Path, name: &str) -> PathBuf {
        let copy = path.with_file_name(name);
        for end in ["", "-wal", "-tail"] {
            let name = |path: &Path| PathBuf::from(format!("{}{end}", path.display()));
            if name(path).exists() {
                fs::copy(name(path), name(&copy)).unwrap();
            }
        }
        copy
    }

    #[test]
    fn a_kill_loses_nothing_that_was_committed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.db");
        let mut journal = Sqlite::open(&path, Secrets::default()).unwrap();
        journal.begin_run().unwrap();
        let all: Vec<Entry> = (1..=40).map(|number| outcome(number, "a \n word")).collect();
        let numbers = |path: &Path, after: u64| {
            let reader = Sqlite::read_only(path).unwrap();
            let records = reader.records(1, after).unwrap();
            assert!(records.iter().all(|it| it.entry == outcome(it.seq, "a \n word")));
            records.iter().map(|it| it.seq).collect::<Vec<_>>()
        };
        let mut done = 0;
        for (round, count) in [1_usize, 2, 1, 20, 3, 1, 2, 10].into_iter().enumerate() {
            let safety = if round % 3 == 0 { Safety::PowerLoss } else { Safety::Crash };
            let entries = &all[done..done + count];
            journal.append(Duration::from_millis(9), entries, safety).unwrap();
            done += count;
            let expected: Vec<u64> = (1..=done as u64).collect();
            // Somebody who reads while the engine runs.
            assert_eq!(numbers(&path, 0), expected);
            assert_eq!(numbers(&path, 2), expected.get(2..).unwrap_or_default());
            // The next engine after a kill, and one after a kill in the middle of a line.
            let copy = killed(&path, &format!("copy-{round}.db"));
            let mut lines = fs::read(tail::beside(&copy)).unwrap();
            let end = lines.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
            let torn = br#"{"run":1,"seq":"#;
            lines.splice(end..(end + torn.len()).min(lines.len()), *torn);
            fs::write(tail::beside(&copy), lines).unwrap();
            let mut next = Sqlite::open(&copy, Secrets::default()).unwrap();
            next.append(Duration::ZERO, &all[done..done + 1.min(40 - done)], Safety::Crash)
                .unwrap();
            drop(next);
            let expected: Vec<u64> = (1..=(done as u64 + 1).min(40)).collect();
            assert_eq!(numbers(&copy, 0), expected);
            // Whoever opens it next has all of them in the tables.
            drop(Sqlite::open(&copy, Secrets::default()).unwrap());
            assert_eq!(numbers(&copy, 0), expected);
            let connection = Connection::open(&copy).unwrap();
            let rows = "SELECT count(*) FROM entries";
            let rows: usize = connection.query_row(rows, [], |row| row.get(0)).unwrap();
            assert_eq!(rows, expected.len());
        }
    }

    #[test]
    fn lines_that_are_in_the_tables_already_count_for_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.db");
        let mut journal = Sqlite::open(&path, Secrets::default()).unwrap();
        journal.begin_run().unwrap();
        journal.append(Duration::ZERO, &[outcome(1, "a")], Safety::Crash).unwrap();
        journal.append(Duration::ZERO, &[outcome(2, "b")], Safety::PowerLoss).unwrap();
        let lines = fs::read(tail::beside(&path)).unwrap();
        drop(journal);
        drop(Sqlite::open(&path, Secrets::default()).unwrap());
        // As if the engine had died before it cleared the file.
        fs::write(tail::beside(&path), lines).unwrap();
        let count = |journal: &Sqlite| journal.records(1, 0).unwrap().len();
        assert_eq!(count(&Sqlite::read_only(&path).unwrap()), 2);
        assert_eq!(count(&Sqlite::open(&path, Secrets::default()).unwrap()), 2);
    }

    #[test]
    fn a_long_file_beside_the_tables_is_put_into_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.db");
        let mut journal = Sqlite::open(&path, Secrets::default()).unwrap();
        journal.begin_run().unwrap();
        let long = "word ".repeat(20_000);
        for number in 1..=19 {
            journal.append(Duration::ZERO, &[outcome(number, &long)], Safety::Crash).unwrap();
        }
        assert!(fs::metadata(tail::beside(&path)).unwrap().len() < 1_200_000);
        assert_eq!(Sqlite::read_only(&path).unwrap().records(1, 0).unwrap().len(), 19);
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

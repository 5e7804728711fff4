//! What a journal keeps when a process is killed while it is written.

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
        // A reader while the engine runs.
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
        next.append(Duration::ZERO, &all[done..done + 1.min(40 - done)], Safety::Crash).unwrap();
        drop(next);
        let expected: Vec<u64> = (1..=(done as u64 + 1).min(40)).collect();
        assert_eq!(numbers(&copy, 0), expected);
        // The next engine has all of them in the tables.
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

#[test]
fn files_that_are_missing_are_seen_by_readers_and_writers() {
    type Damage = fn(&Path);
    let damages: [(&str, Damage); 5] = [
        ("no tail", |path| fs::remove_file(tail::beside(path)).unwrap()),
        ("an empty tail", |path| fs::write(tail::beside(path), "").unwrap()),
        ("words", |path| fs::write(tail::beside(path), "words\n").unwrap()),
        ("no tables", |path| fs::write(path, "").unwrap()),
        ("a journal of nothing beside an old tail", |path| {
            let other = path.with_file_name("other.db");
            drop(Sqlite::open(&other, Secrets::default()).unwrap());
            fs::copy(&other, path).unwrap();
        }),
    ];
    for (name, damage) in damages {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.db");
        for number in 1..=2 {
            let mut journal = Sqlite::open(&path, Secrets::default()).unwrap();
            journal.begin_run().unwrap();
            journal.append(Duration::ZERO, &[outcome(number, "a")], Safety::Crash).unwrap();
        }
        damage(&path);
        let reader = Sqlite::read_only(&path).unwrap();
        assert!(reader.last_run().is_err(), "{name}");
        drop(reader);
        assert!(Sqlite::open(&path, Secrets::default()).is_err(), "{name}");
        assert!(Sqlite::open(&path, Secrets::default()).is_err(), "{name}, the second time");
    }
}

#[test]
fn a_journal_of_the_third_version_is_taken_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.db");
    let mut journal = Sqlite::open(&path, Secrets::default()).unwrap();
    journal.begin_run().unwrap();
    journal.append(Duration::ZERO, &[outcome(1, "a")], Safety::Crash).unwrap();
    drop(journal);
    let journal = Sqlite::open(&path, Secrets::default()).unwrap();
    journal.connection.pragma_update(None, "user_version", THIRD).unwrap();
    drop(journal);
    let entry = serde_json::to_string(&outcome(2, "b")).unwrap();
    let line = format!("{{\"run\":1,\"seq\":2,\"at\":3,\"entries\":[{entry}]}}\n");
    fs::write(tail::beside(&path), format!("{line}{{\"run\":1,\"se")).unwrap();
    let expected = [outcome(1, "a"), outcome(2, "b")];
    let entries = |journal: &Sqlite| {
        assert_eq!(journal.last_run().unwrap(), 1);
        journal.records(1, 0).unwrap().into_iter().map(|it| it.entry).collect::<Vec<_>>()
    };
    assert_eq!(entries(&Sqlite::read_only(&path).unwrap()), expected);
    for _ in 0..2 {
        assert_eq!(entries(&Sqlite::open(&path, Secrets::default()).unwrap()), expected);
    }
}

#[test]
fn a_journal_that_was_removed_because_nothing_ran_can_be_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.db");
    Sqlite::open(&path, Secrets::default()).unwrap().remove_unused();
    assert!(!path.exists() && !tail::beside(&path).exists());
    // As if its remover had been killed in between.
    tail::make(&path).unwrap();
    assert_eq!(Sqlite::open(&path, Secrets::default()).unwrap().last_run().unwrap(), 0);
}

//! Reading the journal of a deployment, also where nothing can be written.

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use super::error::Error;
use super::journal_error::{is_on_full_disk, unread};
use crate::deployment::Deployment;
use crate::entry::Record;
use crate::journal::JournalError;
use crate::journal::sqlite::Sqlite;

/// Opens a journal to read it. Where nothing can be written, a copy is read.
pub fn open(deployment: &Deployment) -> Result<Sqlite, Error> {
    let path = deployment.journal();
    let opened = Sqlite::read_only(&path).and_then(|journal| journal.last_run().map(|_| journal));
    match opened {
        Ok(journal) => Ok(journal),
        Err(why) if is_guarded(&path) => copied(&path).map_err(|_| unread(&path, &why)),
        Err(why) => Err(unread(&path, &why)),
    }
}

/// The entries of a run after the entry `after`.
pub fn records(
    deployment: &Deployment,
    journal: &Sqlite,
    run: u64,
    after: u64,
) -> Result<Vec<Record>, Error> {
    journal.records(run, after).map_err(|why| unread(&deployment.journal(), &why))
}

/// The number of the last run; 0 when there was none.
pub fn last_number(deployment: &Deployment, journal: &Sqlite) -> Result<u64, Error> {
    journal.last_run().map_err(|why| unread(&deployment.journal(), &why))
}

/// Whether a file can be read and nothing be written beside it.
fn is_guarded(path: &Path) -> bool {
    if is_on_full_disk(path) {
        return fs::File::open(path).is_ok();
    }
    let beside = path.with_extension("probe");
    let made = fs::OpenOptions::new().create_new(true).write(true).open(&beside);
    let is_guarded = made.is_err();
    if !is_guarded {
        let _ = fs::remove_file(beside);
    }
    is_guarded && fs::File::open(path).is_ok()
}

/// A journal as a copy of its files has it.
fn copied(path: &Path) -> Result<Sqlite, JournalError> {
    let unique = format!("windlass-{}-{:?}", std::process::id(), std::time::Instant::now());
    let unique = unique.replace(|c: char| !c.is_ascii_alphanumeric() && c != '-', "");
    let folder = std::env::temp_dir().join(unique);
    fs::DirBuilder::new().mode(0o700).create(&folder)?;
    let copy = folder.join("journal.db");
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let opened = fs::copy(path, &copy).map_err(JournalError::from).and_then(|_| {
        // Without a log everything is in the file.
        let _ = fs::copy(log, folder.join("journal.db-wal"));
        let journal = Sqlite::read_only(&copy)?.of_copy(path);
        journal.last_run()?;
        Ok(journal)
    });
    // What is open stays readable.
    let _ = fs::remove_dir_all(&folder);
    opened
}

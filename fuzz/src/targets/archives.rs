//! Archives: every file that is listed has a safe name and can be read or is refused with words.
//!
//! Their readers belong to the command line, which has no library, so its files are read here.

#[path = "../../../crates/windlass-cli/src/files/archive.rs"]
mod archive;
#[allow(dead_code, reason = "the command line uses more of it")]
#[path = "../../../crates/windlass-cli/src/files/cache.rs"]
mod cache;
#[path = "../../../crates/windlass-cli/src/files/tar.rs"]
mod tar_files;
#[path = "../../../crates/windlass-cli/src/files/zip.rs"]
mod zip_files;

use self::cache::FileCache;
use self::tar_files::TarFiles;
use self::zip_files::ZipFiles;
use super::findings;
use std::io::Cursor;
use windlass::lang::{self, tosca::csar};
use windlass::source::Sources;
use windlass::source::files::{FileError, Files, Limits};

/// Small enough that whatever unpacks to more is refused soon.
const LIMITS: Limits = Limits {
    file_bytes: 1 << 16,
    total_bytes: 1 << 18,
    files: 64,
    archive_entries: 64,
    archive_bytes: 1 << 20,
};

/// A zip archive, such as a CSAR.
pub(super) fn zip(input: &[u8]) -> u64 {
    look(ZipFiles::open(Cursor::new(input), "a.zip", LIMITS, &FileCache::default()), "a.zip")
}

/// A tar archive, packed with gzip when it starts so.
pub(super) fn tar(input: &[u8]) -> u64 {
    if input.starts_with(&[0x1f, 0x8b]) {
        let unpacked = flate2::read::MultiGzDecoder::new(input);
        return look(TarFiles::open(unpacked, "a.tar", LIMITS, &FileCache::default()), "a.tar");
    }
    look(TarFiles::open(input, "a.tar", LIMITS, &FileCache::default()), "a.tar")
}

/// Reads everything there is, twice through different doors.
fn look(opened: Result<impl Files, FileError>, archive: &str) -> u64 {
    let mut files = match opened {
        Ok(files) => files,
        Err(error) => {
            assert!(!error.to_string().is_empty(), "an error without words");
            return super::behavior(std::iter::once(error.code()), 0);
        }
    };
    let mut codes = Vec::new();
    let names = files.names();
    assert!(names.len() <= LIMITS.archive_entries, "more entries than the limit");
    for name in &names {
        let parts = || name.split('/');
        assert!(parts().all(|part| !matches!(part, "" | "." | "..")), "an unsafe name: {name:?}");
        match files.read(None, name) {
            Ok(file) => {
                assert_eq!(file.name, format!("{archive}/{name}"), "another file");
                assert!(file.text.len() as u64 <= LIMITS.file_bytes, "a file over the limit");
                assert_eq!(files.exists(None, name), Ok(()), "read, and not there");
            }
            Err(error) => codes.push(error.code()),
        }
    }
    assert!(files.record().bytes() <= LIMITS.total_bytes, "more bytes than the limit");
    // Another look from the start of the archive, as `check` takes it.
    if let Ok(Some(entry)) = csar::entry(&mut files) {
        let mut sources = Sources::new();
        let root = sources.add(entry.file.name, entry.file.text);
        let reading = lang::read_with(None, root, &entry.path, &mut sources, &mut files);
        findings::check(&sources, &reading.findings);
        codes.extend(reading.findings.iter().map(|finding| finding.code));
    }
    super::behavior(codes.into_iter(), names.len())
}

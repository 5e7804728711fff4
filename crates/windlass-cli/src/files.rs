//! Files of a disk and of archives, behind the library's [`Files`].
//!
//! Nothing is unpacked to a disk, nothing outside of the root is opened, and every limit holds
//! for the bytes that were really read, whatever an archive says about itself.

mod archive;
mod disk;
mod tar;
mod zip;

pub(crate) use disk::DiskFiles;
pub(crate) use tar::TarFiles;
pub(crate) use zip::ZipFiles;

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

use windlass::source::files::{FileError, Files, Limits};

/// What a path on the command line turned out to be.
pub(crate) struct Opened {
    /// The files that may be read from there.
    pub(crate) files: Box<dyn Files>,
    /// The file to begin with, as a path for [`Files::read`]; none in an archive, whose language
    /// decides where to begin.
    pub(crate) entry: Option<String>,
}

/// Opens a file, whose folder then is the root, or an archive.
pub(crate) fn open(path: &Path, limits: Limits) -> Result<Opened, FileError> {
    let shown = path.to_string_lossy().into_owned();
    match archive_kind(path) {
        Some(kind) => {
            let unreadable = |error: std::io::Error| disk::unreadable(&shown, &error);
            let mut file = File::open(path).map_err(unreadable)?;
            file.rewind().map_err(unreadable)?;
            let files: Box<dyn Files> = match kind {
                ArchiveKind::Zip => Box::new(ZipFiles::open(BufReader::new(file), &shown, limits)?),
                ArchiveKind::Tar => Box::new(TarFiles::open(file, &shown, limits)?),
                ArchiveKind::TarGz => {
                    let reader = flate2::read::MultiGzDecoder::new(BufReader::new(file));
                    Box::new(TarFiles::open(reader, &shown, limits)?)
                }
            };
            Ok(Opened { files, entry: None })
        }
        None => {
            let root = path.parent().unwrap_or(Path::new(""));
            let Some(name) = path.file_name() else {
                return Err(FileError::Unreadable { name: shown, reason: "it is a folder".into() });
            };
            let files = Box::new(DiskFiles::new(root, limits)?);
            Ok(Opened { files, entry: Some(name.to_string_lossy().into_owned()) })
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ArchiveKind {
    Zip,
    Tar,
    TarGz,
}

/// Whether a file is an archive, by its first bytes and not by its name.
fn archive_kind(path: &Path) -> Option<ArchiveKind> {
    // A pipe or a device must not be opened just to look at it.
    if !std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        return None;
    }
    let mut head = Vec::new();
    File::open(path).ok()?.take(262).read_to_end(&mut head).ok()?;
    match head.as_slice() {
        [b'P', b'K', 3 | 5, 4 | 6, ..] => Some(ArchiveKind::Zip),
        [0x1f, 0x8b, ..] => Some(ArchiveKind::TarGz),
        head if head.get(257..262) == Some(b"ustar") => Some(ArchiveKind::Tar),
        _ => None,
    }
}

#[cfg(test)]
mod tests;

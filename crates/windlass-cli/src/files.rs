//! Files of a disk and of archives, behind the library's [`Files`].
//!
//! Nothing is unpacked to a disk, nothing outside of the root is opened, and every limit holds
//! for the bytes that were really read, whatever an archive says about itself.

mod archive;
pub(crate) mod csar;
mod disk;
mod tar;
mod zip;

pub(crate) use disk::DiskFiles;
pub(crate) use tar::TarFiles;
pub(crate) use zip::ZipFiles;

use std::fs::File;
use std::io::{BufReader, Read};
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
    match archive_kind(path) {
        Some(kind) => Ok(Opened { files: open_archive(path, kind, limits)?, entry: None }),
        None => open_file(path, limits),
    }
}

/// A file on the disk. Who names a link means the file behind it, and that file's folder.
fn open_file(path: &Path, limits: Limits) -> Result<Opened, FileError> {
    let folder = |path: &Path| path.parent().unwrap_or(Path::new("")).to_owned();
    let mut files = DiskFiles::new(&folder(path), limits)?;
    let mut path = path.to_owned();
    if let Ok(real) = path.canonicalize()
        && !files.contains(&real)
    {
        files = DiskFiles::new(&folder(&real), limits)?;
        path = real;
    }
    let Some(name) = path.file_name() else {
        let name = path.to_string_lossy().into_owned();
        return Err(FileError::Unreadable { name, reason: "it is a folder".to_owned() });
    };
    let entry = Some(name.to_string_lossy().into_owned());
    Ok(Opened { files: Box::new(files), entry })
}

/// Whether something is an archive and is wrong with that.
pub(crate) fn is_about_archive(error: &FileError) -> bool {
    use FileError::{ArchiveBomb, BrokenArchive, UnsafeName};
    matches!(error, ArchiveBomb { .. } | BrokenArchive { .. } | UnsafeName { .. })
}

/// A form of archives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ArchiveKind {
    /// Zip, such as a CSAR.
    Zip,
    /// Tar.
    Tar,
    /// Tar, packed with gzip.
    TarGz,
}

/// Whether a path names an archive.
pub(crate) fn looks_like_archive(path: &Path) -> bool {
    archive_kind(path).is_some()
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
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(ArchiveKind::Zip),
        [0x1f, 0x8b, ..] => Some(ArchiveKind::TarGz),
        head if head.get(257..262) == Some(b"ustar") => Some(ArchiveKind::Tar),
        _ => None,
    }
}

/// Opens an archive.
fn open_archive(
    path: &Path,
    kind: ArchiveKind,
    limits: Limits,
) -> Result<Box<dyn Files>, FileError> {
    opened(path, &path.to_string_lossy(), kind, limits)
}

/// Opens an archive that people call so.
fn opened(
    path: &Path,
    shown: &str,
    kind: ArchiveKind,
    limits: Limits,
) -> Result<Box<dyn Files>, FileError> {
    let file = File::open(path).map_err(|error| disk::unreadable(shown, &error))?;
    let reader = BufReader::new(file);
    Ok(match kind {
        ArchiveKind::Zip => Box::new(ZipFiles::open(reader, shown, limits)?),
        ArchiveKind::Tar => Box::new(TarFiles::open(reader, shown, limits)?),
        ArchiveKind::TarGz => {
            let unpacked = flate2::read::MultiGzDecoder::new(reader);
            Box::new(TarFiles::open(unpacked, shown, limits)?)
        }
    })
}

#[cfg(test)]
mod tests;

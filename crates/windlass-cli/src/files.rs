//! Files of a disk and of archives, behind the library's [`Files`].
//!
//! Nothing is unpacked to a disk, nothing outside of the root is opened, and every limit holds
//! for the bytes that were really read, whatever an archive says about itself.

mod archive;
mod cache;
pub(crate) mod csar;
mod disk;
mod tar;
mod zip;

pub(crate) use cache::FileCache;
pub(crate) use disk::DiskFiles;
pub(crate) use tar::TarFiles;
pub(crate) use zip::ZipFiles;

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use windlass::source::files::{FileError, Files, Limits};

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

/// Opens an archive; none when the path names anything else.
pub(crate) fn open_archive(
    path: &Path,
    limits: Limits,
    cache: &FileCache,
) -> Result<Option<Box<dyn Files>>, FileError> {
    let Some(kind) = archive_kind(path) else { return Ok(None) };
    opened(path, &path.to_string_lossy(), kind, limits, cache).map(Some)
}

/// Opens an archive that people call so.
fn opened(
    path: &Path,
    shown: &str,
    kind: ArchiveKind,
    limits: Limits,
    cache: &FileCache,
) -> Result<Box<dyn Files>, FileError> {
    let file = File::open(path).map_err(|error| disk::unreadable(shown, &error))?;
    let reader = BufReader::new(file);
    Ok(match kind {
        ArchiveKind::Zip => Box::new(ZipFiles::open(reader, shown, limits, cache)?),
        ArchiveKind::Tar => Box::new(TarFiles::open(reader, shown, limits, cache)?),
        ArchiveKind::TarGz => {
            let unpacked = flate2::read::MultiGzDecoder::new(reader);
            Box::new(TarFiles::open(unpacked, shown, limits, cache)?)
        }
    })
}

#[cfg(test)]
mod tests;

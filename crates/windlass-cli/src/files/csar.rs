//! Writing a CSAR: a new one, or one that is there with some of its files replaced.
//!
//! What is not replaced is copied as it is packed, so it stays the same byte for byte.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Write as _};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// The bytes of a new archive with these files, in this order.
pub(crate) fn create(files: &[(String, String)]) -> io::Result<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        archive.start_file(name.as_str(), options())?;
        archive.write_all(text.as_bytes())?;
    }
    Ok(archive.finish()?.into_inner())
}

/// The bytes of the archive at `path` with these files replaced; the order of its entries stays.
pub(crate) fn replace(path: &Path, files: &[(String, String)]) -> io::Result<Vec<u8>> {
    let mut old = ZipArchive::new(BufReader::new(File::open(path)?))?;
    let mut new = ZipWriter::new(Cursor::new(Vec::new()));
    let mut waiting: BTreeMap<&str, &str> =
        files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    new.set_raw_comment(old.comment().into())?;
    for index in 0..old.len() {
        let entry = old.by_index_raw(index)?;
        match waiting.remove(entry.name()?.as_ref()) {
            Some(text) => {
                let name = entry.name()?.into_owned();
                drop(entry);
                new.start_file(name, options())?;
                new.write_all(text.as_bytes())?;
            }
            None => new.raw_copy_file(entry)?,
        }
    }
    if let Some((name, _)) = waiting.first_key_value() {
        return Err(io::Error::other(format!("there is no entry `{name}`")));
    }
    Ok(new.finish()?.into_inner())
}

/// Packed, without a time: the same input gives the same bytes.
fn options() -> SimpleFileOptions {
    SimpleFileOptions::default().compression_method(CompressionMethod::Deflated)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn what_is_not_replaced_stays_as_it_is_packed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csar");
        let files = [("a.txt", "aaaa"), ("b/c.txt", "old"), ("d", "")];
        let files = files.map(|(name, text)| (name.to_owned(), text.to_owned()));
        let bytes = create(&files).unwrap();
        assert_eq!(bytes, create(&files).unwrap(), "the same input gives the same bytes");
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(replace(&path, &[]).unwrap(), bytes, "nothing changes");
        let changed = replace(&path, &[("b/c.txt".to_owned(), "new text".to_owned())]).unwrap();
        let mut archive = ZipArchive::new(Cursor::new(changed)).unwrap();
        let mut found = Vec::new();
        for index in 0..archive.len() {
            let mut entry = archive.by_index(index).unwrap();
            let mut text = String::new();
            entry.read_to_string(&mut text).unwrap();
            found.push((entry.name().unwrap().into_owned(), text));
        }
        let [a, _, d] = files;
        assert_eq!(found, [a, ("b/c.txt".to_owned(), "new text".to_owned()), d]);
        replace(&path, &[("x".to_owned(), String::new())]).expect_err("no such entry");
    }
}

//! Tests of files that want to do harm: on a disk, in zip and in tar archives.

use std::io::{Cursor, Write};
use std::os::unix::fs::symlink;

use super::*;

type Entries<'a> = &'a [(&'a str, &'a [u8])];

fn small_limits() -> Limits {
    Limits { file_bytes: 1000, total_bytes: 3000, archive_bytes: 20_000, ..Limits::default() }
}

fn zipped(entries: Entries<'_>) -> Vec<u8> {
    let mut writer = ::zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in entries {
        writer.start_file(*name, ::zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A tar archive with names as they are: the crate's builder would refuse the bad ones.
fn tarred(entries: Entries<'_>) -> Vec<u8> {
    let mut builder = ::tar::Builder::new(Vec::new());
    for (name, content) in entries {
        let mut header = ::tar::Header::new_gnu();
        header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(content.len() as u64);
        header.set_cksum();
        builder.append(&header, *content).unwrap();
    }
    builder.into_inner().unwrap()
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Both forms of archives with the same entries, opened.
fn archives(entries: Entries<'_>, limits: Limits) -> Vec<Result<Box<dyn Files>, FileError>> {
    let zip =
        ZipFiles::open(Cursor::new(zipped(entries)), "app.csar", limits, &FileCache::default());
    let tar =
        TarFiles::open(Cursor::new(tarred(entries)), "app.csar", limits, &FileCache::default());
    vec![zip.map(|files| Box::new(files) as _), tar.map(|files| Box::new(files) as _)]
}

fn open(path: &Path) -> Result<Option<Box<dyn Files>>, FileError> {
    open_archive(path, small_limits(), &FileCache::default())
}

fn text(files: &mut dyn Files, from: Option<&str>, path: &str) -> Result<String, FileError> {
    files.read(from, path).map(|file| format!("{}: {}", file.name, file.text))
}

#[test]
fn archives_are_read_like_folders() {
    let entries: Entries<'_> =
        &[("app.yaml", b"a"), ("types/db.yaml", b"b"), ("types\\win.yaml", b"c")];
    for files in archives(entries, small_limits()) {
        let mut files = files.unwrap();
        assert_eq!(files.names(), ["app.yaml", "types/db.yaml", "types/win.yaml"]);
        let files = files.as_mut();
        assert_eq!(text(files, None, "app.yaml"), Ok("app.csar/app.yaml: a".to_owned()));
        let from = Some("app.csar/app.yaml");
        assert_eq!(text(files, from, "types/db.yaml"), Ok("app.csar/types/db.yaml: b".to_owned()));
        let from = Some("app.csar/types/db.yaml");
        assert_eq!(text(files, from, "../app.yaml"), Ok("app.csar/app.yaml: a".to_owned()));
        assert_eq!(files.exists(from, "win.yaml"), Ok(()));
        assert_eq!(files.read(from, "../../x").unwrap_err().code(), "FILE002");
        assert_eq!(files.read(from, "/app.yaml").unwrap_err().code(), "FILE002");
        assert_eq!(
            files.read(from, "app.yaml").unwrap_err().to_string(),
            "there is no file `app.csar/types/app.yaml`"
        );
        assert_eq!(files.record().names().len(), 3);
    }
}

#[test]
fn archives_with_names_that_leave_them_are_refused() {
    for name in ["../x", "a/../../x", "a/../b", "/etc/passwd", "..\\x", "C:\\x", "C:x", "a\u{1}b"] {
        for files in archives(&[("good", b""), (name, b"")], small_limits()) {
            let error = files.err().unwrap();
            assert_eq!(error.code(), "FILE009", "{name}: {error}");
        }
    }
}

#[test]
fn entries_that_unpack_to_too_much_are_refused_by_what_they_really_are() {
    let zeros = vec![b'0'; 1001];
    for files in archives(&[("bomb", &zeros), ("good", b"x")], small_limits()) {
        let mut files = files.unwrap();
        let error = files.read(None, "bomb").unwrap_err();
        assert_eq!(error.code(), "FILE008", "{error}");
        assert!(files.read(None, "good").is_ok());
        assert_eq!(files.exists(None, "bomb"), Ok(()));
    }
    // The archive lies about the size: what is unpacked counts, or the lie is found out.
    let mut lie = zipped(&[("bomb", &zeros)]);
    let size = 1001_u32.to_le_bytes();
    let places: Vec<usize> = (0..lie.len() - 4).filter(|at| lie[*at..*at + 4] == size).collect();
    for at in places {
        lie[at..at + 4].copy_from_slice(&10_u32.to_le_bytes());
    }
    let error = ZipFiles::open(Cursor::new(lie), "app.csar", small_limits(), &FileCache::default())
        .and_then(|mut files| files.read(None, "bomb"))
        .unwrap_err();
    assert!(["FILE007", "FILE008"].contains(&error.code()), "{error}");
}

#[test]
fn a_packed_tar_ends_at_its_limit() {
    let zeros = vec![b'0'; 1_000_000];
    let bomb = gzipped(&tarred(&[("bomb", &zeros)]));
    assert!(bomb.len() < 2000);
    let reader = flate2::read::MultiGzDecoder::new(Cursor::new(bomb));
    let error =
        TarFiles::open(reader, "app.tgz", small_limits(), &FileCache::default()).err().unwrap();
    assert_eq!(
        error.to_string(),
        "the archive `app.tgz` has more than 20000 bytes when it is unpacked"
    );
    assert_eq!(error.code(), "FILE008");
}

#[test]
fn files_of_an_archive_are_limited_together() {
    let kilobyte = vec![b'k'; 1000];
    let entries: Entries<'_> =
        &[("a", &kilobyte), ("b", &kilobyte), ("c", &kilobyte), ("d", &kilobyte)];
    for files in archives(entries, small_limits()) {
        let mut files = files.unwrap();
        for name in ["a", "b", "c"] {
            assert!(files.read(None, name).is_ok());
        }
        assert_eq!(files.read(None, "d").unwrap_err().code(), "FILE004");
    }
}

#[test]
fn too_many_entries_are_refused() {
    let limits = Limits { archive_entries: 2, ..Limits::default() };
    for files in archives(&[("a", b""), ("b", b""), ("c", b"")], limits) {
        assert_eq!(files.err().unwrap().code(), "FILE008");
    }
}

#[test]
fn two_entries_with_one_name_are_refused() {
    for names in [("a", "a"), ("x/a", "x\\a")] {
        // The zip writer refuses equal names, so the second one is changed afterwards.
        let other = names.1.replace('a', "b");
        let mut zip = zipped(&[(names.0, b"1"), (&other, b"2")]);
        for at in 0..zip.len() - other.len() {
            if &zip[at..at + other.len()] == other.as_bytes() {
                zip[at..at + other.len()].copy_from_slice(names.1.as_bytes());
            }
        }
        let error =
            ZipFiles::open(Cursor::new(zip), "app.csar", small_limits(), &FileCache::default())
                .err()
                .unwrap();
        assert_eq!(error.code(), "FILE007", "{error}");
        let tar = tarred(&[(names.0, b"1"), (names.1, b"2")]);
        let error =
            TarFiles::open(Cursor::new(tar), "app.csar", small_limits(), &FileCache::default())
                .err()
                .unwrap();
        assert_eq!(
            error.to_string(),
            format!(
                "the archive `app.csar` cannot be read: it has two entries with the name `{}`",
                names.0
            )
        );
    }
}

#[test]
fn encrypted_entries_are_refused() {
    let mut zip = zipped(&[("secret", b"text")]);
    // Bit 0 of the flags, in the local header and in the list of entries.
    for (signature, flags) in [(b"PK\x03\x04", 6), (b"PK\x01\x02", 8)] {
        let at = zip.windows(4).position(|window| window == signature).unwrap();
        zip[at + flags] |= 1;
    }
    let error = ZipFiles::open(Cursor::new(zip), "app.csar", small_limits(), &FileCache::default())
        .err()
        .unwrap();
    assert_eq!(
        error.to_string(),
        "the archive `app.csar` cannot be read: its entry `secret` is encrypted"
    );
}

#[test]
fn damaged_archives_are_refused_and_never_fatal() {
    let content: Vec<u8> = (0..200_u32).flat_map(u32::to_le_bytes).collect();
    let entries: Entries<'_> = &[("a.yaml", &content), ("b/c.yaml", b"text")];
    let read_all = |files: &mut dyn Files| {
        files.names().iter().map(|name| files.read(None, name).is_ok()).collect::<Vec<_>>()
    };
    let (zip, tar) = (zipped(entries), tarred(entries));
    for cut in 0..zip.len() {
        let files =
            ZipFiles::open(Cursor::new(&zip[..cut]), "x", small_limits(), &FileCache::default());
        assert_eq!(files.err().map(|error| error.code()), Some("FILE007"), "{cut}");
    }
    let cut = TarFiles::open(Cursor::new(&tar[..700]), "x", small_limits(), &FileCache::default());
    assert_eq!(cut.err().map(|error| error.code()), Some("FILE007"));
    for at in 0..zip.len() {
        let mut damaged = zip.clone();
        damaged[at] ^= 0x55;
        if let Ok(mut files) =
            ZipFiles::open(Cursor::new(damaged), "x", small_limits(), &FileCache::default())
        {
            read_all(&mut files);
        }
    }
    for at in 0..tar.len() {
        let mut damaged = tar.clone();
        damaged[at] ^= 0x55;
        if let Ok(mut files) =
            TarFiles::open(Cursor::new(damaged), "x", small_limits(), &FileCache::default())
        {
            read_all(&mut files);
        }
    }
}

#[test]
fn links_in_archives_are_not_followed() {
    let mut builder = ::tar::Builder::new(Vec::new());
    let mut header = ::tar::Header::new_gnu();
    header.set_entry_type(::tar::EntryType::Symlink);
    header.set_size(0);
    builder.append_link(&mut header, "link", "/etc/passwd").unwrap();
    let tar = builder.into_inner().unwrap();
    let mut tar =
        TarFiles::open(Cursor::new(tar), "x", small_limits(), &FileCache::default()).unwrap();
    let mut writer = ::zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = ::zip::write::SimpleFileOptions::default();
    writer.add_symlink("link", "/etc/passwd", options).unwrap();
    let zip = writer.finish().unwrap();
    let mut zip = ZipFiles::open(zip, "x", small_limits(), &FileCache::default()).unwrap();
    for files in [&mut tar as &mut dyn Files, &mut zip] {
        assert_eq!(
            files.read(None, "link").unwrap_err().to_string(),
            "`x/link` cannot be read: links in archives are not followed"
        );
        assert!(files.names().is_empty());
    }
}

#[test]
fn a_disk_is_read_below_the_root_only() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    std::fs::create_dir_all(root.join("types")).unwrap();
    std::fs::write(root.join("app.yaml"), "a").unwrap();
    std::fs::write(root.join("types/db.yaml"), "b").unwrap();
    std::fs::write(folder.path().join("secret"), "s").unwrap();
    symlink("types/db.yaml", root.join("inside")).unwrap();
    symlink(folder.path().join("secret"), root.join("outside")).unwrap();
    symlink(folder.path(), root.join("up")).unwrap();
    symlink("itself", root.join("itself")).unwrap();
    let cache = FileCache::default();
    let mut files = DiskFiles::new(&root, small_limits(), &cache).unwrap();
    let app = files.read(None, "app.yaml").unwrap();
    assert_eq!(
        (app.name.as_str(), app.text.as_str()),
        (root.join("app.yaml").to_str().unwrap(), "a")
    );
    let from = Some(app.name.as_str());
    let db = files.read(from, "types/db.yaml").unwrap();
    let link = files.read(from, "./types/../inside").unwrap();
    assert_eq!(link.name, root.join("inside").to_str().unwrap());
    assert_eq!((db.identity, db.text), (link.identity, link.text));
    let absolute = root.join("types/db.yaml");
    assert!(files.read(from, absolute.to_str().unwrap()).is_ok());
    let secret = folder.path().join("secret");
    for path in [
        "../secret",
        "outside",
        "up/secret",
        "up/root/../secret",
        "/etc/passwd",
        "/nonexistent/x",
        "../nonexistent",
        "types/../../secret",
        secret.to_str().unwrap(),
    ] {
        assert_eq!(files.read(from, path).unwrap_err().code(), "FILE002", "{path}");
        assert_eq!(files.exists(from, path).unwrap_err().code(), "FILE002", "{path}");
    }
    for (path, code) in [
        ("typo.yaml", "FILE001"),
        ("types", "FILE010"),
        ("app.yaml/x", "FILE001"),
        ("itself", "FILE010"),
        ("https://x/y", "FILE011"),
        ("", "FILE001"),
        ("a\0b", "FILE001"),
    ] {
        assert_eq!(files.read(from, path).unwrap_err().code(), code, "{path}");
    }
    assert_eq!(files.record().names().len(), 4);
    // What was read through a link is not read again.
    assert_eq!(cache.log().reads().values().sum::<usize>(), 2);
}

#[test]
fn a_disk_keeps_the_limits() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("large"), vec![b'a'; 1001]).unwrap();
    std::fs::write(folder.path().join("latin1"), b"caf\xe9").unwrap();
    let mut files = DiskFiles::new(folder.path(), small_limits(), &FileCache::default()).unwrap();
    assert_eq!(files.read(None, "large").unwrap_err().code(), "FILE003");
    assert_eq!(files.read(None, "latin1").unwrap_err().code(), "FILE005");
}

#[test]
fn archives_are_recognized_by_their_first_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let entries: Entries<'_> = &[("app.yaml", b"a")];
    for bytes in [zipped(entries), tarred(entries), gzipped(&tarred(entries))] {
        let path = folder.path().join("app");
        std::fs::write(&path, bytes).unwrap();
        let mut files = open(&path).unwrap().expect("an archive");
        let file = files.read(None, "app.yaml").unwrap();
        assert_eq!(file.name, format!("{}/app.yaml", path.display()));
    }
    std::fs::write(folder.path().join("app.yaml"), "PK").unwrap();
    for other in ["app.yaml", "missing", "no/file", ""] {
        assert!(open(&folder.path().join(other)).unwrap().is_none(), "{other}");
    }
}

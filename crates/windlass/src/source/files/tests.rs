//! Tests of the law that all forms of files keep.

use super::*;
use crate::source::{SourceId, Span};

fn files() -> MemoryFiles {
    MemoryFiles::new(Limits::default())
        .with("app.yaml", "a")
        .with("types/db.yaml", "b")
        .with("types/common/base.yaml", "c")
        .with("bad.yaml", vec![b'a', 0xff])
        .with("wide.yaml", vec![0xff, 0xfe, b'a', 0])
}

#[test]
fn paths_are_relative_to_the_file_that_names_them() {
    let mut files = files();
    let mut name = |from: Option<&str>, path: &str| files.read(from, path).map(|file| file.name);
    assert_eq!(name(None, "app.yaml"), Ok("app.yaml".to_owned()));
    assert_eq!(name(Some("app.yaml"), "types/db.yaml"), Ok("types/db.yaml".to_owned()));
    assert_eq!(
        name(Some("types/db.yaml"), "./common/base.yaml"),
        Ok("types/common/base.yaml".to_owned())
    );
    assert_eq!(name(Some("types/common/base.yaml"), "../../app.yaml"), Ok("app.yaml".to_owned()));
    assert_eq!(
        files.record().names(),
        ["app.yaml", "types/db.yaml", "types/common/base.yaml", "app.yaml"]
    );
    assert_eq!(files.record().bytes(), 4);
}

#[test]
fn no_path_leaves_the_root() {
    for path in ["../x", "types/../../x", "/etc/passwd", "a/b/../../../app.yaml"] {
        let error = files().read(Some("app.yaml"), path).unwrap_err();
        assert_eq!(error.code(), "FILE002", "{path}");
        assert_eq!(files().exists(None, path).unwrap_err().code(), "FILE002", "{path}");
    }
}

#[test]
fn other_wrong_paths_have_their_own_words() {
    for (path, code, message) in [
        ("", "FILE001", "`` is not the path of a file: it is empty"),
        ("a\0b", "FILE001", "`a\0b` is not the path of a file: it contains a control character"),
        ("a\\b", "FILE001", "`a\\b` is not the path of a file: folders are separated by `/`"),
        ("types/", "FILE001", "`types/` is not the path of a file: it names a folder"),
        (".", "FILE001", "`.` is not the path of a file: it names a folder"),
        ("https://x/y", "FILE011", "`https://x/y` is an address on the network"),
        ("//x/y", "FILE011", "`//x/y` is an address on the network"),
        ("typo.yaml", "FILE001", "there is no file `typo.yaml`"),
        ("types", "FILE001", "there is no file `types`"),
        ("bad.yaml", "FILE005", "`bad.yaml` is not UTF-8: byte 1 is wrong"),
        ("wide.yaml", "FILE005", "`wide.yaml` is UTF-16, not UTF-8"),
    ] {
        let error = files().read(None, path).unwrap_err();
        assert_eq!((error.code(), error.to_string().as_str()), (code, message));
    }
}

#[test]
fn limits_hold_for_one_file_for_all_files_and_for_their_number() {
    let limits = Limits { file_bytes: 4, total_bytes: 6, files: 3, ..Limits::default() };
    let files = MemoryFiles::new(limits).with("4", "1234").with("5", "12345").with("2", "12");
    let mut one = files.clone();
    assert_eq!(one.read(None, "5").unwrap_err().to_string(), "`5` has more than 4 bytes");
    let mut all = files.clone();
    all.read(None, "4").unwrap();
    assert_eq!(
        all.read(None, "4").unwrap_err().to_string(),
        "with `4` all files together have more than 6 bytes"
    );
    all.read(None, "2").unwrap();
    let mut number = files;
    for _ in 0..3 {
        number.read(None, "2").unwrap();
    }
    assert_eq!(
        number.read(None, "2").unwrap_err().to_string(),
        "`2` is not read because 3 files were read already"
    );
}

#[test]
fn an_import_cycle_is_reported_with_every_import_on_the_way() {
    let file = |name: &str| ReadFile {
        name: name.to_owned(),
        identity: name.to_owned(),
        text: String::new(),
    };
    let at = |start| Span { source: SourceId(0), start, end: start + 1 };
    let mut stack = ImportStack::new();
    stack.enter(&file("app"), None).unwrap();
    stack.enter(&file("a"), Some(at(1))).unwrap();
    stack.enter(&file("b"), Some(at(2))).unwrap();
    let finding = stack.enter(&file("a"), Some(at(3))).unwrap_err().diagnostic(at(3));
    assert_eq!((finding.code, finding.primary), ("FILE006", at(3)));
    assert_eq!(finding.message, "`a` imports itself, through `b`");
    assert_eq!(finding.labels.len(), 1);
    assert_eq!(finding.labels[0].message, "`b` is imported here");
    assert_eq!(finding.labels[0].span, at(2));
    let itself = stack.enter(&file("b"), Some(at(4))).unwrap_err();
    assert_eq!(itself.to_string(), "`b` imports itself");
    stack.leave();
    stack.enter(&file("b"), Some(at(5))).unwrap();
    assert_eq!(stack.names().collect::<Vec<_>>(), ["app", "a", "b"]);
}

#[test]
fn a_chain_of_imports_has_an_end() {
    let mut stack = ImportStack::new();
    let outcome = (0..).find_map(|n: usize| {
        let name = n.to_string();
        let file = ReadFile { identity: name.clone(), name, text: String::new() };
        stack.enter(&file, None).err().map(|error| (n, error.code()))
    });
    assert_eq!(outcome, Some((65, "FILE004")));
}

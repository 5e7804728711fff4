//! Archives for the engine, and what comes out of it: tar for files and for what an image is built
//! from; frames around what a container writes.

use std::fs;
use std::io;
use std::path::Component::{CurDir, Normal};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::engine::{Engine, escaped};
use super::requests::Build;

/// What a Dockerfile is called that does not lie in the folder.
pub(crate) const INLINE: &str = ".windlass.Dockerfile";
const BLOCK: usize = 512;
/// How long a name in a head is.
const NAME: usize = 100;

/// What stands in an archive under a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What<'a> {
    /// A file with its content.
    File(&'a [u8]),
    /// A link, and where it leads.
    Link(&'a str),
    /// A folder.
    Folder,
}

/// An entry of an archive.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    /// Where.
    pub(super) path: String,
    /// What.
    pub(super) content: What<'a>,
    /// Who may do what with it.
    pub(super) mode: u32,
    /// Whose it is: user and group.
    pub(super) owner: (u32, u32),
}

/// A tar archive of files: path, content, mode.
pub fn tar<'a>(files: impl IntoIterator<Item = (String, &'a [u8], u32)>) -> Vec<u8> {
    pack(files.into_iter().map(|(path, content, mode)| Entry {
        path,
        content: What::File(content),
        mode,
        owner: (0, 0),
    }))
}

/// A tar archive.
pub(super) fn pack<'a>(entries: impl IntoIterator<Item = Entry<'a>>) -> Vec<u8> {
    let mut out = Vec::new();
    for entry in entries {
        let (content, kind, target) = match entry.content {
            What::File(content) => (content, b'0', ""),
            What::Link(target) => (&[][..], b'2', target),
            What::Folder => (&[][..], b'5', ""),
        };
        // What is longer than its field is the content of an entry of its own.
        for (text, kind) in [(entry.path.as_str(), b'L'), (target, b'K')] {
            if text.len() > NAME {
                let name = format!("{text}\0");
                let long = Head { path: "././@LongLink", target: "", size: name.len(), kind };
                long.write(&mut out, 0o644, (0, 0));
                padded(&mut out, name.as_bytes());
            }
        }
        let head = Head { path: &entry.path, target, size: content.len(), kind };
        head.write(&mut out, entry.mode, entry.owner);
        padded(&mut out, content);
    }
    out.extend([0; 2 * BLOCK]);
    out
}

fn padded(out: &mut Vec<u8>, content: &[u8]) {
    out.extend(content);
    out.resize(out.len().next_multiple_of(BLOCK), 0);
}

/// The block before an entry.
struct Head<'a> {
    path: &'a str,
    target: &'a str,
    size: usize,
    kind: u8,
}

impl Head<'_> {
    fn write(&self, out: &mut Vec<u8>, mode: u32, (user, group): (u32, u32)) {
        let mut block = [0_u8; BLOCK];
        let mut put = |at: usize, text: &[u8]| block[at..at + text.len()].copy_from_slice(text);
        put(0, &self.path.as_bytes()[..self.path.len().min(NAME)]);
        put(100, format!("{mode:07o}\0").as_bytes());
        // A field has seven digits; no user of a container has a higher number.
        put(108, format!("{:07o}\0", user & 0o777_7777).as_bytes());
        put(116, format!("{:07o}\0", group & 0o777_7777).as_bytes());
        put(124, format!("{:011o}\0", self.size).as_bytes());
        put(136, b"00000000000\0");
        put(148, b"        ");
        put(156, &[self.kind]);
        put(157, &self.target.as_bytes()[..self.target.len().min(NAME)]);
        put(257, b"ustar  \0");
        let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        out.extend(block);
    }
}

/// What a container wrote, without the frames around it.
pub fn unframed(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = bytes;
    while let [kind, 0, 0, 0, a, b, c, d, more @ ..] = rest {
        if *kind > 2 {
            break;
        }
        let size = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
        let (frame, after) = more.split_at(size.min(more.len()));
        out.extend(frame);
        rest = after;
    }
    // A container with a terminal writes without frames.
    out.extend(rest);
    out
}

/// Builds an image by the classic builder.
pub(super) fn build(
    engine: &Engine,
    tell: fn(&str),
    reference: &str,
    build: &Build,
) -> Result<(), String> {
    let (archive, query) = if build.is_remote {
        (Vec::new(), build.query.clone())
    } else {
        let (archive, file) = context(build)?;
        (archive, format!("{}&dockerfile={}", build.query, escaped(&file)))
    };
    let mut progress = |line: &Value| {
        let text = line.get("stream").and_then(Value::as_str).unwrap_or_default().trim();
        if !text.is_empty() {
            tell(&format!("build   {reference}: {text}"));
        }
    };
    engine.build(&query, &archive, &mut progress).map_err(|why| why.to_string())
}

/// What is sent to the builder, and the Dockerfile in it. One that stands in the Compose file or
/// outside of the folder is put beside the rest; `.dockerignore` never leaves it out.
fn context(build: &Build) -> Result<(Vec<u8>, String), String> {
    let root = Path::new(&build.context);
    let failed = |error: io::Error| format!("cannot read `{}`: {error}", build.context);
    let mut files = Vec::new();
    let inside = Path::new(&build.file);
    let inside = inside.strip_prefix(root).unwrap_or(inside);
    let is_inside = inside.components().all(|part| matches!(part, Normal(_) | CurDir));
    let name: PathBuf = inside.components().filter(|part| *part != CurDir).collect();
    let name = name.to_string_lossy().into_owned();
    let patterns = ignored(root);
    collect(root, Path::new(""), &|path| path != name && is_ignored(path, &patterns), &mut files)
        .map_err(failed)?;
    let beside = match &build.inline {
        Some(inline) => Some(inline.clone().into_bytes()),
        None if is_inside => None,
        None => {
            let path = root.join(&build.file);
            let unreadable = |error| format!("cannot read `{}`: {error}", path.display());
            Some(fs::read(&path).map_err(unreadable)?)
        }
    };
    let name = if beside.is_some() { INLINE.to_owned() } else { name };
    files.extend(beside.map(|content| (INLINE.to_owned(), Found::File(content), 0o644)));
    Ok((pack(files.iter().map(entry)), name))
}

fn entry((path, content, mode): &(String, Found, u32)) -> Entry<'_> {
    let content = match content {
        Found::File(bytes) => What::File(bytes),
        Found::Link(target) => What::Link(target),
        Found::Folder => What::Folder,
    };
    Entry { path: path.clone(), content, mode: *mode, owner: (0, 0) }
}

/// The patterns of `.dockerignore`: those that begin with `!` take back.
fn ignored(root: &Path) -> Vec<(bool, String)> {
    let text = fs::read_to_string(root.join(".dockerignore")).unwrap_or_default();
    let lines =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let pattern = |line: &str| {
        let (takes_back, rest) = match line.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        let rest = rest.trim_start_matches("./").trim_matches('/');
        (takes_back, rest.to_owned())
    };
    lines.map(pattern).collect()
}

fn is_ignored(path: &str, patterns: &[(bool, String)]) -> bool {
    let mut is_out = false;
    for (takes_back, pattern) in patterns {
        let parts: Vec<&str> = path.split('/').collect();
        let hit = (1..=parts.len()).any(|count| matches(&parts[..count].join("/"), pattern));
        if hit {
            is_out = !takes_back;
        }
    }
    is_out
}

/// `*` and `?` stay within one name, `**` does not.
fn matches(path: &str, pattern: &str) -> bool {
    let (path, pattern) = (path.as_bytes(), pattern.as_bytes());
    match pattern {
        [] => path.is_empty(),
        [b'*', b'*', b'/', rest @ ..] => {
            let rest = str::from_utf8(rest).unwrap_or_default();
            let mut starts = (0..=path.len()).filter(|at| *at == 0 || path[at - 1] == b'/');
            starts.any(|at| matches(str::from_utf8(&path[at..]).unwrap_or_default(), rest))
        }
        [b'*', b'*'] => true,
        [b'*', rest @ ..] => {
            let rest = str::from_utf8(rest).unwrap_or_default();
            let most = path.iter().position(|byte| *byte == b'/').unwrap_or(path.len());
            (0..=most).any(|at| matches(str::from_utf8(&path[at..]).unwrap_or_default(), rest))
        }
        [first, rest @ ..] => {
            path.first().is_some_and(|byte| byte == first || (*first == b'?' && *byte != b'/'))
                && matches(
                    str::from_utf8(&path[1..]).unwrap_or_default(),
                    str::from_utf8(rest).unwrap_or_default(),
                )
        }
    }
}

/// Something in a folder that is sent.
enum Found {
    File(Vec<u8>),
    Link(String),
    Folder,
}

fn collect(
    root: &Path,
    below: &Path,
    is_out: &dyn Fn(&str) -> bool,
    files: &mut Vec<(String, Found, u32)>,
) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mut entries = fs::read_dir(root.join(below))?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = below.join(entry.file_name());
        let name = path.to_string_lossy().into_owned();
        let kind = entry.file_type()?;
        let mode = entry.metadata()?.permissions().mode() & 0o7777;
        let is_out_itself = is_out(&name);
        if kind.is_dir() {
            if !is_out_itself {
                files.push((name, Found::Folder, mode));
            }
            collect(root, &path, is_out, files)?;
            continue;
        }
        if is_out_itself {
            continue;
        }
        if kind.is_file() {
            files.push((name, Found::File(fs::read(entry.path())?), mode));
        } else if kind.is_symlink() {
            let target = fs::read_link(entry.path())?.to_string_lossy().into_owned();
            files.push((name, Found::Link(target), mode));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_taken_off() {
        let framed = [&[1, 0, 0, 0, 0, 0, 0, 2][..], b"hi", &[2, 0, 0, 0, 0, 0, 0, 1], b"!"];
        assert_eq!(unframed(&framed.concat()), b"hi!");
        assert_eq!(unframed(b"plain"), b"plain");
    }

    #[test]
    fn archives_are_read_by_tar() {
        let folder = tempfile::tempdir().unwrap();
        let long = "d/".repeat(60) + "f";
        let archive = tar([("a".to_owned(), &b"x"[..], 0o644), (long.clone(), b"yy", 0o600)]);
        fs::write(folder.path().join("t.tar"), archive).unwrap();
        let tar = std::process::Command::new("tar")
            .args(["-xf", "t.tar"])
            .current_dir(folder.path())
            .status();
        assert!(tar.unwrap().success());
        assert_eq!(fs::read(folder.path().join("a")).unwrap(), b"x");
        assert_eq!(fs::read(folder.path().join(long)).unwrap(), b"yy");
    }

    #[test]
    fn a_context_has_its_dockerfile_its_links_and_its_folders() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("app");
        fs::create_dir_all(root.join("empty")).unwrap();
        fs::write(root.join(".dockerignore"), "*\n!empty\n!link\n").unwrap();
        fs::write(root.join("Dockerfile"), "FROM a").unwrap();
        fs::write(root.join("secret"), "x").unwrap();
        fs::write(folder.path().join("Other"), "FROM b").unwrap();
        std::os::unix::fs::symlink("empty", root.join("link")).unwrap();
        let unpacked = |file: &str, inline: Option<&str>| {
            let context = root.display().to_string();
            let (inline, file) = (inline.map(str::to_owned), file.to_owned());
            let build = Build { context, query: String::new(), inline, file, is_remote: false };
            let (archive, name) = context_of(&build);
            let out = tempfile::tempdir().unwrap();
            fs::write(out.path().join("t.tar"), archive).unwrap();
            let mut tar = std::process::Command::new("tar");
            let status = tar.args(["-xf", "t.tar"]).current_dir(out.path()).status();
            assert!(status.unwrap().success());
            assert!(out.path().join("empty").is_dir() && !out.path().join("secret").exists());
            assert_eq!(fs::read_link(out.path().join("link")).unwrap(), Path::new("empty"));
            fs::read_to_string(out.path().join(name)).unwrap()
        };
        assert_eq!(unpacked("./Dockerfile", None), "FROM a");
        assert_eq!(unpacked("../Other", None), "FROM b");
        assert_eq!(unpacked("Dockerfile", Some("FROM c")), "FROM c");
    }

    fn context_of(build: &Build) -> (Vec<u8>, String) {
        context(build).unwrap()
    }

    #[test]
    fn patterns_of_dockerignore() {
        let all = |lines: &[(bool, &str)], path: &str| {
            let lines: Vec<_> = lines.iter().map(|(a, b)| (*a, (*b).to_owned())).collect();
            is_ignored(path, &lines)
        };
        assert!(all(&[(false, "target")], "target/x/y"));
        assert!(all(&[(false, "**/*.log")], "a/b.log"));
        assert!(!all(&[(false, "*.log")], "a/b.log"));
        assert!(!all(&[(false, "*"), (true, "keep")], "keep"));
    }
}

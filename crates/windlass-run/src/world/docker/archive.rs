//! Archives for the engine, and what comes out of it: tar for files and for what an image is built
//! from; frames around what a container writes.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::Value;

use super::Shared;
use super::sheet::Build;

const BLOCK: usize = 512;

/// A tar archive of files: path, content, mode.
pub fn tar<'a>(files: impl IntoIterator<Item = (String, &'a [u8], u32)>) -> Vec<u8> {
    let mut out = Vec::new();
    for (path, content, mode) in files {
        if path.len() > 100 {
            // A longer name is the content of an entry of its own.
            let name = format!("{path}\0");
            header(&mut out, "././@LongLink", name.len(), 0o644, b'L');
            padded(&mut out, name.as_bytes());
        }
        header(&mut out, &path, content.len(), mode, b'0');
        padded(&mut out, content);
    }
    out.extend([0; 2 * BLOCK]);
    out
}

fn padded(out: &mut Vec<u8>, content: &[u8]) {
    out.extend(content);
    out.resize(out.len().next_multiple_of(BLOCK), 0);
}

fn header(out: &mut Vec<u8>, path: &str, size: usize, mode: u32, kind: u8) {
    let mut block = [0_u8; BLOCK];
    let mut put = |at: usize, text: &[u8]| block[at..at + text.len()].copy_from_slice(text);
    put(0, &path.as_bytes()[..path.len().min(100)]);
    put(100, format!("{mode:07o}\0").as_bytes());
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    put(124, format!("{size:011o}\0").as_bytes());
    put(136, b"00000000000\0");
    put(148, b"        ");
    put(156, &[kind]);
    put(257, b"ustar  \0");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    out.extend(block);
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
pub(super) fn build(shared: &Shared, reference: &str, build: &Build) -> Result<(), String> {
    let failed = |error: io::Error| format!("cannot read `{}`: {error}", build.context);
    let root = Path::new(&build.context);
    let ignored = ignored(root);
    let mut files = Vec::new();
    collect(root, Path::new(""), &ignored, &mut files).map_err(failed)?;
    if let Some(inline) = &build.inline {
        files.push((".windlass.Dockerfile".to_owned(), inline.clone().into_bytes(), 0o644));
    }
    let archive = tar(files.iter().map(|(path, text, mode)| (path.clone(), &text[..], *mode)));
    let mut progress = |line: &Value| {
        let text = line.get("stream").and_then(Value::as_str).unwrap_or_default().trim();
        if !text.is_empty() {
            (shared.tell)(&format!("build   {reference}: {text}"));
        }
    };
    shared.engine.build(&build.query, &archive, &mut progress).map_err(|why| why.to_string())
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

/// A file: its path, its content, its mode.
type Entry = (String, Vec<u8>, u32);

fn collect(
    root: &Path,
    below: &Path,
    patterns: &[(bool, String)],
    files: &mut Vec<Entry>,
) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mut entries = fs::read_dir(root.join(below))?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = below.join(entry.file_name());
        let name = path.to_string_lossy().into_owned();
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect(root, &path, patterns, files)?;
        } else if kind.is_file() && !is_ignored(&name, patterns) {
            let mode = entry.metadata()?.permissions().mode() & 0o7777;
            files.push((name, fs::read(entry.path())?, mode));
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

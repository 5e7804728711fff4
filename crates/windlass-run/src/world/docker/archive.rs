//! Archives for the engine, and what comes out of it: tar for files and for what an image is built
//! from; frames around what a container writes.

use std::io;
use std::path::{Component, Path, PathBuf};

use tar::{Builder, EntryType, Header};

/// What an archive has under a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content {
    /// A file with its content.
    File(Vec<u8>),
    /// A link, and where it leads.
    Link(String),
    /// A folder.
    Folder,
}

/// An entry of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Where it is, from the root of the archive.
    pub(crate) path: String,
    /// What it is.
    pub(crate) content: Content,
    /// The bits of its permissions.
    pub(crate) mode: u32,
    /// The number of the user that owns it.
    pub(crate) user: u32,
    /// The number of the group that owns it.
    pub(crate) group: u32,
}

impl Entry {
    /// A file of root.
    pub fn file(path: impl Into<String>, content: impl Into<Vec<u8>>, mode: u32) -> Self {
        Entry::new(path, Content::File(content.into()), mode)
    }

    /// Anything of root.
    pub(super) fn new(path: impl Into<String>, content: Content, mode: u32) -> Self {
        Entry { path: path.into(), content, mode, user: 0, group: 0 }
    }

    /// The path from the root: a container has nothing outside of it.
    fn inner_path(&self) -> PathBuf {
        let mut inner = PathBuf::new();
        for part in Path::new(&self.path).components() {
            match part {
                Component::Normal(name) => inner.push(name),
                Component::ParentDir => drop(inner.pop()),
                Component::Prefix(_) | Component::RootDir | Component::CurDir => {}
            }
        }
        inner
    }
}

/// A tar archive. Everything in it is as old as can be, so that the same entries are the same
/// bytes.
pub fn pack(entries: impl IntoIterator<Item = Entry>) -> io::Result<Vec<u8>> {
    let mut archive = Builder::new(Vec::new());
    for entry in entries {
        let mut header = Header::new_gnu();
        header.set_mode(entry.mode);
        header.set_uid(entry.user.into());
        header.set_gid(entry.group.into());
        header.set_mtime(0);
        header.set_size(0);
        let path = entry.inner_path();
        match entry.content {
            Content::File(content) => {
                header.set_entry_type(EntryType::Regular);
                header.set_size(content.len() as u64);
                archive.append_data(&mut header, path, content.as_slice())?;
            }
            Content::Link(target) => {
                header.set_entry_type(EntryType::Symlink);
                archive.append_link(&mut header, path, target)?;
            }
            Content::Folder => {
                header.set_entry_type(EntryType::Directory);
                archive.append_data(&mut header, path, io::empty())?;
            }
        }
    }
    archive.into_inner()
}

/// What a container wrote, without the frames around it.
pub(crate) fn unframed(bytes: &[u8]) -> Vec<u8> {
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
        let far = Entry::file("/b/../../c", "z", 0o644);
        let archive = pack([Entry::file("a", "x", 0o644), Entry::file(&long, "yy", 0o600), far]);
        std::fs::write(folder.path().join("t.tar"), archive.unwrap()).unwrap();
        let tar = std::process::Command::new("tar")
            .args(["-xf", "t.tar"])
            .current_dir(folder.path())
            .status();
        assert!(tar.unwrap().success());
        assert_eq!(std::fs::read(folder.path().join("a")).unwrap(), b"x");
        assert_eq!(std::fs::read(folder.path().join(long)).unwrap(), b"yy");
        assert_eq!(std::fs::read(folder.path().join("c")).unwrap(), b"z");
    }
}

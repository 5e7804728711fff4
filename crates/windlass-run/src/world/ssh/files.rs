//! Files that a command needs on its host, and values that commands share.
//!
//! Before a command with `files` runs, they are put into a folder of the deployment on the host, in
//! which it starts. A folder of its own, `$WINDLASS_SHARED`, holds what commands before it left
//! there, on whatever host; what it adds is fetched when it has ended. Everything that was
//! delivered is as old as can be: what is newer is what the command wrote.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

use windlass::lifecycle::implementation::Command;

use super::Shared;
use super::connection::{NoAnswer, quoted};
use super::error::PrepareError;
use super::script::Scripts;
use crate::entry::OrderId;
use crate::world::Order;
use crate::world::docker::archive::{Entry, pack};

/// What is shared with commands of this machine, in the folder of the deployment.
pub(super) const SHARED: &str = "shared";

/// The age of everything that was delivered.
const AGE_MARKER: &str = ".delivered";

/// Where files are on this machine.
#[derive(Debug)]
pub(super) struct LocalFolders {
    /// The folder that relative paths of commands start from.
    pub(super) directory: PathBuf,
    /// The folder of the deployment.
    pub(super) folder: PathBuf,
}

/// Brings a host what a command needs; nothing for a command without files.
pub(super) fn deliver(
    shared: &Shared,
    host: &str,
    order: &Order,
    command: &Command,
) -> Result<(), PrepareError> {
    if command.files.is_empty() {
        return Ok(());
    }
    let entries = entries(&shared.here, &command.files, &values(order.id))?;
    let archive = pack(entries).map_err(PrepareError::Pack)?;
    let script = shared.scripts.unpack();
    match shared.connections.send(host, &script, &archive) {
        Ok(0) => Ok(()),
        Ok(code) => Err(PrepareError::Unpack { host: host.to_owned(), code }),
        Err(away) => Err(PrepareError::NoAnswer(away)),
    }
}

/// Takes what a command left for others; nothing for a command without files.
pub(super) fn fetch(shared: &Shared, host: &str, order: &Order) -> Result<(), NoAnswer> {
    if order.run.as_ref().is_none_or(|command| command.files.is_empty()) {
        return Ok(());
    }
    let script = shared.scripts.shared(order.id);
    let (_, bytes) = shared.connections.ask(host, &script)?;
    let keep = |error: io::Error| NoAnswer(format!("what `{host}` shares cannot be kept: {error}"));
    for (name, content) in listed(&bytes) {
        let path = shared.here.folder.join(SHARED).join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(keep)?;
        }
        fs::write(&path, content).map_err(keep)?;
    }
    Ok(())
}

/// The folder of an order with what it shares.
fn values(order: OrderId) -> String {
    format!("{}.shared", order.0)
}

fn entries(
    here: &LocalFolders,
    files: &[String],
    values: &str,
) -> Result<Vec<Entry>, PrepareError> {
    let mut entries = vec![Entry::file(format!("{values}/{AGE_MARKER}"), Vec::new(), 0o600)];
    for file in files {
        let path = Path::new(file);
        if !is_below(path) {
            return Err(PrepareError::OutsideFolder { file: file.clone() });
        }
        collect(&here.directory, path, "files", &mut entries)
            .map_err(|error| PrepareError::Copy { file: file.clone(), error })?;
    }
    let own = here.folder.join(SHARED);
    if own.is_dir() {
        collect(&own, Path::new(""), values, &mut entries)
            .map_err(|error| PrepareError::SharedFolder { path: own.clone(), error })?;
    }
    Ok(entries)
}

/// A path that stays where it starts.
pub(super) fn is_below(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// A file, or what is in a folder, by names.
fn collect(root: &Path, path: &Path, below: &str, entries: &mut Vec<Entry>) -> io::Result<()> {
    let whole = root.join(path);
    let about = fs::metadata(&whole)?;
    if about.is_dir() {
        let mut inner = fs::read_dir(&whole)?.collect::<io::Result<Vec<_>>>()?;
        inner.sort_by_key(fs::DirEntry::file_name);
        for entry in inner {
            collect(root, &path.join(entry.file_name()), below, entries)?;
        }
        return Ok(());
    }
    let name = Path::new(below).join(path);
    let name: PathBuf = name.components().filter(|part| *part != Component::CurDir).collect();
    let mode = about.permissions().mode() & 0o777;
    entries.push(Entry::file(name.to_string_lossy(), fs::read(&whole)?, mode));
    Ok(())
}

/// Names and contents as the host lists them: a line with length and name, then the content.
fn listed(bytes: &[u8]) -> Vec<(PathBuf, &[u8])> {
    let mut all = Vec::new();
    let mut rest = bytes;
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let line = String::from_utf8_lossy(&rest[..end]);
        let Some((length, name)) = line.split_once(' ') else { break };
        let Ok(length) = length.parse::<usize>() else { break };
        let Some(content) = rest.get(end + 1..end + 1 + length) else { break };
        let name = PathBuf::from(name);
        // A host decides what values are, not where they are kept.
        if is_below(&name) {
            all.push((name, content));
        }
        rest = &rest[end + 1 + length..];
    }
    all
}

impl Scripts {
    /// Reads an archive from standard input.
    fn unpack(&self) -> String {
        let folder = quoted(&self.folder);
        format!("umask 077; cd && mkdir -p {folder} && cd {folder} && tar -xf -")
    }

    /// Lists what the command of an order left for others.
    fn shared(&self, order: OrderId) -> String {
        let folder = quoted(&format!("{}/{}", self.folder, values(order)));
        format!(
            "cd && cd {folder} || exit 0\n\
             find . -type f -newer {AGE_MARKER} ! -name '.*' | while IFS= read -r f; do\n\
             printf '%s %s\\n' \"$(($(wc -c < \"$f\")))\" \"$f\"; cat \"$f\"; done\n"
        )
    }

    /// The environment of a command with files, which starts where they are.
    pub(super) fn files_environment(order: OrderId, command: &Command) -> String {
        if command.files.is_empty() {
            return String::new();
        }
        let values = values(order);
        format!(
            "export WINDLASS_SHARED=\"$HOME/$b/{values}\"\n\
             mkdir -p \"$HOME/$b/files\" && cd \"$HOME/$b/files\" || exit 125\n"
        )
    }

    /// Removes what an order shared: it was fetched.
    pub(super) fn remove_shared(order: OrderId) -> String {
        format!("rm -rf \"$HOME/$b/{}\"\n", values(order))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_host_lists_stays_in_its_folder() {
        let bytes = b"2 ./a/b\nxy3 ../up\nabc0 ./e\n1 /etc/x\nq9 ./short\nab";
        let all = listed(bytes);
        let names: Vec<_> = all.iter().map(|(name, _)| name.display().to_string()).collect();
        assert_eq!(names, ["./a/b", "./e"]);
        assert_eq!(all[0].1, b"xy");
    }

    #[test]
    fn files_are_taken_from_beside_the_description_only() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("scripts")).unwrap();
        fs::write(folder.path().join("scripts/a.sh"), "echo").unwrap();
        let here = LocalFolders {
            directory: folder.path().to_owned(),
            folder: folder.path().join("none"),
        };
        let names = |files: &[&str]| {
            let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
            entries(&here, &files, "7.shared")
                .map(|all| all.into_iter().map(|entry| entry.path).collect::<Vec<_>>())
        };
        assert_eq!(names(&["./scripts"]).unwrap(), ["7.shared/.delivered", "files/scripts/a.sh"]);
        assert!(names(&["../secret"]).is_err());
        assert!(names(&["/etc/passwd"]).is_err());
        assert!(names(&["scripts/none.sh"]).is_err());
    }
}

//! `--watch`: checks again whenever one of the files changes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use super::inputs::may_hold_description;
use super::{Request, once};
use crate::args::CheckArgs;
use crate::config::FILE_NAME;
use crate::failure::Failure;
use crate::{exit_code, output, paths};

/// An editor writes a file in several steps; this long nothing must happen before a new check.
const QUIET: Duration = Duration::from_millis(100);

enum Event {
    Changed(Vec<PathBuf>),
    Interrupted,
}

/// Checks until Ctrl-C.
pub(super) fn run(request: Request<'_>) -> Result<u8, Failure> {
    let args = request.args;
    if args.paths.iter().any(|path| path.as_os_str() == "-") {
        return Err(Failure::usage("standard input cannot be watched"));
    }
    let (sender, events) = mpsc::channel();
    let interrupt = sender.clone();
    ctrlc::set_handler(move || {
        let _ = interrupt.send(Event::Interrupted);
    })
    .map_err(|error| Failure::usage(format!("cannot watch: {error}")))?;
    let mut watch = Watch::new(args, sender)?;
    loop {
        // Watching starts before reading: a change in between leads to one check too many.
        let checked = once(request)?;
        watch.add_files(&checked.files);
        if !wait(&events, &watch) {
            return Ok(exit_code::GOOD);
        }
        output::notice("changed, checking again");
    }
}

/// Waits for a change that matters and for quiet after it; no when interrupted.
fn wait(events: &Receiver<Event>, watch: &Watch) -> bool {
    loop {
        match events.recv() {
            Ok(Event::Changed(paths)) if paths.iter().any(|path| watch.matters(path)) => break,
            Ok(Event::Changed(_)) => {}
            Ok(Event::Interrupted) | Err(_) => return false,
        }
    }
    loop {
        match events.recv_timeout(QUIET) {
            Ok(Event::Changed(_)) => {}
            Ok(Event::Interrupted) => return false,
            Err(_) => return true,
        }
    }
}

/// What is watched. Folders are watched rather than files, because an editor that replaces a file
/// leaves a watch on the old one behind.
struct Watch {
    watcher: RecommendedWatcher,
    watched: BTreeSet<PathBuf>,
    /// Folders that the user named: any description below them matters.
    folders: Vec<PathBuf>,
    /// Files that had a part in the last check.
    files: BTreeSet<PathBuf>,
}

impl Watch {
    fn new(args: &CheckArgs, sender: Sender<Event>) -> Result<Self, Failure> {
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if let Ok(event) = event
                && !event.kind.is_access()
            {
                let _ = sender.send(Event::Changed(event.paths));
            }
        })
        .map_err(|error| Failure::usage(format!("cannot watch: {error}")))?;
        let mut watch = Watch {
            watcher,
            watched: BTreeSet::new(),
            folders: Vec::new(),
            files: BTreeSet::new(),
        };
        for path in &args.paths {
            let path = paths::real(path);
            if path.is_dir() {
                watch.add_folder(&path, RecursiveMode::Recursive);
                watch.folders.push(path);
            } else {
                watch.add_files(&[path]);
            }
        }
        Ok(watch)
    }

    fn add_files(&mut self, files: &[PathBuf]) {
        for file in files.iter().map(|file| paths::real(file)) {
            if let Some(folder) = file.parent()
                && !self.folders.iter().any(|above| folder.starts_with(above))
            {
                self.add_folder(folder, RecursiveMode::NonRecursive);
            }
            self.files.insert(file);
        }
    }

    /// A folder that cannot be watched is left out: the others still are.
    fn add_folder(&mut self, folder: &Path, mode: RecursiveMode) {
        if self.watched.insert(folder.to_owned()) && self.watcher.watch(folder, mode).is_err() {
            output::notice(&format!("cannot watch {}", folder.display()));
        }
    }

    fn matters(&self, path: &Path) -> bool {
        let in_folder = self.folders.iter().any(|folder| path.starts_with(folder));
        let name = path.file_name().unwrap_or_default();
        self.files.contains(path)
            || (in_folder && (may_hold_description(path) || name == FILE_NAME || path.is_dir()))
    }
}

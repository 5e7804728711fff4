//! Output of commands that get secrets: it goes through a program that hides them before it is
//! written. That program is a process of its own, because a command outlives the engine that
//! started it and must not lose the reader of its output.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use windlass::lifecycle::implementation::{self, EnvironmentValue};

use super::claim::Identity;
use crate::entry::OrderId;
use crate::secrets::{Filter, Secrets};

/// The first argument by which a program knows that it has to call [`hide_secrets`].
pub const HIDE_SECRETS: &str = "--hide-secrets";

/// The variable with what is hidden, as JSON.
const HIDDEN: &str = "WINDLASS_HIDDEN";

/// How long the last words of a command may take to be written.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// The programs that hide secrets.
#[derive(Debug, Default)]
pub(super) struct Redactors {
    running: Mutex<BTreeMap<OrderId, Identity>>,
}

/// Whether a command gets secrets.
pub(super) fn is_needed(command: &implementation::Command) -> bool {
    names(command).next().is_some()
}

/// The secrets that a command gets, by their names.
pub(super) fn names(command: &implementation::Command) -> impl Iterator<Item = &str> {
    command.environment.values().filter_map(|value| match value {
        EnvironmentValue::Secret(name) => Some(name.as_str()),
        EnvironmentValue::Plain(_) => None,
    })
}

impl Redactors {
    /// What a command writes to, when these secrets must not reach the log.
    pub(super) fn open(
        &self,
        program: &Path,
        order: OrderId,
        secrets: Secrets,
        log: PathBuf,
    ) -> io::Result<File> {
        let mut redactor = Command::new(program);
        redactor.arg(HIDE_SECRETS).arg(log).env_clear().env(HIDDEN, secrets.to_json());
        redactor.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).current_dir("/");
        // A signal for the command or for the engine is not meant for it: it ends when no process
        // can write any more.
        let mut child = redactor.process_group(0).spawn()?;
        if let (Some(identity), Ok(mut running)) = (Identity::of(child.id()), self.running.lock()) {
            running.insert(order, identity);
        }
        let input = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
        // Without a thread it is waited for when the engine ends.
        let _ = crate::world::in_thread(move || drop(child.wait()));
        Ok(File::from(OwnedFd::from(input)))
    }

    /// A command has ended: its last words may be on their way.
    pub(super) fn settle(&self, order: OrderId) {
        let redactor = self.running.lock().ok().and_then(|mut running| running.remove(&order));
        if let Some(redactor) = redactor {
            redactor.wait(Some(LAST_WORDS));
        }
    }
}

/// Copies standard input to the end of a file without the secrets that the environment names.
pub fn hide_secrets(log: &Path) -> io::Result<()> {
    let hidden = std::env::var(HIDDEN).unwrap_or_default();
    let mut filter = Filter::new(&Secrets::from_json(&hidden)?);
    let mut log = OpenOptions::new().create(true).append(true).mode(0o600).open(log)?;
    let mut bytes = vec![0; 64 * 1024];
    let mut input = io::stdin().lock();
    loop {
        let read = match input.read(&mut bytes) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        // A full disk must not block or end the command: what cannot be written is lost.
        let _ = log.write_all(&filter.pass(&bytes[..read]));
    }
    log.write_all(&filter.rest())
}

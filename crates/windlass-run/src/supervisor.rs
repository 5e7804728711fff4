//! An engine in the background, which looks after what a command that has returned brought up.
//!
//! It is an ordinary engine that resumes the run. Who wants to drive the deployment asks it to end,
//! which leaves everything running, as Ctrl-C does for an engine in the foreground.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::Signal;

use crate::deployment::Deployment;
use crate::world::process::Identity;

/// How long an engine may take to end: it writes down what it knows first.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where it says what it does.
pub fn log(deployment: &Deployment) -> PathBuf {
    deployment.folder().join("supervisor.log")
}

fn file(deployment: &Deployment) -> PathBuf {
    deployment.folder().join("supervisor")
}

/// Starts an engine by this command, and returns at once.
pub fn leave(deployment: &Deployment, mut command: Command) -> io::Result<()> {
    let private = |path: PathBuf, append: bool| {
        let mut options = OpenOptions::new();
        options.create(true).write(true).append(append).truncate(!append).mode(0o600).open(path)
    };
    let output = private(log(deployment), true)?;
    command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
    // Ctrl-C in the terminal is not meant for it.
    command.process_group(0);
    let child = command.spawn()?;
    let number = Identity::of(child.id()).map(Identity::words);
    // One that has ended already is nobody's supervisor.
    writeln!(private(file(deployment), false)?, "{}", number.unwrap_or_default())
}

/// Asks the engine in the background to end, and waits for it; whether there was one.
pub fn dismiss(deployment: &Deployment) -> bool {
    let text = fs::read_to_string(file(deployment)).unwrap_or_default();
    let Some(engine) = Identity::from_words(&text).filter(|engine| engine.is_alive()) else {
        return false;
    };
    engine.signal(Signal::INT);
    engine.wait(Some(PATIENCE))
}

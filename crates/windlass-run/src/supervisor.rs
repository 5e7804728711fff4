//! An engine in the background, which looks after what a command that has returned brought up.
//!
//! It is an ordinary engine that resumes the run. Who wants to drive the deployment asks it to end,
//! which leaves everything running, as Ctrl-C does for an engine in the foreground.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::deployment::Deployment;
use crate::world::process::Identity;

/// How long an engine may take to end: it writes down what it knows first.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where it says what it does.
pub(crate) fn log(deployment: &Deployment) -> PathBuf {
    deployment.folder().join("supervisor.log")
}

fn file(deployment: &Deployment) -> PathBuf {
    deployment.folder().join("supervisor")
}

/// Starts an engine by this command, and returns at once.
pub fn launch(deployment: &Deployment, command: &mut Command) -> io::Result<()> {
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
    // One that has ended already supervises nothing.
    writeln!(private(file(deployment), false)?, "{}", number.unwrap_or_default())
}

/// An engine in the background that has given way, and how it was started: its secrets may be in
/// its environment.
#[derive(Debug, Clone)]
pub struct DismissedEngine {
    words: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    directory: PathBuf,
}

impl DismissedEngine {
    fn of(engine: Identity) -> Option<Self> {
        let about = PathBuf::from(format!("/proc/{}", engine.number()?));
        let texts = |file: &str| -> Option<Vec<OsString>> {
            let bytes = fs::read(about.join(file)).ok()?;
            let texts = bytes.strip_suffix(b"\0").unwrap_or(&bytes).split(|byte| *byte == 0);
            Some(texts.map(|text| OsString::from_vec(text.to_vec())).collect())
        };
        let variable = |text: OsString| {
            let bytes = text.into_vec();
            let at = bytes.iter().position(|byte| *byte == b'=')?;
            let (name, value) = (bytes[..at].to_vec(), bytes[at + 1..].to_vec());
            Some((OsString::from_vec(name), OsString::from_vec(value)))
        };
        Some(DismissedEngine {
            words: texts("cmdline")?,
            environment: texts("environ")?.into_iter().filter_map(variable).collect(),
            directory: fs::read_link(about.join("cwd")).ok()?,
        })
    }

    /// Starts it again; false when it does not come to drive the deployment, whose lock must be
    /// free.
    pub fn restore(&self, deployment: &Deployment) -> bool {
        self.launch_again(deployment).is_ok() && drives(deployment)
    }

    /// Starts it again, and returns at once: it waits for a while until the lock is free.
    pub fn launch_again(&self, deployment: &Deployment) -> io::Result<()> {
        // The same program: this one may be another.
        let Some((program, words)) = self.words.split_first() else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let mut command = Command::new(program);
        command.args(words).env_clear().envs(self.environment.iter().cloned());
        launch(deployment, command.current_dir(&self.directory))
    }
}

/// Waits until the engine in the background drives the deployment; false when it has ended.
fn drives(deployment: &Deployment) -> bool {
    let until = Instant::now() + PATIENCE;
    while let Some(engine) = engine(deployment)
        && Instant::now() < until
    {
        if deployment.is_driven() {
            return engine.is_alive();
        }
        thread::sleep(Duration::from_millis(5));
    }
    false
}

/// The engine in the background, if it lives.
fn engine(deployment: &Deployment) -> Option<Identity> {
    let text = fs::read_to_string(file(deployment)).unwrap_or_default();
    Identity::from_words(&text).filter(|engine| engine.is_alive())
}

/// Asks the engine in the background to end, and waits for it; none when there was none.
pub(crate) fn dismiss(deployment: &Deployment) -> Option<DismissedEngine> {
    let engine = engine(deployment)?;
    // One that could not be brought back is not ended.
    let dismissed = DismissedEngine::of(engine)?;
    engine.signal(Signal::INT);
    engine.wait(Some(PATIENCE)).then_some(dismissed)
}

//! How a script gets to a host: the system's `ssh`, one connection for many sessions; and the
//! `docker` client for a container (`docker://NAME`), which is as good as a host.
//!
//! The address, user, port and identity file of a host are in the operator's configuration of ssh
//! under the name that the description uses; keys of hosts are checked, and no password is asked
//! for. Scripts go over standard input, so that no secret is on a command line.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once};

/// The exit code by which ssh says that it failed itself.
const SSH_FAILED: i32 = 255;

/// Why a host did not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NoAnswer(pub(super) String);

/// The connections of an engine.
#[derive(Debug)]
pub(super) struct Connections {
    config: Option<PathBuf>,
    sockets: PathBuf,
    /// The hosts that a shared connection was asked for, and whether that has been answered: a
    /// wait for one host does not block another.
    masters: Mutex<BTreeMap<String, Arc<Once>>>,
    /// Whether the engine is done, and shares nothing any more.
    closed: AtomicBool,
    /// The name of the deployment, for names of containers.
    deployment: String,
}

/// The variable that stands for the name of the deployment in an address.
const DEPLOYMENT: &str = "${WINDLASS_DEPLOYMENT}";

/// How the client says that it failed itself; its exit code is also one of commands.
const CLIENT_FAILED: &[&str] = &["Error response from daemon", "Cannot connect to the Docker"];

impl Connections {
    /// With the operator's configuration, or another one.
    pub(super) fn new(config: Option<PathBuf>, deployment: String) -> io::Result<Self> {
        let (masters, closed) = (Mutex::default(), AtomicBool::new(false));
        Ok(Connections { config, sockets: sockets()?, masters, closed, deployment })
    }

    /// The container that an address is about.
    fn container(&self, host: &str) -> Option<String> {
        let name = host.strip_prefix("docker://")?.replace(DEPLOYMENT, &self.deployment);
        let good = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        // No name can become an option of the client.
        let is_name = name.starts_with(|c: char| c.is_ascii_alphanumeric());
        (is_name && name.chars().all(good)).then_some(name)
    }

    /// A session at a host: a shell that executes `script`, or reads what it executes.
    fn shell(&self, host: &str, script: Option<&str>) -> Command {
        if let Some(container) = self.container(host) {
            let mut docker = Command::new("docker");
            docker.args(["exec", "--interactive", &container, "/bin/sh"]);
            match script {
                Some(script) => docker.args(["-c", script]),
                None => docker.arg("-s"),
            };
            return docker;
        }
        self.share(host);
        let mut ssh = self.ssh();
        let line = match script {
            Some(script) => format!("exec /bin/sh -c {}", quoted(script)),
            None => "exec /bin/sh -s".to_owned(),
        };
        ssh.args(["-o", "ControlMaster=no", "--", host, &line]);
        ssh
    }

    /// Whether a session ended because there was no way to the host.
    fn has_failed(&self, host: &str, output: &Output) -> bool {
        match output.status.code() {
            None => true,
            Some(code) if self.container(host).is_some() => {
                let errors = String::from_utf8_lossy(&output.stderr);
                code != 0 && CLIENT_FAILED.iter().any(|words| errors.trim().starts_with(words))
            }
            Some(code) => code == SSH_FAILED,
        }
    }

    fn ssh(&self) -> Command {
        let mut ssh = Command::new("ssh");
        if let Some(config) = &self.config {
            ssh.arg("-F").arg(config);
        }
        ssh.args(["-T", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes"]);
        ssh.args(["-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=3"]);
        ssh.args(["-o", "ConnectTimeout=10", "-o", "ForwardX11=no", "-o", "ForwardAgent=no"]);
        // Each engine has its own, so that it may end them.
        let engine = std::process::id();
        ssh.arg("-o").arg(format!("ControlPath={}/{engine}-%C", self.sockets.display()));
        ssh
    }

    /// Sees to it that the sessions of a host share a connection. Without one every session makes
    /// its own, which is slower and nothing else.
    fn share(&self, host: &str) {
        let Ok(mut masters) = self.masters.lock() else { return };
        if self.closed.load(Ordering::Relaxed) {
            return;
        }
        let master = masters.entry(host.to_owned()).or_insert_with(|| Arc::new(Once::new()));
        let master = Arc::clone(master);
        drop(masters);
        master.call_once(|| {
            let mut ssh = self.ssh();
            ssh.args(["-o", "ControlMaster=auto", "-o", "ControlPersist=60", "-N", "-f"]);
            ssh.args(["--", host]);
            // What stays in the background must not hold a pipe of ours open.
            ssh.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let _ = ssh.status();
        });
    }

    /// Ends the connections of this engine. What hangs on them ends too, and is found again.
    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        let Ok(masters) = self.masters.lock().map(|mut masters| std::mem::take(&mut *masters))
        else {
            return;
        };
        // One that is being made to a host that does not answer ends by itself.
        for (host, _) in masters.into_iter().filter(|(_, master)| master.is_completed()) {
            let mut ssh = self.ssh();
            ssh.args(["-O", "exit", "--", &host]);
            ssh.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            // One that is gone needs no end.
            let _ = ssh.status();
        }
    }

    /// A session in which a script runs. Its standard output and error are pipes.
    pub(super) fn session(&self, host: &str, script: &str) -> Result<Child, NoAnswer> {
        let mut shell = self.shell(host, None);
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = shell.spawn().map_err(|error| self.unusable(host, &error))?;
        if let Some(mut stdin) = child.stdin.take() {
            // A host that does not answer reads nothing; how ssh ends says it.
            let _ = stdin.write_all(script.as_bytes());
        }
        Ok(child)
    }

    /// Whether a host answers; asked only when it has not answered yet, or did not the last time.
    pub(super) fn reach(&self, host: &str) -> Result<(), NoAnswer> {
        let master = || self.masters.lock().ok()?.get(host).cloned();
        if let Some(master) = master() {
            master.wait();
        }
        if master().is_some() {
            return Ok(());
        }
        self.ask(host, ":\n").map(|_| ())
    }

    /// What a script prints, and its exit code.
    pub(super) fn ask(&self, host: &str, script: &str) -> Result<(i32, Vec<u8>), NoAnswer> {
        let output = self.session(host, script)?.wait_with_output();
        let output = output.map_err(|error| self.unusable(host, &error))?;
        match output.status.code() {
            Some(code) if !self.has_failed(host, &output) => Ok((code, output.stdout)),
            _ => Err(self.no_answer(host, &output.stderr)),
        }
    }

    fn unusable(&self, host: &str, error: &io::Error) -> NoAnswer {
        let program = if self.container(host).is_some() { "docker" } else { "ssh" };
        NoAnswer(format!("{program} cannot be used: {error}"))
    }

    /// Runs a script that reads bytes from standard input; its exit code.
    pub(super) fn send(&self, host: &str, script: &str, bytes: &[u8]) -> Result<i32, NoAnswer> {
        let away = |error: io::Error| self.unusable(host, &error);
        let mut shell = self.shell(host, Some(script));
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = shell.spawn().map_err(away)?;
        if let Some(mut stdin) = child.stdin.take() {
            // A host that does not answer reads nothing; how ssh ends says it.
            let _ = stdin.write_all(bytes);
        }
        let output = child.wait_with_output().map_err(away)?;
        match output.status.code() {
            Some(code) if !self.has_failed(host, &output) => Ok(code),
            _ => Err(self.no_answer(host, &output.stderr)),
        }
    }

    /// The host did not answer. Its connection, if there was one, is gone.
    pub(super) fn no_answer(&self, host: &str, errors: &[u8]) -> NoAnswer {
        if let Ok(mut masters) = self.masters.lock() {
            masters.remove(host);
        }
        let text = String::from_utf8_lossy(errors);
        let last = text.lines().rev().find(|line| !line.trim().is_empty());
        let why = last.unwrap_or("the connection ended").trim();
        NoAnswer(format!("the host `{host}` cannot be reached: {why}"))
    }
}

/// The folder of the sockets: short, because the system allows about a hundred characters, and
/// private.
fn sockets() -> io::Result<PathBuf> {
    let user = rustix::process::getuid().as_raw();
    let folder = std::env::temp_dir().join(format!("windlass-ssh-{user}"));
    match DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let about = fs::symlink_metadata(&folder)?;
    if !about.is_dir() || about.uid() != user || about.mode() & 0o077 != 0 {
        let message = format!("`{}` belongs to another user", folder.display());
        return Err(io::Error::other(message));
    }
    Ok(folder)
}

/// A word for a shell, whatever is in it.
pub(super) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Appends what a session prints to a file, from where the file ends; how long it is then.
pub(super) fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut file = File::options().create(true).append(true).mode(0o600).open(path)?;
    file.write_all(bytes)
}

/// The end of a file, at most so many bytes.
pub(super) fn end_of(path: &Path, most: u64) -> io::Result<String> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(io::SeekFrom::Start(length.saturating_sub(most)))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_go_by_names_that_are_no_options() {
        let connections = Connections::new(None, "shop".to_owned()).unwrap();
        let container = |host: &str| connections.container(host);
        assert_eq!(container("docker://${WINDLASS_DEPLOYMENT}-box").as_deref(), Some("shop-box"));
        assert_eq!(container("docker://box_1.a").as_deref(), Some("box_1.a"));
        for other in ["docker://", "docker://-v", "docker://a b", "docker://a/b", "ssh://a", "a"] {
            assert_eq!(container(other), None);
        }
    }

    #[test]
    fn a_word_stays_one_word() {
        let words = ["plain", "two words", "it's", "$(touch /tmp/no)", "a\nb", ""];
        for word in words {
            let script = format!("printf %s {}", quoted(word));
            let output = Command::new("/bin/sh").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), word);
        }
    }
}

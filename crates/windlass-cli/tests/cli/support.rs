//! Running the program in a folder of its own.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a fixture that is wrong must panic")]

pub(crate) mod served;
pub(crate) mod sshd;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a run of the program gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Run {
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
    /// The exit code.
    pub(crate) code: i32,
}

impl Run {
    /// Everything in one text, for comparing with an expected transcript.
    pub(crate) fn transcript(&self) -> String {
        let stderr: Vec<_> = self.stderr.lines().map(|line| format!("stderr: {line}\n")).collect();
        format!("{}{}exit: {}\n", self.stdout, stderr.concat(), self.code)
    }

    /// Standard output as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The findings of `check --format json` as `line:column severity code`.
    pub(crate) fn findings(&self) -> Vec<String> {
        let report = self.json();
        let finding = |finding: &serde_json::Value| {
            format!(
                "{}:{} {} {}",
                finding["line"],
                finding["column"],
                finding["severity"].as_str().unwrap(),
                finding["code"].as_str().unwrap()
            )
        };
        report["findings"].as_array().unwrap().iter().map(finding).collect()
    }
}

/// A folder that goes away with the test.
pub(crate) struct Folder(tempfile::TempDir);

/// A test that fails leaves no process behind.
impl Drop for Folder {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        for state in [".windlass", "it/.windlass"].map(|state| self.path(state)) {
            for entry in std::fs::read_dir(&state).into_iter().flatten().flatten() {
                let mut down = self.command(&["down", "--yes", "--name"]);
                let _ = down.arg(entry.file_name()).arg("--state-dir").arg(&state).output();
            }
        }
    }
}

impl Folder {
    /// With these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    /// Writes a file, and the folders above it.
    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// The text of a file.
    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The path of a file.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs the program here.
    pub(crate) fn run(&self, args: &[&str]) -> Run {
        self.run_with(args, "")
    }

    /// Runs the program here with something on standard input.
    pub(crate) fn run_with(&self, args: &[&str], stdin: &str) -> Run {
        let mut child = command(self.0.path(), args).spawn().unwrap();
        // The program may end without reading all of it.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        let output = child.wait_with_output().unwrap();
        Run {
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            code: output.status.code().unwrap_or(-1),
        }
    }
}

impl Folder {
    /// The folder itself.
    pub(crate) fn root(&self) -> &Path {
        self.0.path()
    }

    /// The program here, for tests that start it themselves.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = command(self.0.path(), args);
        command.stdin(Stdio::null());
        command
    }

    /// The processes that run, as `status` says: number by instance.
    pub(crate) fn processes(&self) -> BTreeMap<String, u64> {
        let report = self.run(&["status", "--format", "json"]).json();
        let running = |it: &serde_json::Value| {
            Some((it["instance"].as_str()?.to_owned(), it["pid"].as_u64()?))
        };
        report["instances"].as_array().unwrap().iter().filter_map(running).collect()
    }
}

/// Sends a signal and waits until a process that it kills is gone.
pub(crate) fn kill(signal: &str, pid: u64) {
    let sent = Command::new("kill").args([signal, &pid.to_string()]).status().unwrap();
    assert!(sent.success());
    for _ in 0..500 {
        if signal != "-9" || !is_alive(pid) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("{pid} does not die");
}

/// Whether a process runs, and does not only wait to be buried.
pub(crate) fn is_alive(pid: u64) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
}

/// The program in a folder, with nothing of the environment that changes its output.
pub(crate) fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_windlass"));
    command
        .args(args)
        .current_dir(folder)
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// A description without findings.
pub(crate) const GOOD: &str = "\
windlass: 1
name: shop
types:
  job:
    protocol:
      initial: idle
      states: { idle: {}, done: {} }
      transitions:
        - { from: idle, operation: work, to: done }
      up: [work]
nodes:
  job: { type: job }
";

/// [`GOOD`] with one part replaced.
pub(crate) fn broken(old: &str, new: &str) -> String {
    assert!(GOOD.contains(old));
    GOOD.replacen(old, new, 1)
}

/// A store and an API that relies on it, as processes.
pub(crate) const PAIR: &str = "
windlass: 1
name: pair
types:
  store:
    capabilities: [data]
    protocol:
      initial: off
      states:
        off: {}
        running: { offers: [data], process: [sleep, '1000'] }
      transitions:
        - { from: off, operation: start, to: running }
        - { from: running, operation: stop, to: off }
      up: [start]
  api:
    requirements: { data: replica_unaware }
    protocol:
      initial: off
      states:
        off: {}
        running: { requires: [data], on_fault: [off], process: [sleep, '1001'] }
      transitions:
        - { from: off, operation: start, to: running, requires: [data], on_fault: [off] }
        - { from: running, operation: stop, to: off }
      up: [start]
nodes:
  store: { type: store }
  api: { type: api, bind: { data: store.data } }
";

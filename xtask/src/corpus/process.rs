//! Runs the binary under a limit of time and says how it ended.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Whatever takes longer hangs.
pub const LIMIT: Duration = Duration::from_secs(5);

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// The exit code; none after a signal or a hang.
    pub code: Option<i32>,
    /// Standard output.
    pub output: String,
    /// Why the run counts as a failure whatever was expected.
    pub crash: Option<String>,
}

/// Runs `windlass` with arguments, in a folder.
pub fn run(windlass: &Path, folder: &Path, arguments: &[&str]) -> Result<Ended, String> {
    let mut child = Command::new(windlass)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{}: {error}", windlass.display()))?;
    let output = drain(child.stdout.take());
    let errors = drain(child.stderr.take());
    let status = wait(&mut child)?;
    let output = output.join().unwrap_or_default();
    let errors = errors.join().unwrap_or_default();
    let (code, crash) = match status {
        None => (None, Some(format!("hangs: no answer in {} s", LIMIT.as_secs()))),
        Some(status) => (status.code(), crash(status.code(), &errors)),
    };
    Ok(Ended { code, output, crash })
}

/// A panic, an internal error or a signal.
fn crash(code: Option<i32>, errors: &str) -> Option<String> {
    if let Some(line) = errors.lines().find(|line| line.contains("panicked at")) {
        return Some(format!("panics: {line}"));
    }
    match code {
        None => Some("ended by a signal".to_owned()),
        Some(70 | 101) => Some("internal error".to_owned()),
        Some(_) => None,
    }
}

/// Reads a stream to its end beside the process, so that a full pipe does not block it.
fn drain(stream: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            let _ = stream.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Waits until the end or the limit; a process over the limit is ended.
fn wait(child: &mut Child) -> Result<Option<std::process::ExitStatus>, String> {
    let started = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            return Ok(Some(status));
        }
        if started.elapsed() > LIMIT {
            let _ = child.kill();
            let _ = child.wait();
            return Ok(None);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_internal_errors_and_signals_are_crashes() {
        assert!(crash(Some(101), "thread 'main' panicked at src/main.rs:1").is_some());
        assert!(crash(Some(70), "").is_some());
        assert!(crash(None, "").is_some());
        assert_eq!(crash(Some(1), "error: no such thing"), None);
    }

    #[test]
    fn output_and_code_are_kept() {
        let ended = run(Path::new("cargo"), Path::new("."), &["no-such-command"]).unwrap();
        assert_eq!((ended.code, ended.crash), (Some(101), Some("internal error".to_owned())));
    }
}

//! Named steps, each a command: run one after the other, timed, and summed up at the end.

use crate::repository::Repository;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// One command with a name.
#[derive(Debug, Clone)]
pub struct Step {
    /// What people call it.
    pub name: String,
    /// Program and arguments.
    pub command: Vec<String>,
    /// Variables of its environment.
    pub environment: Vec<(String, String)>,
}

impl Step {
    /// A step without variables; the command is split at spaces.
    pub fn new(name: &str, command: &str) -> Self {
        Step {
            name: name.to_owned(),
            command: command.split_whitespace().map(str::to_owned).collect(),
            environment: Vec::new(),
        }
    }

    /// With a variable, in place of an earlier one of that name.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.environment.retain(|(known, _)| known != name);
        self.environment.push((name.to_owned(), value.to_string()));
        self
    }

    /// The command as one would type it.
    pub fn typed(&self) -> String {
        let variables = self.environment.iter().map(|(name, value)| format!("{name}={value}"));
        variables.chain(self.command.iter().cloned()).collect::<Vec<_>>().join(" ")
    }
}

/// How a step ended.
#[derive(Debug)]
pub struct Ended {
    /// Its name.
    pub name: String,
    /// Whether it ended well.
    pub good: bool,
    /// How long it took.
    pub time: Duration,
    /// Its standard output, line by line.
    pub lines: Vec<String>,
}

impl Ended {
    /// One line for a summary.
    pub fn summary(&self) -> String {
        let word = if self.good { "ok" } else { "FAILED" };
        format!("{:<28} {:<6} {:>7.1} s", self.name, word, self.time.as_secs_f64())
    }
}

/// Runs a step in the root; what it prints is passed on at once and kept.
pub fn run(repository: &Repository, step: &Step) -> Result<Ended, String> {
    println!("==> {}: {}", step.name, step.typed());
    let started = Instant::now();
    let mut child = Command::new(&step.command[0])
        .args(&step.command[1..])
        .envs(step.environment.iter().map(|(name, value)| (name, value)))
        .current_dir(repository.path(""))
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{}: {error}", step.command[0]))?;
    let mut lines = Vec::new();
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line).into_owned();
            println!("{line}");
            lines.push(line);
        }
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    let _ = std::io::stdout().flush();
    let ended =
        Ended { name: step.name.clone(), good: status.success(), time: started.elapsed(), lines };
    println!("<== {}", ended.summary());
    Ok(ended)
}

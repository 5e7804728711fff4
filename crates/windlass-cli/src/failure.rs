//! Why a command could not do what it was asked to: a message for people and an exit code.
//!
//! A finding is no failure; it is the answer. Failures are for what stands in the way of an
//! answer, such as a missing file.

use std::fmt::Write as _;
use std::io::ErrorKind;
use std::path::Path;

use windlass::diagnostic::Diagnostic;
use windlass::source::{Sources, Span};
use windlass_run::controller::error::plain;

use crate::{escape, exit_code, output};

/// A command that could not be carried out.
#[derive(Debug)]
pub(crate) struct Failure {
    /// A lower-case fragment, as in `docs/wording.md`, and what it is about, each on a line of its
    /// own; none when the user has been told already.
    message: Vec<String>,
    /// What to do about it.
    help: Option<String>,
    /// With which code the program ends.
    pub(crate) exit_code: u8,
    /// The code of a finding and the file, when a report for programs should list it.
    about: Option<(&'static str, String)>,
    /// Findings that the user has been told, for programs.
    findings: Option<String>,
}

impl Failure {
    /// The user asked for something that cannot be done.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Failure {
            message: vec![message.into()],
            help: None,
            exit_code: exit_code::USAGE,
            about: None,
            findings: None,
        }
    }

    /// Findings, already on standard error, keep the command from giving an answer.
    pub(crate) fn reported(exit_code: u8) -> Self {
        Failure { message: Vec::new(), exit_code, ..Failure::usage("") }
    }

    /// With a list below the message.
    #[must_use]
    pub(crate) fn list(mut self, list: Vec<String>) -> Self {
        self.message.extend(list);
        self
    }

    /// With the same findings as JSON.
    #[must_use]
    pub(crate) fn findings(mut self, json: String) -> Self {
        self.findings = Some(json);
        self
    }

    /// Tells a program what keeps the command from giving an answer; a question that could not be
    /// asked has no JSON.
    pub(crate) fn print_json(&self) {
        if let Some(findings) = &self.findings {
            // Who does not listen is not told.
            let _ = output::stdout(findings);
        }
    }

    /// A file that cannot be read or written: `verb` is "read" or "write".
    pub(crate) fn file(verb: &str, path: &Path, error: &std::io::Error) -> Self {
        let failure =
            Failure::usage(format!("cannot {verb} `{}`: {}", path.display(), reason(error)));
        if verb != "read" {
            return match error.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                    failure.help("make room there, then try again")
                }
                _ => failure,
            };
        }
        let (code, help) = match error.kind() {
            ErrorKind::NotFound => ("FILE001", "paths start in the folder that you are in"),
            ErrorKind::PermissionDenied => ("FILE010", "give yourself the right to read it"),
            ErrorKind::IsADirectory => ("FILE010", "name a file in it"),
            _ => ("FILE010", "name a regular file that can be read"),
        };
        failure.about(code, path.display().to_string()).help(help)
    }

    /// With the code of a finding and the file it is about.
    #[must_use]
    pub(crate) fn about(mut self, code: &'static str, file: String) -> Self {
        self.about = Some((code, file));
        self
    }

    /// The failure as a finding about a file, for reports that programs read.
    pub(crate) fn finding(&self, sources: &mut Sources) -> Option<Diagnostic> {
        let (code, file) = self.about.as_ref()?;
        let source = sources.add(file.as_str(), String::new());
        let message = self.message.join("\n");
        let mut finding = Diagnostic::error(code, Span { source, start: 0, end: 0 }, message);
        finding.help.clone_from(&self.help);
        Some(finding)
    }

    /// With another exit code.
    #[must_use]
    pub(crate) fn ending(mut self, exit_code: u8) -> Self {
        self.exit_code = exit_code;
        self
    }

    /// With advice.
    #[must_use]
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Tells the user.
    pub(crate) fn print(&self) {
        let [message, list @ ..] = self.message.as_slice() else { return };
        let code = self.about.as_ref().map(|(code, _)| format!("[{code}]")).unwrap_or_default();
        let mut text = format!("error{code}: {}\n", escape::visible(message));
        for line in list {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "    {}", escape::visible(line));
        }
        if let Some(help) = &self.help {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "help: {}", escape::visible(help));
        }
        output::stderr(&text);
    }
}

/// Standard output failed: the user does not have the answer.
impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Failure::usage(format!("cannot write the answer: {}", reason(&error)))
    }
}

/// Our own values always become JSON; if not, that is a defect of ours.
impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        let message = format!("cannot write the answer as JSON: {error}");
        Failure::usage(message).ending(exit_code::INTERNAL)
    }
}

fn reason(error: &std::io::Error) -> String {
    plain(&error.to_string())
}

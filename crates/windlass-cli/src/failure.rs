//! Why a command could not do what it was asked to: a message for people and an exit code.
//!
//! A finding is no failure; it is the answer. Failures are for what stands in the way of an
//! answer, such as a missing file.

use std::fmt::Write as _;
use std::path::Path;

use crate::{escape, exit_code, output};

/// A command that could not be carried out.
#[derive(Debug)]
pub(crate) struct Failure {
    /// A lower-case fragment, as in `docs/wording.md`; none when the user has been told already.
    message: Option<String>,
    /// What to do about it.
    help: Option<String>,
    /// With which code the program ends.
    pub(crate) exit_code: u8,
}

impl Failure {
    /// The user asked for something that cannot be done.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Failure { message: Some(message.into()), help: None, exit_code: exit_code::USAGE }
    }

    /// Findings, already on standard error, keep the command from giving an answer.
    pub(crate) fn reported(exit_code: u8) -> Self {
        Failure { message: None, help: None, exit_code }
    }

    /// A file that cannot be read or written: `verb` is "read" or "write".
    pub(crate) fn file(verb: &str, path: &Path, error: &std::io::Error) -> Self {
        Failure::usage(format!("cannot {verb} `{}`: {}", path.display(), reason(error)))
    }

    /// With advice.
    #[must_use]
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Tells the user.
    pub(crate) fn print(&self) {
        let Some(message) = &self.message else { return };
        let mut text = format!("error: {}\n", escape::visible(message));
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
        Failure {
            message: Some(format!("cannot write the answer: {}", reason(&error))),
            help: None,
            exit_code: exit_code::USAGE,
        }
    }
}

/// Our own values always become JSON; if not, that is a defect of ours.
impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Failure {
            message: Some(format!("cannot write the answer as JSON: {error}")),
            help: None,
            exit_code: exit_code::INTERNAL,
        }
    }
}

/// The words of the operating system without its numbers, which differ between systems.
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    let words = text.split(" (os error").next().unwrap_or_default();
    let mut characters = words.chars();
    characters
        .next()
        .map(|first| first.to_lowercase().chain(characters).collect())
        .unwrap_or_default()
}

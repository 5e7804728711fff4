//! Exit codes: the part of the command line contract that scripts rely on.
//!
//! Every command ends with one of these. A number means the same for every command, and is never
//! given another meaning. `docs/commands/exit-codes.md` is the page for people.

/// Good. Warnings are allowed unless `--strict` says otherwise.
pub(crate) const GOOD: u8 = 0;

/// The answer is no: an error among the findings, a property that fails, a plan that is not
/// valid, a goal that cannot be reached or is not met, drift.
pub(crate) const FINDINGS: u8 = 1;

/// The question could not be asked: wrong usage, a missing or unreadable file, an unknown
/// language, a plan or state that does not fit the application.
pub(crate) const USAGE: u8 = 2;

/// Unknown: a limit or Ctrl-C ended a search; what is known so far has been printed.
pub(crate) const UNKNOWN: u8 = 3;

/// Execution failed, or an action is in doubt.
pub(crate) const EXECUTION: u8 = 4;

/// The operator interrupted a run; it can be resumed.
pub(crate) const INTERRUPTED: u8 = 130;

/// A defect of this program. Everything a user can write ends with another code.
pub(crate) const INTERNAL: u8 = 70;

//! A terminal that does not write `^C` by itself.
//!
//! The view ends at the right edge of its last line. What the terminal writes when a user types
//! Ctrl-C goes to the next line then, and the view would be taken away one line too low: its first
//! line would stay behind.

use std::io::{IsTerminal, stderr};

use rustix::process::getpgrp;
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcgetpgrp, tcsetattr};

/// As long as it lives, keys that send signals leave no trace on the terminal. If the
/// process is killed before it puts that back, nothing else is different.
#[derive(Debug)]
pub(super) struct Quiet;

impl Quiet {
    /// None when the terminal writes no such traces, or is not ours to change.
    pub(super) fn new() -> Option<Self> {
        set(false).then_some(Quiet)
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        set(true);
    }
}

/// Lets the terminal write traces, or not; whether that is another than before. Who is in the
/// background would be stopped for it.
fn set(writes: bool) -> bool {
    let terminal = stderr();
    let is_ours = terminal.is_terminal() && tcgetpgrp(&terminal).is_ok_and(|it| it == getpgrp());
    let Some(mut modes) = tcgetattr(&terminal).ok().filter(|_| is_ours) else { return false };
    if modes.local_modes.contains(LocalModes::ECHOCTL) == writes {
        return false;
    }
    modes.local_modes.set(LocalModes::ECHOCTL, writes);
    tcsetattr(&terminal, OptionalActions::Now, &modes).is_ok()
}

//! Hearing of ends by the signal that the system sends when a child ends. A handle for each command
//! has to be made, watched and closed, which is a part of what starting a small program takes; the
//! signal comes by itself. But it does not say who has ended, so that this is for a few at a time.

use std::fs;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};

use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};

/// Whether there is a listener already: a signal is heard once.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// Lets a world of processes hear of ends by signal. A program calls this before it starts its
/// first thread: a thread that does not hold the signal back would take it away.
pub fn block_sigchld() {
    // Without it every command gets a handle.
    let _ = signal().thread_block();
}

/// Whether the system forgets how children end: the parent of the engine said so.
pub(super) fn is_ignored() -> bool {
    ignored().unwrap_or_default() >> (Signal::SIGCHLD as u32 - 1) & 1 == 1
}

/// The signals that the engine ignores, each a bit.
pub(super) fn ignored() -> Option<u64> {
    signals(&fs::read_to_string("/proc/self/status").ok()?, "SigIgn:")
}

/// The ends of children.
#[derive(Debug)]
pub(super) struct ChildSignal(SignalFd);

impl ChildSignal {
    /// None when there is another listener.
    pub(super) fn open() -> Option<Self> {
        if !all_hold_back().unwrap_or(false) || IS_TAKEN.swap(true, Ordering::SeqCst) {
            return None;
        }
        let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
        let opened = SignalFd::with_flags(&signal(), flags);
        if opened.is_err() {
            IS_TAKEN.store(false, Ordering::SeqCst);
        }
        opened.ok().map(ChildSignal)
    }

    /// Forgets what was heard; children that have ended by now are looked for after this.
    pub(super) fn clear(&self) {
        let _ = self.0.read_signal();
    }
}

impl Drop for ChildSignal {
    fn drop(&mut self) {
        IS_TAKEN.store(false, Ordering::SeqCst);
    }
}

impl AsFd for ChildSignal {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

fn signal() -> SigSet {
    let mut signal = SigSet::empty();
    signal.add(Signal::SIGCHLD);
    signal
}

/// Whether every thread holds the signal back; those that they start will, too.
fn all_hold_back() -> Option<bool> {
    for task in fs::read_dir("/proc/self/task").ok()? {
        let Ok(status) = fs::read_to_string(task.ok()?.path().join("status")) else { continue };
        if signals(&status, "SigBlk:")? >> (Signal::SIGCHLD as u32 - 1) & 1 == 0 {
            return Some(false);
        }
    }
    Some(true)
}

/// The signals in a line of what the system says about a thread, each a bit.
fn signals(status: &str, line: &str) -> Option<u64> {
    let mask = status.lines().find_map(|it| it.strip_prefix(line))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

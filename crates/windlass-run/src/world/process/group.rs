//! The rest of a process group: what a command or a process started and left behind.
//!
//! A process that is a state has left it only when no process of its group runs any more, and a
//! command that took too long is over only then: otherwise its next try would run beside it. A
//! command that ends by itself may leave processes behind; that is its author's affair.

use std::fs;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, test_kill_process_group};

use super::claim::Identity;
use super::launch::Launcher;
use crate::entry::OrderId;

/// How long the rest of a group may take to end after its leader died, by default.
pub(super) const ORPHANS: Duration = Duration::from_secs(2);
/// How long a killed process is waited for.
const AFTER_KILL: Duration = Duration::from_secs(5);
/// A killed process may have started another one at the last instant.
const ROUNDS: usize = 5;

/// How it is known that a group is still the one that was meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// Its leader ended an instant ago: its number cannot be another's yet.
    Seen,
    /// Its leader ended some time ago: only who has the environment of the order belongs to it.
    ByEnvironment,
}

/// The group of a command or a process.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group {
    pub(super) leader: Identity,
    pub(super) order: OrderId,
    pub(super) known: Known,
}

impl Group {
    /// Ends what is left: asks, and kills after a while.
    pub(super) fn end(self, launcher: &Launcher, grace: Duration) {
        if !self.may_have_members() {
            return;
        }
        let members = self.members(launcher);
        for member in &members {
            member.signal(Signal::TERM);
        }
        let until = Instant::now() + grace;
        for member in &members {
            member.wait(Some(until.saturating_duration_since(Instant::now())));
        }
        for _ in 0..ROUNDS {
            let members = self.members(launcher);
            if members.is_empty() {
                return;
            }
            for member in &members {
                member.signal(Signal::KILL);
            }
            for member in &members {
                member.wait(Some(AFTER_KILL));
            }
        }
    }

    /// Whether there is anybody in a group of this number.
    pub(super) fn may_have_members(self) -> bool {
        let number = self.leader.number().and_then(|number| i32::try_from(number).ok());
        number.and_then(Pid::from_raw).is_some_and(|number| test_kill_process_group(number).is_ok())
    }

    fn members(self, launcher: &Launcher) -> Vec<Identity> {
        let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
        let numbers = processes.flatten().filter_map(|it| it.file_name().to_str()?.parse().ok());
        let members = numbers.filter_map(|number| Identity::in_group(number, self.leader));
        let belongs = |member: &Identity| match (self.known, member.number()) {
            (Known::Seen, _) => true,
            (Known::ByEnvironment, Some(number)) => launcher.is_of(self.order, number),
            (Known::ByEnvironment, None) => false,
        };
        members.filter(|member| member.is_alive()).filter(belongs).collect()
    }
}

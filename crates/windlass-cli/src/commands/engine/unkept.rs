//! A journal that cannot be written: why, and what the operator can do about it.
//!
//! Nothing is done that is not written down, so that whatever was decided before goes on, and the
//! run can be resumed.

use windlass_run::deployment::has_no_room;
use windlass_run::journal::JournalError;

use super::Drive;
use crate::exit_code;
use crate::failure::{self, Failure};

/// How the system, and SQLite, say that there is no room.
const FULL: [&str; 3] = ["no space left", "disk is full", "quota exceeded"];

/// Whether anything of a run is in its journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    New,
    Begun,
}

impl Drive<'_> {
    /// The failure of the journal of this deployment.
    pub(crate) fn unkept(&self, stage: Stage, why: &JournalError) -> Failure {
        let reason = failure::plain(&why.reason());
        let path = self.deployment.journal();
        let message = format!("cannot write `{}`: {reason}", path.display());
        let resume = self.address.command("resume");
        let is_full = has_no_room(self.deployment.folder()) || says_full(&reason);
        let help = match (stage, is_full) {
            (Stage::New, true) => "nothing was done; make room there, then try again".to_owned(),
            (Stage::New, false) => "nothing was done; try again when the cause is gone".to_owned(),
            (Stage::Begun, true) => {
                format!("what runs goes on; make room there, then `{resume}` takes over")
            }
            (Stage::Begun, false) => {
                format!("what runs goes on; `{resume}` takes over when the cause is gone")
            }
        };
        Failure::usage(message).help(help).ending(exit_code::EXECUTION)
    }
}

fn says_full(reason: &str) -> bool {
    FULL.iter().any(|words| reason.contains(words))
}

#[cfg(test)]
mod tests {
    use std::io::Error;

    use rustix::io::Errno;

    use super::*;

    #[test]
    fn a_full_disk_is_known_by_its_words() {
        let says = |code| says_full(&failure::plain(&Error::from_raw_os_error(code).to_string()));
        let [full, quota, broken] = [Errno::NOSPC, Errno::DQUOT, Errno::IO];
        assert!(says(full.raw_os_error()) && says(quota.raw_os_error()));
        assert!(!says(broken.raw_os_error()));
        assert!(says_full("database or disk is full"));
    }
}

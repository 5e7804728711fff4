//! What is said when a run has come to an end, or to rest: what is left, and what leads on.

use std::collections::BTreeMap;

use windlass_run::dispatcher::{Finish, Unseen};

use super::{Address, doubt};
use crate::args::Format;
use crate::{exit_code, output};

/// Tells it; the exit code.
pub(super) fn tell(finish: &Finish, address: &Address, format: Format) -> u8 {
    let resume = address.command("resume");
    match finish {
        Finish::Reached => exit_code::GOOD,
        Finish::NoPlan(_) => {
            let (up, down) = (address.up(), address.command("down"));
            output::notice(&format!("what runs stays as it is; `{up}` or `{down}` leads on"));
            exit_code::EXECUTION
        }
        Finish::Failed(_) | Finish::Stalled(_) => {
            let up = address.up();
            output::notice(&format!(
                "what has been done stays; `{resume}` goes on when the cause is gone, `{up}` by \
                 the file as it is then"
            ));
            exit_code::EXECUTION
        }
        Finish::InDoubt(doubts) => {
            let failure = doubt::failure(doubts, &BTreeMap::new(), address, format);
            failure.print();
            failure.exit_code
        }
        Finish::Unseen(unseen) => {
            for Unseen { instance, host } in unseen {
                output::notice(&format!(
                    "the host {host} does not answer, so it is unknown whether the process of \
                     {instance} runs"
                ));
            }
            output::notice(&format!("when it answers again, `{resume}` goes on"));
            exit_code::EXECUTION
        }
        Finish::RolledBack(_) => {
            let up = address.up();
            output::notice(&format!(
                "everything is where the run began; what an operation did that no other one undoes \
                 is still done; `{up}` starts again"
            ));
            exit_code::EXECUTION
        }
        Finish::Interrupted => {
            output::notice(&format!("interrupted; what runs goes on; `{resume}` takes over"));
            exit_code::INTERRUPTED
        }
    }
}

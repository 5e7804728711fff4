//! Commands that must not run twice, without a shell around each. A *keeper*, one process beside
//! the engine, is their parent: it writes down when each begins and how it ends, and it survives
//! when the engine is killed. The next engine reads that.
//!
//! Reading order: `ipc.rs` (what the two say to each other), `records.rs` (what is written down),
//! `commands.rs` (what the keeper knows), `serve.rs` (the keeper), and here what the engine has of
//! it.

mod commands;
mod ipc;
mod records;
mod serve;

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

use rustix::net::SendFlags;

use super::launch::{Launcher, Ready};
use super::logs::Log;
use crate::entry::OrderId;
pub(super) use ipc::Notice;
use ipc::{Received, Request, Task};
pub(super) use records::{Fact, Records};
pub use serve::keep_commands;

/// The first argument by which a program knows that it has to call [`keep_commands`].
pub const KEEP_COMMANDS: &str = "--keep-commands";

/// The keeper of this engine.
#[derive(Debug)]
pub(super) struct Keeper {
    socket: OwnedFd,
    records: Records,
    child: Child,
    space: Vec<u8>,
}

impl Keeper {
    /// Starts one; none where no program can be it.
    pub(super) fn start(launcher: &Launcher) -> Option<Self> {
        let program = launcher.place.program.as_ref()?;
        let (records, file) = Records::create(launcher.claims.folder()).ok()?;
        let started = ipc::pair().and_then(|(here, there)| {
            let mut keeper = Command::new(program);
            keeper.arg(KEEP_COMMANDS).args(arguments(launcher));
            for name in &launcher.withheld_variables {
                keeper.env_remove(name);
            }
            keeper.stdin(Stdio::from(there)).stdout(Stdio::from(file)).stderr(Stdio::null());
            // A signal for the engine is not meant for it.
            Ok((here, keeper.process_group(0).spawn()?))
        });
        match started {
            Ok((socket, child)) => {
                Some(Keeper { socket, records, child, space: vec![0; ipc::LONGEST] })
            }
            Err(_) => {
                records.remove();
                None
            }
        }
    }

    /// Has it run a command.
    pub(super) fn run(&self, order: OrderId, ready: Ready, log: &Log) -> io::Result<()> {
        let (spare, path) = log.paths();
        let (spare, path) = (spare.to_owned(), path.to_owned());
        let task = Task { order: order.0, ready, spare, log: path };
        ipc::send(&self.socket, &Request::Run(task), Some(log.as_fd()), SendFlags::empty())
    }

    /// Asks for the process of a command; the answer comes when it runs.
    pub(super) fn ask(&self, order: OrderId) {
        // One that is gone has no answer.
        let _ = ipc::send(&self.socket, &Request::Who { order: order.0 }, None, SendFlags::empty());
    }

    /// What it has told by now, and whether it is still there.
    pub(super) fn notices(&mut self) -> (Vec<Notice>, bool) {
        let mut all = Vec::new();
        loop {
            match ipc::receive::<Notice>(&self.socket, &mut self.space) {
                Ok(Received::Message(notices, _)) => all.push(notices),
                Ok(Received::Nothing) => return (all, true),
                Ok(Received::Closed) | Err(_) => return (all, false),
            }
        }
    }

    /// What it wrote down.
    pub(super) fn records(&self) -> &Records {
        &self.records
    }

    /// It is not needed any more. Whatever runs goes on, and it stays as long as that, and so does
    /// what it wrote down.
    pub(super) fn leave(self, is_idle: bool) -> Records {
        let Keeper { socket, records, mut child, .. } = self;
        drop(socket);
        if is_idle {
            records.remove();
            // Nothing holds it up.
            let _ = child.wait();
        }
        records
    }
}

impl AsFd for Keeper {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Where it works, as [`keep_commands`] takes it.
fn arguments(launcher: &Launcher) -> [std::ffi::OsString; 4] {
    let place = &launcher.place;
    let paths = [&place.folder, &place.logs, &place.directory];
    let [folder, logs, directory] = paths.map(|path| path.clone().into_os_string());
    [folder, logs, directory, place.name.clone().into()]
}

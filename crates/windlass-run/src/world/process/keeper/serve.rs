//! The keeper itself: a process that starts the commands that its engine names, writes down what
//! becomes of them, and tells. It ends when its engine is gone and nothing runs any more.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::mem;
use std::os::fd::{AsFd, OwnedFd};
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{SendFlags, Shutdown, shutdown};
use rustix::process::{WaitOptions, wait};

use super::commands::{CommandTable, Standing};
use super::ipc::{self, LONGEST, Received, Request, Task};
use crate::secrets::Secrets;
use crate::world::process::launch::Launcher;
use crate::world::process::logs::Log;
use crate::world::process::sigchld::{ChildSignal, block_sigchld};
use crate::world::process::spawn::Streams;
use crate::world::process::{ProcessSettings, SHORT};

/// The keeper of an engine. `words` are those of `super::arguments`; the engine is at the other
/// end of the standard input, and the standard output is the file for what has to be known later.
pub fn keep_commands(words: impl Iterator<Item = OsString>) -> io::Result<()> {
    // Before anything else: an end that is not heard of is never told.
    block_sigchld();
    let [folder, logs, directory, name] = words
        .collect::<Vec<_>>()
        .try_into()
        .map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    let place = ProcessSettings {
        folder: PathBuf::from(folder),
        logs: PathBuf::from(logs),
        directory: PathBuf::from(directory),
        name: name.into_string().map_err(|_| io::ErrorKind::InvalidInput)?,
        program: None,
    };
    let keeper = Arc::new(Serving {
        socket: io::stdin().as_fd().try_clone_to_owned()?,
        commands: CommandTable::new(File::from(io::stdout().as_fd().try_clone_to_owned()?)),
        child_signal: ChildSignal::open().ok_or(io::ErrorKind::Unsupported)?,
        launcher: Launcher::new(place, Secrets::default())?,
        turn: Mutex::new(()),
    });
    let other = Arc::clone(&keeper);
    let other = thread::Builder::new().spawn(move || {
        if !matches!(panic::catch_unwind(AssertUnwindSafe(|| other.serve())), Ok(Ok(()))) {
            // What cannot be written down must not begin: there is no keeper any more.
            other.commands.fail();
            let _ = shutdown(&other.socket, Shutdown::Both);
        }
    })?;
    keeper.serve()?;
    other.join().map_err(|_| io::Error::other("the other thread has failed"))
}

/// When so many commands run, the other thread is woken while one starts a command. For less than
/// that waking it takes longer than what it could do.
const WAKE_THRESHOLD: usize = 2;

struct Serving {
    socket: OwnedFd,
    commands: CommandTable,
    child_signal: ChildSignal,
    launcher: Launcher,
    /// For the one of the two threads that hears what the engine says and who has ended. It keeps
    /// its turn while it starts a command, unless so many others run that some may end meanwhile.
    turn: Mutex<()>,
}

impl Serving {
    fn serve(&self) -> io::Result<()> {
        let (mut space, mut streams) = (vec![0; LONGEST], Streams::default());
        loop {
            let turn = self.turn.lock();
            let turn = turn.map_err(|_| io::Error::other("the other thread has failed"))?;
            let Some((task, log)) = self.next(&mut space)? else { return Ok(()) };
            // Before other threads hear that the engine is gone: they let the next one in.
            let others = self.commands.begins(task.order, &task.spare)?;
            let turn = (others < WAKE_THRESHOLD).then_some(turn);
            self.begin(task, log, &mut streams)?;
            drop(turn);
        }
    }

    /// The next command to be started; none when there is nothing to do any more.
    fn next(&self, space: &mut [u8]) -> io::Result<Option<(Task, File)>> {
        let mut has_heard = true;
        loop {
            if mem::take(&mut has_heard) {
                self.commands.look(ended_child)?;
            }
            self.tell()?;
            let standing = self.commands.standing()?;
            if standing.is_alone {
                if self.commands.is_over()? {
                    return Ok(None);
                }
                has_heard = self.sleep(standing)?;
                continue;
            }
            match ipc::receive::<Request>(&self.socket, space) {
                Ok(Received::Message(Request::Run(task), file)) => {
                    return Ok(Some((task, ipc::file(file)?)));
                }
                Ok(Received::Message(Request::Who { order }, _)) => self.commands.asked(order)?,
                Ok(Received::Nothing) => has_heard = self.sleep(standing)?,
                Ok(Received::Closed) | Err(_) => self.commands.alone()?,
            }
        }
    }

    /// Until the engine says something, or can hear something, or a command ends; whether one may
    /// have ended. Commands that last longer than a short time are identified.
    fn sleep(&self, standing: Standing) -> io::Result<bool> {
        let mut wanted = PollFlags::IN;
        if standing.has_news {
            wanted |= PollFlags::OUT;
        }
        let mut both =
            [PollFd::new(&self.child_signal, PollFlags::IN), PollFd::new(&self.socket, wanted)];
        // An engine that is gone would wake at once, every time.
        let heard = if standing.is_alone { &mut both[..1] } else { &mut both[..] };
        let most = standing.needs_polling.then(|| Timespec::try_from(SHORT)).transpose();
        match poll(heard, most.map_err(io::Error::other)?.as_ref()) {
            Ok(0) => self.commands.identify()?,
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let has_heard = !both[0].revents().is_empty();
        if has_heard {
            self.child_signal.clear();
        }
        Ok(has_heard)
    }

    /// Begins a command, which is written down.
    fn begin(&self, task: Task, log: File, streams: &mut Streams) -> io::Result<()> {
        let Task { order, ready, spare, log: path } = task;
        let log = Log::open_already(log, spare, path);
        let held =
            (!self.launcher.uses_spawner(&ready)).then(|| self.commands.hold()).transpose()?;
        let started = self.launcher.start(&ready, &log, streams);
        drop(held);
        match started {
            Ok(child) => self.commands.runs(order, child.id(), log)?,
            Err(_) => self.commands.did_not_begin(order)?,
        }
        self.tell()
    }

    fn tell(&self) -> io::Result<()> {
        self.commands.tell(|told| {
            match ipc::send(&self.socket, told, None, SendFlags::DONTWAIT) {
                Ok(()) => true,
                // Whatever else is wrong: the engine is gone, and it is written down.
                Err(error) => error.kind() != io::ErrorKind::WouldBlock,
            }
        })
    }
}

/// Waits for a child that has ended, if there is one; its number and how it ended.
fn ended_child() -> io::Result<Option<(u32, i32)>> {
    loop {
        return match wait(WaitOptions::NOHANG) {
            Ok(Some((process, status))) => {
                Ok(Some((process.as_raw_nonzero().get().unsigned_abs(), status.as_raw())))
            }
            Ok(None) | Err(rustix::io::Errno::CHILD) => Ok(None),
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => Err(error.into()),
        };
    }
}

//! The keeper itself: a process that starts the commands that its engine names, writes down what
//! becomes of them, and tells. It ends when its engine is gone and nothing runs any more.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::net::SendFlags;
use rustix::process::{WaitOptions, wait};

use super::records::{self, Fact};
use super::wire::{self, LONGEST, Received, Request, Task, Told};
use crate::entry::OrderId;
use crate::secrets::Secrets;
use crate::world::process::Place;
use crate::world::process::claim::Identity;
use crate::world::process::ends::{Ends, hear_ends};
use crate::world::process::launch::Launcher;
use crate::world::process::logs::Log;
use crate::world::process::swift::Streams;

/// The keeper of an engine. `words` are those of [`super::arguments`]; the engine is at the other
/// end of the standard input, and the standard output is the file for what has to be known later.
pub fn keep_commands(words: impl Iterator<Item = OsString>) -> io::Result<()> {
    // Before anything else: an end that is not heard of is never told.
    hear_ends();
    let [folder, logs, directory, name] = words
        .collect::<Vec<_>>()
        .try_into()
        .map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    let place = Place {
        folder: PathBuf::from(folder),
        logs: PathBuf::from(logs),
        directory: PathBuf::from(directory),
        name: name.into_string().map_err(|_| io::ErrorKind::InvalidInput)?,
        program: None,
    };
    let keeper = Serving {
        socket: io::stdin().as_fd().try_clone_to_owned()?,
        records: File::from(io::stdout().as_fd().try_clone_to_owned()?),
        ends: Ends::open().ok_or(io::ErrorKind::Unsupported)?,
        launcher: Launcher::new(place, Secrets::default())?,
        streams: Streams::default(),
        running: BTreeMap::new(),
        outbox: VecDeque::new(),
        has_engine: true,
    };
    keeper.run()
}

struct Serving {
    socket: OwnedFd,
    records: File,
    ends: Ends,
    launcher: Launcher,
    streams: Streams,
    /// The order of each process, and its log.
    running: BTreeMap<u32, (u64, Log)>,
    /// What the engine has not been told yet.
    outbox: VecDeque<Told>,
    has_engine: bool,
}

impl Serving {
    fn run(mut self) -> io::Result<()> {
        let mut space = vec![0; LONGEST];
        while self.has_engine || !self.running.is_empty() {
            self.tell();
            self.sleep()?;
            while self.has_engine {
                match wire::receive::<Request>(&self.socket, &mut space) {
                    Ok(Received::Message(Request::Run(task), file)) => {
                        wire::file(file).and_then(|log| self.begin(task, log))?;
                    }
                    Ok(Received::Message(Request::Who { order }, _)) => {
                        let mut running = self.running.iter();
                        let process = running.find(|(_, (of, _))| *of == order);
                        let runs =
                            process.map(|(process, _)| Told::Runs { order, process: *process });
                        self.outbox.extend(runs);
                    }
                    Ok(Received::Nothing) => break,
                    Ok(Received::Closed) | Err(_) => self.alone()?,
                }
            }
            self.ends.clear();
            self.look()?;
        }
        Ok(())
    }

    /// Until the engine says something or a command ends.
    fn sleep(&self) -> io::Result<()> {
        let mut wanted = PollFlags::IN;
        if !self.outbox.is_empty() {
            wanted |= PollFlags::OUT;
        }
        let both = [PollFd::new(&self.ends, PollFlags::IN), PollFd::new(&self.socket, wanted)];
        // An engine that is gone would wake at once, every time.
        let count = if self.has_engine { 2 } else { 1 };
        match poll(&mut both.into_iter().take(count).collect::<Vec<_>>(), None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Begins a command: that is written down before.
    fn begin(&mut self, task: Task, log: File) -> io::Result<()> {
        let Task { order, ready, spare, log: path } = task;
        records::write(&self.records, OrderId(order), Fact::Begun)?;
        let log = Log::open_already(log, spare, path);
        match self.launcher.start(&ready, &log, &mut self.streams) {
            Ok(child) => {
                // An environment that names the order can be hidden; this cannot.
                if let Some(identity) = Identity::of(child.id()) {
                    records::write(&self.records, OrderId(order), Fact::Runs(identity))?;
                }
                self.running.insert(child.id(), (order, log));
            }
            Err(_) => {
                records::write(&self.records, OrderId(order), Fact::NotBegun)?;
                self.outbox.push_back(Told::NotBegun { order });
            }
        }
        Ok(())
    }

    /// Looks who has ended.
    fn look(&mut self) -> io::Result<()> {
        loop {
            let (process, status) = match wait(WaitOptions::NOHANG) {
                Ok(Some((process, status))) => (process, status.as_raw()),
                Ok(None) | Err(rustix::io::Errno::CHILD) => return Ok(()),
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            };
            let process = process.as_raw_nonzero().get().unsigned_abs();
            let Some((order, mut log)) = self.running.remove(&process) else { continue };
            records::write(&self.records, OrderId(order), Fact::Ended(status))?;
            log.name_unless_empty();
            let is_named = log.has_name();
            // The engine may want it for another command as soon as it is told.
            drop(log);
            self.outbox.push_back(Told::Ended { order, status, is_named });
            self.tell();
        }
    }

    fn tell(&mut self) {
        while let Some(told) = self.outbox.front() {
            match wire::send(&self.socket, told, None, SendFlags::DONTWAIT) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                // Nobody hears it; it is written down.
                Ok(()) | Err(_) => self.outbox.pop_front(),
            };
        }
    }

    /// The engine is gone, and with it whoever would have named the logs. Nothing more will begin.
    fn alone(&mut self) -> io::Result<()> {
        self.has_engine = false;
        for (_, log) in self.running.values_mut() {
            log.name();
        }
        // As long as somebody reads of commands that run, it can be seen that there is a keeper.
        self.records.lock_shared()
    }
}

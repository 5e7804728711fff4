//! Where reports arrive: threads put them in and ring a bell, and the dispatcher sleeps until the
//! bell rings or a command that it started itself has ended.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::mem;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

use rustix::event::{EventfdFlags, Timespec, epoll, eventfd};

use super::sigchld::ChildSignal;
use crate::entry::OrderId;
use crate::world::Report;

/// The event that is not the end of a command: orders are numbered from 1.
const WAKEUP: u64 = 0;
/// The event that some command has ended.
const CHILD_SIGNAL: u64 = u64::MAX;
/// The event that the keeper has something to say.
const KEEPER: u64 = u64::MAX - 1;
/// How many events are taken at once.
const EVENTS: usize = 64;

/// For threads that report.
#[derive(Debug, Clone)]
pub(in crate::world) struct Reports {
    sender: Sender<Report>,
    wakeup: Arc<OwnedFd>,
}

impl Reports {
    /// The engine may be gone: then another one will ask.
    pub(in crate::world) fn send(&self, report: Report) {
        if self.sender.send(report).is_ok() {
            // A bell that cannot be rung has been rung too often to be overheard.
            let _ = rustix::io::write(&self.wakeup, &1_u64.to_ne_bytes());
        }
    }
}

/// For the dispatcher.
pub(super) struct Inbox {
    receiver: Receiver<Report>,
    wakeup: Arc<OwnedFd>,
    events: OwnedFd,
    ended: VecDeque<OrderId>,
    /// How ends are heard of without a handle.
    child_signal: Option<ChildSignal>,
    /// Whether some command without a handle may have ended.
    take_child_signal: bool,
    /// Whether the keeper may have said something.
    take_keeper_signal: bool,
}

impl fmt::Debug for Inbox {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Inbox").field("ended", &self.ended).finish_non_exhaustive()
    }
}

/// An inbox, and how to put something into it.
pub(super) fn open() -> io::Result<(Reports, Inbox)> {
    let (sender, receiver) = mpsc::channel();
    let wakeup = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?);
    let events = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    epoll::add(&events, &wakeup, epoll::EventData::new_u64(WAKEUP), epoll::EventFlags::IN)?;
    let child_signal = ChildSignal::open();
    if let Some(child_signal) = &child_signal {
        epoll::add(
            &events,
            child_signal,
            epoll::EventData::new_u64(CHILD_SIGNAL),
            epoll::EventFlags::IN,
        )?;
    }
    let inbox = Inbox {
        receiver,
        wakeup: Arc::clone(&wakeup),
        events,
        ended: VecDeque::new(),
        child_signal,
        take_child_signal: false,
        take_keeper_signal: false,
    };
    Ok((Reports { sender, wakeup }, inbox))
}

impl Inbox {
    /// A report that is there already.
    pub(super) fn report(&self) -> Option<Report> {
        self.receiver.try_recv().ok()
    }

    /// A command that is known to have ended.
    pub(super) fn ended(&mut self) -> Option<OrderId> {
        self.ended.pop_front()
    }

    /// How many commands are known to have ended and were not taken yet.
    pub(super) fn waiting(&self) -> usize {
        self.ended.len()
    }

    /// Whether the end of a command without a handle ends the sleep.
    pub(super) fn has_child_signal(&self) -> bool {
        self.child_signal.is_some()
    }

    /// Whether some command without a handle may have ended since this was asked last.
    pub(super) fn take_child_signal(&mut self) -> bool {
        mem::take(&mut self.take_child_signal)
    }

    /// Whether the keeper may have said something since this was asked last.
    pub(super) fn take_keeper_signal(&mut self) -> bool {
        mem::take(&mut self.take_keeper_signal)
    }

    /// From here on what the keeper says ends the sleep.
    pub(super) fn listen(&self, keeper: impl AsFd) -> io::Result<()> {
        let event = epoll::EventData::new_u64(KEEPER);
        Ok(epoll::add(&self.events, keeper, event, epoll::EventFlags::IN)?)
    }

    /// A command that has ended.
    pub(super) fn push(&mut self, ended: OrderId) {
        self.ended.push_back(ended);
    }

    /// The end of the process behind `handle` will end the sleep, once: what the system keeps of
    /// it stays for a while, and must not wake anybody again.
    pub(super) fn expect(&self, order: OrderId, handle: impl AsFd) -> io::Result<()> {
        let event = epoll::EventData::new_u64(order.0);
        let once = epoll::EventFlags::IN | epoll::EventFlags::ONESHOT;
        Ok(epoll::add(&self.events, handle, event, once)?)
    }

    /// Sleeps until there is something, at most that long; whether there may be something.
    pub(super) fn sleep(&mut self, most: Option<Duration>) -> bool {
        let most = most.and_then(|most| Timespec::try_from(most).ok());
        let mut events = Vec::with_capacity(EVENTS);
        let room = rustix::buffer::spare_capacity(&mut events);
        match epoll::wait(&self.events, room, most.as_ref()) {
            Ok(0) => return false,
            // An interrupted sleep; the caller sleeps again if it wants to.
            Err(_) => return true,
            Ok(_) => {}
        }
        for event in events {
            match event.data.u64() {
                WAKEUP => {
                    let _ = rustix::io::read(&self.wakeup, &mut [0_u8; 8]);
                }
                CHILD_SIGNAL => {
                    self.child_signal.iter().for_each(ChildSignal::clear);
                    self.take_child_signal = true;
                }
                KEEPER => self.take_keeper_signal = true,
                order => self.ended.push_back(OrderId(order)),
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_report_of_another_thread_ends_the_sleep() {
        let (reports, mut inbox) = open().unwrap();
        assert!(!inbox.sleep(Some(Duration::from_millis(1))));
        let thread = thread::spawn(move || {
            thread::sleep(Duration::from_millis(20));
            reports.send(Report::Interrupted);
        });
        assert!(inbox.sleep(None));
        assert_eq!(inbox.report(), Some(Report::Interrupted));
        assert_eq!(inbox.report(), None);
        assert!(!inbox.sleep(Some(Duration::from_millis(1))));
        thread.join().unwrap();
    }

    #[test]
    fn an_end_is_reported_once_while_its_handle_stays_open() {
        let (_reports, mut inbox) = open().unwrap();
        let mut children = Vec::new();
        for number in 1..=3 {
            let child = std::process::Command::new("true").spawn().unwrap();
            let process = rustix::process::Pid::from_child(&child);
            let flags = rustix::process::PidfdFlags::empty();
            let handle = rustix::process::pidfd_open(process, flags).unwrap();
            inbox.expect(OrderId(number), &handle).unwrap();
            children.push((child, handle));
        }
        let mut told = Vec::new();
        while told.len() < 3 {
            assert!(inbox.sleep(Some(Duration::from_secs(30))), "no end was reported");
            told.extend(std::iter::from_fn(|| inbox.ended()));
        }
        told.sort_unstable();
        assert_eq!(told, [1, 2, 3].map(OrderId));
        assert!(!inbox.sleep(Some(Duration::from_millis(20))));
        for (mut child, _) in children {
            child.wait().unwrap();
        }
    }
}

//! What an engine and its keeper say to each other: messages over a pair of sockets, whole or not
//! at all. A command comes with the log that it writes to, as an open file.

use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;

use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::world::process::launch::Ready;

/// The longest message. The system keeps twice that for each socket.
pub(super) const LONGEST: usize = 96 * 1024;

/// What the engine asks for.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Request {
    /// Start a command; its log comes along.
    Run(Task),
    /// Say which process it is.
    Who { order: u64 },
}

/// A command that is to be run once.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Task {
    pub(super) order: u64,
    pub(super) ready: Ready,
    /// Where its log is, and what it will be called.
    pub(super) spare: PathBuf,
    pub(super) log: PathBuf,
}

/// What the keeper tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::world::process) enum Notice {
    /// A command has ended: the system's number for how, and whether its log has its name.
    Ended { order: u64, status: i32, is_named: bool },
    /// A command could not be started.
    NotBegun { order: u64 },
    /// The process of a command that runs.
    Runs { order: u64, process: u32 },
}

/// What came out of a socket.
#[derive(Debug)]
pub(super) enum Received<T> {
    Message(T, Option<OwnedFd>),
    /// Nothing is there yet.
    Nothing,
    /// The other end is closed.
    Closed,
}

/// Two sockets, each the other end of the other.
pub(super) fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let (kind, flags) = (SocketType::SEQPACKET, SocketFlags::CLOEXEC);
    Ok(socketpair(AddressFamily::UNIX, kind, flags, None)?)
}

/// Sends a message, with a file.
pub(super) fn send(
    socket: impl AsFd,
    message: &impl Serialize,
    file: Option<BorrowedFd<'_>>,
    flags: SendFlags,
) -> io::Result<()> {
    let text = serde_json::to_vec(message)?;
    if text.len() > LONGEST {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut beside = SendAncillaryBuffer::new(&mut space);
    let files = file.map(|file| [file]);
    if let Some(files) = &files {
        // There is room for one.
        beside.push(SendAncillaryMessage::ScmRights(files));
    }
    loop {
        let sent =
            sendmsg(&socket, &[IoSlice::new(&text)], &mut beside, flags | SendFlags::NOSIGNAL);
        match sent {
            Ok(_) => return Ok(()),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Takes a message that is there already. `space` is for [`LONGEST`] bytes.
pub(super) fn receive<T: DeserializeOwned>(
    socket: impl AsFd,
    space: &mut [u8],
) -> io::Result<Received<T>> {
    let mut beside_space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut beside = RecvAncillaryBuffer::new(&mut beside_space);
    let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
    let read = loop {
        match recvmsg(&socket, &mut [IoSliceMut::new(space)], &mut beside, flags) {
            Ok(read) => break read.bytes,
            Err(rustix::io::Errno::INTR) => {}
            Err(rustix::io::Errno::AGAIN) => return Ok(Received::Nothing),
            Err(rustix::io::Errno::CONNRESET) => return Ok(Received::Closed),
            Err(error) => return Err(error.into()),
        }
    };
    if read == 0 {
        return Ok(Received::Closed);
    }
    let files = beside.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut files) => files.next(),
        _ => None,
    });
    let file = files.last();
    Ok(Received::Message(serde_json::from_slice(&space[..read])?, file))
}

/// The file that came with a message.
pub(super) fn file(from: Option<OwnedFd>) -> io::Result<File> {
    from.map(File::from).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn a_message_arrives_whole_and_with_its_file() {
        let (here, there) = pair().unwrap();
        let mut space = vec![0; LONGEST];
        let nothing = receive::<Notice>(&there, &mut space).unwrap();
        assert!(matches!(nothing, Received::Nothing));
        let written = tempfile::NamedTempFile::new().unwrap();
        let told = Notice::Runs { order: 7, process: 42 };
        let flags = SendFlags::empty();
        send(&here, &told, Some(written.as_file().as_fd()), flags).unwrap();
        send(&here, &Notice::NotBegun { order: 8 }, None, flags).unwrap();
        let Received::Message(first, Some(came)) = receive::<Notice>(&there, &mut space).unwrap()
        else {
            panic!("a message and a file")
        };
        assert_eq!(first, told);
        File::from(came).write_all(b"word").unwrap();
        assert_eq!(std::fs::read(written.path()).unwrap(), b"word");
        let second = receive::<Notice>(&there, &mut space).unwrap();
        assert!(matches!(second, Received::Message(Notice::NotBegun { order: 8 }, None)));
        assert!(send(&here, &"x".repeat(LONGEST), None, flags).is_err());
        drop(here);
        assert!(matches!(receive::<Notice>(&there, &mut space).unwrap(), Received::Closed));
    }
}

//! What keepers write down for the engine that comes after the one that was killed: which commands
//! have begun, and how they ended. One file for each keeper, a line for each fact.
//!
//! A process that may still begin a command has the file locked: the engine locks it before there
//! is a keeper, and the keeper lets go of it when its engine is gone and all that it was told is
//! begun.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::thread;
use std::time::{Duration, Instant};

use crate::entry::OrderId;
use crate::world::process::claim::Identity;

/// How the files are called, before their number.
const NAME: &str = "keeper-";

/// How long a keeper whose engine is gone may take to let go.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(1);

/// What is known about a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::world::process) enum Fact {
    /// It has begun.
    Begun,
    /// It has begun, and is this process.
    Runs(Identity),
    /// It has ended; the system's number for how.
    Ended(i32),
    /// It could not begin.
    NotBegun,
}

impl Fact {
    /// How the command ended, if it has.
    pub(in crate::world::process) fn status(self) -> Option<ExitStatus> {
        match self {
            Fact::Ended(status) => Some(ExitStatus::from_raw(status)),
            Fact::Begun | Fact::Runs(_) | Fact::NotBegun => None,
        }
    }

    /// The process of the command, if it runs; it is looked for when it was not written down which
    /// it is.
    pub(in crate::world::process) fn running(
        self,
        find: impl FnOnce() -> Option<Identity>,
    ) -> Option<Identity> {
        match self {
            Fact::Runs(identity) => Some(identity).filter(|identity| identity.is_alive()),
            Fact::Begun => find(),
            Fact::Ended(_) | Fact::NotBegun => None,
        }
    }
}

/// The file of one keeper.
#[derive(Debug)]
pub(in crate::world::process) struct Records {
    path: PathBuf,
}

impl Records {
    /// A new file, locked as long as what is returned beside it is open.
    pub(super) fn create(folder: &Path) -> io::Result<(Self, File)> {
        for number in 0_u64.. {
            let path = folder.join(format!("{NAME}{number}"));
            let mut options = OpenOptions::new();
            match options.create_new(true).append(true).mode(0o600).open(&path) {
                Ok(file) => {
                    file.lock()?;
                    return Ok((Records { path }, file));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::StorageFull.into())
    }

    /// The files of a folder.
    pub(in crate::world::process) fn all(folder: &Path) -> Vec<Self> {
        let Ok(files) = fs::read_dir(folder) else { return Vec::new() };
        let is_one = |path: &PathBuf| {
            path.file_name().and_then(|name| name.to_str()).is_some_and(|it| it.starts_with(NAME))
        };
        let mut all: Vec<PathBuf> = files.flatten().map(|it| it.path()).filter(is_one).collect();
        all.sort();
        all.into_iter().map(|path| Records { path }).collect()
    }

    /// Sleeps until nothing that is not written down can begin; false when that takes too long.
    pub(in crate::world::process) fn is_closed(&self) -> bool {
        let Ok(file) = File::open(&self.path) else { return true };
        let until = Instant::now() + PATIENCE;
        loop {
            match file.try_lock_shared() {
                Ok(()) => return true,
                Err(TryLockError::WouldBlock) if Instant::now() < until => thread::sleep(PAUSE),
                Err(_) => return false,
            }
        }
    }

    /// Whether a keeper that is alone looks after commands and writes down how they end.
    pub(in crate::world::process) fn is_kept(&self) -> bool {
        let Ok(file) = File::open(&self.path) else { return false };
        matches!(file.try_lock(), Err(TryLockError::WouldBlock))
    }

    /// What it says about an order.
    pub(in crate::world::process) fn fact(&self, order: OrderId) -> Option<Fact> {
        let text = fs::read_to_string(&self.path).ok()?;
        // A line that the end of the machine cut off is no fact.
        let whole = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
        let of_order = whole.filter_map(parse).filter(|(of, _)| *of == order);
        of_order.map(|(_, fact)| fact).next_back()
    }

    /// The file that the command of an order writes to, if it has begun, before it has its name.
    pub(in crate::world::process) fn spare(&self, order: OrderId) -> Option<String> {
        let text = fs::read_to_string(&self.path).ok()?;
        let begun = format!("begun {} ", order.0);
        text.lines().find_map(|line| line.strip_prefix(&begun)).map(str::to_owned)
    }

    /// The orders in it.
    pub(in crate::world::process) fn orders(&self) -> Vec<OrderId> {
        let text = fs::read_to_string(&self.path).unwrap_or_default();
        text.lines().filter_map(parse).map(|(order, _)| order).collect()
    }

    /// There will be no more questions.
    pub(in crate::world::process) fn remove(&self) {
        let _ = fs::remove_file(&self.path);
    }

    pub(in crate::world::process) fn is_same_as(&self, other: &Records) -> bool {
        self.path == other.path
    }
}

/// Writes that a command begins, and where it writes to.
pub(super) fn write_begun(mut file: &File, order: OrderId, spare: &str) -> io::Result<()> {
    file.write_all(format!("begun {} {spare}\n", order.0).as_bytes())
}

/// Writes a fact, in one piece.
pub(super) fn write(mut file: &File, order: OrderId, fact: Fact) -> io::Result<()> {
    let order = order.0;
    let line = match fact {
        Fact::Begun => format!("begun {order}\n"),
        Fact::Runs(identity) => format!("runs {order} {}\n", identity.words()),
        Fact::Ended(status) => format!("ended {order} {status}\n"),
        Fact::NotBegun => format!("not {order}\n"),
    };
    file.write_all(line.as_bytes())
}

fn parse(line: &str) -> Option<(OrderId, Fact)> {
    let mut words = line.splitn(3, ' ');
    let (word, order) = (words.next()?, OrderId(words.next()?.parse().ok()?));
    let fact = match word {
        "begun" => Fact::Begun,
        "runs" => Fact::Runs(Identity::from_words(words.next()?)?),
        "ended" => Fact::Ended(words.next()?.parse().ok()?),
        "not" => Fact::NotBegun,
        _ => return None,
    };
    Some((order, fact))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_fact_about_an_order_counts_and_half_a_line_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let (records, file) = Records::create(folder.path()).unwrap();
        let (other, _open) = Records::create(folder.path()).unwrap();
        assert!(!records.is_same_as(&other));
        for (order, fact) in [(1, Fact::Begun), (12, Fact::Begun), (1, Fact::Ended(256))] {
            write(&file, OrderId(order), fact).unwrap();
        }
        write(&file, OrderId(3), Fact::NotBegun).unwrap();
        write_begun(&file, OrderId(4), ".7").unwrap();
        (&file).write_all(b"ended 12 0").unwrap();
        assert_eq!(records.fact(OrderId(1)), Some(Fact::Ended(256)));
        assert_eq!(records.fact(OrderId(12)), Some(Fact::Begun));
        assert_eq!(records.fact(OrderId(3)), Some(Fact::NotBegun));
        assert_eq!(records.fact(OrderId(2)), None);
        assert_eq!(records.fact(OrderId(4)), Some(Fact::Begun));
        assert_eq!(records.spare(OrderId(4)).as_deref(), Some(".7"));
        assert_eq!(records.spare(OrderId(1)), None);
        assert_eq!(Records::all(folder.path()).len(), 2);
    }

    #[test]
    fn a_file_is_closed_when_its_lock_is_let_go_of_although_copies_are_open() {
        let folder = tempfile::tempdir().unwrap();
        let (records, file) = Records::create(folder.path()).unwrap();
        let copy = file.try_clone().unwrap();
        let waiting = thread::spawn(move || (records.is_closed(), records));
        thread::sleep(Duration::from_millis(20));
        assert!(!waiting.is_finished());
        copy.unlock().unwrap();
        let (is_closed, records) = waiting.join().unwrap();
        assert!(is_closed);
        records.remove();
        assert!(records.is_closed() && Records::all(folder.path()).is_empty());
    }
}

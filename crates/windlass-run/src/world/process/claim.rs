//! Claims: how an order is carried out at most once although the engine may die at any instant.
//!
//! Before a command runs, the shell that will run it makes a file that must not exist yet, and
//! writes its own line of `/proc/self/stat` into it. After a crash the engine tries to make the
//! same file. If it can, the command has not begun, and never will: its shell would find the file
//! and give up. If it cannot, the file says which process it is, by number and start time, so that
//! a number used again by another process is not mistaken for it; or that an engine made it, which
//! was killed before it could write down that the command has not begun.
//!
//! An order that is nothing but a command needs no shell: its keeper writes the same down
//! (`keeper.rs`).

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open};

use super::keeper::{Fact, Records};
use crate::entry::OrderId;

/// How long the keeper of a command that runs no more may take to write down how it ended.
const LAST_FACT: Duration = Duration::from_secs(2);

/// The script that claims and then becomes the command: `$1` is the claim.
pub(super) const CLAIM_AND_BECOME: &str = "set -C; c=$1; shift; \
     IFS= read -r s < /proc/self/stat; printf '%s\\n' \"$s\" > \"$c\" || exit 125; exec \"$@\"";

/// The script that claims, runs the command and leaves its exit code in `$2`.
pub(super) const CLAIM_AND_REPORT: &str = "set -C; c=$1; r=$2; shift 2; \
     IFS= read -r s < /proc/self/stat; printf '%s\\n' \"$s\" > \"$c\" || exit 125; \
     \"$@\"; e=$?; printf '%s\\n' \"$e\" > \"$r\"; exit \"$e\"";

/// The content of a claim that an engine made: the command will never begin.
const NEVER: &str = "never\n";

/// The folder of the claims of this boot.
#[derive(Debug, Clone)]
pub(super) struct Claims {
    folder: PathBuf,
    /// The folders of earlier boots.
    earlier: Vec<PathBuf>,
}

/// The file with the number of the first order of a boot that has one before it.
const FIRST: &str = "first";

/// What is known about one command or process.
#[derive(Debug, Clone)]
pub(super) struct Claim {
    path: PathBuf,
}

/// A process, by number and start time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    pid: i32,
    start: u64,
}

impl Claims {
    pub(super) fn open(deployment: &Path) -> io::Result<Self> {
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id")?;
        Self::of_boot(deployment, boot.trim())
    }

    /// After a boot nothing runs any more, whatever its number was.
    fn of_boot(deployment: &Path, boot: &str) -> io::Result<Self> {
        let all = deployment.join("claims");
        let folder = all.join(boot);
        if !folder.exists() {
            crate::deployment::private_folder(&folder)?;
            // Another boot has to find it, whatever ends this one.
            File::open(&all)?.sync_all()?;
        }
        let boots = fs::read_dir(&all)?.flatten().map(|entry| entry.path());
        let mut earlier: Vec<PathBuf> = boots.filter(|other| *other != folder).collect();
        earlier.sort();
        Ok(Claims { folder, earlier })
    }

    /// An order is about to be carried out: it is one of this boot.
    pub(super) fn begin(&self, order: OrderId) -> io::Result<()> {
        if self.earlier.is_empty() || self.first().is_some() {
            return Ok(());
        }
        let path = self.folder.join(FIRST);
        let mut file = OpenOptions::new();
        let mut file = file.write(true).create(true).truncate(true).mode(0o600).open(path)?;
        writeln!(file, "{}", order.0)
    }

    fn first(&self) -> Option<u64> {
        fs::read_to_string(self.folder.join(FIRST)).ok()?.trim().parse().ok()
    }

    /// Whether an order may have been given before the machine booted. Then nothing of it runs,
    /// and a claim that is not there proves nothing: it may have been lost with the power.
    pub(super) fn is_of_earlier_boot(&self, order: OrderId) -> bool {
        !self.earlier.is_empty() && self.first().is_none_or(|first| order.0 < first)
    }

    /// How the command of an order of an earlier boot ended, as far as that was written down.
    pub(super) fn earlier_status(&self, order: OrderId) -> Option<ExitStatus> {
        let claim = |folder: &PathBuf| Claim { path: folder.join(format!("{}.command", order.0)) };
        let by_shell = |folder: &PathBuf| claim(folder).status();
        let by_keeper = |folder: &PathBuf| recorded_fact(&Records::all(folder), order)?.status();
        self.earlier.iter().find_map(|folder| by_shell(folder).or_else(|| by_keeper(folder)))
    }

    /// How a command of this boot that runs no more ended, as far as that was written down.
    pub(super) fn status(&self, order: OrderId) -> Option<ExitStatus> {
        let until = Instant::now() + LAST_FACT;
        loop {
            let all = Records::all(&self.folder);
            // Asked before: a process that is gone then has written all that it will.
            let is_kept = all.iter().any(|it| it.fact(order).is_some() && it.is_kept());
            let known =
                self.command(order).status().or(recorded_fact(&all, order).and_then(Fact::status));
            // Its keeper may be about to write.
            if known.is_some() || !is_kept || Instant::now() >= until {
                return known;
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// What keepers of engines before this one wrote down about an order, waiting until none of
    /// them can begin it any more; an error when that takes too long.
    pub(super) fn recorded(
        &self,
        order: OrderId,
        own: Option<&Records>,
    ) -> Result<Option<Fact>, ()> {
        let earlier = self.earlier_keepers(own);
        if earlier.iter().all(Records::is_closed) {
            Ok(recorded_fact(&earlier, order))
        } else {
            Err(())
        }
    }

    /// The file that a command of an earlier engine of this boot writes to, by what its keeper
    /// wrote down.
    pub(super) fn spare(&self, order: OrderId) -> Option<String> {
        Records::all(&self.folder).iter().find_map(|records| records.spare(order))
    }

    /// The files of keepers of engines before this one.
    pub(super) fn earlier_keepers(&self, own: Option<&Records>) -> Vec<Records> {
        let mut all = Records::all(&self.folder);
        all.retain(|records| !own.is_some_and(|own| own.is_same_as(records)));
        all
    }

    /// Where all of this is.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn command(&self, order: OrderId) -> Claim {
        Claim { path: self.folder.join(format!("{}.command", order.0)) }
    }

    pub(super) fn process(&self, order: OrderId) -> Claim {
        Claim { path: self.folder.join(format!("{}.process", order.0)) }
    }
}

/// What keepers wrote down about an order.
fn recorded_fact(all: &[Records], order: OrderId) -> Option<Fact> {
    all.iter().find_map(|records| records.fact(order).filter(|fact| *fact != Fact::NotBegun))
}

impl Claim {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn result(&self) -> PathBuf {
        self.path.with_extension("result")
    }

    /// Makes the claim, so that no other process can; whether none has begun. The claim of an
    /// engine before this one is as good.
    pub(super) fn take(&self) -> bool {
        self.make() || self.text().is_some_and(|text| text == NEVER)
    }

    /// A file with its text or none at all: one without may be that of a shell which is about to
    /// write, and to begin.
    fn make(&self) -> bool {
        let whole = self.path.with_extension("never");
        // An engine that was killed here may have left its own.
        let _ = fs::remove_file(&whole);
        let made = new_file(&whole, NEVER).and_then(|()| fs::hard_link(&whole, &self.path));
        let _ = fs::remove_file(&whole);
        match made {
            Ok(()) => true,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => false,
            // Not every file system has links.
            Err(_) => new_file(&self.path, NEVER).is_ok(),
        }
    }

    fn text(&self) -> Option<String> {
        fs::read_to_string(&self.path).ok()
    }

    /// Who made it. A claim that was made an instant ago may not be written yet.
    pub(super) fn identity(&self) -> Option<Identity> {
        for wait in [0, 1, 5, 20, 100] {
            thread::sleep(Duration::from_millis(wait));
            let text = self.text().filter(|text| text != NEVER)?;
            if let Some(identity) = Identity::parse(&text) {
                return Some(identity);
            }
        }
        None
    }

    /// Whether its process is known.
    pub(super) fn is_written(&self) -> bool {
        fs::metadata(&self.path).is_ok_and(|about| about.len() > 0)
    }

    /// The exit code that the shell of the command left.
    fn status(&self) -> Option<ExitStatus> {
        let code: i32 = fs::read_to_string(self.result()).ok()?.trim().parse().ok()?;
        Some(ExitStatus::from_raw(code << 8))
    }

    /// The outcome is safe elsewhere.
    pub(super) fn forget(&self) {
        // The claim of a command that never ran may not exist.
        let _ = fs::remove_file(&self.path);
        let _ = fs::remove_file(self.result());
    }
}

fn new_file(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())
}

impl Identity {
    /// From a line of `/proc/PID/stat`: the name stands in brackets and may hold anything.
    fn parse(stat: &str) -> Option<Self> {
        let pid = stat.split(' ').next()?.parse().ok()?;
        let after = &stat[stat.rfind(')')? + 1..];
        let start = after.split_ascii_whitespace().nth(19)?.parse().ok()?;
        Some(Identity { pid, start })
    }

    /// Number and start time, as a file keeps them.
    pub(crate) fn words(self) -> String {
        format!("{} {}", self.pid, self.start)
    }

    /// What [`Identity::words`] wrote.
    pub(crate) fn from_words(text: &str) -> Option<Self> {
        let (pid, start) = text.trim().split_once(' ')?;
        Some(Identity { pid: pid.parse().ok()?, start: start.parse().ok()? })
    }

    pub(crate) fn of(pid: u32) -> Option<Self> {
        Self::parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// A process that leads a group of a session that another one leads.
    pub(super) fn of_leader(pid: u32) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let mut fields = stat[stat.rfind(')')? + 1..].split_ascii_whitespace().skip(2);
        let (group, session) = (fields.next()?, fields.next()?);
        let identity = Self::parse(&stat)?;
        let own = identity.pid.to_string();
        (group == own && session != own).then_some(identity)
    }

    /// A process of the group that another one led, and not a later process of that number.
    pub(super) fn in_group(pid: u32, leader: Identity) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let group = stat[stat.rfind(')')? + 1..].split_ascii_whitespace().nth(2)?;
        let identity = Self::parse(&stat)?;
        let is_member = group.parse() == Ok(leader.pid) && identity.start >= leader.start;
        let is_other = identity.pid == leader.pid && identity.start != leader.start;
        (is_member && !is_other).then_some(identity)
    }

    pub(super) fn start(self) -> u64 {
        self.start
    }

    /// Whether it runs, and is not only waiting to be buried.
    pub(crate) fn is_alive(self) -> bool {
        let Ok(stat) = fs::read_to_string(format!("/proc/{}/stat", self.pid)) else { return false };
        let state = stat.rfind(')').and_then(|at| stat[at + 1..].split_ascii_whitespace().next());
        Self::parse(&stat) == Some(self) && !matches!(state, Some("Z" | "X"))
    }

    pub(crate) fn number(self) -> Option<u32> {
        u32::try_from(self.pid).ok()
    }

    fn pid(self) -> Option<Pid> {
        Pid::from_raw(self.pid)
    }

    /// Sends a signal to it alone; what is gone needs none.
    pub(crate) fn signal(self, signal: Signal) {
        if let Some(pid) = self.pid().filter(|_| self.is_alive()) {
            let _ = kill_process(pid, signal);
        }
    }

    /// Sends a signal to the group that it leads; what is gone needs none.
    pub(super) fn signal_group(self, signal: Signal) {
        if let Some(pid) = self.pid().filter(|_| self.is_alive()) {
            let _ = kill_process_group(pid, signal).or_else(|_| kill_process(pid, signal));
        }
    }

    /// Sleeps until it has ended, or the time is over; whether it has ended.
    pub(crate) fn wait(self, most: Option<Duration>) -> bool {
        let Some(pid) = self.pid() else { return true };
        let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else { return true };
        // Between reading its number and opening its handle it may have become another.
        if !self.is_alive() {
            return true;
        }
        let most = most.and_then(|most| Timespec::try_from(most).ok());
        let mut waiting = [PollFd::new(&handle, PollFlags::IN)];
        loop {
            match poll(&mut waiting, most.as_ref()) {
                Ok(0) => return false,
                Ok(_) => return true,
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return !self.is_alive(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_blanks_is_no_problem() {
        let stat = "42 (a) b (c) S 1 42 42 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 777 9 10";
        assert_eq!(Identity::parse(stat), Some(Identity { pid: 42, start: 777 }));
        assert!(Identity::of(std::process::id()).unwrap().is_alive());
        assert_eq!(Identity::parse(""), None);
    }

    #[test]
    fn a_claim_that_is_not_there_after_a_boot_proves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let before = Claims::of_boot(folder.path(), "a").unwrap();
        before.begin(OrderId(1)).unwrap();
        assert!(!before.is_of_earlier_boot(OrderId(1)));
        fs::write(before.command(OrderId(2)).result(), "0\n").unwrap();
        let after = Claims::of_boot(folder.path(), "b").unwrap();
        assert!(after.is_of_earlier_boot(OrderId(1)));
        assert_eq!(after.earlier_status(OrderId(1)), None);
        assert_eq!(after.earlier_status(OrderId(2)).and_then(|it| it.code()), Some(0));
        after.begin(OrderId(3)).unwrap();
        after.begin(OrderId(4)).unwrap();
        assert!(after.is_of_earlier_boot(OrderId(2)));
        assert!(!after.is_of_earlier_boot(OrderId(3)));
        assert!(!Claims::of_boot(folder.path(), "b").unwrap().is_of_earlier_boot(OrderId(4)));
    }

    #[test]
    fn a_claim_is_made_once() {
        let folder = tempfile::tempdir().unwrap();
        let claims = Claims::open(folder.path()).unwrap();
        let claim = claims.command(OrderId(1));
        fs::write(claim.path().with_extension("never"), "ne").unwrap();
        assert!(claim.take());
        assert!(claim.take(), "an engine that was killed had made it");
        assert_eq!(claim.identity(), None);
        claim.forget();
        fs::write(claim.path(), "").unwrap();
        assert!(!claim.take(), "a shell is about to begin");
        fs::write(claim.path(), fs::read("/proc/self/stat").unwrap()).unwrap();
        assert!(!claim.take());
        assert_eq!(claim.identity(), Identity::of(std::process::id()));
    }
}

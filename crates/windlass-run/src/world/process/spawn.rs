//! Starting a small program again and again. The library's way copies the whole environment and
//! three files for each, which takes longer than the start itself; here everything that is the same
//! for all commands is laid out once.
//!
//! Only for commands that run where the engine runs: there is no portable way to change the folder
//! of a child on this path.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ffi::{CStr, CString, OsStr, OsString};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawnp};
use nix::sys::signal::{SigSet, Signal};
use nix::unistd::Pid;
use rustix::fs::{Access, access};
use rustix::process::{WaitId, WaitIdOptions, WaitOptions, waitid, waitpid};

use super::sigchld::ignored;

/// What all commands have in common.
#[derive(Debug)]
pub(super) struct Spawner {
    /// The folder of the engine, when it can be told.
    folder: Option<PathBuf>,
    attributes: PosixSpawnAttr,
    environment: Vec<CString>,
}

/// A child of this engine.
#[derive(Debug)]
pub(super) struct Started {
    number: Pid,
    /// How it ended, once that was seen.
    seen: Option<ExitStatus>,
}

impl Started {
    /// The number of its process, which is its own until it has been waited for.
    pub(super) fn id(&self) -> u32 {
        self.number.as_raw().unsigned_abs()
    }

    /// Whether it has ended. What the system keeps of it stays until it is waited for.
    pub(super) fn is_over(&mut self) -> bool {
        // A process that cannot be asked about is waited for.
        !matches!(self.look(WaitIdOptions::NOHANG), Ok(None))
    }

    /// How it ended, waiting for that. What the system keeps of it stays until it is waited for.
    pub(super) fn ended(&mut self) -> io::Result<ExitStatus> {
        loop {
            match self.look(WaitIdOptions::empty()) {
                Ok(Some(status)) => return Ok(status),
                Ok(None) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn look(&mut self, how: WaitIdOptions) -> rustix::io::Result<Option<ExitStatus>> {
        if self.seen.is_none() {
            let number = rustix::process::Pid::from_raw(self.number.as_raw());
            let number = WaitId::Pid(number.ok_or(rustix::io::Errno::CHILD)?);
            let status = waitid(number, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | how)?;
            self.seen = status.map(|status| {
                // As the older call puts both into one number.
                ExitStatus::from_raw(match (status.exit_status(), status.terminating_signal()) {
                    (Some(code), _) => code << 8,
                    (None, signal) => signal.unwrap_or_default(),
                })
            });
        }
        Ok(self.seen)
    }

    /// Waits for its end.
    pub(super) fn wait(self) -> io::Result<ExitStatus> {
        let number = rustix::process::Pid::from_raw(self.number.as_raw());
        loop {
            match waitpid(number, WaitOptions::empty()) {
                Ok(Some((_, status))) => return Ok(ExitStatus::from_raw(status.as_raw())),
                Ok(None) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// What programs read and write, laid out once for each file: the system's library asks for the
/// highest number of a file twice for every stream. And where programs are: a search for one
/// in every folder of the path does so before each start.
#[derive(Debug, Default)]
pub(super) struct Streams {
    files: BTreeMap<(RawFd, RawFd), PosixSpawnFileActions>,
    programs: BTreeMap<String, CString>,
}

impl Streams {
    /// Of a program that reads `input` and writes to `output`.
    pub(super) fn of(
        &mut self,
        input: BorrowedFd<'_>,
        output: BorrowedFd<'_>,
    ) -> io::Result<&PosixSpawnFileActions> {
        // Only the numbers count, and a number always means the file that has it at the start.
        let (input, output) = (input.as_raw_fd(), output.as_raw_fd());
        match self.files.entry((input, output)) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(vacant) => {
                let mut actions = PosixSpawnFileActions::init()?;
                for (from, to) in [(input, 0), (output, 1), (output, 2)] {
                    actions.add_dup2(from, to)?;
                }
                Ok(vacant.insert(actions))
            }
        }
    }

    /// Where a program is, as a shell finds and remembers it; its name when it is not found.
    pub(super) fn program(&mut self, name: &str) -> io::Result<CString> {
        if let Some(path) = self.programs.get(name) {
            return Ok(path.clone());
        }
        let path = match found(name) {
            Some(path) => CString::new(path.into_os_string().into_encoded_bytes())?,
            None => CString::new(name)?,
        };
        self.programs.insert(name.to_owned(), path.clone());
        Ok(path)
    }

    /// A program is not where it was.
    pub(super) fn forget(&mut self, name: &str) {
        self.programs.remove(name);
    }
}

/// Looks for a program in the folders of the path. Where one of them is relative, it depends on
/// where it is looked for.
fn found(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    if name.contains('/') || !folders.iter().all(|folder| folder.is_absolute()) {
        return None;
    }
    let is_program = |path: &PathBuf| path.is_file() && access(path, Access::EXEC_OK).is_ok();
    folders.iter().map(|folder| folder.join(name)).find(is_program)
}

impl Spawner {
    /// With these variables for all commands, and without those in `withheld`, nor those that each
    /// command has its own value of.
    pub(super) fn new(
        common: &[(&str, &OsStr)],
        withheld_variables: &[OsString],
        each: &[&str],
    ) -> io::Result<Self> {
        let mut attributes = PosixSpawnAttr::init()?;
        // As the library does it: a group of its own, no signal blocked, and the end of a pipe ends
        // a program that writes to it.
        attributes.set_pgroup(Pid::from_raw(0))?;
        attributes.set_sigdefault(&unhandled())?;
        attributes.set_sigmask(&SigSet::empty())?;
        attributes.set_flags(
            PosixSpawnFlags::POSIX_SPAWN_SETPGROUP
                | PosixSpawnFlags::POSIX_SPAWN_SETSIGDEF
                | PosixSpawnFlags::POSIX_SPAWN_SETSIGMASK,
        )?;
        let is_set = |name: &OsString| {
            let names = common.iter().map(|(known, _)| known).chain(each);
            names.into_iter().any(|known| *known == name.as_os_str())
        };
        let inherited = std::env::vars_os()
            .filter(|(name, _)| !is_set(name) && !withheld_variables.contains(name))
            .map(|(name, value)| variable(&name, &value));
        let set = common.iter().map(|(name, value)| variable(OsStr::new(name), value));
        let environment = inherited.chain(set).collect::<io::Result<_>>()?;
        Ok(Spawner { folder: std::env::current_dir().ok(), attributes, environment })
    }

    /// Whether a command that runs in `folder` and sets these variables can be started here.
    pub(super) fn takes<'n>(
        &self,
        folder: &Path,
        mut names: impl Iterator<Item = &'n str>,
    ) -> bool {
        // Where programs are looked for is decided by the engine's own path.
        self.folder.as_deref() == Some(folder) && !names.any(|name| name == "PATH")
    }

    /// Starts a program with these streams, with its values of the variables
    /// that each command has, and with its own.
    pub(super) fn start<'v>(
        &self,
        program: &CStr,
        arguments: &[String],
        each: impl Iterator<Item = (&'v str, &'v str)>,
        own: impl Iterator<Item = (&'v str, &'v str)>,
        streams: &PosixSpawnFileActions,
    ) -> io::Result<Started> {
        let arguments = arguments
            .iter()
            .map(|argument| CString::new(argument.as_str()).map_err(io::Error::from))
            .collect::<io::Result<Vec<_>>>()?;
        let text = |(name, value)| variable(OsStr::new(name), OsStr::new(value));
        let each = each.map(text).collect::<io::Result<Vec<_>>>()?;
        let own = own.map(text).collect::<io::Result<Vec<_>>>()?;
        let is_own = |known: &&CString| own.iter().any(|own| has_name_of(known, own));
        let inherited = self.environment.iter().chain(&each).filter(|known| !is_own(known));
        let environment: Vec<&CStr> = own.iter().chain(inherited).map(AsRef::as_ref).collect();
        let started = posix_spawnp(program, streams, &self.attributes, &arguments, &environment)?;
        Ok(Started { number: started, seen: None })
    }
}

/// The signals that a program handles in no way of ours: all but those that the engine itself was
/// told to ignore. To name them is half of the calls that a child makes before it is the program:
/// of every other signal the system's library asks first what the engine does about it.
fn unhandled() -> SigSet {
    let mut pipe = SigSet::empty();
    pipe.add(Signal::SIGPIPE);
    // A program that was started in this way ignores the library's own.
    let ignored = ignored().map(|ignored| ignored & !LIBRARY);
    let Some(ignored) = ignored.filter(|ignored| ignored >> ORDINARY == 0) else { return pipe };
    let mut all = SigSet::all();
    for signal in Signal::iterator().filter(|signal| ignored >> (*signal as u32 - 1) & 1 == 1) {
        all.remove(signal);
    }
    all.extend(&pipe);
    all
}

/// The signals with names of their own; those after them are numbers to the library.
const ORDINARY: u32 = 31;
/// The two that the library keeps for itself, each a bit: in every child it sets them itself.
const LIBRARY: u64 = 0b11 << ORDINARY;

fn variable(name: &OsStr, value: &OsStr) -> io::Result<CString> {
    Ok(CString::new([name.as_bytes(), b"=", value.as_bytes()].concat())?)
}

/// Whether two texts `NAME=value` are about one variable.
fn has_name_of(variable: &CString, other: &CString) -> bool {
    let (variable, other) = (variable.as_bytes(), other.as_bytes());
    let same = variable.iter().zip(other).take_while(|(left, right)| left == right);
    same.into_iter().any(|(byte, _)| *byte == b'=')
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::{Read as _, Seek as _};
    use std::os::fd::AsFd as _;

    fn said(spawner: &Spawner, script: &str, own: &[(&str, &str)]) -> (ExitStatus, String) {
        let nothing = File::open("/dev/null").unwrap();
        let mut output = tempfile::tempfile().unwrap();
        let arguments = ["sh", "-c", script].map(str::to_owned);
        let mut streams = Streams::default();
        let files = streams.of(nothing.as_fd(), output.as_fd()).unwrap();
        let each = [("BOTH", "last"), ("EACH", "five")].into_iter();
        let mut started =
            spawner.start(c"sh", &arguments, each, own.iter().copied(), files).unwrap();
        let ended = started.ended().unwrap();
        assert!(started.is_over());
        let status = started.wait().unwrap();
        assert_eq!((ended.code(), ended.signal()), (status.code(), status.signal()));
        let mut text = String::new();
        output.rewind().unwrap();
        output.read_to_string(&mut text).unwrap();
        (status, text)
    }

    #[test]
    fn a_command_has_its_variables_its_files_and_a_group_of_its_own() {
        let common = [("SHARED", OsStr::new("one")), ("BOTH", OsStr::new("two"))];
        let spawner = Spawner::new(&common, &["HOME".into()], &["EACH", "BOTH"]).unwrap();
        let script = "echo $SHARED $BOTH $OWN $EACH ${HOME-none} ${PATH:+path}; echo late >&2; \
                      read -r s < /proc/self/stat; set -- $s; [ $1 = $5 ] && exit 7";
        let (status, text) = said(&spawner, script, &[("OWN", "three"), ("BOTH", "four")]);
        assert_eq!(text, "one four three five none path\nlate\n");
        assert_eq!(status.code(), Some(7));
    }

    #[test]
    fn the_signal_that_ended_it_is_known() {
        let spawner = Spawner::new(&[], &[], &[]).unwrap();
        let (status, _) = said(&spawner, "kill -9 $$", &[]);
        assert_eq!((status.code(), status.signal()), (None, Some(9)));
        // A program that does not look after the signal of a closed pipe ends by it.
        let (status, _) = said(&spawner, "kill -PIPE $$", &[]);
        assert_eq!(status.signal(), Some(13));
    }

    #[test]
    fn a_program_is_looked_for_once_until_it_is_gone() {
        let mut streams = Streams::default();
        let path = streams.program("sh").unwrap();
        assert!(path.as_bytes().starts_with(b"/") && path.as_bytes().ends_with(b"/sh"), "{path:?}");
        assert_eq!(streams.program("sh").unwrap(), path);
        streams.forget("sh");
        assert_eq!(streams.program("sh").unwrap(), path);
        for name in ["./sh", "there-is-no-such-program"] {
            assert_eq!(streams.program(name).unwrap().to_str(), Ok(name));
        }
    }

    #[test]
    fn what_is_not_there_and_what_runs_elsewhere_is_not_started() {
        let spawner = Spawner::new(&[], &[], &[]).unwrap();
        let nothing = File::open("/dev/null").unwrap();
        let mut streams = Streams::default();
        let files = streams.of(nothing.as_fd(), nothing.as_fd()).unwrap();
        let (missing, none) = (c"/there/is/no/such/program", std::iter::empty);
        assert!(spawner.start(missing, &["it".to_owned()], none(), none(), files).is_err());
        let here = std::env::current_dir().unwrap();
        assert!(spawner.takes(&here, ["A"].into_iter()));
        assert!(!spawner.takes(&here, ["PATH"].into_iter()));
        assert!(!spawner.takes(Path::new("/"), std::iter::empty()));
    }
}

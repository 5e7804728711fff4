//! How a command starts: its arguments, its environment, its folder, its process group, its log.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::AsFd as _;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use serde::{Deserialize, Serialize};
use windlass::lifecycle::implementation::{Command, CommandLine, EnvironmentValue};

use super::ProcessSettings;
use super::claim::{CLAIM_AND_BECOME, CLAIM_AND_REPORT, Claim, Claims, Identity};
use super::logs::Log;
use super::redact::{self, Redactors};
use super::spawn::{Spawner, Started, Streams};
use crate::deployment::has_no_room;
use crate::entry::OrderId;
use crate::secrets::Secrets;
use crate::world::Order;

/// How much of a log is repeated as the reason of a failure.
const TAIL: u64 = 400;

/// What each command finds about itself in its environment.
const EACH: [&str; 3] = ["WINDLASS_INSTANCE", "WINDLASS_NODE", "WINDLASS_ORDER"];

/// What all commands find in their environment.
fn common(place: &ProcessSettings) -> [(&'static str, &OsStr); 2] {
    let deployment = OsStr::new(&place.name);
    [("WINDLASS_DEPLOYMENT", deployment), ("WINDLASS_STATE", place.folder.as_os_str())]
}

/// Starts commands.
#[derive(Debug)]
pub(super) struct Launcher {
    pub(super) place: ProcessSettings,
    pub(super) secrets: Secrets,
    pub(super) claims: Claims,
    /// What commands read.
    pub(super) nothing: File,
    /// Who hides secrets in logs.
    pub(super) redactors: Redactors,
    /// Variables of the engine that commands do not inherit.
    pub(super) withheld_variables: Vec<OsString>,
    /// Who starts small commands.
    pub(super) spawner: Option<Spawner>,
}

/// Who starts the small commands of a deployment; none where the system has no such way.
fn spawner(place: &ProcessSettings, withheld_variables: &[OsString]) -> Option<Spawner> {
    let [deployment, state] = common(place);
    // A shell says where it is.
    let common = [deployment, state, ("PWD", place.directory.as_os_str())];
    Spawner::new(&common, withheld_variables, &EACH).ok()
}

/// The variables that hold the secrets of this engine: a command gets those that it names, and by
/// the name that it wants.
fn withheld_variables() -> Vec<OsString> {
    let names = std::env::vars_os().map(|(name, _)| name);
    names.filter(|name| name.as_encoded_bytes().starts_with(b"WINDLASS_SECRET_")).collect()
}

/// A command that this engine started.
#[derive(Debug)]
pub(super) enum Begun {
    /// As the library does it.
    Usual(Child),
    /// As it is done for small commands.
    Spawner(Started),
}

impl Begun {
    /// The number of its process.
    pub(super) fn id(&self) -> u32 {
        match self {
            Begun::Usual(child) => child.id(),
            Begun::Spawner(started) => started.id(),
        }
    }

    /// How it ended, waiting for that; it may have to be waited for all the same.
    pub(super) fn ended(&mut self) -> io::Result<ExitStatus> {
        match self {
            Begun::Usual(child) => child.wait(),
            Begun::Spawner(started) => started.ended(),
        }
    }

    /// Whether it has ended; it has to be waited for all the same.
    pub(super) fn is_over(&mut self) -> bool {
        match self {
            Begun::Usual(child) => {
                let number = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
                let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
                // A process that cannot be asked about is waited for.
                let look = |number| !matches!(waitid(WaitId::Pid(number), look), Ok(None));
                number.is_none_or(look)
            }
            Begun::Spawner(started) => started.is_over(),
        }
    }

    /// Waits for its end.
    pub(super) fn wait(self) -> io::Result<ExitStatus> {
        match self {
            Begun::Usual(mut child) => child.wait(),
            Begun::Spawner(started) => started.wait(),
        }
    }
}

/// Everything that a command without a claim is started with.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Ready {
    arguments: Vec<String>,
    directory: PathBuf,
    /// The values of [`EACH`].
    each: [String; 3],
    /// The variables of its author.
    own: Vec<(String, String)>,
}

/// Whether the exit code of a command has to be known after a crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    /// No: it may run again.
    Nothing,
    /// Yes: a shell stays and writes it down.
    Result,
}

impl Launcher {
    /// For the commands of a deployment.
    pub(super) fn new(place: ProcessSettings, secrets: Secrets) -> io::Result<Self> {
        let claims = Claims::open(&place.folder)?;
        crate::deployment::private_folder(&place.logs)?;
        let nothing = File::open("/dev/null")?;
        let (redactors, withheld_variables) = (Redactors::default(), withheld_variables());
        let spawner = spawner(&place, &withheld_variables);
        Ok(Launcher { place, secrets, claims, nothing, redactors, withheld_variables, spawner })
    }

    /// Where the output of an order goes.
    pub(super) fn log(&self, order: OrderId) -> PathBuf {
        self.place.logs.join(format!("{}.log", order.0))
    }

    /// Starts a command of an order under a claim.
    pub(super) fn claimed(
        &self,
        order: &Order,
        command: &Command,
        claim: &Claim,
        after: After,
    ) -> io::Result<Child> {
        let mut shell = std::process::Command::new("/bin/sh");
        match after {
            After::Nothing => {
                shell.args(["-c", CLAIM_AND_BECOME, "windlass"]).arg(claim.path());
            }
            After::Result => {
                shell.args(["-c", CLAIM_AND_REPORT, "windlass"]);
                shell.arg(claim.path()).arg(claim.result());
            }
        }
        shell.args(arguments(&command.line));
        self.spawn(shell, order, command, self.output(order.id, command)?)
    }

    /// What a command under a claim writes to.
    fn output(&self, order: OrderId, command: &Command) -> io::Result<File> {
        let log = self.log(order);
        if let Some(program) = self.place.program.as_ref().filter(|_| redact::is_needed(command)) {
            return self.redactors.open(
                program,
                order,
                self.secrets.only(redact::names(command)),
                log,
            );
        }
        OpenOptions::new().create(true).append(true).mode(0o600).open(log)
    }

    /// What the command of an order is started with when it needs no claim.
    pub(super) fn ready(&self, order: &Order, command: &Command) -> io::Result<Ready> {
        let own = command
            .environment
            .iter()
            .map(|(name, value)| Ok((name.clone(), self.value(value)?.to_owned())));
        Ok(Ready {
            arguments: arguments(&command.line),
            directory: self.directory(command),
            each: [order.instance.clone(), order.node.clone(), order.id.0.to_string()],
            own: own.collect::<io::Result<_>>()?,
        })
    }

    fn spawner_for(&self, ready: &Ready) -> Option<&Spawner> {
        let names = ready.own.iter().map(|(name, _)| name.as_str());
        self.spawner.as_ref().filter(|spawner| spawner.takes(&ready.directory, names))
    }

    /// Whether a command is one of those that are started the short way.
    pub(super) fn uses_spawner(&self, ready: &Ready) -> bool {
        self.spawner_for(ready).is_some()
    }

    /// Starts a command, without a claim.
    pub(super) fn start(
        &self,
        ready: &Ready,
        log: &Log,
        streams: &mut Streams,
    ) -> io::Result<Begun> {
        let Ready { arguments, directory, each, own } = ready;
        let each = EACH.into_iter().zip(each.iter().map(String::as_str));
        if let Some(spawner) = self.spawner_for(ready) {
            let own = own.iter().map(|(name, value)| (name.as_str(), value.as_str()));
            let name = arguments.first().ok_or(io::ErrorKind::InvalidInput)?;
            let program = streams.program(name)?;
            let files = streams.of(self.nothing.as_fd(), log.as_fd())?;
            let started = spawner.start(&program, arguments, each, own, files);
            return started.map(Begun::Spawner).inspect_err(|_| streams.forget(name));
        }
        let (program, rest) = arguments.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut program = std::process::Command::new(program);
        program.args(rest).current_dir(directory);
        self.with_common(&mut program);
        program.envs(each).envs(own.iter().map(|(name, value)| (name, value)));
        if !own.iter().any(|(name, _)| name == "PWD") {
            // A shell says where it is.
            program.env("PWD", directory);
        }
        self.with_streams(&mut program, log.writer()?)?;
        program.spawn().map(Begun::Usual)
    }

    fn spawn(
        &self,
        mut program: std::process::Command,
        order: &Order,
        command: &Command,
        output: File,
    ) -> io::Result<Child> {
        self.dress(&mut program, order, command)?;
        self.with_streams(&mut program, output)?;
        program.spawn().map_err(|error| self.without_folder(command, error))
    }

    /// A group of its own, nothing to read, and where it writes.
    fn with_streams(&self, program: &mut std::process::Command, output: File) -> io::Result<()> {
        program.stdin(self.nothing.try_clone()?).stdout(output.try_clone()?).stderr(output);
        program.process_group(0);
        Ok(())
    }

    /// The system says the same about a program and a folder that are not there.
    fn without_folder(&self, command: &Command, error: io::Error) -> io::Error {
        let folder = self.directory(command);
        if error.kind() == io::ErrorKind::NotFound && !folder.is_dir() {
            return io::Error::other(format!("its folder `{}` is not there", folder.display()));
        }
        error
    }

    fn directory(&self, command: &Command) -> PathBuf {
        match &command.directory {
            Some(directory) => self.place.directory.join(directory),
            None => self.place.directory.clone(),
        }
    }

    /// Folder and environment of a command.
    fn dress(
        &self,
        program: &mut std::process::Command,
        order: &Order,
        command: &Command,
    ) -> io::Result<()> {
        program.current_dir(self.directory(command));
        self.with_common(program);
        let each = [&order.instance, &order.node, &order.id.0.to_string()];
        program.envs(EACH.into_iter().zip(each));
        for (name, value) in &command.environment {
            program.env(name, self.value(value)?);
        }
        Ok(())
    }

    /// The environment of every command.
    fn with_common(&self, program: &mut std::process::Command) {
        for name in &self.withheld_variables {
            program.env_remove(name);
        }
        program.envs(common(&self.place));
    }

    /// The value of a variable.
    fn value<'v>(&'v self, value: &'v EnvironmentValue) -> io::Result<&'v str> {
        match value {
            EnvironmentValue::Plain(text) => Ok(text),
            EnvironmentValue::Secret(secret) => {
                let unknown = || io::Error::other(format!("the secret `{secret}` is not set"));
                self.secrets.get(secret).ok_or_else(unknown)
            }
        }
    }

    /// Whether a process has the environment of an order.
    pub(super) fn is_of(&self, order: OrderId, process: u32) -> bool {
        self.orders_of(process).contains(&order)
    }

    /// The orders of this deployment whose environment a process has: one at most, unless
    /// the author of its command writes such variables as well.
    pub(super) fn orders_of(&self, process: u32) -> Vec<OrderId> {
        let environment = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
        let variables = environment.split(|byte| *byte == 0);
        let state = self.place.folder.as_os_str().as_encoded_bytes();
        if !variables.clone().any(|it| it.strip_prefix(b"WINDLASS_STATE=") == Some(state)) {
            return Vec::new();
        }
        let order = |variable: &[u8]| {
            let number = variable.strip_prefix(b"WINDLASS_ORDER=")?;
            std::str::from_utf8(number).ok()?.parse().ok().map(OrderId)
        };
        variables.filter_map(order).collect()
    }

    /// Whether a check ends well, within a time. Its output goes nowhere.
    pub(super) fn succeeds(
        &self,
        order: &Order,
        command: &Command,
        most: Option<Duration>,
    ) -> bool {
        let arguments = arguments(&command.line);
        let Some((program, rest)) = arguments.split_first() else { return false };
        let mut program = std::process::Command::new(program);
        program.args(rest).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        program.process_group(0);
        if self.dress(&mut program, order, command).is_err() {
            return false;
        }
        let Ok(mut child) = program.spawn() else { return false };
        if let Some(identity) = Identity::of(child.id())
            && !identity.wait(most)
        {
            identity.signal_group(rustix::process::Signal::KILL);
        }
        child.wait().is_ok_and(|status| status.success())
    }

    /// What is known about a command that failed: how it ended, and its last words.
    pub(super) fn reason(&self, order: OrderId, status: ExitStatus) -> String {
        let ended = end_words(status);
        if status.code().is_none() {
            // Its last words are not about that.
            return ended;
        }
        self.redactors.settle(order);
        let is_full = has_no_room(&self.place.logs);
        let full = if is_full { ", and there is no room left for its log" } else { "" };
        match self.last_words(order) {
            Some(words) => format!("{ended}{full}: {words}"),
            None => format!("{ended}{full}"),
        }
    }

    fn last_words(&self, order: OrderId) -> Option<String> {
        let mut file = File::open(self.log(order)).ok()?;
        let length = file.metadata().ok()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL))).ok()?;
        let mut bytes = Vec::new();
        file.take(TAIL).read_to_end(&mut bytes).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let last = text.lines().rev().find(|line| !line.trim().is_empty())?;
        Some(self.secrets.redact(last.trim()))
    }
}

/// How a command ended, in words.
pub(super) fn end_words(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => exit_words(code),
        (None, Some(signal)) => format!("it was killed by signal {signal}"),
        (None, None) => "it ended badly".to_owned(),
    }
}

/// An exit code in words.
pub(in crate::world) fn exit_words(code: i32) -> String {
    match code {
        126 => "it cannot be executed (exit code 126)".to_owned(),
        127 => "there is no such program, or not the one that its first line names (exit code 127)"
            .to_owned(),
        code => format!("exit code {code}"),
    }
}

/// The argument vector of a command; a script is for the shell because its author said so.
fn arguments(line: &CommandLine) -> Vec<String> {
    match line {
        CommandLine::Arguments(all) => all.clone(),
        CommandLine::Shell(script) => {
            vec!["/bin/sh".to_owned(), "-c".to_owned(), script.clone()]
        }
    }
}

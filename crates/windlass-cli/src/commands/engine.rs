//! What `up`, `down`, `scale`, `restart`, `resume`, `status`, `history` and `logs` share: which
//! deployment is meant, where it stands, and how a run is driven and shown.

pub(crate) mod actions;
mod address;
pub(crate) mod chart;
pub(crate) mod containers;
mod doubt;
mod drive;
pub(crate) mod hosts;
mod lines;
mod live;
pub(crate) mod needs;
mod past;
mod towards;
mod unkept;

pub(crate) use address::Address;
#[cfg(test)]
pub(crate) use drive::EventLine;
pub(crate) use drive::{Beginning, Drive, NO_WAY_ON, drive, drive_in, open_journal};
pub(crate) use lines::Lines;
pub(crate) use past::{Past, Standing, journal, last_run, records};
pub(crate) use towards::{Manner, Towards};
pub(crate) use unkept::Stage;

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::{Args, ValueEnum};
use windlass::application::{Application, Faults, GlobalState};
use windlass::goal::GoalFile;
use windlass::lang;
use windlass::source::Sources;
use windlass::spelling;
use windlass::system::{Budget, Limits};
use windlass_run::deployment::{Deployment, FOLDER, Lock, NoLock};
use windlass_run::machine::protocols::ProtocolMachine;
use windlass_run::machine::single;
use windlass_run::secrets::Secrets;
use windlass_run::supervisor::{self, Dismissed};

use crate::failure::Failure;
use crate::{exit_code, load, output, read_options};

/// The file of an application when none is named.
const USUAL_FILE: &str = "windlass.yaml";

/// Which deployment is meant.
#[derive(Debug, Args)]
pub(crate) struct WhereArgs {
    /// The name of the deployment (default: the name of the application)
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// Where deployments are kept (default: `.windlass` beside the file)
    #[arg(long, value_name = "FOLDER")]
    pub(crate) state_dir: Option<PathBuf>,
}

/// How a run is driven.
#[derive(Debug, Args)]
pub(crate) struct DriveArgs {
    /// How many actions run at once (default: as many as can)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,

    /// What happens when an action has failed for good
    #[arg(long, value_enum, default_value_t = OnFailureArg::Stop, value_name = "WHAT")]
    pub(crate) on_failure: OnFailureArg,

    /// Return when the goal is reached, and leave the processes to themselves
    #[arg(long)]
    pub(crate) detach: bool,

    /// With `--detach`: leave an engine in the background that looks after the processes, until
    /// another command drives the deployment
    #[arg(long, requires = "detach")]
    pub(crate) supervise: bool,

    /// A folder with a file for each secret, named like it; without one the environment
    /// variables `WINDLASS_SECRET_NAME` are used
    #[arg(long, value_name = "FOLDER")]
    pub(crate) secrets: Option<PathBuf>,

    /// With `--world ssh`: another configuration of ssh than the usual one; it is kept for the
    /// next commands
    #[arg(long, value_name = "FILE")]
    pub(crate) ssh_config: Option<PathBuf>,

    /// With `--world simulated`: decides every duration
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub(crate) seed: u64,
}

/// What happens when an action has failed for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnFailureArg {
    /// Nothing new starts; what has been done stays
    Stop,
    /// What does not depend on it goes on
    GoOn,
    /// What has been done is undone by a plan
    RollBack,
}

/// Where actions take place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WorldArg {
    /// Commands and processes of this machine
    Process,
    /// Containers of a Docker engine (`DOCKER_HOST`), beside the processes of this machine
    Docker,
    /// The hosts that nodes name, by ssh, and this machine for nodes that name none
    Ssh,
    /// Nowhere: virtual time, nothing is executed
    Simulated,
}

impl WorldArg {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            WorldArg::Process => "process",
            WorldArg::Docker => "docker",
            WorldArg::Ssh => "ssh",
            WorldArg::Simulated => "simulated",
        }
    }
}

/// The folder of a file.
pub(crate) fn folder_of(file: &Path) -> PathBuf {
    // The folder of a Compose project stands for its file.
    if read_options::file_in(file).is_some() {
        return file.to_owned();
    }
    match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn state_folder(place: &WhereArgs, file: &Path) -> PathBuf {
    place.state_dir.clone().unwrap_or_else(|| folder_of(file).join(FOLDER))
}

/// The deployment of an application that has just been read.
pub(crate) fn deployment(
    place: &WhereArgs,
    file: &Path,
    application: &str,
) -> Result<(Deployment, String), Failure> {
    let name = place.name.clone().unwrap_or_else(|| application.to_owned());
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.starts_with('.') || !name.chars().all(fits) {
        return Err(Failure::usage(format!("`{name}` is no name for a deployment"))
            .help("choose one of letters, digits, `-`, `_` and `.` with --name"));
    }
    Ok((Deployment::new(&state_folder(place, file), &name), name))
}

/// A deployment that exists: the one that is named, or the only one there.
pub(crate) fn existing(place: &WhereArgs, file: &Path) -> Result<(Deployment, String), Failure> {
    let state = state_folder(place, file);
    let names = Deployment::names(&state);
    let name = match (&place.name, names.as_slice()) {
        (Some(name), _) if names.contains(name) => name.clone(),
        (Some(name), _) => {
            let message = format!("there is no deployment `{name}` in `{}`", state.display());
            let names = names.iter().map(String::as_str);
            let help = spelling::advice("deployment", name, names, 0).unwrap_or_default();
            return Err(Failure::usage(message).help(help));
        }
        (None, []) => {
            let message = format!("there is no deployment in `{}`", state.display());
            return Err(Failure::usage(message).help(
                "`windlass up FILE` makes one; with `--adopt` it takes over what `docker compose \
                 up` has started",
            ));
        }
        (None, _) => meant(&state, &names, file)?,
    };
    Ok((Deployment::new(&state, &name), name))
}

/// Of several deployments the one of the application in a file; the only one when there is no file
/// that says otherwise.
fn meant(state: &Path, names: &[String], file: &Path) -> Result<String, Failure> {
    // A folder stands for the file with which it begins, as for `up`.
    let first = read_options::file_in(file).or_else(|| load::entry_of(file));
    let file = first.as_deref().unwrap_or(file);
    if !file.is_file() && file != Path::new(USUAL_FILE) {
        let error = std::io::Error::new(std::io::ErrorKind::NotFound, "no such file");
        return Err(Failure::file("read", file, &error));
    }
    let application = name_in(file);
    if names.contains(&application) {
        return Ok(application);
    }
    let fits = |name: &&String| {
        application.is_empty() || is_of(&Deployment::new(state, name), &application)
    };
    let found: Vec<&String> = names.iter().filter(fits).collect();
    let known = || spelling::known("deployment", names.iter().map(String::as_str));
    match found.as_slice() {
        [only] => Ok((*only).clone()),
        [] => {
            let folder = state.display();
            let message = format!("there is no deployment of `{application}` in `{folder}`");
            Err(Failure::usage(message).help(format!("{}; choose one with --name", known())))
        }
        several => {
            let several: Vec<&str> = several.iter().map(|name| name.as_str()).collect();
            let message = format!("there are several deployments: {}", several.join(", "));
            Err(Failure::usage(message).help("choose one with --name"))
        }
    }
}

/// Whether a deployment is one of an application. The name of a Compose project is said in many
/// places, so it is not asked here.
fn is_of(deployment: &Deployment, application: &str) -> bool {
    let is_project = containers::read(deployment).ok().flatten().is_some();
    let past = || Past::read(deployment).ok().flatten();
    is_project || past().is_none_or(|past| past.application.name == application)
}

/// The name that a file gives its application; empty when it cannot be read.
fn name_in(file: &Path) -> String {
    // A pipe would be waited for.
    let text = Some(file).filter(|file| file.is_file()).map(std::fs::read_to_string);
    let Some(Ok(text)) = text else { return String::new() };
    let mut sources = Sources::new();
    let root = sources.add(file.display().to_string(), text);
    let reading = lang::read(None, root, &sources);
    reading.application.map(|application| application.name).unwrap_or_default()
}

/// The deployment of a name in which nothing has ever run.
pub(crate) fn never_up(name: &str, address: &Address) -> Failure {
    Failure::usage(format!("`{name}` has never been up"))
        .help(format!("`{}` brings it up", address.up()))
}

/// Takes the lock of a deployment; also the engine in the background that had to give way.
pub(crate) fn lock(
    deployment: &Deployment,
    name: &str,
) -> Result<(Lock, Option<Dismissed>), Failure> {
    deployment.create().map_err(|error| unsupported(deployment, &error))?;
    let mut lock = deployment.lock();
    let mut gave_way = None;
    if matches!(lock, Err(NoLock::Taken)) {
        gave_way = supervisor::dismiss(deployment);
    }
    if let Some(dismissed) = &gave_way {
        output::notice("the engine in the background has ended");
        lock = deployment.lock();
        drive::or_back(deployment, dismissed);
    }
    lock.map(|lock| (lock, gave_way)).map_err(|why| match why {
        NoLock::Taken => Failure::usage(format!("another windlass drives `{name}`"))
            .help("`windlass status` says where it is; end the other one with Ctrl-C first"),
        NoLock::Io(error) => unsupported(deployment, &error),
    })
}

/// The folder of a deployment cannot be made, or it is there and nothing can be written to it.
fn unsupported(deployment: &Deployment, error: &std::io::Error) -> Failure {
    let folder = deployment.folder();
    let is_there = folder.is_dir();
    let failure = Failure::file(if is_there { "write to" } else { "make" }, folder, error);
    match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => failure,
        _ if is_there => failure.help(
            "nothing was done, and what runs goes on; try again when you can write there. \
             `windlass status`, `history` and `logs` only read",
        ),
        _ => failure.help("name a folder with `--state-dir` in which you can make others"),
    }
}

/// How a command ended that has let go of its lock. When it did nothing, an engine in the
/// background that gave way to it looks after the deployment again.
pub(crate) fn unless_refused(
    ended: Result<u8, Failure>,
    gave_way: Option<&Dismissed>,
    (deployment, address): (&Deployment, &Address),
) -> Result<u8, Failure> {
    let Some(dismissed) = gave_way.filter(|_| ended.is_err()) else { return ended };
    if dismissed.revive(deployment) {
        output::notice("an engine in the background looks after it again");
    } else {
        output::notice(&alone(address));
    }
    ended
}

/// What is said when no engine looks after a deployment any more.
pub(crate) fn alone(address: &Address) -> String {
    let resume = address.command("resume");
    format!("no engine looks after it any more; `{resume} --detach --supervise` starts one")
}

/// Leaves an engine in the background when the operator wants one and the goal is reached. The lock
/// of this command must be gone.
pub(crate) fn leave_supervisor(
    args: &DriveArgs,
    deployment: &Deployment,
    name: &str,
    code: u8,
) -> Result<u8, Failure> {
    if !args.supervise || code != exit_code::GOOD {
        return Ok(code);
    }
    supervise(args, deployment, name)?;
    Ok(code)
}

/// Leaves an engine in the background.
pub(crate) fn supervise(
    args: &DriveArgs,
    deployment: &Deployment,
    name: &str,
) -> Result<(), Failure> {
    let unsupported = |error: std::io::Error| Failure::file("use", deployment.folder(), &error);
    let state = deployment.folder().parent().unwrap_or(deployment.folder());
    let mut engine = Command::new(std::env::current_exe().map_err(unsupported)?);
    engine.args(["resume", "--name", name, "--state-dir"]).arg(state);
    if let Some(secrets) = &args.secrets {
        engine.arg("--secrets").arg(secrets);
    }
    supervisor::leave(deployment, &mut engine).map_err(unsupported)
}

/// The values of the secrets that commands name.
pub(crate) fn secrets(folder: Option<&Path>) -> Result<Secrets, Failure> {
    let Some(folder) = folder else {
        let named = |(name, value): (String, String)| {
            Some((name.strip_prefix("WINDLASS_SECRET_")?.to_owned(), value))
        };
        let all = std::env::vars_os().filter_map(|(name, value)| {
            named((name.into_string().ok()?, value.into_string().ok()?))
        });
        return Ok(all.collect());
    };
    let unreadable = |error: std::io::Error| Failure::file("read", folder, &error);
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        if !entry.path().is_file() {
            continue;
        }
        let text = std::fs::read_to_string(entry.path())
            .map_err(|error| Failure::file("read", &entry.path(), &error))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        all.push((name, text.trim_end_matches(['\r', '\n']).to_owned()));
    }
    Ok(all.into_iter().collect())
}

/// The machine of an application of protocols that is in `state`; nets are refused.
pub(crate) fn machine<'a>(
    application: &'a Application,
    state: &GlobalState,
    goal: Option<GoalFile>,
) -> Result<ProtocolMachine<'a>, Failure> {
    ProtocolMachine::new(application, state.clone(), goal, search_limits)
        .ok_or_else(|| Failure::usage("the application mixes nets in"))
}

/// A fault that nothing handles ends with the operator: whatever lacks what it relies on counts as
/// dead, and its process is stopped.
pub(crate) fn without_faults(application: &Application, state: GlobalState) -> GlobalState {
    if application.faults == Faults::Replicas {
        return state;
    }
    let Some((after, dead)) = single::without_faults(application, &state) else { return state };
    output::notice(&format!(
        "what relies on something that is gone counts as dead: {}",
        dead.join(", ")
    ));
    after
}

/// How much a search for a plan may cost before or during a run.
pub(crate) fn search_limits() -> Box<dyn Budget> {
    Box::new(Limits { states: 5_000_000, bytes: 2 << 30 })
}

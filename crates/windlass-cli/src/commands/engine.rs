//! What `up`, `down`, `scale`, `restart`, `resume`, `status`, `history` and `logs` share: which
//! deployment is meant, where it stands, and how a run is driven and shown.

pub(crate) mod actions;
mod address;
mod ctrlc;
mod doubt;
mod ending;
mod failure;
mod lines;
mod live;
mod session;
mod terminal;

pub(crate) use address::Address;
pub(crate) use failure::failure;
pub(crate) use lines::Lines;
pub(crate) use live::notice as notice_above_view;
pub(crate) use session::{Afterwards, controller, finish};
#[cfg(test)]
pub(crate) use terminal::EventLine;
pub(crate) use terminal::{Terminal, progress};

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use windlass::lang;
use windlass::source::Sources;
use windlass::spelling;
use windlass_run::controller::{LastRun, WorldKind, containers};
use windlass_run::deployment::{Deployment, FOLDER};
use windlass_run::dispatcher::OnFailure;

use crate::failure::Failure;
use crate::files::FileCache;
use crate::{load, read_options};

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

impl From<WorldArg> for WorldKind {
    fn from(world: WorldArg) -> Self {
        match world {
            WorldArg::Process => WorldKind::Process,
            WorldArg::Docker => WorldKind::Docker,
            WorldArg::Ssh => WorldKind::Ssh,
            WorldArg::Simulated => WorldKind::Simulated,
        }
    }
}

impl From<OnFailureArg> for OnFailure {
    fn from(what: OnFailureArg) -> Self {
        match what {
            OnFailureArg::Stop => OnFailure::Stop,
            OnFailureArg::GoOn => OnFailure::GoOn,
            OnFailureArg::RollBack => OnFailure::RollBack,
        }
    }
}

/// A deployment, and how the operator finds it again.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) deployment: Deployment,
    pub(crate) name: String,
    pub(crate) address: Address,
}

impl Found {
    fn new(place: &WhereArgs, file: &Path, name: &str) -> Self {
        let deployment = Deployment::new(&state_folder(place, file), name);
        let address = Address::new(place, file, name);
        Found { deployment, name: name.to_owned(), address }
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
) -> Result<Found, Failure> {
    let name = place.name.clone().unwrap_or_else(|| application.to_owned());
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.starts_with('.') || !name.chars().all(fits) {
        return Err(Failure::usage(format!("`{name}` is no name for a deployment"))
            .help("choose one of letters, digits, `-`, `_` and `.` with --name"));
    }
    Ok(Found::new(place, file, &name))
}

/// A deployment that exists: the one that is named, or the only one there.
pub(crate) fn existing(place: &WhereArgs, file: &Path) -> Result<Found, Failure> {
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
        (None, _) => only_fitting(&state, &names, file)?,
    };
    Ok(Found::new(place, file, &name))
}

/// Of several deployments the one of the application in a file; the only one when there is no file
/// that says otherwise.
fn only_fitting(state: &Path, names: &[String], file: &Path) -> Result<String, Failure> {
    // A folder stands for the file with which it begins, as for `up`.
    let first = read_options::file_in(file).or_else(|| load::entry_of(file, &FileCache::default()));
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
    let last = || LastRun::read(deployment).ok().flatten();
    is_project || last().is_none_or(|last| last.application.name == application)
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

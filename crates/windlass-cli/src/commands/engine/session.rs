//! A deployment that a command drives: opened for it alone, and left to an engine in the background
//! again where one looked after it.

use std::path::Path;
use std::process::Command;

use windlass_run::controller::{Controller, Settings};
use windlass_run::deployment::Deployment;
use windlass_run::dispatcher::Options;
use windlass_run::secrets::Secrets;
use windlass_run::supervisor;

use super::{Address, DriveArgs, Found, Terminal, failure, live, terminal};
use crate::failure::Failure;
use crate::{exit_code, output};

/// What happens when a command has let go of its deployment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Afterwards {
    /// An engine in the background looks after it if the operator wants one.
    Supervise,
    /// The same, and also if one did before.
    Restore,
    /// What is down is not looked after.
    Nothing,
}

/// The controller of a deployment; with `dry_run` one that does nothing.
pub(crate) fn controller<'a>(
    found: &Found,
    drive: &DriveArgs,
    terminal: &'a Terminal<'a>,
    dry_run: bool,
) -> Result<Controller<'a>, Failure> {
    let (deployment, name) = (found.deployment.clone(), found.name.as_str());
    let settings = settings(drive);
    let mut controller = if dry_run {
        Controller::dry_run(deployment, name, settings, terminal)
    } else {
        Controller::new(deployment, name, settings, terminal)
            .map_err(|why| failure(why, &found.address, terminal.format()))?
    };
    match secrets(drive.secrets.as_deref()) {
        Ok(secrets) => {
            controller.settings.secrets = secrets;
            Ok(controller)
        }
        // What this command cannot read, an engine that gave way does not need.
        Err(failure) => {
            restore(controller, &found.address);
            Err(failure)
        }
    }
}

fn settings(drive: &DriveArgs) -> Settings {
    let (jobs, on_failure) = (drive.jobs.map(usize::from), drive.on_failure.into());
    Settings {
        options: Options { jobs, on_failure, seed: drive.seed, keep_faults: false },
        secrets: Secrets::default(),
        ssh_config: drive.ssh_config.clone(),
        detach: drive.detach,
        program: std::env::current_exe().ok(),
        docker_progress: terminal::progress,
        ssh_notice: live::notice,
    }
}

/// Lets go of a deployment with which nothing was done: an engine in the background that gave way
/// looks after it again.
fn restore(controller: Controller<'_>, address: &Address) {
    let deployment = controller.deployment.clone();
    if let Some(dismissed) = controller.release() {
        tell_supervised(dismissed.restore(&deployment), address);
    }
}

/// Lets go of a deployment; the exit code. After a refusal, an engine in the background that gave
/// way looks after it again.
pub(crate) fn finish(
    controller: Controller<'_>,
    ended: Result<u8, Failure>,
    drive: &DriveArgs,
    address: &Address,
    afterwards: Afterwards,
) -> Result<u8, Failure> {
    let code = match ended {
        Ok(code) => code,
        Err(failure) => {
            restore(controller, address);
            return Err(failure);
        }
    };
    let (deployment, name) = (controller.deployment.clone(), controller.name.clone());
    let is_dry_run = controller.is_dry_run();
    let dismissed = controller.release();
    let is_restored = afterwards == Afterwards::Restore && dismissed.is_some() && !drive.supervise;
    if is_restored {
        let is_wanted = code == exit_code::GOOD && drive.detach;
        if is_wanted {
            supervise(drive, &deployment, &name)?;
        }
        tell_supervised(is_wanted, address);
    } else if afterwards != Afterwards::Nothing
        && drive.supervise
        && code == exit_code::GOOD
        && !is_dry_run
    {
        supervise(drive, &deployment, &name)?;
    }
    Ok(code)
}

/// Tells whether an engine in the background looks after a deployment from which one was taken.
fn tell_supervised(is_supervised: bool, address: &Address) {
    if is_supervised {
        output::notice("an engine in the background looks after it again");
        return;
    }
    let resume = address.command("resume");
    output::notice(&format!(
        "no engine looks after it any more; `{resume} --detach --supervise` starts one"
    ));
}

/// Leaves an engine in the background.
fn supervise(drive: &DriveArgs, deployment: &Deployment, name: &str) -> Result<(), Failure> {
    let unusable = |error: std::io::Error| Failure::file("use", deployment.folder(), &error);
    let state = deployment.folder().parent().unwrap_or(deployment.folder());
    let mut engine = Command::new(std::env::current_exe().map_err(unusable)?);
    engine.args(["resume", "--name", name, "--state-dir"]).arg(state);
    if let Some(secrets) = &drive.secrets {
        engine.arg("--secrets").arg(secrets);
    }
    supervisor::launch(deployment, &mut engine).map_err(unusable)
}

/// The values of the secrets that commands name.
fn secrets(folder: Option<&Path>) -> Result<Secrets, Failure> {
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

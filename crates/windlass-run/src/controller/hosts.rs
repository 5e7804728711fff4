//! How the hosts of a deployment are reached: kept beside its journal, in `ssh.json`, so that only
//! `up` has to be told.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use windlass_run::deployment::Deployment;
use windlass_run::world::process::ProcessSettings;
use windlass_run::world::ssh::{Ssh, SshSettings};

use super::{Drive, live};
use crate::failure::Failure;
use crate::replace;

#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    unique: String,
    config: Option<PathBuf>,
}

/// The world of a run.
pub(crate) fn world(drive: &Drive<'_>, place: ProcessSettings) -> Result<Ssh, Failure> {
    let reach = reach(drive.deployment, drive.name, drive.args.ssh_config.as_deref())?;
    Ssh::new(place, drive.secrets.clone(), reach)
        .map_err(|error| Failure::file("use", drive.deployment.folder(), &error))
}

/// What is kept, changed by what the operator says now.
pub(crate) fn reach(
    deployment: &Deployment,
    name: &str,
    config: Option<&Path>,
) -> Result<SshSettings, Failure> {
    let path = deployment.folder().join("ssh.json");
    let unsupported = |error: &io::Error| Failure::file("use", &path, error);
    let old: Option<Kept> = match fs::read(&path) {
        Ok(text) => Some(serde_json::from_slice(&text).map_err(|why| unsupported(&why.into()))?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(unsupported(&error)),
    };
    let config = match config {
        Some(config) => Some(fs::canonicalize(config).map_err(|error| {
            Failure::file("read", config, &error)
                .help("--ssh-config names a file of ssh's own form")
        })?),
        None => old.as_ref().and_then(|old| old.config.clone()),
    };
    let is_new = old.as_ref().is_none_or(|old| old.config != config);
    let unique = match old {
        Some(old) => old.unique,
        None => format!("{name}-{}", random().map_err(|error| unsupported(&error))?),
    };
    if is_new {
        let kept = Kept { unique: unique.clone(), config: config.clone() };
        let text = serde_json::to_string(&kept).map_err(|why| unsupported(&why.into()))?;
        replace::write(&path, &text).map_err(|error| unsupported(&error))?;
    }
    Ok(SshSettings { config, unique, tell: live::notice })
}

/// Another word each time: two deployments of one name may share a host.
fn random() -> io::Result<String> {
    let mut bytes = [0; 8];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(format!("{:016x}", u64::from_le_bytes(bytes)))
}

//! How the hosts of a deployment are reached: kept beside its journal, in `ssh.json`, so that only
//! `up` has to be told.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Controller;
use super::error::Error;
use super::replace_file::replace_file;
use crate::deployment::Deployment;
use crate::world::process::ProcessSettings;
use crate::world::ssh::{Ssh, SshSettings};

#[derive(Debug, Serialize, Deserialize)]
struct HostsFile {
    unique: String,
    config: Option<PathBuf>,
}

/// How the hosts of a deployment are reached, from what is kept and what the operator says now.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HostAccess<'a> {
    /// The deployment.
    pub(crate) deployment: &'a Deployment,
    /// Its name.
    pub(crate) name: &'a str,
    /// Another configuration of ssh than the one that is kept.
    pub(crate) config: Option<&'a PathBuf>,
    /// Hears what is worth a line while a host is waited for.
    pub(crate) tell: fn(&str),
}

/// The world of a run.
pub(super) fn world(controller: &Controller<'_>, place: ProcessSettings) -> Result<Ssh, Error> {
    let Controller { deployment, name, settings, .. } = controller;
    let (config, tell) = (settings.ssh_config.as_ref(), settings.ssh_notice);
    let hosts = HostAccess { deployment, name, config, tell }.settings()?;
    Ssh::new(place, settings.secrets.clone(), hosts)
        .map_err(|error| Error::file("use", deployment.folder(), error))
}

impl HostAccess<'_> {
    /// What is kept, changed by what the operator says now.
    pub(crate) fn settings(self) -> Result<SshSettings, Error> {
        let path = self.deployment.folder().join("ssh.json");
        let unusable = |error: io::Error| Error::file("use", &path, error);
        let old: Option<HostsFile> = match fs::read(&path) {
            Ok(text) => Some(serde_json::from_slice(&text).map_err(|why| unusable(why.into()))?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(unusable(error)),
        };
        let config = match self.config {
            Some(config) => Some(
                fs::canonicalize(config)
                    .map_err(|error| Error::SshConfig { path: config.clone(), error })?,
            ),
            None => old.as_ref().and_then(|old| old.config.clone()),
        };
        let is_new = old.as_ref().is_none_or(|old| old.config != config);
        let unique = match old {
            Some(old) => old.unique,
            None => format!("{}-{}", self.name, random().map_err(unusable)?),
        };
        if is_new {
            let kept = HostsFile { unique: unique.clone(), config: config.clone() };
            let text = serde_json::to_string(&kept).map_err(|why| unusable(why.into()))?;
            replace_file(&path, &text).map_err(unusable)?;
        }
        Ok(SshSettings { config, unique, tell: self.tell })
    }
}

/// Another word each time: two deployments of one name may share a host.
fn random() -> io::Result<String> {
    let mut bytes = [0; 8];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(format!("{:016x}", u64::from_le_bytes(bytes)))
}

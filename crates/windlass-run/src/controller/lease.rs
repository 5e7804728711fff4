//! The lock of a deployment, and the engine in the background that gives way to whoever takes it.

use super::error::Error;
use super::operator::Operator;
use crate::deployment::{Deployment, Lock, LockError};
use crate::supervisor::{self, DismissedEngine};

/// As long as it lives, no other engine drives the deployment.
#[derive(Debug)]
pub(crate) struct Lease {
    _lock: Lock,
    /// The engine in the background that gave way, and how it was started.
    pub(crate) dismissed: Option<DismissedEngine>,
}

impl Lease {
    /// Takes the lock of a deployment; an engine in the background is asked to end.
    pub(crate) fn take(
        deployment: &Deployment,
        name: &str,
        operator: &dyn Operator,
    ) -> Result<Self, Error> {
        let unusable = |error| {
            let path = deployment.folder().to_owned();
            Error::Folder { exists: path.is_dir(), path, error }
        };
        deployment.create().map_err(unusable)?;
        let mut lock = deployment.lock();
        let mut dismissed = None;
        if matches!(lock, Err(LockError::Taken)) {
            dismissed = supervisor::dismiss(deployment);
        }
        if let Some(dismissed) = &dismissed {
            operator.supervisor_dismissed(deployment, dismissed);
            lock = deployment.lock();
        }
        match lock {
            Ok(lock) => Ok(Lease { _lock: lock, dismissed }),
            Err(LockError::Taken) => Err(Error::Locked { name: name.to_owned() }),
            Err(LockError::Io(error)) => Err(unusable(error)),
        }
    }
}

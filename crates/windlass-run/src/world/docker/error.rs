//! Why an order about containers was not carried out, with what is known about it.

use std::fmt;
use std::io;

use super::engine::{Container, EngineError};
use super::pull::ImageError;

/// How much of what a container or a hook wrote is shown when it failed.
const LAST_LINES: usize = 5;

/// Why an order was not carried out.
#[derive(Debug)]
#[non_exhaustive]
pub enum OrderError {
    /// The engine refused, or cannot be reached.
    Engine(EngineError),
    /// There is no image.
    Image(ImageError),
    /// Files for a container cannot be packed.
    Archive(io::Error),
    /// The container ended.
    Ended {
        /// Its exit code.
        exit_code: i64,
    },
    /// The container ends, is started by the engine, and ends again.
    KeepsEnding,
    /// The container was never started.
    NotStarted,
    /// It is to be healthy, and no check says whether it is.
    NoHealthCheck,
    /// The engine found it unhealthy.
    Unhealthy {
        /// What the last check wrote; may be empty.
        output: String,
    },
    /// The health check is of a kind that the engine cannot run.
    HealthCheckKind,
    /// The operator or the clock stopped it.
    Cancelled,
    /// A container has the name, and is not part of this deployment.
    ForeignContainer {
        /// The name.
        name: String,
    },
    /// Another container has got the name meanwhile.
    NameTaken {
        /// The name.
        name: String,
    },
    /// A network or a volume has to be recreated, and a container of another project uses it.
    ResourceInUse {
        /// What kind of thing it is.
        kind: ResourceKind,
        /// Its name.
        name: String,
        /// The container.
        container: String,
    },
    /// A hook did not run, or not to its end.
    HookNotRun {
        /// When it runs.
        stage: HookStage,
        /// Its command.
        command: String,
        /// Why.
        why: Box<OrderError>,
    },
    /// A hook failed.
    HookFailed {
        /// When it runs.
        stage: HookStage,
        /// Its command.
        command: String,
        /// Its exit code.
        exit_code: i64,
        /// The last lines that it wrote.
        output: Vec<String>,
    },
    /// The connection to a command in a container broke.
    Stream(io::Error),
    /// The description names a secret that has no value.
    NoSecret {
        /// Its name.
        name: String,
    },
    /// An error, and the last lines that the container wrote.
    WithOutput {
        /// The error.
        why: Box<OrderError>,
        /// The lines.
        output: Vec<String>,
    },
    /// A container was not replaced: the old one stays.
    NotReplaced {
        /// Why.
        why: Box<OrderError>,
    },
}

/// What can be recreated under the containers that use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResourceKind {
    /// A network.
    Network,
    /// A volume.
    Volume,
}

/// When a hook runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum HookStage {
    /// After the start of a container.
    PostStart,
    /// Before its stop.
    PreStop,
}

impl HookStage {
    fn as_str(self) -> &'static str {
        match self {
            HookStage::PostStart => "post_start",
            HookStage::PreStop => "pre_stop",
        }
    }
}

impl OrderError {
    /// The end of a container.
    pub(super) fn ended(container: &Container) -> Self {
        OrderError::Ended { exit_code: container.exit_code }
    }

    /// The same error with the last lines of what was written.
    pub(super) fn with_output(self, text: &str) -> Self {
        let output = last_lines(text);
        if output.is_empty() {
            return self;
        }
        OrderError::WithOutput { why: Box::new(self), output }
    }
}

/// The last lines of a text.
pub(super) fn last_lines(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let last = &lines[lines.len().saturating_sub(LAST_LINES)..];
    last.iter().map(|line| (*line).to_owned()).collect()
}

impl fmt::Display for OrderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OrderError::Engine(error) => error.fmt(f),
            OrderError::Image(error) => error.fmt(f),
            OrderError::Archive(error) | OrderError::Stream(error) => error.fmt(f),
            OrderError::Ended { exit_code } => {
                write!(f, "its container ended with exit code {exit_code}")
            }
            OrderError::KeepsEnding => f.write_str("its container ends again and again"),
            OrderError::NotStarted => f.write_str("it was not started"),
            OrderError::NoHealthCheck => f.write_str("its image has no health check"),
            OrderError::Unhealthy { output } if output.is_empty() => f.write_str("it is unhealthy"),
            OrderError::Unhealthy { output } => write!(f, "it is unhealthy: {output}"),
            OrderError::HealthCheckKind => {
                f.write_str("the health check of a container is a command: `run:`")
            }
            OrderError::Cancelled => f.write_str("it was cancelled"),
            OrderError::ForeignContainer { name } => {
                write!(f, "the container `{name}` is not part of this deployment")
            }
            OrderError::NameTaken { name } => write!(f, "a container `{name}` exists already"),
            OrderError::ResourceInUse { kind, name, container } => {
                let kind = match kind {
                    ResourceKind::Network => "network",
                    ResourceKind::Volume => "volume",
                };
                write!(f, "the {kind} `{name}` changed, and the container `{container}` uses it")
            }
            OrderError::HookNotRun { stage, command, why } => {
                write!(f, "its {} hook `{command}` cannot run: {why}", stage.as_str())
            }
            OrderError::HookFailed { stage, command, exit_code, output } => {
                let stage = stage.as_str();
                write!(f, "its {stage} hook `{command}` ended with exit code {exit_code}")?;
                let output = output.join(" / ");
                if output.is_empty() { Ok(()) } else { write!(f, "; it wrote: {output}") }
            }
            OrderError::NoSecret { name } => write!(f, "there is no secret `{name}`"),
            OrderError::WithOutput { why, output } => {
                write!(f, "{why}; it wrote: {}", output.join(" / "))
            }
            OrderError::NotReplaced { why } => write!(f, "{why}; the old container stays"),
        }
    }
}

impl std::error::Error for OrderError {}

impl From<EngineError> for OrderError {
    fn from(error: EngineError) -> Self {
        OrderError::Engine(error)
    }
}

impl From<ImageError> for OrderError {
    fn from(error: ImageError) -> Self {
        OrderError::Image(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_worded_with_the_last_lines_and_what_stays() {
        let text = "line 1\nline 2\nline 3\nline 4\nline 5\nline 6\nline 7\n";
        let ended = OrderError::Ended { exit_code: 3 }.with_output(text);
        let error = OrderError::NotReplaced { why: Box::new(ended) };
        assert_eq!(
            error.to_string(),
            "its container ended with exit code 3; it wrote: line 3 / line 4 / line 5 / line 6 \
             / line 7; the old container stays"
        );
        let silent = OrderError::Cancelled.with_output("");
        assert!(matches!(silent, OrderError::Cancelled));
    }
}

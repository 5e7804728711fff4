//! How long an action takes, as an author can say it, and how often it is tried.

use std::time::Duration;

/// How long an action takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Timing {
    /// Always the same.
    Fixed(Duration),
    /// Anything between two bounds, each value as likely as any other.
    Range {
        /// The shortest.
        least: Duration,
        /// The longest.
        most: Duration,
    },
    /// Around a mean, never below zero.
    Normal {
        /// The mean.
        mean: Duration,
        /// The standard deviation.
        deviation: Duration,
    },
    /// Without memory, with this mean.
    Exponential {
        /// The mean.
        mean: Duration,
    },
    /// One of these values, as they were measured; not empty.
    Measured(Vec<Duration>),
}

impl Timing {
    /// The mean: what a simulation without chance takes.
    pub fn mean(&self) -> Duration {
        match self {
            Timing::Fixed(mean) | Timing::Normal { mean, .. } | Timing::Exponential { mean } => {
                *mean
            }
            Timing::Range { least, most } => (*least + *most) / 2,
            Timing::Measured(values) => {
                let count = u32::try_from(values.len()).unwrap_or(u32::MAX).max(1);
                values.iter().sum::<Duration>() / count
            }
        }
    }

    /// Whether two runs can differ.
    pub(crate) fn is_random(&self) -> bool {
        !matches!(self, Timing::Fixed(_))
    }
}

/// What happens after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// How often the action is tried again.
    pub times: u32,
    /// How long to wait before the first of these tries.
    pub wait: Duration,
    /// By how much the wait grows from one try to the next.
    pub factor: u32,
}

impl Retry {
    /// The wait before try number `attempt`, the first one being 1.
    pub fn wait_before(&self, attempt: u32) -> Duration {
        let factor = self.factor.max(1).saturating_pow(attempt.saturating_sub(1));
        self.wait.saturating_mul(factor)
    }
}

//! Durations from a seed. Each execution has its own number, so that a change in one part of an
//! assembly changes no duration in another.

use std::time::Duration;

use crate::application::assembly::TransitionId;
use crate::lifecycle::timing::Timing;

/// A well mixed number from a seed and three others (splitmix64).
fn mixed(seed: u64, parts: [u64; 3]) -> u64 {
    let mut state = seed;
    for part in parts {
        state = state.wrapping_add(part).wrapping_add(0x9e37_79b9_7f4a_7c15);
        state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        state ^= state >> 31;
    }
    state
}

/// A number above 0 and below 1.
fn fraction(number: u64) -> f64 {
    ((number >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

fn seconds(value: f64) -> Duration {
    Duration::try_from_secs_f64(value.max(0.0)).unwrap_or(Duration::from_secs(u64::from(u32::MAX)))
}

/// How long an execution takes.
pub(super) fn duration(
    timing: Option<&Timing>,
    seed: Option<u64>,
    transition: TransitionId,
    attempt: u32,
) -> Duration {
    let Some(timing) = timing else { return Duration::ZERO };
    let Some(seed) = seed.filter(|_| timing.is_random()) else { return timing.mean() };
    let draw =
        |which: u64| fraction(mixed(seed, [u64::from(transition.0), u64::from(attempt), which]));
    match timing {
        Timing::Fixed(duration) => *duration,
        Timing::Range { least, most } => {
            seconds(least.as_secs_f64() + draw(0) * most.saturating_sub(*least).as_secs_f64())
        }
        Timing::Normal { mean, deviation } => {
            let radius = (-2.0 * draw(0).ln()).sqrt();
            let angle = 2.0 * std::f64::consts::PI * draw(1);
            seconds(mean.as_secs_f64() + deviation.as_secs_f64() * radius * angle.cos())
        }
        Timing::Exponential { mean } => seconds(-mean.as_secs_f64() * draw(0).ln()),
        Timing::Measured(values) => {
            #[expect(clippy::cast_sign_loss, reason = "a fraction is not negative")]
            let at = (draw(0) * values.len() as f64) as usize;
            values.get(at).or(values.last()).copied().unwrap_or_default()
        }
    }
}

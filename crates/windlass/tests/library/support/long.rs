//! How many random cases a test looks at, and from which seed on.
//!
//! `cargo xtask long` sets `WINDLASS_LONG` to how many times as many cases are wanted, and
//! `WINDLASS_SEED` to another start; without them a test looks at its usual cases.

/// As many cases as usual, or as many times that as is asked for.
pub fn cases(usual: u64) -> u64 {
    usual * setting("WINDLASS_LONG").unwrap_or(1).max(1)
}

/// The usual seed, or the one that is asked for.
pub fn seed(usual: u64) -> u64 {
    setting("WINDLASS_SEED").map_or(usual, |seed| usual.wrapping_add(seed << 32))
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

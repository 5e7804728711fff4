//! How many random cases a property test looks at.

/// As many as usual, unless `PROPTEST_CASES` asks for another number, as `cargo xtask long` does.
pub(crate) fn cases(usual: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

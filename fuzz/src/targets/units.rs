//! Durations and costs: what is printed reads back.

use windlass::lang::windlass::units;

/// Reads the text as both.
pub(super) fn run(input: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(input);
    let duration = units::duration(&text);
    if let Some(duration) = duration {
        let printed = units::print_duration(duration);
        assert_eq!(units::duration(&printed), Some(duration), "{printed}");
    }
    let cost = units::cost(&text);
    if let Some(cost) = cost {
        let printed = units::print_cost(cost);
        assert_eq!(units::cost(&printed), Some(cost), "{printed}");
    }
    let kinds = [duration.map(|_| "duration"), cost.map(|_| "cost")];
    super::behavior(kinds.into_iter().flatten(), text.len())
}

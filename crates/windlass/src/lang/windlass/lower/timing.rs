//! Durations that are not fixed, and retries.

use std::time::Duration;

use super::{conflict, duration as one, integer, items};
use crate::diagnostic::Diagnostic;
use crate::lang::windlass::units;
use crate::lifecycle::timing::{Retry, Timing};
use crate::tree::Node;

/// A duration: a text, or a record with a range, a distribution or measured values.
pub(super) fn duration(node: Node<'_>, findings: &mut Vec<Diagnostic>) -> Option<Timing> {
    if !node.is_mapping() {
        return node.as_str().and_then(units::duration).map(Timing::Fixed);
    }
    let measured: Vec<Duration> =
        items(node, "measured").filter_map(|item| units::duration(item.as_str()?)).collect();
    let key = |name: &str| one(node, name);
    let timing = match (node.entries().count(), key("exponential")) {
        (1, Some(mean)) => Some(Timing::Exponential { mean }),
        (1, None) if !measured.is_empty() => Some(Timing::Measured(measured)),
        (2, None) => match (key("from"), key("to"), key("mean"), key("deviation")) {
            (Some(least), Some(most), None, None) if least <= most => {
                Some(Timing::Range { least, most })
            }
            (None, None, Some(mean), Some(deviation)) => Some(Timing::Normal { mean, deviation }),
            _ => None,
        },
        _ => None,
    };
    if timing.is_none() {
        let help = "write `{ from: 2s, to: 5s }` with the shorter one first, \
                    `{ mean: 4s, deviation: 1s }`, `{ exponential: 4s }` or `{ measured: [3s, 4s] }`";
        findings.push(conflict(node, "these keys make no duration", help));
    }
    timing
}

/// A retry: a number, or a record.
pub(super) fn retry(node: Node<'_>) -> Option<Retry> {
    if !node.is_mapping() {
        let times = node.as_int().and_then(|number| u32::try_from(number).ok())?;
        return Some(Retry { times, wait: Duration::ZERO, factor: 1 });
    }
    Some(Retry {
        times: integer(node, "times")?,
        wait: one(node, "wait").unwrap_or_default(),
        factor: integer(node, "factor").unwrap_or(1),
    })
}

//! Texts that stand for booleans, sizes and durations, as Compose reads them.

use std::time::Duration;

/// A boolean in the words of YAML 1.1.
pub(crate) fn boolean(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "y" | "yes" | "true" | "on" | "1" => Some(true),
        "n" | "no" | "false" | "off" | "0" => Some(false),
        _ => None,
    }
}

/// Any number. What is too large for one is none, unless it is called infinite.
pub(crate) fn number(text: &str) -> Option<f64> {
    let number: f64 = text.parse().ok()?;
    let is_called = text.to_ascii_lowercase().contains("inf");
    (!number.is_infinite() || is_called).then_some(number)
}

/// A number of bytes: `512`, `50M`, `1.5gb`, `2KiB`, `1 k`; units are powers of 1024.
pub fn bytes(text: &str) -> Option<f64> {
    let last = text.rfind(|c: char| c.is_ascii_digit() || matches!(c, '.' | ' '))?;
    let (number, unit) = text.split_at(last + 1);
    let number = number.strip_suffix(' ').unwrap_or(number);
    // Go lets a `_` stand between two digits.
    let number: f64 = number.replace('_', "").parse().ok()?;
    let power = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 1,
        "m" | "mb" | "mib" => 2,
        "g" | "gb" | "gib" => 3,
        "t" | "tb" | "tib" => 4,
        "p" | "pb" | "pib" => 5,
        _ => return None,
    };
    let value = number * 1024f64.powi(power);
    (value.is_finite() && (value >= 0.0 || power == 0)).then_some(value)
}

/// A duration in the notation of Go: `1m30s`, `1.5h`, `300ms`, and `0`.
pub fn duration(text: &str) -> Option<Duration> {
    const UNITS: &[(&str, f64)] = &[
        ("ns", 1e-9),
        ("us", 1e-6),
        ("µs", 1e-6),
        ("ms", 1e-3),
        ("s", 1.0),
        ("m", 60.0),
        ("h", 3600.0),
        ("d", 86_400.0),
        ("w", 604_800.0),
    ];
    let mut rest = text.trim().trim_start_matches('+');
    if rest == "0" {
        return Some(Duration::ZERO);
    }
    if rest.is_empty() {
        return None;
    }
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
        let number: f64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let end = rest.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(rest.len());
        let (unit, after) = rest.split_at(end);
        seconds += number * UNITS.iter().find(|(name, _)| *name == unit)?.1;
        rest = after;
    }
    // Go counts nanoseconds in 63 bits.
    let most = i64::MAX as f64 / 1e9;
    Duration::try_from_secs_f64(seconds).ok().filter(|_| seconds <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units_of_1024() {
        assert_eq!(bytes("50M"), Some(50.0 * 1024.0 * 1024.0));
        assert_eq!(bytes("1.5gb"), Some(1.5 * 1024.0 * 1024.0 * 1024.0));
        assert_eq!(bytes("2KiB"), Some(2048.0));
        assert_eq!(bytes("-1"), Some(-1.0));
        assert_eq!(bytes("1 k"), Some(1024.0));
        for text in ["lots", "", " 1k", "1k ", "1  k", "1ib", "1e", "0x10", "inf", "-1k"] {
            assert_eq!(bytes(text), None, "{text}");
        }
        assert_eq!(bytes("9e999"), None);
    }

    #[test]
    fn durations_are_those_of_go() {
        assert_eq!(duration("1m30s"), Some(Duration::from_secs(90)));
        assert_eq!(duration("300ms"), Some(Duration::from_millis(300)));
        assert_eq!(duration("0"), Some(Duration::ZERO));
        assert_eq!(duration("10"), None);
        assert_eq!(duration("99999999999999999999999h"), None);
        assert!(duration("2562047h").is_some() && duration("2562048h").is_none());
    }
}

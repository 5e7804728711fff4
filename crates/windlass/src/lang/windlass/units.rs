//! Durations and costs as people write them.

use std::time::Duration;

use crate::lifecycle::Cost;

/// Longest duration that is read: a hundred years, so that sums stay far from overflow.
const LONGEST: Duration = Duration::from_hours(100 * 366 * 24);

/// Reads `1h30m`, `2.5s`, `200ms`: numbers with units, largest unit first or not.
pub fn duration(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    let mut sum = Duration::ZERO;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, behind) = rest.split_at(digits);
        let letters = behind.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(behind.len());
        let (unit, behind) = behind.split_at(letters);
        sum = sum.checked_add(amount(number, unit)?)?;
        rest = behind;
    }
    (sum <= LONGEST).then_some(sum)
}

/// Exactly `number` units, in nanoseconds; none when more precise than that.
fn amount(number: &str, unit: &str) -> Option<Duration> {
    let nanoseconds: u128 = match unit {
        "ns" => 1,
        "us" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        "d" => 86_400_000_000_000,
        _ => return None,
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || (number.contains('.') && fraction.is_empty()) || fraction.contains('.') {
        return None;
    }
    let mut total = whole.parse::<u128>().ok()?.checked_mul(nanoseconds)?;
    let mut scale = nanoseconds;
    for digit in fraction.bytes() {
        let digit = u128::from(digit - b'0');
        if !scale.is_multiple_of(10) && digit != 0 {
            return None;
        }
        scale /= 10;
        total = total.checked_add(digit * scale)?;
    }
    let seconds = u64::try_from(total / 1_000_000_000).ok()?;
    Some(Duration::new(seconds, u32::try_from(total % 1_000_000_000).ok()?))
}

/// Writes a duration so that [`duration`] reads exactly it.
pub fn print_duration(duration: Duration) -> String {
    let (seconds, nanoseconds) = (duration.as_secs(), duration.subsec_nanos());
    if nanoseconds == 0 {
        return format!("{seconds}s");
    }
    let fraction = format!("{nanoseconds:09}");
    format!("{seconds}.{}s", fraction.trim_end_matches('0'))
}

/// Reads a number from 0 to a million with at most three decimals.
pub fn cost(text: &str) -> Option<Cost> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || whole.len() > 7 || fraction.len() > 3 {
        return None;
    }
    let thousandths = format!("{fraction:0<3}").parse::<u64>().ok()?;
    let cost = whole.parse::<u64>().ok()? * 1000 + thousandths;
    (cost <= 1_000_000_000).then_some(Cost(cost))
}

/// Writes a cost so that [`cost`] reads exactly it.
pub fn print_cost(cost: Cost) -> String {
    match (cost.0 / 1000, cost.0 % 1000) {
        (whole, 0) => whole.to_string(),
        (whole, rest) => format!("{whole}.{}", format!("{rest:03}").trim_end_matches('0')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_exact() {
        let read = |text| duration(text).map(|d| d.as_nanos());
        assert_eq!(read("1h30m"), Some(5_400_000_000_000));
        assert_eq!(read("2.5s"), Some(2_500_000_000));
        assert_eq!(read("34.39s"), Some(34_390_000_000));
        assert_eq!(read("200ms"), Some(200_000_000));
        for bad in ["", "5", "s", "1.s", ".5s", "1..2s", "-1s", "1x", "0.1ns", "99999999999999d"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    #[test]
    fn what_is_printed_is_read_back() {
        for nanoseconds in [0, 1, 999_999_999, 1_000_000_000, 5_300_000_000] {
            let value = Duration::from_nanos(nanoseconds);
            assert_eq!(duration(&print_duration(value)), Some(value));
        }
        for thousandths in [0, 1, 10, 1000, 1500, 999_999_999] {
            assert_eq!(cost(&print_cost(Cost(thousandths))), Some(Cost(thousandths)));
        }
        for bad in ["", "-1", "1.2345", "1e3", "1.", ".5", "10000000"] {
            assert_eq!(cost(bad), None, "{bad}");
        }
    }
}

//! Texts as Compose and Go write them: durations, JSON.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::Value;

/// A duration as Go prints it: `1m30s`, `500ms`, `0s`.
pub(super) fn duration(time: Duration) -> String {
    let nanos = time.as_nanos();
    if nanos == 0 {
        return "0s".to_owned();
    }
    if nanos < 1_000_000_000 {
        let (size, unit) = match nanos {
            ..1_000 => (1, "ns"),
            1_000..1_000_000 => (1_000, "µs"),
            _ => (1_000_000, "ms"),
        };
        return format!("{}{unit}", decimal(nanos, size));
    }
    let (hours, minutes) = (time.as_secs() / 3600, time.as_secs() / 60 % 60);
    let seconds = decimal(nanos % 60_000_000_000, 1_000_000_000);
    match (hours, minutes) {
        (0, 0) => format!("{seconds}s"),
        (0, _) => format!("{minutes}m{seconds}s"),
        _ => format!("{hours}h{minutes}m{seconds}s"),
    }
}

/// `value / size` without zeros at the end.
fn decimal(value: u128, size: u128) -> String {
    let mut text = (value / size).to_string();
    let mut rest = value % size;
    if rest > 0 {
        text.push('.');
        let mut size = size;
        while rest > 0 {
            size /= 10;
            text.push_str(&(rest / size).to_string());
            rest %= size;
        }
    }
    text
}

/// JSON without spaces, with the characters escaped that Go escapes.
pub(super) fn go_json(value: &Value) -> String {
    let mut out = String::new();
    for c in value.to_string().chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_of_go() {
        let all = [(0, "0s"), (1_500, "1.5s"), (90_000, "1m30s"), (500, "500ms")];
        for (millis, text) in all {
            assert_eq!(duration(Duration::from_millis(millis)), text);
        }
        assert_eq!(duration(Duration::from_hours(1)), "1h0m0s");
        assert_eq!(duration(Duration::from_nanos(1_500)), "1.5µs");
    }

    #[test]
    fn json_of_go() {
        assert_eq!(go_json(&serde_json::json!({ "a": "<&>" })), r#"{"a":"\u003c\u0026\u003e"}"#);
    }
}

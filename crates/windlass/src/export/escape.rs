//! Names as they may stand in a picture, whatever the author called things.
//!
//! Control characters and characters that turn the direction of writing are made visible in every
//! format; then each format's own special characters are taken care of.

use std::fmt::Write as _;

/// The text with everything that is invisible or moves other text written out, as `\u{202e}`.
pub(crate) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            _ if is_invisible(c) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out
}

/// Controls, marks of direction, spaces without width, separators, tags, private use and
/// noncharacters.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(u32::from(c),
            0xAD | 0x61C | 0x180E | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F | 0xFEFF
            | 0xFFF0..=0xFFFB | 0xFFFE..=0xFFFF | 0xE000..=0xF8FF | 0xE0000..=0xE0FFF
            | 0xF0000..=0x0010_FFFF)
        || u32::from(c) & 0xFFFE == 0xFFFE
}

/// The text with at most so many characters; what is cut off is shown by three dots.
pub(crate) fn short(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// Visible, and fit for XML text and attributes, and for the labels of DOT that look like HTML.
pub(crate) fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

/// Visible, and fit to stand between the double quotes of DOT.
pub(crate) fn dot(text: &str) -> String {
    visible(text).replace('\\', "\\\\").replace('"', "\\\"")
}

/// Visible, and fit to stand between the double quotes of Mermaid.
///
/// Whatever Mermaid, Markdown or HTML could take for markup becomes a numeric entity in Mermaid's
/// own form.
pub(crate) fn mermaid(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        let plain = c.is_alphanumeric() || matches!(c, ' ' | '-' | '.' | ',' | '→' | '×');
        if plain {
            out.push(c);
        } else {
            let _ = write!(out, "#{};", u32::from(c));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const NASTY: &str = "a\"b</script>\u{202e}\u{7}\n--&'`#;|";

    #[test]
    fn nothing_invisible_is_left() {
        assert_eq!(visible(NASTY), "a\"b</script>\\u{202e}\\u{7}\\n--&'`#;|");
    }

    #[test]
    fn nothing_special_is_left() {
        assert_eq!(xml(NASTY), "a&quot;b&lt;/script&gt;\\u{202e}\\u{7}\\n--&amp;&#39;`#;|");
        assert_eq!(dot(NASTY), "a\\\"b</script>\\\\u{202e}\\\\u{7}\\\\n--&'`#;|");
        assert_eq!(
            mermaid(NASTY),
            "a#34;b#60;#47;script#62;#92;u#123;202e#125;#92;u#123;7#125;#92;n--#38;#39;#96;#35;#59;#124;"
        );
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(short("abcdef", 6), "abcdef");
        assert_eq!(short("abcdefg", 6), "abcde…");
    }
}

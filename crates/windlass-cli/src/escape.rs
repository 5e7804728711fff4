//! Foreign text, made safe to print.
//!
//! Names in a description are chosen by its author, who may not be the person that looks at the
//! output. A name must not move the cursor, change the order in which the line is read, start a
//! workflow command or close a `<script>`. Invariant: every user text reaches an output through
//! this file, or through [`json`], which is the only way JSON is written.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::Serialize;

/// Whether a character would act on a terminal or hide in the text instead of being seen.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            // Soft hyphen, Arabic letter mark, Mongolian vowel separator.
            '\u{ad}' | '\u{61c}' | '\u{180e}'
            // Zero width space and joiners, directional marks.
            | '\u{200b}'..='\u{200f}'
            // Line and paragraph separators, directional embeddings and overrides.
            | '\u{2028}'..='\u{202e}'
            // Word joiner, invisible operators, directional isolates, deprecated controls.
            | '\u{2060}'..='\u{206f}'
            // Byte order mark, interlinear annotation, tags.
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// One line for a terminal: control, bidirectional and invisible characters become `\u{..}`.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        push_visible(&mut out, character);
    }
    Cow::Owned(out)
}

/// Several lines for a terminal: as [`visible`], but line breaks stay.
pub(crate) fn visible_lines(text: &str) -> String {
    if text.bytes().all(|byte| matches!(byte, b'\n' | b' '..=b'~')) {
        return text.to_owned();
    }
    text.split('\n').map(visible).collect::<Vec<_>>().join("\n")
}

/// What a program wrote, for a terminal: as [`visible_lines`], but what it put below each other
/// with tabs stays so.
pub(crate) fn visible_log(text: &str) -> String {
    text.split('\t').map(visible_lines).collect::<Vec<_>>().join("\t")
}

/// Appends one character in its visible form.
pub(crate) fn push_visible(out: &mut String, character: char) {
    match character {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        _ if is_hidden(character) => {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\u{{{:x}}}", character as u32);
        }
        _ => out.push(character),
    }
}

/// The message of a GitHub workflow command: what would end it or be decoded is encoded.
pub(crate) fn github_message(text: &str) -> String {
    visible_lines(text).replace('%', "%25").replace('\n', "%0A")
}

/// A property of a GitHub workflow command, where `:` and `,` separate.
pub(crate) fn github_property(text: &str) -> String {
    visible(text).replace('%', "%25").replace(':', "%3A").replace(',', "%2C")
}

/// A relative path as a URI reference: every byte outside the unreserved set is percent-encoded.
pub(crate) fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            _ => {
                // Writing to a string cannot fail.
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

/// A value as indented JSON with a line break at the end.
///
/// Beyond what JSON asks for, hidden characters and `<` are written as `\uXXXX`, so that the text
/// is safe on a terminal and inside an HTML page; a JSON reader sees no difference.
pub(crate) fn json(value: &impl Serialize) -> serde_json::Result<String> {
    let plain = serde_json::to_string_pretty(value)?;
    let mut out = String::with_capacity(plain.len() + 1);
    // Outside of strings JSON has no such character but the line break, and inside of them the
    // line break is already escaped; so this replaces within strings only.
    for character in plain.chars() {
        if character == '<' || (character != '\n' && is_hidden(character)) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(character);
        }
    }
    out.push('\n');
    Ok(out)
}

/// As [`json`], on a single line: one value of a stream.
pub(crate) fn json_line(value: &impl Serialize) -> serde_json::Result<String> {
    // A line break inside a string is always escaped, so every one left is layout.
    Ok(json(value)?.lines().map(str::trim_start).collect::<Vec<_>>().join("") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_sees_no_control_bidi_or_invisible_character() {
        let hostile = "a\u{1b}[2J\u{202e}b\u{2066}\u{9b}\u{200b}\u{feff}\u{7f}\r\n\tc";
        assert_eq!(
            visible(hostile),
            r"a\u{1b}[2J\u{202e}b\u{2066}\u{9b}\u{200b}\u{feff}\u{7f}\r\n\tc"
        );
        assert_eq!(visible("grün </script> 名前"), "grün </script> 名前");
        assert_eq!(visible_lines("a\nb\u{7}"), "a\nb\\u{7}");
    }

    #[test]
    fn a_github_command_cannot_be_ended_or_given_properties() {
        assert_eq!(github_message("50%\n::error::x\r"), "50%25%0A::error::x\\r");
        assert_eq!(github_property("a:b,c\nd%"), "a%3Ab%2Cc\\nd%25");
    }

    #[test]
    fn a_uri_keeps_slashes_and_nothing_that_has_a_meaning() {
        assert_eq!(uri("my app/ä#1?.yaml"), "my%20app/%C3%A4%231%3F.yaml");
    }

    #[test]
    fn json_reads_back_as_it_was_and_hides_nothing() {
        let hostile = "</script>\u{1b}\u{202e}\u{e0001}\u{9b}\"\\\n";
        let text = json(&vec![hostile]).unwrap();
        assert!(text.trim_end().chars().all(|c| c == '\n' || !is_hidden(c)), "{text}");
        assert!(!text.contains('<'), "{text}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&text).unwrap(), [hostile]);
        let line = json_line(&vec![hostile, "b"]).unwrap();
        assert_eq!(line.matches('\n').count(), 1);
        assert_eq!(serde_json::from_str::<Vec<String>>(&line).unwrap(), [hostile, "b"]);
    }
}

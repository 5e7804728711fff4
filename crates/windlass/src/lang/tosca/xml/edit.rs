//! Changes of a text that keep every other byte.

use super::Element;

/// Replacements of ranges of bytes of one text, in the order of the text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Edits {
    all: Vec<(usize, usize, String)>,
}

impl Edits {
    /// No change.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Whether nothing changes.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Replaces an element.
    pub(crate) fn replace(&mut self, element: Element<'_>, with: String) {
        let span = element.span();
        self.all.push((span.start as usize, span.end as usize, with));
    }

    /// Puts whole lines in front of the end tag of an element. An element without content gets an
    /// end tag for them, behind `indent`, and so does one whose end tag is not alone on its line.
    pub(crate) fn append(&mut self, element: Element<'_>, text: &str, lines: &str, indent: &str) {
        let span = element.span();
        let (start, end) = (span.start as usize, span.end as usize);
        let written = &text[start..end];
        if written.ends_with("/>") {
            let name = &text[element.name_span().start as usize..element.name_span().end as usize];
            self.all.push((end - 2, end, format!(">\n{lines}{indent}</{name}>")));
            return;
        }
        let close = start + written.rfind("</").unwrap_or(written.len());
        let line = text[start..close].rfind('\n').map(|at| start + at + 1);
        match line.filter(|line| text[*line..close].trim().is_empty()) {
            Some(line) => self.all.push((line, line, lines.to_owned())),
            None => self.all.push((close, close, format!("\n{lines}{indent}"))),
        }
    }

    /// The text with the changes. Where two of them touch the same bytes the first one counts.
    pub(crate) fn apply(mut self, text: &str) -> String {
        self.all.sort_by_key(|(start, end, _)| (*start, *end));
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for (start, end, with) in &self.all {
            if *start < at {
                continue;
            }
            out.push_str(&text[at..*start]);
            out.push_str(with);
            at = *end;
        }
        out.push_str(&text[at..]);
        out
    }
}

/// A text as it stands in an attribute.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            '\t' => out.push_str("&#9;"),
            other => out.push(other),
        }
    }
    out
}

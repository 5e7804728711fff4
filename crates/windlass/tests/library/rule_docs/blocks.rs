//! Fenced blocks of a page in `docs/rules/` with the findings that they expect.
//!
//! A comment at the end of a line, `# error: [CODE]` or `# warning: [CODE] @12`, expects a finding
//! of that severity and code on that line, and at that column when one is given. Comments of this
//! form are taken away before the text is read, so they may stand in any notation.

/// One fenced block.
#[derive(Debug)]
pub(crate) struct Block {
    /// The line of the page on which the text starts, from 1.
    pub(crate) line: usize,
    /// The words of the info string: the notation first, then options.
    pub(crate) info: Vec<String>,
    /// The text without the expectations.
    pub(crate) text: String,
    /// What is expected, in the order of the lines.
    pub(crate) expected: Vec<Expected>,
}

/// One expected finding.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Expected {
    /// The line in the text, from 1.
    pub(crate) line: u32,
    /// `error`, `warning` or `note`.
    pub(crate) severity: String,
    /// The code.
    pub(crate) code: String,
    /// The column, when the page says one.
    pub(crate) column: Option<u32>,
}

impl Block {
    /// Whether the info string has this word.
    pub(crate) fn has(&self, word: &str) -> bool {
        self.info.iter().any(|part| part == word)
    }

    /// Compares with what was found: severity, code, line and column of each finding.
    pub(crate) fn compare(&self, found: &[(String, String, u32, u32)]) -> Result<(), String> {
        let mut left: Vec<&Expected> = self.expected.iter().collect();
        let mut problems = Vec::new();
        for (severity, code, line, column) in found {
            let matches = |expected: &&Expected| {
                (&expected.severity, &expected.code, expected.line) == (severity, code, *line)
                    && expected.column.is_none_or(|wanted| wanted == *column)
            };
            match left.iter().position(matches) {
                Some(at) => drop(left.remove(at)),
                None => problems.push(format!("unexpected {severity} {code} at {line}:{column}")),
            }
        }
        problems.extend(left.iter().map(|expected| format!("missing {expected:?}")));
        if problems.is_empty() { Ok(()) } else { Err(problems.join("\n  ")) }
    }
}

/// Every fenced block of a page.
pub(crate) fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (content, number) in page.lines().zip(1..) {
        let fence = content.strip_prefix("```");
        match (&mut open, fence) {
            (None, Some(info)) => {
                let info = info.split([',', ' ']).map(str::to_owned).collect();
                let (text, expected) = (String::new(), Vec::new());
                open = Some(Block { line: number + 1, info, text, expected });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => {
                let line = u32::try_from(number - block.line + 1).expect("a page is short");
                let text = take_expectations(content, line, &mut block.expected);
                block.text.push_str(text);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    blocks
}

/// A line without the expectations at its end.
fn take_expectations<'a>(content: &'a str, line: u32, expected: &mut Vec<Expected>) -> &'a str {
    let mut rest = content;
    while let Some(hash) = rest.rfind('#')
        && let Some(expectation) = expectation(rest[hash + 1..].trim(), line)
    {
        expected.push(expectation);
        rest = rest[..hash].trim_end();
    }
    rest
}

fn expectation(comment: &str, line: u32) -> Option<Expected> {
    let (severity, rest) = comment.split_once(": [")?;
    let (code, rest) = rest.split_once(']')?;
    let column = match rest.trim() {
        "" => None,
        at => Some(at.strip_prefix('@')?.parse().ok()?),
    };
    matches!(severity, "error" | "warning" | "note").then(|| Expected {
        line,
        severity: severity.to_owned(),
        code: code.to_owned(),
        column,
    })
}

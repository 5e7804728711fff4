//! The events of a YAML text: the only file that knows the parser crate.
//!
//! Everything the rest of the tree needs is translated here into our own [`Event`]: byte ranges,
//! styles, anchors, and syntax errors in our wording. The parser works with an explicit stack and
//! limits on nesting; it goes on behind a syntax error at the next document.

use std::borrow::Cow;

use granit_parser as granit;

use super::{Options, Style};

/// What the builder gets.
pub(super) enum What<'t> {
    /// A document begins.
    DocumentStart,
    /// A document is complete.
    DocumentEnd,
    /// A scalar with its text after unescaping and folding.
    Scalar(Cow<'t, str>, Style),
    /// A list begins.
    ListStart,
    /// A mapping begins.
    MappingStart,
    /// A list or mapping ends.
    CollectionEnd {
        /// Whether it ends with a bracket of its own.
        flow: bool,
    },
    /// A reference to an anchor, by its number.
    Alias(usize),
    /// A reference to an anchor that does not exist.
    UnknownAlias,
}

/// One event with its place.
pub(super) struct Event<'t> {
    /// What happened.
    pub(super) what: What<'t>,
    /// First byte.
    pub(super) start: u32,
    /// One past the last byte.
    pub(super) end: u32,
    /// The number of the anchor of this node; 0 is none.
    pub(super) anchor: usize,
    /// The range of the tag of this node.
    pub(super) tag: Option<(u32, u32)>,
}

/// Why a document could not be read to its end.
pub(super) struct SyntaxError {
    /// The byte at which the parser gave up.
    pub(super) at: u32,
    /// Whether a limit on nesting was the reason.
    pub(super) too_deep: bool,
    /// What is wrong.
    pub(super) message: Cow<'static, str>,
    /// What to do about it.
    pub(super) help: Option<&'static str>,
}

/// The events of one text, in order.
pub(super) struct Events<'t> {
    parser: granit::Parser<'t, granit::StrInput<'t>>,
    text: &'t str,
    over: bool,
}

impl<'t> Events<'t> {
    pub(super) fn new(text: &'t str, options: &Options) -> Self {
        let nesting = options.max_depth as usize + 1;
        let options = granit::options! {
            emit_comments: false,
            emit_unresolved_aliases: true,
            flow_nesting_limit: nesting,
            block_nesting_limit: nesting,
        };
        Events {
            parser: granit::Parser::new_from_str_with_options(text, options),
            text,
            over: false,
        }
    }

    /// The next event; `None` at the end of the text.
    pub(super) fn next(&mut self) -> Option<Result<Event<'t>, SyntaxError>> {
        while !self.over {
            match self.parser.next() {
                None => self.over = true,
                Some(Err(error)) => return Some(Err(self.translate_error(&error))),
                Some(Ok((event, span))) => {
                    if let Some(event) = self.translate(event, &span) {
                        return Some(Ok(event));
                    }
                }
            }
        }
        None
    }

    /// Leaves the current document, of which nothing more will be reported.
    pub(super) fn skip_document(&mut self) {
        self.over |= !matches!(self.parser.proceed_next_document(), Ok(true));
    }

    fn translate(&self, event: granit::Event<'t>, span: &granit::Span) -> Option<Event<'t>> {
        use granit::Event as From;
        let anchor = event.anchor_id().unwrap_or(0);
        let mut start = self.byte(span.start);
        let mut end = self.byte(span.end).max(start);
        // A value that is not there has the place of its colon; behind it is where it would be.
        if start == end && matches!(event, From::Scalar(..)) {
            start += u32::from(self.text.as_bytes().get(start as usize) == Some(&b':'));
            end = start;
        }
        let what = match event {
            From::DocumentStart(..) => What::DocumentStart,
            From::DocumentEnd => What::DocumentEnd,
            From::Alias(target) => What::Alias(target),
            From::UnresolvedAlias(_) => What::UnknownAlias,
            // The parser writes `~` for a value that is not there at all.
            From::Scalar(_, granit::ScalarStyle::Plain, ..) if start == end => {
                What::Scalar(Cow::Borrowed(""), Style::Plain)
            }
            From::Scalar(text, style, ..) => What::Scalar(text, translate_style(style)),
            From::SequenceStart(..) => What::ListStart,
            From::MappingStart(..) => What::MappingStart,
            From::SequenceEnd | From::MappingEnd => What::CollectionEnd { flow: end > start },
            _ => return None,
        };
        let tag = span.tag_span().map(|tag| (self.byte(tag.start), self.byte(tag.end)));
        Some(Event { what, start, end, anchor, tag })
    }

    fn byte(&self, marker: granit::Marker) -> u32 {
        let length = self.text.len();
        marker.byte_offset().map_or(length, |byte| byte.min(length)) as u32
    }

    fn translate_error(&self, error: &granit::ScanError) -> SyntaxError {
        let (mut message, mut help) = wording(error.kind());
        let mut at = self.byte(*error.marker());
        if matches!(error.kind(), granit::ErrorKind::MappingValueNotAllowed)
            && let Some(indent) = self.deeper_than_before(at)
        {
            at = indent;
            message = "this line is indented deeper than the line before, which has a value".into();
            help = Some(ALIGN);
        }
        if let granit::ErrorKind::UnexpectedCharacter { character } = error.kind() {
            // The parser names the start of the scalar; people look for the character.
            let rest = self.text.get(at as usize..).unwrap_or_default();
            at += rest.find(*character).unwrap_or(0) as u32;
        }
        SyntaxError {
            at,
            too_deep: matches!(error.kind(), granit::ErrorKind::RecursionLimitExceeded),
            message,
            help,
        }
    }
}

impl Events<'_> {
    /// Where the first word of a line stands whose only colon is at `at`, when the line goes on
    /// with the value of the line before because it is indented deeper.
    fn deeper_than_before(&self, at: u32) -> Option<u32> {
        let before = self.text.get(..at as usize)?;
        let start = before.rfind('\n')? + 1;
        let line = &before[start..];
        let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
        let last = before[..start].lines().rev().find(|line| !line.trim().is_empty())?;
        let is_only = !line.contains(": ") && !line.trim_start().starts_with("- ");
        (is_only && indent(line) > indent(last)).then(|| (start + indent(line)) as u32)
    }
}

fn translate_style(style: granit::ScalarStyle) -> Style {
    match style {
        granit::ScalarStyle::Plain => Style::Plain,
        granit::ScalarStyle::SingleQuoted | granit::ScalarStyle::DoubleQuoted => Style::Quoted,
        granit::ScalarStyle::Literal | granit::ScalarStyle::Folded => Style::Block,
    }
}

const TABS: &str = "indent with spaces; YAML does not allow tabs there";
const ALIGN: &str = "entries of one mapping or list start in the same column";
const QUOTE: &str = "put the value in quotes if this is part of the text";

/// Our words for the parser's reason, and advice where there is some.
fn wording(kind: &granit::ErrorKind) -> (Cow<'static, str>, Option<&'static str>) {
    use granit::ErrorKind as Kind;
    let (message, help) = match kind {
        Kind::TabNotAllowed | Kind::TabInBlockIndentation | Kind::TabInIndentation => {
            ("a tab is used as indentation", Some(TABS))
        }
        Kind::InvalidIndentation => ("this line is not indented like its neighbours", Some(ALIGN)),
        Kind::ExpectedBlockMappingKey => {
            ("expected a key here, like the other entries of this mapping", Some(ALIGN))
        }
        Kind::ExpectedBlockSequenceEntry => {
            ("expected `-` here, like the other entries of this list", Some(ALIGN))
        }
        Kind::MappingValueNotAllowed => {
            ("a second `: ` on this line", Some("put a value that contains `: ` in quotes"))
        }
        Kind::SimpleKeyExpected | Kind::InvalidSimpleKey => {
            ("this line is not `key: value`", Some("write `:` and a space after the key"))
        }
        Kind::InvalidQuotedScalarIndent | Kind::UnclosedQuotedScalar => {
            ("a quoted text is not closed", Some("add the missing quote"))
        }
        Kind::DocumentIndicatorInQuotedScalar => {
            ("a quoted text is not closed before the next document", Some("add the missing quote"))
        }
        Kind::InvalidTrailingSingleQuotedScalar | Kind::InvalidTrailingDoubleQuotedScalar => {
            ("text after a closing quote", Some("put the whole value in one pair of quotes"))
        }
        Kind::UnexpectedEofFlowSequence | Kind::ExpectedFlowSequenceSeparator => {
            ("expected `,` or `]`", Some("close the list with `]`, or put `,` between its items"))
        }
        Kind::UnexpectedEofFlowMapping | Kind::ExpectedFlowMappingSeparator => (
            "expected `,` or `}`",
            Some("close the mapping with `}`, or put `,` between its entries"),
        ),
        Kind::InvalidColonPlacement | Kind::UnexpectedEofImplicitFlowMapping => {
            ("`:` is not possible here", Some("close the `[` or `{` before this line"))
        }
        Kind::MisplacedFlowCollectionEnd => {
            ("a closing bracket without an opening one", Some("remove it, or open it before"))
        }
        Kind::BlockEntryInFlowCollection | Kind::BlockSequenceEntryNotAllowed => {
            ("a list entry `-` is not possible here", Some(QUOTE))
        }
        Kind::UnknownQuotedScalarEscape => {
            ("an escape that YAML does not know", Some(r"write `\\` for a backslash"))
        }
        Kind::ExpectedNodeContent => ("expected a value here", Some(QUOTE)),
        Kind::CommentNotSeparated => ("a comment needs a space before `#`", Some(QUOTE)),
        Kind::UndeclaredTagHandle => {
            ("a tag with an undeclared prefix", Some("declare it above `---` with `%TAG`"))
        }
        Kind::RecursionLimitExceeded => ("lists and mappings are nested too deep", None),
        Kind::MismatchedFlowCollectionEnd { open, close } => {
            let help = Some("close each bracket with its own kind, the last one first");
            return (format!("`{open}` is closed by `{close}`").into(), help);
        }
        Kind::UnclosedFlowCollection { open } => {
            return (format!("`{open}` is never closed").into(), Some("add the closing bracket"));
        }
        Kind::UnexpectedCharacter { character } => return unexpected(*character),
        // The remaining reasons are rare; the parser's own words are a fragment already.
        other => return (lower_first(other.to_string()).into(), Some(QUOTE)),
    };
    (message.into(), help)
}

fn unexpected(character: char) -> (Cow<'static, str>, Option<&'static str>) {
    let control = character.is_control() || ('\u{7f}'..='\u{9f}').contains(&character);
    if control {
        let message = format!("the control character U+{:04X} is not allowed", character as u32);
        return (message.into(), Some("write it as an escape in double quotes"));
    }
    (format!("a value cannot start with `{character}`").into(), Some("put the value in quotes"))
}

fn lower_first(text: String) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => "this is not valid YAML".to_owned(),
    }
}

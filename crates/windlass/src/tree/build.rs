//! Events into a tree.
//!
//! The builder keeps the open lists and mappings on an explicit stack and the children of all of
//! them in one vector; a collection that ends moves its children behind the others. For every
//! open collection it counts how many nodes and levels it has with aliases followed, so that an
//! alias which would make a small text huge is known when it is met.

use std::borrow::Cow;

use super::events::{Event, Events, SyntaxError, What};
use super::keys;
use super::{Document, LeftOut, NodeData, NodeId, Options, Parsed, Schema, Shape, Style, Tree};
use crate::diagnostic::Diagnostic;
use crate::source::SourceId;

/// Reads a text. Never fails: what could be read is in the tree, what could not is a finding.
pub fn parse(source: SourceId, text: &str, options: &Options) -> (Tree, Vec<Diagnostic>) {
    let Parsed { tree, findings, .. } = parse_text(source, text, options);
    (tree, findings)
}

pub(super) fn parse_text(source: SourceId, text: &str, options: &Options) -> Parsed {
    let too_large = text.len() > options.max_bytes as usize;
    let mut builder = Builder::new(source, if too_large { "" } else { text }, options);
    if too_large {
        builder.tree.complete = false;
        builder.report_size(text.len());
    } else {
        builder.read(text);
    }
    builder.finish()
}

/// A list or mapping that has not ended yet.
struct Open {
    node: NodeId,
    /// Where its children begin in [`Builder::pending`].
    first_pending: usize,
    /// The number of its anchor; 0 is none.
    anchor: usize,
    /// Nodes so far, itself included, aliases followed.
    size: u64,
    /// Levels below so far, aliases followed.
    height: u32,
}

/// What is known of a node that has an anchor.
#[derive(Clone, Copy)]
struct Anchored {
    node: NodeId,
    closed: bool,
    size: u64,
    height: u32,
}

pub(super) struct Builder<'t> {
    pub(super) tree: Tree,
    pub(super) options: &'t Options,
    open: Vec<Open>,
    pending: Vec<NodeId>,
    /// By the parser's number of the anchor, which starts at 1.
    anchors: Vec<Option<Anchored>>,
    /// Nodes of the whole text, aliases followed.
    size: u64,
    /// How many of the open collections stand in brackets; those in them do too.
    in_brackets: usize,
    /// Whether the current document is left before its end.
    pub(super) abandoned: bool,
    findings: Vec<Diagnostic>,
    /// Findings for which there was no room.
    pub(super) left_out: usize,
    /// Whether the text is left before its end because of them.
    is_cut: bool,
    /// What is wrong for Go alone, when another schema is asked for.
    colons: Vec<Diagnostic>,
    /// Whether a limit on nodes or bytes was reached.
    is_limited: bool,
}

impl<'t> Builder<'t> {
    pub(super) fn new(source: SourceId, text: &'t str, options: &'t Options) -> Self {
        let nothing =
            NodeData { start: 0, end: 0, a: 0, b: 0, shape: Shape::ScalarInText(Style::Plain) };
        let tree = Tree {
            source,
            schema: options.schema,
            text: text.into(),
            pool: String::new(),
            nodes: vec![nothing],
            children: Vec::new(),
            tags: Vec::new(),
            documents: Vec::new(),
            complete: true,
        };
        Builder {
            tree,
            options,
            open: Vec::new(),
            pending: Vec::new(),
            anchors: vec![None],
            size: 0,
            in_brackets: 0,
            abandoned: false,
            findings: Vec::new(),
            left_out: 0,
            is_cut: false,
            colons: Vec::new(),
            is_limited: false,
        }
    }

    fn read(&mut self, text: &'t str) {
        let mut events = Events::new(text, self.options);
        while let Some(event) = events.next() {
            let outcome = match event {
                Ok(event) => self.take(event, text),
                Err(error) => {
                    self.report_syntax(&error);
                    Err(if self.left_out > 0 { Stop::Text } else { Stop::Document })
                }
            };
            match outcome {
                Ok(()) => {}
                Err(Stop::Document) => {
                    self.abandon_document();
                    events.skip_document();
                }
                Err(Stop::Text) => {
                    self.abandon_document();
                    self.is_cut = true;
                    break;
                }
            }
        }
        if self.tree.documents.is_empty() && self.findings.is_empty() {
            let start = self.tree.span(0, 0);
            let finding = Diagnostic::error(super::EMPTY_FILE, start, "the file is empty");
            self.report(finding.help("write a description into it, or name another file"));
        }
    }

    pub(super) fn finish(mut self) -> Parsed {
        self.tree.nodes.shrink_to_fit();
        self.tree.children.shrink_to_fit();
        self.tree.pool.shrink_to_fit();
        if self.left_out > 0 {
            let left_out = LeftOut { count: self.left_out, at_least: self.is_cut };
            self.findings.push(left_out.finding(self.tree.span(0, 0)));
        }
        crate::diagnostic::sort(&mut self.findings);
        Parsed {
            tree: self.tree,
            findings: self.findings,
            options: self.options.clone(),
            size: self.size,
            colons: self.colons,
            is_limited: self.is_limited,
        }
    }

    fn take(&mut self, event: Event<'t>, text: &'t str) -> Result<(), Stop> {
        let Event { what, start, end, anchor, tag } = event;
        let data = |shape, a, b| NodeData { start, end, a, b, shape };
        match what {
            What::DocumentStart => {
                self.begin_document();
                Ok(())
            }
            What::DocumentEnd => {
                self.end_document(true);
                Ok(())
            }
            What::Scalar(content, style) => {
                self.report_colon(&content, style, start);
                let (shape, a, b) = self.store_scalar(content, style, text);
                let node = self.add(data(shape, a, b), tag)?;
                self.remember(anchor, Anchored { node, closed: true, size: 1, height: 0 });
                Ok(())
            }
            What::ListStart => self.begin(data(Shape::List, 0, 0), anchor, tag),
            What::MappingStart => self.begin(data(Shape::Mapping, 0, 0), anchor, tag),
            What::CollectionEnd { flow } => {
                self.end_collection(flow.then_some(end));
                Ok(())
            }
            What::Alias(target) => self.alias(target, start, end),
            What::UnknownAlias => {
                let span = self.tree.span(start, end);
                let name = text.get(start as usize + 1..end as usize).unwrap_or_default();
                let message = format!("unknown anchor `{name}`");
                let help = format!("give a value above it the anchor: `&{name}`");
                self.report(Diagnostic::error("YAML005", span, message).help(help));
                self.add_null(start, end)
            }
        }
    }

    pub(super) fn begin_document(&mut self) {
        self.open.clear();
        self.in_brackets = 0;
        self.pending.clear();
    }

    /// Takes an event that stands in no text; whether there was room for it.
    pub(super) fn take_or_abandon(&mut self, event: Event<'t>) -> bool {
        let is_taken = self.take(event, "").is_ok();
        if !is_taken {
            self.abandon_document();
        }
        is_taken
    }

    /// Where the text of a scalar is found: in the source if it stands there as it is.
    fn store_scalar(
        &mut self,
        content: Cow<'t, str>,
        style: Style,
        text: &'t str,
    ) -> (Shape, u32, u32) {
        if let Cow::Borrowed(part) = content {
            let offset = (part.as_ptr() as usize).wrapping_sub(text.as_ptr() as usize);
            if text.get(offset..).is_some_and(|rest| rest.starts_with(part)) && !part.is_empty() {
                return (Shape::ScalarInText(style), offset as u32, (offset + part.len()) as u32);
            }
        }
        let start = self.tree.pool.len() as u32;
        self.tree.pool.push_str(&content);
        (Shape::ScalarInPool(style), start, self.tree.pool.len() as u32)
    }

    /// Adds a node to the innermost open collection, or as the root of a document.
    fn add(&mut self, data: NodeData, tag: Option<(u32, u32)>) -> Result<NodeId, Stop> {
        if self.size >= u64::from(self.options.max_nodes) {
            self.is_limited = true;
            let span = self.tree.span(data.start, data.end);
            let message = format!("more than {} values in one file", self.options.max_nodes);
            let help = "split it into several files";
            self.report(Diagnostic::error("YAML004", span, message).help(help));
            return Err(Stop::Text);
        }
        let id = NodeId(self.tree.nodes.len() as u32);
        self.tree.nodes.push(data);
        if let Some((start, end)) = tag {
            self.tree.tags.push((id, start, end));
        }
        self.pending.push(id);
        self.count(1);
        Ok(id)
    }

    fn add_null(&mut self, start: u32, end: u32) -> Result<(), Stop> {
        let shape = Shape::ScalarInPool(Style::Plain);
        self.add(NodeData { start, end, a: 0, b: 0, shape }, None).map(|_| ())
    }

    fn count(&mut self, nodes: u64) {
        self.size += nodes;
        if let Some(open) = self.open.last_mut() {
            open.size += nodes;
        }
    }

    fn begin(
        &mut self,
        data: NodeData,
        anchor: usize,
        tag: Option<(u32, u32)>,
    ) -> Result<(), Stop> {
        if self.open.len() >= self.options.max_depth as usize {
            self.report_depth(data.start, data.end);
            return Err(Stop::Document);
        }
        let node = self.add(data, tag)?;
        // The node itself was counted for its parent; its own count starts with it again.
        if let Some(parent) = self.open.last_mut() {
            parent.size -= 1;
        }
        self.remember(anchor, Anchored { node, closed: false, size: 0, height: 0 });
        let first_pending = self.pending.len();
        self.open.push(Open { node, first_pending, anchor, size: 1, height: 0 });
        let first = self.tree.text.as_bytes().get(data.start as usize);
        self.in_brackets += usize::from(self.in_brackets > 0 || matches!(first, Some(b'[' | b'{')));
        Ok(())
    }

    /// Go takes a `:` in brackets for the one behind a key, also where a value would begin with it.
    fn report_colon(&mut self, content: &str, style: Style, start: u32) {
        if style == Style::Plain && self.in_brackets > 0 && content.starts_with(':') {
            let span = self.tree.span(start, start + 1);
            let message = "a value in brackets cannot start with `:`";
            let help = format!("put it in quotes: \"{content}\"");
            let finding = Diagnostic::error("YAML001", span, message).help(help);
            if self.options.schema == Schema::Go {
                self.report(finding);
            } else if self.colons.len() <= self.options.max_findings {
                self.colons.push(finding);
            }
        }
    }

    /// Ends the innermost collection; `end` is given when it has a closing bracket, otherwise it
    /// ends where its last child does.
    fn end_collection(&mut self, end: Option<u32>) {
        let Some(open) = self.open.pop() else { return };
        self.in_brackets = self.in_brackets.saturating_sub(1);
        let at = open.node.0 as usize;
        let last = self.pending[open.first_pending..].last();
        let last_end = last.map_or(self.tree.nodes[at].end, |child| self.tree.data(*child).end);
        self.tree.nodes[at].end = end.unwrap_or(last_end).max(self.tree.nodes[at].end);
        if self.tree.nodes[at].shape == Shape::Mapping {
            if (self.pending.len() - open.first_pending) % 2 == 1 {
                // The document broke off behind a key, which then has no value.
                let nothing = NodeData { start: last_end, end: last_end, ..self.tree.nodes[0] };
                self.pending.push(NodeId(self.tree.nodes.len() as u32));
                self.tree.nodes.push(nothing);
            }
            self.end_mapping(open.node, open.first_pending);
        } else {
            self.tree.nodes[at].a = self.tree.children.len() as u32;
            self.tree.nodes[at].b = (self.pending.len() - open.first_pending) as u32;
            self.tree.children.extend_from_slice(&self.pending[open.first_pending..]);
        }
        self.pending.truncate(open.first_pending);
        let closed =
            Anchored { node: open.node, closed: true, size: open.size, height: open.height + 1 };
        self.remember(open.anchor, closed);
        if let Some(parent) = self.open.last_mut() {
            parent.size += closed.size;
            parent.height = parent.height.max(closed.height);
        }
    }

    fn end_mapping(&mut self, node: NodeId, first_pending: usize) {
        let raw = self.pending.split_off(first_pending);
        let entries = keys::resolve_merges(self, &raw);
        let entries = entries.as_deref().unwrap_or(&raw);
        let order = keys::order(&self.tree, entries);
        // Duplicates are looked for among the keys as written: a merged key gives way silently.
        keys::report_duplicates(self, &raw);
        let data = &mut self.tree.nodes[node.0 as usize];
        data.a = self.tree.children.len() as u32;
        data.b = (entries.len() / 2) as u32;
        self.tree.children.extend_from_slice(entries);
        self.tree.children.extend(order.into_iter().map(NodeId));
    }

    fn remember(&mut self, anchor: usize, value: Anchored) {
        if anchor == 0 {
            return;
        }
        if self.anchors.len() <= anchor {
            self.anchors.resize(anchor + 1, None);
        }
        self.anchors[anchor] = Some(value);
    }

    fn alias(&mut self, target: usize, start: u32, end: u32) -> Result<(), Stop> {
        let span = self.tree.span(start, end);
        let Some(known) = self.anchors.get(target).copied().flatten() else {
            return self.add_null(start, end);
        };
        let defined = self.tree.data(known.node).start;
        let defined = self.tree.span(defined, defined);
        if !known.closed {
            let finding = Diagnostic::error("YAML006", span, "an alias inside the value it means")
                .label(defined, "the value begins here")
                .help("a value cannot contain itself: give the alias another anchor");
            self.report(finding);
            return self.add_null(start, end);
        }
        if self.open.len() as u32 + known.height > self.options.max_depth {
            self.report_depth(start, end);
            return self.add_null(start, end);
        }
        if self.size + known.size > u64::from(self.options.max_nodes) {
            self.is_limited = true;
            let message = format!(
                "with its aliases the file has more than {} values",
                self.options.max_nodes
            );
            let finding = Diagnostic::error("YAML004", span, message)
                .label(defined, format!("this alone stands for {} values", known.size))
                .help("use fewer aliases of values that have aliases in them");
            self.report(finding);
            return Err(Stop::Document);
        }
        self.add(NodeData { start, end, a: known.node.0, b: 0, shape: Shape::Alias }, None)?;
        self.count(known.size - 1);
        if let Some(open) = self.open.last_mut() {
            open.height = open.height.max(known.height);
        }
        Ok(())
    }

    pub(super) fn end_document(&mut self, complete: bool) {
        if let Some(root) = self.pending.first().copied() {
            self.tree.documents.push(Document { root, complete });
        }
        self.tree.complete &= complete;
        self.pending.clear();
        self.open.clear();
    }

    /// Keeps what was read of a document that cannot be read further.
    fn abandon_document(&mut self) {
        self.abandoned = true;
        while !self.open.is_empty() {
            self.end_collection(None);
        }
        self.end_document(false);
        self.abandoned = false;
    }

    pub(super) fn report(&mut self, finding: Diagnostic) {
        if self.has_room() {
            self.findings.push(finding);
        } else {
            self.left_out += 1;
        }
    }

    /// Whether one more finding will be shown.
    pub(super) fn has_room(&self) -> bool {
        self.findings.len() < self.options.max_findings
    }

    fn report_syntax(&mut self, error: &SyntaxError) {
        if error.too_deep {
            return self.report_depth(error.at, error.at);
        }
        let rest = self.tree.text.get(error.at as usize..).unwrap_or_default();
        let width =
            rest.chars().next().filter(|first| !first.is_control()).map_or(0, char::len_utf8);
        let span = self.tree.span(error.at, error.at + width as u32);
        let mut finding = Diagnostic::error("YAML001", span, error.message.clone());
        finding.help = error.help.map(str::to_owned);
        self.report(finding);
    }

    fn report_depth(&mut self, start: u32, end: u32) {
        let message = format!("more than {} levels of nesting", self.options.max_depth);
        let finding = Diagnostic::error("YAML003", self.tree.span(start, end), message);
        self.report(finding.help("write it with fewer lists and mappings in each other"));
    }

    fn report_size(&mut self, bytes: usize) {
        self.is_limited = true;
        let message = format!(
            "the file has {bytes} bytes, more than the limit of {}",
            self.options.max_bytes
        );
        let finding = Diagnostic::error("YAML004", self.tree.span(0, 0), message);
        self.report(finding.help("split it into several files"));
    }
}

/// How far reading ends.
enum Stop {
    /// This document only.
    Document,
    /// The whole text.
    Text,
}

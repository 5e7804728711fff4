//! Reads the anchors and deviations out of doc comments.
//!
//! An anchor is one line `/// Paper: NNN KEY`; a deviation is a line `/// Deviation: ...`, which
//! goes on to the next empty line, anchor or deviation, and belongs to every anchor of the same
//! comment; without one it is an addition of ours. A rule has its anchor in its field,
//! `paper: Some("NNN KEY")`, an example in a comment, `# Paper: NNN KEY`. Heads of files (`//!`)
//! are prose and have none.

use crate::repository::File;

/// One place in the code that stands for one entry of a paper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// Number of the paper.
    pub paper: String,
    /// Key of the entry.
    pub key: String,
    /// File, from the root.
    pub path: String,
    /// Line of the anchor.
    pub line: usize,
    /// What the comment is about; empty for a rule or an example, which is its file.
    pub item: String,
    /// How the code departs from the paper.
    pub deviations: Vec<String>,
}

impl Anchor {
    fn new(file: &File, paper: &str, key: &str, line: usize) -> Self {
        Anchor {
            paper: paper.to_owned(),
            key: key.to_owned(),
            path: file.path.clone(),
            line,
            item: String::new(),
            deviations: Vec::new(),
        }
    }
}

/// Something that stands in no paper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addition {
    /// File, from the root.
    pub path: String,
    /// What the comment is about.
    pub item: String,
    /// What it says.
    pub text: String,
}

/// All anchors of a file, and the deviations that belong to none.
pub fn read(file: &File) -> (Vec<Anchor>, Vec<Addition>) {
    let lines: Vec<&str> = file.text.lines().collect();
    let mut anchors = Vec::new();
    let mut additions = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        if let Some((paper, key)) = rule_anchor(lines[at]).or_else(|| example_anchor(lines[at])) {
            anchors.push(Anchor::new(file, paper, key, at + 1));
        }
        if comment(lines[at]).is_none() {
            at += 1;
            continue;
        }
        let start = at;
        let block: Vec<&str> = lines[start..].iter().map_while(|line| comment(line)).collect();
        at += block.len();
        let item = item_name(&lines[at..]);
        let deviations = deviations(&block);
        let before = anchors.len();
        for (offset, text) in block.iter().enumerate() {
            if let Some((paper, key)) = anchor(text) {
                let anchor = Anchor::new(file, paper, key, start + offset + 1);
                let (item, deviations) = (item.clone(), deviations.clone());
                anchors.push(Anchor { item, deviations, ..anchor });
            }
        }
        if anchors.len() == before {
            let path = &file.path;
            additions.extend(deviations.into_iter().map(|text| Addition {
                path: path.clone(),
                item: item.clone(),
                text,
            }));
        }
    }
    (anchors, additions)
}

/// The text of a doc comment line.
fn comment(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("///").map(str::trim)
}

/// Number and key in the field of a rule.
fn rule_anchor(line: &str) -> Option<(&str, &str)> {
    let quoted = line.trim().strip_prefix("paper: Some(\"")?;
    quoted.strip_suffix("\"),")?.split_once(' ')
}

/// Number and key of an anchor.
fn anchor(text: &str) -> Option<(&str, &str)> {
    let (paper, key) = text.strip_prefix("Paper: ")?.split_once(' ')?;
    Some((paper, key.trim_end_matches('.')))
}

/// Number and key in a comment of YAML.
fn example_anchor(line: &str) -> Option<(&str, &str)> {
    anchor(line.trim_start().strip_prefix("# ")?)
}

fn deviations(block: &[&str]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut open = false;
    for text in block {
        if let Some(first) = text.strip_prefix("Deviation:") {
            found.push(first.trim().to_owned());
            open = true;
        } else if text.is_empty() || text.starts_with("Paper: ") {
            open = false;
        } else if let (true, Some(last)) = (open, found.last_mut()) {
            last.push(' ');
            last.push_str(text);
        }
    }
    found
}

/// The name of the item that follows a comment.
fn item_name(lines: &[&str]) -> String {
    let mut depth = 0i32;
    for line in lines {
        let line = line.trim();
        let attribute = depth > 0 || line.starts_with("#[");
        if attribute {
            let count = |mark: char| i32::try_from(line.matches(mark).count()).unwrap_or(0);
            depth += count('[') - count(']');
            continue;
        }
        if !line.is_empty() && !line.starts_with("//") {
            return name_in(line).to_owned();
        }
    }
    String::new()
}

fn name_in(line: &str) -> &str {
    const KEYWORDS: &[&str] =
        &["fn", "struct", "enum", "trait", "const", "static", "type", "mod", "macro_rules", "impl"];
    let mut words =
        line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty());
    let mut first = None;
    while let Some(word) = words.next() {
        if KEYWORDS.contains(&word) && line.contains(' ') {
            // `const fn` names the function.
            match words.next() {
                Some("fn") => return words.next().unwrap_or_default(),
                Some(name) => return name,
                None => return "",
            }
        }
        if word != "pub" && word != "crate" {
            first = first.or(Some(word));
        }
    }
    // A variant or a field.
    first.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> File {
        File { path: "a.rs".to_owned(), text: text.to_owned() }
    }

    #[test]
    fn anchors_know_their_item_and_deviations() {
        let (anchors, additions) = read(&file(
            "//! Paper: 002 is prose.\n\n    paper: Some(\"002 Table I\"),\n/// Fires.\n///\n/// Paper: 002 eq. (1)\n\
             /// Deviation: `L_S` is `L_P`,\n/// as elsewhere.\n/// Paper: 002 eq. (5)\n\
             #[must_use]\npub(crate) fn fire(x: u8) {}\n",
        ));
        assert!(additions.is_empty());
        let short: Vec<_> =
            anchors.iter().map(|a| (a.key.as_str(), a.item.as_str(), a.line)).collect();
        assert_eq!(short, [("Table I", "", 3), ("eq. (1)", "fire", 6), ("eq. (5)", "fire", 9)]);
        assert_eq!(anchors[1].deviations, ["`L_S` is `L_P`, as elsewhere."]);
        assert_eq!(anchors[2].deviations, anchors[1].deviations);
    }

    #[test]
    fn examples_carry_anchors() {
        let (anchors, _) = read(&file("# Thinking.\n# Paper: 004 Fig. 1\nname: a\n"));
        assert_eq!((anchors[0].key.as_str(), anchors[0].line), ("Fig. 1", 2));
    }

    #[test]
    fn a_deviation_without_an_anchor_is_an_addition() {
        let (_, additions) = read(&file("/// Deviation: other.\nfn f() {}\n"));
        assert_eq!((additions[0].item.as_str(), additions[0].text.as_str()), ("f", "other."));
    }

    #[test]
    fn names_of_items() {
        for (line, name) in [
            ("pub fn step(", "step"),
            ("pub const fn step(", "step"),
            ("pub struct Net {", "Net"),
            ("OpStart {", "OpStart"),
            ("pub count: u32,", "count"),
            ("impl System for Net {", "System"),
        ] {
            assert_eq!(name_in(line), name);
        }
    }
}

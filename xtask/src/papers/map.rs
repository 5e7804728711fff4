//! The list of one paper, `papers/NNN.toml`, one entry per line.

use serde::Deserialize;
use std::fmt::Write;

/// Line of the first entry in the printed form.
pub const FIRST_ENTRY_LINE: usize = 9;

/// Everything in one paper that code can stand for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Map {
    /// The number of the paper.
    pub paper: String,
    /// Its title.
    pub title: String,
    /// In the order of the paper.
    pub entries: Vec<Entry>,
}

/// A definition, rule, theorem or figure.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// What an anchor says after the number of the paper.
    pub key: String,
    /// A few words.
    pub title: String,
    /// Section of the paper.
    pub at: String,
    /// Whether code stands for it.
    pub status: Status,
    /// Why a gap is one.
    #[serde(default)]
    pub reason: String,
}

/// Whether code stands for an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Some code carries its anchor.
    Done,
    /// None does, for a reason.
    Gap,
}

impl Map {
    /// Reads a list; no key may stand twice.
    pub fn read(text: &str) -> Result<Self, String> {
        let map: Map = toml::from_str(text).map_err(|error| error.to_string())?;
        let mut keys: Vec<&str> = map.entries.iter().map(|entry| entry.key.as_str()).collect();
        keys.sort_unstable();
        match keys.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(format!("key `{}` stands twice", pair[0])),
            None => Ok(map),
        }
    }

    /// Sets the statuses; a gap that was done before has no better reason to give than that.
    pub fn accept(&mut self, has_anchor: impl Fn(&str) -> bool) {
        for entry in &mut self.entries {
            if has_anchor(&entry.key) {
                entry.status = Status::Done;
                entry.reason.clear();
            } else if entry.status == Status::Done {
                entry.status = Status::Gap;
                "the code that stood for it is gone".clone_into(&mut entry.reason);
            }
        }
    }

    /// How many entries are done.
    pub fn done(&self) -> usize {
        self.entries.iter().filter(|entry| entry.status == Status::Done).count()
    }

    /// The key that differs only in dots, spaces, marks or capitals.
    pub fn nearest(&self, key: &str) -> Option<&str> {
        let plain = |text: &str| -> String {
            text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
        };
        let wanted = plain(key);
        let name = |text: &str| plain(text.rsplit('(').next().unwrap_or(text));
        let all = || self.entries.iter().map(|entry| entry.key.as_str());
        all()
            .find(|known| plain(known) == wanted)
            .or_else(|| all().find(|known| name(known) == name(key)))
    }

    /// The text of the list, as it is kept in the repository.
    pub fn print(&self) -> String {
        let mut text = format!(
            "# Every definition, rule, theorem and figure with content of paper {0}.\n\
             # An entry is \"done\" when code carries `Paper: {0} KEY`, else a \"gap\" with the \
             reason.\n\
             # `cargo xtask papers --accept` sets the statuses from the anchors found.\n\n\
             paper = {1}\ntitle = {2}\n\nentries = [\n",
            self.paper,
            quote(&self.paper),
            quote(&self.title)
        );
        for Entry { key, title, at, status, reason } in &self.entries {
            let (key, title, at) = (quote(key), quote(title), quote(at));
            let status = match status {
                Status::Done => "status = \"done\"".to_owned(),
                Status::Gap => "status = \"gap\"".to_owned(),
            };
            let reason = match reason.as_str() {
                "" => String::new(),
                reason => format!(", reason = {}", quote(reason)),
            };
            let _ = writeln!(
                text,
                "  {{ key = {key}, title = {title}, at = {at}, {status}{reason} }},"
            );
        }
        text.push_str("]\n");
        text
    }
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(key: &str, reason: &str) -> Entry {
        let status = if reason.is_empty() { Status::Done } else { Status::Gap };
        Entry {
            key: key.to_owned(),
            title: "t".to_owned(),
            at: "1".to_owned(),
            status,
            reason: reason.to_owned(),
        }
    }

    fn map(entries: Vec<Entry>) -> Map {
        Map { paper: "004".to_owned(), title: "a \"title\"".to_owned(), entries }
    }

    #[test]
    fn a_printed_list_is_read_back() {
        let printed = map(vec![entry("Def. 1", ""), entry("Def. 2", "later")]).print();
        let again = Map::read(&printed).unwrap();
        assert_eq!(again.print(), printed);
        let line = printed.lines().nth(FIRST_ENTRY_LINE - 1).unwrap();
        assert!(line.contains("Def. 1"), "{line}");
        assert!(Map::read(&map(vec![entry("a", ""), entry("a", "")]).print()).is_err());
    }

    #[test]
    fn accepting_follows_the_anchors() {
        let mut map = map(vec![entry("Def. 1", ""), entry("Def. 2", "later")]);
        map.accept(|key| key == "Def. 2");
        assert_eq!(map.entries[0].status, Status::Gap);
        assert_eq!(map.entries[1].status, Status::Done);
        assert_eq!(map.done(), 1);
        assert!(!map.entries[0].reason.is_empty());
    }

    #[test]
    fn the_nearest_key_is_found() {
        let map = map(vec![entry("Thm. 4.1", ""), entry("2.1 (Role)", "")]);
        assert_eq!(map.nearest("Thm 4.1"), Some("Thm. 4.1"));
        assert_eq!(map.nearest("LocationGraphs (Role)"), Some("2.1 (Role)"));
        assert_eq!(map.nearest("Def. 9"), None);
    }
}

//! The page of one paper: entry, place in the code, deviations. No line numbers, for they move
//! with every edit; the name of the item finds the place.

use super::anchors::{Addition, Anchor};
use super::map::{Entry, Map, Status};
use std::fmt::Write;

/// The text of `docs/papers/NNN.md`.
pub fn print(map: &Map, anchors: &[Anchor]) -> String {
    let mut text = format!(
        "# Paper {}: {}\n\nMade by `cargo xtask papers` from `papers/{0}.toml` and the anchors in \
         the code; do not edit.\n\n{} of {} entries are done.\n\n| entry | what | where |\n\
         |---|---|---|\n",
        map.paper,
        map.title,
        map.done(),
        map.entries.len()
    );
    let mut deviations: Vec<(&str, &str)> = Vec::new();
    for entry in &map.entries {
        let here: Vec<&Anchor> = anchors
            .iter()
            .filter(|anchor| anchor.paper == map.paper && anchor.key == entry.key)
            .collect();
        let _ = writeln!(
            text,
            "| {} | {} | {} |",
            cell(&entry.key),
            cell(&entry.title),
            place(entry, &here)
        );
        for anchor in here {
            for deviation in &anchor.deviations {
                if !deviations.contains(&(entry.key.as_str(), deviation)) {
                    deviations.push((&entry.key, deviation));
                }
            }
        }
    }
    if !deviations.is_empty() {
        text.push_str("\n## Deviations\n\n");
        for (key, deviation) in deviations {
            let _ = writeln!(text, "- **{key}**: {deviation}");
        }
    }
    text
}

/// The text of `docs/papers/additions.md`.
pub fn print_additions(additions: &[Addition]) -> String {
    let mut text = "# Additions\n\nMade by `cargo xtask papers` from the code; do not edit. What \
                    stands in no paper and is ours.\n\n"
        .to_owned();
    for Addition { path, item, text: what } in additions {
        let _ = writeln!(text, "- [{path}](../../{path}) `{item}`: {what}");
    }
    text
}

fn place(entry: &Entry, anchors: &[&Anchor]) -> String {
    if entry.status == Status::Gap && anchors.is_empty() {
        return format!("gap; {}", cell(&entry.reason));
    }
    let mut places: Vec<String> = anchors
        .iter()
        .map(|anchor| {
            let Anchor { path, item, .. } = anchor;
            if item.is_empty() {
                format!("[{path}](../../{path})")
            } else {
                format!("[{path}](../../{path}) `{item}`")
            }
        })
        .collect();
    places.dedup();
    places.join("<br>")
}

/// Text that does not end a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_shows_places_gaps_and_deviations() {
        let map = Map::read(
            "paper = \"002\"\ntitle = \"Nets\"\nentries = [\n\
             { key = \"eq. (1)\", title = \"fire\", at = \"3\", status = \"done\" },\n\
             { key = \"eq. (2)\", title = \"end\", at = \"3\", status = \"gap\", reason = \"later\" },\n]",
        )
        .unwrap();
        let anchor = Anchor {
            paper: "002".to_owned(),
            key: "eq. (1)".to_owned(),
            path: "crates/a.rs".to_owned(),
            line: 7,
            item: "fire".to_owned(),
            deviations: vec!["`L_S` is `L_P`.".to_owned()],
        };
        let page = print(&map, &[anchor]);
        assert!(page.contains("| eq. (1) | fire | [crates/a.rs](../../crates/a.rs) `fire` |\n"));
        assert!(page.contains("| eq. (2) | end | gap; later |\n"));
        assert!(page.contains("- **eq. (1)**: `L_S` is `L_P`.\n"));
        assert!(page.contains("1 of 2 entries are done."));
        assert!(!page.contains(":7"));
    }
}

//! Comments stay within 100 columns; `rustfmt` looks after the code.
//!
//! Tables, links and the lines of inference rules cannot be broken, so they may be longer.

use super::Tree;
use crate::repository::{File, Finding};

const LIMIT: usize = 100;

/// Names the comment lines that are too long.
pub fn check(tree: &Tree) -> Vec<Finding> {
    tree.rust().flat_map(long_lines).collect()
}

fn long_lines(file: &File) -> Vec<Finding> {
    file.text
        .lines()
        .enumerate()
        .filter(|(_, line)| is_too_long(line))
        .map(|(at, line)| {
            let message = format!("comment of {} columns; at most {LIMIT}", line.chars().count());
            Finding::new(&file.path, at + 1, message)
        })
        .collect()
}

fn is_too_long(line: &str) -> bool {
    let Some(comment) = line.trim_start().strip_prefix("//") else { return false };
    let text = comment.trim_start_matches(['/', '!']).trim_start();
    let unbreakable = text.starts_with('|') || text.starts_with("---") || text.contains("://");
    line.chars().count() > LIMIT && !unbreakable
}

#[cfg(test)]
mod tests {
    use super::is_too_long;

    #[test]
    fn long_comments_are_found_and_tables_and_links_are_not() {
        let long = "word ".repeat(25);
        assert!(is_too_long(&format!("    // {long}")));
        assert!(!is_too_long(&format!("/// | {long}")));
        assert!(!is_too_long(&format!("/// --- {long}")));
        assert!(!is_too_long(&format!("//! see https://example.org/{long}")));
        assert!(!is_too_long(&format!("let x = \"{long}\";")));
    }
}

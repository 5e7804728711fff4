//! Every code of a finding has its page in `docs/rules`, and every page its code.

use super::Tree;
use crate::lexer::{Kind, code, without_test_code};
use crate::repository::Finding;
use std::collections::BTreeMap;

const PAGES: &str = "docs/rules/";

/// Names codes without pages and pages without codes.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut codes: BTreeMap<String, (String, usize)> = BTreeMap::new();
    for file in tree.rust().filter(|file| is_source(&file.path)) {
        for token in without_test_code(&code(&file.text)) {
            if token.kind == Kind::Text && is_code(token.text) {
                let place = (file.path.clone(), token.line);
                codes.entry(token.text.to_owned()).or_insert(place);
            }
        }
    }
    let pages: Vec<&str> = tree
        .markdown()
        .filter_map(|file| file.path.strip_prefix(PAGES)?.strip_suffix(".md"))
        .filter(|name| is_code(name))
        .collect();
    let missing = codes.iter().filter(|(code, _)| !pages.contains(&code.as_str())).map(
        |(code, (path, line))| Finding::new(path, *line, format!("{PAGES}{code}.md is missing")),
    );
    let unused = pages.iter().filter(|page| !codes.contains_key(**page)).map(|page| {
        Finding::new(&format!("{PAGES}{page}.md"), 1, "no rule in the code has this code")
    });
    missing.chain(unused).collect()
}

fn is_source(path: &str) -> bool {
    path.starts_with("crates/") && path.contains("/src/")
}

/// Two to eight capitals, then three digits: `WLS012`.
fn is_code(text: &str) -> bool {
    let letters = text.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = &text[letters..];
    (2..=8).contains(&letters) && digits.len() == 3 && digits.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::is_code;

    #[test]
    fn codes_have_capitals_and_three_digits() {
        for good in ["WLS001", "YAML999", "COMPOSE123"] {
            assert!(is_code(good), "{good}");
        }
        for bad in ["A123", "WLS1", "WLS0123", "wls123", "LONGNAMES123", "WLS12a", ""] {
            assert!(!is_code(bad), "{bad}");
        }
    }
}

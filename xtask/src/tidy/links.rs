//! Links between Markdown files lead somewhere; examples and pages that texts mention exist.

use super::Tree;
use crate::lexer::{self, Kind};
use crate::repository::{File, Finding, Repository};

/// Names links and examples that lead nowhere.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let links = tree.markdown().flat_map(|file| broken(file, &tree.repository));
    let pages = tree.rust().flat_map(|file| missing_pages(file, tree));
    links.chain(pages).collect()
}

/// Pages that comments in the code mention, by path or by name, and that are not there.
fn missing_pages(file: &File, tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for token in lexer::tokens(&file.text).iter().filter(|token| token.kind == Kind::Comment) {
        for page in pages(token.text) {
            let known = |path: &str| path == page || path.ends_with(&format!("/{page}"));
            if !tree.markdown().any(|markdown| known(&markdown.path)) {
                let message = format!("the page `{page}` is not in the repository");
                findings.push(Finding::new(&file.path, token.line, message));
            }
        }
    }
    findings
}

/// Words of a comment that name a page; a pattern such as `docs/rules/<CODE>.md` is none.
fn pages(comment: &str) -> Vec<&str> {
    words(comment)
        .filter(|word| {
            word.rsplit_once('.').is_some_and(|(name, end)| !name.is_empty() && end == "md")
        })
        .filter(|word| !word.contains(['*', '{', '$', '<']) && !word.contains("NNN"))
        .collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || "`\"'()[],;:|".contains(c))
        .map(|word| word.trim_end_matches('.'))
}

fn broken(file: &File, repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut fenced = false;
    for (at, line) in file.text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if !fenced {
            for target in link_targets(line) {
                let path = resolve(&file.path, target);
                if path.is_none_or(|path| !repository.exists(&path)) {
                    let message = format!("the link to `{target}` leads nowhere");
                    findings.push(Finding::new(&file.path, at + 1, message));
                }
            }
        }
        for example in examples(line) {
            if !repository.exists(example) {
                let message = format!("the example `{example}` does not exist");
                findings.push(Finding::new(&file.path, at + 1, message));
            }
        }
    }
    findings
}

/// Relative targets of `[text](target)` in a line, without `#part`.
fn link_targets(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find("](") {
        rest = &rest[at + 2..];
        let Some(end) = rest.find(')') else { break };
        let target = rest[..end].split(['#', ' ']).next().unwrap_or_default();
        let elsewhere =
            target.is_empty() || target.contains("://") || target.starts_with("mailto:");
        if !elsewhere {
            found.push(target);
        }
        rest = &rest[end..];
    }
    found
}

/// A target from the folder of a file, as a path from the root; none when it leads out.
fn resolve(from: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Paths of files below `examples/` that a line mentions.
fn examples(line: &str) -> Vec<&str> {
    words(line)
        .filter(|word| word.starts_with("examples/") && !word.contains(['*', '{', '$', '<']))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_targets_are_read_and_resolved() {
        let line = "[a](b.md#c) [d](https://e.org) [f](../g.md) [h](#i)";
        assert_eq!(link_targets(line), ["b.md", "../g.md"]);
        assert_eq!(resolve("docs/rules/X.md", "../g.md"), Some("docs/g.md".to_owned()));
        assert_eq!(resolve("README.md", "../g.md"), None);
    }

    #[test]
    fn pages_are_read_from_comments() {
        let comment = "/// See `docs/wording.md` and docs/rules/<CODE>.md, not papers/NNN.md.";
        assert_eq!(pages(comment), ["docs/wording.md"]);
    }

    #[test]
    fn examples_are_read_from_prose_and_commands() {
        let line = "run `windlass show examples/thinking.yaml` or examples/*.yaml.";
        assert_eq!(examples(line), ["examples/thinking.yaml"]);
    }
}

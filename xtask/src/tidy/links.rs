//! Links between Markdown files lead somewhere, and examples that texts mention exist.

use super::Tree;
use crate::repository::{File, Finding, Repository};

/// Names links and examples that lead nowhere.
pub fn check(tree: &Tree) -> Vec<Finding> {
    tree.markdown().flat_map(|file| broken(file, &tree.repository)).collect()
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
    line.split(|c: char| c.is_whitespace() || "`\"'()[]<>,;:|".contains(c))
        .map(|word| word.trim_end_matches('.'))
        .filter(|word| word.starts_with("examples/") && !word.contains(['*', '{', '$']))
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
    fn examples_are_read_from_prose_and_commands() {
        let line = "run `windlass show examples/thinking.yaml` or examples/*.yaml.";
        assert_eq!(examples(line), ["examples/thinking.yaml"]);
    }
}

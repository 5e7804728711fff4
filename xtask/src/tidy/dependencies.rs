//! Every direct dependency has its reason in `docs/dependencies.md`.

use super::Tree;
use crate::repository::Finding;
use std::collections::BTreeMap;

const PAGE: &str = "docs/dependencies.md";
const TABLES: &[&str] = &["dependencies", "dev-dependencies", "build-dependencies"];

/// Names dependencies without a reason, and reasons without a dependency.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let page = tree.file(PAGE).map(|file| file.text.as_str()).unwrap_or_default();
    let explained: Vec<&str> = page.lines().filter_map(explained_name).collect();
    let mut used: BTreeMap<String, String> = BTreeMap::new();
    for file in tree.files.iter().filter(|file| file.path.ends_with("Cargo.toml")) {
        for name in direct_dependencies(&file.text) {
            used.entry(name).or_insert_with(|| file.path.clone());
        }
    }
    let missing = used
        .iter()
        .filter(|(name, _)| !explained.contains(&name.as_str()))
        .map(|(name, path)| Finding::new(path, 1, format!("`{name}` has no reason in {PAGE}")));
    let unused = explained
        .iter()
        .filter(|name| !used.contains_key(**name))
        .map(|name| Finding::new(PAGE, 1, format!("`{name}` is not a dependency")));
    missing.chain(unused).collect()
}

/// A row of the page starts with the name in code marks.
fn explained_name(line: &str) -> Option<&str> {
    line.strip_prefix("| `")?.split('`').next()
}

/// Names in the dependency tables of one manifest, without the packages of this repository.
fn direct_dependencies(manifest: &str) -> Vec<String> {
    let Ok(manifest) = manifest.parse::<toml::Table>() else { return Vec::new() };
    let mut names = Vec::new();
    for table in TABLES.iter().filter_map(|name| manifest.get(*name)?.as_table()) {
        let foreign = table
            .iter()
            .filter(|(name, value)| value.get("path").is_none() && !name.starts_with("windlass"));
        names.extend(foreign.map(|(name, _)| name.clone()));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_and_reasons_are_read() {
        let manifest = "[dependencies]\nwindlass = { path = \"x\" }\nzip = \"1\"\n\
                        [dev-dependencies]\nproptest.workspace = true\n";
        assert_eq!(direct_dependencies(manifest), ["zip", "proptest"]);
        assert_eq!(explained_name("| `zip` | archives |"), Some("zip"));
        assert_eq!(explained_name("| crate | reason |"), None);
    }
}

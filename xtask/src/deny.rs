//! `cargo xtask deny`: licences, duplicates and sources of dependencies.
//!
//! `deny.toml` is in the syntax of cargo-deny, which checks it where it is installed. Elsewhere the
//! same three rules are checked with `cargo metadata`, and a loud line says so.

mod license;

use crate::Outcome;
use crate::repository::{Finding, Repository};
use crate::steps::{self, Step};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::process::Command;

const PATH: &str = "deny.toml";

/// The part of `deny.toml` that is checked.
#[derive(Debug, Deserialize)]
struct Rules {
    graph: Graph,
    licenses: Licenses,
    bans: Bans,
    sources: Sources,
}

#[derive(Debug, Deserialize)]
struct Graph {
    targets: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Licenses {
    allow: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Bans {
    skip: Vec<Skip>,
}

#[derive(Debug, Deserialize)]
struct Skip {
    #[serde(rename = "crate")]
    package: String,
    #[serde(default)]
    reason: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Sources {
    allow_registry: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Debug, Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    source: Option<String>,
}

/// Checks every package of the lock file that is used on the first target.
pub fn run(repository: &Repository) -> Outcome {
    if is_installed() {
        let check = "cargo deny --offline --workspace check licenses bans sources";
        return Ok(steps::run(repository, &Step::new("cargo-deny", check))?.good);
    }
    println!("WARNING: cargo-deny is not installed; checking its three rules without it");
    by_hand(repository)
}

fn is_installed() -> bool {
    let version = Command::new("cargo").args(["deny", "--version"]).output();
    version.is_ok_and(|output| output.status.success())
}

/// The rules without cargo-deny.
fn by_hand(repository: &Repository) -> Outcome {
    let rules: Rules =
        toml::from_str(&repository.read(PATH)?).map_err(|error| format!("{PATH}: {error}"))?;
    let target = rules.graph.targets.first().ok_or("deny.toml names no target")?;
    let packages = packages(repository, target)?;
    let mut findings = wrong_licenses(&rules, &packages);
    findings.extend(duplicates(&rules, &packages));
    findings.extend(foreign_sources(&rules, &packages));
    for message in &findings {
        println!("{}", Finding::new(PATH, 1, message));
    }
    println!("deny: {} packages, {} findings", packages.len(), findings.len());
    Ok(findings.is_empty())
}

fn packages(repository: &Repository, target: &str) -> Result<Vec<Package>, String> {
    let output = Command::new("cargo")
        .args(["metadata", "--format-version", "1", "--locked", "--offline", "--all-features"])
        .args(["--filter-platform", target])
        .current_dir(repository.path(""))
        .output()
        .map_err(|error| format!("cargo metadata: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let metadata: Metadata =
        serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    Ok(metadata.packages)
}

fn wrong_licenses(rules: &Rules, packages: &[Package]) -> Vec<String> {
    let mut wrong = Vec::new();
    for Package { name, version, license, .. } in packages {
        let expression = license.as_deref().unwrap_or_default();
        if !license::is_allowed(expression, &rules.licenses.allow) {
            wrong.push(format!("{name} {version}: the license `{expression}` is not allowed"));
        }
    }
    wrong
}

/// Packages there in several versions, unless all but one have a reason; reasons without need.
fn duplicates(rules: &Rules, packages: &[Package]) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in packages {
        versions.entry(&package.name).or_default().push(&package.version);
    }
    let skipped = |name: &str, version: &str| {
        let full = format!("{name}@{version}");
        rules.bans.skip.iter().any(|skip| skip.package == full)
    };
    for (name, found) in &versions {
        let counted = found.iter().filter(|version| !skipped(name, version)).count();
        if counted > 1 {
            wrong.push(format!("{name} is there in versions {}", found.join(", ")));
        }
    }
    for Skip { package, reason } in &rules.bans.skip {
        let needed = versions.iter().any(|(name, found)| {
            found.len() > 1 && found.iter().any(|version| *package == format!("{name}@{version}"))
        });
        if !needed {
            wrong.push(format!("{package} is skipped, but is not there twice"));
        }
        if reason.is_empty() {
            wrong.push(format!("{package} is skipped without a reason"));
        }
    }
    wrong
}

fn foreign_sources(rules: &Rules, packages: &[Package]) -> Vec<String> {
    let mut wrong = Vec::new();
    for Package { name, source, .. } in packages {
        // A package without a source is one of this repository.
        let Some(source) = source else { continue };
        let registry = source.strip_prefix("registry+");
        let allowed = |registry: &str| rules.sources.allow_registry.iter().any(|a| a == registry);
        if !registry.is_some_and(allowed) {
            wrong.push(format!("{name} comes from `{source}`"));
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> Rules {
        toml::from_str(
            "[graph]\ntargets = [\"x\"]\n[licenses]\nallow = [\"MIT\"]\n\
             [bans]\nskip = [{ crate = \"a@1\", reason = \"r\" }]\n\
             [sources]\nallow-registry = [\"https://r\"]\n",
        )
        .unwrap()
    }

    fn package(name: &str, version: &str, license: &str, source: Option<&str>) -> Package {
        Package {
            name: name.to_owned(),
            version: version.to_owned(),
            license: Some(license.to_owned()),
            source: source.map(str::to_owned),
        }
    }

    #[test]
    fn each_rule_finds_what_breaks_it() {
        let packages = [
            package("a", "1", "MIT", Some("registry+https://r")),
            package("a", "2", "GPL-3.0", Some("git+https://r")),
        ];
        assert_eq!(wrong_licenses(&rules(), &packages).len(), 1);
        assert_eq!(foreign_sources(&rules(), &packages).len(), 1);
        assert!(duplicates(&rules(), &packages).is_empty());
        let more = [package("a", "2", "MIT", None), package("a", "3", "MIT", None)];
        assert_eq!(duplicates(&rules(), &more).len(), 2, "a duplicate and a reason without need");
    }
}

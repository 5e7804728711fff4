//! `cargo xtask ui`: builds the pages of `windlass serve` from `ui/` into `ui/dist`.
//!
//! Third-party code is installed by npm from the lock file and stays out of the repository. The
//! command line embeds `ui/dist` when it is there at its build.

use std::fs;
use std::process::Command;
use std::time::SystemTime;

use crate::Outcome;
use crate::repository::Repository;
use crate::steps::{self, Step};

/// The oldest Node that the tools of `ui/` work with.
const OLDEST: (u32, u32) = (20, 19);

/// What to do beside building.
#[derive(Debug, Default, clap::Args)]
pub struct Options {
    /// Try the pages in Chromium as well; skipped with a loud line where there is none
    #[arg(long)]
    test: bool,
    /// Draw the pictures of `docs/pictures/serve` again while testing
    #[arg(long, requires = "test")]
    pictures: bool,
}

/// Installs what the lock file says, unless that is done, and builds.
pub fn run(repository: &Repository, options: &Options) -> Outcome {
    match node() {
        None => return Err("Node was not found; the pages need Node 20.19 or newer".to_owned()),
        Some(found) if found < OLDEST => {
            let (major, minor) = found;
            return Err(format!("Node {major}.{minor} is too old; the pages need 20.19"));
        }
        Some(_) => {}
    }
    let mut all = Vec::new();
    if !is_installed(repository) {
        all.push(Step::new("install", "npm ci --prefix ui --ignore-scripts"));
    }
    all.push(Step::new("build", "npm run --prefix ui build"));
    if options.test {
        all.push(Step::new("program", "cargo build --package windlass-cli"));
        let test = Step::new("browser", "npm run --prefix ui test");
        let pictures = if options.pictures { "1" } else { "" };
        all.push(test.with("WINDLASS_PICTURES", pictures));
    }
    for step in all {
        if !steps::run(repository, &step)?.good {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The version of the Node on the path.
fn node() -> Option<(u32, u32)> {
    let output = Command::new("node").arg("--version").output().ok()?;
    version(&String::from_utf8_lossy(&output.stdout))
}

fn version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.trim().strip_prefix('v')?.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// Whether what npm installed is newer than the lock file.
fn is_installed(repository: &Repository) -> bool {
    let changed = |path: &str| -> Option<SystemTime> {
        fs::metadata(repository.path(path)).ok()?.modified().ok()
    };
    match (changed("ui/node_modules/.package-lock.json"), changed("ui/package-lock.json")) {
        (Some(installed), Some(locked)) => installed >= locked,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert_eq!(version("v20.20.2\n"), Some((20, 20)));
        assert!(version("v9.100.0").unwrap() < OLDEST);
        assert_eq!(version("nonsense"), None);
    }

    #[test]
    fn the_lock_file_holds_no_addresses_and_pins_every_package() {
        let repository = Repository::find().unwrap();
        let lock = fs::read_to_string(repository.path("ui/package-lock.json")).unwrap();
        assert!(!lock.contains("://"), "addresses do not belong in the lock file");
        let lock: serde_json::Value = serde_json::from_str(&lock).unwrap();
        let packages = lock["packages"].as_object().unwrap();
        assert!(packages.len() > 10);
        for (name, package) in packages.iter().filter(|(name, _)| !name.is_empty()) {
            assert!(
                package["integrity"].as_str().is_some_and(|sum| sum.starts_with("sha")),
                "{name}"
            );
        }
    }

    /// `npm ci` refuses a lock file that leaves out the packages of another system, and a lock
    /// file that was written on one system easily does.
    #[test]
    fn the_lock_file_holds_what_every_system_needs() {
        let repository = Repository::find().unwrap();
        let lock = fs::read_to_string(repository.path("ui/package-lock.json")).unwrap();
        let lock: serde_json::Value = serde_json::from_str(&lock).unwrap();
        let packages = lock["packages"].as_object().unwrap();
        let mut count = 0;
        for (name, package) in packages {
            for kind in ["dependencies", "optionalDependencies", "devDependencies"] {
                for wanted in package[kind].as_object().into_iter().flatten().map(|one| one.0) {
                    let own = format!("{name}/node_modules/{wanted}");
                    let shared = format!("node_modules/{wanted}");
                    let is_there = packages.contains_key(&own) || packages.contains_key(&shared);
                    assert!(is_there, "{name} needs {wanted}");
                    count += 1;
                }
            }
        }
        assert!(count > 50);
        assert!(packages.contains_key("node_modules/@rolldown/binding-darwin-arm64"));
    }
}

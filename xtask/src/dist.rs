//! `cargo xtask dist`: a release archive: the program with its pages inside, manual pages,
//! completions and licences. What is packed is unpacked again and tried.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::Outcome;
use crate::repository::Repository;
use crate::steps::{self, Step};
use crate::ui;

/// How to build.
#[derive(Debug, Default, clap::Args)]
pub struct Options {
    /// Pack an unoptimized program, to try the packing
    #[arg(long)]
    dev: bool,
}

/// Builds everything, packs it into `target/dist`, and tries what was packed.
pub fn run(repository: &Repository, options: &Options) -> Outcome {
    if !ui::run(repository, &ui::Options::default())? {
        return Ok(false);
    }
    let (profile, built) = if options.dev { ("dev", "debug") } else { ("release", "release") };
    let build = format!("cargo build --profile {profile} --package windlass-cli");
    if !steps::run(repository, &Step::new("program", &build))?.good {
        return Ok(false);
    }
    let suffix = if options.dev { "-dev" } else { "" };
    let (system, machine) = (std::env::consts::OS, std::env::consts::ARCH);
    let name = format!("windlass-{}-{machine}-{system}{suffix}", version(repository)?);
    let program = repository.path(&format!("target/{built}/windlass"));
    fill(repository, &program, &repository.path(&format!("target/dist/{name}")))?;
    let pack = format!("tar -czf target/dist/{name}.tar.gz -C target/dist {name}");
    let manual = format!("target/dist/{name}/windlass man --dir target/dist/{name}/man");
    for step in [Step::new("manual pages", &manual), Step::new("archive", &pack)] {
        if !steps::run(repository, &step)?.good {
            return Ok(false);
        }
    }
    try_out(repository, &name)?;
    println!("target/dist/{name}.tar.gz");
    Ok(true)
}

/// Puts everything but the manual pages into a fresh folder.
fn fill(repository: &Repository, program: &Path, folder: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| error.to_string();
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(failed)?;
    }
    fs::create_dir_all(folder.join("completions")).map_err(failed)?;
    fs::copy(program, folder.join("windlass")).map_err(failed)?;
    for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md"] {
        fs::copy(repository.path(file), folder.join(file)).map_err(failed)?;
    }
    fs::write(folder.join("THIRD-PARTY.md"), notice(repository)?).map_err(failed)?;
    for shell in ["bash", "zsh", "fish"] {
        let script = Command::new(folder.join("windlass")).args(["completions", shell]).output();
        let script = script.map_err(failed)?;
        if !script.status.success() {
            return Err(format!("no completions for {shell}"));
        }
        let file = folder.join("completions").join(format!("windlass.{shell}"));
        fs::write(file, script.stdout).map_err(failed)?;
    }
    Ok(())
}

/// Unpacks the archive into a folder of its own: the program has to start there, and to hold every
/// file of the pages.
fn try_out(repository: &Repository, name: &str) -> Result<(), String> {
    let failed = |error: std::io::Error| error.to_string();
    let folder = repository.path("target/dist/unpacked");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(failed)?;
    }
    fs::create_dir_all(&folder).map_err(failed)?;
    let archive = repository.path(&format!("target/dist/{name}.tar.gz"));
    let unpacked = Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(&folder).status();
    if !unpacked.map_err(failed)?.success() {
        return Err(format!("{} cannot be unpacked", archive.display()));
    }
    let program = folder.join(name).join("windlass");
    let answer = Command::new(&program).arg("--version").output().map_err(failed)?;
    if !answer.status.success() {
        return Err("the packed program does not start".to_owned());
    }
    let content = fs::read(&program).map_err(failed)?;
    let pages = files_below(&repository.path("ui/dist")).map_err(failed)?;
    for page in &pages {
        let bytes = fs::read(page).map_err(failed)?;
        if !holds(&content, &bytes) {
            return Err(format!("the packed program does not hold {}", page.display()));
        }
    }
    println!("the packed program starts and holds {} files of its pages", pages.len());
    if pages.is_empty() { Err("there are no pages".to_owned()) } else { Ok(()) }
}

fn files_below(folder: &Path) -> std::io::Result<Vec<std::path::PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files_below(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Whether some bytes hold others, one after the other. Only places that begin alike are compared.
fn holds(all: &[u8], part: &[u8]) -> bool {
    let Some((first, rest)) = part.split_first() else { return true };
    let mut at = 0;
    while let Some(next) = all.get(at..).and_then(|left| left.iter().position(|one| one == first)) {
        at += next + 1;
        if all.get(at..at + rest.len()) == Some(rest) {
            return true;
        }
    }
    false
}

fn version(repository: &Repository) -> Result<String, String> {
    let text =
        fs::read_to_string(repository.path("Cargo.toml")).map_err(|error| error.to_string())?;
    let manifest: toml::Table = toml::from_str(&text).map_err(|error| error.to_string())?;
    let version = manifest.get("workspace").and_then(|table| table.get("package"));
    let version = version.and_then(|package| package.get("version")).and_then(toml::Value::as_str);
    version.map(str::to_owned).ok_or_else(|| "Cargo.toml has no version".to_owned())
}

/// Packages of the pages with their licences, as the lock file tells them.
fn notice(repository: &Repository) -> Result<String, String> {
    let path = repository.path("ui/package-lock.json");
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let lock: serde_json::Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let head = "# Third-party packages in the pages of `windlass serve`\n\n\
        Each is available by its name and version from the package registry of npm, with its\n\
        source and the text of its licence. elkjs is used under the Eclipse Public License 2.0.\n\n";
    let mut lines = Vec::new();
    for (path, package) in lock["packages"].as_object().into_iter().flatten() {
        let Some(name) = path.strip_prefix("node_modules/") else { continue };
        let word = |key: &str| package[key].as_str().unwrap_or("?");
        lines.push(format!("- {name} {}: {}\n", word("version"), word("license")));
    }
    Ok(head.to_owned() + &lines.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_found_where_they_are_and_nowhere_else() {
        assert!(holds(b"aabaabc", b"aabc"));
        assert!(holds(b"abc", b"abc"));
        assert!(!holds(b"aabaab", b"aabc"));
        assert!(!holds(b"ab", b"abc"));
        assert!(holds(b"", b""));
    }
}

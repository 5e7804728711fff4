//! `cargo xtask dist`: a release archive: the program with its pages inside, manual pages,
//! completions and licences.

use std::fs;
use std::path::Path;

use crate::Outcome;
use crate::repository::Repository;
use crate::steps::{self, Step};
use crate::ui;

/// Builds everything and packs it into `target/dist`.
pub fn run(repository: &Repository) -> Outcome {
    if !ui::run(repository, &ui::Options::default())? {
        return Ok(false);
    }
    let build = Step::new("program", "cargo build --release --package windlass-cli");
    if !steps::run(repository, &build)?.good {
        return Ok(false);
    }
    let name = format!(
        "windlass-{}-{}-{}",
        version(repository)?,
        std::env::consts::ARCH,
        std::env::consts::OS
    );
    let folder = repository.path(&format!("target/dist/{name}"));
    let failed = |error: std::io::Error| error.to_string();
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(failed)?;
    }
    fs::create_dir_all(folder.join("completions")).map_err(failed)?;
    fs::copy(repository.path("target/release/windlass"), folder.join("windlass"))
        .map_err(failed)?;
    for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md"] {
        fs::copy(repository.path(file), folder.join(file)).map_err(failed)?;
    }
    fs::write(folder.join("THIRD-PARTY.md"), notice(repository)?).map_err(failed)?;
    let program = folder.join("windlass");
    let mut steps = vec![Step::new(
        "manual pages",
        &format!("{} man --dir {}", program.display(), folder.join("man").display()),
    )];
    steps.push(Step::new(
        "archive",
        &format!("tar -czf target/dist/{name}.tar.gz -C target/dist {name}"),
    ));
    for shell in ["bash", "zsh", "fish"] {
        let script = std::process::Command::new(&program).args(["completions", shell]).output();
        let script = script.map_err(failed)?.stdout;
        fs::write(folder.join("completions").join(format!("windlass.{shell}")), script)
            .map_err(failed)?;
    }
    for step in steps {
        if !steps::run(repository, &step)?.good {
            return Ok(false);
        }
    }
    println!("target/dist/{name}.tar.gz");
    Ok(Path::new(&repository.path(&format!("target/dist/{name}.tar.gz"))).is_file())
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

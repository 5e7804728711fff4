//! The set `tosker`: TosKer's examples. Every plan that brings an application up is valid from
//! nothing, every plan that takes it down is valid after that one, our own plans are too, and what
//! TosKer refuses is refused.

use super::{Score, files_below, process};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// What the names of plans end with: those that start from nothing, and those that follow one.
const UP: &[&str] = &[".up.plan", ".up_push.plan"];
const DOWN: &str = ".down.plan";

/// The largest example: nodes, and lines of its plan.
const SOCK_SHOP: (&str, usize, usize) = ("sockshop-app/sockshop", 20, 47);

/// Asks about every plan; nothing when the folder is not there.
pub fn score(windlass: &Path, folder: &Path) -> Result<Option<Score>, String> {
    let examples = folder.join("examples");
    if !examples.is_dir() {
        return Ok(None);
    }
    let mut wrong = Vec::new();
    let mut total = 0;
    let mut note = |is_right: bool, words: String| {
        total += 1;
        if !is_right {
            wrong.push(words);
        }
    };
    let made = std::env::temp_dir().join(format!("windlass-tosker-{}", std::process::id()));
    std::fs::create_dir_all(&made).map_err(|error| format!("{}: {error}", made.display()))?;
    for plan in files_below(&examples)? {
        let name = plan.strip_prefix(&examples).unwrap_or(&plan).display().to_string();
        let Some(stem) = UP.iter().chain([&DOWN]).find_map(|end| name.strip_suffix(end)) else {
            continue;
        };
        let Some(application) = application(&examples, stem) else { continue };
        let whole = whole(&examples, stem, &plan, &made)?;
        let found = verdict(windlass, folder, &whole, &application)?;
        note(found == "valid", format!("{name}: {found}"));
        if name.ends_with(UP[0]) {
            let found = up_and_down(windlass, folder, &application, &made)?;
            note(found == "valid", format!("{stem}: up and down as planned: {found}"));
        }
    }
    let refused = ["check", "--lang", "tosker", "examples/wrong_components.yaml"];
    let ended = process::run(windlass, folder, &refused)?;
    note(ended.code == Some(1), "wrong_components.yaml is not refused".to_owned());
    let found = sock_shop(windlass, folder, &examples)?;
    let expected = (SOCK_SHOP.1, SOCK_SHOP.2);
    note(found == expected, format!("Sock Shop has {found:?}, expected {expected:?}"));
    let _ = std::fs::remove_dir_all(&made);
    let right = total - wrong.len();
    let (set, all_must_be_right) = ("tosker".to_owned(), false);
    Ok(Some(Score { set, right, total, all_must_be_right, wrong }))
}

/// The application of a plan: a file or an archive beside it, or in a folder of its name.
fn application(examples: &Path, stem: &str) -> Option<PathBuf> {
    let last = stem.rsplit('/').next().unwrap_or(stem);
    let places = [format!("{stem}.yaml"), format!("{stem}/{last}.yaml"), format!("{stem}.csar")];
    places.iter().map(|place| examples.join(place)).find(|path| path.is_file())
}

/// A plan that takes down is made one with the plan that brings up: it is run after it.
fn whole(examples: &Path, stem: &str, plan: &Path, made: &Path) -> Result<PathBuf, String> {
    if !plan.display().to_string().ends_with(DOWN) {
        return Ok(plan.to_owned());
    }
    let read = |path: &Path| {
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let up = examples.join(format!("{stem}{}", UP[0]));
    let text = format!("{}\n{}", read(&up)?, read(plan)?);
    let path = made.join(format!("{}.plan", stem.replace('/', "-")));
    std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

fn verdict(
    windlass: &Path,
    folder: &Path,
    plan: &Path,
    application: &Path,
) -> Result<String, String> {
    let (plan, application) = (plan.display().to_string(), application.display().to_string());
    let arguments = ["verify", &plan, "--app", &application, "--format", "json"];
    let ended = process::run(windlass, folder, &arguments)?;
    if let Some(crash) = ended.crash {
        return Ok(crash);
    }
    let answer: Value = serde_json::from_str(&ended.output).unwrap_or_default();
    Ok(answer["verdict"].as_str().unwrap_or("no verdict").to_owned())
}

/// The verdict about our own plans for an application: the one that takes it down, after the one
/// that brings it up.
fn up_and_down(
    windlass: &Path,
    folder: &Path,
    application: &Path,
    made: &Path,
) -> Result<String, String> {
    let path = |name: &str| made.join(name).display().to_string();
    let (up, down, application) = (path("up.json"), path("down.json"), application.display());
    let application = application.to_string();
    let plan = ["plan", &application, "--format", "json", "-o"];
    for more in [&[&*up][..], &[&down, "--down"]] {
        let ended = process::run(windlass, folder, &[&plan[..], more].concat())?;
        if ended.code != Some(0) {
            return Ok(format!("no plan: {}", ended.crash.unwrap_or(ended.output).trim()));
        }
    }
    let arguments = ["verify", &down, "--app", &application, "--after", &up, "--format", "json"];
    let ended = process::run(windlass, folder, &arguments)?;
    let answer: Value = serde_json::from_str(&ended.output).unwrap_or_default();
    Ok(answer["verdict"].as_str().unwrap_or("no verdict").to_owned())
}

/// How many nodes the largest example has, and how many operations bring it up.
fn sock_shop(windlass: &Path, folder: &Path, examples: &Path) -> Result<(usize, usize), String> {
    let Some(application) = application(examples, SOCK_SHOP.0) else { return Ok((0, 0)) };
    let application = application.display().to_string();
    let ended = process::run(windlass, folder, &["convert", &application, "--to", "json"])?;
    let answer: Value = serde_json::from_str(&ended.output).unwrap_or_default();
    let nodes = answer["nodes"].as_object().map_or(0, serde_json::Map::len);
    let plan = examples.join(format!("{}{}", SOCK_SHOP.0, UP[0]));
    let plan = std::fs::read_to_string(plan).unwrap_or_default();
    Ok((nodes, plan.lines().filter(|line| !line.trim().is_empty()).count()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_that_takes_down_follows_the_one_that_brings_up() {
        let folder =
            std::env::temp_dir().join(format!("windlass-tosker-test-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("a.up.plan"), "n:S.create\n").unwrap();
        let down = folder.join("a.down.plan");
        std::fs::write(&down, "n:S.delete\n").unwrap();
        let made = whole(&folder, "a", &down, &folder).unwrap();
        assert_eq!(std::fs::read_to_string(made).unwrap(), "n:S.create\n\nn:S.delete\n");
        let up = folder.join("a.up.plan");
        assert_eq!(whole(&folder, "a", &up, &folder).unwrap(), up);
        std::fs::remove_dir_all(folder).unwrap();
    }
}

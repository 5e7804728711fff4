//! `cargo xtask papers`: which part of which paper stands where in the code.
//!
//! `papers/NNN.toml` lists every definition, rule and theorem; doc comments carry anchors
//! `Paper: 004 Def. 3.9 (op-start)` and lines `Deviation: ...`; `docs/papers/NNN.md` is made from
//! both. An anchor that no list knows, an entry called done without an anchor, and a gap with an
//! anchor are errors, so that neither the code nor the lists can claim too much.

mod anchors;
mod map;
mod page;

use crate::Outcome;
use crate::repository::{Finding, Repository};
use anchors::{Addition, Anchor};
use map::{Map, Status};

/// The papers, as their lists are named.
const PAPERS: &[&str] = &["000", "001", "002", "003", "004"];

/// What to do with the differences found.
#[derive(Debug, Default, clap::Args)]
pub struct Options {
    /// Fail when a generated page is out of date, and write nothing.
    #[arg(long)]
    check: bool,
    /// Set the statuses in `papers/*.toml` from the anchors found.
    #[arg(long, conflicts_with = "check")]
    accept: bool,
}

/// Compares, accepts, writes or checks.
pub fn run(repository: &Repository, options: &Options) -> Outcome {
    let mut maps = read_maps(repository)?;
    let (anchors, additions) = read_anchors(repository)?;
    if options.accept {
        for map in &mut maps {
            let paper = map.paper.clone();
            map.accept(|key| has_anchor(&anchors, &paper, key));
            repository.write(&map_path(&map.paper), &map.print())?;
        }
    }
    let mut findings = differences(&maps, &anchors);
    let mut pages: Vec<(String, String)> = maps
        .iter()
        .map(|map| (format!("docs/papers/{}.md", map.paper), page::print(map, &anchors)))
        .collect();
    pages.push(("docs/papers/additions.md".to_owned(), page::print_additions(&additions)));
    for (path, text) in pages {
        if !options.check {
            repository.write(&path, &text)?;
        } else if repository.read(&path).ok().as_ref() != Some(&text) {
            findings.push(Finding::new(&path, 1, "out of date: run `cargo xtask papers`"));
        }
    }
    findings.sort();
    for finding in &findings {
        println!("{finding}");
    }
    for map in &maps {
        println!("paper {}: {} of {} done", map.paper, map.done(), map.entries.len());
    }
    Ok(findings.is_empty())
}

fn map_path(paper: &str) -> String {
    format!("papers/{paper}.toml")
}

fn read_maps(repository: &Repository) -> Result<Vec<Map>, String> {
    PAPERS
        .iter()
        .map(|paper| {
            let path = map_path(paper);
            Map::read(&repository.read(&path)?).map_err(|error| format!("{path}: {error}"))
        })
        .collect()
}

fn read_anchors(repository: &Repository) -> Result<(Vec<Anchor>, Vec<Addition>), String> {
    let mut all = Vec::new();
    let mut additions = Vec::new();
    let code = repository.files("crates")?.into_iter().filter(|file| file.has_extension("rs"));
    let examples = repository.files("examples")?;
    for file in code.chain(examples.into_iter().filter(|file| file.has_extension("yaml"))) {
        let (found, added) = anchors::read(&file);
        all.extend(found);
        additions.extend(added);
    }
    Ok((all, additions))
}

fn has_anchor(anchors: &[Anchor], paper: &str, key: &str) -> bool {
    anchors.iter().any(|anchor| anchor.paper == paper && anchor.key == key)
}

/// Anchors no list knows; entries whose status is not what the code says.
fn differences(maps: &[Map], anchors: &[Anchor]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for anchor in anchors {
        let map = maps.iter().find(|map| map.paper == anchor.paper);
        let known = map.is_some_and(|map| map.entries.iter().any(|entry| entry.key == anchor.key));
        if !known {
            let near = map.and_then(|map| map.nearest(&anchor.key));
            let hint = near.map(|key| format!("; did you mean `{key}`?")).unwrap_or_default();
            let message = format!("unknown anchor `{} {}`{hint}", anchor.paper, anchor.key);
            findings.push(Finding::new(&anchor.path, anchor.line, message));
        }
    }
    for map in maps {
        for (at, entry) in map.entries.iter().enumerate() {
            let anchored = has_anchor(anchors, &map.paper, &entry.key);
            let message = match (entry.status, anchored) {
                (Status::Done, false) => "is called done, but no code carries its anchor",
                (Status::Gap, true) => "is called a gap, but code carries its anchor",
                (Status::Gap, false) if entry.reason.is_empty() => "is a gap without a reason",
                _ => continue,
            };
            let message = format!("`{}` {message}", entry.key);
            findings.push(Finding::new(&map_path(&map.paper), at + map::FIRST_ENTRY_LINE, message));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::File;

    const LIST: &str = "paper = \"004\"\ntitle = \"t\"\nentries = [\n\
        { key = \"Def. 1\", title = \"a\", at = \"1\", status = \"done\" },\n\
        { key = \"Def. 2\", title = \"b\", at = \"1\", status = \"gap\", reason = \"later\" },\n]\n";

    fn messages(code: &str) -> Vec<String> {
        let file = File { path: "a.rs".to_owned(), text: code.to_owned() };
        let (anchors, _) = anchors::read(&file);
        let maps = [Map::read(LIST).unwrap()];
        differences(&maps, &anchors).into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn code_and_list_that_agree_have_no_differences() {
        assert!(messages("/// Paper: 004 Def. 1\nfn a() {}\n").is_empty());
    }

    #[test]
    fn every_difference_is_found() {
        assert_eq!(messages(""), ["`Def. 1` is called done, but no code carries its anchor"]);
        let both = "/// Paper: 004 Def. 1\n/// Paper: 004 Def. 2\nfn a() {}\n";
        assert_eq!(messages(both), ["`Def. 2` is called a gap, but code carries its anchor"]);
        let unknown = "/// Paper: 004 Def. 1\n/// Paper: 004 def 2\nfn a() {}\n";
        assert_eq!(messages(unknown), ["unknown anchor `004 def 2`; did you mean `Def. 2`?"]);
    }

    #[test]
    fn the_repository_agrees_with_its_lists() {
        let repository = Repository::find().unwrap();
        let (anchors, _) = read_anchors(&repository).unwrap();
        let findings = differences(&read_maps(&repository).unwrap(), &anchors);
        let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
        assert!(lines.is_empty(), "{}", lines.join("\n"));
    }
}

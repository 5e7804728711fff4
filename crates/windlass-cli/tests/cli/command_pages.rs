//! Runs the pages in `docs/commands/`: what they show is what the program prints.
//!
//! A fenced block whose info string has `file=NAME` becomes that file. In a block of `console`,
//! each line that starts with `$ windlass ` is run in the folder of those files, and the lines
//! below it are its standard output and standard error. `UPDATE=1` writes the pages again.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::fmt::Write as _;
use std::path::PathBuf;

use crate::support::Folder;

/// The page with the output of each command as it is now, and the number of commands.
fn rewritten(page: &str) -> (String, usize) {
    let folder = Folder::with(&[]);
    let mut out = String::new();
    let mut commands = 0;
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        writeln!(out, "{line}").unwrap();
        let Some(info) = line.strip_prefix("```") else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        if let Some(name) = info.split(',').find_map(|word| word.strip_prefix("file=")) {
            folder.write(name, block.join("\n") + "\n");
        }
        for line in block {
            if info != "console" {
                writeln!(out, "{line}").unwrap();
            } else if let Some(command) = line.strip_prefix("$ windlass ") {
                let run = folder.run(&command.split(' ').collect::<Vec<_>>());
                writeln!(out, "{line}\n{}{}", run.stdout, run.stderr).unwrap();
                commands += 1;
            }
        }
        // The last output ends with a line break of its own.
        while out.ends_with("\n\n") && info == "console" {
            out.pop();
        }
        writeln!(out, "```").unwrap();
    }
    (out, commands)
}

#[test]
fn what_the_pages_show_is_what_the_program_prints() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/commands"));
    let mut commands = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // Its commands start processes: `scaling.rs` follows that page.
        if path.ends_with("scale.md") {
            continue;
        }
        let page = std::fs::read_to_string(&path).unwrap();
        let (fresh, in_page) = rewritten(&page);
        commands += in_page;
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, fresh).unwrap();
        } else {
            assert!(page == fresh, "{} is outdated; run with UPDATE=1\n{fresh}", path.display());
        }
    }
    assert!(commands >= 5, "{commands} commands were run");
}

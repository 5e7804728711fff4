//! ARCHITECTURE.md and the code say the same: its tables have a row for every module of every
//! crate and for nothing else, what a row of the library may use is what `layering` lets it use,
//! and every crate says what is absent from it on purpose.

use std::collections::BTreeSet;

use super::Tree;
use super::layering::ARROWS;
use crate::lexer::{code, without_test_code};
use crate::repository::{File, Finding};

const PAGE: &str = "ARCHITECTURE.md";

/// A crate: the heading of its section, and the file that declares its modules.
struct Crate {
    heading: &'static str,
    root: &'static str,
    /// Whether its rows say what they may use.
    has_arrows: bool,
}

const CRATES: &[Crate] = &[
    Crate {
        heading: "## Code map of the library",
        root: "crates/windlass/src/lib.rs",
        has_arrows: true,
    },
    Crate {
        heading: "## Code map of the engine",
        root: "crates/windlass-run/src/lib.rs",
        has_arrows: false,
    },
    Crate {
        heading: "## Code map of the command line",
        root: "crates/windlass-cli/src/main.rs",
        has_arrows: false,
    },
];

/// How the line begins that says what a crate does not have.
const ABSENT: &str = "**Absent on purpose:**";

/// Names every difference.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let Some(page) = tree.file(PAGE) else {
        return vec![Finding::new(PAGE, 0, "the page is missing")];
    };
    let mut findings = Vec::new();
    for described in CRATES {
        let Some(root) = tree.file(described.root) else {
            findings.push(Finding::new(described.root, 0, "the root of a crate is missing"));
            continue;
        };
        findings.extend(differences(page, described, root, ARROWS));
    }
    findings
}

/// A row of a table.
struct Row<'a> {
    line: usize,
    modules: Vec<&'a str>,
    cells: Vec<&'a str>,
}

fn differences(
    page: &File,
    described: &Crate,
    root: &File,
    arrows: &[(&str, &[&str], &str)],
) -> Vec<Finding> {
    let Crate { heading, root: path, has_arrows } = *described;
    let Some((first, section)) = section(&page.text, heading) else {
        return vec![Finding::new(PAGE, 0, format!("no section begins with `{heading}`"))];
    };
    let mut findings = Vec::new();
    if !section.lines().any(|line| line.strip_prefix(ABSENT).is_some_and(|rest| rest.len() > 1)) {
        let message = format!("the section of `{path}` has no line `{ABSENT} ...`");
        findings.push(Finding::new(PAGE, first, message));
    }
    let rows = rows(section, first);
    let declared = declared_modules(root);
    for module in &declared {
        let count = rows.iter().filter(|row| row.modules.contains(&module.as_str())).count();
        if count != 1 {
            let message = format!("module `{module}` of `{path}` has {count} rows, not one");
            findings.push(Finding::new(PAGE, first, message));
        }
    }
    for row in &rows {
        for module in &row.modules {
            if !declared.contains(*module) {
                let message = format!("`{path}` declares no module `{module}`");
                findings.push(Finding::new(PAGE, row.line, message));
            } else if has_arrows {
                findings.extend(arrow_differences(row, module, arrows));
            }
        }
    }
    findings
}

/// Where a row and the layering rules differ about what a module may use.
fn arrow_differences(
    row: &Row<'_>,
    module: &str,
    arrows: &[(&str, &[&str], &str)],
) -> Vec<Finding> {
    let finding = |message: String| Finding::new(PAGE, row.line, message);
    let Some((_, allowed, _)) = arrows.iter().find(|(name, ..)| *name == module) else {
        return vec![finding(format!("the layering rules have no row for `{module}`"))];
    };
    let cell = row.cells.get(2).copied().unwrap_or_default();
    let (uses, never) = cell.split_once(';').unwrap_or((cell, ""));
    let uses: BTreeSet<&str> =
        uses.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
    let allowed: BTreeSet<&str> = allowed.iter().copied().collect();
    let surplus = uses.difference(&allowed).map(|name| {
        finding(format!("the page lets `{module}` use `{name}`, the layering rules do not"))
    });
    let missing = allowed.difference(&uses).map(|name| {
        finding(format!("the layering rules let `{module}` use `{name}`, the page does not"))
    });
    let never = never.trim().strip_prefix("never ").unwrap_or_default();
    let words = never.split(|c: char| !c.is_alphanumeric() && c != '_');
    let broken = words.filter(|word| allowed.contains(word)).map(|name| {
        finding(format!("the page says that `{module}` never uses `{name}`, the rules let it"))
    });
    surplus.chain(missing).chain(broken).collect()
}

/// The text of a section with the line of its heading, from 1.
fn section<'a>(text: &'a str, heading: &str) -> Option<(usize, &'a str)> {
    let start = text.find(heading)?;
    let line = text[..start].matches('\n').count() + 1;
    let body = &text[start..];
    let end = body.find("\n## ").unwrap_or(body.len());
    Some((line, &body[..end]))
}

/// The rows whose first cell names modules.
fn rows(section: &str, first: usize) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    for (at, line) in section.lines().enumerate() {
        let Some(inner) = line.strip_prefix("| `") else { continue };
        let cells: Vec<&str> = inner.split('|').map(str::trim).collect();
        let modules = cells[0].split(',').map(|name| name.trim().trim_matches('`')).collect();
        rows.push(Row { line: first + at, modules, cells });
    }
    rows
}

/// The modules that the root of a crate declares, those for tests left out.
fn declared_modules(root: &File) -> BTreeSet<String> {
    let tokens = without_test_code(&code(&root.text));
    let declarations = tokens.windows(3).filter(|window| window[0].is("mod") && window[2].is(";"));
    declarations.map(|window| window[1].text.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &[(&str, &[&str], &str)] =
        &[("low", &[], ""), ("middle", &["low"], ""), ("high", &["middle", "low"], "")];

    const GOOD: &str = "\
        # Page\n\
        ## Code map of the library, in order\n\
        | module | what it is | may use |\n\
        |---|---|---|\n\
        | `low` | first | |\n\
        | `middle` | second | low; never high |\n\
        | `high` | third | middle, low |\n\
        \n\
        **Absent on purpose:** files.\n\
        ## Other\n\
        | `other` | not looked at |\n";

    fn messages(page: &str) -> Vec<String> {
        let page = File { path: PAGE.to_owned(), text: page.to_owned() };
        let text = "pub mod low; mod middle; mod high; #[cfg(test)] mod small;".to_owned();
        let root = File { path: "lib.rs".to_owned(), text };
        let found = differences(&page, &CRATES[0], &root, TABLE);
        found.into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn a_page_that_agrees_has_no_findings() {
        assert_eq!(messages(GOOD), Vec::<String>::new());
    }

    #[test]
    fn every_difference_is_named() {
        for (from, to, expected) in [
            ("| `low` | first | |\n", "", "module `low` of"),
            ("`high`", "`higher`", "declares no module `higher`"),
            ("low; never high", "; never high", "the layering rules let `middle` use `low`"),
            ("middle, low", "middle, low, far", "the page lets `high` use `far`"),
            ("never high", "never low", "never uses `low`, the rules let it"),
            ("**Absent on purpose:** files.", "", "has no line"),
            ("## Code map of the library", "## Map", "no section begins with"),
        ] {
            let found = messages(&GOOD.replace(from, to));
            assert!(found.iter().any(|message| message.contains(expected)), "{to}: {found:?}");
        }
    }
}

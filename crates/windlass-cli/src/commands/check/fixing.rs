//! `--fix`: applies safe fixes and checks again, until no fix is left.

use std::path::PathBuf;

use windlass::source::{SourceId, Sources};

use super::{Outcome, Request, check};
use crate::failure::Failure;
use crate::{fix, replace};

/// Fixes that overlap need a round each; more rounds than this means that two fixes fight.
const MAX_ROUNDS: usize = 10;

/// What was done.
pub(super) struct Fixes {
    /// How many fixes were applied.
    pub(super) count: usize,
    /// The fixed text of standard input, if that was checked.
    pub(super) stdin: Option<Vec<u8>>,
}

/// Applies fixes round by round; `result` is the check after the last round.
pub(super) fn run(request: Request<'_>, result: &mut Outcome) -> Result<Fixes, Failure> {
    let mut count = 0;
    for _ in 0..MAX_ROUNDS {
        let report = &result.report;
        let fixes = report.findings.iter().filter_map(|finding| finding.diagnostic.fix.as_ref());
        let fixed = fix::apply(&report.sources, fixes, |id| is_editable(&report.sources, id));
        if fixed.is_empty() {
            break;
        }
        let mut stdin = result.stdin.take();
        for (id, fixed) in fixed {
            let source = report.sources.get(id);
            if source.name == "-" {
                stdin = Some(fixed.text.into_bytes());
            } else {
                replace_unchanged(&source.name, &source.text, &fixed.text)?;
            }
            count += fixed.fixes;
        }
        *result = check(request, stdin)?;
    }
    Ok(Fixes { count, stdin: result.stdin.clone() })
}

/// Standard input and files on disk; nothing inside of an archive.
fn is_editable(sources: &Sources, id: SourceId) -> bool {
    let name = &sources.get(id).name;
    name == "-" || std::fs::metadata(name).is_ok_and(|metadata| metadata.is_file())
}

/// Replaces a file that still has the text that was checked.
fn replace_unchanged(name: &str, old: &str, new: &str) -> Result<(), Failure> {
    let path = PathBuf::from(name);
    let now = std::fs::read(&path).map_err(|error| Failure::file("read", &path, &error))?;
    if now != old.as_bytes() {
        return Err(Failure::usage(format!("`{name}` changed while it was checked"))
            .help("run the command again"));
    }
    replace::write(&path, new).map_err(|error| Failure::file("write", &path, &error))
}

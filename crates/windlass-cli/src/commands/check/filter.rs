//! Which findings are reported: the one place where any are left out.
//!
//! Comments suppress some; `windlass.toml` selects and sets severities; what is the same is
//! reported once; a baseline leaves out what was there before. Suppression comes before selection,
//! so that a comment does not become useless by a setting.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use windlass::diagnostic::{self, Diagnostic};
use windlass::source::Sources;

use super::read::Collected;
use crate::args::CheckArgs;
use crate::config;
use crate::failure::Failure;
use crate::fingerprint::Fingerprints;
use crate::report::{Finding, Report};
use crate::{baseline, paths, suppress};

/// What is left to report.
pub(super) struct Filtered {
    pub(super) report: Report,
    /// How many findings of the baseline were not there.
    pub(super) stale: usize,
}

/// Leaves out what is not to be reported of what was found in the texts. They are taken.
pub(super) fn filter(args: &CheckArgs, found: &mut Collected<'_>) -> Result<Filtered, Failure> {
    let mut findings = std::mem::take(&mut found.findings);
    suppress::apply(&found.sources, &mut findings);
    select(found, &mut findings)?;
    diagnostic::sort(&mut findings);
    let sources = std::mem::take(&mut found.sources);
    let mut report = report(args, sources, findings, found.checked);
    let stale = match &args.baseline {
        Some(path) => leave_out(&mut report, &baseline::read(path)?),
        None => 0,
    };
    Ok(Filtered { report, stale })
}

/// Applies the settings of each file, and adds what is wrong with the settings.
fn select(found: &mut Collected<'_>, findings: &mut Vec<Diagnostic>) -> Result<(), Failure> {
    let options = &found.loader.options;
    let mut reported = BTreeSet::new();
    // Settings are looked up for every description, so that a mistake in them is always seen.
    for folder in found.folders() {
        if let Some(file) = options.settings(&folder)?
            && reported.insert(file.name.clone())
        {
            let source = found.sources.add(file.name.clone(), file.text.clone());
            findings.extend(file.findings(source));
        }
    }
    let mut by_source = BTreeMap::new();
    let mut kept = Vec::with_capacity(findings.len());
    for mut finding in findings.drain(..) {
        let source = finding.primary.source;
        if let Entry::Vacant(vacant) = by_source.entry(source) {
            let settings = options.settings(&found.folder(source))?;
            let path = paths::real(Path::new(&found.sources.get(source).name));
            vacant.insert((settings, path));
        }
        let (settings, path) = &by_source[&source];
        if config::apply(settings.as_deref(), path, &mut finding) {
            kept.push(finding);
        }
    }
    *findings = kept;
    Ok(())
}

/// Findings with places and fingerprints. A file that several descriptions import was read for
/// each of them; what is the same is reported once.
fn report(args: &CheckArgs, sources: Sources, findings: Vec<Diagnostic>, checked: usize) -> Report {
    let folder =
        args.baseline.as_ref().or(args.write_baseline.as_ref()).map(|b| paths::real_folder(b));
    let mut fingerprints = Fingerprints::new(&sources);
    let mut seen = BTreeSet::new();
    let mut placed = Vec::with_capacity(findings.len());
    for mut diagnostic in findings {
        shorten(&mut diagnostic);
        let name = &sources.get(diagnostic.primary.source).name;
        let place = (diagnostic.primary.start, diagnostic.primary.end);
        if !seen.insert((name.clone(), place, diagnostic.code, diagnostic.message.clone())) {
            continue;
        }
        let (start, end) = sources.positions(diagnostic.primary);
        let file = match &folder {
            Some(folder) => baseline::file_name(name, folder),
            None => name.clone(),
        };
        let fingerprint = fingerprints.next(&diagnostic, &file, start.line);
        placed.push(Finding { diagnostic, start, end, fingerprint });
    }
    Report { sources, findings: placed, checked }
}

/// A name may be as long as its file; a text of a finding is for people and for logs.
fn shorten(diagnostic: &mut Diagnostic) {
    const LIMIT: usize = 1000;
    let labels = diagnostic.labels.iter_mut().map(|label| &mut label.message);
    let fix = diagnostic.fix.iter_mut().map(|fix| &mut fix.message);
    let others = diagnostic.notes.iter_mut().chain(&mut diagnostic.help).chain(labels).chain(fix);
    for text in std::iter::once(&mut diagnostic.message).chain(others) {
        if let Some((at, _)) = text.char_indices().nth(LIMIT) {
            text.truncate(at);
            text.push_str("...");
        }
    }
}

/// Leaves out what the baseline lists, and says how much of it was not there.
fn leave_out(report: &mut Report, known: &BTreeSet<u64>) -> usize {
    let before: BTreeSet<u64> = report.findings.iter().map(|f| f.fingerprint).collect();
    report.findings.retain(|finding| !known.contains(&finding.fingerprint));
    known.difference(&before).count()
}

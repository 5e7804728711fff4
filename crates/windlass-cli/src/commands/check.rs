//! `windlass check PATH...`: every mistake in descriptions, each at its line.
//!
//! The steps, in order: [`inputs`] finds the files; [`read`] reads them, which gives the findings;
//! [`filter`] leaves some of them out; a renderer writes the rest.

mod filter;
mod fixing;
pub(crate) mod inputs;
mod limit;
mod parts;
mod read;
mod watch;

use std::path::PathBuf;

use windlass::diagnostic::Severity;
use windlass::lang::Language;

use self::filter::Filtered;
use self::inputs::Input;
use self::read::Collected;
use crate::args::{CheckArgs, CheckFormat};
use crate::failure::Failure;
use crate::load::Loader;
use crate::report::{Report, count};
use crate::{baseline, exit_code, input, output, render};

/// Checks once, or again and again with `--watch`.
pub(crate) fn run(args: &CheckArgs, loader: &Loader) -> Result<u8, Failure> {
    let language = args.lang.as_deref().map(input::language).transpose()?;
    let request = Request { args, loader, language };
    if args.watch { watch::run(request) } else { once(request).map(|checked| checked.exit_code) }
}

/// What is checked, and how it is read.
#[derive(Clone, Copy)]
struct Request<'a> {
    args: &'a CheckArgs,
    loader: &'a Loader,
    /// The language that was named.
    language: Option<Language>,
}

/// A check that was carried out and reported.
struct Checked {
    exit_code: u8,
    /// Every file that had a part in the result, or would have if it were there.
    files: Vec<PathBuf>,
}

/// Checks, fixes if wanted, and reports.
fn once(request: Request<'_>) -> Result<Checked, Failure> {
    let args = request.args;
    let mut result = check(request, None)?;
    let mut fixed_stdin = None;
    if args.fix {
        let fixes = fixing::run(request, &mut result)?;
        if fixes.count > 0 {
            output::notice(&format!("fixed {}", count(fixes.count, "finding")));
        }
        fixed_stdin = fixes.stdin;
    }
    for failure in &result.failures {
        failure.print();
    }
    if !result.skipped.is_empty() {
        output::notice(&skipped(&result.skipped));
    }
    if let Some(path) = &args.write_baseline {
        let written = baseline::write(path, &result.report)?;
        output::notice(&format!("wrote {} to {}", count(written, "finding"), path.display()));
        result.report.findings.clear();
    }
    if result.stale > 0 {
        let stale = count(result.stale, "finding");
        output::notice(&format!("{stale} of the baseline no longer there"));
    }
    limit::apply(&mut result.report);
    if args.format != CheckFormat::Text {
        // A program that reads the report must not take "could not look" for "all is well".
        result.report.add_failures(&result.failures);
    }
    // People who named one file that is missing have been told all there is.
    let is_nothing = result.report.checked == 0 && !result.failures.is_empty();
    let text = match args.format {
        CheckFormat::Text if is_nothing => String::new(),
        format => render::report(format, &result.report, args.watch)?,
    };
    match fixed_stdin {
        Some(fixed) => {
            output::stdout_bytes(&fixed)?;
            output::stderr(&text);
        }
        None => output::stdout(&text)?,
    }
    if args.format != CheckFormat::Text {
        output::notice(&result.report.summary());
    }
    Ok(Checked { exit_code: exit_code(args, &result), files: result.files })
}

fn exit_code(args: &CheckArgs, result: &Outcome) -> u8 {
    let errors = result.report.count(Severity::Error);
    let warnings = result.report.count(Severity::Warning);
    if !result.failures.is_empty() || result.is_unread {
        exit_code::USAGE
    } else if errors > 0 || (args.strict && warnings > 0) {
        exit_code::FINDINGS
    } else {
        exit_code::GOOD
    }
}

/// What came out of one check.
struct Outcome {
    report: Report,
    /// Files that could not be checked; the others were.
    failures: Vec<Failure>,
    /// Files found in folders in a language that is not read yet, with that language.
    skipped: Vec<(String, &'static str)>,
    /// Whether a file that was named is in such a language.
    is_unread: bool,
    /// Every file that had a part in the result, or would have if it were there.
    files: Vec<PathBuf>,
    /// What was read from standard input.
    stdin: Option<Vec<u8>>,
    /// How many findings of the baseline were not there.
    stale: usize,
}

/// Checks; `stdin` stands for standard input when that was read before.
fn check(request: Request<'_>, stdin: Option<Vec<u8>>) -> Result<Outcome, Failure> {
    let Request { args, loader, language } = request;
    let (inputs, mut failures) = inputs::collect(&args.paths);
    // A check before this one may have read what has changed since.
    let loader = Loader { options: loader.options.reread(stdin) };
    let mut found = Collected::new(&loader);
    for input in &inputs {
        if let Input::Found(path) | Input::Unpacked(path) = input
            && loader.options.excludes(path)?
        {
            continue;
        }
        if let Err(failure) = found.read(input, language) {
            failures.push(failure);
        }
    }
    found.settle_parts();
    if found.checked == 0 && failures.is_empty() {
        failures.push(inputs::nothing_found(&args.paths));
    }
    let Filtered { report, stale } = filter::filter(args, &mut found)?;
    let Collected { mut files, skipped, is_unread, .. } = found;
    files.extend(loader.options.settings_looked_at());
    files.extend(args.baseline.clone());
    let stdin = loader.options.stdin();
    Ok(Outcome { report, failures, skipped, is_unread, files, stdin, stale })
}

/// Which files were left out because their language is not read yet; the first few by name.
fn skipped(files: &[(String, &'static str)]) -> String {
    const SHOWN: usize = 5;
    let named = files.iter().take(SHOWN).map(|(file, language)| format!("{file} ({language})"));
    let mut names: Vec<String> = named.collect();
    if files.len() > SHOWN {
        names.push(format!("and {} more", files.len() - SHOWN));
    }
    let what = count(files.len(), "file");
    format!("skipped {what} in languages that are not read yet: {}", names.join(", "))
}

//! Baselines: findings that were there before and are to be left out.
//!
//! A baseline lists findings by fingerprint, so that edits elsewhere in a file do not bring one
//! back. Code, file and message stand beside it for people who read or merge the list.

use std::collections::BTreeSet;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::report::{Finding, Report};
use crate::{escape, paths, replace};

const SCHEMA: &str = "windlass/baseline/1";

/// The file that `--write-baseline` writes and `--baseline` reads.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "windlass/baseline/1")]
#[serde(deny_unknown_fields)]
pub(crate) struct Baseline {
    /// Always `windlass/baseline/1`.
    #[schemars(extend("const" = SCHEMA))]
    schema: String,
    /// The findings to leave out, in the order in which they were reported.
    findings: Vec<Known>,
}

/// One finding to leave out.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Known {
    /// Its code.
    code: String,
    /// The file it is in, relative to the folder of the baseline where possible.
    file: String,
    /// What it says.
    message: String,
    /// Sixteen hexadecimal digits, made of code, file, message, the text of the line, and of how
    /// many equal findings come before it.
    #[schemars(regex(pattern = "^[0-9a-f]{16}$"))]
    fingerprint: String,
}

/// Writes the findings of a report, and says how many they are.
pub(crate) fn write(path: &Path, report: &Report) -> Result<usize, Failure> {
    let folder = paths::real_folder(path);
    let known = |finding: &Finding| Known {
        code: finding.diagnostic.code.to_owned(),
        file: file_name(report.file(finding), &folder),
        message: finding.diagnostic.message.clone(),
        fingerprint: format!("{:016x}", finding.fingerprint),
    };
    let findings: Vec<Known> = report.findings.iter().map(known).collect();
    let count = findings.len();
    let text = escape::json(&Baseline { schema: SCHEMA.to_owned(), findings })?;
    replace::write(path, &text).map_err(|error| Failure::file("write", path, &error))?;
    Ok(count)
}

/// The fingerprints that a baseline lists.
pub(crate) fn read(path: &Path) -> Result<BTreeSet<u64>, Failure> {
    let text =
        std::fs::read_to_string(path).map_err(|error| Failure::file("read", path, &error))?;
    let refuse = |why: String| {
        Failure::usage(format!("`{}` is not a baseline: {why}", path.display()))
            .help("write it with `windlass check ... --write-baseline FILE`")
    };
    let baseline: Baseline =
        serde_json::from_str(&text).map_err(|error| refuse(error.to_string()))?;
    if baseline.schema != SCHEMA {
        return Err(refuse(format!("its schema is `{}`, not `{SCHEMA}`", baseline.schema)));
    }
    let number = |known: &Known| {
        u64::from_str_radix(&known.fingerprint, 16)
            .map_err(|_| refuse(format!("`{}` is not a fingerprint", known.fingerprint)))
    };
    baseline.findings.iter().map(number).collect()
}

/// The name of a file that fingerprints use: relative to the baseline, so that a baseline means
/// the same from whichever folder the program is started.
pub(crate) fn file_name(file: &str, folder: &Path) -> String {
    match paths::real(Path::new(file)).strip_prefix(folder) {
        Ok(relative) if file != "-" => relative.display().to_string(),
        _ => file.to_owned(),
    }
}

//! One file per output format. A renderer turns a [`Report`] into text; it decides nothing.

mod github;
mod json;
mod sarif;
mod text;

#[cfg(test)]
pub(crate) use json::CheckReport;
pub(crate) use json::Level;

use crate::args::CheckFormat;
use crate::failure::Failure;
use crate::report::Report;

/// The report in the wanted format. With `stream` a JSON report is one line, one of many.
pub(crate) fn report(
    format: CheckFormat,
    report: &Report,
    stream: bool,
) -> Result<String, Failure> {
    match format {
        CheckFormat::Text => Ok(text::report(report)),
        CheckFormat::Json => json::report(report, stream),
        CheckFormat::Sarif => sarif::report(report, stream),
        CheckFormat::Github => Ok(github::report(report)),
    }
}

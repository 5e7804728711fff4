//! What the model must satisfy, one file per question.

use super::model::Model;
use crate::diagnostic::Diagnostic;
use crate::source::Sources;
use crate::source::files::Files;

/// Runs every check. `is_open`: some import could not be read.
pub(super) fn all(
    _model: &mut Model,
    _sources: &Sources,
    _files: Option<&mut dyn Files>,
    _is_open: bool,
    _findings: &mut Vec<Diagnostic>,
) {
}

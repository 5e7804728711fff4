//! `--to barrel`: a new CSAR, or one that is there with changed protocols.

use std::path::Path;

use windlass::application::Application;
use windlass::lang::tosca::{csar, xml};
use windlass::lang::{Written, barrel};
use windlass::source::Sources;
use windlass::source::files::Limits;

use super::{Content, or_failure};
use crate::failure::Failure;
use crate::files::{self, FileCache};

/// Writes an application as a CSAR. Every file of `base` stays as it is but for the protocols that
/// differ from those of the application.
pub(super) fn write(
    application: &Application,
    base: Option<&Path>,
) -> Result<Written<Content>, Failure> {
    let written = match base {
        None => or_failure(barrel::print(application))?,
        Some(base) => rewrite(application, base)?,
    };
    let bytes = match base {
        None => files::csar::create(&written.document),
        Some(base) => files::csar::replace(base, &written.document),
    };
    let shown = base.unwrap_or(Path::new("the new archive"));
    let bytes = bytes.map_err(|error| Failure::file("write", shown, &error))?;
    Ok(Written { document: Content::Archive(bytes), left_out: written.left_out })
}

fn rewrite(
    application: &Application,
    base: &Path,
) -> Result<Written<Vec<barrel::ArchiveFile>>, Failure> {
    let shown = base.display();
    let unreadable = |error| Failure::usage(format!("cannot read `{shown}`: {error}"));
    let opened = files::open_archive(base, Limits::default(), &FileCache::default());
    let Some(mut files) = opened.map_err(unreadable)? else {
        return Err(Failure::usage(format!("`{shown}` is no archive")));
    };
    let Some(entry) = csar::entry(&mut *files).map_err(unreadable)? else {
        return Err(Failure::usage(format!("`{shown}` does not say with which file it begins")));
    };
    let mut sources = Sources::new();
    let root = sources.add(entry.file.name, entry.file.text);
    let mut findings = Vec::new();
    let library = xml::load(root, &entry.path, &mut sources, &mut *files, &mut findings);
    or_failure(barrel::rewrite(&library, &sources, application))
}

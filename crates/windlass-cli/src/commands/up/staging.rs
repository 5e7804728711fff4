//! What the operations of a service find on this machine: their files, of an archive too.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

use windlass::application::Application;
use windlass::lang::tosca;
use windlass::source::Sources;
use windlass::source::files::{Files, Limits};
use windlass_run::deployment::Deployment;

use crate::args::CheckFormat;
use crate::commands::engine;
use crate::failure::Failure;
use crate::files::{self, FileCache};
use crate::report::Report;
use crate::{exit_code, output, render};

/// Where the files of an archive are laid out, in the folder of the deployment.
const ARCHIVE: &str = "archive";

/// Refuses what no run could compute, and names the nodes that nothing brings up.
pub(super) fn allowed(service: Option<&tosca::Model>, sources: &Sources) -> Result<(), Failure> {
    let Some(service) = service else { return Ok(()) };
    let refusals = tosca::refusals(service);
    if !refusals.is_empty() {
        let report = Report::new(sources.clone(), refusals);
        output::stderr(&render::report(CheckFormat::Text, &report, false)?);
        let message = "this cannot be computed when it runs; nothing was done";
        return Err(Failure::usage(message).ending(exit_code::FINDINGS));
    }
    for tosca::LeftOut { node, directive, template } in tosca::left_out(service) {
        let what = match (&*directive, template) {
            ("substitute", Some(file)) => format!(
                "the service of {file} could stand for it and is not put in its place; bring it up \
                 by itself, before this one"
            ),
            ("substitute", None) => {
                "no template is put in its place, and no operation of one runs".to_owned()
            }
            _ => "it is taken to be there".to_owned(),
        };
        output::notice(&format!("nothing is done for `{node}` (`{directive}`): {what}"));
    }
    Ok(())
}

/// The folder that paths of commands start from, with all that they need: nothing begins that
/// cannot end. The files of an archive are laid out for them.
pub(super) fn directory(
    file: &Path,
    deployment: &Deployment,
    application: &Application,
    service: &tosca::Model,
) -> Result<PathBuf, Failure> {
    let directory = staged(file, deployment, application, service)?;
    all_there(application, &directory, |file| directory.join(file).exists())?;
    Ok(directory)
}

/// The same for who only looks: files of an archive are looked for in it, and nothing is written.
pub(super) fn inspected_directory(
    file: &Path,
    application: &Application,
    service: &tosca::Model,
) -> Result<PathBuf, Failure> {
    if !files::looks_like_archive(file) {
        let directory = engine::folder_of(file);
        all_there(application, &directory, |file| directory.join(file).exists())?;
        return Ok(directory);
    }
    let files = opened(file)?;
    let names: BTreeSet<PathBuf> = files.names().iter().map(PathBuf::from).collect();
    let folder = folder_in(file, service);
    let is_there = |wanted: &str| {
        let wanted = plain(&folder.join(wanted));
        // A folder of an archive is there by what is in it.
        names.contains(&wanted) || names.iter().any(|name| name.starts_with(&wanted))
    };
    all_there(application, &file.join(&folder), is_there)?;
    Ok(engine::folder_of(file))
}

/// The files of an archive.
fn opened(file: &Path) -> Result<Box<dyn Files>, Failure> {
    let opened = files::open_archive(file, Limits::default(), &FileCache::default());
    let opened = opened.map_err(|error| Failure::usage(error.to_string()))?;
    opened.ok_or_else(|| Failure::usage(format!("`{}` is no archive", file.display())))
}

/// The folder of the first file of a service, in the archive that has it.
fn folder_in(archive: &Path, service: &tosca::Model) -> PathBuf {
    let entry = service.files.first().and_then(|file| file.path.as_deref());
    let prefix = format!("{}/", archive.display());
    let entry = entry.and_then(|path| path.strip_prefix(&prefix)).unwrap_or_default();
    Path::new(entry).parent().map(Path::to_owned).unwrap_or_default()
}

/// A path without steps up.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

fn staged(
    file: &Path,
    deployment: &Deployment,
    application: &Application,
    service: &tosca::Model,
) -> Result<PathBuf, Failure> {
    let needs_files = commands(application).any(|command| !command.files.is_empty());
    if !files::looks_like_archive(file) || !needs_files {
        return Ok(engine::folder_of(file));
    }
    let unsupported = |error: &std::io::Error| Failure::file("write", deployment.folder(), error);
    let root = deployment.folder().join(ARCHIVE);
    match fs::remove_dir_all(&root) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(unsupported(&error));
        }
        _ => {}
    }
    let mut files = opened(file)?;
    for name in files.names() {
        let bytes = files.bytes(&name).map_err(|error| Failure::usage(error.to_string()))?;
        // Names of entries were looked at when the archive was opened: none leaves its root.
        let path = root.join(&name);
        let write = || {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(&path, &bytes)?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o700))
        };
        write().map_err(|error| unsupported(&error))?;
    }
    Ok(root.join(folder_in(file, service)))
}

fn commands(
    application: &Application,
) -> impl Iterator<Item = &windlass::lifecycle::implementation::Command> {
    let operations = application.types.iter().flat_map(|component| &component.operations);
    operations.filter_map(|operation| operation.run.as_ref())
}

/// Every file that a command needs is there.
fn all_there(
    application: &Application,
    directory: &Path,
    is_there: impl Fn(&str) -> bool,
) -> Result<(), Failure> {
    let mut missing: Vec<&str> = commands(application)
        .flat_map(|command| command.files.iter().map(String::as_str))
        .filter(|file| !is_there(file))
        .collect();
    missing.sort_unstable();
    missing.dedup();
    let Some(first) = missing.first() else { return Ok(()) };
    let message = match missing.len() {
        1 => format!("there is no file `{first}`, which an operation needs"),
        more => format!("there are {more} files missing that operations need, first `{first}`"),
    };
    let help = format!("they are looked for in `{}`", directory.display());
    Err(Failure::usage(message).help(help))
}

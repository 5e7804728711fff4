//! What is given beside a template of OpenStack Heat: environment files, a release, an inventory,
//! and the template before an update.

use std::path::{Path, PathBuf};

use windlass::lang::hot::{self, inventory::Inventory, update, versions};
use windlass::lang::{self, Language, Reading};
use windlass::source::files::{Files as _, Limits};
use windlass::source::{SourceId, Sources};

use crate::args::HotArgs;
use crate::failure::Failure;
use crate::files::DiskFiles;
use crate::read_options::{CommandOptions, TemplateArgs};
use crate::{input, paths};

impl HotArgs {
    /// Whether nothing is given.
    pub(crate) fn is_empty(&self) -> bool {
        self.template.env.is_empty() && self.release.is_none() && self.inventory.is_none()
    }
}

/// Reads a template with the environments that the command line names; none when it names none.
pub(crate) fn read_in_environment(
    language: Option<Language>,
    id: SourceId,
    path: &Path,
    sources: &mut Sources,
    options: &CommandOptions,
) -> Result<Option<Reading>, Failure> {
    let env = &options.environments;
    if env.is_empty() {
        return Ok(None);
    }
    let is_template = match language {
        Some(language) => language == Language::Hot,
        None => hot::is_template(&sources.get(id).text),
    };
    if !is_template {
        let name = path.display();
        return Err(Failure::usage(format!("`{name}` is no template of OpenStack Heat"))
            .help("--env names environments of templates"));
    }
    let args = HotArgs {
        template: TemplateArgs { env: env.clone(), ..TemplateArgs::default() },
        ..HotArgs::default()
    };
    Ok(Some(read(id, path, &args, None, sources)?.0))
}

/// Reads a template with what is given beside it, and gives the files that had a part in it.
pub(crate) fn read(
    id: SourceId,
    path: &Path,
    args: &HotArgs,
    against: Option<&Path>,
    sources: &mut Sources,
) -> Result<(Reading, Vec<PathBuf>), Failure> {
    let mut files = Vec::new();
    let mut reading = one(id, path, args, sources, &mut files)?;
    if let (Some(inventory), Some(stack)) = (&args.inventory, &reading.stack) {
        let inventory =
            Inventory::read(add(inventory, sources, &mut files)?, sources, &mut reading.findings);
        for stack in std::iter::once(&**stack).chain(&stack.nested) {
            inventory.check(stack, &mut reading.findings);
        }
    }
    if let Some(against) = against {
        let old = add(against, sources, &mut files)?;
        if !hot::is_template(&sources.get(old).text) {
            let name = against.display();
            return Err(Failure::usage(format!("`{name}` is no template of OpenStack Heat"))
                .help("--against names the template that the stack has now"));
        }
        let old = one(old, against, args, sources, &mut files)?;
        if let (Some(old), Some(new)) = (&old.stack, &reading.stack) {
            reading.findings.extend(update::compare(old, new));
        }
    }
    Ok((reading, files))
}

fn one(
    id: SourceId,
    path: &Path,
    args: &HotArgs,
    sources: &mut Sources,
    files: &mut Vec<PathBuf>,
) -> Result<Reading, Failure> {
    if let Some(name) = &args.release
        && versions::release_rank(name).is_none()
    {
        let known = versions::RELEASES.join(", ");
        return Err(
            Failure::usage(format!("unknown release `{name}`")).help(format!("known: {known}"))
        );
    }
    let mut settings = hot::Settings { release: args.release.clone(), ..hot::Settings::default() };
    let mut root = paths::real_folder(path);
    for path in &args.template.env {
        settings.environments.push((add(path, sources, files)?, Some(path.display().to_string())));
        // What an environment names may stand beside it.
        let folder = paths::real_folder(path);
        while !folder.starts_with(&root) && root.pop() {}
    }
    let mut disk = DiskFiles::new(&root, Limits::default())
        .map_err(|_| Failure::usage(format!("cannot read folder `{}`", root.display())))?;
    let reading = lang::read_hot(id, sources, &mut disk, &settings);
    files.extend(disk.record().names().iter().map(PathBuf::from));
    Ok(reading)
}

/// Adds a file that was named.
fn add(path: &Path, sources: &mut Sources, files: &mut Vec<PathBuf>) -> Result<SourceId, Failure> {
    files.push(path.to_owned());
    let name = path.display().to_string();
    let (id, wrong) = input::add(sources, name.clone(), input::bytes(path)?);
    match wrong {
        None => Ok(id),
        Some(finding) => Err(Failure::usage(format!("`{name}`: {}", finding.message))),
    }
}

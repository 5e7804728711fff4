//! What is given beside a template of OpenStack Heat: environment files, a release, an inventory,
//! and the template before an update.

use std::path::{Path, PathBuf};

use windlass::lang::hot::{self, inventory::Inventory, update, versions};
use windlass::lang::{self, Language, Origin, ReadOptions, Reading, Recognized};
use windlass::source::files::{Files as _, Limits};
use windlass::source::{SourceId, Sources};

use crate::args::HotArgs;
use crate::failure::Failure;
use crate::files::DiskFiles;
use crate::read_options::CommandOptions;
use crate::{input, paths};

impl HotArgs {
    /// Whether nothing is given.
    pub(crate) fn is_empty(&self) -> bool {
        self.template.env.is_empty() && self.release.is_none() && self.inventory.is_none()
    }
}

/// What is said beside templates, by the arguments of one command.
#[derive(Debug, Clone, Default)]
pub(crate) struct TemplateContext {
    /// Environment files, a release, an inventory.
    pub(crate) args: HotArgs,
    /// The template before an update.
    pub(crate) against: Option<PathBuf>,
    /// Whether other descriptions are tolerated: `check` looks at many files.
    pub(crate) tolerates_others: bool,
}

impl TemplateContext {
    /// Whether a text is read with it. Refuses what is no template where one is needed.
    pub(crate) fn applies_to(
        &self,
        text: &Recognized,
        path: &Path,
        is_found: bool,
    ) -> Result<bool, Failure> {
        let is_template = text.language == Some(Language::HOT);
        let no_template = |help: &str| {
            let name = path.display();
            Err(Failure::usage(format!("`{name}` is no template of OpenStack Heat")).help(help))
        };
        // A file that was found in a folder may be anything; one that was named may not.
        if self.against.is_some() && !is_found && !is_template {
            return no_template("--against compares two templates");
        }
        if !self.args.is_empty() && !self.tolerates_others && !is_template {
            return no_template("--env names environments of templates");
        }
        let is_given = !self.args.is_empty() || self.against.is_some();
        Ok(is_given && is_template && (path.as_os_str() != "-" || !self.tolerates_others))
    }
}

/// Reads a template with what is given beside it, and gives the files that had a part in it.
pub(crate) fn read(
    text: Recognized,
    path: &Path,
    sources: &mut Sources,
    options: &CommandOptions,
) -> Result<(Reading, Vec<PathBuf>), Failure> {
    let TemplateContext { args, against, .. } = &options.template;
    let mut texts = Texts { sources, options, files: Vec::new() };
    let mut reading = texts.template(text, path, args)?;
    if let (Some(inventory), Some(stack)) = (&args.inventory, &reading.stack) {
        let source = texts.add(inventory)?;
        let inventory = Inventory::read(source, texts.sources, &mut reading.findings);
        for stack in std::iter::once(&**stack).chain(&stack.nested) {
            inventory.check(stack, &mut reading.findings);
        }
    }
    if let Some(against) = against {
        let old = texts.add(against)?;
        let alone = ReadOptions::default();
        let old = lang::recognize(None, old, Origin::Named, texts.sources, &alone);
        if old.language != Some(Language::HOT) {
            let name = against.display();
            return Err(Failure::usage(format!("`{name}` is no template of OpenStack Heat"))
                .help("--against names the template that the stack has now"));
        }
        let old = texts.template(old, against, args)?;
        if let (Some(old), Some(new)) = (&old.stack, &reading.stack) {
            reading.findings.extend(update::compare(old, new));
        }
    }
    Ok((reading, texts.files))
}

/// The texts that have a part in a template.
struct Texts<'a> {
    sources: &'a mut Sources,
    options: &'a CommandOptions,
    files: Vec<PathBuf>,
}

impl Texts<'_> {
    fn template(
        &mut self,
        text: Recognized,
        path: &Path,
        args: &HotArgs,
    ) -> Result<Reading, Failure> {
        if let Some(name) = &args.release
            && versions::release_rank(name).is_none()
        {
            let known = versions::RELEASES.join(", ");
            return Err(
                Failure::usage(format!("unknown release `{name}`")).help(format!("known: {known}"))
            );
        }
        let mut hot = hot::Settings { release: args.release.clone(), ..hot::Settings::default() };
        let mut root = paths::real_folder(path);
        for path in &args.template.env {
            hot.environments.push((self.add(path)?, Some(path.display().to_string())));
            // What an environment names may stand beside it.
            let folder = paths::real_folder(path);
            while !folder.starts_with(&root) && root.pop() {}
        }
        let mut disk = DiskFiles::new(&root, Limits::default(), &self.options.files)
            .map_err(|_| Failure::usage(format!("cannot read folder `{}`", root.display())))?;
        let options = ReadOptions { hot, ..ReadOptions::default() };
        let reading = lang::read_recognized(text, "", self.sources, &mut disk, &options);
        self.files.extend(disk.record().names().iter().map(PathBuf::from));
        Ok(reading)
    }

    /// Adds a file that was named.
    fn add(&mut self, path: &Path) -> Result<SourceId, Failure> {
        self.files.push(path.to_owned());
        let name = path.display().to_string();
        let (id, wrong) = input::add(self.sources, name.clone(), self.options.bytes(path)?);
        match wrong {
            None => Ok(id),
            Some(finding) => Err(Failure::usage(format!("`{name}`: {}", finding.message))),
        }
    }
}

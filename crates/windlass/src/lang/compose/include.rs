//! `include`: other Compose files whose resources are taken in, each with its own folder and
//! variables.

use super::item::{Data, Entry, Item, Map, same};
use super::load::{Loader, Part, Scope};
use super::{BAD_INCLUDE, NO_ENV_FILE};
use crate::diagnostic::Diagnostic;
use crate::lang::language::Text;
use crate::source::Span;
use crate::source::files::{FileError, ReadFile};

/// Includes in includes that are allowed.
const MAX_DEPTH: usize = 64;

/// What to do about a file that may not be read.
const STAND_ABOVE: &str = "run this in a folder above both files, and name the Compose file from \
                           there: everything below the current folder may be read";

/// What may be taken in.
const SECTIONS: &[&str] = &["services", "volumes", "networks", "secrets", "configs", "models"];

impl Loader<'_> {
    /// Takes in what a document includes.
    pub(super) fn include(&mut self, document: &mut Item, scope: &Scope) {
        let Some(includes) = document.map_mut().and_then(|map| map.remove("include")) else {
            return;
        };
        for include in includes.item.items() {
            match self.included(include, scope) {
                Some(model) => self.take_in(document, model, include.span),
                None => self.is_incomplete = true,
            }
        }
        if !matches!(includes.item.data, Data::List(_) | Data::Null) {
            let message =
                format!("`include` must be a list; this is {}", includes.item.kind_name());
            let help = "write each file after a dash: `- other.yaml`";
            self.findings.push(includes.item.error(super::SHAPE, message).help(help));
            self.is_incomplete = true;
        }
    }

    /// The model of one entry of `include`.
    fn included(&mut self, include: &Item, scope: &Scope) -> Option<Item> {
        let texts = |item: &Item| match item.as_str() {
            Some(text) => vec![(text.to_owned(), item.span)],
            None => item.items().iter().map(|i| (i.plain(), i.span)).collect::<Vec<_>>(),
        };
        let paths = match include.get("path") {
            Some(path) => texts(path),
            None => texts(include),
        };
        if matches!(include.data, Data::Bool(_) | Data::Int(_) | Data::Float(_)) {
            let message = format!("an entry of `include` is no path: `{}`", include.plain());
            let help = "write the path of a Compose file, in quotes if it looks like a number";
            self.findings.push(include.error(super::SHAPE, message).help(help));
            return None;
        }
        let base = self.base(include.span.source);
        let mut inner = scope.clone();
        let mut parts: Vec<Part> = Vec::new();
        let mut folder = None;
        for (path, at) in paths {
            let file = self.file(&base, &path, at)?;
            if parts.is_empty() {
                self.enter(&mut inner, &file, at)?;
                folder = Some(match include.get("project_directory") {
                    Some(directory) => below(&base, &directory.plain()),
                    None => file.name.clone(),
                });
            }
            let id = self.sources.add_included(file.name, file.text, Some(at));
            parts.push(self.part(Text::new(id), folder.clone().unwrap_or_default()));
        }
        let folder = folder?;
        self.add_variables(include, &base, &folder, &mut inner)?;
        self.model(parts, &inner)
    }

    /// Remembers that a file is being included; refuses one that is already.
    fn enter(&mut self, scope: &mut Scope, file: &ReadFile, at: Span) -> Option<()> {
        let cycle = scope.including.iter().position(|(identity, _)| *identity == file.identity);
        if cycle.is_some() || scope.including.len() > MAX_DEPTH {
            let message = if let Some(first) = cycle {
                let round = scope.including[first..].iter().chain(&scope.including[first..=first]);
                let names: Vec<_> = round.map(|(_, name)| format!("`{name}`")).collect();
                format!("files include each other: {}", names.join(" -> "))
            } else {
                format!("`{}` is included through more than {MAX_DEPTH} files", file.name)
            };
            let help = "take one `include` out; what both files need goes into a third one";
            self.findings.push(Diagnostic::error(BAD_INCLUDE, at, message).help(help));
            return None;
        }
        scope.including.push((file.identity.clone(), file.name.clone()));
        Some(())
    }

    /// The variables for the files of an entry: those of its `env_file`, or of `.env` beside it.
    fn add_variables(
        &mut self,
        include: &Item,
        base: &str,
        folder: &str,
        scope: &mut Scope,
    ) -> Option<()> {
        let mut texts: Vec<(ReadFile, Span)> = Vec::new();
        match include.get("env_file") {
            None => {
                if let Some(Ok(file)) = self.read(folder, ".env") {
                    texts.push((file, include.span));
                }
            }
            Some(files) => {
                let listed =
                    if files.is_scalar() { std::slice::from_ref(files) } else { files.items() };
                for path in listed {
                    match self.read(base, &path.plain())? {
                        Ok(file) => texts.push((file, path.span)),
                        Err(error) => {
                            let mut finding =
                                Diagnostic::error(NO_ENV_FILE, path.span, error.to_string());
                            finding.help = Some(error.help().to_owned());
                            self.findings.push(finding);
                            return None;
                        }
                    }
                }
            }
        }
        for (file, at) in texts {
            let outer = scope.environment.clone();
            for (name, value) in self.variables(&file.name, &file.text, &outer, at) {
                scope.environment.entry(name).or_insert(value);
            }
        }
        Some(())
    }

    /// Reads a file that a text names, or says why not.
    pub(super) fn file(&mut self, base: &str, path: &str, at: Span) -> Option<ReadFile> {
        match self.read(base, path) {
            Some(Ok(file)) => Some(file),
            Some(Err(error)) => {
                let finding = error.diagnostic(at);
                self.findings.push(match error {
                    FileError::OutsideRoot { .. } => finding.help(STAND_ABOVE),
                    _ => finding,
                });
                None
            }
            None => {
                let message = format!("`{path}` cannot be read: this text stands alone");
                let help = "check the file where it is, with the files beside it";
                self.findings.push(Diagnostic::error(BAD_INCLUDE, at, message).help(help));
                None
            }
        }
    }

    /// Puts the resources of an included model into a document.
    fn take_in(&mut self, document: &mut Item, model: Item, at: Span) {
        let Some(target) = document.map_mut() else { return };
        for section in SECTIONS {
            let entries: Map = match model.get(section).and_then(Item::map) {
                Some(map) => map.clone(),
                None => continue,
            };
            let into = target
                .entry((*section).to_owned())
                .or_insert_with(|| Entry { key: at, item: Item::empty_map(at) });
            if into.item.data == Data::Null {
                into.item = Item::empty_map(at);
            }
            let Some(map) = into.item.map_mut() else { continue };
            for (name, entry) in entries {
                match map.get(&name) {
                    Some(own) if !same(&own.item, &entry.item) => {
                        let message = format!(
                            "`{section}.{name}` is declared here and, differently, in an include"
                        );
                        let finding = Diagnostic::error(BAD_INCLUDE, own.key, message)
                            .label(entry.key, "the included one")
                            .help("give one of them another name, or change it with an override");
                        self.findings.push(finding);
                    }
                    Some(_) => {}
                    None => {
                        map.insert(name, entry);
                    }
                }
            }
        }
    }
}

/// A name of a file in a folder that is named relative to another file.
fn below(base: &str, folder: &str) -> String {
    if folder.starts_with('/') {
        return format!("{folder}/_");
    }
    match base.rsplit_once('/') {
        Some((parent, _)) => format!("{parent}/{folder}/_"),
        None => format!("{folder}/_"),
    }
}

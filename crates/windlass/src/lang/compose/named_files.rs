//! Files that services name: variables, labels, and what is mounted.

use super::NO_ENV_FILE;
use super::interpolate::Environment;
use super::item::Item;
use super::load::Loader;
use super::project::{MountKind, Project};
use crate::diagnostic::Diagnostic;
use crate::source::files::FileError;

impl Loader<'_> {
    /// Looks for the files that services name. Missing `env_file`s are errors unless they say that
    /// they may be missing; for bind mounts it is remembered whether their source exists.
    pub(super) fn look_for_files(&mut self, project: &mut Project, environment: &Environment) {
        if self.files.is_none() {
            return;
        }
        self.look_for_contents(project);
        for service in project.services.values_mut() {
            for key in ["env_file", "label_file"] {
                let Some(item) = service.item.get(key) else { continue };
                let listed = if item.is_scalar() || item.map().is_some() {
                    std::slice::from_ref(item)
                } else {
                    item.items()
                };
                for file in listed {
                    self.look_for_variables(file, environment);
                }
            }
            for mount in &mut service.mounts {
                if mount.kind == MountKind::Bind
                    && let Some(source) = mount.source.clone().filter(|s| !s.starts_with('~'))
                {
                    mount.exists = self.exists(&source, mount.span);
                }
            }
        }
    }

    /// Looks for the files of secrets and configs.
    fn look_for_contents(&mut self, project: &mut Project) {
        for resource in project.secrets.values_mut().chain(project.configs.values_mut()) {
            let Some(file) = resource.item.get("file").filter(|_| !resource.external) else {
                continue;
            };
            let path = file.plain();
            if !path.starts_with('~') && !path.is_empty() {
                resource.exists = self.exists(&path, file.span);
            }
        }
    }

    fn look_for_variables(&mut self, file: &Item, environment: &Environment) {
        let path = file.get("path").unwrap_or(file);
        let text = path.plain();
        let required = file.get("required").and_then(Item::as_bool).unwrap_or(true);
        let base = self.base(path.span.source);
        match self.read(&base, &text) {
            Some(Ok(read))
                // Docker's own format takes every line as it is.
                if file.get("format").map(Item::plain).as_deref() != Some("raw") => {
                    self.variables(&read.name, &read.text, environment, path.span);
                }
            Some(Err(error)) if required => {
                let finding = match &error {
                    FileError::OutsideRoot { .. } => {
                        let message = format!("`{text}` is not looked at: {error}");
                        Diagnostic::warning(NO_ENV_FILE, path.span, message)
                            .help("`up` reads it: see that it is there")
                    }
                    _ => path.error(NO_ENV_FILE, error.to_string()).help(match &error {
                        FileError::Missing { .. } => {
                            "make the file, or say `required: false` beside its `path`"
                        }
                        other => other.help(),
                    }),
                };
                self.findings.push(finding);
            }
            _ => {}
        }
    }

    /// Whether something exists at a path of the host; none when it is not known.
    fn exists(&mut self, path: &str, at: crate::source::Span) -> Option<bool> {
        let base = self.base(at.source);
        match self.files.as_mut()?.exists(Some(&base), path) {
            Ok(()) | Err(FileError::Unreadable { .. }) => Some(true),
            Err(FileError::Missing { .. }) => Some(false),
            Err(_) => None,
        }
    }
}

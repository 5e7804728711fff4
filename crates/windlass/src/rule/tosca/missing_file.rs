//! The files that carry operations out, and those of other artifacts, are there.

use super::Checker;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::tosca::codes;
use crate::lang::tosca::model::{Artifact, Fields, FileId, Implementation, Interface, TypeId};
use crate::lang::tosca::value::Name;
use crate::source::files::{FileError, Files};
use crate::spelling;

impl Checker<'_> {
    pub(super) fn artifacts(&mut self, files: &mut dyn Files) {
        let model = self.model;
        for (id, of) in model.types.iter() {
            if model.is_normative(id) {
                continue;
            }
            // Who implements nothing need not know what there is.
            let is_bare = of.interfaces.is_empty() && of.requirements.is_empty();
            let known = if is_bare { Vec::new() } else { self.artifact_names(id) };
            for (_, artifact) in of.artifacts.iter() {
                self.artifact_itself(artifact, of.file);
                self.file(artifact, of.file, files, None);
            }
            self.implementations(&of.interfaces, of.file, files, &known);
            for (_, requirement) in of.requirements.iter() {
                self.implementations(&requirement.interfaces, of.file, files, &known);
            }
        }
        let Some(service) = &model.service else { return };
        for (_, node) in service.nodes.iter() {
            let mut known: Vec<String> = node.artifacts.names().map(str::to_owned).collect();
            known.extend(node.of.id.into_iter().flat_map(|id| self.artifact_names(id)));
            for (_, artifact) in node.artifacts.iter() {
                self.artifact_itself(artifact, service.file);
                self.file(artifact, service.file, files, None);
            }
            self.implementations(&node.interfaces, service.file, files, &known);
            for (_, requirement) in node.requirements.iter() {
                if let Some(inline) = &requirement.inline {
                    self.implementations(&inline.interfaces, service.file, files, &known);
                }
            }
        }
        for (_, template) in service.relationships.iter() {
            self.implementations(&template.interfaces, service.file, files, &[]);
        }
        for (_, group) in service.groups.iter() {
            self.implementations(&group.interfaces, service.file, files, &[]);
        }
        for (_, workflow) in service.workflows.iter() {
            self.implementation(workflow.implementation.as_ref(), service.file, files, &[]);
        }
    }

    fn artifact_names(&self, id: TypeId) -> Vec<String> {
        let chain = self.model.types.chain(id);
        chain.flat_map(|(_, of)| of.artifacts.names()).map(str::to_owned).collect()
    }

    fn implementations(
        &mut self,
        interfaces: &Fields<Interface>,
        file: FileId,
        files: &mut dyn Files,
        known: &[String],
    ) {
        for (_, interface) in interfaces.iter() {
            let own = interface.operations.iter().chain(interface.notifications.iter());
            for (_, operation) in own {
                self.implementation(operation.implementation.as_ref(), file, files, known);
            }
        }
    }

    fn implementation(
        &mut self,
        implementation: Option<&Implementation>,
        file: FileId,
        files: &mut dyn Files,
        known: &[String],
    ) {
        let all =
            implementation.into_iter().flat_map(|it| it.primary.iter().chain(&it.dependencies));
        for artifact in all {
            self.file(artifact, file, files, Some(known));
        }
    }

    /// The repository of an artifact is declared, and its properties are those of its type.
    fn artifact_itself(&mut self, artifact: &Artifact, file: FileId) {
        let model = self.model;
        let known = &model.files[file.0 as usize].repositories;
        if let Some(repository) = &artifact.repository
            && !known.contains_key(&repository.text)
            && !repository.text.contains("://")
            && !self.is_open
        {
            let message = format!("there is no repository `{}`", repository.text);
            let near = spelling::nearest(&repository.text, known.keys().map(String::as_str));
            let help = near.map(|near| format!("did you mean `{near}`?"));
            self.advise(codes::UNKNOWN_NAME, repository.span, message, help);
            // Before 2.0 many files name the well-known registry.
            self.tolerate(true);
        }
        let is_long =
            matches!(self.sources.slice(artifact.span).trim_start().chars().next(), Some('{'))
                || artifact.file.as_ref().is_some_and(|file| file.span != artifact.span);
        if artifact.of.is_none() && is_long && !self.version().is_2() {
            let message = "this artifact has no `type`";
            let finding = Diagnostic::warning(codes::MISSING_KEY, artifact.span, message);
            self.findings.push(finding.help("only the short form takes it from the file"));
        }
        if let Some(id) = artifact.of.as_ref().and_then(|of| of.id) {
            self.assigned(id, &artifact.properties, |of| &of.properties, "property");
        }
    }

    /// The file of an artifact is there, when it is one that should be. In an implementation the
    /// name of an artifact, one of `known`, may stand in its place.
    fn file(
        &mut self,
        artifact: &Artifact,
        file: FileId,
        files: &mut dyn Files,
        known: Option<&[String]>,
    ) {
        let Some(name) = &artifact.file else { return };
        let is_named = known.is_some_and(|known| known.contains(&name.text));
        // Where artifacts have names, a plain word is meant to be one of them.
        let is_word = |text: &str| !text.contains([':', '/', '.', ' ', '$']);
        let is_meant = known.is_some_and(|known| !known.is_empty())
            && is_word(&name.text)
            && !self.version().is_2();
        // An implementation may be in words of its own, and an image has a name in its registry.
        let is_path = !self.is_image(artifact)
            && looks_like_path(&name.text)
            && (known.is_none() || artifact.of.is_some() || name.text.contains('/'));
        let is_file = looks_like_file(name) || is_meant || is_path;
        if is_named || artifact.repository.is_some() || !is_file {
            return;
        }
        let from = self.model.files[file.0 as usize].path.clone();
        let missing = |result: Result<(), FileError>| {
            matches!(result, Err(FileError::Missing { .. } | FileError::OutsideRoot { .. }))
        };
        if missing(files.exists(from.as_deref(), &name.text)) {
            // An archive holds all it needs; beside a file more may come later.
            let inside = files.names();
            let severity = if inside.is_empty() { Severity::Warning } else { Severity::Error };
            let message = format!("there is no file `{}`", name.text);
            let finding = Diagnostic::new(codes::MISSING_FILE, severity, name.span, message);
            let near = spelling::nearest(&name.text, inside.iter().map(|name| &**name));
            self.findings.push(
                finding.help(match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => {
                        "paths are relative to the file that names them; what lies elsewhere has \
                         a `repository`"
                            .to_owned()
                    }
                }),
            );
        }
    }

    /// Whether an artifact is an image, which an engine may fetch by its name.
    fn is_image(&self, artifact: &Artifact) -> bool {
        let is = |name: &str| ["Image", "Docker"].iter().any(|word| name.contains(word));
        let Some(of) = &artifact.of else { return false };
        let mut chain = of.id.into_iter().flat_map(|id| self.model.types.chain(id));
        is(&of.name.text) || chain.any(|(_, of)| is(&of.name.text))
    }
}

/// Whether the name of an artifact is a path: its last part ends in a suffix that begins with a
/// letter, as that of a version does not.
fn looks_like_path(text: &str) -> bool {
    let last = text.rsplit('/').next().unwrap_or(text);
    let suffix = last.rsplit_once('.').map_or("", |(_, suffix)| suffix);
    !text.contains([':', '$', '{', '<', '>', '@'])
        && !text.contains(char::is_whitespace)
        && suffix.len() <= 8
        && suffix.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && suffix.bytes().all(|letter| letter.is_ascii_alphanumeric())
}

/// Whether a name is a path and not an image, an address or another name.
fn looks_like_file(name: &Name) -> bool {
    let text = name.text.as_str();
    let last = text.rsplit('/').next().unwrap_or(text);
    let suffix = last.rsplit_once('.').map(|(_, suffix)| suffix);
    const SUFFIXES: &[&str] = &[
        "sh", "py", "yaml", "yml", "yml", "rb", "pl", "bash", "ps1", "bat", "json", "xml", "conf",
        "cfg", "ini", "txt", "jar", "war", "zip", "tgz", "gz", "tar", "bpmn", "tf", "sql",
    ];
    !text.contains("://")
        && !text.contains(char::is_whitespace)
        && suffix.is_some_and(|suffix| SUFFIXES.contains(&suffix))
}

//! Files that operations need beside their scripts: the artifacts of a node, and those that have a
//! place on their host.

use super::super::model::{Artifact, FileId, NodeTemplate};
use super::{Inputs, quoted};
use crate::lifecycle::implementation::{Command, CommandLine};
use std::collections::BTreeMap;

/// An artifact that has a place on the host.
pub(crate) struct Deployed {
    file: String,
    to: String,
}

impl Deployed {
    /// The line of a shell that puts it there; a path that ends with a slash is a folder.
    pub(crate) fn line(&self) -> String {
        let folder = self.to.rsplit_once('/').map_or("", |(folder, _)| folder);
        let (file, to) = (quoted(&self.file), quoted(&self.to));
        match folder {
            "" => format!("cp -- {file} {to}"),
            folder => format!("mkdir -p -- {} && cp -- {file} {to}", quoted(folder)),
        }
    }
}

/// The artifacts of a template and of its types, each name once, nearest first.
fn all<'m>(
    inputs: &Inputs<'_, 'm>,
    template: &'m NodeTemplate,
) -> BTreeMap<&'m str, (FileId, &'m Artifact)> {
    let chain = template.of.id.into_iter().flat_map(|id| inputs.model.types.chain(id));
    let inherited = chain.map(|(_, of)| (of.file, &of.artifacts));
    let every = std::iter::once((inputs.service.file, &template.artifacts)).chain(inherited);
    let mut named = BTreeMap::new();
    for (file, artifacts) in every {
        for (name, artifact) in artifacts.iter() {
            named.entry(&*name.text).or_insert((file, artifact));
        }
    }
    named
}

/// Whether an artifact is a file beside the service, and no address and no image.
fn local(inputs: &Inputs<'_, '_>, file: FileId, artifact: &Artifact) -> Option<String> {
    let path = &artifact.file.as_ref()?.text;
    let is_image = is_image(artifact);
    let is_elsewhere = artifact.repository.is_some() || path.contains("://");
    (!is_elsewhere && !is_image).then(|| inputs.beside(file, path))
}

fn is_image(artifact: &Artifact) -> bool {
    artifact.of.as_ref().is_some_and(|of| of.name.text.to_ascii_lowercase().contains("image"))
}

/// The image among the artifacts of a node, by its name; the first one of several.
pub(crate) fn image<'m>(inputs: &Inputs<'_, 'm>, template: &'m NodeTemplate) -> Option<&'m str> {
    let every = all(inputs, template);
    let mut images = every.values().filter(|(_, artifact)| is_image(artifact));
    images.find_map(|(_, artifact)| Some(&*artifact.file.as_ref()?.text))
}

/// The files of a node, which its operations may ask for.
pub(crate) fn files(inputs: &Inputs<'_, '_>, template: &NodeTemplate) -> Vec<String> {
    let every = all(inputs, template);
    every.values().filter_map(|(file, artifact)| local(inputs, *file, artifact)).collect()
}

/// The artifacts with a `deploy_path`.
pub(crate) fn deployed(inputs: &Inputs<'_, '_>, template: &NodeTemplate) -> Vec<Deployed> {
    let place = |(file, artifact): &(FileId, &Artifact)| {
        let to = artifact.deploy_path.as_ref()?.text.clone();
        Some(Deployed { file: local(inputs, *file, artifact)?, to })
    };
    all(inputs, template).values().filter_map(place).collect()
}

/// A command that only puts artifacts where they belong.
pub(crate) fn copying(deployed: Vec<Deployed>) -> Command {
    let lines: Vec<String> = deployed.iter().map(Deployed::line).collect();
    let line = CommandLine::Shell(format!("set -e\n{}", lines.join("\n")));
    let files = deployed.into_iter().map(|it| it.file).collect();
    Command { line, directory: None, environment: BTreeMap::new(), files }
}

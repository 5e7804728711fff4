//! TOSCA: Simple Profile 1.0 to 1.3 and TOSCA 2.0 in YAML, the XML of version 1.0, and the archives
//! (CSAR) that hold descriptions.
//!
//! Reading order: `version`, `value`, `model` (what a service is once everything is resolved),
//! `grammar` (what may stand where), `quirks` (what is always tolerated), `switches` (what is
//! tolerated on demand), `load` (files and imports), `bundled_profiles` (profiles by name), `names`
//! (which type a name means), `build` (from trees to the model), `inputs` (values given beside it),
//! `csar` (where an archive begins), `xml` (version 1.0: texts as spanned trees, definitions,
//! imports). Profiles of normative types are TOSCA texts that come with the program; they are read
//! as any other import. Then what a service does: `weaving` (which order the operations have, as
//! data), `lower` (the application), `protocol` (behavior written as policies), `command` (what
//! carries operations out), `workflow` (plans that are part of a service), `locations` (the pivot
//! graph).

pub(crate) mod build;
mod bundled_profiles;
pub(crate) mod codes;
pub(crate) mod command;
pub mod csar;
pub mod grammar;
pub mod inputs;
mod load;
pub(crate) mod locations;
pub mod lower;
pub mod model;
mod names;
pub(crate) mod profiles;
mod protocol;
pub(crate) mod quirks;
pub(crate) mod resolve_relationship;
pub mod switches;
pub mod value;
pub mod version;
pub mod weaving;
pub mod workflow;
pub mod xml;

pub use command::Output;
pub use model::Model;

use super::Reading;
use super::language::{Context, Kind, Language, Reach, Reader, Text, reborrow};
use crate::diagnostic::{self, Diagnostic};
use crate::plan::Plan;
use crate::source::Sources;
use crate::source::files::Files;
use crate::tree::Node;
use load::Loader;
use model::FileId;

/// The outputs of a service, with what `kept` says that operations have left, by the folder of a
/// node and a name.
pub fn outputs(
    model: &Model,
    kept: &dyn Fn(&str, &str) -> Option<String>,
) -> Vec<(String, Output)> {
    command::of_service(model, kept)
}

/// Inputs of operations that no run could compute.
pub fn refusals(model: &Model) -> Vec<Diagnostic> {
    command::refusals(model)
}

/// A node for which nothing is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The node template.
    pub node: String,
    /// The directive that says so.
    pub directive: String,
    /// The imported file whose service could stand for the node.
    pub template: Option<String>,
}

/// The nodes for which nothing is done.
pub fn left_out(model: &Model) -> Vec<LeftOut> {
    let template = |of: &model::TypeRef| {
        let source = model.substituted.get(&of.id?)?.span.source;
        model.files.iter().find(|file| file.source == source)?.path.clone()
    };
    let nodes = model.service.iter().flat_map(|service| service.nodes.iter());
    let directed = nodes.filter_map(|(name, node)| {
        let mut directives = node.directives.iter().map(|directive| &directive.text);
        let directive = directives.find(|word| *word != "create")?.clone();
        let template = template(&node.of).filter(|_| directive == "substitute");
        Some(LeftOut { node: name.text.clone(), directive, template })
    });
    directed.collect()
}

impl Language {
    /// TOSCA in YAML: Simple Profile 1.0 to 1.3, and 2.0.
    pub const TOSCA: Language = Language::new(&Tosca);
}

#[derive(Debug)]
struct Tosca;

impl Reader for Tosca {
    fn name(&self) -> &'static str {
        "tosca"
    }

    fn recognize_keys(&self, root: Node<'_>) -> Option<Kind> {
        detect(root).then_some(Kind::Application)
    }

    fn reach(&self, _root: Option<Node<'_>>) -> Reach {
        Reach::Project
    }

    fn read(&self, text: Text, context: &mut Context<'_>) -> Reading {
        read_service(text, context)
    }

    /// The workflow of a service: `deploy`, or the first one. What is wrong with the service is
    /// said where it is read as the application.
    fn read_plan(
        &self,
        text: Text,
        context: &mut Context<'_>,
        _findings: &mut Vec<Diagnostic>,
    ) -> Option<Plan> {
        let model = checked(text, context, &mut Vec::new())?;
        workflow::plan(&model, None)
    }
}

/// Reads a service, asks the rules and lowers it.
pub(super) fn read_service(text: Text, context: &mut Context<'_>) -> Reading {
    let mut findings = Vec::new();
    let name = context.sources.get(text.id).name.clone();
    let model = checked(text, context, &mut findings);
    context.options.quirks.settle(&mut findings);
    diagnostic::sort(&mut findings);
    let tosca = model.map(Box::new);
    let sound = tosca.as_ref().filter(|_| !super::has_errors(&findings));
    let lowered = sound.and_then(|model| lower::lower(model, super::stem(&name)));
    let (application, goal) = lowered.unzip();
    Reading { application, goal, tosca, findings, ..Reading::default() }
}

/// The model of a file, after the rules on it: they give requirements their targets.
pub(super) fn checked(
    text: Text,
    context: &mut Context<'_>,
    findings: &mut Vec<Diagnostic>,
) -> Option<Model> {
    let (inputs, check) = (&context.options.inputs, context.rules.tosca);
    let mut model = read(text, context.sources, reborrow(&mut context.files), inputs, findings);
    check(model.as_mut(), context.sources, reborrow(&mut context.files), findings);
    model
}

/// Whether a text is a TOSCA file: by its version, or by keys that only TOSCA has.
pub(crate) fn detect(root: Node<'_>) -> bool {
    const KEYS: &[&str] = &["tosca_definitions_version", "topology_template", "service_template"];
    KEYS.iter().any(|key| root.get(key).is_some()) && super::foreign::dialect(root).is_none()
}

/// Reads a file with what it imports. Without files only profiles can be imported. What the model
/// must satisfy is asked by the rules, which also give requirements their targets.
pub(crate) fn read(
    text: Text,
    sources: &mut Sources,
    files: Option<&mut dyn Files>,
    given: &inputs::InputValues,
    findings: &mut Vec<Diagnostic>,
) -> Option<Model> {
    let root = text.id;
    let mut loader = Loader::new(sources, files, findings);
    loader.root(text)?;
    let mut texts = loader.texts;
    names::assign(&mut texts, findings);
    let types = build::types(&texts, findings);
    let mut service = build::service(&texts[0], FileId(0), findings);
    if let Some(service) = &mut service {
        inputs::give(given, service, sources, findings);
    }
    let version = texts[0].file.version;
    let has_unread_imports = texts.iter().any(|text| text.is_open || !text.unread.is_empty());
    let substituted = names::substituted(&texts);
    let own = texts.iter().filter(|text| text.file.path.is_some() || text.file.source == root);
    let reads_state = own.into_iter().any(|text| command::state::is_read(text.tree.root()));
    let files = texts.into_iter().map(|text| text.file).collect();
    Some(Model { version, files, types, substituted, service, reads_state, has_unread_imports })
}

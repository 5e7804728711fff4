//! From texts to a project, in the order of Compose.

use std::collections::{BTreeMap, BTreeSet};

use super::interpolate::{Environment, interpolate};
use super::item::{self, Data, Item};
use super::project::Project;
use super::{EMPTY, Findings, OBSOLETE_KEY, Options, SHAPE, dotenv, merge, schema, unicity};
use super::{NO_ENV_FILE, normalize, read, validate};
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::language::Text;
use crate::source::files::{FileError, Files, ReadFile, UnreadableReason};
use crate::source::{SourceId, Sources, Span};
use crate::tree::{self, Schema, Tree};

/// What to do with a file that says nothing.
const BEGIN: &str = "write `services:` at the top, and below it a service with `image` or `build`";

/// What came out of loading.
#[derive(Debug, Default)]
pub struct Loaded {
    /// What could be made out of the texts.
    pub project: Option<Project>,
    /// Whether everything was read that the texts include or extend.
    pub(crate) is_complete: bool,
    /// Everything that the reader found wrong or doubtful.
    pub findings: Findings,
}

impl Loaded {
    /// The project, when all of it was read, and what remains of the findings together with those
    /// of the rules.
    pub(crate) fn judged(mut self, of_rules: Findings) -> (Option<Project>, Findings) {
        let since = self.findings.len();
        self.findings.extend(of_rules);
        drop_echoes(&mut self.findings, since);
        let project = self.project.filter(|_| self.is_complete);
        let mut findings = self.findings;
        if let Some(project) = &project {
            project.explain(&mut findings);
        }
        let mut seen = BTreeSet::new();
        findings.retain(|finding| {
            seen.insert((finding.primary, finding.code, finding.message.clone()))
        });
        drop_inner(&mut findings);
        (project, findings)
    }
}

/// Loads a project that begins with a text. What that names cannot be read without files.
pub fn load<'f>(
    first: Text,
    options: &'f Options,
    sources: &'f mut Sources,
    files: Option<&'f mut dyn Files>,
) -> Loaded {
    Loader::new(sources, files, options).run(first)
}

pub(super) struct Loader<'a> {
    pub(super) sources: &'a mut Sources,
    /// The files that texts may name; none when the first text stands alone.
    pub(super) files: Option<&'a mut dyn Files>,
    pub(super) options: &'a Options,
    pub(super) findings: Findings,
    /// For each text the file from whose folder its paths start.
    pub(super) bases: BTreeMap<SourceId, String>,
    /// Files that services were extended from, read once.
    pub(super) extended: BTreeMap<String, Option<Item>>,
    /// Something that the texts include or extend could not be read.
    pub(super) is_incomplete: bool,
}

/// What holds for all files of one project, or of one that is included.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    pub(super) environment: Environment,
    /// The files that are being included, by identity and name.
    pub(super) including: Vec<(String, String)>,
}

/// A text of a project, parsed.
pub(super) struct Part {
    pub(super) id: SourceId,
    /// The file from whose folder its paths start.
    pub(super) base: String,
    tree: Tree,
    /// What is wrong with the text itself.
    findings: Findings,
}

/// Values are copied to be merged, so that there may be fewer than in a tree that is only read.
fn tree_options() -> tree::Options {
    tree::Options { max_nodes: 1_000_000, ..tree::Options::with_schema(Schema::Go) }
}

/// Beyond so many errors one may be reported twice.
const MOST_PLACES: usize = 1_000;

impl<'a> Loader<'a> {
    fn new(
        sources: &'a mut Sources,
        files: Option<&'a mut dyn Files>,
        options: &'a Options,
    ) -> Self {
        Loader {
            sources,
            files,
            options,
            findings: Vec::new(),
            bases: BTreeMap::new(),
            extended: BTreeMap::new(),
            is_incomplete: false,
        }
    }

    fn run(&mut self, first: Text) -> Loaded {
        let root = first.id;
        let base = self.sources.get(root).name.clone();
        let mut parts = vec![self.part(first, base.clone())];
        let options = self.options;
        for over in options.overrides.iter().filter(|_| self.files.is_some()) {
            let id = self.sources.add(over.name.clone(), over.text.clone());
            parts.push(self.part(Text::new(id), base.clone()));
        }
        let environment = self.environment(root, &base);
        let mut scope =
            Scope { environment, including: vec![(self.identity(&base), base.clone())] };
        let name = self.project_name(&parts, &scope.environment);
        let variable = "COMPOSE_PROJECT_NAME".to_owned();
        scope.environment.entry(variable).or_insert_with(|| name.clone());
        let model = self.model(parts, &scope);
        let project = model.and_then(|model| self.project(model, name, root, scope.environment));
        let findings = std::mem::take(&mut self.findings);
        Loaded { project, is_complete: !self.is_incomplete, findings }
    }

    fn project(
        &mut self,
        model: Item,
        name: String,
        root: SourceId,
        environment: Environment,
    ) -> Option<Project> {
        if model.map().is_none_or(BTreeMap::is_empty) {
            // What could not be read is not empty.
            if !self.is_incomplete {
                let start = Span { source: root, start: 0, end: 0 };
                let finding = Diagnostic::error(EMPTY, start, "the Compose file is empty");
                self.findings.push(finding.help(BEGIN));
            }
            return None;
        }
        let mut profiles: BTreeSet<String> = self.options.profiles.iter().cloned().collect();
        let from_environment = environment.get("COMPOSE_PROFILES").map_or("", String::as_str);
        profiles.extend(from_environment.split(',').map(|p| p.trim().to_owned()));
        for name in &self.options.services {
            let own = model.at(&["services", name, "profiles"]).map(Item::items);
            profiles.extend(own.unwrap_or_default().iter().map(Item::plain));
        }
        let before = self.findings.len();
        let mut project = read::project(&model, name, &profiles, &mut self.findings);
        project.origin = Some(Span { source: root, start: 0, end: 0 });
        project.folders = self.folders(root);
        self.drop_echoes(before);
        let before = self.findings.len();
        normalize::normalize(&mut project);
        self.look_for_files(&mut project, &environment);
        self.drop_echoes(before);
        Some(project)
    }

    /// The folders in which the paths of texts start, where that is not the folder of the project.
    fn folders(&self, root: SourceId) -> BTreeMap<SourceId, String> {
        let own = self.base(root);
        let all = self.bases.iter().map(|(source, base)| (*source, way(&own, base)));
        all.filter(|(_, way)| !way.is_empty()).collect()
    }

    fn drop_echoes(&mut self, since: usize) {
        drop_echoes(&mut self.findings, since);
    }

    /// Drops findings from `since` on about values that go on where the text could not be read:
    /// what they seem to lack may stand there.
    fn drop_unfinished(&mut self, since: usize, source: SourceId, end: u32) {
        let later = self.findings.split_off(since);
        let text = &self.sources.get(source).text;
        let is_finished = |finding: &Diagnostic| {
            let rest = text.get(finding.primary.end as usize..end as usize);
            // A value that is not there has its place before the colon.
            let is_nothing = |c: char| c.is_whitespace() || c == ':';
            finding.primary.source != source
                || rest.is_some_and(|rest| !rest.chars().all(is_nothing))
        };
        self.findings.extend(later.into_iter().filter(is_finished));
    }

    /// All texts of one project put together; none when something is missing from it.
    pub(super) fn model(&mut self, parts: Vec<Part>, scope: &Scope) -> Option<Item> {
        let start = Span { source: parts.first()?.id, start: 0, end: 0 };
        let mut model = Item::empty_map(start);
        let mut good = true;
        for Part { id, base, tree, mut findings } in parts {
            self.bases.insert(id, base);
            let before_text = self.findings.len();
            self.findings.append(&mut findings);
            good &= tree.is_complete();
            // Where a text cannot be read any further.
            let end = self.findings[before_text..].first().map(|finding| finding.primary.start);
            let end = end.filter(|_| !tree.is_complete());
            let roots: Vec<_> = tree.documents().map(|(_, root)| root).collect();
            for root in roots {
                let Some(document) = self.document(root, scope, end.is_none()) else {
                    good = false;
                    continue;
                };
                model = merge::merge(model, document, &mut Vec::new(), &mut self.findings);
                merge::drop_resets(&mut model);
                unicity::enforce(&mut model, &mut Vec::new());
                let before = self.findings.len();
                schema::check(&model, &mut self.findings);
                if let Some(end) = end {
                    self.drop_unfinished(before, id, end);
                }
                self.drop_echoes(before);
                self.drop_version(&mut model);
            }
        }
        if !good {
            return None;
        }
        let before = self.findings.len();
        validate::check(&model, &mut self.findings);
        self.drop_echoes(before);
        Some(model)
    }

    /// Parses a text whose paths start in the folder of the file `base`.
    pub(super) fn part(&self, text: Text, base: String) -> Part {
        let id = text.id;
        let (tree, mut findings) = text.parse(self.sources, &tree_options());
        // A file without content is reported in the words of Compose.
        findings.retain(|finding| finding.code != tree::EMPTY_FILE);
        Part { id, base, tree, findings }
    }

    pub(super) fn parse(&mut self, id: SourceId) -> Tree {
        let Part { tree, mut findings, .. } = self.part(Text::new(id), String::new());
        self.findings.append(&mut findings);
        tree
    }

    /// One document, with its variables replaced and what it includes and extends put in; whether
    /// its text could be read to the end.
    fn document(&mut self, root: tree::Node<'_>, scope: &Scope, is_whole: bool) -> Option<Item> {
        let mut document = item::from_node(root, &mut Vec::new(), &mut self.findings);
        match document.data {
            Data::Map(_) => {}
            Data::Null => {
                let finding = document.error(EMPTY, "the Compose file is empty");
                self.findings.push(finding.help(BEGIN));
                return None;
            }
            _ => {
                let message =
                    format!("a Compose file is a mapping; this is {}", document.kind_name());
                self.findings.push(document.error(SHAPE, message).help(BEGIN));
                return None;
            }
        }
        interpolate(&mut document, &scope.environment, &mut self.findings);
        // What is put over a file may leave its services out, and not say that there are none.
        let services = document.map().and_then(|all| all.get("services")).map(|it| &it.item);
        let is_null = |it: &&Item| it.data == Data::Null && it.tag != item::Tag::Reset;
        if let Some(services) = services.filter(is_null).filter(|_| is_whole) {
            let message = "`services` must be a mapping; this is null";
            let help = "write a service below it: a name, and below that `image` or `build`";
            self.findings.push(services.error(SHAPE, message).help(help));
        }
        self.include(&mut document, scope);
        self.extend_services(&mut document, scope);
        Some(document)
    }

    fn drop_version(&mut self, model: &mut Item) {
        let removed = model.map_mut().and_then(|map| map.remove("version"));
        if let Some(entry) = removed {
            let message = "`version` is obsolete: Compose ignores it";
            let finding = Diagnostic::new(OBSOLETE_KEY, Severity::Note, entry.key, message);
            self.findings.push(finding.help("remove the line"));
        }
    }

    /// The variables: those of the surroundings, then those of `.env` or of the files in its place.
    fn environment(&mut self, root: SourceId, base: &str) -> Environment {
        let mut environment = self.options.environment.clone();
        let start = Span { source: root, start: 0, end: 0 };
        let texts = match &self.options.env_files {
            Some(files) => files.iter().map(|f| (f.name.clone(), f.text.clone())).collect(),
            None => match self.read(base, ".env") {
                Some(Ok(file)) => vec![(file.name, file.text)],
                Some(Err(error)) => {
                    self.report_dotenv(&error, start);
                    Vec::new()
                }
                None => Vec::new(),
            },
        };
        let mut read = Environment::new();
        for (name, text) in texts {
            read.extend(self.variables(&name, &text, &environment, start));
        }
        for (name, value) in read {
            environment.entry(name).or_insert(value);
        }
        environment
    }

    /// A `.env` that is there and is no text that can be read. A folder of that name is none, for
    /// Compose too.
    fn report_dotenv(&mut self, error: &FileError, at: Span) {
        if let FileError::Unreadable { reason, .. } = error
            && *reason != UnreadableReason::Folder
        {
            let mut finding = Diagnostic::error(NO_ENV_FILE, at, error.to_string());
            finding.help = Some(error.help().to_owned());
            self.findings.push(finding);
        }
    }

    /// The variables of a file; what is wrong with it is reported at the place that names it.
    pub(super) fn variables(
        &mut self,
        name: &str,
        text: &str,
        outer: &Environment,
        at: Span,
    ) -> Environment {
        dotenv::parse(text, outer).unwrap_or_else(|bad| {
            let line = text[..bad.at].matches('\n').count() + 1;
            let at_name = format!("`{name}` cannot be read, line {line}: {}", bad.message);
            let finding = match &self.files {
                None => Diagnostic::error(NO_ENV_FILE, at, at_name),
                Some(_) => {
                    let source = self.sources.add(name.to_owned(), text.to_owned());
                    let rest = &text[bad.at..];
                    let end = bad.at + rest.find(['\n', '\r']).unwrap_or(rest.len());
                    let place = Span { source, start: bad.at as u32, end: end as u32 };
                    let finding = Diagnostic::error(NO_ENV_FILE, place, bad.message);
                    // A file that was not named is read because it is there.
                    let is_named = at.start != at.end;
                    if is_named { finding.label(at, "the file is named here") } else { finding }
                }
            };
            self.findings.push(finding.help(bad.help));
            Environment::new()
        })
    }

    /// Reads a file that a text names; none when there are no files at all.
    pub(super) fn read(&mut self, base: &str, path: &str) -> Option<Result<ReadFile, FileError>> {
        Some(self.files.as_mut()?.read(Some(base), path))
    }

    /// What a file is recognized by.
    fn identity(&mut self, name: &str) -> String {
        let file_name = name.rsplit('/').next().unwrap_or(name);
        let identity = self.files.as_mut().map(|files| files.identity(Some(name), file_name));
        identity.and_then(Result::ok).unwrap_or_else(|| name.to_owned())
    }

    /// The file from whose folder the paths of a text start.
    pub(super) fn base(&self, source: SourceId) -> String {
        self.bases.get(&source).cloned().unwrap_or_default()
    }

    /// The name of the project: as given, of the surroundings, of the file, of the folder.
    /// A name that was given from outside is taken as it is, or refused.
    fn check_name(&mut self, parts: &[Part], name: &str) {
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-".contains(c);
        if name.chars().all(fits) && !name.starts_with(['_', '-']) {
            return;
        }
        let Some(first) = parts.first() else { return };
        let start = Span { source: first.id, start: 0, end: 0 };
        let message = format!("`{name}` is no name of a project");
        let help = "lowercase letters, digits, `-` and `_`; a letter or a digit is the first";
        self.findings.push(Diagnostic::error(super::BAD_VALUE, start, message).help(help));
    }

    fn project_name(&mut self, parts: &[Part], environment: &Environment) -> String {
        let given = self.options.project_name.clone();
        let given = given.or_else(|| environment.get("COMPOSE_PROJECT_NAME").cloned());
        if let Some(name) = given.filter(|name| !name.is_empty()) {
            self.check_name(parts, &name);
            return name;
        }
        let mut found = None;
        for part in parts {
            for (_, root) in part.tree.documents() {
                let Some(name) = root.get("name").and_then(tree::Node::as_text) else { continue };
                let unset = &mut BTreeSet::new();
                match super::interpolate::substitute(name, environment, unset) {
                    Ok(filled) if filled.is_empty() && !name.is_empty() => {
                        let at = root.get("name").map_or(root.span(), tree::Node::span);
                        let message = format!("the name of the project is empty: `{name}`");
                        let help = "give the variable a value or a default: `${NAME:-shop}`";
                        let finding = Diagnostic::error(super::BAD_VALUE, at, message);
                        self.findings.push(finding.help(help));
                    }
                    Ok(name) if !name.is_empty() => found = Some(name),
                    _ => {}
                }
            }
        }
        let folder = self.options.folder.as_deref().map(normalize::project_name);
        let found = found.as_deref().map(normalize::project_name).filter(|name| !name.is_empty());
        found.or(folder).filter(|name| !name.is_empty()).unwrap_or_else(|| "default".to_owned())
    }
}

/// Drops errors from `since` on at places where there was one before: what is wrong with a value is
/// reported once.
fn drop_echoes(findings: &mut Findings, since: usize) {
    let later = findings.split_off(since);
    let is_error = |finding: &&Diagnostic| finding.severity == Severity::Error;
    let places = findings.iter().filter(is_error).map(|finding| finding.primary);
    let earlier: Vec<Span> = places.take(MOST_PLACES).collect();
    let is_new = |finding: &Diagnostic| {
        finding.severity != Severity::Error
            || !earlier.iter().any(|place| place.contains(finding.primary))
    };
    findings.extend(later.into_iter().filter(is_new));
}

/// Drops what is wrong with the shape of something inside a value whose own shape is wrong.
fn drop_inner(findings: &mut Findings) {
    let shapes = findings.iter().filter(|finding| finding.code == SHAPE);
    let places: Vec<Span> = shapes.map(|finding| finding.primary).take(MOST_PLACES).collect();
    findings.retain(|finding| {
        let own = finding.primary;
        finding.code != SHAPE || !places.iter().any(|place| *place != own && place.contains(own))
    });
}

/// The way from the folder of one file to that of another; empty when it is the same.
fn way(from: &str, to: &str) -> String {
    let parts = |name: &str| -> Vec<String> {
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        let parts = folder.split('/').filter(|part| !part.is_empty() && *part != ".");
        parts.map(str::to_owned).collect()
    };
    if to.starts_with('/') && !from.starts_with('/') {
        return to.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    }
    let (from, to) = (parts(from), parts(to));
    let same = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = from[same..].iter().map(|_| "..".to_owned());
    up.chain(to[same..].iter().cloned()).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::way;

    #[test]
    fn ways_between_files() {
        for (from, to, expected) in [
            ("compose.yaml", "sub/c.yaml", "sub"),
            ("a/compose.yaml", "a/./sub/c.yaml", "sub"),
            ("a/compose.yaml", "a/over.yaml", ""),
            ("a/compose.yaml", "b/c.yaml", "../b"),
            ("/x/compose.yaml", "/x/y/c.yaml", "y"),
            ("compose.yaml", "/x/y/c.yaml", "/x/y"),
        ] {
            assert_eq!(way(from, to), expected, "{from} {to}");
        }
    }
}

//! A file with everything that it imports: files, profiles that come with the program, and what can
//! only be named because it is elsewhere.
//!
//! Every file is read once, however often it is imported. An import that cannot be looked at (an
//! address on the network, a profile that is not there) is a warning; names that may come from it
//! are then not reported as unknown.

use super::bundled_profiles::BundledProfiles;
use super::codes;
use super::grammar;
use super::model::{File, TypeKind};
use super::profiles;
use super::switches;
use super::value::{Name, Value};
use super::version::Version;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lang::language;
use crate::source::files::{FileError, Files, ImportStack, ReadFile};
use crate::source::{SourceId, Sources, Span};
use crate::spelling;
use crate::tree::{self, Node, Tree};
use std::collections::{BTreeMap, BTreeSet};

/// One file as it was read, before its types are built.
pub(super) struct Text {
    pub(super) tree: Tree,
    pub(super) file: File,
    /// Files that it imports, with the prefix of their names.
    pub(super) imports: Vec<(usize, Option<String>, Span)>,
    /// Namespaces of imports that could not be read.
    pub(super) unread: BTreeSet<String>,
    /// Whether an import without a namespace could not be read.
    pub(super) is_open: bool,
    /// For the last text of a profile: all its texts, the last definition of a name counts.
    pub(super) stack: Vec<usize>,
}

/// Reads files and what they import.
pub(super) struct Loader<'a, 'f> {
    pub(super) sources: &'a mut Sources,
    pub(super) files: Option<&'a mut (dyn Files + 'f)>,
    pub(super) findings: &'a mut Vec<Diagnostic>,
    pub(super) texts: Vec<Text>,
    /// The text to begin with, until it is read.
    first: Option<language::Text>,
    by_identity: BTreeMap<String, usize>,
    stack: ImportStack,
    beside: BundledProfiles,
}

/// What an import says.
struct Import {
    target: Target,
    repository: Option<Name>,
    prefix: Option<String>,
    span: Span,
}

enum Target {
    Url(Name),
    Profile(Name),
}

impl<'a, 'f> Loader<'a, 'f> {
    pub(super) fn new(
        sources: &'a mut Sources,
        files: Option<&'a mut (dyn Files + 'f)>,
        findings: &'a mut Vec<Diagnostic>,
    ) -> Self {
        Loader {
            sources,
            files,
            findings,
            texts: Vec::new(),
            first: None,
            by_identity: BTreeMap::new(),
            stack: ImportStack::new(),
            beside: BundledProfiles::default(),
        }
    }

    /// Reads the file that was asked for.
    pub(super) fn root(&mut self, first: language::Text) -> Option<usize> {
        let source = first.id;
        self.first = Some(first);
        let name = self.sources.get(source).name.clone();
        let own = ReadFile { name: name.clone(), identity: name.clone(), text: String::new() };
        // The first file of a chain is never refused.
        let _ = self.stack.enter(&own, None);
        let at = self.text(source, Some(name), None);
        self.stack.leave();
        at
    }

    /// Parses a text and follows its imports. `like` is the version of the importing file.
    fn text(
        &mut self,
        source: SourceId,
        path: Option<String>,
        like: Option<Version>,
    ) -> Option<usize> {
        let is_own = path.is_some();
        let options = tree::Options::default();
        let begun = self.first.take_if(|first| first.id == source);
        let text = begun.unwrap_or_else(|| language::Text::new(source));
        let (tree, findings) = text.parse(self.sources, &options);
        let root = tree.root();
        self.findings.extend(findings.into_iter().map(|finding| in_metadata(root, finding)));
        let version = self.version(root, &tree, like, is_own)?;
        if is_own {
            grammar::check(root, first(root), &grammar::file::FILE, version, self.findings);
            self.whole(root, version);
        }
        let at = self.texts.len();
        let profile = root.get("profile").and_then(Node::as_str).map(str::to_owned);
        let mut file = File {
            source,
            path,
            version,
            profile,
            names: BTreeMap::new(),
            repositories: BTreeMap::new(),
            functions: BTreeMap::new(),
            signatures: BTreeMap::new(),
        };
        for entry in root.get("repositories").into_iter().flat_map(Node::entries) {
            let url = entry.value.get("url").unwrap_or(entry.value);
            let url =
                Name { text: url.as_str().unwrap_or_default().to_owned(), ..Name::of(entry.key) };
            file.repositories.insert(entry.name().to_owned(), url);
        }
        for entry in root.get("functions").into_iter().flat_map(Node::entries) {
            file.functions.insert(entry.name().to_owned(), Name::of(entry.key));
            file.signatures.insert(entry.name().to_owned(), Value::of(entry.value));
        }
        let metadata = root.get("metadata").filter(|_| !version.is_2());
        for entry in metadata.into_iter().flat_map(Node::entries) {
            // Some processors declare functions there; only a quirk makes them any.
            if let Some((_, name)) = entry.name().split_once(":tosca.function.") {
                file.functions.insert(name.to_owned(), Name::of(entry.key));
            }
        }
        let imports = self.parse_imports(root, version);
        self.texts.push(Text {
            tree,
            file,
            imports: Vec::new(),
            unread: BTreeSet::new(),
            is_open: false,
            stack: Vec::new(),
        });
        let named = self.texts[at].tree.root().get("tosca_definitions_version");
        if named.and_then(Node::as_str).is_some_and(Version::is_foreign_profile) {
            self.texts[at].unread.insert("tosca".to_owned());
        }
        if let Some(implicit) = profiles::implicit(version).filter(|_| is_own) {
            let beside = ("org.oasis-open.non-normative:1.3", profiles::NON_NORMATIVE);
            self.profile(at, &[beside, implicit], None, Span { source, start: 0, end: 0 });
        }
        for import in imports {
            self.import(at, import, version);
        }
        Some(at)
    }

    /// What the table of keynames cannot say.
    fn whole(&mut self, root: Node<'_>, version: Version) {
        if !version.is_2() {
            return;
        }
        if let (Some(profile), Some(_)) = (root.get_entry("profile"), root.get("service_template"))
        {
            let message = "a file with a service template is no profile";
            let finding = Diagnostic::warning(codes::UNKNOWN_KEY, profile.key.span(), message);
            self.findings.push(finding);
        }
        for entry in root.get("dsl_definitions").into_iter().flat_map(Node::entries) {
            if entry.value.is_null() {
                let message = format!("`{}` defines nothing", entry.name());
                let finding = Diagnostic::error(codes::WRONG_SHAPE, entry.key.span(), message);
                self.findings.push(finding);
            }
        }
    }

    /// The version of a file; what is imported without one is in the version of the importer.
    fn version(
        &mut self,
        root: Node<'_>,
        tree: &Tree,
        like: Option<Version>,
        is_own: bool,
    ) -> Option<Version> {
        let Some(entry) = root.get_entry("tosca_definitions_version") else {
            // The grammar says that it is missing, unless the text is no mapping at all.
            if !root.is_mapping() && tree.is_complete() {
                let message = format!("a TOSCA file must be a map, this is {}", root.kind_name());
                let finding = Diagnostic::error(codes::WRONG_SHAPE, root.span(), message);
                self.findings.push(finding);
                return None;
            }
            return Some(like.unwrap_or_default());
        };
        let first = root.entries().next();
        let is_first = first.is_none_or(|first| first.key.span() == entry.key.span());
        let named = entry.value.as_str().and_then(Version::from_name);
        if named.is_none() {
            let written = entry.value.as_str().unwrap_or_default().to_owned();
            let message = format!("`{written}` is no version of TOSCA");
            let finding = Diagnostic::error(codes::VERSION, entry.value.span(), message);
            // Of those that are as near, the newest is the likeliest.
            let near = spelling::near(&written, Version::names());
            let finding = match near.last() {
                Some(near) => finding.help(format!("did you mean `{near}`?")),
                None => finding.help(spelling::known("version", Version::names())),
            };
            self.findings.push(finding);
        } else if !is_first && is_own && named.is_some_and(|version| !version.is_2()) {
            let message = "the version of TOSCA must be the first line of a file";
            self.findings.push(Diagnostic::error(codes::VERSION, entry.key.span(), message));
        }
        Some(named.or(like).unwrap_or_default())
    }

    fn parse_imports(&mut self, root: Node<'_>, version: Version) -> Vec<Import> {
        let Some(entry) = root.get_entry("imports") else { return Vec::new() };
        let node = entry.value;
        if node.is_null() && !version.is_2() {
            return Vec::new();
        }
        let is_map = node.is_mapping() && !version.is_2();
        if !node.is_list() && !is_map {
            let message = format!("`imports` must be a list, this is {}", node.kind_name());
            self.findings.push(Diagnostic::error(codes::WRONG_SHAPE, node.span(), message));
            return Vec::new();
        }
        let mut imports = Vec::new();
        for entry in node.entries() {
            imports.extend(self.one_import(entry.value, entry.key.span(), version));
        }
        for item in node.items() {
            imports.extend(self.one_import(item, item.span(), version));
        }
        imports
    }

    /// One import: a word, a mapping, or before 2.0 a mapping from a name to one of them.
    fn one_import(&mut self, node: Node<'_>, name: Span, version: Version) -> Option<Import> {
        if !version.is_2()
            && node.is_mapping()
            && node.len() == 1
            && node.get("file").is_none()
            && let Some(named) = node.entries().next()
            && !grammar::file::IMPORT.keys.iter().any(|key| key.name == named.name())
        {
            return self.one_import(named.value, named.key.span(), version);
        }
        grammar::check(node, name, &grammar::file::IMPORT, version, self.findings);
        let text = |key: &str| node.get(key).filter(|node| node.as_str().is_some()).map(Name::of);
        let url =
            if node.is_scalar() { Some(Name::of(node)) } else { text("url").or(text("file")) };
        let prefix = text("namespace").or(text("namespace_prefix")).map(|name| name.text);
        let prefix = prefix.filter(|prefix| !prefix.is_empty());
        let target = match (url, text("profile")) {
            (Some(url), _) => Target::Url(url),
            (None, Some(profile)) => Target::Profile(profile),
            (None, None) => {
                if version.is_2() {
                    let message = "an import names a `url` or a `profile`";
                    self.findings.push(Diagnostic::error(codes::MISSING_KEY, name, message));
                }
                return None;
            }
        };
        Some(Import { target, repository: text("repository"), prefix, span: node.span() })
    }

    fn import(&mut self, from: usize, import: Import, version: Version) {
        let url = match import.target {
            Target::Profile(name) => {
                match profiles::named(&name.text) {
                    Some(text) => {
                        let profile = (name.text.as_str(), text);
                        self.profile(from, &[profile], import.prefix, name.span);
                    }
                    None if let Some(path) = self.profile_beside(from, &name.text) => {
                        self.local(from, &path, import.prefix, name.span, version);
                    }
                    None => {
                        let message = format!("the profile `{}` is not known", name.text);
                        self.unread(from, import.prefix, name.span, &message);
                    }
                }
                return;
            }
            Target::Url(url) => url,
        };
        if let Some(profile) = profiles::at_url(&url.text) {
            return self.profile(from, &[profile], import.prefix, url.span);
        }
        let mut base = String::new();
        if let Some(repository) = &import.repository {
            match self.texts[from].file.repositories.get(&repository.text) {
                Some(known) => base.clone_from(&known.text),
                None => {
                    let message = format!("there is no repository `{}`", repository.text);
                    let finding = Diagnostic::error(codes::UNKNOWN_NAME, repository.span, message);
                    self.findings.push(finding);
                    self.unread(from, import.prefix, import.span, "");
                    return;
                }
            }
        }
        // Before 2.0 some files name a profile where a file is meant.
        let is_name = |text: &str| text.contains(':') && !text.contains('/');
        if is_name(&url.text) && base.is_empty() && !is_elsewhere(&url.text) {
            if let Some(text) = profiles::named(&url.text) {
                return self.profile(from, &[(&url.text, text)], import.prefix, url.span);
            }
            if let Some(path) = self.profile_beside(from, &url.text) {
                return self.local(from, &path, import.prefix, url.span, version);
            }
        }
        let whole = join(&base, &url.text);
        if is_elsewhere(&whole) {
            let message = format!("`{whole}` is not fetched");
            return self.unread(from, import.prefix, url.span, &message);
        }
        self.local(from, &whole, import.prefix, url.span, version);
    }

    /// The file of a profile that is given by its name alone: one beside the importing file.
    fn profile_beside(&mut self, from: usize, name: &str) -> Option<String> {
        let importing = &self.texts[from].file;
        let path = importing.path.as_deref()?;
        let files = self.files.as_mut()?;
        let own = files.identity(Some(path), path.rsplit('/').next().unwrap_or(path)).ok();
        let (texts, by_identity, sources) = (&self.texts, &self.by_identity, &*self.sources);
        let known = |identity: &str| {
            let is_own = own.as_deref() == Some(identity);
            let at = by_identity.get(identity).map(|at| &texts[*at].file);
            let file = if is_own { Some(importing) } else { at };
            file.map(|file| sources.get(file.source).text.as_str())
        };
        self.beside.find(&mut **files, path, name, &known)
    }

    /// A file that is imported. One that was read before is not read again; of one that is known as
    /// a text, the text is left out.
    fn file(&mut self, from: Option<&str>, path: &str) -> Result<ReadFile, FileError> {
        let Some(files) = self.files.as_mut() else {
            return Err(FileError::Missing { name: path.to_owned() });
        };
        if let Ok(identity) = files.identity(from, path) {
            if let Some(file) = self.beside.take(&identity) {
                return Ok(file);
            }
            if let Some(at) = self.by_identity.get(&identity) {
                let name = self.texts[*at].file.path.clone().unwrap_or_default();
                return Ok(ReadFile { name, identity, text: String::new() });
            }
        }
        files.read(from, path)
    }

    /// Imports a file beside the importing one.
    fn local(
        &mut self,
        from: usize,
        path: &str,
        prefix: Option<String>,
        span: Span,
        version: Version,
    ) {
        let name = self.texts[from].file.path.clone();
        let Some(files) = self.files.as_mut() else {
            return self.unread(from, prefix, span, "this text stands alone");
        };
        let read = if is_archive(path) {
            match files.archive(name.as_deref(), path) {
                Ok(Some(file)) => Ok(file),
                Ok(None) => {
                    let message = format!("`{path}` is an archive that is not looked into");
                    return self.unread(from, prefix, span, &message);
                }
                Err(error) => Err(error),
            }
        } else {
            self.file(name.as_deref(), path)
        };
        // A path may also be meant from the root of the archive.
        let read = match read {
            Err(FileError::Missing { .. }) => self.file(None, path).or(read),
            read => read,
        };
        match read {
            Ok(file) => {
                if let Err(error) = self.stack.enter(&file, Some(span)) {
                    // Files that import each other know each other's names already.
                    let mut finding = error.diagnostic(span);
                    finding.severity = Severity::Error;
                    self.findings.push(finding);
                    return;
                }
                let known = self.by_identity.get(&file.identity).copied();
                let at = known.or_else(|| {
                    let identity = file.identity;
                    let name = file.name.clone();
                    let source = self.sources.add_included(file.name, file.text, Some(span));
                    let at = self.text(source, Some(name), Some(version))?;
                    self.by_identity.insert(identity, at);
                    Some(at)
                });
                self.stack.leave();
                match at {
                    Some(at) => self.texts[from].imports.push((at, prefix, span)),
                    None => self.unread(from, prefix, span, ""),
                }
            }
            Err(error) => {
                self.findings.push(error.diagnostic(span));
                self.unread(from, prefix, span, "");
            }
        }
    }

    /// Imports a profile that comes with the program.
    fn profile(
        &mut self,
        from: usize,
        stack: &[(&str, &'static str)],
        prefix: Option<String>,
        span: Span,
    ) {
        let names: Vec<&str> = stack.iter().map(|(name, _)| *name).collect();
        let identity = names.join(" ");
        let at = match self.by_identity.get(&identity) {
            Some(at) => Some(*at),
            None => {
                let mut members = Vec::new();
                for (name, text) in stack {
                    let source = self.sources.add_included(*name, *text, Some(span));
                    members.extend(self.text(source, None, None));
                }
                let last = members.last().copied();
                for member in &members {
                    self.texts[*member].stack.clone_from(&members);
                }
                self.by_identity.extend(last.map(|last| (identity, last)));
                last
            }
        };
        if let Some(at) = at {
            self.texts[from].imports.push((at, prefix, span));
        }
    }

    /// An import that could not be looked at; without a message it was reported already.
    fn unread(&mut self, from: usize, prefix: Option<String>, span: Span, message: &str) {
        if !message.is_empty() {
            let finding = Diagnostic::warning(codes::UNREAD_IMPORT, span, message.to_owned());
            self.findings.push(finding.help("names that come from it are not checked"));
        }
        let text = &mut self.texts[from];
        match prefix {
            Some(prefix) => {
                text.unread.insert(prefix);
            }
            None => text.is_open = true,
        }
    }
}

/// Metadata means nothing to an orchestrator, so a key that is given twice there is doubtful only.
fn in_metadata(root: Node<'_>, mut finding: Diagnostic) -> Diagnostic {
    let span = root.get("metadata").map(Node::span);
    let is_inside = span
        .is_some_and(|span| span.start <= finding.primary.start && finding.primary.end <= span.end);
    if is_inside && finding.code == tree::DUPLICATE_KEY {
        finding.severity = Severity::Warning;
    }
    if finding.code == tree::DUPLICATE_KEY {
        finding.quirk = Some(switches::DUPLICATE_KEYS);
    }
    finding
}

/// An address within a repository.
fn join(base: &str, path: &str) -> String {
    match base {
        "" => path.to_owned(),
        base if base.ends_with('/') => format!("{base}{path}"),
        base => format!("{base}/{path}"),
    }
}

/// Whether an address is not beside the importing file.
fn is_elsewhere(address: &str) -> bool {
    address.contains("://") || address.starts_with("file:")
}

/// Whether a path names an archive.
fn is_archive(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    [".csar", ".zip", ".tar", ".tgz", ".tar.gz"].iter().any(|ending| path.ends_with(ending))
}

/// The place of the first key, for what is missing.
pub(super) fn first(root: Node<'_>) -> Span {
    root.entries().next().map_or(root.span(), |entry| entry.key.span())
}

/// The types that a file declares.
pub(super) fn declared(root: Node<'_>) -> impl Iterator<Item = (TypeKind, tree::Entry<'_>)> {
    TypeKind::ALL.iter().flat_map(move |kind| {
        let section = root.get(kind.section());
        section.into_iter().flat_map(Node::entries).map(|entry| (*kind, entry))
    })
}

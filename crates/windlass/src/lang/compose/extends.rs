//! `extends`: a service over another service, of the same file or of another one.

use super::item::{Data, Item};
use super::load::{Loader, Scope};
use super::{BAD_EXTENDS, interpolate, item, merge, unicity};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::spelling;

/// Services that extend each other in a row.
const MAX_DEPTH: usize = 100;

/// What a service extends.
struct Extends {
    service: String,
    file: Option<(String, Span)>,
    at: Span,
}

/// The services that are being extended: file, service, place.
type Chain = Vec<(String, String, Span)>;

impl Loader<'_> {
    /// Replaces every service that extends another by the two put together.
    pub(super) fn extend_services(&mut self, document: &mut Item, scope: &Scope) {
        let Some(services) = document.map_mut().and_then(|map| map.get_mut("services")) else {
            return;
        };
        let services = &mut services.item;
        let names: Vec<String> = services.entries().map(|(name, _)| name.clone()).collect();
        let file = self.base(services.span.source);
        for name in names {
            self.extended(&name, services, &file, scope, &mut Vec::new());
        }
    }

    /// The service with what it extends, also put back among the services.
    fn extended(
        &mut self,
        name: &str,
        services: &mut Item,
        file: &str,
        scope: &Scope,
        chain: &mut Chain,
    ) -> Option<Item> {
        let service = services.get(name)?.clone();
        let Ok(extends) = self.what_is_extended(name, &service) else {
            self.is_incomplete = true;
            return None;
        };
        let Some(extends) = extends else { return Some(service) };
        if !self.enter_extends(file, name, extends.at, chain) {
            self.is_incomplete = true;
            return None;
        }
        let base = match &extends.file {
            None => {
                if services.map().is_none_or(|map| !map.contains_key(&extends.service)) {
                    self.report_missing(name, &extends, services);
                    None
                } else {
                    self.extended(&extends.service, services, file, scope, chain)
                }
            }
            Some((path, at)) => self.of_file(name, &extends, path, *at, scope, chain),
        };
        chain.pop();
        let mut own = service;
        if let Some(map) = own.map_mut() {
            map.remove("extends");
        }
        let merged = match base {
            Some(base) => {
                let mut path = vec!["services".to_owned(), name.to_owned()];
                merge::merge(base, own, &mut path, &mut self.findings)
            }
            None => own,
        };
        if let Some(entry) = services.map_mut().and_then(|map| map.get_mut(name)) {
            entry.item = merged.clone();
        }
        Some(merged)
    }

    fn what_is_extended(&mut self, name: &str, service: &Item) -> Result<Option<Extends>, ()> {
        let Some(extends) = service.get("extends") else { return Ok(None) };
        if let Some(service) = extends.as_str() {
            let service = service.to_owned();
            return Ok(Some(Extends { service, file: None, at: extends.span }));
        }
        match extends.get("service").and_then(Item::as_str) {
            Some(other) => Ok(Some(Extends {
                service: other.to_owned(),
                file: extends.get("file").map(|file| (file.plain(), file.span)),
                at: extends.get("service").map_or(extends.span, |item| item.span),
            })),
            None => {
                let message = format!("`services.{name}.extends` does not say which service");
                let help = "write `service: NAME` below it";
                self.findings.push(extends.error(BAD_EXTENDS, message).help(help));
                Err(())
            }
        }
    }

    fn enter_extends(&mut self, file: &str, name: &str, at: Span, chain: &mut Chain) -> bool {
        let cycle = chain.iter().any(|(f, s, _)| f == file && s == name);
        if cycle || chain.len() >= MAX_DEPTH {
            let words = if cycle {
                let names: Vec<_> = chain.iter().map(|(_, s, _)| format!("`{s}`")).collect();
                format!("`{name}` extends itself: {} -> `{name}`", names.join(" -> "))
            } else {
                format!("`{name}` is extended through more than {MAX_DEPTH} services")
            };
            let help = "take one `extends` out; what the services share goes into another one";
            self.findings.push(Diagnostic::error(BAD_EXTENDS, at, words).help(help));
            return false;
        }
        chain.push((file.to_owned(), name.to_owned(), at));
        true
    }

    fn report_missing(&mut self, name: &str, extends: &Extends, services: &Item) {
        self.is_incomplete = true;
        let other = &extends.service;
        let message = format!("`{name}` extends the service `{other}`, which does not exist");
        let finding = Diagnostic::error(BAD_EXTENDS, extends.at, message);
        let known: Vec<&str> = services.entries().map(|(name, _)| name.as_str()).collect();
        let known = known.into_iter();
        let help = spelling::advice("service", other, known, 0).unwrap_or_default();
        self.findings.push(finding.help(help));
    }

    /// A service of another file, with what it extends itself.
    fn of_file(
        &mut self,
        name: &str,
        extends: &Extends,
        path: &str,
        at: Span,
        scope: &Scope,
        chain: &mut Chain,
    ) -> Option<Item> {
        let base = self.base(at.source);
        let Some(file) = self.file(&base, path, at) else {
            self.is_incomplete = true;
            return None;
        };
        let key = file.identity.clone();
        // What is being extended is taken out meanwhile; a file that comes back to itself is read
        // again, as often as services extend each other.
        let known = self.extended.remove(&key);
        let services = if let Some(known) = known {
            known
        } else {
            let id = self.sources.add_included(file.name.clone(), file.text, Some(at));
            self.bases.insert(id, file.name.clone());
            self.services_of(id, scope)
        };
        let Some(mut services) = services else {
            // What is wrong with a file is reported once, however many files extend it.
            self.is_incomplete = true;
            self.extended.insert(key, None);
            return None;
        };
        if services.map().is_none_or(|map| !map.contains_key(&extends.service)) {
            self.report_missing(name, extends, &services);
            self.extended.insert(key, Some(services));
            return None;
        }
        let found = self.extended(&extends.service, &mut services, &file.name, scope, chain);
        self.extended.insert(key, Some(services));
        found
    }

    /// The services of a file, with their variables replaced.
    fn services_of(&mut self, id: crate::source::SourceId, scope: &Scope) -> Option<Item> {
        let tree = self.parse(id);
        let mut whole: Option<Item> = None;
        for (_, root) in tree.documents() {
            let mut document = item::from_node(root, &mut Vec::new(), &mut self.findings);
            interpolate::interpolate(&mut document, &scope.environment, &mut self.findings);
            whole = Some(match whole {
                Some(before) => merge::merge(before, document, &mut Vec::new(), &mut self.findings),
                None => document,
            });
        }
        let mut whole = whole?;
        unicity::enforce(&mut whole, &mut Vec::new());
        match whole.map_mut().and_then(|map| map.remove("services")) {
            Some(services) if matches!(services.item.data, Data::Map(_)) => Some(services.item),
            _ => {
                let message = "a file that is extended has no mapping `services`";
                let help = "write its services below the key `services`, or name another file";
                self.findings.push(whole.error(BAD_EXTENDS, message).help(help));
                None
            }
        }
    }
}

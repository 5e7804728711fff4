//! BARREL's language: TOSCA 1.0 XML whose node types carry management protocols (paper 003 and
//! the fault handlers that came later), usually inside a CSAR.
//!
//! An application without any fault handler follows the relation `forbidden` of paper 003, one
//! with handlers the relation `handled`. An operation is called `Interface.operation`; the
//! interface `Lifecycle`, which nearly every file uses, is left out. Operations that BARREL adds by
//! itself, such as `Special.Crash`, need no declaration.
//!
//! Reading order: `lower.rs` and `protocol.rs` (names become indices), `plain.rs` (types without
//! a protocol), `expressible.rs` (what the format can say), `render.rs` (protocols as XML),
//! `print.rs` (a new CSAR), `rewrite.rs` (changed protocols in a CSAR that is there, every other
//! byte kept).

mod expressible;
mod lower;
mod plain;
mod print;
mod protocol;
mod render;
mod rewrite;

pub use print::print;
pub use rewrite::rewrite;

use super::Reading;
use super::language::{Context, Kind, Language, Reader, Text, reborrow};
use crate::application::Application;
use crate::diagnostic::{self, Diagnostic};
use crate::lang::tosca::xml::{self, Library, definitions::TOSCA};
use crate::source::files::{Files, MemoryFiles};

/// The namespace of management protocols.
pub(crate) const PROTOCOL: &str = "http://di.unipi.it/~soldani/mprot";

/// A name that nothing declares.
pub(crate) const UNKNOWN_NAME: &str = "BARREL001";
/// An attribute or element that must be there and is not.
pub(crate) const MISSING: &str = "BARREL002";
/// A node type that is used and has no management protocol.
pub(crate) const NO_PROTOCOL: &str = "BARREL003";
/// No service template, or more than one.
pub(crate) const SERVICE_TEMPLATES: &str = "BARREL004";
/// An operation that is used and not declared.
pub(crate) const UNDECLARED_OPERATION: &str = "BARREL005";
/// Something that is declared twice.
pub(crate) const DECLARED_TWICE: &str = "BARREL006";
/// A name that cannot be one.
pub(crate) const BAD_NAME: &str = "BARREL007";
/// A requirement that contains in one node and connects in another.
pub(crate) const MIXED_CONTAINMENT: &str = "BARREL008";

/// The interface whose operations BARREL adds by itself.
const SPECIAL: &str = "Special";
/// The interface that the names of operations leave out.
const LIFECYCLE: &str = "Lifecycle";

impl Language {
    /// TOSCA 1.0 XML with management protocols, as BARREL of paper 003 reads it.
    pub const BARREL: Language = Language::new(&Barrel);
}

#[derive(Debug)]
struct Barrel;

impl Reader for Barrel {
    fn name(&self) -> &'static str {
        "barrel"
    }

    fn recognize_text(&self, text: &str) -> Option<Kind> {
        detect(text).then_some(Kind::Application)
    }

    fn is_yaml(&self) -> bool {
        false
    }

    /// Definitions without a service template are for others to import.
    fn is_library(&self, text: &str) -> bool {
        !text.contains("ServiceTemplate")
    }

    fn read(&self, text: Text, context: &mut Context<'_>) -> Reading {
        let mut findings = Vec::new();
        let mut none = MemoryFiles::default();
        let name = context.sources.get(text.id).name.clone();
        let (path, files) = match reborrow(&mut context.files) {
            Some(files) => (context.path, files),
            None => (name.as_str(), &mut none as &mut dyn Files),
        };
        let library = xml::load(text.id, path, context.sources, files, &mut findings);
        let application = read(&library, &mut findings);
        let application = application.filter(|_| !super::has_errors(&findings));
        diagnostic::sort(&mut findings);
        Reading { application, findings, ..Reading::default() }
    }
}

/// A file of an archive: its path and its text.
pub type ArchiveFile = (String, String);

/// Whether a text looks like XML with TOSCA 1.0 definitions.
pub(crate) fn detect(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    text.starts_with('<') && text.contains(TOSCA)
}

/// Lowers definitions; the application is there when they have no errors.
pub(crate) fn read(library: &Library, findings: &mut Vec<Diagnostic>) -> Option<Application> {
    let before = findings.len();
    let lowered = lower::lower(library, findings)?;
    (!super::has_errors(&findings[before..])).then_some(lowered.application)
}

/// Reports a name that nothing declares.
fn unknown<'a>(
    what: &str,
    written: &xml::Attribute,
    known: impl Iterator<Item = &'a str> + Clone,
    findings: &mut Vec<Diagnostic>,
) {
    let name = &written.value;
    let finding = Diagnostic::error(UNKNOWN_NAME, written.span, format!("unknown {what} `{name}`"));
    let advice = crate::spelling::advice(what, name, known, findings.len());
    findings.push(match advice {
        Some(advice) => finding.help(advice),
        None => finding,
    });
}

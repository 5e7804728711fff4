//! The codes that readers report on the way: what a file must be before a rule can look at it.
//!
//! They have no check of their own; the reader that finds one of them names the code. The page of
//! each is still a test where a text can show it.

use super::{Rule, page};
use crate::diagnostic::Severity::{self, Error, Note, Warning};

/// Codes of files, of YAML and JSON, of settings, and of the syntax of each language.
pub const CODES: &[&Rule] = &[
    // `windlass.toml` and the comments that suppress findings.
    &code("CFG001", "settings-syntax", Error, "windlass.toml is not valid TOML", page!("CFG001")),
    &code("CFG002", "unknown-setting", Error, "windlass.toml has an unknown key", page!("CFG002")),
    &code("CFG003", "wrong-setting", Error, "a setting has a wrong value", page!("CFG003")),
    &code("CFG004", "unknown-code", Warning, "no finding has this code", page!("CFG004")),
    &code(
        "CFG005",
        "suppression-without-reason",
        Warning,
        "a comment suppresses a finding and does not say why",
        page!("CFG005"),
    ),
    &code(
        "CFG006",
        "useless-suppression",
        Warning,
        "a comment suppresses a finding that is not there",
        page!("CFG006"),
    ),
    // What a file and an archive must be.
    &code(
        "FILE001",
        "missing-file",
        Error,
        "a file that is imported does not exist",
        page!("FILE001"),
    ),
    &code(
        "FILE002",
        "file-outside-root",
        Error,
        "a path leaves the folder that may be read",
        page!("FILE002"),
    ),
    &code("FILE003", "file-too-large", Error, "a file is larger than the limit", page!("FILE003")),
    &code(
        "FILE004",
        "too-many-files",
        Error,
        "more files, bytes or nested imports than the limits allow",
        page!("FILE004"),
    ),
    &code("FILE005", "not-utf-8", Error, "a file is not UTF-8 text", page!("FILE005")),
    &code(
        "FILE006",
        "import-cycle",
        Error,
        "a file imports itself, directly or through others",
        page!("FILE006"),
    ),
    &code("FILE007", "broken-archive", Error, "an archive cannot be read", page!("FILE007")),
    &code(
        "FILE008",
        "archive-bomb",
        Error,
        "an archive unpacks to more than the limit",
        page!("FILE008"),
    ),
    &code(
        "FILE009",
        "unsafe-archive-name",
        Error,
        "an archive contains a name that leaves it",
        page!("FILE009"),
    ),
    &code(
        "FILE010",
        "unreadable-file",
        Error,
        "a path exists but is not a file that can be read",
        page!("FILE010"),
    ),
    &code(
        "FILE011",
        "remote-import",
        Error,
        "an import names an address on the network",
        page!("FILE011"),
    ),
    // YAML and JSON.
    &code("YAML001", "yaml-syntax", Error, "the text is not valid YAML or JSON", page!("YAML001")),
    &code(
        "YAML002",
        "duplicate-key",
        Error,
        "a mapping gives the same key twice",
        page!("YAML002"),
    ),
    &code(
        "YAML003",
        "nested-too-deep",
        Error,
        "lists and mappings are nested too deep",
        page!("YAML003"),
    ),
    &code("YAML004", "too-large", Error, "the file has too many bytes or values", page!("YAML004")),
    &code(
        "YAML005",
        "unknown-anchor",
        Error,
        "an alias refers to an anchor that does not exist",
        page!("YAML005"),
    ),
    &code(
        "YAML006",
        "recursive-alias",
        Error,
        "an alias stands inside the value it refers to",
        page!("YAML006"),
    ),
    &code(
        "YAML007",
        "wrong-merge",
        Error,
        "a merge key has a value that cannot be merged",
        page!("YAML007"),
    ),
    &code("YAML009", "empty-file", Error, "the file has no content", page!("YAML009")),
    &code(
        "YAML010",
        "findings-left-out",
        Note,
        "a file has more findings than are shown",
        page!("YAML010"),
    ),
    // Our own language.
    &code("WL001", "unknown-key", Error, "a key means nothing where it stands", page!("WL001")),
    &code("WL002", "wrong-type", Error, "a value is of the wrong kind", page!("WL002")),
    &code("WL003", "missing-key", Error, "a key that must be there is not", page!("WL003")),
    &code("WL004", "unknown-name", Error, "a name is used that nothing declares", page!("WL004")),
    &code("WL005", "bad-value", Error, "a value of the right kind means nothing", page!("WL005")),
    &code("WL006", "declared-twice", Error, "the same thing is declared twice", page!("WL006")),
    &code("WL007", "life-cycle", Error, "a type has no life cycle, or two", page!("WL007")),
    &code("WL008", "unknown-document", Error, "the file is none of our documents", page!("WL008")),
    &code("WL009", "conflicting-keys", Error, "keys exclude or need each other", page!("WL009")),
    &code(
        "WL010",
        "state-does-not-fit",
        Error,
        "a state speaks of what the application does not have",
        page!("WL010"),
    ),
    &code(
        "WL011",
        "plan-does-not-fit",
        Error,
        "an action of a plan lacks something, or has too much",
        page!("WL011"),
    ),
    &code(
        "GOAL001",
        "bad-goal",
        Error,
        "a goal cannot be read or does not fit the application",
        page!("GOAL001"),
    ),
];

/// A code without a check.
const fn code(
    code: &'static str,
    name: &'static str,
    severity: Severity,
    summary: &'static str,
    doc: &'static str,
) -> Rule {
    Rule { code, name, severity, summary, paper: None, doc, check: None }
}

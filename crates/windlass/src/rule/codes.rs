//! The codes of what is found before a language is known, and of languages without a folder here:
//! files, YAML, JSON and XML, settings, and the syntax of each such language.
//!
//! The reader that finds one of them names the code. The page of each is still a test where a text
//! can show it.

use super::{LooksAt, Rule, Tag, code};

/// Every code, by what it is about.
pub(super) const CODES: &[&Rule] = &[
    // `windlass.toml` and the comments that suppress findings.
    code!("CFG001", "settings-syntax", Error, "windlass.toml is not valid TOML"),
    code!("CFG002", "unknown-setting", Error, "windlass.toml has an unknown key"),
    code!("CFG003", "wrong-setting", Error, "a setting has a wrong value"),
    code!("CFG004", "unknown-code", Warning, "no finding has this code"),
    code!(
        "CFG005",
        "suppression-without-reason",
        Warning,
        "a comment suppresses a finding and does not say why"
    ),
    code!(
        "CFG006",
        "useless-suppression",
        Warning,
        "a comment suppresses a finding that is not there"
    ),
    // Concerto's JSON.
    code!(
        "CONCERTO001",
        "unknown-concerto-name",
        Error,
        "a Concerto file uses a name that nothing declares"
    ),
    code!(
        "CONCERTO002",
        "bad-concerto-value",
        Error,
        "a value in a Concerto file is of the wrong kind or means nothing"
    ),
    code!("CONCERTO003", "missing-concerto-key", Error, "a key that Concerto needs is not there"),
    code!("CONCERTO004", "unknown-concerto-key", Warning, "a key of a Concerto file means nothing"),
    code!(
        "CONCERTO005",
        "declared-twice-in-concerto",
        Error,
        "a Concerto file declares the same thing twice"
    ),
    // OCCI's JSON.
    code!(
        "OCCI001",
        "broken-occi-configuration",
        Error,
        "an OCCI configuration lacks an id, a kind or the end of a link"
    ),
    // What a file and an archive must be.
    code!("FILE001", "missing-file", Error, "a file that is named or imported does not exist"),
    code!("FILE002", "file-outside-root", Error, "a path leaves the folder that may be read"),
    code!("FILE003", "file-too-large", Error, "a file is larger than the limit"),
    code!(
        "FILE004",
        "too-many-files",
        Error,
        "more files, bytes or nested imports than the limits allow",
        tags = &[Tag::Archive]
    ),
    code!("FILE005", "not-utf-8", Error, "a file is not UTF-8 text"),
    code!("FILE006", "import-cycle", Error, "a file imports itself, directly or through others"),
    code!("FILE007", "broken-archive", Error, "an archive cannot be read", tags = &[Tag::Archive]),
    code!(
        "FILE008",
        "archive-bomb",
        Error,
        "an archive unpacks to more than the limit",
        tags = &[Tag::Archive]
    ),
    code!(
        "FILE009",
        "unsafe-archive-name",
        Error,
        "an archive contains a name that leaves it",
        tags = &[Tag::Archive]
    ),
    code!("FILE010", "unreadable-file", Error, "a path exists but is not a file that can be read"),
    code!("FILE011", "remote-import", Error, "an import names an address on the network"),
    code!(
        "FILE012",
        "several-entries",
        Error,
        "an archive does not say with which of its files it begins",
        tags = &[Tag::Archive]
    ),
    // Languages.
    code!(
        "LANG001",
        "language-not-read-yet",
        Error,
        "a file is in a language that is recognized and not read yet"
    ),
    code!("LANG002", "unknown-language", Error, "a file is in no known language"),
    // YAML and JSON.
    code!(
        "YAML001",
        "yaml-syntax",
        Error,
        "the text is not valid YAML or JSON",
        looks_at = LooksAt::Syntax
    ),
    code!(
        "YAML002",
        "duplicate-key",
        Error,
        "a mapping gives the same key twice",
        looks_at = LooksAt::Syntax
    ),
    code!(
        "YAML003",
        "nested-too-deep",
        Error,
        "lists and mappings are nested too deep",
        looks_at = LooksAt::Syntax
    ),
    code!(
        "YAML004",
        "too-large",
        Error,
        "the file has too many bytes or values",
        looks_at = LooksAt::Syntax
    ),
    code!(
        "YAML005",
        "unknown-anchor",
        Error,
        "an alias refers to an anchor that does not exist",
        looks_at = LooksAt::Syntax
    ),
    code!(
        "YAML006",
        "recursive-alias",
        Error,
        "an alias is inside the value that it refers to",
        looks_at = LooksAt::Syntax
    ),
    code!(
        "YAML007",
        "wrong-merge",
        Error,
        "a merge key has a value that cannot be merged",
        looks_at = LooksAt::Syntax
    ),
    code!("YAML009", "empty-file", Error, "the file has no content", looks_at = LooksAt::Syntax),
    code!(
        "YAML010",
        "findings-left-out",
        Note,
        "a file has more findings than are shown",
        looks_at = LooksAt::Syntax
    ),
    // Our own language.
    code!("WL001", "unknown-key", Error, "a key means nothing at this place"),
    code!("WL002", "wrong-type", Error, "a value is of the wrong kind"),
    code!("WL003", "missing-key", Error, "a key that must be there is not"),
    code!("WL004", "unknown-name", Error, "a name is used that nothing declares"),
    code!("WL005", "bad-value", Error, "a value of the right kind means nothing"),
    code!("WL006", "declared-twice", Error, "the same thing is declared twice"),
    code!("WL007", "not-one-life-cycle", Error, "a type has no life cycle, or two"),
    code!("WL008", "unknown-document", Error, "the file is none of our documents"),
    code!("WL009", "conflicting-keys", Error, "keys exclude or need each other"),
    code!(
        "WL010",
        "state-does-not-fit",
        Error,
        "a state speaks of what the application does not have"
    ),
    code!(
        "WL011",
        "plan-does-not-fit",
        Error,
        "an action of a plan lacks something, or has too much"
    ),
    code!("WL012", "bad-rule", Error, "a rule says nothing sensible"),
    code!("WL013", "bad-topology", Error, "a topology that its rules do not allow"),
    code!("GOAL001", "bad-goal", Error, "a goal cannot be read or does not fit the application"),
    // The JSON of RAMP.
    code!("RAMP001", "unknown-ramp-name", Error, "a RAMP file uses a name that nothing declares"),
    code!("RAMP002", "wrong-ramp-type", Error, "a value in a RAMP file is of the wrong kind"),
    code!("RAMP003", "missing-ramp-key", Error, "a key that RAMP needs is not there"),
    code!(
        "RAMP004",
        "missing-ramp-list",
        Note,
        "a list that RAMP needs is not there and reads as empty"
    ),
    code!("RAMP005", "bad-ramp-value", Error, "a value in a RAMP file means nothing"),
    code!(
        "RAMP006",
        "unlisted-ramp-name",
        Warning,
        "a capability or operation is used and not listed"
    ),
    code!("RAMP007", "declared-twice-in-ramp", Error, "a RAMP file declares the same thing twice"),
    code!("RAMP008", "unknown-ramp-key", Warning, "RAMP ignores a key"),
    code!(
        "RAMP009",
        "ramp-state-does-not-fit",
        Error,
        "a RAMP state speaks of what the application does not have"
    ),
    code!(
        "RAMP010",
        "half-an-operation",
        Error,
        "a plan of RAMP's older format orders half of an operation"
    ),
    // XML, and TOSCA 1.0 with management protocols as BARREL reads it.
    code!(
        "XML001",
        "xml-syntax",
        Error,
        "the text is not well-formed XML",
        looks_at = LooksAt::Syntax
    ),
    code!(
        "XML002",
        "xml-document-type",
        Error,
        "an XML text has a document type",
        looks_at = LooksAt::Syntax
    ),
    code!(
        "XML003",
        "xml-nested-too-deep",
        Error,
        "XML elements are nested too deep",
        looks_at = LooksAt::Syntax
    ),
    code!(
        "XML004",
        "xml-too-large",
        Error,
        "an XML text has too many bytes, elements, attributes or namespaces",
        looks_at = LooksAt::Syntax
    ),
    code!("BARREL001", "unknown-barrel-name", Error, "a name is used that no definition declares"),
    code!(
        "BARREL002",
        "missing-xml-part",
        Error,
        "an attribute or element that must be there is not"
    ),
    code!(
        "BARREL003",
        "no-management-protocol",
        Error,
        "a node type that is used has no management protocol"
    ),
    code!(
        "BARREL004",
        "not-one-service-template",
        Error,
        "there is no service template, or more than one"
    ),
    code!(
        "BARREL005",
        "undeclared-operation",
        Warning,
        "a protocol uses an operation that no interface declares"
    ),
    code!(
        "BARREL006",
        "declared-twice-in-barrel",
        Error,
        "definitions declare the same thing twice"
    ),
    code!("BARREL007", "bad-barrel-name", Error, "a name in definitions cannot be one"),
    code!(
        "BARREL008",
        "mixed-containment",
        Error,
        "a requirement contains in one node and connects in another"
    ),
    // Plans of TosKer.
    code!("TOSKER001", "bad-plan-line", Error, "a line of a TosKer plan names no operation"),
    code!(
        "TOSKER002",
        "unknown-tosker-kind",
        Error,
        "a node is of a kind that TosKer does not bring up"
    ),
];

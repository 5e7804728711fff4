//! Weaving rules: how the operations of nodes and relationships become one order.
//!
//! The Simple Profile 1.3 (section 7.2) gives one order; every engine has its own. A rule set is a
//! row of a table, so that one can ask whether a service still comes up under another one.
//!
//! A service chooses by a policy whose type is called `windlass.policies.Weaving`, with the name of
//! a row as its property `rules`.

/// How far a node has come when others can rely on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// It has been created.
    Created,
    /// It has come all the way up.
    Started,
}

/// The parts of the way up, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    /// Up to the end of `create`.
    Create,
    /// Up to the end of `configure`.
    Configure,
    /// Up to the end of `start`.
    Start,
}

/// What the source of a relationship needs, and from when on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Need {
    /// How far the target has to be.
    pub(crate) target: Level,
    /// The first phase of the source that needs it; it is needed until the source is deleted.
    pub(crate) from: Phase,
}

/// What a relationship means for the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// `HostedOn`: the source lives in the target.
    Hosted,
    /// `ConnectsTo`.
    Connects,
    /// Any other: the source depends on the target.
    Depends,
}

/// When the operations that take a relationship away run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaving {
    /// Before the source stops.
    BeforeStop,
    /// After the source has stopped.
    AfterStop,
    /// They do not run.
    Never,
}

/// One rule set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Weaving {
    /// Its name.
    pub(crate) name: &'static str,
    /// `HostedOn`.
    pub(crate) hosted: Need,
    /// `ConnectsTo`.
    pub(crate) connects: Need,
    /// Every other relationship.
    pub(crate) depends: Need,
    /// Whether the operations of targets come before those of sources around `configure`.
    pub(crate) targets_first: bool,
    /// Whether `add_target` and `add_source` run, once both ends are started.
    pub(crate) joining: bool,
    /// When `remove_target` and `remove_source` run.
    pub(crate) leaving: Leaving,
}

const STARTED_FIRST: Need = Need { target: Level::Started, from: Phase::Create };
const STARTED_BEFORE_START: Need = Need { target: Level::Started, from: Phase::Start };
const CREATED_FIRST: Need = Need { target: Level::Created, from: Phase::Create };

/// The Simple Profile 1.3, section 7.2: a node is created when everything it needs is started. What
/// takes relationships away is left open there and runs before the source stops.
pub(crate) const SIMPLE_1_3: Weaving = Weaving {
    name: "simple-1.3",
    hosted: STARTED_FIRST,
    connects: STARTED_FIRST,
    depends: STARTED_FIRST,
    targets_first: false,
    joining: true,
    leaving: Leaving::BeforeStop,
};

/// Every rule set; the first one is the default.
pub(crate) const ALL: &[Weaving] = &[
    SIMPLE_1_3,
    Weaving { name: "a4c", ..SIMPLE_1_3 },
    Weaving { name: "aria", leaving: Leaving::AfterStop, ..SIMPLE_1_3 },
    Weaving { name: "opera", joining: false, leaving: Leaving::Never, ..SIMPLE_1_3 },
    Weaving { name: "unfurl", targets_first: true, leaving: Leaving::AfterStop, ..SIMPLE_1_3 },
    Weaving { name: "cloudnet", leaving: Leaving::AfterStop, ..SIMPLE_1_3 },
    Weaving {
        name: "cloudnet-parallel",
        connects: STARTED_BEFORE_START,
        leaving: Leaving::AfterStop,
        ..SIMPLE_1_3
    },
    // The case study of paper 001: rules R01 to R12.
    Weaving {
        name: "setup",
        hosted: CREATED_FIRST,
        connects: STARTED_BEFORE_START,
        depends: STARTED_BEFORE_START,
        ..SIMPLE_1_3
    },
];

impl Weaving {
    /// The rule set with this name.
    pub(crate) fn named(name: &str) -> Option<&'static Weaving> {
        ALL.iter().find(|weaving| weaving.name == name)
    }

    /// The names of all rule sets.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        ALL.iter().map(|weaving| weaving.name)
    }

    /// What a relationship of this kind needs.
    pub(crate) fn need(&self, kind: Kind) -> Need {
        match kind {
            Kind::Hosted => self.hosted,
            Kind::Connects => self.connects,
            Kind::Depends => self.depends,
        }
    }
}

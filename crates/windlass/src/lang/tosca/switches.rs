//! Quirks that can be switched on: what files of other processors do against the text of the
//! standard. Each has a name; one that is on turns an error into a warning that says so.
//!
//! The check that finds an error says which quirk tolerates it, and only there: what a quirk is
//! not about stays an error. Nothing is tolerated unless a quirk is switched on. What is always
//! tolerated, because it does no harm, is in `quirks`.

use crate::diagnostic::{Diagnostic, Severity};
use std::collections::BTreeSet;

/// Keys that 1.3 has and 2.0 has no more.
pub(crate) const KEYS_OF_1_3: &str = "keys-of-1.3";
/// Data types that 1.3 has and 2.0 has no more.
pub(crate) const TYPES_OF_1_3: &str = "types-of-1.3";
/// Calls of functions in 2.0 without the dollar sign.
pub(crate) const FUNCTIONS_WITHOUT_DOLLAR: &str = "functions-without-dollar";
/// Functions that are declared in metadata.
pub(crate) const FUNCTIONS_IN_METADATA: &str = "functions-in-metadata";
/// Node states of one's own.
pub(crate) const FREE_STATES: &str = "free-states";
/// Operations that are implemented in interface types.
pub(crate) const IMPLEMENTED_INTERFACE_TYPES: &str = "implemented-interface-types";
/// A namespace `tosca` that no import gives.
pub(crate) const NAMESPACE_TOSCA: &str = "namespace-tosca";
/// Fractions of units of a scalar of whole numbers.
pub(crate) const FRACTIONS_OF_UNITS: &str = "fractions-of-units";
/// Timestamps with blanks.
pub(crate) const LOOSE_TIMESTAMPS: &str = "loose-timestamps";
/// Versions whose qualifier follows a hyphen.
pub(crate) const LOOSE_VERSIONS: &str = "loose-versions";
/// The truth values of YAML 1.1, also for integers.
pub(crate) const LOOSE_BOOLEANS: &str = "loose-booleans";
/// Targets without the capability that a requirement wants.
pub(crate) const UNCHECKED_TARGETS: &str = "unchecked-targets";
/// Requirements that the type of a node does not declare.
pub(crate) const UNDECLARED_REQUIREMENTS: &str = "undeclared-requirements";
/// Inputs put into properties of another type.
pub(crate) const UNCHECKED_INPUTS: &str = "unchecked-inputs";
/// Names below `concat`.
pub(crate) const UNCHECKED_CONCAT: &str = "unchecked-concat";
/// Types of other kinds that are declared below `node_types`.
pub(crate) const TYPES_BELOW_NODE_TYPES: &str = "types-below-node-types";
/// Data types as the types of capabilities.
pub(crate) const DATA_TYPES_FOR_CAPABILITIES: &str = "data-types-for-capabilities";
/// Operations that are lists.
pub(crate) const LISTED_OPERATIONS: &str = "listed-operations";
/// Policy types and triggers as Tacker has them.
pub(crate) const POLICIES_OF_TACKER: &str = "policies-of-tacker";
/// Keys that are there twice.
pub(crate) const DUPLICATE_KEYS: &str = "duplicate-keys";

/// A quirk by its name, and what it tolerates.
#[derive(Debug, Clone, Copy)]
pub struct Switch {
    /// Its name.
    pub name: &'static str,
    /// What a file may then do, for people.
    pub tolerates: &'static str,
    /// The set that it belongs to.
    pub set: &'static str,
}

const fn switch(name: &'static str, set: &'static str, tolerates: &'static str) -> Switch {
    Switch { name, tolerates, set }
}

/// The set for what tosca-parser of OpenStack accepts.
pub(crate) const TOSCA_PARSER: &str = "tosca-parser";
/// The set for what puccini accepts.
pub(crate) const PUCCINI: &str = "puccini";
/// Names that stand for several quirks.
pub const SETS: &[&str] = &[TOSCA_PARSER, PUCCINI];

/// Every quirk, by set and name.
pub const ALL: &[Switch] = &[
    switch(FRACTIONS_OF_UNITS, PUCCINI, "`1.23 GB` where units must be whole"),
    switch(FREE_STATES, PUCCINI, "node states of one's own in `set_state`"),
    switch(FUNCTIONS_IN_METADATA, PUCCINI, "functions that `metadata` declares"),
    switch(FUNCTIONS_WITHOUT_DOLLAR, PUCCINI, "functions of 2.0 without the dollar sign"),
    switch(IMPLEMENTED_INTERFACE_TYPES, PUCCINI, "operations implemented in an interface type"),
    switch(KEYS_OF_1_3, PUCCINI, "keys in a file of 2.0 that 1.3 had"),
    switch(LOOSE_TIMESTAMPS, PUCCINI, "timestamps of 2.0 with blanks"),
    switch(LOOSE_VERSIONS, PUCCINI, "versions whose qualifier follows a hyphen"),
    switch(NAMESPACE_TOSCA, PUCCINI, "a namespace `tosca` in 2.0 that no import gives"),
    switch(TYPES_OF_1_3, PUCCINI, "data types in a file of 2.0 that 1.3 had"),
    switch(DATA_TYPES_FOR_CAPABILITIES, TOSCA_PARSER, "a data type as the type of a capability"),
    switch(DUPLICATE_KEYS, TOSCA_PARSER, "a key that is there twice; the first one counts"),
    switch(LISTED_OPERATIONS, TOSCA_PARSER, "an operation that is a list"),
    switch(LOOSE_BOOLEANS, TOSCA_PARSER, "`yes`, `no`, `on`, `off`, also for an integer"),
    switch(POLICIES_OF_TACKER, TOSCA_PARSER, "keys and types of policies that Tacker has"),
    switch(TYPES_BELOW_NODE_TYPES, TOSCA_PARSER, "types of other kinds below `node_types`"),
    switch(UNCHECKED_CONCAT, TOSCA_PARSER, "names below `concat` that refer to nothing"),
    switch(UNCHECKED_INPUTS, TOSCA_PARSER, "an input in a property of another type"),
    switch(UNCHECKED_TARGETS, TOSCA_PARSER, "a target without the wanted capability"),
    switch(UNDECLARED_REQUIREMENTS, TOSCA_PARSER, "requirements that a type does not declare"),
];

/// The quirks that are on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Switches {
    on: BTreeSet<&'static str>,
}

impl Switches {
    /// Switches on what a name stands for: a quirk, or every quirk of a set. Whether there is one.
    pub fn switch_on(&mut self, name: &str) -> bool {
        let named = ALL.iter().filter(|switch| switch.name == name || switch.set == name);
        let before = named.clone().count();
        self.on.extend(named.map(|switch| switch.name));
        before > 0
    }

    /// Switches on what others have on.
    pub fn join(&mut self, other: &Switches) {
        self.on.extend(&other.on);
    }

    /// Every name that can be switched on, sets first.
    pub fn names() -> impl Iterator<Item = &'static str> + Clone {
        SETS.iter().copied().chain(ALL.iter().map(|switch| switch.name))
    }

    /// Makes warnings of the errors that an active quirk tolerates; the others say that
    /// there is one.
    pub(in crate::lang) fn settle(&self, findings: &mut [Diagnostic]) {
        for finding in findings.iter_mut().filter(|found| found.severity == Severity::Error) {
            let Some(quirk) = finding.quirk else { continue };
            if self.on.contains(quirk) {
                finding.severity = Severity::Warning;
                finding.notes.push(format!("The quirk `{quirk}` tolerates it."));
                continue;
            }
            let offer = format!("`--quirks {quirk}` tolerates it");
            finding.help = Some(match finding.help.take() {
                Some(help) => format!("{help}; {offer}"),
                None => offer,
            });
        }
    }
}

/// The data types and keys of Tacker that policies use there.
const OF_TACKER: &[&str] = &["tosca.policies.Monitoring", "tosca.policies.Reservation"];
const KEYS_OF_TACKER: &[&str] = &["action", "metrics", "reservation"];

/// Whether a policy type is one that Tacker brings along.
pub(crate) fn is_policy_of_tacker(name: &str) -> bool {
    OF_TACKER.contains(&name)
}

/// Whether policy types and triggers of Tacker have a key.
pub(crate) fn is_key_of_tacker(entity: &str, name: &str) -> bool {
    matches!(entity, "policy type" | "trigger") && KEYS_OF_TACKER.contains(&name)
}

/// The truth values of YAML 1.1 that 1.2 does not have.
const OLD_BOOLEANS: &[&str] = &["yes", "no", "on", "off", "y", "n"];

/// Whether a word was a truth value in YAML 1.1.
pub(crate) fn is_old_boolean(word: &str) -> bool {
    OLD_BOOLEANS.iter().any(|known| word.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Span;

    #[test]
    fn a_set_switches_on_its_quirks_and_no_others() {
        let mut switches = Switches::default();
        assert!(switches.switch_on(PUCCINI));
        assert!(switches.on.contains(FREE_STATES));
        assert!(!switches.on.contains(UNCHECKED_TARGETS));
        assert!(!switches.switch_on("everything"));
    }

    #[test]
    fn names_are_there_once() {
        let names: BTreeSet<&str> = Switches::names().collect();
        assert_eq!(names.len(), Switches::names().count());
    }

    #[test]
    fn a_quirk_tolerates_its_own_errors_only() {
        let at = Span { source: crate::source::Sources::new().add("a", ""), start: 0, end: 0 };
        let mine = || Diagnostic::error("TOSCA024", at, "x").tolerated_by(FREE_STATES);
        let mut findings = [mine(), Diagnostic::error("TOSCA024", at, "y")];
        let mut switches = Switches::default();
        switches.settle(&mut findings);
        assert_eq!(findings[0].severity, Severity::Error);
        assert_eq!(findings[0].help.as_deref(), Some("`--quirks free-states` tolerates it"));
        switches.switch_on(FREE_STATES);
        let mut findings = [mine(), Diagnostic::error("TOSCA024", at, "y")];
        switches.settle(&mut findings);
        assert_eq!(findings[0].severity, Severity::Warning);
        assert!(findings[0].notes[0].contains("free-states"));
        assert_eq!(findings[1].severity, Severity::Error);
    }
}

//! The codes of what the reader of TOSCA finds; their pages are in `docs/rules/`.

/// The version is missing, unknown, or not in the first line.
pub(crate) const VERSION: &str = "TOSCA001";
/// A key means nothing where it stands.
pub(crate) const UNKNOWN_KEY: &str = "TOSCA002";
/// A key that must be there is not.
pub(crate) const MISSING_KEY: &str = "TOSCA003";
/// A value is of the wrong kind.
pub(crate) const WRONG_SHAPE: &str = "TOSCA004";
/// Nothing declares a type of this name.
pub(crate) const UNKNOWN_TYPE: &str = "TOSCA005";
/// Types derive from each other.
pub(crate) const CYCLIC_TYPE: &str = "TOSCA006";
/// A derived type contradicts what it derives from.
pub(crate) const REFINEMENT: &str = "TOSCA007";
/// Something is declared twice.
pub(crate) const DECLARED_TWICE: &str = "TOSCA008";
/// An import could not be looked at.
pub(crate) const UNREAD_IMPORT: &str = "TOSCA009";
/// A value does not fit its type.
pub(crate) const WRONG_VALUE: &str = "TOSCA010";
/// A value violates a constraint.
pub(crate) const CONSTRAINT: &str = "TOSCA011";
/// A required value is not given.
pub(crate) const MISSING_VALUE: &str = "TOSCA012";
/// A template gives something that its type does not declare.
pub(crate) const UNDECLARED: &str = "TOSCA013";
/// A name refers to nothing.
pub(crate) const UNKNOWN_NAME: &str = "TOSCA014";
/// A requirement has no fitting target.
pub(crate) const UNMATCHED: &str = "TOSCA015";
/// A requirement or a capability is used too often or not often enough.
pub(crate) const COUNT: &str = "TOSCA016";
/// A function is called in a wrong way.
pub(crate) const FUNCTION: &str = "TOSCA017";
/// Values are made of each other.
pub(crate) const VALUE_CYCLE: &str = "TOSCA018";
/// Nodes need each other.
pub(crate) const CYCLE: &str = "TOSCA019";
/// A file that carries something out is not there.
pub(crate) const MISSING_FILE: &str = "TOSCA020";
/// A workflow never gets to its end.
pub(crate) const WORKFLOW_CYCLE: &str = "TOSCA021";
/// A workflow calls operations in an order that the life cycle does not allow.
pub(crate) const WORKFLOW_ORDER: &str = "TOSCA022";
/// Steps race.
pub(crate) const RACE: &str = "TOSCA023";
/// There is no such node state.
pub(crate) const STATE: &str = "TOSCA024";
/// A substitution mapping does not fit.
pub(crate) const SUBSTITUTION: &str = "TOSCA025";
/// A scalar type is not well defined.
pub(crate) const SCALAR: &str = "TOSCA026";
/// A value is read before it can exist.
pub(crate) const TOO_EARLY: &str = "TOSCA027";
/// An operation is called that does not exist, or without what it needs.
pub(crate) const OPERATION: &str = "TOSCA028";
/// A service does not behave like the type that it stands for.
pub(crate) const BEHAVIOR: &str = "TOSCA029";

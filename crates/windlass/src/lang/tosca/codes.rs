//! The codes of what the reader of TOSCA finds; their pages are in `docs/rules/`.

/// The version is missing, unknown, or not in the first line.
pub const VERSION: &str = "TOSCA001";
/// A key means nothing where it stands.
pub const UNKNOWN_KEY: &str = "TOSCA002";
/// A key that must be there is not.
pub const MISSING_KEY: &str = "TOSCA003";
/// A value is of the wrong kind.
pub const WRONG_SHAPE: &str = "TOSCA004";
/// Nothing declares a type of this name.
pub const UNKNOWN_TYPE: &str = "TOSCA005";
/// Types derive from each other.
pub const CYCLIC_TYPE: &str = "TOSCA006";
/// A derived type contradicts what it derives from.
pub const REFINEMENT: &str = "TOSCA007";
/// Something is declared twice.
pub const DECLARED_TWICE: &str = "TOSCA008";
/// An import could not be looked at.
pub const UNREAD_IMPORT: &str = "TOSCA009";
/// A value does not fit its type.
pub const WRONG_VALUE: &str = "TOSCA010";
/// A value violates a constraint.
pub const CONSTRAINT: &str = "TOSCA011";
/// A required value is not given.
pub const MISSING_VALUE: &str = "TOSCA012";
/// A template gives something that its type does not declare.
pub const UNDECLARED: &str = "TOSCA013";
/// A name refers to nothing.
pub const UNKNOWN_NAME: &str = "TOSCA014";
/// A requirement has no fitting target.
pub const UNMATCHED: &str = "TOSCA015";
/// A requirement or a capability is used too often or not often enough.
pub const COUNT: &str = "TOSCA016";
/// A function is called in a wrong way.
pub const FUNCTION: &str = "TOSCA017";
/// Values are made of each other.
pub const VALUE_CYCLE: &str = "TOSCA018";
/// Nodes need each other.
pub const CYCLE: &str = "TOSCA019";
/// A file that carries something out is not there.
pub const MISSING_FILE: &str = "TOSCA020";
/// A workflow never gets to its end.
pub const WORKFLOW_CYCLE: &str = "TOSCA021";
/// A workflow calls operations in an order that the life cycle does not allow.
pub const WORKFLOW_ORDER: &str = "TOSCA022";
/// Steps race.
pub const RACE: &str = "TOSCA023";
/// There is no such node state.
pub const STATE: &str = "TOSCA024";
/// A substitution mapping does not fit.
pub const SUBSTITUTION: &str = "TOSCA025";
/// A scalar type is not well defined.
pub const SCALAR: &str = "TOSCA026";
/// A value is read before it can exist.
pub const TOO_EARLY: &str = "TOSCA027";
/// An operation is called that does not exist, or without what it needs.
pub const OPERATION: &str = "TOSCA028";
/// A service does not behave like the type that it stands for.
pub const BEHAVIOR: &str = "TOSCA029";

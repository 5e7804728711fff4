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

/// What usually helps, for findings that know nothing better.
pub(super) fn usual_help(code: &str) -> Option<&'static str> {
    Some(match code {
        VERSION => "begin the file with `tosca_definitions_version` and the version that you use",
        UNKNOWN_KEY => {
            "remove it, or move it to where it belongs; words of your own go to `metadata`"
        }
        MISSING_KEY => "write the key there, with its value",
        WRONG_SHAPE => {
            "a map has lines `name: value`, a list has lines with a dash, a string stands beside its key"
        }
        UNKNOWN_TYPE => "declare the type, import the file that does, or correct the name",
        CYCLIC_TYPE => "let one of them derive from something else",
        REFINEMENT => "leave it as it is in the type above, or make it narrower",
        DECLARED_TWICE => "rename or remove one of them",
        UNREAD_IMPORT => "correct the path, or put the file there",
        WRONG_VALUE => "write a value of that type",
        CONSTRAINT => "write a value that is allowed, or change the constraint",
        MISSING_VALUE => "give it a value, or its definition a default",
        UNDECLARED => "remove it, or declare it in the type",
        UNKNOWN_NAME => "declare it, or correct the name",
        UNMATCHED => "name a node that offers what is required, or change the requirement",
        COUNT => "add or remove some until the number fits",
        FUNCTION => "look up which arguments the function takes, and what it gives",
        VALUE_CYCLE => "give one of them a value of its own",
        CYCLE => "remove one of the requirements that lead in the cycle",
        MISSING_FILE => {
            "put the file there, or correct the path; it starts at the file that names it"
        }
        WORKFLOW_CYCLE => "take one of the steps out of the cycle",
        WORKFLOW_ORDER => "let `on_success` of the one lead to the other",
        RACE => "put one of the steps behind the other with `on_success`",
        STATE => "write a state that nodes have: `created`, `configured`, `started`, ...",
        SUBSTITUTION => "map it to a part of this template that fits the type",
        SCALAR => "a scalar type has `data_type`, `units`, a canonical unit and its prefixes",
        TOO_EARLY => "read it in an operation that runs later",
        OPERATION => "name an operation that the target has, with all inputs that it needs",
        BEHAVIOR => "let the service do what the type does, in the same order",
        _ => return None,
    })
}

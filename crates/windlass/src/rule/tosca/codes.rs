//! The codes of what is found in TOSCA files in YAML, with what usually helps.

use super::super::{LooksAt, Rule, code};

/// Every code, in order.
pub(crate) const CODES: &[&Rule] = &[
    code!(
        "TOSCA001",
        "unknown-tosca-version",
        Error,
        "a TOSCA file does not say its version, or says one that does not exist",
        help = Some("begin the file with `tosca_definitions_version` and the version that you use")
    ),
    code!(
        "TOSCA002",
        "unknown-tosca-key",
        Error,
        "a key means nothing to TOSCA at this place",
        looks_at = LooksAt::Model,
        help =
            Some("remove it, or move it to where it belongs; words of your own go to `metadata`")
    ),
    code!(
        "TOSCA003",
        "missing-tosca-key",
        Error,
        "a key that TOSCA needs is not there",
        looks_at = LooksAt::Model,
        help = Some("write the key there, with its value")
    ),
    code!(
        "TOSCA004",
        "wrong-tosca-shape",
        Error,
        "a value of a TOSCA file is of the wrong kind",
        looks_at = LooksAt::Model,
        help = Some(
            "a map has lines `name: value`, a list has lines with a dash, a string follows its key"
        )
    ),
    code!(
        "TOSCA005",
        "unknown-tosca-type",
        Error,
        "nothing declares a type of this name",
        looks_at = LooksAt::Model,
        help = Some("declare the type, import the file that does, or correct the name")
    ),
    code!(
        "TOSCA006",
        "cyclic-derivation",
        Error,
        "types derive from each other",
        looks_at = LooksAt::Model,
        help = Some("let one of them derive from something else")
    ),
    code!(
        "TOSCA007",
        "incompatible-refinement",
        Error,
        "a derived type contradicts the type that it derives from",
        looks_at = LooksAt::Model,
        help = Some("leave it as it is in the type above, or make it narrower")
    ),
    code!(
        "TOSCA008",
        "declared-twice-in-tosca",
        Error,
        "a type or a repository is declared and imported under the same name",
        help = Some("rename or remove one of them")
    ),
    code!(
        "TOSCA009",
        "unread-import",
        Warning,
        "an import could not be looked at",
        help = Some("correct the path, or put the file there")
    ),
    code!(
        "TOSCA010",
        "wrong-tosca-value",
        Error,
        "a value does not fit its type",
        looks_at = LooksAt::Model,
        help = Some("write a value of that type")
    ),
    code!(
        "TOSCA011",
        "violated-tosca-constraint",
        Error,
        "a value violates a constraint",
        looks_at = LooksAt::Model,
        help = Some("write a value that is allowed, or change the constraint")
    ),
    code!(
        "TOSCA012",
        "missing-tosca-value",
        Error,
        "a required property has no value",
        looks_at = LooksAt::Model,
        help = Some("give it a value, or its definition a default")
    ),
    code!(
        "TOSCA013",
        "undeclared-in-tosca-type",
        Error,
        "a template gives something that its type does not declare",
        looks_at = LooksAt::Model,
        help = Some("remove it, or declare it in the type")
    ),
    code!(
        "TOSCA014",
        "unknown-tosca-name",
        Error,
        "a name refers to nothing",
        looks_at = LooksAt::Model,
        help = Some("declare it, or correct the name")
    ),
    code!(
        "TOSCA015",
        "unmatched-requirement",
        Error,
        "a requirement has no target that fits",
        looks_at = LooksAt::Model,
        help = Some("name a node that offers what is required, or change the requirement")
    ),
    code!(
        "TOSCA016",
        "wrong-tosca-count",
        Error,
        "a requirement or a capability is used too often or not often enough",
        looks_at = LooksAt::Model,
        help = Some("add or remove some until the number fits")
    ),
    code!(
        "TOSCA017",
        "wrong-tosca-function",
        Error,
        "a function does not exist, or is called in a wrong way",
        looks_at = LooksAt::Model,
        help = Some("look up which arguments the function takes, and what it gives")
    ),
    code!(
        "TOSCA018",
        "values-made-of-each-other",
        Error,
        "the values of properties need each other",
        looks_at = LooksAt::Model,
        help = Some("give one of them a value of its own")
    ),
    code!(
        "TOSCA019",
        "nodes-need-each-other",
        Error,
        "nodes need each other before either can be there",
        looks_at = LooksAt::Model,
        help = Some("remove one of the requirements that lead in the cycle")
    ),
    code!(
        "TOSCA020",
        "missing-implementation",
        Error,
        "a file that carries out an operation is not there",
        looks_at = LooksAt::Model,
        help = Some("put the file there, or correct the path; it starts at the file that names it")
    ),
    code!(
        "TOSCA021",
        "endless-workflow",
        Error,
        "a workflow never gets to its end",
        looks_at = LooksAt::Model,
        help = Some("take one of the steps out of the cycle")
    ),
    code!(
        "TOSCA022",
        "workflow-against-life-cycle",
        Error,
        "a workflow calls operations in an order that the life cycle does not allow",
        looks_at = LooksAt::Model,
        help = Some("let `on_success` of the one lead to the other")
    ),
    code!(
        "TOSCA023",
        "racing-steps",
        Error,
        "two steps of a workflow may run in any order on the same node",
        looks_at = LooksAt::Model,
        help = Some("put one of the steps behind the other with `on_success`")
    ),
    code!(
        "TOSCA024",
        "unknown-node-state",
        Error,
        "a workflow sets a node to a state that does not exist",
        looks_at = LooksAt::Model,
        help = Some("write a state that nodes have: `created`, `configured`, `started`, ...")
    ),
    code!(
        "TOSCA025",
        "wrong-substitution",
        Error,
        "a substitution mapping does not fit",
        looks_at = LooksAt::Model,
        help = Some("map it to a part of this template that fits the type")
    ),
    code!(
        "TOSCA026",
        "wrong-scalar-type",
        Error,
        "a scalar type is not well defined",
        looks_at = LooksAt::Model,
        help = Some("a scalar type has `data_type`, `units`, a canonical unit and its prefixes")
    ),
    code!(
        "TOSCA027",
        "value-before-it-exists",
        Error,
        "a value is read before it can exist",
        looks_at = LooksAt::Model,
        help = Some("read it in an operation that runs later")
    ),
    code!(
        "TOSCA028",
        "unknown-operation",
        Error,
        "an operation does not exist, or lacks what it needs",
        looks_at = LooksAt::Model,
        help = Some("name an operation that the target has, with all inputs that it needs")
    ),
    code!(
        "TOSCA029",
        "no-substitute",
        Error,
        "a service does not behave like the type that it stands for",
        looks_at = LooksAt::Model,
        help = Some("let the service do what the type does, in the same order")
    ),
];

//! What the reader of templates finds on the way: those of Heat, then the rows of the table of
//! invariants that only the reader can see.

use super::super::{Rule, code};

/// Every code, in order.
///
/// Paper: 000 7.1.4
pub(crate) const CODES: &[&Rule] = &[
    code!(
        "HOT001",
        "unknown-section",
        Error,
        "a template has a section that its version does not know"
    ),
    code!(
        "HOT002",
        "wrong-template-shape",
        Error,
        "a part of a template is not a mapping, list or text as it must be"
    ),
    code!(
        "HOT003",
        "unknown-template-key",
        Error,
        "a part of a template has a key that is not known"
    ),
    code!("HOT004", "resource-without-type", Error, "a resource has no type"),
    code!("HOT005", "unknown-resource-type", Error, "there is no resource type of this name"),
    code!("HOT006", "unknown-property", Error, "a resource type has no property of this name"),
    code!(
        "HOT007",
        "unknown-reference",
        Error,
        "a function or `depends_on` names something that is not there"
    ),
    code!("HOT008", "unknown-attribute", Error, "a resource type has no attribute of this name"),
    code!(
        "HOT009",
        "wrong-function-arguments",
        Error,
        "a function is called in a form that it does not take"
    ),
    code!(
        "HOT010",
        "function-of-other-version",
        Warning,
        "a mapping looks like a function that this version does not have"
    ),
    code!(
        "HOT011",
        "parameter-named-as-resource",
        Error,
        "a parameter and a resource have the same name"
    ),
    code!(
        "HOT012",
        "wrong-parameter-value",
        Error,
        "a value of a parameter does not fit its type or its constraints"
    ),
    code!(
        "HOT013",
        "environment-does-not-fit",
        Error,
        "an environment says something that does not fit the template"
    ),
    code!("HOT014", "unused-parameter", Warning, "nothing reads a parameter"),
    code!(
        "HOT015",
        "retired-resource-type",
        Warning,
        "a resource type should not be used any more"
    ),
    code!("HOT016", "retired-property", Warning, "a property should not be used any more"),
    code!(
        "HOT017",
        "property-against-pattern",
        Error,
        "a value does not match the pattern of its property"
    ),
    code!("HOT019", "replaced-by-update", Warning, "an update replaces a resource"),
    code!("HOT020", "immutable-property", Error, "an update changes what cannot be changed"),
    code!(
        "HOT021",
        "newer-than-release",
        Error,
        "a template uses what the wanted release does not have"
    ),
    code!(
        "HOT101",
        "unknown-template-version",
        Error,
        "heat_template_version is missing or no version that Heat registers",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT102",
        "no-resource",
        Warning,
        "the resources section holds no resource",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT103",
        "same-resource-id",
        Error,
        "two resources have the same id",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT104",
        "same-group-label",
        Error,
        "two parameter groups have the same label, or a group is listed twice",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT105",
        "undefined-parameter-in-group",
        Error,
        "a name in a group is no declared parameter",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT106",
        "same-parameter-name",
        Error,
        "two parameters have the same name",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT107",
        "parameter-in-two-groups",
        Error,
        "a parameter is in two groups",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT108",
        "same-output-name",
        Error,
        "two outputs have the same name",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT109",
        "same-condition-name",
        Error,
        "two conditions have the same name",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT110",
        "resource-dependency-cycle",
        Error,
        "resource dependencies contain a cycle",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT111",
        "external-resource-with-depends-on",
        Error,
        "a resource with external_id depends on a resource without one",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT112",
        "parameter-twice-in-group",
        Error,
        "a parameter is listed twice in one group",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT113",
        "empty-parameter-group",
        Warning,
        "a parameter group lists no parameter",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT115",
        "constraint-kind-twice",
        Error,
        "a parameter has two constraints of one kind",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT116",
        "interval-without-bound",
        Error,
        "a length or range constraint gives neither min nor max",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT117",
        "interval-max-below-min",
        Error,
        "max is less than min",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT118",
        "negative-length-bound",
        Error,
        "a length bound is negative",
        paper = Some("000 7.1.4")
    ),
    code!("HOT119", "zero-modulo-step", Error, "a modulo step is 0", paper = Some("000 7.1.4")),
    code!(
        "HOT120",
        "unknown-custom-constraint",
        Error,
        "custom_constraint names none that is registered",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT121",
        "missing-required-property",
        Error,
        "a required property has no value",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT122",
        "unknown-deletion-policy",
        Error,
        "deletion_policy is not delete, retain or snapshot",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT123",
        "unknown-parameter-type",
        Error,
        "a type is not string, number, json, comma_delimited_list or boolean",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT124",
        "parameter-without-value",
        Warning,
        "a parameter gets no value",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT125",
        "property-value-not-allowed",
        Error,
        "a property value is not among the allowed ones of its type",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT126",
        "property-length-out-of-bounds",
        Error,
        "a list property is shorter or longer than its bounds allow",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT127",
        "property-out-of-range",
        Error,
        "a number property is outside its range",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT128",
        "wrong-property-type",
        Error,
        "a property value does not have the declared type",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT129",
        "reference-to-wrong-type",
        Error,
        "a property with a resource custom_constraint refers to a resource of another type",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT141",
        "length-on-wrong-type",
        Error,
        "a length constraint is on another type than string, json, comma_delimited_list",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT142",
        "range-on-wrong-type",
        Error,
        "a range constraint is on another type than number",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT143",
        "modulo-on-wrong-type",
        Error,
        "a modulo constraint is on another type than number",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT144",
        "allowed-values-on-wrong-type",
        Error,
        "allowed_values is on another type than string or number",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT145",
        "allowed-pattern-on-wrong-type",
        Error,
        "allowed_pattern is on another type than string",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT403",
        "malformed-address",
        Error,
        "an address, cidr or mac is malformed",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT504",
        "missing-external-reference",
        Error,
        "a name or id that is used as an external resource is not in the target cloud",
        paper = Some("000 7.1.4")
    ),
];

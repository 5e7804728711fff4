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
        "it must hold that heat_template_version is present and one of the versions Heat registers",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT102",
        "no-resource",
        Warning,
        "it must hold that the resources section holds one resource or more",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT103",
        "same-resource-id",
        Error,
        "it must hold that no two resources share an id",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT104",
        "same-group-label",
        Error,
        "it must hold that no two parameter groups share a label; each group listed once",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT105",
        "undefined-parameter-in-group",
        Error,
        "it must hold that every name in a group is a declared parameter",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT106",
        "same-parameter-name",
        Error,
        "it must hold that no two parameters share a name",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT107",
        "parameter-in-two-groups",
        Error,
        "it must hold that a parameter is in one group at most",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT108",
        "same-output-name",
        Error,
        "it must hold that no two outputs share a name",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT109",
        "same-condition-name",
        Error,
        "it must hold that no two conditions share a name",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT110",
        "resource-dependency-cycle",
        Error,
        "it must hold that resource dependencies contain no cycle",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT111",
        "external-resource-with-depends-on",
        Error,
        "it must hold that a resource with external_id does not depend on non-external resources",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT112",
        "parameter-twice-in-group",
        Error,
        "it must hold that a parameter is not listed twice in one group",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT113",
        "empty-parameter-group",
        Warning,
        "it must hold that a parameter group lists one parameter or more",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT115",
        "constraint-kind-twice",
        Error,
        "it must hold that each constraint kind appears once at most per parameter",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT116",
        "interval-without-bound",
        Error,
        "it must hold that length/range gives min or max",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT117",
        "interval-max-below-min",
        Error,
        "it must hold that max >= min when both given",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT118",
        "negative-length-bound",
        Error,
        "it must hold that length bounds are >= 0",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT119",
        "zero-modulo-step",
        Error,
        "it must hold that modulo step is not 0",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT120",
        "unknown-custom-constraint",
        Error,
        "it must hold that custom_constraint names a registered one",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT121",
        "missing-required-property",
        Error,
        "it must hold that a required property has a value",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT122",
        "unknown-deletion-policy",
        Error,
        "it must hold that deletion_policy is delete, retain or snapshot",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT123",
        "unknown-parameter-type",
        Error,
        "it must hold that type is string, number, json, comma_delimited_list or boolean",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT124",
        "parameter-without-value",
        Warning,
        "it must hold that every parameter gets a value",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT125",
        "property-value-not-allowed",
        Error,
        "it must hold that a property value is among the allowed ones of its type",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT126",
        "property-length-out-of-bounds",
        Error,
        "it must hold that a list property respects its length bounds",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT127",
        "property-out-of-range",
        Error,
        "it must hold that a number property is inside its range",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT128",
        "wrong-property-type",
        Error,
        "it must hold that a property value has the declared type",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT129",
        "reference-to-wrong-type",
        Error,
        "it must hold that a property with a resource custom_constraint refers to a resource of that type",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT141",
        "length-on-wrong-type",
        Error,
        "it must hold that length constraint only on string, json, comma_delimited_list",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT142",
        "range-on-wrong-type",
        Error,
        "it must hold that range constraint only on number",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT143",
        "modulo-on-wrong-type",
        Error,
        "it must hold that modulo constraint only on number",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT144",
        "allowed-values-on-wrong-type",
        Error,
        "it must hold that allowed_values only on string or number",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT145",
        "allowed-pattern-on-wrong-type",
        Error,
        "it must hold that allowed_pattern only on string",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT403",
        "malformed-address",
        Error,
        "it must hold that addresses, cidrs and macs are well formed",
        paper = Some("000 7.1.4")
    ),
    code!(
        "HOT504",
        "missing-external-reference",
        Error,
        "it must hold that a name or id used as external resource exists in the target cloud",
        paper = Some("000 7.1.4")
    ),
];

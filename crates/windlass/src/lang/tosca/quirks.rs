//! What real files before 2.0 do against the text of the profile and without harm. Each is a
//! warning where the text would make it an error; the page `docs/tosca.md` lists them.

use super::version::Version;

/// Whether quirks are tolerated: 2.0 has a suite that says what is wrong, so it has none.
pub(crate) fn are_tolerated(version: Version) -> bool {
    !version.is_2()
}

/// Required properties of normative types that most copies of these types make optional.
const OFTEN_LEFT_OUT: &[(&str, &str)] = &[("tosca.nodes.Database", "name")];

/// Whether a property of a normative type is often left out.
pub(crate) fn is_often_left_out(of: &str, property: &str) -> bool {
    OFTEN_LEFT_OUT.contains(&(of, property))
}

/// Data types by the tag that YAML has for them, and by their name in TOSCA.
const TAGS: &[(&str, &str)] = &[("int", "integer"), ("str", "string"), ("bool", "boolean")];

/// The data type that the name of a tag of YAML means.
pub(crate) fn tagged(name: &str) -> Option<&'static str> {
    let known = TAGS.iter().find(|(tag, _)| *tag == name);
    known.map(|(_, name)| *name)
}

/// Metadata that the profile defines, all of them plain values.
const DEFINED_METADATA: &[&str] = &["template_name", "template_author", "template_version"];

/// Whether metadata of this name has a meaning.
pub(crate) fn is_defined_metadata(name: &str) -> bool {
    DEFINED_METADATA.contains(&name)
}

//! The types that TOSCA defines itself, as texts: names and facts without prose.
//!
//! A version of the Simple Profile in YAML is a stack of texts: the first holds all types of 1.0,
//! each further one what a later version adds or defines otherwise; the stack is read as one text
//! in which the last definition of a name counts. TOSCA 2.0 defines no types; its Simple Profile
//! is imported by name.

use std::sync::LazyLock;

use super::version::Version;
use crate::source::Sources;
use crate::tree::{self, Node, Tree};

const SIMPLE_1_0: &str = include_str!("profiles/simple_1_0.yaml");
const SIMPLE_1_1: &str = include_str!("profiles/simple_1_1.yaml");
const SIMPLE_1_2: &str = include_str!("profiles/simple_1_2.yaml");
const SIMPLE_1_3: &str = include_str!("profiles/simple_1_3.yaml");
const SIMPLE_2_0: &str = include_str!("profiles/simple_2_0.yaml");

/// Types beside the profile that many texts take for granted; they need 1.2.
pub(crate) const NON_NORMATIVE: &str = include_str!("profiles/non_normative.yaml");

static MERGED_1_1: LazyLock<String> = LazyLock::new(|| merge(SIMPLE_1_0, SIMPLE_1_1));
static MERGED_1_2: LazyLock<String> = LazyLock::new(|| merge(&MERGED_1_1, SIMPLE_1_2));
static MERGED_1_3: LazyLock<String> = LazyLock::new(|| merge(&MERGED_1_2, SIMPLE_1_3));

/// The profile that files of a version see without importing it: its name and text.
pub(crate) fn implicit(version: Version) -> Option<(&'static str, &'static str)> {
    let name = match version {
        Version::V1_0 => "org.oasis-open.simple:1.0",
        Version::V1_1 => "org.oasis-open.simple:1.1",
        Version::V1_2 => "org.oasis-open.simple:1.2",
        Version::V1_3 => "org.oasis-open.simple:1.3",
        Version::V2_0 => return None,
    };
    Some((name, named(name)?))
}

/// The profile with this name.
pub(crate) fn named(name: &str) -> Option<&'static str> {
    match name {
        "org.oasis-open.simple" | "org.oasis-open.simple:2.0" => Some(SIMPLE_2_0),
        "org.oasis-open.simple:1.0" => Some(SIMPLE_1_0),
        "org.oasis-open.simple:1.1" => Some(&MERGED_1_1),
        "org.oasis-open.simple:1.2" => Some(&MERGED_1_2),
        "org.oasis-open.simple:1.3" => Some(&MERGED_1_3),
        "org.oasis-open.non-normative:1.3" => Some(NON_NORMATIVE),
        _ => None,
    }
}

/// The profile at a well-known address: its name and text.
pub(crate) fn at_url(url: &str) -> Option<(&'static str, &'static str)> {
    const KNOWN: &[(&str, &str)] = &[
        ("/org/oasis-open/simple/1.0/profile.yaml", "org.oasis-open.simple:1.0"),
        ("/org/oasis-open/simple/1.1/profile.yaml", "org.oasis-open.simple:1.1"),
        ("/org/oasis-open/simple/1.2/profile.yaml", "org.oasis-open.simple:1.2"),
        ("/org/oasis-open/simple/1.3/profile.yaml", "org.oasis-open.simple:1.3"),
        ("/org/oasis-open/simple/2.0/profile.yaml", "org.oasis-open.simple:2.0"),
        ("/org/oasis-open/non-normative/1.3/profile.yaml", "org.oasis-open.non-normative:1.3"),
    ];
    let is_remote = url.starts_with("https://") || url.starts_with("http://");
    let (_, name) = KNOWN.iter().find(|(end, _)| is_remote && url.ends_with(end))?;
    Some((name, named(name)?))
}

/// Whether the profile of 1.3 has a type with this name. Those beside it have no
/// owner: many files have their own under the same names.
pub(crate) fn is_normative(section: &str, name: &str) -> bool {
    PARSED.root().get(section).is_some_and(|types| types.get(name).is_some())
}

static PARSED: LazyLock<Tree> = LazyLock::new(|| {
    let id = Sources::new().add("profile", MERGED_1_3.as_str());
    tree::parse(id, &MERGED_1_3, &tree::Options::default()).0
});

/// The type of a property or attribute (`part`) that a type of 1.3 has, or one that it derives
/// from.
pub(crate) fn type_of_field(
    section: &str,
    of: &str,
    part: &str,
    field: &str,
) -> Option<&'static str> {
    let mut of = of;
    // The texts are ours: no chain is as long as that.
    for _ in 0..32 {
        let body = PARSED.root().get(section)?.get(of)?;
        let found = body.get(part).and_then(|fields| fields.get(field));
        if let Some(found) = found {
            return found.get("type").unwrap_or(found).as_str();
        }
        of = body.get("derived_from").and_then(Node::as_str)?;
    }
    None
}

/// The name of a type, and its lines.
type Type<'t> = (&'t str, Vec<&'t str>);

/// One text with the types of both; of two with the same name the later one is kept.
///
/// The texts are ours: sections begin in the first column, types with two blanks.
fn merge(base: &str, later: &str) -> String {
    let mut sections: Vec<(&str, Vec<Type<'_>>)> = Vec::new();
    for line in base.lines().chain(later.lines()) {
        let deep = line.starts_with("   ");
        match (line.strip_prefix("  "), sections.last_mut()) {
            (Some(_), Some((_, types))) if deep => {
                if let Some((_, lines)) = types.last_mut() {
                    lines.push(line);
                }
            }
            (Some(name), Some((_, types))) => {
                let name = name.split(':').next().unwrap_or(name);
                types.retain(|(known, _)| *known != name);
                types.push((name, vec![line]));
            }
            _ if line.ends_with("_types:") => {
                let known = sections.iter().position(|(section, _)| *section == line);
                let section = known.map_or((line, Vec::new()), |at| sections.remove(at));
                sections.push(section);
            }
            _ => {}
        }
    }
    let version = later.lines().find(|line| line.starts_with("tosca_definitions_version"));
    let mut text = String::new();
    let types = sections.into_iter().flat_map(|(section, types)| {
        let lines = types.into_iter().flat_map(|(_, lines)| lines);
        std::iter::once(section).chain(lines)
    });
    for line in version.into_iter().chain(types) {
        text.push_str(line);
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::source::Sources;
    use crate::tree::{self, Node};

    #[test]
    fn fields_are_found_in_types_and_in_those_that_they_derive_from() {
        let of = |section, of, part, field| type_of_field(section, of, part, field);
        let capability = "tosca.capabilities.Endpoint.Admin";
        assert_eq!(of("capability_types", capability, "properties", "secure"), Some("boolean"));
        assert_eq!(of("node_types", "tosca.nodes.Compute", "attributes", "state"), Some("string"));
        assert_eq!(of("node_types", "tosca.nodes.Compute", "properties", "state"), None);
        assert_eq!(of("node_types", "tosca.nodes.Nothing", "properties", "state"), None);
    }

    #[test]
    fn what_the_profile_defines_is_known_by_its_section() {
        assert!(is_normative("node_types", "tosca.nodes.Compute"));
        assert!(is_normative("relationship_types", "tosca.relationships.HostedOn"));
        assert!(!is_normative("relationship_types", "tosca.nodes.Compute"));
        assert!(!is_normative("node_types", "tosca.nodes.Comp"));
    }

    /// Kind and name of each type of some texts, with the names of types that it mentions.
    fn types(texts: &[&str]) -> BTreeMap<(String, String), BTreeSet<String>> {
        let mut types = BTreeMap::new();
        for text in texts {
            let mut sources = Sources::new();
            let id = sources.add("profile", *text);
            let (tree, findings) = tree::parse(id, text, &tree::Options::default());
            assert!(findings.is_empty(), "{findings:?}");
            for (kind, section) in entries(tree.root()) {
                for (name, body) in entries(section) {
                    let mut mentioned = BTreeSet::new();
                    mentions(body, &mut mentioned);
                    types.insert((kind.clone(), name), mentioned);
                }
            }
        }
        types
    }

    fn entries(node: Node<'_>) -> Vec<(String, Node<'_>)> {
        node.entries().map(|entry| (entry.name().to_owned(), entry.value)).collect()
    }

    fn mentions(node: Node<'_>, into: &mut BTreeSet<String>) {
        const KEYS: &[&str] = &["derived_from", "type", "capability", "node", "relationship"];
        for (key, value) in entries(node) {
            let word = value.as_str().filter(|_| KEYS.contains(&&*key));
            into.extend(word.map(str::to_owned));
            mentions(value, into);
        }
        node.items().for_each(|item| mentions(item, into));
    }

    const BUILT_IN: &[&str] = &[
        "string",
        "integer",
        "float",
        "boolean",
        "timestamp",
        "version",
        "range",
        "list",
        "map",
        "scalar",
        "scalar-unit.size",
        "scalar-unit.time",
        "scalar-unit.frequency",
    ];

    fn undefined(texts: &[&str]) -> Vec<String> {
        let types = types(texts);
        let names: BTreeSet<&str> = types.keys().map(|(_, name)| &**name).collect();
        let mentioned = types.values().flatten();
        let known = |name: &&String| names.contains(&***name) || BUILT_IN.contains(&&***name);
        mentioned.filter(|name| !known(name)).cloned().collect()
    }

    fn text(version: Version) -> &'static str {
        implicit(version).expect("versions before 2.0 have types").1
    }

    const ONE: [Version; 4] = [Version::V1_0, Version::V1_1, Version::V1_2, Version::V1_3];

    #[test]
    fn every_type_that_a_profile_mentions_is_defined_in_it() {
        for version in ONE {
            assert_eq!(undefined(&[text(version)]), Vec::<String>::new(), "{version:?}");
        }
        assert_eq!(undefined(&[SIMPLE_2_0]), Vec::<String>::new());
        assert_eq!(undefined(&[&MERGED_1_3, NON_NORMATIVE]), Vec::<String>::new());
    }

    #[test]
    fn versions_differ_where_the_texts_of_the_profile_do() {
        let has = |version: Version, name: &str| {
            types(&[text(version)]).keys().any(|(_, defined)| defined == name)
        };
        assert!(!has(Version::V1_0, "tosca.capabilities.Compute"));
        assert!(has(Version::V1_1, "tosca.capabilities.Compute"));
        assert!(!has(Version::V1_1, "tosca.nodes.Abstract.Compute"));
        assert!(has(Version::V1_2, "tosca.nodes.Abstract.Compute"));
        assert!(implicit(Version::V2_0).is_none());
        let sizes = ONE.map(|version| types(&[text(version)]).len());
        assert!(sizes.is_sorted() && sizes[0] >= 55, "{sizes:?}");
    }
}

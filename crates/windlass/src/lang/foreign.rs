//! Languages that Windlass recognizes and does not read yet. Saying so is better than "unknown".

use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::tree::Node;

/// The code of the finding.
pub const NOT_READ_YET: &str = "LANG001";

/// Which language a text is in, and the key that tells.
#[derive(Debug, Clone, Copy)]
pub struct Foreign {
    /// The name of the language for people.
    pub name: &'static str,
    key: Span,
}

/// Dialects of TOSCA, by how the word for their version starts.
const DIALECTS: &[(&str, &str)] = &[
    ("cloudify_dsl_", "the language of Cloudify"),
    ("alien_dsl_", "the language of Alien4Cloud"),
    ("aria_", "the language of ARIA"),
];

/// The language of a text that is in none that is read.
pub(crate) fn detect(root: Node<'_>) -> Option<Foreign> {
    dialect(root)
}

/// The dialect of TOSCA that a text is in.
pub(super) fn dialect(root: Node<'_>) -> Option<Foreign> {
    let entry = root.get_entry("tosca_definitions_version")?;
    let version = entry.value.as_str()?;
    let found = DIALECTS.iter().find(|(start, _)| version.starts_with(start));
    found.map(|(_, name)| Foreign { name, key: entry.key.span() })
}

impl Foreign {
    /// The finding, at the key that tells.
    pub(crate) fn finding(&self) -> Diagnostic {
        let message = format!("this is {}, a language that is not read yet", self.name);
        Diagnostic::error(NOT_READ_YET, self.key, message)
            .help("describe the application in `windlass.yaml`: see docs/language.md")
    }
}

#[cfg(test)]
mod tests {
    use super::detect;
    use crate::source::SourceId;
    use crate::tree;

    fn name_of(text: &str) -> Option<&'static str> {
        let (tree, _) = tree::parse(SourceId(0), text, &tree::Options::default());
        detect(tree.root()).map(|foreign| foreign.name)
    }

    #[test]
    fn the_version_tells() {
        let cloudify = "tosca_definitions_version: cloudify_dsl_1_3\nnode_templates: {}";
        assert_eq!(name_of(cloudify), Some("the language of Cloudify"));
        assert_eq!(name_of("tosca_definitions_version: tosca_2_0"), None);
        for other in ["services: [a, b]", "a: { services: {} }", "services", "", "[services]"] {
            assert_eq!(name_of(other), None, "{other}");
        }
    }
}

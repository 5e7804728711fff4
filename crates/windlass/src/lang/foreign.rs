//! Languages that Windlass recognizes and does not read yet. Saying so is better than "unknown".

use crate::diagnostic::Diagnostic;
use crate::tree::{Node, Tree};

/// The code of the finding.
pub const NOT_READ_YET: &str = "LANG001";

/// Which language a text is in, and the key that tells.
#[derive(Debug, Clone, Copy)]
pub struct Foreign<'t> {
    /// The name of the language for people.
    pub name: &'static str,
    key: Node<'t>,
}

/// Keys at the top of a text that only one language has.
const KEYS: &[(&str, &str)] = &[("tosca_definitions_version", "TOSCA in YAML")];

/// The language of a text that is in none that is read.
pub fn detect(tree: &Tree) -> Option<Foreign<'_>> {
    let root = tree.root();
    let found = KEYS.iter().find_map(|(key, name)| Some((root.get_entry(key)?, *name)));
    let (entry, name) = found?;
    entry.value.is_scalar().then_some(Foreign { name, key: entry.key })
}

impl Foreign<'_> {
    /// The finding, at the key that tells.
    pub fn finding(&self) -> Diagnostic {
        let message = format!("this is {}, a language that is not read yet", self.name);
        Diagnostic::error(NOT_READ_YET, self.key.span(), message)
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
        detect(&tree).map(|foreign| foreign.name)
    }

    #[test]
    fn the_keys_at_the_top_tell() {
        let tosca = "tosca_definitions_version: tosca_2_0\nservices: {}";
        assert_eq!(name_of(tosca), Some("TOSCA in YAML"));
        for other in ["services: [a, b]", "a: { services: {} }", "services", "", "[services]"] {
            assert_eq!(name_of(other), None, "{other}");
        }
    }
}

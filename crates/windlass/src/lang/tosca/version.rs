//! The versions of TOSCA in YAML, and the words by which files name them.

/// A version of the language, oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Version {
    /// Simple Profile 1.0.
    V1_0,
    /// Simple Profile 1.1.
    V1_1,
    /// Simple Profile 1.2.
    V1_2,
    /// Simple Profile 1.3.
    #[default]
    V1_3,
    /// TOSCA 2.0.
    V2_0,
}

/// What a file may write as `tosca_definitions_version`, and what it means.
const NAMES: &[(&str, Version)] = &[
    ("tosca_simple_yaml_1_0", Version::V1_0),
    ("tosca_simple_yaml_1_0_0", Version::V1_0),
    ("tosca_simple_yaml_1_1", Version::V1_1),
    ("tosca_simple_yaml_1_1_0", Version::V1_1),
    ("tosca_simple_yaml_1_2", Version::V1_2),
    ("tosca_simple_yaml_1_2_0", Version::V1_2),
    ("tosca_simple_yaml_1_3", Version::V1_3),
    ("tosca_simple_yaml_1_3_0", Version::V1_3),
    ("tosca_2_0", Version::V2_0),
    ("http://docs.oasis-open.org/tosca/ns/simple/yaml/1.0", Version::V1_0),
    ("http://docs.oasis-open.org/tosca/ns/simple/yaml/1.1", Version::V1_1),
    ("http://docs.oasis-open.org/tosca/ns/simple/yaml/1.2", Version::V1_2),
    ("http://docs.oasis-open.org/tosca/ns/simple/yaml/1.3", Version::V1_3),
    // The profile for network functions is written in the language of its time.
    ("tosca_simple_profile_for_nfv_1_0", Version::V1_0),
    ("tosca_simple_profile_for_nfv_1_0_0", Version::V1_0),
    ("tosca_simple_profile_for_mec_1_0_0", Version::V1_0),
];

impl Version {
    /// The version that a word names.
    pub(crate) fn from_name(name: &str) -> Option<Version> {
        let known = NAMES.iter().find(|(known, _)| *known == name);
        known.map(|(_, version)| *version)
    }

    /// Whether a word names a profile with types of its own that do not come with the program.
    pub(crate) fn is_foreign_profile(name: &str) -> bool {
        name.starts_with("tosca_simple_profile_for_")
    }

    /// The words that name a version, for advice.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> + Clone {
        NAMES.iter().map(|(name, _)| *name)
    }

    /// The word for people.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Version::V1_0 => "1.0",
            Version::V1_1 => "1.1",
            Version::V1_2 => "1.2",
            Version::V1_3 => "1.3",
            Version::V2_0 => "2.0",
        }
    }

    /// Whether this is TOSCA 2.0 or later.
    pub(crate) fn is_2(self) -> bool {
        self >= Version::V2_0
    }
}

//! The template versions that Heat registers, and which functions each of them knows.

/// A notation of templates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// `heat_template_version`.
    Hot,
    /// `AWSTemplateFormatVersion` and `HeatTemplateFormatVersion`.
    Cfn,
}

/// One version.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Version {
    /// The date.
    pub(crate) date: &'static str,
    /// The name of the release, if a template may say that instead.
    pub(crate) name: Option<&'static str>,
    /// The notation.
    pub(crate) format: Format,
    /// The release of OpenStack that brought it.
    pub(crate) release: &'static str,
    /// Position among the versions of HOT.
    pub(crate) rank: usize,
}

/// The releases of OpenStack in order, from the first that had HOT.
pub const RELEASES: &[&str] = &[
    "icehouse",
    "juno",
    "kilo",
    "liberty",
    "mitaka",
    "newton",
    "ocata",
    "pike",
    "queens",
    "rocky",
    "stein",
    "train",
    "ussuri",
    "victoria",
    "wallaby",
    "xena",
    "yoga",
    "zed",
    "antelope",
    "bobcat",
    "caracal",
    "dalmatian",
    "epoxy",
];

/// Position of a release.
pub fn release_rank(name: &str) -> Option<usize> {
    RELEASES.iter().position(|release| *release == name)
}

/// The release of OpenStack in which a version of Heat appeared.
pub(crate) fn release_of_heat(version: &str) -> Option<usize> {
    let major: usize = version.split('.').next()?.parse().ok()?;
    match major {
        2013 => Some(0),
        2014 => Some(usize::from(version.starts_with("2014.2"))),
        2015 => Some(2),
        5..=50 => Some(major - 2).filter(|rank| *rank < RELEASES.len() + 4),
        _ => None,
    }
}

const fn hot(
    rank: usize,
    date: &'static str,
    name: Option<&'static str>,
    release: &'static str,
) -> Version {
    Version { date, name, format: Format::Hot, release, rank }
}

/// Every version of HOT, oldest first.
pub(crate) const HOT: &[Version] = &[
    hot(0, "2013-05-23", None, "icehouse"),
    hot(1, "2014-10-16", None, "juno"),
    hot(2, "2015-04-30", None, "kilo"),
    hot(3, "2015-10-15", None, "liberty"),
    hot(4, "2016-04-08", None, "mitaka"),
    hot(5, "2016-10-14", Some("newton"), "newton"),
    hot(6, "2017-02-24", Some("ocata"), "ocata"),
    hot(7, "2017-09-01", Some("pike"), "pike"),
    hot(8, "2018-03-02", Some("queens"), "queens"),
    hot(9, "2018-08-31", Some("rocky"), "rocky"),
    hot(10, "2021-04-16", Some("wallaby"), "wallaby"),
];

/// The two versions in the notation of CloudFormation.
pub(crate) const CFN: &[Version] = &[
    Version { date: "2010-09-09", name: None, format: Format::Cfn, release: "icehouse", rank: 0 },
    Version { date: "2012-12-12", name: None, format: Format::Cfn, release: "icehouse", rank: 1 },
];

/// The version of HOT with this date or name.
pub(crate) fn find(word: &str) -> Option<&'static Version> {
    HOT.iter().find(|version| version.date == word || version.name == Some(word))
}

/// Every word that may stand behind `heat_template_version`.
pub(crate) fn words() -> impl Iterator<Item = &'static str> + Clone {
    HOT.iter().flat_map(|version| std::iter::once(version.date).chain(version.name))
}

/// A function: its name and the versions, by rank, from which and before which it exists.
#[derive(Debug)]
pub(crate) struct Function {
    /// The key.
    pub(crate) name: &'static str,
    /// The first version with it.
    pub(crate) since: usize,
    /// The first version without it.
    pub(crate) until: usize,
}

const fn from(name: &'static str, since: usize) -> Function {
    Function { name, since, until: usize::MAX }
}

const fn early(name: &'static str, until: usize) -> Function {
    Function { name, since: 0, until }
}

/// The functions of HOT.
pub(crate) const FUNCTIONS: &[Function] = &[
    from("get_attr", 0),
    from("get_file", 0),
    from("get_param", 0),
    from("get_resource", 0),
    from("list_join", 0),
    from("resource_facade", 0),
    from("str_replace", 0),
    early("Ref", 1),
    early("Fn::Base64", 1),
    early("Fn::GetAZs", 1),
    early("Fn::Join", 1),
    early("Fn::MemberListToMap", 1),
    early("Fn::Replace", 1),
    early("Fn::ResourceFacade", 1),
    early("Fn::Select", 3),
    early("Fn::Split", 1),
    from("digest", 2),
    from("repeat", 2),
    from("str_split", 3),
    from("map_merge", 4),
    from("if", 5),
    from("map_replace", 5),
    from("yaql", 5),
    from("filter", 6),
    from("str_replace_strict", 6),
    from("contains", 7),
    from("list_concat", 7),
    from("list_concat_unique", 7),
    from("make_url", 7),
    from("str_replace_vstrict", 7),
];

/// Functions of templates in the notation of CloudFormation.
pub(crate) const CFN_FUNCTIONS: &[&str] = &[
    "Ref",
    "Fn::GetAtt",
    "Fn::FindInMap",
    "Fn::GetAZs",
    "Fn::Join",
    "Fn::Split",
    "Fn::Select",
    "Fn::Replace",
    "Fn::Base64",
    "Fn::MemberListToMap",
    "Fn::ResourceFacade",
    "Fn::If",
    "Fn::Equals",
    "Fn::Not",
    "Fn::And",
    "Fn::Or",
];

impl Version {
    /// The function with this name in this version.
    pub(crate) fn function(&self, name: &str) -> Option<&'static str> {
        match self.format {
            Format::Hot => FUNCTIONS
                .iter()
                .find(|f| f.name == name && (f.since..f.until).contains(&self.rank))
                .map(|f| f.name),
            Format::Cfn => CFN_FUNCTIONS.iter().copied().find(|known| *known == name),
        }
    }

    /// The first version of HOT with a function that this one lacks, or the last that had it.
    pub(crate) fn other_version_with(&self, name: &str) -> Option<&'static Version> {
        let function = FUNCTIONS.iter().find(|function| function.name == name)?;
        if self.format == Format::Cfn || (function.since..function.until).contains(&self.rank) {
            return None;
        }
        HOT.get(if self.rank < function.since { function.since } else { function.until - 1 })
    }

    /// Whether a template of this version may have conditions.
    pub(crate) fn has_conditions(&self) -> bool {
        self.format == Format::Cfn || self.rank >= 5
    }

    /// For messages.
    pub(crate) fn as_str(&self) -> &'static str {
        self.name.unwrap_or(self.date)
    }
}

//! Profiles that are imported by name and come with the service: files in the folder of the
//! importing file, or anywhere in its archive, that say which profile they are.

use std::collections::BTreeMap;

use crate::source::files::{Files, ReadFile};

/// How many files are looked at for profiles.
const MOST: usize = 500;

/// How many folders further out profiles are looked for.
const DEEPEST: usize = 8;

/// How the names of files of TOSCA end.
const ENDINGS: &[&str] = &[".yaml", ".yml", ".tosca"];

/// The profiles that were found, by folder and name.
#[derive(Debug, Default)]
pub(super) struct BundledProfiles {
    known: BTreeMap<String, BTreeMap<String, String>>,
    /// Files that were read to look for profiles, by identity, until they are imported.
    read: BTreeMap<String, ReadFile>,
}

/// The text of a file that was read before, by its identity.
pub(super) type KnownText<'a> = &'a dyn Fn(&str) -> Option<&'a str>;

impl BundledProfiles {
    /// The path of the file that is the profile, as the file `importing` would write it; of several
    /// the first by name.
    pub(super) fn find(
        &mut self,
        files: &mut dyn Files,
        importing: &str,
        profile: &str,
        known: KnownText<'_>,
    ) -> Option<String> {
        let folder = importing.rsplit_once('/').map_or("", |(folder, _)| folder);
        if !self.known.contains_key(folder) {
            let found = self.look(files, importing, known);
            self.known.insert(folder.to_owned(), found);
        }
        match self.known.get(folder).and_then(|known| known.get(profile)) {
            Some(path) => {
                let is_itself = importing.rsplit('/').next() == Some(path);
                (!is_itself).then(|| path.clone())
            }
            None => by_convention(files, importing, profile),
        }
    }

    /// A file that was read to look for profiles; it is given once.
    pub(super) fn take(&mut self, identity: &str) -> Option<ReadFile> {
        self.read.remove(identity)
    }

    /// The profiles among the files that can be looked at. None is read again.
    fn look(
        &mut self,
        files: &mut dyn Files,
        importing: &str,
        known: KnownText<'_>,
    ) -> BTreeMap<String, String> {
        let all = files.names();
        let (from, names) = if all.is_empty() {
            (Some(importing), files.neighbors(importing))
        } else {
            (None, all)
        };
        let mut found = BTreeMap::new();
        let is_text = |name: &String| ENDINGS.iter().any(|ending| name.ends_with(ending));
        for name in names.into_iter().filter(is_text).take(MOST) {
            // What cannot be read is no profile.
            let Ok(identity) = files.identity(from, &name) else { continue };
            let text = match (known(&identity), self.read.get(&identity)) {
                (Some(text), _) => text,
                (None, Some(file)) => &file.text,
                (None, None) => {
                    let Ok(file) = files.read(from, &name) else { continue };
                    &self.read.entry(identity).or_insert(file).text
                }
            };
            if let Some(profile) = declared(text) {
                found.entry(profile.to_owned()).or_insert(name);
            }
        }
        found
    }
}

/// Many lay profiles out in folders: `org.base:1.0` is `org/base/1.0/profile.yaml`, in a folder
/// `profiles` or beside each other, here or further out.
fn by_convention(files: &mut dyn Files, importing: &str, profile: &str) -> Option<String> {
    let (name, version) = profile.split_once(':')?;
    let path = format!("{}/{version}/profile.yaml", name.replace('.', "/"));
    let depth = importing.matches('/').count().min(DEEPEST);
    let mut candidates = (0..=depth).flat_map(|up| {
        let out = "../".repeat(up);
        [format!("{out}profiles/{path}"), format!("{out}{path}")]
    });
    candidates.find(|path| files.exists(Some(importing), path).is_ok())
}

/// The profile that a text says it is: a key in the first column.
fn declared(text: &str) -> Option<&str> {
    let line = text.lines().find_map(|line| line.strip_prefix("profile:"))?;
    let word = line.split(" #").next().unwrap_or(line).trim();
    let word = word.trim_matches(['"', '\'']);
    (!word.is_empty()).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::files::{Limits, MemoryFiles};

    #[test]
    fn a_profile_is_found_by_its_folders() {
        let mut files = MemoryFiles::new(Limits::default())
            .with("s.yaml", "")
            .with("profiles/org/base/1.0/profile.yaml", "")
            .with("profiles/org/base/1.0/node_types.yaml", "");
        let mut beside = BundledProfiles::default();
        let mut find =
            |from: &str, profile: &str| beside.find(&mut files, from, profile, &|_| None);
        let found = Some("profiles/org/base/1.0/profile.yaml");
        assert_eq!(find("s.yaml", "org.base:1.0").as_deref(), found);
        let inside = find("profiles/org/other/2.0/profile.yaml", "org.base:1.0");
        assert_eq!(inside.as_deref(), Some("../../../org/base/1.0/profile.yaml"));
        assert_eq!(find("s.yaml", "org.base:2.0"), None);
    }

    #[test]
    fn a_profile_is_found_by_what_a_file_says() {
        let mut files = MemoryFiles::new(Limits::default())
            .with("a.yaml", "tosca_definitions_version: tosca_2_0\nprofile: org.base:v1 # old\n")
            .with("b.yaml", "profile: \"org.base:v2\"\n")
            .with("c.txt", "profile: org.base:v3\n")
            .with("s.yaml", "x:\n  profile: org.base:v4\nprofile: me\n");
        let mut beside = BundledProfiles::default();
        let mut find = |profile: &str| beside.find(&mut files, "s.yaml", profile, &|_| None);
        assert_eq!(find("org.base:v1").as_deref(), Some("a.yaml"));
        assert_eq!(find("org.base:v2").as_deref(), Some("b.yaml"));
        for other in ["org.base:v3", "org.base:v4", "me", ""] {
            assert_eq!(find(other), None, "{other}");
        }
    }
}

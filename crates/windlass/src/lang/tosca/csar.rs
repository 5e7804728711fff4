//! CSAR archives: `TOSCA-Metadata/TOSCA.meta`, or from 2.0 `TOSCA.meta`, says with which file to
//! begin. Without it the only file in YAML at the root is meant, or the only definitions in XML
//! with a service template.

use super::xml::definitions::TOSCA;
use crate::source::files::{FileError, Files, ReadFile};

/// Where the metadata of an archive stands.
pub const META_FILE: &str = "TOSCA-Metadata/TOSCA.meta";

/// The file with which an archive begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its path within the archive.
    pub path: String,
    /// The file.
    pub file: ReadFile,
}

/// Where TOSCA 2.0 has it.
pub const META_FILE_2: &str = "TOSCA.meta";

/// Reads the file with which an archive begins; none when it has no TOSCA, or does not say with
/// which file to begin and is no CSAR.
pub fn entry(files: &mut dyn Files) -> Result<Option<Entry>, FileError> {
    let mut has_meta = false;
    let mut path = None;
    for name in [META_FILE, META_FILE_2] {
        match files.read(None, name) {
            Ok(meta) => {
                has_meta = true;
                path = path.or(entry_definitions(&meta.text));
            }
            Err(FileError::Missing { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    let Some(path) = path else {
        let found = only_template(files)?;
        let found = match found {
            Some(found) => Some(found),
            None if has_meta => None,
            None => only_text(files)?,
        };
        if found.is_none() && (has_meta || has_tosca(files)?) {
            let reason = "it does not say with which file it begins: `Entry-Definitions` in \
                          `TOSCA-Metadata/TOSCA.meta` is missing";
            let name = "the archive".to_owned();
            return Err(FileError::BrokenArchive { name, reason: reason.to_owned() });
        }
        return Ok(found);
    };
    let file = files.read(None, &path)?;
    Ok(Some(Entry { path, file }))
}

/// Files in YAML, at the root of an archive or anywhere.
fn texts(files: &mut dyn Files, at_root: bool) -> Result<Vec<Entry>, FileError> {
    let mut found = Vec::new();
    for path in files.names() {
        let is_yaml = [".yaml", ".yml"].iter().any(|suffix| path.ends_with(suffix));
        if !is_yaml || at_root && path.contains('/') {
            continue;
        }
        match files.read(None, &path) {
            // In 1.0 an archive must have metadata.
            Ok(file)
                if file.text.contains("tosca_definitions_version")
                    && !(at_root && file.text.contains("tosca_simple_yaml_1_0")) =>
            {
                found.push(Entry { path, file });
            }
            Ok(_) | Err(FileError::NotUtf8 { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

/// The only file in YAML at the root of an archive.
fn only_text(files: &mut dyn Files) -> Result<Option<Entry>, FileError> {
    let mut found = texts(files, true)?;
    if found.len() > 1 {
        let entries = found.into_iter().map(|entry| entry.path).collect();
        return Err(FileError::SeveralEntries { entries });
    }
    Ok(found.pop())
}

fn has_tosca(files: &mut dyn Files) -> Result<bool, FileError> {
    Ok(!texts(files, false)?.is_empty())
}

/// The only file of an archive that has a service template.
fn only_template(files: &mut dyn Files) -> Result<Option<Entry>, FileError> {
    let mut found: Vec<Entry> = Vec::new();
    let is_xml = |name: &String| {
        let suffix = name.rsplit('.').next().unwrap_or_default();
        suffix.eq_ignore_ascii_case("tosca") || suffix.eq_ignore_ascii_case("xml")
    };
    for path in files.names().into_iter().filter(is_xml) {
        let file = match files.read(None, &path) {
            Ok(file) => file,
            Err(FileError::NotUtf8 { .. }) => continue,
            Err(error) => return Err(error),
        };
        if file.text.contains(TOSCA) && file.text.contains("ServiceTemplate") {
            found.push(Entry { path, file });
        }
    }
    if found.len() > 1 {
        let entries = found.into_iter().map(|entry| entry.path).collect();
        return Err(FileError::SeveralEntries { entries });
    }
    Ok(found.pop())
}

/// The value of `Entry-Definitions` in the first block of a metadata file. As in a manifest, a
/// line that starts with a space goes on with the value of the line before.
fn entry_definitions(meta: &str) -> Option<String> {
    let mut value: Option<String> = None;
    for line in meta.lines() {
        if let Some(more) = line.strip_prefix(' ') {
            if let Some(value) = &mut value {
                value.push_str(more);
            }
            continue;
        }
        if value.is_some() || line.trim().is_empty() {
            break;
        }
        let (key, rest) = line.split_once(':').unwrap_or_default();
        if key.trim() == "Entry-Definitions" {
            value = Some(rest.trim().to_owned());
        }
    }
    value.filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{entry, entry_definitions};
    use crate::source::files::{Limits, MemoryFiles};

    #[test]
    fn the_entry_is_found_in_the_first_block_also_on_two_lines() {
        let found = |text: &str| entry_definitions(text);
        let meta = "TOSCA-Meta-Version: 1.0\nEntry-Definitions: Definitions/a.tosca\n\nName: x\n";
        assert_eq!(found(meta).as_deref(), Some("Definitions/a.tosca"));
        let folded = "Entry-Definitions: Definitions/\r\n a.tosca\r\nCSAR-Version: 1.0\r\n";
        assert_eq!(found(folded).as_deref(), Some("Definitions/a.tosca"));
        assert_eq!(found("Name: x\n\nEntry-Definitions: a\n"), None);
        assert_eq!(found(""), None);
    }

    #[test]
    fn without_metadata_the_only_service_template_is_meant() {
        const TEMPLATE: &str =
            "<Definitions xmlns='http://docs.oasis-open.org/tosca/ns/2011/12'><ServiceTemplate/>";
        const TYPES: &str =
            "<Definitions xmlns='http://docs.oasis-open.org/tosca/ns/2011/12'><NodeType/>";
        let begins = |files: &[(&str, &str)]| {
            let mut memory = MemoryFiles::new(Limits::default());
            for (name, text) in files {
                memory = memory.with(*name, *text);
            }
            entry(&mut memory).map(|entry| entry.map(|entry| entry.path))
        };
        let one = [("Definitions/a.tosca", TYPES), ("Definitions/b.tosca", TEMPLATE)];
        assert_eq!(begins(&one), Ok(Some("Definitions/b.tosca".to_owned())));
        let silent = [one[0], one[1], (super::META_FILE, "TOSCA-Meta-Version: 1.0\n")];
        assert_eq!(begins(&silent), Ok(Some("Definitions/b.tosca".to_owned())));
        assert_eq!(begins(&one[..1]), Ok(None));
        assert_eq!(begins(&[("windlass.yaml", "windlass: 1")]), Ok(None));
        let two = [("a.tosca", TEMPLATE), ("b.tosca", TEMPLATE)];
        let error = begins(&two).unwrap_err();
        assert_eq!(error.code(), "FILE012");
        assert_eq!(
            error.to_string(),
            "the archive does not say with which file it begins: `a.tosca` or `b.tosca`"
        );
    }
}

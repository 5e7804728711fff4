//! CSAR archives: `TOSCA-Metadata/TOSCA.meta` says with which file to begin.

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

/// Reads the file with which an archive begins; none when the archive does not say so.
pub fn entry(files: &mut dyn Files) -> Result<Option<Entry>, FileError> {
    let meta = match files.read(None, META_FILE) {
        Ok(meta) => meta,
        Err(FileError::Missing { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let Some(path) = entry_definitions(&meta.text) else { return Ok(None) };
    let file = files.read(None, &path)?;
    Ok(Some(Entry { path, file }))
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
    use super::entry_definitions;

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
}

//! Paths within a root: `a/b.yaml`, never `..`, never absolute.

use super::FileError;

/// The name, within the root, of `path` as it is written in the file `from`.
///
/// `.` and `..` are resolved by their words alone; a path that leaves the root by them, or that
/// is absolute, is refused, and so is an address on the network.
pub fn resolve(from: Option<&str>, path: &str) -> Result<String, FileError> {
    check(path)?;
    if path.starts_with('/') {
        return Err(FileError::OutsideRoot { path: path.to_owned() });
    }
    let folder = from.and_then(|from| from.rsplit_once('/')).map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                if parts.pop().is_none() {
                    return Err(FileError::OutsideRoot { path: path.to_owned() });
                }
            }
            part => parts.push(part),
        }
    }
    if parts.is_empty() || path.ends_with('/') {
        return Err(bad(path, "it names a folder"));
    }
    Ok(parts.join("/"))
}

/// Refuses what no form of files accepts: nothing, control characters, `\`, and addresses.
pub fn check(path: &str) -> Result<(), FileError> {
    if path.is_empty() {
        return Err(bad(path, "it is empty"));
    }
    if path.chars().any(char::is_control) {
        return Err(bad(path, "it contains a control character"));
    }
    let scheme = path.split_once("://").map(|(scheme, _)| scheme);
    let is_word = |word: &str| {
        !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    };
    if scheme.is_some_and(is_word) || path.starts_with("//") {
        return Err(FileError::Remote { path: path.to_owned() });
    }
    if path.contains('\\') {
        return Err(bad(path, "folders are separated by `/`"));
    }
    Ok(())
}

fn bad(path: &str, reason: &'static str) -> FileError {
    FileError::BadPath { path: path.to_owned(), reason }
}

//! Where inputs that broke something are kept, named by target and content.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

/// The folder, which git does not track.
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/artifacts"))
}

/// The file that holds the input a process is working on.
pub(crate) fn current(target: &str) -> PathBuf {
    folder().join(format!("{target}.current"))
}

/// Keeps an input and says where.
pub(crate) fn save(target: &str, kind: &str, input: &[u8]) -> Result<PathBuf, String> {
    let mut hasher = DefaultHasher::new();
    input.hash(&mut hasher);
    let path = folder().join(format!("{target}-{kind}-{:016x}", hasher.finish()));
    std::fs::create_dir_all(folder()).map_err(|error| error.to_string())?;
    std::fs::write(&path, input).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

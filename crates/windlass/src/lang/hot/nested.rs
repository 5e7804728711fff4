//! Templates that are used as types, and files that a template names.

/// Whether the type of a resource is a file.
pub(super) fn is_file(name: &str) -> bool {
    let path = name.split(['?', '#']).next().unwrap_or(name);
    name.contains("://")
        || [".yaml", ".yml", ".template"].iter().any(|ending| path.ends_with(ending))
}

/// A path as `trait Files` takes it; none for what would have to be fetched.
pub(super) fn local(name: &str) -> Option<&str> {
    match name.split_once("://") {
        None => Some(name),
        Some(("file", path)) => Some(path),
        Some(_) => None,
    }
}

//! What `security_opt` means: profiles are read here, because the engine sees no files.

use std::fmt;
use std::io;

use serde_json::{Value, json};

use super::ProjectContext;

/// Why a profile cannot be used.
#[derive(Debug)]
pub(super) enum ProfileError {
    /// Its file cannot be read.
    Unreadable {
        /// The file.
        path: String,
        /// Why.
        error: io::Error,
    },
    /// It is no JSON.
    NotJson {
        /// The file.
        path: String,
        /// Why.
        error: serde_json::Error,
    },
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProfileError::Unreadable { path, error } => {
                write!(f, "the profile `{path}` cannot be read: {error}")
            }
            ProfileError::NotJson { path, error } => {
                write!(f, "the profile `{path}` is no JSON: {error}")
            }
        }
    }
}

/// What a service says about security, as the request has it; why a profile cannot be read.
pub(super) fn put(
    canon: &Value,
    ground: &ProjectContext,
    host: &mut Value,
) -> Result<(), ProfileError> {
    let Some(written) = canon.get("security_opt").and_then(Value::as_array) else {
        return Ok(());
    };
    let mut all = Vec::new();
    for option in written.iter().filter_map(Value::as_str) {
        if option == "systempaths=unconfined" {
            host["MaskedPaths"] = json!([]);
            host["ReadonlyPaths"] = json!([]);
            continue;
        }
        let parts = option.split_once('=').or_else(|| option.split_once(':'));
        all.push(match parts {
            Some(("seccomp", file)) if !matches!(file, "unconfined" | "builtin") => {
                format!("seccomp={}", profile(&ground.path(file))?)
            }
            _ => option.to_owned(),
        });
    }
    host["SecurityOpt"] = all.into();
    Ok(())
}

/// A profile without the spaces between its words.
fn profile(path: &str) -> Result<String, ProfileError> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| ProfileError::Unreadable { path: path.to_owned(), error })?;
    let value: Value = serde_json::from_str(&text)
        .map_err(|error| ProfileError::NotJson { path: path.to_owned(), error })?;
    Ok(value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_read_and_paths_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("p.json"), "{ \"a\" :\n 1 }").unwrap();
        let ground =
            ProjectContext { folder: folder.path().to_owned(), ..ProjectContext::default() };
        let mut host = json!({});
        let said = |all: &[&str]| json!({ "security_opt": all });
        let options = ["seccomp=./p.json", "systempaths=unconfined", "seccomp:unconfined"];
        put(&said(&options), &ground, &mut host).unwrap();
        assert_eq!(host["SecurityOpt"], json!(["seccomp={\"a\":1}", "seccomp:unconfined"]));
        assert_eq!(host["MaskedPaths"], json!([]));
        let why = put(&said(&["seccomp=gone.json"]), &ground, &mut host).unwrap_err();
        assert!(why.to_string().contains("gone.json` cannot be read"), "{why}");
    }
}

//! Addresses that a run has to tell: a part `${shared:FILE|FILE}` of an address stands for the
//! first of these files that a command has left among what is shared; `here:` is this machine.

use std::fmt;
use std::fs;
use std::path::Path;

use super::files::{SHARED, is_below};

const START: &str = "${shared:";
const END: char = '}';
/// The address of this machine.
const HERE: &str = "here:";

/// Why the address of a host is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub(crate) enum AddressError {
    /// No operation has left it yet, under this name.
    NotLeft(String),
    /// What was left is no address.
    Bad {
        /// What was left.
        text: String,
        /// Its name.
        name: String,
    },
}

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AddressError::NotLeft(name) => {
                write!(f, "where it runs is not known: no operation has left `{name}`")
            }
            AddressError::Bad { text, name } => {
                write!(f, "`{text}`, left as `{name}`, is no address")
            }
        }
    }
}

/// Where a host is reached, or why that is not known yet; none for this machine.
pub(super) fn resolve(folder: &Path, address: &str) -> Result<Option<String>, AddressError> {
    if address == HERE {
        return Ok(None);
    }
    let mut whole = String::new();
    let mut rest = address;
    while let Some((before, after)) = rest.split_once(START) {
        let Some((names, after)) = after.split_once(END) else { break };
        whole.push_str(before);
        let value = left(folder, names)?;
        // An address of IPv6 has colons of its own.
        if whole.starts_with("ssh://") && value.contains(':') && !value.starts_with('[') {
            whole.extend(["[", &value, "]"]);
        } else {
            whole.push_str(&value);
        }
        rest = after;
    }
    whole.push_str(rest);
    Ok(Some(whole))
}

/// What the first of some files says.
fn left(folder: &Path, names: &str) -> Result<String, AddressError> {
    let read = |name: &str| {
        let path = Path::new(name);
        is_below(path).then(|| fs::read_to_string(folder.join(SHARED).join(path)).ok()).flatten()
    };
    let found = names.split('|').find_map(|name| read(name).map(|text| (name, text)));
    let Some((name, text)) = found else {
        let first = names.split('|').next().unwrap_or(names).replace('/', ".");
        return Err(AddressError::NotLeft(first));
    };
    let text = text.trim();
    let good = |c: char| c.is_ascii_alphanumeric() || "._:-[]%@".contains(c);
    // No address can become an option of ssh, or more than one word.
    if text.is_empty() || text.starts_with('-') || !text.chars().all(good) {
        let (text, name) = (text.to_owned(), name.replace('/', "."));
        return Err(AddressError::Bad { text, name });
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_commands_left_is_part_of_an_address() {
        let folder = tempfile::tempdir().unwrap();
        let say = |name: &str, text: &str| {
            let path = folder.path().join("shared").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let asked = |address: &str| resolve(folder.path(), address);
        let both = "ssh://me@${shared:far/public_address|far/private_address}:22";
        let unknown = asked(both).unwrap_err().to_string();
        assert!(unknown.contains("no operation has left `far.public_address`"), "{unknown}");
        say("far/private_address", "10.0.0.1\n");
        assert_eq!(asked(both).unwrap().as_deref(), Some("ssh://me@10.0.0.1:22"));
        say("far/public_address", "fe80::1");
        assert_eq!(asked(both).unwrap().as_deref(), Some("ssh://me@[fe80::1]:22"));
        assert_eq!(asked("${shared:far/public_address}").unwrap().as_deref(), Some("fe80::1"));
        for bad in ["", "-oProxyCommand=x", "a b", "a;b"] {
            say("far/public_address", bad);
            assert!(asked(both).is_err(), "{bad}");
        }
        assert!(asked("${shared:../far}").is_err());
        assert_eq!(asked("here:").unwrap(), None);
        assert_eq!(asked("far").unwrap().as_deref(), Some("far"));
    }
}

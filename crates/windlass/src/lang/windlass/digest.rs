//! A short text that tells whether an application or a state is still the one that a plan was made
//! for.
//!
//! Invariant: the same on every machine and in every version, because plans outlive the program. It
//! tells of changes and protects from no attack: one who can write the plan can write the digest.

use super::{print, print_state};
use crate::application::{Application, GlobalState};
use crate::fnv::fnv1a_128;
use crate::tree::emit;

/// The digest of an application: of everything that its own language would say about it.
pub fn of_application(application: &Application) -> String {
    digest(&emit::json(&print(application, None)))
}

/// The digest of a state of an application.
pub fn of_state(application: &Application, state: &GlobalState) -> String {
    digest(&emit::json(&print_state(application, state)))
}

/// The digest of any text.
pub fn of_text(text: &str) -> String {
    digest(text)
}

/// FNV-1a in 128 bits, in hexadecimal.
fn digest(text: &str) -> String {
    format!("fnv1a128:{:032x}", fnv1a_128(text.bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_of_known_texts_is_known() {
        assert_eq!(digest(""), "fnv1a128:6c62272e07bb014262b821756295c58d");
        assert_eq!(digest("a"), "fnv1a128:d228cb696f1a8caf78912b704e4a8964");
    }
}

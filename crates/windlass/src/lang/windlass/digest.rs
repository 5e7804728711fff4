//! A short text that tells whether an application or a state is still the one that a plan was made
//! for.
//!
//! Invariant: the same on every machine and in every version, because plans outlive the program.
//! It shows changes and protects from no attack: who can write the plan can write the digest.

use super::{print, print_state};
use crate::application::{Application, GlobalState};
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
    let mut hash = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128;
    for byte in text.bytes() {
        hash = (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
    }
    format!("fnv1a128:{hash:032x}")
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

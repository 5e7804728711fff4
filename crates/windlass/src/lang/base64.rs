//! Whether a text is base 64: languages that check it ask here.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};

/// Groups of four characters, the last of which is filled up with `=`. The bits that the last
/// character has too many do not matter: decoders drop them.
pub(crate) fn is_base64(text: &str) -> bool {
    let config = GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true);
    GeneralPurpose::new(&STANDARD, config).decode(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::is_base64;

    #[test]
    fn groups_of_four_are_filled_up_at_the_end_only() {
        for good in ["", "YQ==", "YR==", "YWI=", "YWJj"] {
            assert!(is_base64(good), "{good}");
        }
        for bad in ["YQ", "Y===", "=YQ=", "YW?=", "YWJj\n"] {
            assert!(!is_base64(bad), "{bad}");
        }
    }
}

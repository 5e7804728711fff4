//! FNV-1a in three widths: numbers of texts that are written to files.
//!
//! Invariant: the same on every machine and in every version, because plans, baselines and names of
//! nodes outlive the program. It tells changes apart; it protects from no attack.

/// In 32 bits.
pub(crate) fn fnv1a_32(bytes: impl IntoIterator<Item = u8>) -> u32 {
    let step = |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    bytes.into_iter().fold(0x811c_9dc5, step)
}

/// In 64 bits.
pub fn fnv1a_64(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let step = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// In 128 bits.
pub(crate) fn fnv1a_128(bytes: impl IntoIterator<Item = u8>) -> u128 {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let step = |hash: u128, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME);
    bytes.into_iter().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_texts_have_the_published_numbers() {
        assert_eq!(fnv1a_32([]), 0x811c_9dc5);
        assert_eq!(fnv1a_32(*b"foobar"), 0xbf9c_f968);
        assert_eq!(fnv1a_64([]), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a_64(*b"foobar"), 0x8594_4171_f739_67e8);
        assert_eq!(fnv1a_128(*b"a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
    }
}

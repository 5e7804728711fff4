//! A small random number generator (splitmix64): the same seed gives the same inputs everywhere.

/// The generator.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// From a seed and a name, so that targets do not share their choices.
    pub(crate) fn new(seed: u64, name: &str) -> Self {
        Random(seed ^ windlass::fnv::fnv1a_64(name.bytes()))
    }

    /// The next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`; 0 when the limit is 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        if limit == 0 { 0 } else { (self.next() % limit as u64) as usize }
    }

    /// One of some things.
    pub(crate) fn one_of<'a, T>(&mut self, things: &'a [T]) -> Option<&'a T> {
        things.get(self.below(things.len()))
    }

    /// A start and an end of a range in `0..length`, at most `longest` long.
    pub(crate) fn range(&mut self, length: usize, longest: usize) -> std::ops::Range<usize> {
        let start = self.below(length);
        let end = start + 1 + self.below(longest.max(1));
        start..end.min(length)
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let mut first = Random::new(7, "tree");
        let mut second = Random::new(7, "tree");
        let mut other = Random::new(7, "goal");
        let numbers = |random: &mut Random| (0..9).map(|_| random.next()).collect::<Vec<_>>();
        assert_eq!(numbers(&mut first), numbers(&mut second));
        assert_ne!(numbers(&mut first), numbers(&mut other));
        assert_eq!(first.below(0), 0);
        assert_eq!(first.range(0, 5), 0..0);
    }
}

//! Makes an input smaller while it still breaks: takes out ever smaller pieces.

/// The input without the pieces that are not needed for `breaks`.
pub(crate) fn minimize(input: &[u8], breaks: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut smallest = input.to_vec();
    let mut piece = (smallest.len() / 2).max(1);
    loop {
        let before = smallest.len();
        let mut at = 0;
        while at < smallest.len() {
            let end = (at + piece).min(smallest.len());
            let without = [&smallest[..at], &smallest[end..]].concat();
            if breaks(&without) {
                smallest = without;
            } else {
                at += piece;
            }
        }
        if piece == 1 && smallest.len() == before {
            return smallest;
        }
        piece = (piece / 2).max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::minimize;

    #[test]
    fn only_what_is_needed_stays() {
        let breaks = |input: &[u8]| input.contains(&b'x') && input.contains(&b'y');
        assert_eq!(minimize(b"aaaxbbbbbbbbbyccc", breaks), b"xy");
        assert_eq!(minimize(b"abc", |_| true), b"");
        assert_eq!(minimize(b"abc", |input| input == b"abc"), b"abc");
    }
}

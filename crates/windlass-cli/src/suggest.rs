//! Near words: the known ones that are close to one that is not known, for "did you mean".

/// The known words at a distance of at most a third of the word's length, nearest first.
pub(crate) fn near<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let limit = (word.chars().count() / 3).max(1);
    let mut near: Vec<_> = known
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .collect();
    near.sort_unstable();
    near.into_iter().map(|(_, candidate)| candidate).collect()
}

/// How many characters to insert, remove or replace, without regard to upper and lower case.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().flat_map(char::to_lowercase).take(64).collect();
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, right) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(left != right);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_come_nearest_first_and_far_ones_not_at_all() {
        let known = ["YAML001", "YAML002", "FILE001", "WL001"];
        assert_eq!(near("yaml01", known), ["YAML001", "YAML002"]);
        assert_eq!(near("ignor", ["ignore", "select"]), ["ignore"]);
        assert!(near("zzz", known).is_empty());
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}

//! Near words: the known ones that are close to one that is not known, for "did you mean".

/// The nearest of the known words, if their distance is at most a third of the word's length.
pub(crate) fn near<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let limit = (word.chars().count() / 3).max(1);
    let mut near: Vec<_> = known
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .collect();
    near.sort_unstable();
    let nearest = near.first().map(|(distance, _)| *distance);
    near.into_iter()
        .filter(|(distance, _)| Some(*distance) == nearest)
        .map(|(_, candidate)| candidate)
        .collect()
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
    fn only_the_nearest_words_are_near() {
        let known = ["YAML001", "YAML002", "FILE001", "WL001"];
        assert_eq!(near("yaml01", known), ["YAML001"]);
        assert_eq!(near("YAML00", known), ["YAML001", "YAML002"]);
        assert_eq!(near("ignor", ["ignore", "select"]), ["ignore"]);
        assert!(near("zzz", known).is_empty());
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}

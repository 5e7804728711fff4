//! Which known word was probably meant, and which words there are.

/// The known word closest to `word`, when it is close enough to be a slip of the finger.
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    /// Longer words are not compared: a distance costs the product of the lengths.
    const LONGEST: usize = 64;
    if word.is_empty() || word.chars().count() > LONGEST {
        return None;
    }
    let tolerance = (word.chars().count() / 3).clamp(1, 3);
    known
        .filter(|candidate| candidate.chars().count() <= LONGEST)
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= tolerance)
        .min()
        .map(|(_, candidate)| candidate)
}

/// "known nodes: `a`, `b`", cut off when there are many.
pub fn known<'a>(what: &str, names: impl Iterator<Item = &'a str>) -> String {
    const MOST: usize = 8;
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.dedup();
    let plural = match what.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{what}s"),
    };
    let more = names.len().saturating_sub(MOST);
    names.truncate(MOST);
    let list = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match (list.is_empty(), more) {
        (true, _) => format!("there are no {plural} here"),
        (false, 0) => format!("known {plural}: {list}"),
        (false, more) => format!("known {plural}: {list} and {more} more"),
    }
}

/// Edits from one word to the other: insert, remove, replace, or swap two neighbors.
fn distance(from: &str, to: &str) -> usize {
    let from: Vec<char> = from.chars().flat_map(char::to_lowercase).collect();
    let to: Vec<char> = to.chars().flat_map(char::to_lowercase).collect();
    let mut rows = vec![(0..=to.len()).collect::<Vec<usize>>()];
    for i in 1..=from.len() {
        let mut row = vec![i];
        for j in 1..=to.len() {
            let same = usize::from(from[i - 1] != to[j - 1]);
            let mut best = (rows[i - 1][j] + 1).min(row[j - 1] + 1).min(rows[i - 1][j - 1] + same);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[from.len()][to.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_is_recognized_and_a_different_word_is_not() {
        let known = ["requires", "offers", "on_fault"];
        let near = |word| nearest(word, known.iter().copied());
        assert_eq!(near("require"), Some("requires"));
        assert_eq!(near("ofers"), Some("offers"));
        assert_eq!(near("on_fualt"), Some("on_fault"));
        assert_eq!(near("duration"), None);
        assert_eq!(near(""), None);
    }
}

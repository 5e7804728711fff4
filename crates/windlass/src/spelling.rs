//! Which known word was probably meant, and which words there are.

/// So many findings of one text come with advice about spelling. Advice costs a look at every known
/// word, so a text with many mistakes and many words would take forever.
pub(crate) const MOST_ADVISED: usize = 200;

/// The known word closest to `word`, when it is close enough to be a slip of the finger.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    near(word, known).first().copied()
}

/// The known words that are equally close to `word` and close enough to be slips of the finger, in
/// the order of the alphabet.
pub fn near<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    /// Longer words are not compared: a distance costs the product of the lengths.
    const LONGEST: usize = 64;
    let length = word.chars().count();
    if word.is_empty() || length > LONGEST {
        return Vec::new();
    }
    let tolerance = (length / 3).clamp(1, 3);
    // Letters of other cases may be longer or shorter, but hardly ever are.
    let comparable = |candidate: &&str| candidate.chars().count().abs_diff(length) <= tolerance;
    let compared = known.into_iter().filter(comparable);
    let mut near: Vec<_> = compared
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= tolerance)
        .collect();
    near.sort_unstable();
    near.dedup();
    let least = near.first().map(|(distance, _)| *distance);
    near.retain(|(distance, _)| Some(*distance) == least);
    near.into_iter().map(|(_, candidate)| candidate).collect()
}

/// What to do about a word that is none of the known ones; `before` is how many findings the text
/// has already.
pub fn advice<'a>(
    what: &str,
    word: &str,
    known: impl Iterator<Item = &'a str> + Clone,
    before: usize,
) -> Option<String> {
    if before >= MOST_ADVISED {
        return None;
    }
    Some(match nearest(word, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => self::known(what, known),
    })
}

/// "known nodes: `a`, `b`", cut off when there are many.
pub fn known<'a>(what: &str, names: impl Iterator<Item = &'a str>) -> String {
    const MOST: usize = 8;
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.dedup();
    let plural = match what.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ => format!("{what}s"),
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

/// Edits from one word to the other, whatever the case: insert, remove, replace, or swap two
/// neighbors.
fn distance(from: &str, to: &str) -> usize {
    strsim::osa_distance(&from.to_lowercase(), &to.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::{MOST_ADVISED, advice, near, nearest};

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

    #[test]
    fn only_the_nearest_words_are_near() {
        let known = ["YAML001", "YAML002", "FILE001", "WL001", "YAML002"];
        assert_eq!(near("yaml01", known), ["YAML001"]);
        assert_eq!(near("YAML00", known), ["YAML001", "YAML002"]);
        assert_eq!(near("ignor", ["ignore", "select"]), ["ignore"]);
        assert!(near("zzz", known).is_empty());
        assert!(near(&"x".repeat(65), ["x"]).is_empty());
    }

    #[test]
    fn the_first_findings_get_advice() {
        let known = ["gui", "api"];
        let about = |word, before| advice("node", word, known.iter().copied(), before);
        assert_eq!(about("guy", 0).as_deref(), Some("did you mean `gui`?"));
        assert_eq!(about("mongo", 1).as_deref(), Some("known nodes: `api`, `gui`"));
        assert_eq!(about("guy", MOST_ADVISED), None);
    }
}

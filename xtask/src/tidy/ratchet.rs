//! What is left of something that goes away: the number may fall, and never rise.

use super::{Tree, message_matching, old_names, string_errors, tuple_parameters};
use crate::repository::Finding;

/// How many findings of a check are left, and why.
pub struct Left {
    /// What the findings have in common: a name, or the beginning of a path.
    pub what: &'static str,
    /// At most so many.
    pub most: usize,
    /// Why they may stay.
    pub reason: &'static str,
}

/// A finding and what it is counted under.
pub type Counted = (String, Finding);

/// The findings that are too many: all of a kind that has more than are left.
pub fn beyond(counted: Vec<Counted>, left: &[Left]) -> Vec<Finding> {
    let most = |what: &str| left.iter().find(|one| one.what == what).map_or(0, |one| one.most);
    let numbers: Vec<usize> = counted
        .iter()
        .map(|(what, _)| counted.iter().filter(|(other, _)| other == what).count())
        .collect();
    let too_many = |((what, finding), number): ((String, Finding), usize)| {
        (number > most(&what)).then_some(finding)
    };
    counted.into_iter().zip(numbers).filter_map(too_many).collect()
}

/// Numbers that are higher than they have to be.
pub fn slack(tree: &Tree) -> Vec<String> {
    let all = [
        (old_names::all(tree), old_names::LEFT),
        (string_errors::all(tree), string_errors::LEFT),
        (message_matching::all(tree), message_matching::LEFT),
        (tuple_parameters::all(tree), tuple_parameters::LEFT),
    ];
    let mut notes = Vec::new();
    for (counted, left) in all {
        for Left { what, most, reason } in left {
            let number = counted.iter().filter(|(other, _)| other == what).count();
            if number < *most {
                notes.push(format!("`{what}`: {number} are left, not {most} ({reason})"));
            }
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_may_fall_and_never_rise() {
        let left = [Left { what: "a", most: 2, reason: "because" }];
        let findings = |what: &[&str]| {
            let one = |what: &&str| ((*what).to_owned(), Finding::new("a.rs", 1, *what));
            beyond(what.iter().map(one).collect(), &left).len()
        };
        assert_eq!(findings(&["a"]), 0);
        assert_eq!(findings(&["a", "a"]), 0);
        assert_eq!(findings(&["a", "a", "a"]), 3);
        assert_eq!(findings(&["a", "b"]), 1);
    }
}

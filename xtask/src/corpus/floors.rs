//! `corpus-floors.toml`: how many were right before, so that no change makes a set worse unseen.

use super::Score;
use crate::repository::Repository;
use std::collections::BTreeMap;
use std::fmt::Write;

const PATH: &str = "corpus-floors.toml";
const HEAD: &str = "# Smallest number of right answers per set; `cargo xtask corpus PATH --update` \
                    raises it.\n\n";

/// The smallest number of right answers for each set.
#[derive(Debug, Default)]
pub struct Floors(BTreeMap<String, usize>);

/// What the comparison says about one set.
#[derive(Debug, PartialEq, Eq)]
pub struct Message {
    /// A line for people.
    pub text: String,
    /// Whether the set fell below its floor.
    pub fails: bool,
}

impl Floors {
    /// Reads the file; without it every floor is 0.
    pub fn read(repository: &Repository) -> Result<Self, String> {
        if !repository.exists(PATH) {
            return Ok(Floors::default());
        }
        let floors = toml::from_str(&repository.read(PATH)?);
        floors.map(Floors).map_err(|error| format!("{PATH}: {error}"))
    }

    /// Writes the file.
    pub fn write(&self, repository: &Repository) -> Result<(), String> {
        let mut text = HEAD.to_owned();
        for (set, floor) in &self.0 {
            let _ = writeln!(text, "{set} = {floor}");
        }
        repository.write(PATH, &text)
    }

    /// Raises the floors to what was scored; never lowers one.
    pub fn raise(&mut self, scores: &[Score]) {
        for score in scores.iter().filter(|score| !score.all_must_be_right) {
            let floor = self.0.entry(score.set.clone()).or_default();
            *floor = (*floor).max(score.right);
        }
    }

    /// Says which sets fell below their floor and which rose above it.
    pub fn compare(&self, scores: &[Score]) -> Vec<Message> {
        let mut messages = Vec::new();
        for Score { set, right, total, all_must_be_right, .. } in scores {
            let floor = match all_must_be_right {
                true => *total,
                false => self.0.get(set).copied().unwrap_or_default(),
            };
            if *right < floor {
                let text = format!("{set}: {right} is below the floor of {floor}");
                messages.push(Message { text, fails: true });
            } else if *right > floor {
                let text = format!("{set}: raise the floor from {floor} to {right} (--update)");
                messages.push(Message { text, fails: false });
            }
        }
        messages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(right: usize) -> Vec<Score> {
        vec![Score {
            set: "ramp".to_owned(),
            right,
            total: 9,
            all_must_be_right: false,
            wrong: Vec::new(),
        }]
    }

    #[test]
    fn below_fails_and_above_asks_to_raise() {
        let mut floors = Floors::default();
        floors.raise(&score(5));
        assert!(floors.compare(&score(5)).is_empty());
        assert!(floors.compare(&score(4))[0].fails);
        let better = &floors.compare(&score(6))[0];
        assert!(!better.fails && better.text.contains("raise the floor"));
        floors.raise(&score(3));
        assert!(floors.compare(&score(4))[0].fails, "a floor is never lowered");
    }

    #[test]
    fn a_set_that_must_be_right_has_no_floor() {
        let strict = |right| Score { all_must_be_right: true, ..score(right).remove(0) };
        let mut floors = Floors::default();
        floors.raise(&[strict(8)]);
        assert!(floors.compare(&[strict(8)])[0].fails);
        assert!(floors.compare(&[strict(9)]).is_empty());
    }
}

//! Values that only commands get to see.

mod filter;

use std::collections::BTreeMap;
use std::io;

pub(crate) use filter::Filter;

/// What stands where a secret would.
const MASK: &str = "***";

/// A line of a secret that is shorter tells nothing about it, and would be found everywhere.
const SHORTEST_LINE: usize = 4;

/// Secrets by name.
#[derive(Clone, Default)]
pub struct Secrets {
    values: BTreeMap<String, String>,
    /// What must not be shown, longest first: the values, their lines (programs put them on one
    /// line), and all of that as JSON writes it.
    needles: Vec<String>,
}

/// Names only: a value never reaches a log by accident.
impl std::fmt::Debug for Secrets {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_set().entries(self.values.keys()).finish()
    }
}

impl<const N: usize> From<[(String, String); N]> for Secrets {
    fn from(values: [(String, String); N]) -> Self {
        values.into_iter().collect()
    }
}

impl FromIterator<(String, String)> for Secrets {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(values: I) -> Self {
        let values: BTreeMap<String, String> = values.into_iter().collect();
        let mut needles = Vec::new();
        for value in values.values() {
            let lines = value.lines().map(str::trim).filter(|line| line.len() >= SHORTEST_LINE);
            let whole = [value.as_str(), value.trim()].into_iter();
            for part in lines.chain(whole.filter(|part| !part.trim().is_empty())) {
                let escaped = serde_json::Value::from(part).to_string();
                needles.extend([part.to_owned(), escaped.trim_matches('"').to_owned()]);
            }
        }
        // Longer ones first, or a secret that is part of another would leave a rest.
        needles.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        needles.dedup();
        Secrets { values, needles }
    }
}

impl Secrets {
    /// The value of a secret.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// Whether there is nothing to hide.
    pub(crate) fn is_empty(&self) -> bool {
        self.needles.is_empty()
    }

    /// Those of these names.
    #[must_use]
    pub(crate) fn only<'n>(&self, names: impl Iterator<Item = &'n str>) -> Secrets {
        names.filter_map(|name| Some((name.to_owned(), self.get(name)?.to_owned()))).collect()
    }

    /// For a program that hides them; nothing else may see this text.
    pub(crate) fn to_json(&self) -> String {
        serde_json::json!(self.values).to_string()
    }

    /// What [`Secrets::to_json`] wrote.
    pub(crate) fn from_json(text: &str) -> io::Result<Secrets> {
        let values: BTreeMap<String, String> = serde_json::from_str(text)?;
        Ok(values.into_iter().collect())
    }

    /// A text without the secrets in it.
    pub(crate) fn redact(&self, text: &str) -> String {
        let mut filter = Filter::new(self);
        let mut bytes = filter.pass(text.as_bytes());
        bytes.extend(filter.rest());
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn longer_secrets_go_first() {
        let secrets = Secrets::from([secret("a", "abc"), secret("b", "abcdef")]);
        assert_eq!(secrets.redact("x abcdef y abc"), "x *** y ***");
        assert_eq!(format!("{secrets:?}"), r#"{"a", "b"}"#);
    }

    #[test]
    fn a_secret_of_several_lines_is_found_on_one() {
        let secrets = Secrets::from([secret("key", "line1-Alpha\nline2-Beta\n}\n")]);
        assert_eq!(secrets.redact("it is line1-Alpha line2-Beta } ."), "it is *** *** } .");
        assert_eq!(secrets.redact("a: line1-Alpha\nline2-Beta\n}\n"), "a: ***");
        assert_eq!(secrets.redact(r#""line1-Alpha\nline2-Beta\n}\n""#), "\"***\"");
    }

    #[test]
    fn nothing_is_hidden_when_there_are_no_secrets() {
        assert!(Secrets::from([secret("empty", ""), secret("blank", " \n")]).is_empty());
        assert_eq!(Secrets::default().redact("a b"), "a b");
    }
}

//! Values that commands get and nobody else sees.

use std::collections::BTreeMap;

/// What stands where a secret would.
const MASK: &str = "***";

/// Secrets by name.
#[derive(Clone, Default)]
pub struct Secrets {
    values: BTreeMap<String, String>,
}

/// Names only: a value never reaches a log by accident.
impl std::fmt::Debug for Secrets {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_set().entries(self.values.keys()).finish()
    }
}

impl<const N: usize> From<[(String, String); N]> for Secrets {
    fn from(values: [(String, String); N]) -> Self {
        Secrets { values: values.into_iter().collect() }
    }
}

impl FromIterator<(String, String)> for Secrets {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(values: I) -> Self {
        Secrets { values: values.into_iter().collect() }
    }
}

impl Secrets {
    /// The value of a secret.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// A text without the secrets in it, neither as they are nor as JSON writes them.
    pub fn redact(&self, text: &str) -> String {
        let mut text = text.to_owned();
        // Longer ones first, or a secret that is part of another would leave a rest.
        let mut values: Vec<&String> = self.values.values().filter(|v| !v.is_empty()).collect();
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        for value in values {
            text = text.replace(value.as_str(), MASK);
            let escaped = serde_json::Value::from(value.as_str()).to_string();
            text = text.replace(escaped.trim_matches('"'), MASK);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_secrets_go_first() {
        let secret = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let secrets = Secrets::from([secret("a", "abc"), secret("b", "abcdef")]);
        assert_eq!(secrets.redact("x abcdef y abc"), "x *** y ***");
        assert_eq!(format!("{secrets:?}"), r#"{"a", "b"}"#);
    }
}

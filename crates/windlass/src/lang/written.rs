//! What came out of writing in a language that can say less than ours.

/// A document and what it does not say.
#[derive(Debug, Clone, PartialEq)]
pub struct Written<T> {
    /// The document.
    pub document: T,
    /// What the language has no words for and what changes no behavior, in words for people.
    pub left_out: Vec<&'static str>,
}

/// Why nothing was written: the language has no words for it, and leaving it out would change
/// what the description means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inexpressible {
    language: &'static str,
    /// What cannot be said, one thing each.
    pub(crate) things: Vec<String>,
}

impl Inexpressible {
    pub(super) fn new(language: &'static str) -> Self {
        Inexpressible { language, things: Vec::new() }
    }

    pub(super) fn add(&mut self, thing: impl Into<String>) {
        let thing = thing.into();
        if !self.things.contains(&thing) {
            self.things.push(thing);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.things.is_empty()
    }

    /// The result: what was written, unless something could not be said.
    pub(super) fn or<T>(self, written: T) -> Result<T, Self> {
        if self.is_empty() { Ok(written) } else { Err(self) }
    }
}

impl std::fmt::Display for Inexpressible {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} cannot say: {}", self.language, self.things.join("; "))
    }
}

impl std::error::Error for Inexpressible {}

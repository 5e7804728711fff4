//! Whether a license expression (SPDX, and the older `A/B`) can be met with allowed licenses.

/// Whether some choice in `expression` needs allowed licenses only.
pub fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut parser = Parser { words: &words, at: 0, allowed };
    let met = parser.either();
    met && parser.at == words.len()
}

/// Reads an expression; the depth of the recursion is that of its brackets.
struct Parser<'a> {
    words: &'a [&'a str],
    at: usize,
    allowed: &'a [String],
}

impl Parser<'_> {
    fn next_is(&mut self, word: &str) -> bool {
        let found = self.words.get(self.at) == Some(&word);
        self.at += usize::from(found);
        found
    }

    fn either(&mut self) -> bool {
        let mut met = self.both();
        while self.next_is("OR") {
            met |= self.both();
        }
        met
    }

    fn both(&mut self) -> bool {
        let mut met = self.one();
        while self.next_is("AND") {
            met &= self.one();
        }
        met
    }

    fn one(&mut self) -> bool {
        if self.next_is("(") {
            let met = self.either();
            return self.next_is(")") && met;
        }
        let Some(name) = self.words.get(self.at) else { return false };
        self.at += 1;
        let mut full = (*name).to_owned();
        if self.next_is("WITH") {
            let exception = self.words.get(self.at).copied().unwrap_or_default();
            self.at += 1;
            full = format!("{full} WITH {exception}");
        }
        self.allowed.contains(&full)
    }
}

#[cfg(test)]
mod tests {
    use super::is_allowed;

    #[test]
    fn expressions_are_met_or_not() {
        let allowed = ["MIT", "Unicode-3.0", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
        for good in [
            "MIT",
            "GPL-3.0 OR MIT",
            "Unlicense/MIT",
            "(MIT OR GPL-3.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception",
        ] {
            assert!(is_allowed(good, &allowed), "{good}");
        }
        for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "Apache-2.0", "(MIT", "MIT MIT", "MIT WITH"] {
            assert!(!is_allowed(bad, &allowed), "{bad}");
        }
    }
}

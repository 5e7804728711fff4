//! `.dockerignore`: what of a folder is not sent to the builder.
//!
//! The globs are those of `globset`. What Docker does around them is here: a pattern that meets a
//! folder meets everything in it, `!` takes back, the last pattern that meets a path decides, and
//! patterns are cleaned like paths. `{` and `}` are ordinary characters for Docker.

use std::fmt;

use globset::{Candidate, GlobBuilder, GlobMatcher};

/// A pattern that is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadPattern {
    pattern: String,
    reason: String,
}

impl fmt::Display for BadPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`.dockerignore` has a pattern that is none, `{}`: {}", self.pattern, self.reason)
    }
}

/// The patterns of a file, in its order.
#[derive(Debug)]
pub(super) struct Dockerignore(Vec<Pattern>);

#[derive(Debug)]
struct Pattern {
    glob: GlobMatcher,
    /// Whether it takes back what patterns before it left out.
    is_exception: bool,
}

impl Dockerignore {
    /// Reads a file.
    pub(super) fn parse(text: &str) -> Result<Self, BadPattern> {
        let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
        let patterns = lines.map(|line| match line.strip_prefix('!') {
            Some(rest) => (true, cleaned(rest.trim())),
            None => (false, cleaned(line)),
        });
        let patterns = patterns.filter(|(_, pattern)| !pattern.is_empty());
        let compiled = patterns.map(|(is_exception, pattern)| {
            let glob = GlobBuilder::new(&pattern)
                .literal_separator(true)
                .backslash_escape(true)
                .build()
                .map_err(|error| BadPattern { reason: error.kind().to_string(), pattern })?;
            Ok(Pattern { glob: glob.compile_matcher(), is_exception })
        });
        compiled.collect::<Result<_, _>>().map(Dockerignore)
    }

    /// Whether a path, from the root of the context, is not sent.
    pub(super) fn leaves_out(&self, path: &str) -> bool {
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        let parts: Vec<Candidate<'_>> = ends.map(|end| Candidate::new(&path[..end])).collect();
        let meets =
            |pattern: &&Pattern| parts.iter().any(|part| pattern.glob.is_match_candidate(part));
        self.0.iter().rev().find(meets).is_some_and(|pattern| !pattern.is_exception)
    }
}

/// A pattern without what a path does not need, and with braces that mean themselves.
fn cleaned(pattern: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in pattern.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/").replace('{', "[{]").replace('}', "[}]")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaves_out(text: &str, path: &str) -> bool {
        Dockerignore::parse(text).unwrap().leaves_out(path)
    }

    #[test]
    fn patterns_of_dockerignore() {
        assert!(leaves_out("target", "target/x/y"));
        assert!(leaves_out("**/*.log", "a/b.log"));
        assert!(leaves_out("**/*.log", "b.log"));
        assert!(!leaves_out("*.log", "a/b.log"));
        assert!(!leaves_out("*\n!keep", "keep"));
        assert!(leaves_out("*\n!keep\nkeep/not", "keep/not"));
    }

    #[test]
    fn patterns_are_cleaned_like_paths() {
        for pattern in ["/target", "./target", "target/", "a/../target", "  target  ", "tar?et"] {
            assert!(leaves_out(pattern, "target/x"), "{pattern}");
        }
        assert!(!leaves_out("# target\n\n/", "target"));
        assert!(!leaves_out("*\n! keep", "keep/x"));
    }

    #[test]
    fn stars_stay_within_a_name_and_double_stars_do_not() {
        assert!(leaves_out("a/**", "a/b/c") && !leaves_out("a/**", "a"));
        assert!(leaves_out("a/**/d", "a/d") && leaves_out("a/**/d", "a/b/c/d"));
        assert!(leaves_out("**", "a/b"));
        assert!(!leaves_out("a/*/d", "a/b/c/d"));
    }

    #[test]
    fn braces_mean_themselves_and_brackets_are_classes() {
        assert!(leaves_out("{a,b}", "{a,b}") && !leaves_out("{a,b}", "a"));
        assert!(leaves_out("[ab].txt", "b.txt") && !leaves_out("[^ab].txt", "b.txt"));
        assert!(leaves_out("\\*", "*") && !leaves_out("\\*", "a"));
        assert!(Dockerignore::parse("[a").is_err());
    }
}

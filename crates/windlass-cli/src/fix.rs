//! Applying safe fixes to texts. Pure: what is written where is decided by `check`.

use std::collections::BTreeMap;

use windlass::diagnostic::{Edit, Fix};
use windlass::source::{SourceId, Sources};

/// A text with fixes applied.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fixed {
    /// The new text.
    pub(crate) text: String,
    /// How many fixes changed it.
    pub(crate) fixes: usize,
}

/// Applies as many fixes as fit together, first come first served, each as a whole or not at all.
///
/// A fix that touches a text which may not be edited is left out, and so is one that overlaps with
/// a fix before it: it is found again when the new text is checked.
pub(crate) fn apply<'a>(
    sources: &Sources,
    fixes: impl IntoIterator<Item = &'a Fix>,
    may_edit: impl Fn(SourceId) -> bool,
) -> BTreeMap<SourceId, Fixed> {
    let mut chosen: BTreeMap<SourceId, Vec<&Edit>> = BTreeMap::new();
    let mut counts: BTreeMap<SourceId, usize> = BTreeMap::new();
    for fix in fixes {
        let fits = |(at, edit): (usize, &Edit)| {
            let id = edit.span.source;
            let free = |other: &Edit| other.span.source != id || !overlap(edit, other);
            may_edit(id)
                && is_within(&sources.get(id).text, edit)
                && chosen.get(&id).is_none_or(|taken| taken.iter().all(|other| free(other)))
                && fix.edits[..at].iter().all(free)
        };
        if fix.edits.is_empty() || !fix.edits.iter().enumerate().all(fits) {
            continue;
        }
        for edit in &fix.edits {
            chosen.entry(edit.span.source).or_default().push(edit);
        }
        *counts.entry(fix.edits[0].span.source).or_default() += 1;
    }
    let rewritten = |(id, edits): (SourceId, Vec<&Edit>)| {
        let text = rewrite(&sources.get(id).text, edits);
        (id, Fixed { text, fixes: counts.get(&id).copied().unwrap_or_default() })
    };
    chosen.into_iter().map(rewritten).collect()
}

fn rewrite(text: &str, mut edits: Vec<&Edit>) -> String {
    edits.sort_by_key(|edit| edit.span.start);
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for edit in edits {
        out.push_str(&text[done..edit.span.start as usize]);
        out.push_str(&edit.replacement);
        done = edit.span.end as usize;
    }
    out.push_str(&text[done..]);
    out
}

fn is_within(text: &str, edit: &Edit) -> bool {
    text.get(edit.span.start as usize..edit.span.end as usize).is_some()
}

/// Two insertions at one place overlap too: which one comes first would be a guess.
fn overlap(a: &Edit, b: &Edit) -> bool {
    let (a, b) = (a.span, b.span);
    a.start == b.start || (a.start < b.end && b.start < a.end)
}

#[cfg(test)]
mod tests {
    use windlass::source::Span;

    use super::*;

    fn fix(source: SourceId, edits: &[(u32, u32, &str)]) -> Fix {
        let edit = |(start, end, replacement): &(u32, u32, &str)| Edit {
            span: Span { source, start: *start, end: *end },
            replacement: (*replacement).to_owned(),
        };
        Fix { message: "change".to_owned(), edits: edits.iter().map(edit).collect() }
    }

    fn applied(fixes: &[&[(u32, u32, &str)]]) -> Option<(String, usize)> {
        let mut sources = Sources::new();
        let source = sources.add("a.yaml", "abcdé");
        let fixes: Vec<_> = fixes.iter().map(|edits| fix(source, edits)).collect();
        apply(&sources, &fixes, |_| true).remove(&source).map(|fixed| (fixed.text, fixed.fixes))
    }

    #[test]
    fn fixes_that_fit_together_are_applied_in_one_go() {
        let fixes: &[&[_]] = &[&[(3, 4, "D")], &[(0, 1, "A"), (1, 1, "-")]];
        assert_eq!(applied(fixes), Some(("A-bcDé".to_owned(), 2)));
    }

    #[test]
    fn a_fix_that_overlaps_is_left_out_as_a_whole() {
        let fixes: &[&[_]] = &[&[(1, 3, "X")], &[(2, 4, "Y"), (0, 0, "Z")]];
        assert_eq!(applied(fixes), Some(("aXdé".to_owned(), 1)));
        assert_eq!(applied(&[&[(0, 2, "X"), (1, 3, "Y")]]), None, "overlaps with itself");
    }

    #[test]
    fn an_edit_outside_of_the_text_or_inside_of_a_character_is_left_out() {
        assert_eq!(applied(&[&[(5, 6, "X")]]), None);
        assert_eq!(applied(&[&[(4, 99, "X")]]), None);
    }
}

//! Which language a text is in, and what it is in that language.
//!
//! A text is looked at once: the tree that its keys are taken from is the one that it is read from.

use super::foreign::{self, Foreign};
use super::language::{Kind, Language, Origin, Reach, Text, Unrecognized};
use super::{ReadOptions, Reader};
use crate::source::{SourceId, Sources};
use crate::tree::Parsed;

/// A text with what is known about it.
#[derive(Debug)]
pub struct Recognized {
    /// The text.
    pub id: SourceId,
    /// Its language; none when no language fits.
    pub language: Option<Language>,
    /// What it is; none when that is not known, or a language was named and not looked for.
    pub kind: Option<Kind>,
    /// The language that it is in and that is not read yet.
    pub foreign: Option<Foreign>,
    parsed: Option<Parsed>,
}

/// Looks at a text: at its first lines, then at its keys, then at its name. A language that is
/// given is taken as it is.
pub fn recognize(
    language: Option<Language>,
    id: SourceId,
    origin: Origin,
    sources: &Sources,
    options: &ReadOptions,
) -> Recognized {
    let source = sources.get(id);
    let mut text = Recognized { id, language, kind: None, foreign: None, parsed: None };
    let all = match &language {
        Some(language) => std::slice::from_ref(language),
        None => &*options.languages,
    };
    let find = |kind: &dyn Fn(&dyn Reader) -> Option<Kind>| {
        all.iter().find_map(|language| Some((*language, kind(language.reader())?)))
    };
    let mut found = find(&|reader| reader.recognize_text(&source.text));
    if found.is_none() && all.iter().any(|language| language.reader().is_yaml()) {
        let parsed = Parsed::new(id, sources);
        let root = parsed.root();
        found = find(&|reader| reader.recognize_keys(root));
        if found.is_none() && language.is_none() {
            text.foreign = foreign::detect(root);
            let (name, content) = (source.name.as_str(), source.text.as_str());
            let unrecognized = Unrecognized { name, text: content, root, origin };
            found = find(&|reader| reader.guess(unrecognized)).filter(|_| text.foreign.is_none());
        }
        text.parsed = Some(parsed);
    }
    if let Some((language, kind)) = found {
        (text.language, text.kind) = (Some(language), Some(kind));
    }
    text
}

impl Recognized {
    /// How far away the files may lie that the text names.
    pub fn reach(&self) -> Reach {
        let root = self.parsed.as_ref().map(Parsed::root);
        self.language.map_or(Reach::Folder, |language| language.reader().reach(root))
    }

    /// Whether the text is only there for others to import.
    pub fn is_library(&self, sources: &Sources) -> bool {
        self.language.is_some_and(|it| it.reader().is_library(&sources.get(self.id).text))
    }

    /// The same text, taken for one of another language.
    #[must_use]
    pub fn in_language(self, language: Language) -> Self {
        Recognized { language: Some(language), ..self }
    }

    /// The text, for a reader.
    pub fn into_text(self) -> Text {
        Text { id: self.id, parsed: self.parsed }
    }
}

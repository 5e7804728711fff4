//! What to write in place of a value that cannot stand where it stands.

use crate::lang::compose::item::{Data, Item};

/// Longer texts are not repeated in a hint.
const SHORT: usize = 40;

/// For a value that is of none of `kinds`, the words of the table.
pub(super) fn for_kind(item: &Item, kinds: &[&str], path: &[String]) -> String {
    let may = |kind: &str| kinds.contains(&kind);
    let text = Some(item.plain()).filter(|text| item.is_scalar() && text.len() <= SHORT);
    match (&item.data, text) {
        (Data::Null, _) => "write a value, or remove the key".to_owned(),
        (Data::Str(_), _) if may("a boolean") => {
            "write `true` or `false`, without quotes".to_owned()
        }
        (Data::Str(_), _) if may("an integer") || may("a number") => {
            "write a number, without quotes".to_owned()
        }
        (Data::Int(_) | Data::Float(_) | Data::Bool(_), Some(text)) if may("a string") => {
            format!("put it into quotes: `\"{text}\"`")
        }
        (Data::List(_), _) if may("a mapping") => {
            "write names with a colon in place of the dashes: `name: value`".to_owned()
        }
        (Data::Map(_), _) if may("a list") => "write each entry after a dash: `- entry`".to_owned(),
        (Data::List(_) | Data::Map(_), _) => "write one value, on the same line".to_owned(),
        (_, Some(text)) if may("a list") => format!("write it as a list: `[{text}]`"),
        (_, Some(text)) if may("a mapping") && is_service(path) => {
            format!("write `image: {text}` below it, if that is its image")
        }
        _ if may("a mapping") => "write its keys below it, each with a colon".to_owned(),
        _ => format!("write {}", kinds.join(" or ")),
    }
}

fn is_service(path: &[String]) -> bool {
    matches!(path, [top, _] if top == "services")
}

/// For a number that is too small or too large.
pub(super) fn for_range(item: &Item, low: i128, high: i128) -> String {
    let is_small = match item.data {
        Data::Int(value) => value < low,
        Data::Float(value) => value < low as f64,
        _ => false,
    };
    format!("the nearest that is allowed is {}", if is_small { low } else { high })
}

/// The words that are known there.
pub(super) fn of_words<'w>(what: &str, words: impl Iterator<Item = &'w str>) -> String {
    let words: Vec<String> = words.map(|word| format!("`{word}`")).collect();
    if words.is_empty() {
        return format!("there are no {what} here");
    }
    format!("{what} here: {}", words.join(", "))
}

//! A value as a tree: what one part has built is read by another as if it stood in a text.

use std::borrow::Cow;

use super::build::Builder;
use super::events::{Event, What};
use super::{Options, Parsed, Style, Value, emit};
use crate::source::SourceId;

/// What is left to be read of a value.
enum Task<'v> {
    Key(&'v str),
    Value(&'v Value),
    End,
}

/// The tree of a value. Every node lies at the beginning of the text that the value was made from.
pub(super) fn of_value(source: SourceId, value: &Value) -> Parsed {
    let options = Options::default();
    let mut builder = Builder::new(source, "", &options);
    let mut tasks = vec![Task::Value(value)];
    builder.begin_document();
    while let Some(task) = tasks.pop() {
        let what = match task {
            Task::Key(key) => What::Scalar(Cow::Borrowed(key), Style::Quoted),
            Task::End => What::CollectionEnd { flow: false },
            Task::Value(value) => match value.shape() {
                Value::List(items) => {
                    tasks.push(Task::End);
                    tasks.extend(items.iter().rev().map(Task::Value));
                    What::ListStart
                }
                Value::Map(entries) => {
                    tasks.push(Task::End);
                    for (key, value) in entries.iter().rev() {
                        tasks.extend([Task::Value(value), Task::Key(key)]);
                    }
                    What::MappingStart
                }
                Value::Str(text) => What::Scalar(Cow::Borrowed(text), Style::Quoted),
                other => What::Scalar(Cow::Owned(emit::scalar(other)), Style::Plain),
            },
        };
        if !builder.take_or_abandon(Event { what, start: 0, end: 0, anchor: 0, tag: None }) {
            return builder.finish();
        }
    }
    builder.end_document(true);
    builder.finish()
}

//! A plan in the journal: the one place where plans are written as text, and read back.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use windlass::lang::{self, documents};
use windlass::plan::{Plan, PlanAction, Step};
use windlass::source::{Origin, Sources};
use windlass::tree::emit;

use crate::machine::FollowError;

/// The plan of an entry. One that this engine made is a value, and becomes text when the journal is
/// written; one of a journal stays text until it is followed, so that a damaged one can be
/// shown.
#[derive(Debug, Clone)]
pub struct JournalPlan(Form);

#[derive(Debug, Clone)]
enum Form {
    Value(Arc<Plan>),
    Text(String),
}

/// A step of what older engines wrote for nets: the transition that is undone.
#[derive(Deserialize)]
struct Undo {
    undo: String,
}

impl JournalPlan {
    /// A plan as some engine wrote it.
    pub fn from_text(text: impl Into<String>) -> Self {
        JournalPlan(Form::Text(text.into()))
    }

    /// The plan.
    pub fn read(&self) -> Result<Arc<Plan>, FollowError> {
        let text = match &self.0 {
            Form::Value(plan) => return Ok(Arc::clone(plan)),
            Form::Text(text) => text,
        };
        if text.starts_with('[') {
            let undone: Vec<Undo> =
                serde_json::from_str(text).map_err(|_| FollowError::Unreadable)?;
            let steps = undone.into_iter().map(|it| undo_step(&it.undo)).collect();
            return Ok(Arc::new(Plan { steps, ..Plan::default() }));
        }
        let mut sources = Sources::new();
        let root = sources.add("plan", text.as_str());
        documents::kept_plan(root, &sources).map(Arc::new).ok_or(FollowError::Unreadable)
    }

    /// The text, as journals keep it.
    pub fn text(&self) -> String {
        match &self.0 {
            Form::Value(plan) => emit::yaml(&lang::windlass::print_plan(plan)),
            Form::Text(text) => text.clone(),
        }
    }
}

/// The step that undoes a transition, by the name that an assembly gives it.
pub(crate) fn undo_step(name: &str) -> Step {
    let (instance, operation) = name.split_once('.').unwrap_or((name, ""));
    let action =
        PlanAction::Operation { instance: instance.into(), operation: operation.to_owned() };
    Step { label: format!("undo {name}"), action, origin: Origin(None) }
}

impl From<Arc<Plan>> for JournalPlan {
    fn from(plan: Arc<Plan>) -> Self {
        JournalPlan(Form::Value(plan))
    }
}

impl PartialEq for JournalPlan {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Form::Value(one), Form::Value(other)) => one == other,
            _ => self.text() == other.text(),
        }
    }
}

impl Eq for JournalPlan {}

impl Serialize for JournalPlan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Form::Value(_) => serializer.serialize_str(&self.text()),
            Form::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for JournalPlan {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from_text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let plan =
            Plan { steps: vec![undo_step("a.start"), undo_step("b.stop")], ..Plan::default() };
        let kept = JournalPlan::from(Arc::new(plan.clone()));
        let text = serde_json::to_string(&kept).unwrap();
        let read: JournalPlan = serde_json::from_str(&text).unwrap();
        assert_eq!(read, kept);
        let labels = |plan: &Plan| -> Vec<(String, PlanAction)> {
            plan.steps.iter().map(|it| (it.label.clone(), it.action.clone())).collect()
        };
        assert_eq!(labels(&read.read().unwrap()), labels(&plan));
    }

    #[test]
    fn a_way_back_of_older_engines_is_read() {
        let kept = JournalPlan::from_text("[{\"undo\":\"a.start\"},\n {\"undo\":\"b.x.y\"}]\n");
        let plan = kept.read().unwrap();
        assert_eq!(plan.steps[0], undo_step("a.start"));
        assert_eq!(plan.steps[1].label, "undo b.x.y");
    }

    #[test]
    fn what_is_cut_off_is_refused() {
        for text in ["", "plan:", "[{\"undo\":\"a.sta", "plan:\n  actions:\n    start a: { do"] {
            assert_eq!(JournalPlan::from_text(text).read(), Err(FollowError::Unreadable), "{text}");
        }
    }
}

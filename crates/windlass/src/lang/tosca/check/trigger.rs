//! Triggers of policies: what happens, when, and to which part of a node.

use super::super::codes;
use super::super::model::{Service, Trigger};
use super::super::value::{Data, Name, Value};
use super::super::version::Version;
use super::Checker;
use super::evaluate::is_call;
use super::value::is_timestamp;
use crate::spelling;

impl Checker<'_> {
    pub(super) fn trigger(&mut self, service: &Service, name: &Name, trigger: &Trigger) {
        let has_event = ["event", "event_type"].iter().any(|key| trigger.body.get(key).is_some());
        if !has_event && self.version() >= Version::V1_3 {
            let message = format!("the trigger `{}` has no `event`", name.text);
            self.error(codes::MISSING_KEY, name.span, message);
        }
        if self.version().is_2() {
            if let Some(event) = trigger.body.get("event") {
                self.event(service, event);
            }
            return;
        }
        for key in ["start_time", "end_time"] {
            let time = trigger.body.get("schedule").and_then(|schedule| schedule.get(key));
            if let Some(time) = time
                && !is_call(time, false)
                && !time.text().is_some_and(|text| is_timestamp(text, self.version()))
            {
                self.error(codes::WRONG_VALUE, time.span, format!("`{key}` is a timestamp"));
            }
        }
        let condition = trigger.body.get("condition");
        let counted = condition.and_then(|it| it.get("evaluations"));
        if let Some(count) = counted.or_else(|| trigger.body.get("evaluations"))
            && !is_call(count, false)
            && !matches!(count.data, Data::Int(0..))
        {
            self.error(codes::WRONG_VALUE, count.span, "`evaluations` is a whole number");
        }
        if let Some(filter) = trigger.body.get("target_filter") {
            self.target_filter(service, filter);
        }
    }

    /// The node, requirement and capability that a trigger watches exist.
    fn target_filter(&mut self, service: &Service, filter: &Value) {
        let Some(at) = filter.get("node") else { return };
        let Some(name) = at.text() else { return };
        let Some(node) = service.nodes.get(name) else {
            let is_type =
                self.model.type_named(super::super::model::TypeKind::Node, name).is_some();
            if !is_type && service.groups.get(name).is_none() && !self.is_open {
                let message = format!("there is no node template `{name}`");
                let near = spelling::nearest(name, service.nodes.names());
                let help = near.map(|near| format!("did you mean `{near}`?"));
                self.advise(codes::UNKNOWN_NAME, at.span, message, help);
                // Before 2.0 a filter may watch what other services have.
                self.bear(true);
            }
            return;
        };
        let Some(id) = node.of.id.filter(|id| !self.model.is_opaque(*id)) else { return };
        for key in ["requirement", "capability"] {
            let Some(at) = filter.get(key) else { continue };
            let Some(word) = at.text() else { continue };
            let is_there = match key {
                "requirement" => self.model.requirement(id, word).is_some(),
                _ => self.model.capability(id, word).is_some(),
            };
            if !is_there {
                let message = format!("`{name}` has no {key} `{word}`");
                self.error(codes::UNKNOWN_NAME, at.span, message);
            }
        }
    }

    /// An event of 2.0 is a notification of an interface of a node.
    fn event(&mut self, service: &Service, event: &Value) {
        let [entity, interface, notification] = event.items() else { return };
        let (Some(who), Some(interface), Some(name)) =
            (entity.text(), interface.text(), notification.text())
        else {
            return;
        };
        let Some(id) = service.nodes.get(who).and_then(|node| node.of.id) else { return };
        if self.model.is_opaque(id) {
            return;
        }
        let known = self.notifications(id, interface);
        if !known.iter().any(|known| known == name) {
            let message = format!("`{who}` has no notification `{name}` in `{interface}`");
            let near = spelling::nearest(name, known.iter().map(String::as_str));
            let help = near.map(|near| format!("did you mean `{near}`?"));
            self.advise(codes::UNKNOWN_NAME, notification.span, message, help);
        }
    }
}

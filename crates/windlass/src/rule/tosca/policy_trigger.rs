//! Triggers of policies: what happens, when, under which condition, and to which part of a node.

use super::Checker;
use super::constraint_clause::is_clause;
use super::quantity::scalar_unit;
use super::schema::Base;
use super::validation_clause::is_call;
use super::value::is_timestamp;
use crate::diagnostic::Diagnostic;
use crate::lang::tosca::codes;
use crate::lang::tosca::model::{Fields, Policy, Schema, Service, Trigger, TypeId, TypeKind};
use crate::lang::tosca::value::{Data, Name, Value};
use crate::lang::tosca::version::Version;
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
        let period = condition.and_then(|it| it.get("period"));
        if let Some(period) = period.or_else(|| trigger.body.get("period"))
            && let Some(text) = period.text()
            && let Err(error) = scalar_unit("scalar-unit.time", text)
        {
            self.error(codes::WRONG_VALUE, period.span, error.to_string());
        }
        if let Some(filter) = trigger.body.get("target_filter") {
            self.target_filter(service, filter);
        }
    }

    /// A condition before 2.0 is about what the watched node or capability has.
    pub(super) fn condition(&mut self, service: &Service, policy: &Policy, trigger: &Trigger) {
        let condition = trigger.condition.as_ref().filter(|_| !self.version().is_2());
        let Some(condition) = condition else { return };
        let watched = match trigger.body.get("target_filter") {
            Some(filter) => self.filtered(service, filter),
            None => self.fields_of(service, policy),
        };
        self.watched(watched.as_ref(), condition.get("constraint").unwrap_or(condition));
    }

    /// Attributes and properties of what a filter watches; none when only a run knows.
    fn filtered(&self, service: &Service, filter: &Value) -> Option<Fields<Schema>> {
        let model = self.model;
        let name = filter.get("node")?.text()?;
        let of = match service.nodes.get(name) {
            Some(node) => node.of.id?,
            None => model.type_named(TypeKind::Node, name)?,
        };
        if model.is_opaque(of) || filter.get("requirement").is_some() {
            return None;
        }
        let Some(capability) = filter.get("capability") else { return Some(self.all_of(of)) };
        let capability = model.capability_type(of, capability.text()?)?;
        (!model.is_opaque(capability)).then(|| self.all_of(capability))
    }

    /// The same for the targets of a policy.
    fn fields_of(&self, service: &Service, policy: &Policy) -> Option<Fields<Schema>> {
        let members = |name: &Name| match service.groups.get(&name.text) {
            Some(group) => group.members.clone(),
            None => vec![name.clone()],
        };
        let mut all = Fields::default();
        for name in policy.targets.iter().flat_map(members) {
            let of = service.nodes.get(&name.text)?.of.id?;
            if self.model.is_opaque(of) {
                return None;
            }
            for (name, schema) in self.all_of(of).iter() {
                all.push(name.clone(), schema.clone());
            }
        }
        (!policy.targets.is_empty()).then_some(all)
    }

    fn all_of(&self, of: TypeId) -> Fields<Schema> {
        let mut all = self.model.schemas(of, |of| &of.attributes);
        for (name, schema) in self.model.schemas(of, |of| &of.properties).iter() {
            all.push(name.clone(), schema.clone());
        }
        all
    }

    fn watched(&mut self, fields: Option<&Fields<Schema>>, clause: &Value) {
        /// Keys of a condition that are no names.
        const KEYS: &[&str] = &["period", "evaluations", "method", "description", "state"];
        for item in clause.items() {
            self.watched(fields, item);
        }
        for entry in clause.entries() {
            let Some(name) = entry.key.text() else { continue };
            if ["assert", "and", "or", "not"].contains(&name) {
                self.watched(fields, &entry.value);
                continue;
            }
            if KEYS.contains(&name) || is_clause(name) || is_call(clause, false) {
                continue;
            }
            let schema = fields.and_then(|fields| fields.get(name));
            if let Some(fields) = fields.filter(|_| schema.is_none()) {
                let message = format!("nothing that is watched has an attribute `{name}`");
                let finding = Diagnostic::warning(codes::UNKNOWN_NAME, entry.key.span, message);
                let near = spelling::nearest(name, fields.names());
                self.findings.push(match near {
                    Some(near) => finding.help(format!("did you mean `{near}`?")),
                    None => finding,
                });
                continue;
            }
            let of = schema.and_then(|schema| schema.of.as_ref());
            let base = of.map_or(Base::Unknown, |of| self.model.base(of, self.version()));
            self.clauses_of(&entry.value, base);
        }
    }

    /// The node, requirement and capability that a trigger watches exist.
    fn target_filter(&mut self, service: &Service, filter: &Value) {
        let Some(at) = filter.get("node") else { return };
        let Some(name) = at.text() else { return };
        let Some(node) = service.nodes.get(name) else {
            let is_type = self.model.type_named(TypeKind::Node, name).is_some();
            if !is_type && service.groups.get(name).is_none() && !self.is_open {
                let message = format!("there is no node template `{name}`");
                let near = spelling::nearest(name, service.nodes.names());
                let help = near.map(|near| format!("did you mean `{near}`?"));
                self.advise(codes::UNKNOWN_NAME, at.span, message, help);
                // Before 2.0 a filter may watch what other services have.
                self.tolerate(true);
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

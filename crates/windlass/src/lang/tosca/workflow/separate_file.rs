//! Workflows in a file of their own. Which node lives in which, what carries an operation out and
//! which nodes are brought is for the application to say: the file may have nothing but steps.

use super::super::model::{Fields, Model};
use crate::application::{Application, InstanceId};
use crate::plan::{Order, Plan, PlanAction};
use crate::source::Origin;

/// The service of an application with the workflows of another file, and with groups that only the
/// file has.
pub fn within(application: &Model, file: &Model) -> Model {
    let (Some(service), Some(own)) = (&application.service, &file.service) else {
        return file.clone();
    };
    let mut service = service.clone();
    service.workflows = own.workflows.clone();
    let mut groups = Fields::default();
    let further = own.groups.iter().filter(|(name, _)| service.groups.get(&name.text).is_none());
    for (name, group) in service.groups.iter().chain(further) {
        groups.push(name.clone(), group.clone());
    }
    service.groups = groups;
    Model { service: Some(service), ..application.clone() }
}

/// Puts each instance of a plan into the one of its host, where the plan leaves that open and the
/// application knows one host.
pub fn housed(plan: &mut Plan, application: &Application) {
    let host = |name: &str| {
        let node = application.node_named(name)?;
        let requirement = application.type_of(node).containment()?;
        let binding = application.node(node).binding(requirement)?;
        Some(InstanceId(application.node(binding.target).name.clone()))
    };
    let mut edges = Vec::new();
    for at in 0..plan.steps.len() {
        let born = |id: &InstanceId| {
            plan.steps.iter().position(|step| match &step.action {
                PlanAction::ScaleOut { instance, .. } => instance == id,
                _ => false,
            })
        };
        let PlanAction::ScaleOut { node, container: None, .. } = &plan.steps[at].action else {
            continue;
        };
        let Some(found) = host(node) else { continue };
        edges.extend(born(&found).map(|host| (host, at)));
        if let PlanAction::ScaleOut { container, .. } = &mut plan.steps[at].action {
            *container = Some(found);
        }
    }
    let edge = |(before, after)| Order { before, after, why: None, origin: Origin(None) };
    plan.order.extend(edges.into_iter().map(edge));
}

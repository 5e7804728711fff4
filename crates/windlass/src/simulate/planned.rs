//! A plan as an assembly of nets that carries it out, so that it can be run in virtual time.
//!
//! Each instance becomes a component whose token goes to all its actions at once; what holds an
//! action back is the order of the plan alone: a provide port says that an action is over, a use
//! port waits for it. So every what-if of the simulator works: leaving out a dependency is leaving
//! out an edge of the order.

use std::collections::BTreeMap;
use std::time::Duration;

use super::single;
use crate::application::{Application, Connection, GlobalState, InstanceId, NodeId};
use crate::lifecycle::net::{
    Action, Dock, DockId, Group, GroupId, Net, NetTransition, NetTransitionId, Place, PlaceId,
    Port, PortId, PortKind, Side,
};
use crate::lifecycle::timing::Timing;
use crate::plan::{Plan, PlanAction, Step};
use crate::source::Origin;

/// A plan in virtual time.
#[derive(Debug, Clone)]
pub struct Planned {
    /// A component for each instance, a transition for each action.
    pub assembly: Application,
    /// Whether nothing says how long any operation of the plan takes, so that each counts one
    /// second. Scalings take no time.
    pub is_counted: bool,
}

/// The assembly that carries out a plan which fits the application.
pub fn planned(application: &Application, start: &GlobalState, plan: &Plan) -> Planned {
    let mut nodes: BTreeMap<&InstanceId, NodeId> =
        start.instances.iter().map(|(id, instance)| (id, instance.node)).collect();
    for step in &plan.steps {
        if let PlanAction::ScaleOut { node, instance, .. } = &step.action
            && let Some(node) = application.node_named(node)
        {
            nodes.insert(instance, node);
        }
    }
    let duration = |step: &Step| {
        let PlanAction::Operation { instance, operation } = &step.action else { return None };
        let operations = &application.type_of(*nodes.get(instance)?).operations;
        operations.iter().find(|known| known.name == *operation)?.duration
    };
    let is_counted = plan.steps.iter().all(|step| duration(step).is_none());
    let second = |step: &Step| match step.action {
        PlanAction::Operation { .. } if is_counted => Some(Duration::from_secs(1)),
        _ => duration(step),
    };
    let mut draft = Draft::default();
    for step in &plan.steps {
        draft.add(step, second(step));
    }
    for edge in &plan.order {
        draft.order(plan, edge.before, edge.after);
    }
    let stand_for = draft.components.keys().map(|instance| nodes.get(instance).copied());
    let empty = single::empty(application, stand_for);
    Planned { assembly: draft.into_application(empty), is_counted }
}

/// The nets as they grow, by instance; and where each step of the plan went.
#[derive(Debug, Default)]
struct Draft<'a> {
    components: BTreeMap<&'a InstanceId, Drawn>,
    steps: Vec<(&'a InstanceId, NetTransitionId)>,
}

/// The net of an instance, and the instances its use ports wait for.
#[derive(Debug, Default)]
struct Drawn {
    net: Net,
    waits: Vec<(PortId, usize)>,
}

impl<'a> Draft<'a> {
    /// An action: a transition from the only place where the token starts to a place of its own,
    /// and a provide port that says it is over.
    fn add(&mut self, step: &'a Step, duration: Option<Duration>) {
        let Drawn { net, .. } = self.components.entry(step.action.instance()).or_default();
        if net.places.is_empty() {
            net.places.push(Place { name: "planned".to_owned(), origin: step.origin });
            net.initial = [PlaceId(0)].into();
        }
        let number = net.transitions.len();
        let word = match &step.action {
            PlanAction::Operation { operation, .. } => operation.as_str(),
            PlanAction::ScaleOut { .. } => "scale_out",
            PlanAction::ScaleIn { .. } => "scale_in",
        };
        let is_taken = net.transitions.iter().any(|known| known.name == word);
        let name = if is_taken { format!("{word} {}", number + 1) } else { word.to_owned() };
        let place = PlaceId::from(net.places.len());
        net.places.push(Place { name: format!("after {name}"), origin: step.origin });
        let docks = DockId::from(net.docks.len());
        net.docks.push(Dock { place: PlaceId(0), side: Side::Output, name: None });
        net.docks.push(Dock { place, side: Side::Input, name: None });
        let over = GroupId::from(net.groups.len());
        net.groups.push(Group {
            name: format!("{name} is over"),
            places: [place].into(),
            origin: step.origin,
        });
        let provide = Port::new(step.label.clone(), PortKind::Provide, step.origin);
        net.ports.push(Port { groups: [over].into(), ..provide });
        net.transitions.push(NetTransition {
            name,
            source: docks,
            destination: DockId(docks.0 + 1),
            action: Action { duration: duration.map(Timing::Fixed), ..Action::default() },
            behavior: None,
            origin: step.origin,
        });
        self.steps.push((step.action.instance(), NetTransitionId::from(number)));
    }

    /// An edge of the order: the later action waits for a port of the earlier one.
    fn order(&mut self, plan: &Plan, before: usize, after: usize) {
        let (instance, transition) = self.steps[after];
        let (earlier, earlier_transition) = self.steps[before];
        let earlier_name = match self.components.get(earlier) {
            Some(drawn) => drawn.net.transition(earlier_transition).name.clone(),
            None => plan.steps[before].label.clone(),
        };
        let Some(drawn) = self.components.get_mut(instance) else { return };
        let own = &drawn.net.transition(transition).name;
        let name = format!("{own} after {earlier}.{earlier_name}");
        let wait = PortId::from(drawn.net.ports.len());
        let used = Port::new(name, PortKind::Use, plan.steps[after].origin);
        drawn.net.ports.push(Port { transitions: [transition].into(), ..used });
        drawn.waits.push((wait, before));
    }

    fn into_application(self, mut application: Application) -> Application {
        let number: BTreeMap<&InstanceId, NodeId> =
            self.components.keys().enumerate().map(|(at, id)| (*id, NodeId::from(at))).collect();
        for (instance, drawn) in self.components {
            let origin = Origin(None);
            let connections = drawn.waits.iter().map(|(wait, before)| {
                let (provider, transition) = self.steps[*before];
                // Actions come before edges, so each has its provide port under its own number.
                let target_port = PortId::from(transition.index());
                Connection { port: *wait, target: number[provider], target_port, origin }
            });
            let connections = connections.collect();
            single::push(&mut application, &instance.0, drawn.net, connections, origin);
        }
        application
    }
}

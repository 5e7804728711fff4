//! An application of protocols as an assembly of nets that brings it up, so that it can be run in
//! virtual time.
//!
//! Each wanted instance becomes a component with a place for each state on its way up and a
//! transition for each operation. What a transition or the state behind it requires is a use port,
//! what the states offer is a provide port. An instance that withdraws on its way what it offered
//! has no such net, and neither has a requirement for some of several providers.

use std::collections::BTreeSet;

use super::single;
use crate::application::{Application, Connection, NodeId};
use crate::lifecycle::Lifecycle;
use crate::lifecycle::net::{
    Action, Dock, DockId, Group, GroupId, Net, NetTransition, NetTransitionId, Place, PlaceId,
    Port, PortId, PortKind, Side,
};
use crate::lifecycle::protocol::{CapabilityId, Element, RequirementId};
use crate::lifecycle::timing::Timing;
use crate::semantics::bring_up::{BringUp, Climber};
use crate::source::Origin;

/// Why an application has no such assembly.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoNet {
    /// An instance withdraws a capability on its way up.
    Withdrawn {
        /// The instance.
        instance: String,
        /// The capability.
        capability: String,
    },
    /// An instance needs some of several providers.
    Several {
        /// The instance.
        instance: String,
        /// The requirement.
        requirement: String,
    },
}

impl std::fmt::Display for NoNet {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoNet::Withdrawn { instance, capability } => {
                write!(out, "`{instance}` withdraws `{capability}` on its way up")
            }
            NoNet::Several { instance, requirement } => {
                write!(out, "`{requirement}` of `{instance}` needs some of several providers")
            }
        }
    }
}

/// The assembly that brings an application up.
pub fn assembly(system: &BringUp<'_>) -> Result<Application, NoNet> {
    let application = system.application;
    let mut nets =
        single::empty(application, system.climbers.iter().map(|climber| Some(climber.node)));
    // Provide ports come first, so that their numbers are known before any use port is made.
    for (at, climber) in system.climbers.iter().enumerate() {
        let net = ways(system, at, climber)?;
        let origin = application.node(climber.node).origin;
        single::push(&mut nets, &climber.id.0, net, Vec::new(), origin);
    }
    for at in 0..system.climbers.len() {
        connect(system, at, &mut nets)?;
    }
    Ok(nets)
}

/// Places, transitions and provide ports of an instance.
fn ways(system: &BringUp<'_>, at: usize, climber: &Climber) -> Result<Net, NoNet> {
    let component = system.application.type_of(climber.node);
    let origin = system.application.node(climber.node).origin;
    let mut net = Net { initial: [PlaceId(0)].into(), ..Net::default() };
    let steps = climber.path.len();
    for step in 0..=steps {
        let name = match (system.element(at, 2 * step as u32), component.protocol()) {
            (Element::State(state), Some(protocol)) => protocol.state(state).name.clone(),
            _ => String::new(),
        };
        // A way may lead through a state twice.
        let is_taken = net.places.iter().any(|place| place.name == name);
        let name = if is_taken { format!("{name} {}", step + 1) } else { name };
        net.places.push(Place { name, origin });
    }
    for (step, transition) in climber.path.iter().enumerate() {
        let docks = DockId::from(net.docks.len());
        for (place, side) in [(step, Side::Output), (step + 1, Side::Input)] {
            net.docks.push(Dock { place: PlaceId::from(place), side, name: None });
        }
        let Some(protocol) = component.protocol() else { continue };
        let operation = &component.operations[protocol.transition(*transition).operation.index()];
        let is_taken = net.transitions.iter().any(|known| known.name == operation.name);
        let name = if is_taken {
            format!("{} {}", operation.name, step + 1)
        } else {
            operation.name.clone()
        };
        let action = Action {
            duration: operation.duration.map(Timing::Fixed),
            cost: operation.cost,
            ..Action::default()
        };
        net.transitions.push(NetTransition {
            name,
            source: docks,
            destination: DockId(docks.0 + 1),
            action,
            behavior: None,
            origin: operation.origin,
        });
    }
    for capability in (0..component.capabilities.len()).map(CapabilityId::from) {
        provide(system, at, capability, &mut net)?;
    }
    Ok(net)
}

/// A provide port for a capability; it has no group when the capability is never offered.
fn provide(
    system: &BringUp<'_>,
    at: usize,
    capability: CapabilityId,
    net: &mut Net,
) -> Result<(), NoNet> {
    let climber = &system.climbers[at];
    let declared = &system.application.type_of(climber.node).capabilities[capability.index()];
    let offered: Vec<bool> =
        (0..=system.top(at)).map(|rung| system.offers(at, rung, capability)).collect();
    let first = offered.iter().position(|offered| *offered).unwrap_or(offered.len());
    if offered[first..].iter().any(|offered| !offered) {
        return Err(NoNet::Withdrawn {
            instance: climber.id.0.clone(),
            capability: declared.name.clone(),
        });
    }
    // What an operation offers while it runs counts from its end: a net offers in places.
    let places: BTreeSet<PlaceId> = (first.div_ceil(2)..net.places.len()).map(Into::into).collect();
    let mut groups = BTreeSet::new();
    if !places.is_empty() {
        groups.insert(GroupId::from(net.groups.len()));
        let (name, origin) = (format!("offers {}", declared.name), declared.origin);
        net.groups.push(Group { name, places, origin });
    }
    net.ports.push(Port::new(declared.name.clone(), PortKind::Provide, declared.origin));
    if let Some(port) = net.ports.last_mut() {
        port.groups = groups;
    }
    Ok(())
}

/// The use ports of an instance and their connections.
fn connect(system: &BringUp<'_>, at: usize, nets: &mut Application) -> Result<(), NoNet> {
    let climber = &system.climbers[at];
    let component = system.application.type_of(climber.node);
    for step in 0..climber.path.len() {
        for requirement in system.needs(at, 2 * step as u32) {
            let declared = &component.requirements[requirement.index()];
            let (all, capability, least) =
                system.providers(at, requirement).unwrap_or((Vec::new(), CapabilityId(0), 1));
            let several = all.len() > 1 && least > 1 && (least as usize) < all.len();
            if several {
                return Err(NoNet::Several {
                    instance: climber.id.0.clone(),
                    requirement: declared.name.clone(),
                });
            }
            // One port for all of them is ready with the first; a port each waits for every one.
            let each = least > 1 && all.len() > 1;
            let sets: Vec<&[usize]> = if each { all.chunks(1).collect() } else { vec![&all] };
            for (number, providers) in sets.into_iter().enumerate() {
                let name = if each {
                    format!("{} {}", declared.name, number + 1)
                } else {
                    declared.name.clone()
                };
                let own = Use { at, step, requirement, name, origin: declared.origin };
                own.add(nets, providers, capability);
            }
        }
    }
    Ok(())
}

/// A use port of a step on the way of an instance.
struct Use {
    at: usize,
    step: usize,
    requirement: RequirementId,
    name: String,
    origin: Origin,
}

impl Use {
    fn add(self, nets: &mut Application, providers: &[usize], capability: CapabilityId) {
        let node = &nets.nodes[self.at];
        let Lifecycle::Net(net) = &mut nets.types[node.component_type.index()].lifecycle else {
            return;
        };
        let step = NetTransitionId::from(self.step);
        let known = net.ports.iter().position(|port| {
            port.kind == PortKind::Use && port.name == self.name && port.origin == self.origin
        });
        if let Some(known) = known {
            net.ports[known].transitions.insert(step);
            return;
        }
        let number = PortId::from(net.ports.len());
        let is_taken = net.ports.iter().any(|port| port.name == self.name);
        let name = if is_taken {
            format!("needs {} {}", self.name, self.requirement.0)
        } else {
            self.name
        };
        net.ports.push(Port {
            transitions: [step].into(),
            ..Port::new(name, PortKind::Use, self.origin)
        });
        let connections = providers.iter().map(|provider| Connection {
            port: number,
            target: NodeId::from(*provider),
            target_port: PortId::from(capability.index()),
            origin: self.origin,
        });
        nets.nodes[self.at].connections.extend(connections);
    }
}

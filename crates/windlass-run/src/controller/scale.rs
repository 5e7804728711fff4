//! More or fewer instances of what is up.

use windlass::application::{Application, Faults, NodeId};
use windlass::goal::{Amount, Goal, GoalFile, Want};
use windlass::lifecycle::protocol::StateId;
use windlass::synthesize;

use super::change_goal::GoalChange;
use super::error::{Error, NoSuch};
use super::{Controller, Outcome, containers};
use crate::deployment::Deployment;
use crate::entry::Purpose;
use crate::world::docker::requests::Part;

impl Controller<'_> {
    /// Leads to so many instances of the nodes that are named.
    pub fn scale(&self, counts: &[(String, u32)]) -> Result<Outcome, Error> {
        let last = self.ended_run()?;
        last.protocols()?;
        if last.application.faults != Faults::Replicas {
            return Err(Error::OneInstance(last.application.faults));
        }
        if last.purpose == Purpose::Down {
            return Err(Error::IsDown { name: self.name.clone() });
        }
        refuse_others(&self.deployment, counts)?;
        let goal = scaled(&last.application, last.goal.clone().unwrap_or_default(), counts)?;
        refuse_needed(&last.application, &goal)?;
        refuse_second(&self.deployment, counts)?;
        let (purpose, stay, asks) = (Purpose::Up, !self.settings.detach, true);
        self.change_goal(&last, GoalChange { goal, purpose, stay, asks })
    }
}

/// Refuses to take away what something needs that stays: no plan leads there, and a search would
/// take long to find that out.
fn refuse_needed(application: &Application, goal: &GoalFile) -> Result<(), Error> {
    let wants = &goal.goal.wants;
    let gone = wants.iter().filter_map(|want| match want {
        Want::NodeGone(node) => Some(*node),
        _ => None,
    });
    for gone in gone {
        let needs = |want: &Want| {
            let Want::Node { node, state, amount } = want else { return None };
            let requires = &application.protocol_of(*node)?.state(*state).requires;
            let mut bindings = application.node(*node).bindings.iter();
            let is_needed =
                bindings.any(|it| it.target == gone && requires.contains(&it.requirement));
            let least = match amount {
                Amount::Exactly(count) | Amount::AtLeast(count) => *count,
                Amount::Wanted => application.node(*node).count,
            };
            (is_needed && least > 0).then(|| application.node(*node).name.clone())
        };
        let all: Vec<String> = wants.iter().filter_map(needs).collect();
        if all.is_empty() {
            continue;
        }
        let node = application.node(gone).name.clone();
        return Err(Error::Needed { by: all, node });
    }
    Ok(())
}

/// Of a Compose project only services have a number.
fn refuse_others(deployment: &Deployment, counts: &[(String, u32)]) -> Result<(), Error> {
    let Some(requests) = containers::read(deployment)? else { return Ok(()) };
    let is_service = |part: &Part| matches!(part, Part::Service(_));
    let services = || requests.parts.iter().filter(|(_, part)| is_service(part));
    for (name, _) in counts {
        let known = || services().map(|(node, _)| node.clone()).collect();
        match requests.parts.get(name) {
            Some(part) if is_service(part) => {}
            Some(_) => return Err(Error::NoService { name: name.clone(), known: known() }),
            None => {
                let (what, name) = (NoSuch::Service, name.clone());
                return Err(Error::NoSuch { what, name, known: known() });
            }
        }
    }
    Ok(())
}

/// Refuses more than one container of a service that no engine gives more of.
fn refuse_second(deployment: &Deployment, counts: &[(String, u32)]) -> Result<(), Error> {
    let Some(requests) = containers::read(deployment)? else { return Ok(()) };
    for (name, _) in counts.iter().filter(|(_, count)| *count > 1) {
        let Some(Part::Service(service)) = requests.parts.get(name) else { continue };
        if let Some(why) = service.only_one() {
            return Err(Error::OnlyOne { name: name.clone(), why });
        }
    }
    Ok(())
}

/// The goal with other counts.
fn scaled(
    application: &Application,
    mut goal: GoalFile,
    counts: &[(String, u32)],
) -> Result<GoalFile, Error> {
    for (name, count) in counts {
        let node = application.node_named(name).ok_or_else(|| {
            if application.node_ids().any(|node| template_of(application, node) == Some(name)) {
                return Error::Partnered { template: name.clone() };
            }
            let known = application.nodes.iter().map(|node| node.name.clone()).collect();
            Error::NoSuch { what: NoSuch::Node, name: name.clone(), known }
        })?;
        if let Some(template) = template_of(application, node).filter(|_| *count > 1) {
            return Err(Error::Partnered { template: template.to_owned() });
        }
        let wants = &mut goal.goal.wants;
        let state = state_of(wants, node).map_or_else(|| up_state(application, node), Ok)?;
        wants.retain(|want| !is_about(want, node));
        wants.push(match count {
            0 => Want::NodeGone(node),
            count => Want::Node { node, state, amount: Amount::Exactly(*count) },
        });
    }
    Ok(goal)
}

/// The node template of TOSCA of which a node is one of several.
fn template_of(application: &Application, node: NodeId) -> Option<&str> {
    application.deployment.part_of.get(&node).map(String::as_str)
}

fn is_about(want: &Want, wanted: NodeId) -> bool {
    matches!(want, Want::Node { node, .. } | Want::NodeGone(node) if *node == wanted)
}

fn state_of(wants: &[Want], wanted: NodeId) -> Option<StateId> {
    wants.iter().find_map(|want| match want {
        Want::Node { node, state, .. } if *node == wanted => Some(*state),
        _ => None,
    })
}

/// Where the instances of a node are when everything is up.
fn up_state(application: &Application, node: NodeId) -> Result<StateId, Error> {
    let name = &application.node(node).name;
    let unknown = || Error::NoUpState { node: name.clone() };
    let Goal { wants } = synthesize::everything_up(application).map_err(|_| unknown())?;
    state_of(&wants, node).ok_or_else(unknown)
}

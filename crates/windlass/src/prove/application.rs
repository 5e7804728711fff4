//! Does bringing up an application of protocols always complete?

use std::collections::BTreeSet;

use super::search::{is_end, search};
use super::{Answer, Proof, REPLAYED, Stuck, explain};
use crate::application::{Application, Binding, GlobalState, NodeId};
use crate::certificate;
use crate::explore::Options;
use crate::goal::{Goal, Want};
use crate::lifecycle::protocol::Element;
use crate::semantics::bring_up::{Blocked, BringUp, Event, Heights, NoPath, Target};
use crate::system::ladder::{Climb, Ladders};
use crate::system::{Budget, Evidence, System};

/// What a goal says about states; the parts that say something else are handed back.
pub fn targets(
    application: &Application,
    start: &GlobalState,
    goal: &Goal,
) -> (Vec<Target>, Vec<Want>) {
    let mut targets = Vec::new();
    let mut others = Vec::new();
    for want in &goal.wants {
        let target = match want {
            Want::Node { node, state, .. } => Some(Target { about: Ok(*node), state: *state }),
            Want::Instance { instance, state } => start.instances.get(instance).and_then(|found| {
                let state = application.protocol_of(found.node)?.state_named(state)?;
                Some(Target { about: Err(instance.clone()), state })
            }),
            Want::NodeIn { .. }
            | Want::NodeGone(_)
            | Want::InstanceGone(_)
            | Want::Capability(_) => None,
        };
        match target {
            Some(target) => targets.push(target),
            None => others.push(want.clone()),
        }
    }
    (targets, others)
}

/// What operations that only wait rely on: no action of ours makes them end.
fn awaited(system: &BringUp<'_>) -> impl Iterator<Item = String> {
    const WAITS: [(&str, &str); 2] = [
        ("await_healthy", "health checks turn healthy"),
        ("await_completed", "one-shot services exit with 0"),
    ];
    let is_on_a_way = |word: &str| {
        system.climbers.iter().any(|climber| {
            let component = system.application.type_of(climber.node);
            let Some(protocol) = component.protocol() else { return false };
            let operation = |at| &component.operations[protocol.transition(at).operation.index()];
            climber.path.iter().any(|at| operation(*at).name == word)
        })
    };
    let all = WAITS.into_iter().filter(move |(word, _)| is_on_a_way(word));
    all.map(|(_, assumption)| assumption.to_owned())
}

/// Proves, or shows how it gets stuck; or the nodes whose way up is not known.
pub fn application(
    application: &Application,
    start: &GlobalState,
    targets: &[Target],
    may_fail: BTreeSet<(NodeId, String)>,
    options: &Options,
    budget: &mut dyn Budget,
) -> Result<Proof, Vec<NoPath>> {
    let mut system = BringUp::new(application, start, targets)?;
    let mut assumptions = vec!["every operation that starts ends".to_owned()];
    if may_fail.is_empty() {
        assumptions.push("operations succeed".to_owned());
    } else {
        let names: Vec<String> = may_fail
            .iter()
            .map(|(node, operation)| format!("{}.{operation}", application.node(*node).name))
            .collect();
        assumptions.push(format!("operations succeed, except {}", names.join(", ")));
    }
    system.may_fail = may_fail;
    assumptions.extend(awaited(&system));
    // One run decides, unless something is taken back on the way up.
    let by_run = system
        .ladders()
        .and_then(|ladders| by_run(&system, &assumptions, &ladders, &ladders.climb()));
    Ok(by_run.unwrap_or_else(|| by_search(&system, assumptions, options, budget)))
}

/// What one run shows about all of them; none when `certificate` refuses it.
fn by_run(
    system: &BringUp<'_>,
    assumptions: &[String],
    ladders: &Ladders,
    climb: &Climb,
) -> Option<Proof> {
    certificate::check_climb(ladders, climb).ok()?;
    let mut rungs = vec![0u32; system.climbers.len()];
    let mut events: Vec<Event> = Vec::with_capacity(climb.run.len());
    for object in &climb.run {
        let at = *object as usize;
        events.push(if rungs[at].is_multiple_of(2) { Event::Start(at) } else { Event::End(at) });
        rungs[at] += 1;
    }
    // An instance at an operation that may fail has failed there.
    let failing =
        (0..rungs.len()).filter(|at| rungs[*at] % 2 == 1 && system.can_fail(*at, rungs[*at]));
    events.extend(failing.map(Event::Fail));
    let end = replay(system, &events)?;
    let stuck = climb.below_goal(ladders).next().is_some();
    let name = |object: u32| system.climbers[object as usize].id.0.clone();
    let rung = |object: u32, rung: u32| {
        place(system, object as usize, rung, end.failed.contains(&(object as usize)))
    };
    let never = |object: u32, on: u32| never_offered(system, object as usize, on as usize);
    Some(Proof {
        answer: if stuck { Answer::CanGetStuck } else { Answer::AlwaysCompletes },
        method: "one run",
        assumptions: assumptions.to_vec(),
        stuck: stuck.then(|| Stuck {
            trace: describe_all(system, &events),
            // All runs that go on as long as they can are equally long, unless something fails.
            shortest: system.may_fail.is_empty(),
            cycle: Vec::new(),
            waiting: explain::waiting(ladders, climb, &name, &rung, &never),
            waits: None,
        }),
        evidence: "run",
        size: events.len(),
        stopped: None,
    })
}

/// What a climber needs of another node, of which no state offers it.
fn never_offered(system: &BringUp<'_>, object: usize, on: usize) -> Option<String> {
    let node = system.climbers[on].node;
    let component = system.application.type_of(node);
    let states = &component.protocol()?.states;
    let bindings = &system.application.node(system.climbers[object].node).bindings;
    let is_lost = |binding: &&Binding| {
        binding.target == node
            && !states.iter().any(|state| state.offers.contains(&binding.capability))
    };
    let capability = bindings.iter().find(is_lost)?.capability;
    let capability = &component.capabilities.get(capability.index())?.name;
    Some(waits_for_never(&system.application.node(node).name, capability))
}

/// The words for a wait for something that no state of a node offers.
pub fn waits_for_never(node: &str, capability: &str) -> String {
    format!("it waits for `{capability}` of `{node}`, which no state of `{node}` offers")
}

/// Follows the events by the reference, in place, and makes sure that nothing can follow them.
fn replay(system: &BringUp<'_>, events: &[Event]) -> Option<Heights> {
    let mut state = system.initial();
    if events.len() > REPLAYED {
        // The check of the climb has looked at the same premises.
        for event in events {
            match event {
                Event::Start(at) | Event::End(at) => state.rungs[*at] += 1,
                Event::Fail(at) => {
                    state.failed.insert(*at);
                }
            }
        }
        return Some(state);
    }
    for event in events {
        state = system.step(&state, event).ok()?.first().clone();
    }
    is_end(system, &state).then_some(state)
}

/// Where an instance stands, for people.
fn place(system: &BringUp<'_>, climber: usize, rung: u32, failed: bool) -> String {
    let protocol = system.application.protocol_of(system.climbers[climber].node);
    match system.element(climber, rung) {
        Element::State(state) => {
            let name = protocol.map_or("?", |protocol| &*protocol.state(state).name);
            format!("`{name}`")
        }
        Element::Transition(_) => {
            let operation = system.operation(climber, rung).unwrap_or("?");
            if failed {
                format!("in `{operation}`, which failed")
            } else {
                format!("in `{operation}`")
            }
        }
    }
}

fn describe_all(system: &BringUp<'_>, events: &[Event]) -> Vec<String> {
    let mut rungs = vec![0u32; system.climbers.len()];
    let mut described = Vec::with_capacity(events.len());
    for event in events {
        let (Event::Start(at) | Event::End(at) | Event::Fail(at)) = *event;
        let operation = system.operation(at, rungs[at]).unwrap_or("?");
        let id = &system.climbers[at].id.0;
        described.push(match event {
            Event::Start(_) => format!("start {id} {operation}"),
            Event::End(_) => format!("end {id} {operation}"),
            Event::Fail(_) => format!("fail {id} {operation}"),
        });
        if !matches!(event, Event::Fail(_)) {
            rungs[at] += 1;
        }
    }
    described
}

/// Every run is looked at; none of them is infinite, because every instance only goes forward.
fn by_search(
    system: &BringUp<'_>,
    assumptions: Vec<String>,
    options: &Options,
    budget: &mut dyn Budget,
) -> Proof {
    let is_goal = |state: &Heights| system.is_up(state);
    let (mut proof, evidence) = search(system, &is_goal, assumptions, options, budget);
    if let Some(Evidence::Trace(trace)) = &evidence {
        let events: Vec<Event> = trace.actions().copied().collect();
        let waiting = waiting(system, trace.last());
        proof.stuck = Some(Stuck {
            trace: describe_all(system, &events),
            shortest: true,
            waiting,
            ..Stuck::default()
        });
    }
    proof
}

/// What keeps each instance that is not up from starting.
fn waiting(system: &BringUp<'_>, state: &Heights) -> Vec<String> {
    let mut sentences = Vec::new();
    for (at, climber) in system.climbers.iter().enumerate() {
        let here = place(system, at, state.rungs[at], state.failed.contains(&at));
        if let Err(Blocked::Unsatisfied(requirement)) = system.step(state, &Event::Start(at)) {
            let component = system.application.type_of(climber.node);
            let name = &component.requirements[requirement.index()].name;
            sentences.push(format!("`{}` stays {here}: `{name}` is not satisfied", climber.id.0));
        } else if state.rungs[at] < system.top(at) {
            sentences.push(format!("`{}` stays {here}", climber.id.0));
        }
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Sources;

    const GUESTBOOK: &str = include_str!("../../../../examples/guestbook/windlass.yaml");

    #[test]
    fn a_damaged_run_decides_nothing() {
        let mut sources = Sources::new();
        let root = sources.add("windlass.yaml", GUESTBOOK);
        let application = crate::lang::read(None, root, &sources).application.expect("it is read");
        let start = crate::analyze::wanted(&application);
        let goal = crate::synthesize::everything_up(&application).expect("it can be up");
        let (targets, _) = targets(&application, &start, &goal);
        let system = BringUp::new(&application, &start, &targets).expect("every node has a path");
        let ladders = system.ladders().expect("nothing is taken back");
        let climb = ladders.climb();
        let proof = by_run(&system, &[], &ladders, &climb).expect("the run is accepted");
        assert_eq!(proof.answer, Answer::AlwaysCompletes);
        for at in 0..climb.run.len() {
            let mut damaged = climb.clone();
            let object = damaged.run.remove(at) as usize;
            assert_eq!(by_run(&system, &[], &ladders, &damaged), None, "without step {at}");
            // The end changed with it: the run stops where it could go on.
            damaged.rungs[object] -= 1;
            assert_eq!(by_run(&system, &[], &ladders, &damaged), None, "without step {at}");
        }
        let mut damaged = climb.clone();
        damaged.run.reverse();
        assert_eq!(by_run(&system, &[], &ladders, &damaged), None, "backwards");
    }
}

//! Does setting up one topology of a rule set always complete?

use super::search::{is_end, search};
use super::{Answer, Proof, REPLAYED, Stuck, explain};
use crate::certificate;
use crate::explore::Options;
use crate::lifecycle::setup::{Kind, Topology};
use crate::semantics::setup::monotone::Climbing;
use crate::semantics::setup::{Apply, Blocked, Object, Setup, State};
use crate::system::ladder::Climb;
use crate::system::{Budget, Evidence, Successors, System, Trace};

/// Proves, or shows how it gets stuck.
pub fn topology(topology: &Topology, options: &Options, budget: &mut dyn Budget) -> Proof {
    let setup = Setup::new(topology);
    let climbing = setup.climbing();
    let by_run = climbing.and_then(|climbing| by_run(&setup, &climbing, &climbing.ladders.climb()));
    by_run.unwrap_or_else(|| by_search(&setup, options, budget))
}

fn assumptions() -> Vec<String> {
    vec!["every rule that is applied takes effect".to_owned()]
}

/// What one run shows about all of them; none when `certificate` refuses it.
fn by_run(setup: &Setup<'_>, climbing: &Climbing, climb: &Climb) -> Option<Proof> {
    certificate::check_climb(&climbing.ladders, climb).ok()?;
    let mut rungs = vec![0; climbing.objects.len()];
    let applications: Vec<Apply> = climb
        .run
        .iter()
        .map(|object| {
            let rung = &mut rungs[*object as usize];
            *rung += 1;
            climbing.apply(*object, *rung - 1)
        })
        .collect();
    if applications.len() <= REPLAYED && !replays(setup, &applications) {
        return None;
    }
    let stuck = climb.below_goal(&climbing.ladders).next().is_some();
    let name = |object: u32| setup.name(climbing.objects[object as usize]);
    let rung = |object: u32, rung: u32| {
        let kind = climbing.objects[object as usize].kind;
        let state = if rung == 0 {
            0
        } else {
            setup.topology.rules.rule(climbing.apply(object, rung - 1).rule).to
        };
        format!("`{}`", setup.topology.rules.state_name(kind, state))
    };
    Some(Proof {
        answer: if stuck { Answer::CanGetStuck } else { Answer::AlwaysCompletes },
        method: "one run",
        assumptions: assumptions(),
        stuck: stuck.then(|| Stuck {
            trace: applications.iter().map(|apply| describe(setup, apply)).collect(),
            shortest: true,
            cycle: Vec::new(),
            waiting: explain::waiting(&climbing.ladders, climb, &name, &rung, &|_, _| None),
            waits: None,
        }),
        evidence: "run",
        size: climb.run.len(),
        stopped: None,
    })
}

/// Follows the rules one by one.
fn replays(setup: &Setup<'_>, applications: &[Apply]) -> bool {
    let mut state = setup.initial();
    for apply in applications {
        match setup.step(&state, apply).map(Successors::into_vec) {
            Ok(after) => state = after[0].clone(),
            Err(_) => return false,
        }
    }
    is_end(setup, &state)
}

fn describe(setup: &Setup<'_>, apply: &Apply) -> String {
    let rule = setup.topology.rules.rule(apply.rule);
    let state = setup.topology.rules.state_name(apply.object.kind, rule.to);
    format!("{}: {} becomes {state}", rule.name, setup.name(apply.object))
}

/// Every run is looked at.
fn by_search(setup: &Setup<'_>, options: &Options, budget: &mut dyn Budget) -> Proof {
    let mut assumed = assumptions();
    assumed.push("no fairness: a cycle may be repeated forever".to_owned());
    let is_goal = |state: &State| setup.is_final(state);
    let (mut proof, evidence) = search(setup, &is_goal, assumed, options, budget);
    proof.stuck = match &evidence {
        Some(Evidence::Trace(trace)) => Some(stuck(setup, trace, &[])),
        Some(Evidence::Lasso { stem, cycle }) => {
            let cycle: Vec<Apply> = cycle.iter().map(|step| step.action).collect();
            Some(stuck(setup, stem, &cycle))
        }
        _ => None,
    };
    proof
}

fn stuck(setup: &Setup<'_>, trace: &Trace<State, Apply>, cycle: &[Apply]) -> Stuck {
    let waiting = if cycle.is_empty() { waiting(setup, trace.last()) } else { Vec::new() };
    Stuck {
        trace: trace.actions().map(|apply| describe(setup, apply)).collect(),
        shortest: cycle.is_empty(),
        cycle: cycle.iter().map(|apply| describe(setup, apply)).collect(),
        waiting,
        waits: None,
    }
}

/// What keeps each node that is not done from moving.
fn waiting(setup: &Setup<'_>, state: &State) -> Vec<String> {
    let rules = &setup.topology.rules;
    let mut sentences = Vec::new();
    for object in setup.objects() {
        let local = state.of(object);
        let done = object.kind == Kind::Node && rules.goal.contains(local);
        let mine = setup.rules_of(object).iter().filter(|id| rules.rule(**id).from == local);
        let mine: Vec<_> = mine.collect();
        if done || (object.kind != Kind::Node && mine.is_empty()) {
            continue;
        }
        let (who, here) = (setup.name(object), rules.state_name(object.kind, local));
        if mine.is_empty() {
            sentences.push(format!("`{who}` stays `{here}`: no rule leads on"));
        }
        for id in mine {
            let Err(blocked) = setup.step(state, &Apply { rule: *id, object }) else { continue };
            let why = why(setup, state, &blocked);
            sentences
                .push(format!("`{who}` stays `{here}`: {} waits for {why}", rules.rule(*id).name));
        }
    }
    sentences
}

fn why(setup: &Setup<'_>, state: &State, blocked: &Blocked) -> String {
    let rules = &setup.topology.rules;
    let described = |other: &Object| {
        let here = rules.state_name(other.kind, state.of(*other));
        format!("`{}`, which is `{here}`", setup.name(*other))
    };
    match blocked {
        Blocked::Guard(_, Some(other)) => described(other),
        Blocked::Guard(_, None) => "a message that is not in the pool".to_owned(),
        Blocked::NoMessage(message) => {
            format!("the message `{}`, which is not in the pool", rules.messages[message.index()])
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Sources;

    const CRM: &str = include_str!("../../../../examples/setup/crm.yaml");

    #[test]
    fn a_damaged_run_decides_nothing() {
        let mut sources = Sources::new();
        let root = sources.add("crm.yaml", CRM);
        let topology = crate::lang::read_topology(root, &sources).document.expect("it is read");
        let setup = Setup::new(&topology);
        let climbing = setup.climbing().expect("nothing is taken back");
        let climb = climbing.ladders.climb();
        let proof = by_run(&setup, &climbing, &climb).expect("the run is accepted");
        assert_eq!(proof.answer, Answer::AlwaysCompletes);
        for at in 0..climb.run.len() {
            let mut damaged = climb.clone();
            let object = damaged.run.remove(at) as usize;
            assert_eq!(by_run(&setup, &climbing, &damaged), None, "without step {at}");
            // The end changed with it: the run stops where it could go on.
            damaged.rungs[object] -= 1;
            assert_eq!(by_run(&setup, &climbing, &damaged), None, "without step {at}");
        }
        let mut damaged = climb.clone();
        damaged.run.reverse();
        assert_eq!(by_run(&setup, &climbing, &damaged), None, "backwards");
    }
}

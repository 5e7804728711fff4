//! Component types: of a resource, and of a service.

use std::collections::{BTreeMap, BTreeSet};

use super::super::project::{Condition, Health, Restart, Service};
use crate::application::{ComponentType, NodeId, Operation};
use crate::lifecycle::protocol::{
    Arity, Capability, CapabilityId, Handler, OperationId, Protocol, Requirement, RequirementId,
    Sort, State, StateId, Transition,
};
use crate::lifecycle::{Cost, Lifecycle};
use crate::source::{Origin, Span};

/// What a service needs.
pub(super) struct Need {
    /// The name of the requirement.
    pub(super) name: String,
    /// The node that offers it.
    pub(super) target: NodeId,
    /// Which of its capabilities.
    pub(super) capability: usize,
    /// Where it was written.
    pub(super) at: Span,
    /// For what.
    pub(super) when: When,
}

/// For what something is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// To make the containers.
    Create,
    /// To start them; with `true` also for as long as they run.
    Start(Condition, bool),
}

/// How far a service is brought up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Its containers run.
    Running,
    /// Its check succeeds.
    Healthy,
    /// Its containers ended well.
    Completed,
}

impl Wanted {
    /// The name of the state.
    pub(super) fn state(self) -> &'static str {
        match self {
            Wanted::Running => "running",
            Wanted::Healthy => "healthy",
            Wanted::Completed => "completed",
        }
    }
}

/// A name that every format accepts: without the characters that goals use.
pub(in super::super) fn name_of(text: &str) -> String {
    let good = |c: char| if c.is_ascii_alphanumeric() || "-_.:/".contains(c) { c } else { '_' };
    text.chars().map(good).collect()
}

/// An image, network, volume, secret or config: absent, then present. An external one is present.
pub(super) fn resource_type(name: String, external: bool, make: &str) -> ComponentType {
    let nothing = Origin::default();
    let present = state("present", [], [CapabilityId(0)], nothing);
    let (states, operations, transitions, up) = if external {
        (vec![present], Vec::new(), Vec::new(), Vec::new())
    } else {
        let states = vec![state("absent", [], [], nothing), present];
        let operations = vec![operation(make, nothing), operation("remove", nothing)];
        let transitions =
            vec![transition(0, 0, 1, [], [], nothing), transition(1, 1, 0, [], [], nothing)];
        (states, operations, transitions, vec![OperationId(0)])
    };
    ComponentType {
        name,
        requirements: Vec::new(),
        capabilities: vec![Capability { name: "present".to_owned(), origin: nothing }],
        operations,
        lifecycle: Lifecycle::Protocol(Protocol {
            initial: StateId(0),
            states,
            transitions,
            up: Some(up),
        }),
        processes: BTreeMap::new(),
        cost_per_second: Cost::default(),
        origin: nothing,
    }
}

/// A service: absent, created, running, failed, and healthy or completed when it can be that.
pub(super) fn service_type(
    name: String,
    service: &Service,
    needs: &[Need],
    wanted: Wanted,
    offered: &[Condition],
) -> ComponentType {
    let at = Origin::from(service.span);
    let offers = |conditions: &[Condition]| -> BTreeSet<CapabilityId> {
        let known = offered.iter().enumerate().filter(|(_, o)| conditions.contains(o));
        known.map(|(at, _)| CapabilityId::from(at)).collect()
    };
    let started = offers(&[Condition::Started]);
    let (nothing, silent) = (BTreeSet::new(), BTreeSet::new());
    let ids = |wanted: fn(When) -> bool| -> BTreeSet<RequirementId> {
        let fitting = needs.iter().enumerate().filter(|(_, need)| wanted(need.when));
        fitting.map(|(at, _)| RequirementId::from(at)).collect()
    };
    let for_create = ids(|when| when == When::Create);
    let for_start = ids(|when| matches!(when, When::Start(..)));
    let for_running = ids(|when| matches!(when, When::Start(_, true)));
    let is_checked = matches!(service.health, Health::Checked(_));
    let may_end = !matches!(service.restart, Restart::Always | Restart::UnlessStopped);
    let mut builder =
        Builder { states: Vec::new(), operations: Vec::new(), transitions: Vec::new(), at };
    let absent = builder.state("absent", &nothing, &silent);
    let created = builder.state("created", &nothing, &silent);
    let running = builder.state("running", &for_running, &started);
    let failed = builder.state("failed", &nothing, &silent);
    builder.transition(absent, "create", created, &for_create, &silent);
    builder.transition(created, "start", running, &for_start, &silent);
    builder.transition(failed, "start", running, &for_start, &silent);
    builder.transition(running, "stop", created, &nothing, &silent);
    let mut up = vec!["create", "start"];
    if is_checked {
        let healthy = builder.state(
            "healthy",
            &for_running,
            &offers(&[Condition::Started, Condition::Healthy]),
        );
        builder.transition(running, "await_healthy", healthy, &for_running, &started);
        builder.transition(healthy, "stop", created, &nothing, &silent);
    }
    if may_end {
        let completed = builder.state(
            "completed",
            &nothing,
            &offers(&[Condition::Started, Condition::Completed]),
        );
        builder.transition(running, "await_completed", completed, &for_running, &started);
        builder.transition(completed, "remove", absent, &nothing, &silent);
    }
    builder.transition(created, "remove", absent, &nothing, &silent);
    builder.transition(failed, "remove", absent, &nothing, &silent);
    match wanted {
        Wanted::Running => {}
        Wanted::Healthy => up.push("await_healthy"),
        Wanted::Completed => up.push("await_completed"),
    }
    builder.finish(name, needs, &up, Ends { created, failed }, offered)
}

/// The states that faults and crashes lead to.
#[derive(Debug, Clone, Copy)]
struct Ends {
    created: u32,
    failed: u32,
}

struct Builder {
    states: Vec<State>,
    operations: Vec<Operation>,
    transitions: Vec<Transition>,
    at: Origin,
}

impl Builder {
    fn state(
        &mut self,
        name: &str,
        requires: &BTreeSet<RequirementId>,
        offers: &BTreeSet<CapabilityId>,
    ) -> u32 {
        let made = state(name, [], [], self.at);
        self.states.push(State { requires: requires.clone(), offers: offers.clone(), ..made });
        self.states.len() as u32 - 1
    }

    fn transition(
        &mut self,
        from: u32,
        operation_name: &str,
        to: u32,
        requires: &BTreeSet<RequirementId>,
        offers: &BTreeSet<CapabilityId>,
    ) {
        let known = self.operations.iter().position(|known| known.name == operation_name);
        let id = known.unwrap_or_else(|| {
            self.operations.push(operation(operation_name, self.at));
            self.operations.len() - 1
        });
        let made = transition(from, id as u32, to, [], [], self.at);
        let (requires, offers) = (requires.clone(), offers.clone());
        self.transitions.push(Transition { requires, offers, ..made });
    }

    /// The type. A fault stops the containers, a crash fails them.
    fn finish(
        mut self,
        name: String,
        needs: &[Need],
        up: &[&str],
        ends: Ends,
        offered: &[Condition],
    ) -> ComponentType {
        let Ends { created, failed } = ends;
        let handler = || vec![Handler { to: StateId(created), origin: self.at }];
        for state in self.states.iter_mut().filter(|state| !state.requires.is_empty()) {
            state.handlers = handler();
        }
        for transition in &mut self.transitions {
            if !transition.requires.is_empty() {
                let back =
                    if transition.from == StateId(0) { StateId(0) } else { StateId(created) };
                transition.handlers = vec![Handler { to: back, origin: self.at }];
            }
        }
        for state in &mut self.states {
            if matches!(state.name.as_str(), "running" | "healthy") {
                state.on_crash = Some(StateId(failed));
            }
        }
        let operations = &self.operations;
        let id = |name: &&str| operations.iter().position(|o| o.name == **name);
        let up = up.iter().filter_map(id).map(OperationId::from).collect();
        let capability = |condition: &Condition| {
            let name = match condition {
                Condition::Started => "started",
                Condition::Healthy => "healthy",
                Condition::Completed => "completed",
            };
            Capability { name: name.to_owned(), origin: self.at }
        };
        ComponentType {
            name,
            requirements: needs.iter().map(requirement).collect(),
            capabilities: offered.iter().map(capability).collect(),
            lifecycle: Lifecycle::Protocol(Protocol {
                initial: StateId(0),
                states: self.states,
                transitions: self.transitions,
                up: Some(up),
            }),
            operations: self.operations,
            processes: BTreeMap::new(),
            cost_per_second: Cost::default(),
            origin: self.at,
        }
    }
}

/// A service that is waited for must be so with every one of its containers.
fn requirement(need: &Need) -> Requirement {
    let arity = match need.when {
        When::Create => Arity::Any,
        When::Start(..) => Arity::All,
    };
    Requirement {
        name: need.name.clone(),
        sort: Sort::ReplicaUnaware,
        arity,
        origin: need.at.into(),
    }
}

fn state<const N: usize, const M: usize>(
    name: &str,
    requires: [RequirementId; N],
    offers: [CapabilityId; M],
    at: Origin,
) -> State {
    State {
        name: name.to_owned(),
        requires: requires.into(),
        offers: offers.into(),
        handlers: Vec::new(),
        on_crash: None,
        origin: at,
    }
}

fn transition<const N: usize, const M: usize>(
    from: u32,
    operation: u32,
    to: u32,
    requires: [RequirementId; N],
    offers: [CapabilityId; M],
    at: Origin,
) -> Transition {
    Transition {
        from: StateId(from),
        operation: OperationId(operation),
        to: StateId(to),
        requires: requires.into(),
        offers: offers.into(),
        handlers: Vec::new(),
        origin: at,
    }
}

fn operation(name: &str, at: Origin) -> Operation {
    Operation {
        name: name.to_owned(),
        run: None,
        duration: None,
        cost: Cost::default(),
        timeout: None,
        retry: None,
        effect: None,
        host: None,
        origin: at,
    }
}

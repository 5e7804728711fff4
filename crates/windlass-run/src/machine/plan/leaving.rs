//! Leaving in good order: what goes is first brought back by its own operations.
//!
//! The rules let an instance be removed in any state. A container or a network that is out there
//! would stay, and what its author wrote into `stop` would never be executed. So every plan that
//! removes instances (`down`, `scale`, a roll back) has two parts: those that leave come to rest,
//! users before what they use, and then the plan of the planner follows from there. Only what
//! needs an order gets one: whoever uses an instance, or is inside it, before that instance, and
//! what happens to an instance one after the other. Unrelated instances go at the same time.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use windlass::application::{GlobalState, Instance, InstanceId, NodeId};
use windlass::goal::{GoalFile, Want};
use windlass::lifecycle::protocol::{
    Arity, Element, OperationId, Protocol, RequirementId, Sort, StateId, Transition,
};
use windlass::plan::{Order, Plan, PlanAction, Step};
use windlass::semantics::replica::in_place::InPlace;
use windlass::semantics::replica::{Action, Event};
use windlass::source::Origin;
use windlass::synthesize::Question;

use super::PlanMachine;
use crate::machine::{PlanError, instances};

/// The steps of each instance that leaves: first and last.
type Chains = BTreeMap<InstanceId, (usize, usize)>;

/// A plan that brings instances to rest.
struct Rest {
    plan: Plan,
    /// Where it leads.
    end: GlobalState,
    /// Steps that have to be over before anything is done to an instance.
    holds: Vec<(usize, InstanceId)>,
}

/// More edges than this between two parts of a plan are too many: one step stands for the others.
const MANY: usize = 4096;

impl PlanMachine<'_> {
    /// A plan from here to `goal`, by which nothing is removed before it is at rest.
    pub(super) fn way(&self, goal: &GoalFile) -> Result<Option<Plan>, PlanError> {
        // First who has to go, then whom the planner removes to reach the rest.
        let mut first = self.rest(self.state(), &self.unwanted(goal));
        let from =
            |first: &Option<Rest>| first.as_ref().map_or(self.state(), |rest| &rest.end).clone();
        let mut state = from(&first);
        let then = match self.found(&state, goal) {
            // From where some are at rest there may be no way: then there is the one from here.
            Err(_) | Ok(None) if first.take().is_some() => {
                state = from(&first);
                self.found(&state, goal)?
            }
            found => found?,
        };
        let Some(then) = then else { return Ok(None) };
        let Some(second) = self.rest(&state, &removed(&then)) else {
            return Ok(Some(after(first, then)));
        };
        let Ok(Some(last)) = self.found(&second.end, goal) else {
            return Ok(Some(after(first, then)));
        };
        let Some(Rest { plan, mut holds, .. }) = first else {
            return Ok(Some(after(Some(second), last)));
        };
        let count = plan.steps.len();
        holds.extend(second.holds.into_iter().map(|(step, id)| (step + count, id)));
        let plan = joined(plan, second.plan, &[]);
        Ok(Some(joined(plan, last, &holds)))
    }

    /// The instances that a goal wants gone.
    fn unwanted(&self, goal: &GoalFile) -> BTreeSet<InstanceId> {
        let mut nodes: BTreeSet<NodeId> = BTreeSet::new();
        let mut leaving: BTreeSet<InstanceId> = BTreeSet::new();
        for want in &goal.goal.wants {
            match want {
                Want::NodeGone(node) => drop(nodes.insert(*node)),
                Want::InstanceGone(id) => drop(leaving.insert(id.clone())),
                // Back to where it began is as far as leaving goes.
                Want::Instance { instance: id, state } => {
                    let node = self.state().instance(id).map(|instance| instance.node);
                    let protocol = node.and_then(|node| self.application.protocol_of(node));
                    if protocol.is_some_and(|it| it.state(it.initial).name == *state) {
                        leaving.insert(id.clone());
                    }
                }
                _ => {}
            }
        }
        let all = self.state().instances.iter();
        leaving.extend(all.filter(|(_, it)| nodes.contains(&it.node)).map(|(id, _)| id.clone()));
        leaving
    }

    /// The plan that brings `leaving` to rest, and where it leads; none when all of them are at
    /// rest, or when the rules do not let them.
    fn rest(&self, from: &GlobalState, leaving: &BTreeSet<InstanceId>) -> Option<Rest> {
        let mut plan = Plan::default();
        let mut chains = Chains::new();
        let mut relied = BTreeMap::new();
        for id in leaving {
            let Some(instance) = from.instance(id) else { continue };
            let first = plan.steps.len();
            let late = self.leave(id, instance, &mut plan);
            if let Some(last) = plan.steps.len().checked_sub(1).filter(|last| *last >= first) {
                chains.insert(id.clone(), (first, last));
                relied.insert(id.clone(), self.relied_on(from, id, instance, &late));
            }
        }
        if plan.steps.is_empty() {
            return None;
        }
        let mut holds = Vec::new();
        match self.arrange {
            Some(arrange) => arrange(self.application, &self.nodes_of(&plan), &mut plan),
            None => holds = users_first(&chains, relied, &mut plan),
        }
        let end = self.end_without_faults(from, &plan)?;
        Some(Rest { plan, end, holds })
    }

    /// The instances that have to stay as they are until `id` is at rest: what it is inside, what
    /// it is bound to, and whoever may offer what it needs only on its way (`late`).
    fn relied_on(
        &self,
        from: &GlobalState,
        id: &InstanceId,
        instance: Instance,
        late: &BTreeSet<RequirementId>,
    ) -> BTreeSet<InstanceId> {
        let node = self.application.node(instance.node);
        let mut all: BTreeSet<InstanceId> = from.container(id).cloned().into_iter().collect();
        let requirements = &self.application.type_of(instance.node).requirements;
        for binding in &node.bindings {
            let declared = &requirements[binding.requirement.index()];
            match declared.sort {
                Sort::Containment => {}
                _ if late.contains(&binding.requirement) || declared.arity == Arity::All => {
                    all.extend(from.of_node(binding.target).map(|(id, _)| id.clone()));
                }
                _ => all.extend(from.bound(id, binding.requirement).cloned()),
            }
        }
        all.remove(id);
        all
    }

    /// Appends the operations by which an instance comes to rest, in their order. What it needs on
    /// its way and does not need now.
    fn leave(
        &self,
        id: &InstanceId,
        instance: Instance,
        plan: &mut Plan,
    ) -> BTreeSet<RequirementId> {
        let mut late = BTreeSet::new();
        let Some(protocol) = self.application.protocol_of(instance.node) else { return late };
        let component = self.application.type_of(instance.node);
        let Element::State(state) = instance.element else { return late };
        // What is needed without interruption stays bound as it is.
        let mut kept = protocol.state(state).requires.clone();
        let first = plan.steps.len();
        for transition in to_rest(protocol, state) {
            for needs in [&transition.requires, &protocol.state(transition.to).requires] {
                late.extend(needs.difference(&kept).copied());
                kept = kept.intersection(needs).copied().collect();
            }
            if plan.steps.len() > first {
                let last = plan.steps.len() - 1;
                plan.order.push(edge(last, last + 1, "its operations come first"));
            }
            let operation = component.operations[transition.operation.index()].name.clone();
            let label = format!("{operation} {id}");
            let action = PlanAction::Operation { instance: id.clone(), operation };
            plan.steps.push(Step { label, action, origin: Origin(None) });
        }
        late
    }

    /// Where a plan leads; none when the rules refuse a step, or when it would fault.
    fn end_without_faults(&self, from: &GlobalState, plan: &Plan) -> Option<GlobalState> {
        let mut state = InPlace::new(&self.replica, from.clone());
        for step in plan.topological_order().ok()? {
            let PlanAction::Operation { instance, operation } = plan.steps[step].action.clone()
            else {
                return None;
            };
            let end = Action::OpEnd { instance: instance.clone(), operation: operation.clone() };
            for action in [Action::OpStart { instance, operation }, end] {
                let next = self.next_in(&state, &action).ok()?;
                if !self.allow_faults && next.events().iter().any(Event::is_fault) {
                    return None;
                }
                state.take(&self.replica, next);
            }
        }
        Some(state.state().clone())
    }

    /// A plan that the planner finds, arranged.
    fn found(&self, start: &GlobalState, goal: &GoalFile) -> Result<Option<Plan>, PlanError> {
        let plain = Question::new(self.application, start, goal);
        let allow_faults = self.allow_faults;
        let question = Question { known: Some(&self.began), allow_faults, ..plain };
        let mut found = instances::planned(&question, &mut *(self.budget)())?;
        if let (Some(plan), Some(arrange)) = (&mut found, self.arrange) {
            arrange(self.application, &self.nodes_of(plan), plan);
        }
        Ok(found)
    }
}

/// Whoever relies on something is at rest before it begins to leave. The steps that have to be over
/// before anything is done to those that are at rest already.
fn users_first(
    chains: &Chains,
    relied: BTreeMap<InstanceId, BTreeSet<InstanceId>>,
    plan: &mut Plan,
) -> Vec<(usize, InstanceId)> {
    let alone = plan.order.len();
    let mut holds = Vec::new();
    for (id, others) in relied {
        let Some((_, last)) = chains.get(&id) else { continue };
        for other in others {
            match chains.get(&other) {
                Some((first, _)) => {
                    plan.order.push(edge(*last, *first, "who uses it comes to rest first"));
                }
                None => holds.push((*last, other)),
            }
        }
    }
    if plan.topological_order().is_err() {
        // They use each other: the rules alone decide who may begin.
        plan.order.truncate(alone);
    }
    holds
}

/// The instances that a plan takes away.
fn removed(plan: &Plan) -> BTreeSet<InstanceId> {
    let removed = plan.steps.iter().filter_map(|step| match &step.action {
        PlanAction::ScaleIn { instance } => Some(instance.clone()),
        _ => None,
    });
    removed.collect()
}

/// The operations that lead from a state to rest: to where the life cycle begins, or as near to it
/// as operations lead that only go back. Of several ways the one of the smallest steps, so that
/// what was done is undone in the opposite order; from where only faults lead, the shortest, or
/// what has failed would be started to be stopped.
fn to_rest(protocol: &Protocol, from: StateId) -> Vec<&Transition> {
    let distance = distances(protocol);
    let far = |state: StateId| distance.get(&state).copied().unwrap_or(usize::MAX);
    let mut nearest_first: Vec<StateId> = (0..protocol.states.len()).map(StateId::from).collect();
    nearest_first.sort_by_key(|state| far(*state));
    // How near each state comes, and by which operation: those nearer to the beginning are known.
    let mut best: BTreeMap<StateId, (usize, Option<&Transition>)> = BTreeMap::new();
    for state in nearest_first {
        let mut found = (far(state), None);
        let backwards = |it: &&Transition| it.from == state && far(it.to) < far(state);
        for transition in protocol.transitions.iter().filter(backwards) {
            let end = best.get(&transition.to).map_or(usize::MAX, |(end, _)| *end);
            let step = found.1.map(|it: &Transition| far(it.to));
            let fits = |step| {
                let by_faults = far(state) == usize::MAX;
                if by_faults { far(transition.to) < step } else { far(transition.to) > step }
            };
            if end < found.0 || end == found.0 && step.is_some_and(fits) {
                found = (end, Some(transition));
            }
        }
        best.insert(state, found);
    }
    let mut path = Vec::new();
    let mut state = from;
    while let Some((_, Some(transition))) = best.get(&state) {
        path.push(*transition);
        state = transition.to;
    }
    if state == protocol.initial {
        return path;
    }
    // Where a life says which operations lead up, all others may lead down by way of states that
    // it has on no other way.
    let down = protocol.up.as_ref().and_then(|up| way_down(protocol, up, from));
    down.unwrap_or(path)
}

/// The shortest way from a state to where the life begins by operations that do not lead up.
fn way_down<'p>(
    protocol: &'p Protocol,
    up: &[OperationId],
    from: StateId,
) -> Option<Vec<&'p Transition>> {
    let mut before: BTreeMap<StateId, &Transition> = BTreeMap::new();
    let mut open = VecDeque::from([from]);
    while let Some(state) = open.pop_front() {
        if state == protocol.initial {
            break;
        }
        let leads = |it: &&Transition| it.from == state && !up.contains(&it.operation);
        for transition in protocol.transitions.iter().filter(leads) {
            if transition.to != from && !before.contains_key(&transition.to) {
                before.insert(transition.to, transition);
                open.push_back(transition.to);
            }
        }
    }
    let mut path = Vec::new();
    let mut state = protocol.initial;
    while state != from {
        let transition = before.get(&state)?;
        path.push(*transition);
        state = transition.from;
    }
    path.reverse();
    Some(path)
}

/// How many operations it takes from the beginning to each state that operations lead to.
fn distances(protocol: &Protocol) -> BTreeMap<StateId, usize> {
    let mut distance = BTreeMap::from([(protocol.initial, 0)]);
    let mut edge_of_known = vec![protocol.initial];
    while !edge_of_known.is_empty() {
        let mut next = Vec::new();
        for state in edge_of_known {
            let so_far = distance[&state];
            for transition in protocol.transitions.iter().filter(|it| it.from == state) {
                if let Entry::Vacant(place) = distance.entry(transition.to) {
                    place.insert(so_far + 1);
                    next.push(transition.to);
                }
            }
        }
        edge_of_known = next;
    }
    distance
}

fn edge(before: usize, after: usize, why: &str) -> Order {
    Order { before, after, why: Some(why.to_owned()), origin: Origin(None) }
}

/// A plan after what brings its instances to rest.
fn after(first: Option<Rest>, then: Plan) -> Plan {
    match first {
        Some(Rest { plan, holds, .. }) => joined(plan, then, &holds),
        None => then,
    }
}

/// One plan of two. A removal follows what is done to its instance before, and the steps that
/// `holds` names for it; anything else that begins the second follows whatever ends the first.
fn joined(mut first: Plan, mut then: Plan, holds: &[(usize, InstanceId)]) -> Plan {
    let mut labels: BTreeSet<String> = first.steps.iter().map(|step| step.label.clone()).collect();
    for step in &mut then.steps {
        let numbered = (2..).map(|number| format!("{} #{number}", step.label));
        let mut all = std::iter::once(step.label.clone()).chain(numbered);
        if let Some(label) = all.find(|label| labels.insert(label.clone())) {
            step.label = label;
        }
    }
    let count = first.steps.len();
    let goes_on: BTreeSet<usize> = first.order.iter().map(|edge| edge.before).collect();
    let follows: BTreeSet<usize> = then.order.iter().map(|edge| edge.after).collect();
    let ends: Vec<usize> = (0..count).filter(|step| !goes_on.contains(step)).collect();
    let mut before: BTreeMap<&InstanceId, BTreeSet<usize>> = BTreeMap::new();
    // Of the steps of one instance in the first plan the last stands behind the others.
    let lasts: BTreeMap<&InstanceId, usize> =
        first.steps.iter().map(|step| step.action.instance()).zip(0..).collect();
    for (id, step) in lasts.into_iter().chain(holds.iter().map(|(step, id)| (id, *step))) {
        before.entry(id).or_default().insert(step);
    }
    let is_removal = |step: usize| matches!(then.steps[step].action, PlanAction::ScaleIn { .. });
    let mut joints: Vec<(usize, usize)> = Vec::new();
    for (at, step) in then.steps.iter().enumerate().filter(|(at, _)| is_removal(*at)) {
        let own = before.get(step.action.instance()).into_iter().flatten();
        joints.extend(own.map(|before| (*before, at)));
    }
    let begins: Vec<usize> =
        (0..then.steps.len()).filter(|at| !follows.contains(at) && !is_removal(*at)).collect();
    match begins.split_first() {
        Some((hub, others)) if ends.len() * begins.len() > MANY => {
            joints.extend(ends.iter().map(|before| (*before, *hub)));
            then.order.extend(others.iter().map(|at| edge(*hub, *at, "everything is at rest")));
        }
        _ => joints
            .extend(begins.iter().flat_map(|at| ends.iter().map(move |before| (*before, *at)))),
    }
    let joint = |(before, at): (usize, usize)| edge(before, at + count, "it is at rest first");
    let joints: Vec<Order> = joints.into_iter().map(joint).collect();
    for edge in &mut then.order {
        edge.before += count;
        edge.after += count;
    }
    first.steps.append(&mut then.steps);
    first.order.append(&mut then.order);
    first.order.extend(joints);
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use windlass::lang;
    use windlass::source::Sources;

    /// The operations from a state to rest, of a life cycle given by its transitions.
    fn way_back(transitions: &str, from: &str) -> Vec<String> {
        let text = format!(
            "windlass: 1\ntypes:\n  it:\n    protocol:\n      initial: a\n      \
             states: {{ a: {{}}, b: {{}}, c: {{}}, d: {{}} }}\n      transitions:\n{transitions}\
             nodes: {{ it: {{ type: it }} }}\n"
        );
        let mut sources = Sources::new();
        let root = sources.add("windlass.yaml", text);
        let application = lang::read(None, root, &sources).application.unwrap();
        let component = &application.types[0];
        let protocol = component.protocol().unwrap();
        let path = to_rest(protocol, protocol.state_named(from).unwrap());
        let name = |it: &&Transition| component.operations[it.operation.index()].name.clone();
        path.iter().map(name).collect()
    }

    fn transitions(all: &[(&str, &str, &str)]) -> String {
        let line = |(from, operation, to): &(&str, &str, &str)| {
            format!("        - {{ from: {from}, operation: {operation}, to: {to} }}\n")
        };
        all.iter().map(line).collect()
    }

    #[test]
    fn the_way_back_undoes_in_the_opposite_order() {
        let create = [("a", "create", "b"), ("b", "configure", "c"), ("c", "start", "d")];
        let mut all = create.to_vec();
        assert_eq!(way_back(&transitions(&all), "d"), Vec::<String>::new());
        all.push(("d", "stop", "c"));
        assert_eq!(way_back(&transitions(&all), "d"), ["stop"]);
        all.extend([("c", "delete", "a"), ("d", "delete", "a")]);
        assert_eq!(way_back(&transitions(&all), "d"), ["stop", "delete"]);
        assert_eq!(way_back(&transitions(&all), "a"), Vec::<String>::new());
    }

    #[test]
    fn nobody_goes_forward_to_come_back() {
        let all = [("a", "start", "b"), ("b", "upgrade", "c"), ("c", "stop", "a")];
        assert_eq!(way_back(&transitions(&all), "b"), Vec::<String>::new());
        assert_eq!(way_back(&transitions(&all), "c"), ["stop"]);
    }

    #[test]
    fn where_only_a_fault_leads_there_is_a_way_back_too() {
        let all = [("a", "start", "b"), ("b", "stop", "a"), ("d", "mend", "b")];
        assert_eq!(way_back(&transitions(&all), "d"), ["mend", "stop"]);
        let all = [all[0], all[1], ("d", "start", "b"), ("d", "remove", "a")];
        assert_eq!(way_back(&transitions(&all), "d"), ["remove"]);
    }
}

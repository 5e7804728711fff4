//! Leaving in good order: what goes is first brought back by its own operations.
//!
//! The rules let an instance be removed in any state. A container or a network that is out there
//! would stay, and what its author wrote into `stop` would never be executed. So every plan that
//! removes instances (`down`, `scale`, a roll back) has two parts: those that leave come to rest,
//! users before what they use, and then the plan of the planner follows from there.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use windlass::application::{GlobalState, Instance, InstanceId, NodeId};
use windlass::goal::{GoalFile, Want};
use windlass::lifecycle::protocol::{Element, OperationId, Protocol, StateId, Transition};
use windlass::plan::{Order, Plan, PlanAction, Step};
use windlass::semantics::replica::{Action, Event};
use windlass::source::Origin;
use windlass::synthesize::Question;

use super::PlanMachine;
use crate::machine::instances;

/// The steps of each instance that leaves: first and last, with its node.
type Chains = Vec<(NodeId, InstanceId, usize, usize)>;

impl PlanMachine<'_> {
    /// A plan from here to `goal`, by which nothing is removed before it is at rest.
    pub(super) fn way(&self, goal: &GoalFile) -> Result<Option<Plan>, String> {
        let mut way: Option<Plan> = None;
        let mut state = self.state.clone();
        // First who has to go, then whom the planner removes to reach the rest.
        let named = self.unwanted(goal);
        if let Some((rest, end)) = self.rest(&state, &named) {
            (way, state) = (Some(rest), end);
        }
        let then = match self.found(&state, goal) {
            // From where some are at rest there may be no way: then there is the one from here.
            Err(_) | Ok(None) if way.take().is_some() => {
                state = self.state.clone();
                self.found(&state, goal)?
            }
            found => found?,
        };
        let Some(then) = then else { return Ok(None) };
        if let Some((rest, end)) = self.rest(&state, &removed(&then))
            && let Ok(Some(last)) = self.found(&end, goal)
        {
            return Ok(Some(joined(joined_after(way, rest), last)));
        }
        Ok(Some(joined_after(way, then)))
    }

    /// The instances that a goal wants gone.
    fn unwanted(&self, goal: &GoalFile) -> BTreeSet<InstanceId> {
        let leaves = |id: &InstanceId, instance: &Instance| {
            let protocol = self.application.protocol_of(instance.node);
            let first = protocol.map(|protocol| &protocol.state(protocol.initial).name);
            goal.goal.wants.iter().any(|want| match want {
                Want::NodeGone(node) => *node == instance.node,
                Want::InstanceGone(gone) => gone == id,
                // Back to where it began is as far as leaving goes.
                Want::Instance { instance, state } => instance == id && Some(state) == first,
                _ => false,
            })
        };
        let all = self.state.instances.iter().filter(|(id, instance)| leaves(id, instance));
        all.map(|(id, _)| id.clone()).collect()
    }

    /// The plan that brings `leaving` to rest, and where it leads; none when all of them are at
    /// rest, or when the rules do not let them.
    fn rest(
        &self,
        from: &GlobalState,
        leaving: &BTreeSet<InstanceId>,
    ) -> Option<(Plan, GlobalState)> {
        let mut rest = Plan::default();
        let mut chains = Chains::new();
        for id in leaving {
            let Some(instance) = from.instance(id) else { continue };
            let first = rest.steps.len();
            self.leave(id, instance, &mut rest);
            if let Some(last) = rest.steps.len().checked_sub(1).filter(|last| *last >= first) {
                chains.push((instance.node, id.clone(), first, last));
            }
        }
        if rest.steps.is_empty() {
            return None;
        }
        match self.arrange {
            Some(arrange) => arrange(self.application, &self.nodes_of(&rest), &mut rest),
            None => self.users_first(from, &chains, &mut rest),
        }
        let end = self.end_without_faults(from, &rest)?;
        Some((rest, end))
    }

    /// Whoever uses something, or is inside it, is at rest before it begins to leave.
    fn users_first(&self, from: &GlobalState, chains: &Chains, rest: &mut Plan) {
        let alone = rest.order.len();
        for (node, id, _, last) in chains {
            let node = self.application.node(*node);
            let targets: BTreeSet<NodeId> = node.bindings.iter().map(|it| it.target).collect();
            let container = from.vertical.get(id).map(|(_, container)| container);
            for (other_node, other, first, _) in chains {
                let used = match container {
                    Some(container) if container == other => true,
                    // Another container of the same node has nothing to do with it.
                    Some(container) if is_of(from, container, *other_node) => false,
                    _ => targets.contains(other_node),
                };
                if used && id != other {
                    rest.order.push(edge(*last, *first, "who uses it comes to rest first"));
                }
            }
        }
        if rest.topological_order().is_err() {
            // They use each other: the rules alone decide who may begin.
            rest.order.truncate(alone);
        }
    }

    /// Appends the operations by which an instance comes to rest, in their order.
    fn leave(&self, id: &InstanceId, instance: Instance, plan: &mut Plan) {
        let Some(protocol) = self.application.protocol_of(instance.node) else { return };
        let component = self.application.type_of(instance.node);
        let Element::State(state) = instance.element else { return };
        let first = plan.steps.len();
        for transition in to_rest(protocol, state) {
            if plan.steps.len() > first {
                let last = plan.steps.len() - 1;
                plan.order.push(edge(last, last + 1, "its operations come first"));
            }
            let operation = component.operations[transition.operation.index()].name.clone();
            let label = format!("{operation} {id}");
            let action = PlanAction::Operation { instance: id.clone(), operation };
            plan.steps.push(Step { label, action, origin: Origin(None) });
        }
    }

    /// Where a plan leads; none when the rules refuse a step, or when it would fault.
    fn end_without_faults(&self, from: &GlobalState, plan: &Plan) -> Option<GlobalState> {
        let mut state = from.clone();
        for step in plan.topological_order().ok()? {
            let PlanAction::Operation { instance, operation } = plan.steps[step].action.clone()
            else {
                return None;
            };
            let end = Action::OpEnd { instance: instance.clone(), operation: operation.clone() };
            for action in [Action::OpStart { instance, operation }, end] {
                let outcome = self.outcome_in(&state, &action).ok()?;
                if !self.allow_faults && outcome.events.iter().any(Event::is_fault) {
                    return None;
                }
                state = outcome.state;
            }
        }
        Some(state)
    }

    /// A plan that the planner finds, arranged.
    fn found(&self, start: &GlobalState, goal: &GoalFile) -> Result<Option<Plan>, String> {
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

fn is_of(state: &GlobalState, id: &InstanceId, node: NodeId) -> bool {
    state.instance(id).is_some_and(|instance| instance.node == node)
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

fn joined_after(first: Option<Plan>, then: Plan) -> Plan {
    match first {
        Some(first) => joined(first, then),
        None => then,
    }
}

/// One plan of two: whatever ends the first comes before whatever begins the second.
fn joined(mut first: Plan, mut then: Plan) -> Plan {
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
    let begins = (0..then.steps.len()).filter(|step| !follows.contains(step));
    let joints: Vec<Order> = begins
        .flat_map(|after| ends.iter().map(move |before| (*before, after + count)))
        .map(|(before, after)| edge(before, after, "it is at rest first"))
        .collect();
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

//! The operations that lead an instance back to where its life cycle begins.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};

use crate::lifecycle::protocol::{OperationId, Protocol, StateId, Transition};

/// The operations that lead from a state to rest: to where the life cycle begins, or as near to it
/// as operations lead that only go back. Of several ways the one of the smallest steps, so that
/// what was done is undone in the opposite order; from where only faults lead, the shortest, or
/// what has failed would be started to be stopped.
pub(super) fn to_rest(protocol: &Protocol, from: StateId) -> Vec<&Transition> {
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
    let down = protocol.up.as_ref().and_then(|up| shortest_down(protocol, up, from));
    down.unwrap_or(path)
}

/// The shortest way from a state to where the life begins by operations that do not lead up.
fn shortest_down<'p>(
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang;
    use crate::source::Sources;

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
    fn no_operation_forward_is_on_the_way_back() {
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

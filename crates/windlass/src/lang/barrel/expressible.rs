//! What BARREL's files can say of an application, and what of it is left out.

use crate::application::{Application, ComponentType, Faults};
use crate::lang::Inexpressible;
use crate::lifecycle::protocol::{Arity, Sort, StateId};

/// Refuses what would mean something else in BARREL.
pub(super) fn refuse(application: &Application, refused: &mut Inexpressible) {
    let handled = application
        .types
        .iter()
        .filter_map(ComponentType::protocol)
        .any(|protocol| protocol.states.iter().any(|state| !state.handlers.is_empty()));
    match application.faults {
        Faults::Replicas => {
            refused.add("the relation `faults: replicas`; it has one instance each");
        }
        Faults::Handled if !handled => {
            refused.add("the relation `faults: handled` without any fault handler");
        }
        Faults::Handled | Faults::Forbidden => {}
    }
    for component in &application.types {
        let name = &component.name;
        let Some(protocol) = component.protocol() else {
            refused.add(format!("the net of type `{name}`"));
            continue;
        };
        for requirement in component.requirements.iter().filter(|r| r.arity != Arity::Any) {
            refused.add(format!("the arity of `{}` of type `{name}`", requirement.name));
        }
        for state in protocol.states.iter().filter(|_| application.faults == Faults::Handled) {
            let goes_to = |to: StateId| state.handlers.iter().any(|handler| handler.to == to);
            let further =
                state.handlers.iter().flat_map(|handler| &protocol.state(handler.to).handlers);
            let is_closed = |to: StateId| goes_to(to) || protocol.state(to).name == state.name;
            if let Some(further) = further.map(|handler| handler.to).find(|to| !is_closed(*to)) {
                let (from, to) = (&state.name, &protocol.state(further).name);
                refused.add(format!(
                    "that no handler of type `{name}` leads from `{from}` to `{to}`, where others \
                     lead that follow it"
                ));
            }
        }
        for transition in &protocol.transitions {
            let operation = &component.operations[transition.operation.index()].name;
            if !transition.offers.is_empty() {
                refused.add(format!("what `{operation}` of type `{name}` offers meanwhile"));
            }
            if !transition.handlers.is_empty() {
                refused.add(format!("the fault handlers of `{operation}` of type `{name}`"));
            }
        }
    }
}

/// What is not written, in words for people.
pub(super) fn left_out(application: &Application) -> Vec<&'static str> {
    let types = || application.types.iter();
    let operations = || types().flat_map(|t| &t.operations);
    let protocols = || types().filter_map(ComponentType::protocol);
    let states = || protocols().flat_map(|p| &p.states);
    let mut left_out = Vec::new();
    let mut add = |present: bool, what| {
        if present {
            left_out.push(what);
        }
    };
    add(operations().any(|o| o.run.is_some()), "the commands of operations");
    add(types().any(|t| !t.processes.is_empty()), "the processes of states");
    add(operations().any(|o| o.duration.is_some() || o.timeout.is_some()), "durations");
    let priced = operations().any(|o| o.cost.0 > 0) || types().any(|t| t.cost_per_second.0 > 0);
    add(priced, "costs");
    let wanted = application.nodes.iter().any(|n| n.count != 1 || !n.instances.is_empty());
    add(wanted, "wanted instances");
    add(protocols().any(|p| p.up.is_some()), "the ways up");
    add(states().any(|s| s.on_crash.is_some()), "`on_crash`");
    let aware = types().flat_map(|t| &t.requirements).any(|r| r.sort == Sort::ReplicaAware);
    add(aware, "which requirements are aware of replicas");
    let handlers = states().any(|state| !state.handlers.is_empty());
    add(application.faults == Faults::Forbidden && handlers, "fault handlers, which never run");
    left_out
}

//! Which service waits for which.

use std::collections::BTreeMap;

use super::project::{Project, Service};
use crate::cycle::{Cycles, Edges, Step};
use crate::source::Span;

/// A cycle: each service with the place where it says that it waits for the next one.
pub(crate) type Cycle<'p> = Vec<(&'p str, Span)>;

/// One cycle for every dependency that leads back to a service on the way to it, in the order of
/// names.
pub(crate) fn cycles(project: &Project) -> Vec<Cycle<'_>> {
    let services: Vec<&Service> = project.services.values().collect();
    let numbers: BTreeMap<&str, usize> =
        project.services.keys().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
    let waits_for = |service: &Service| -> Vec<(usize, Span)> {
        let all = service.depends_on.iter();
        all.filter_map(|(name, it)| Some((*numbers.get(name.as_str())?, it.span))).collect()
    };
    let waits: Vec<Vec<(usize, Span)>> = services.iter().map(|it| waits_for(it)).collect();
    let edges: Edges = waits.iter().map(|waits| waits.iter().map(|(target, _)| *target)).collect();
    let named = |cycle: Vec<Step>| {
        let names = cycle
            .iter()
            .map(|step| (services[step.vertex].name.as_str(), waits[step.vertex][step.edge].1));
        names.collect()
    };
    Cycles::new(&edges).map(named).collect()
}

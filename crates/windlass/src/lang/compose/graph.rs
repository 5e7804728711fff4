//! Which service waits for which.

use std::collections::BTreeMap;

use super::project::Project;
use crate::source::Span;

/// A cycle: each service with the place where it says that it waits for the next one.
pub type Cycle<'p> = Vec<(&'p str, Span)>;

/// One cycle for every service that is first met on one, in the order of names. Each service is
/// entered once, so that a large project takes no longer than its dependencies.
pub fn cycles(project: &Project) -> Vec<Cycle<'_>> {
    let mut state: BTreeMap<&str, bool> = BTreeMap::new();
    let mut cycles = Vec::new();
    for start in project.services.keys() {
        if state.contains_key(start.as_str()) {
            continue;
        }
        // A path of services, each with the dependencies that were not followed yet.
        let mut path: Vec<(&str, Vec<(&str, Span)>)> = Vec::new();
        let mut entered = vec![];
        state.insert(start, false);
        path.push((start, dependencies(project, start)));
        while let Some((name, open)) = path.last_mut() {
            let Some((next, span)) = open.pop() else {
                state.insert(name, true);
                path.pop();
                entered.pop();
                continue;
            };
            match state.get(next) {
                None => {
                    state.insert(next, false);
                    entered.push(span);
                    path.push((next, dependencies(project, next)));
                }
                Some(false) => {
                    let from = path.iter().position(|(name, _)| *name == next).unwrap_or(0);
                    let names = path[from..].iter().map(|(name, _)| *name);
                    let spans = entered[from..].iter().copied().chain([span]);
                    cycles.push(names.zip(spans).collect());
                }
                Some(true) => {}
            }
        }
    }
    cycles
}

/// What a service waits for, last name first, so that the first is taken first.
fn dependencies<'p>(project: &'p Project, name: &str) -> Vec<(&'p str, Span)> {
    let Some(service) = project.services.get(name) else { return Vec::new() };
    let known = service.depends_on.iter().rev();
    known
        .filter_map(|(other, dependency)| {
            let (other, _) = project.services.get_key_value(other)?;
            Some((other.as_str(), dependency.span))
        })
        .collect()
}

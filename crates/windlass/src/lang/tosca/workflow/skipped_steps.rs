//! What a run of a workflow passes over: the steps of a plan are what is done when nothing fails
//! and everything holds that a workflow asks for.

use super::super::model::{ActivityKind, Model};
use super::{DEEPEST, found, taken};

/// What of a workflow, and of those that stand in it, no run looks at; for people.
pub fn skipped_steps(model: &Model, name: Option<&str>) -> Vec<String> {
    let Some(service) = &model.service else { return Vec::new() };
    let mut all = Vec::new();
    let mut open: Vec<_> = found(service, name).into_iter().map(|it| (it, 0)).collect();
    while let Some((workflow, depth)) = open.pop() {
        if workflow.preconditions.as_ref().is_some_and(|it| !it.is_null()) {
            all.push("preconditions of the workflow are not asked for".to_owned());
        }
        let taken = taken(workflow);
        for (name, step) in workflow.steps.iter() {
            if !taken.contains(&*name.text) {
                all.push(format!("step `{}`, which follows a failure, is not run", name.text));
                continue;
            }
            if step.filter.as_ref().is_some_and(|it| !it.is_null()) {
                all.push(format!("the filter of step `{}` is taken to hold", name.text));
            }
            let given = step.activities.iter().filter(|it| it.inputs.iter().next().is_some());
            all.extend(given.map(|it| {
                let (of, step) = (&it.subject.text, &name.text);
                format!("the inputs that step `{step}` gives to `{of}` are not passed on")
            }));
            let inlined = step.activities.iter().filter(|it| it.kind == ActivityKind::Inline);
            let inlined = inlined.filter_map(|it| service.workflows.get(&it.subject.text));
            if depth < DEEPEST {
                open.extend(inlined.map(|inner| (inner, depth + 1)));
            }
        }
    }
    all.sort();
    all.dedup();
    all
}

//! What a workflow leaves to others that nothing describes: the whole cannot be judged then.

use super::super::model::{ActivityKind, Service, Workflow};
use super::{DEEPEST, is_woven};

/// The steps of a workflow, and of those that stand in it, that delegate to a workflow which is
/// none of the orchestrator's.
pub(super) fn steps(service: &Service, workflow: &Workflow) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![(workflow, 0)];
    while let Some((workflow, depth)) = open.pop() {
        for (step, activity) in workflow
            .steps
            .iter()
            .flat_map(|(name, step)| step.activities.iter().map(move |it| (&*name.text, it)))
        {
            let subject = &*activity.subject.text;
            match activity.kind {
                ActivityKind::Delegate if !is_woven(subject) => found.push(format!(
                    "what `{subject}` does, which `{step}` delegates to, is not known"
                )),
                ActivityKind::Inline if depth < DEEPEST => {
                    open.extend(service.workflows.get(subject).map(|inner| (inner, depth + 1)));
                }
                _ => {}
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

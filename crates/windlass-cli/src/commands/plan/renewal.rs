//! The question whose answer updates a stack of OpenStack Heat.

use std::path::Path;

use windlass::goal::GoalFile;
use windlass::goal::names::Ids;
use windlass::lang::hot::Stack;
use windlass::lang::hot::renew::{Renewal, renew};
use windlass::lifecycle::protocol::Element;
use windlass::plan::Plan;

use super::{PlanArgs, Request, goal_argument, upgrade};
use crate::failure::Failure;
use crate::load::{self, Loader};
use crate::output;

/// Puts both templates together. Without a state the old stack is there as a whole.
pub(super) fn request(
    args: &PlanArgs,
    loader: &Loader,
    old: &Path,
    new: &Stack,
) -> Result<Request, Failure> {
    let loaded = loader.application(old, args.lang.as_deref())?;
    let Some(before) = &loaded.stack else {
        let message = format!("`{}` is no template of OpenStack Heat", old.display());
        return Err(Failure::usage(message));
    };
    let state = args.state.as_deref().map(|path| loader.state(path, &loaded.application));
    let state = state.transpose()?;
    let exists = |name: &str| {
        let Some(state) = &state else { return true };
        let Some(node) = loaded.application.node_named(name) else { return false };
        let initial = loaded.application.protocol_of(node).map(|p| Element::State(p.initial));
        state.of_node(node).any(|(_, instance)| Some(instance.element) != initial)
    };
    let name = args.app.display().to_string();
    let both = renew(before, new, &name, exists);
    let list = |what: &str, names: &[String]| match names {
        [] => None,
        names => Some(format!("{what}: {}", names.join(", "))),
    };
    let Renewal { application, start, goal, updated, replaced, added, removed } = both;
    let words: Vec<String> = [
        list("updated in place", &updated),
        list("replaced", &replaced),
        list("added", &added),
        list("removed", &removed),
    ]
    .into_iter()
    .flatten()
    .collect();
    output::notice(&if words.is_empty() { "nothing changes".to_owned() } else { words.join("; ") });
    let known = load::instances(&application, &start, &Plan::default());
    let goal_argument = goal_argument(args, loader, &application, Ids::Creatable(&known))?;
    if let Some(folder) = &args.combined {
        upgrade::write(folder, &application, &start)?;
    }
    let goal = goal_argument.unwrap_or(GoalFile { goal, ..GoalFile::default() });
    Ok(Request {
        application,
        start,
        goal,
        known: None,
        rests_first: false,
        endless_waits: Vec::new(),
    })
}

//! The question whose answer leads from one version of an application to another.

use std::path::Path;

use windlass::application::{Application, GlobalState};
use windlass::goal::names::Ids;
use windlass::goal::{Amount, GoalFile, Want};
use windlass::lang::windlass as own;
use windlass::plan::Plan;
use windlass::synthesize::upgrade::{Upgrade, either_version, same_states, upgrade};
use windlass::tree::emit;

use super::{PlanArgs, Request, goal_argument};
use crate::failure::Failure;
use crate::load::{self, Loader};
use crate::{output, replace};

/// Puts both versions together, with a goal for all that changed.
pub(super) fn request(
    args: &PlanArgs,
    loader: &Loader,
    old: &Path,
    new: &Application,
    declared: Option<GoalFile>,
) -> Result<Request, Failure> {
    let (state, path) = (args.state.as_deref(), old);
    let Some(state) = state else {
        return Err(Failure::usage("--state says where the old version is"));
    };
    let old = loader.application(path, args.lang.as_deref())?.application;
    let state = loader.state(state, &old)?;
    let both = upgrade(&old, new, &state).map_err(|why| Failure::usage(why.to_string()))?;
    let known = load::instances(&both.application, &both.start, &Plan::default());
    let goal_argument = goal_argument(args, loader, &both.application, Ids::Creatable(&known))?;
    let mut goal = goal_argument.or(declared).unwrap_or_default();
    goal.goal = same_states(&both, &goal.goal).map_err(|id| {
        Failure::usage(format!("the new version has no state for `{id}` that is called the same"))
            .help("say with --goal where its node should be in the end")
    })?;
    goal = either_version(&both, &goal);
    means_the_new_version(&both, &goal);
    let list = |names: &[String]| match names {
        [] => "none".to_owned(),
        names => names.join(", "),
    };
    let (changed, removed) = (list(&both.changed), list(&both.removed));
    output::notice(&format!("nodes that changed: {changed}; no longer described: {removed}"));
    if !both.moved.is_empty() {
        let names: Vec<&str> = both.moved.values().map(String::as_str).collect();
        output::notice(&format!(
            "nodes that live in something else now, whose instances are removed and created again: {}",
            names.join(", ")
        ));
    }
    if let Some(folder) = &args.combined {
        write(folder, &both.application, &both.start)?;
    }
    let Upgrade { application, start, .. } = both;
    Ok(Request {
        application,
        start,
        goal,
        known: None,
        rests_first: false,
        endless_waits: Vec::new(),
    })
}

/// An invariant about all instances of a node that changed, and not about at least some of them,
/// can only mean the new version: no instance is in a state of it yet.
fn means_the_new_version(both: &Upgrade, file: &GoalFile) {
    let changed = |want: &Want| match want {
        Want::Node { node, amount: Amount::Wanted | Amount::Exactly(_), .. } => {
            let name = &both.application.node(*node).name;
            both.changed.contains(name).then_some(name)
        }
        _ => None,
    };
    if let Some(name) = file.always.iter().flat_map(|goal| &goal.wants).find_map(changed) {
        output::notice(&format!(
            "`always` speaks of all instances of `{name}`, which changed: it means the new version, \
             in which no instance is yet; with `*>=N` either version counts"
        ));
    }
}

/// Writes what the plan is about.
pub(super) fn write(
    folder: &Path,
    application: &Application,
    start: &GlobalState,
) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| Failure::file("create", folder, &error))?;
    let both = emit::yaml(&own::print(application, None));
    let state = emit::yaml(&own::print_state(application, start));
    for (name, text) in [("windlass.yaml", both), ("start.state.yaml", state)] {
        let path = folder.join(name);
        replace::write(&path, &text).map_err(|error| Failure::file("write", &path, &error))?;
    }
    Ok(())
}

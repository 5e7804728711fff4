//! An application of protocols, brought up in virtual time.

use std::path::Path;
use std::time::Duration;

use windlass::analyze;
use windlass::application::{Application, GlobalState};
use windlass::goal::GoalFile;
use windlass::lifecycle::Lifecycle;
use windlass::lifecycle::timing::Timing;
use windlass::prove;
use windlass::semantics::bring_up::BringUp;
use windlass::simulate::bring_up;
use windlass::simulate::planned::{self, Planned};

use crate::commands::prove::no_path;
use crate::failure::Failure;
use crate::load::{self, Loader};
use crate::output;

use super::SimulateArgs;

/// The assembly that brings an application up to what its file declares.
pub(super) fn assembly(
    application: &Application,
    declared: Option<&GoalFile>,
) -> Result<Application, Failure> {
    let start = analyze::wanted(application);
    let targets = declared.map(|declared| prove::targets(application, &start, &declared.goal).0);
    let system = BringUp::new(application, &start, &targets.unwrap_or_default())
        .map_err(|missing| no_path(application, &missing))?;
    let mut nets = bring_up::assembly(&system).map_err(|why| Failure::usage(why.to_string()))?;
    count_steps(&mut nets);
    Ok(nets)
}

/// The assembly that carries out a plan of an application.
pub(super) fn plan(
    args: &SimulateArgs,
    loader: &Loader,
    app: &Path,
) -> Result<Application, Failure> {
    let loaded = loader.application(app, args.lang.as_deref())?;
    let application = &loaded.application;
    if application.is_net() {
        return Err(Failure::usage(format!("`{}` is an assembly of nets", app.display()))
            .help("its own order is simulated without a plan: leave out `--app`"));
    }
    let start = match &args.state {
        Some(path) => loader.state(path, application)?,
        None => GlobalState::empty(),
    };
    let plan = loader.plan(&args.file, loaded.plan_context())?;
    load::fitting(application, &start, &plan)?;
    let Planned { mut assembly, is_counted } = planned::planned(application, &start, &plan);
    if is_counted {
        tell_counted(&mut assembly);
    }
    Ok(assembly)
}

/// Says that nothing was measured.
fn tell_counted(assembly: &mut Application) {
    assembly.deployment.durations_from = Some("counting one second for each operation".to_owned());
    output::notice(COUNTED);
}

const COUNTED: &str =
    "nothing says how long operations take, so each counts one second (see --set, --durations)";

/// Where nothing says how long anything takes, every operation counts one second, so that the time
/// is the number of steps in the longest chain.
fn count_steps(nets: &mut Application) {
    let mut actions: Vec<_> = nets
        .types
        .iter_mut()
        .filter_map(|kind| match &mut kind.lifecycle {
            Lifecycle::Net(net) => Some(net),
            Lifecycle::Protocol(_) => None,
        })
        .flat_map(|net| &mut net.transitions)
        .map(|transition| &mut transition.action.duration)
        .collect();
    if actions.is_empty() || actions.iter().any(|duration| duration.is_some()) {
        return;
    }
    for duration in &mut actions {
        **duration = Some(Timing::Fixed(Duration::from_secs(1)));
    }
    tell_counted(nets);
}

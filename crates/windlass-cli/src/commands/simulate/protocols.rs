//! An application of protocols, brought up in virtual time.

use std::time::Duration;

use windlass::application::Application;
use windlass::goal::GoalFile;
use windlass::lifecycle::Lifecycle;
use windlass::lifecycle::timing::Timing;
use windlass::prove;
use windlass::semantics::bring_up::BringUp;
use windlass::simulate::bring_up;
use windlass::survey;

use crate::commands::prove::no_way;
use crate::failure::Failure;
use crate::output;

/// The assembly that brings an application up to what its file declares.
pub(super) fn assembly(
    application: &Application,
    declared: Option<&GoalFile>,
) -> Result<Application, Failure> {
    let start = survey::wanted(application);
    let targets = declared.map(|declared| prove::targets(application, &start, &declared.goal).0);
    let system = BringUp::new(application, &start, &targets.unwrap_or_default())
        .map_err(|missing| no_way(application, &missing))?;
    let mut nets = bring_up::assembly(&system).map_err(|why| Failure::usage(why.to_string()))?;
    count_steps(&mut nets);
    Ok(nets)
}

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
    output::notice(
        "nothing says how long operations take, so each counts one second (see --set, --durations)",
    );
}

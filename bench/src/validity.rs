//! Tier T3 on the restart of paper 004 Fig. 4 with more stacks, and what symmetry saves.
//!
//! One stack is a container with a service inside. Every stack is replaced: the old container goes
//! with what it holds, a new one comes up, all stacks side by side with the restart of the web
//! page. The page waits for all new services, as in Fig. 4(b), so the plan is valid and the
//! search cannot stop early.

mod restart;

use windlass::analysis::validity::execution::{CompiledExecution, Execution};
use windlass::analysis::validity::explicit;
use windlass::explore::Options;
use windlass::plan::events::Events;
use windlass::semantics::replica::compiled::{Bindings, CompiledReplica};
use windlass::semantics::replica::{Action, Creation, Replica};
use windlass::system::{Limits, Unlimited};

use crate::case::{self, Case, Measurement, Work};
use restart::Restart;

/// How many stacks are replaced.
const STACKS: usize = 6;
/// The search of the rate stops after about this many configurations.
const CONFIGURATIONS: usize = 3_000_000;

/// Every case of this topic.
pub(crate) fn cases() -> Vec<Case> {
    vec![Case {
        name: format!("validity/explicit/restart-{STACKS}"),
        run: Box::new(|| search(STACKS, Some(CONFIGURATIONS))),
    }]
}

/// Runs the cases.
pub(crate) fn measure() -> Result<Vec<Measurement>, String> {
    let name = format!("validity/explicit/restart-{STACKS}");
    let sample = case::best(&name)?;
    Ok(vec![Measurement {
        name,
        value: sample.rate(),
        unit: "configurations/s",
        note: format!("{STACKS} stacks, the first {} configurations, one thread", sample.units),
    }])
}

/// Searches the configurations of the restart of `stacks` stacks.
fn search(stacks: usize, most: Option<usize>) -> Work {
    let Some(Restart { application, start, plan }) = restart::restart(stacks) else {
        return Work { units: 0, bytes: None };
    };
    let units = || {
        let mut replica = Replica::new(&application, start)?;
        replica.pool = Creation::planned(&application, &plan);
        let system = CompiledReplica::new(replica, Bindings::AwareOnly)?;
        let events = Events::new(&plan).ok()?;
        let actions: Option<Vec<Action>> = events
            .ids()
            .map(|event| Action::planned(&application, &plan, events.get(event)))
            .collect();
        let actions = actions?;
        let execution = Execution::new(&system, &events, |event| actions[event.index()].clone());
        let compiled = CompiledExecution::new(&execution);
        let options = Options { evidence_limit: 0, ..Options::default() };
        let decision = match most {
            Some(states) => {
                let mut limits = Limits { states, bytes: usize::MAX };
                explicit::decide_compiled(&compiled, &options, &mut limits)
            }
            None => explicit::decide_compiled(&compiled, &options, &mut Unlimited),
        };
        Some(decision.progress)
    };
    match units() {
        Some(progress) => {
            Work { units: progress.expanded as u64, bytes: Some(progress.bytes as u64) }
        }
        None => Work { units: 0, bytes: None },
    }
}

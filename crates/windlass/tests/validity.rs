//! The tiers of plan validity against the naive reference, on random plans.
//!
//! `WINDLASS_PLANS` sets how many plans are compared, `WINDLASS_SEED` where the numbers start.

#[path = "naive/mod.rs"]
mod naive;
mod support;

use support::prng::Prng;
use support::random::{self, Wild};
use windlass::analysis::validity::fault_free;
use windlass::application::{Application, GlobalState, Policy};
use windlass::lifecycle::protocol::Element;
use windlass::plan::Plan;
use windlass::plan::events::Events;
use windlass::plan::lives::Lives;
use windlass::plan::needs::{Possible, Scene};
use windlass::semantics::replica::Replica;

/// A number from the environment.
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// One random case: an application, a start state and a plan.
struct Case {
    application: Application,
    start: GlobalState,
    plan: Plan,
}

fn case(seed: u64, wild: Wild) -> Option<Case> {
    let mut prng = Prng::new(seed);
    let application = random::application(&mut prng, wild);
    let start = random::start(&mut prng, &application);
    let plan = {
        let mut replica = Replica::new(&application, start.clone())?;
        replica.pool = random::pool(&mut prng, &application);
        let length = prng.between(2, 6);
        random::plan(&mut prng, &replica, length)
    };
    Some(Case { application, start, plan })
}

#[test]
fn what_the_fault_free_tier_says_is_what_every_order_shows() {
    let first = setting("WINDLASS_SEED", 1);
    let (mut compared, mut always, mut sometimes, mut disordered) = (0, 0, 0, 0);
    for seed in first..first + setting("WINDLASS_PLANS", 300) {
        let Some(Case { application, start, plan }) = case(seed, Wild::default()) else { continue };
        let judged = naive::judge(&application, &start, &plan, Policy::Any, 4000);
        let Ok(Some(judged)) = judged else { continue };
        let events = Events::new(&plan).expect("random plans have no cycle");
        compared += 1;
        let Ok(lives) = Lives::new(&application, &start, &plan, &events) else {
            disordered += 1;
            assert_ne!(judged.verdict, naive::Verdict::Valid, "seed {seed}: T0a");
            continue;
        };
        if !lives.undefined.is_empty() {
            continue;
        }
        let possible = Possible::planned(&lives);
        let scene = Scene {
            application: &application,
            start: &start,
            events: &events,
            lives: &lives,
            possible: &possible,
        };
        // The reference counts a fault that an operation keeps until it ends; the tier counts it at
        // the end, and an operation that is under way at the start never ends by the plan.
        let resting = start.instances.values().all(|i| matches!(i.element, Element::State(_)));
        match fault_free::shortest_fault(&scene) {
            None => {
                always += 1;
                assert_eq!(judged.verdict, naive::Verdict::Valid, "seed {seed}");
                assert_eq!(judged.deterministic, Some(true), "seed {seed}");
                assert!(!resting || judged.shortest_fault.is_none(), "seed {seed}");
            }
            Some(fault) => {
                sometimes += 1;
                let naive = judged.shortest_fault.unwrap_or(usize::MAX);
                assert!(
                    !resting
                        || naive == fault.length
                        || naive + 1 == fault.length
                        || fault.length == 0,
                    "seed {seed}: the reference faults after {naive}, the tier says {fault:?}"
                );
            }
        }
    }
    println!("{compared} compared: {always} never, {sometimes} sometimes, {disordered} disordered");
    assert!(always * 10 > compared && sometimes * 10 > compared && disordered > 0);
}

//! One thread and several: the same result to the last byte.

use super::super::{Compiled, Derived, Options, Outcome, search, space};
use crate::system::example::{Event, Operations, Phase};
use crate::system::models::Philosophers;
use crate::system::{Evidence, Limits, Property, Unlimited};

const THREADS: [usize; 3] = [1, 2, 3];

fn options(threads: usize) -> Options {
    Options { threads, ..Options::default() }
}

fn same_for_all(ask: impl Fn(&Options) -> Outcome<Evidence<Vec<Phase>, Event>>) {
    let [one, two, three] = THREADS.map(|threads| ask(&options(threads)));
    assert_eq!(one, two);
    assert_eq!(one, three);
}

#[test]
fn same_verdict_trace_and_counts() {
    // 3^9 states: the layers in the middle are larger than several batches.
    let system = Operations::new(9);
    let form = Compiled(&system);
    for target in [0_u64, 0b10, 0x1_5555, 0x2_6666, 0x2_aaaa] {
        let differs = |encoded: &[u64]| encoded[0] != target;
        let equals = |encoded: &[u64]| encoded[0] == target;
        for property in [
            Property::Always(&differs as &(dyn Fn(&[u64]) -> bool + Sync)),
            Property::Reachable(&equals),
            Property::DeadlockFree(&equals),
            Property::Eventually(&equals),
        ] {
            same_for_all(|options| search(&form, property, options, &mut Unlimited));
            let limits = Limits { states: 6_000, bytes: 200_000 };
            same_for_all(|options| search(&form, property, options, &mut limits.clone()));
        }
    }
}

#[test]
fn same_numbers_for_all_states() {
    let system = Philosophers(11);
    let form = Derived(&system);
    let [one, two, three] = THREADS.map(|threads| {
        let Ok(all) = space(&form, &options(threads), &mut Unlimited) else { panic!("limit") };
        let edges: Vec<Vec<u32>> = all.states().map(|at| all.successors(at).to_vec()).collect();
        let states: Vec<_> = all.states().map(|at| all.decode(at)).collect();
        (states, edges, *all.progress())
    });
    assert_eq!(one.0.len(), 16_238);
    assert!(one == two && one == three);
}

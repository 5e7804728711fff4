//! State-space search beside stateright 0.31.
//!
//! Two questions. The same readable `step` under both searches: what does the search itself
//! cost? And the n-operations model in our compiled form beside the model that a user of
//! stateright would write by hand: what does the compiled form gain? Both sides check one
//! invariant in every state, so that neither may stop early, and both use one thread.
//! Ours compares states; stateright keeps fingerprints of 64 bits only.

mod peer;
mod philosophers;

use std::hash::Hash;

use windlass::explore::{self, Compiled, Derived, Options};
use windlass::system::example::{Operations, Phase};
use windlass::system::{Property, System, Unlimited, Verdict};

use crate::case::{self, Case, Measurement, Sample, Work};
use philosophers::Philosophers;

/// How many operations the readable model has: 3^10 states.
const READABLE: usize = 10;
/// How many operations the compiled model has: 3^12 and 3^13 states.
const COMPILED: [usize; 2] = [12, 13];
/// How many philosophers: 94,642 states.
const SEATS: usize = 13;

/// Every case of this topic.
pub(crate) fn cases() -> Vec<Case> {
    let case = |name: String, run: Box<dyn Fn() -> Work>| Case { name, run };
    let mut cases = vec![
        case(
            "search/readable/operations/windlass".into(),
            Box::new(|| derived(&Operations::new(READABLE), |state| state.len() == READABLE)),
        ),
        case(
            "search/readable/operations/stateright".into(),
            Box::new(|| {
                peer::same_step(Operations::new(READABLE), |state| state.len() == READABLE)
            }),
        ),
        case(
            "search/readable/philosophers/windlass".into(),
            Box::new(|| derived(&Philosophers(SEATS), |state| state.len() == SEATS)),
        ),
        case(
            "search/readable/philosophers/stateright".into(),
            Box::new(|| peer::same_step(Philosophers(SEATS), |state| state.len() == SEATS)),
        ),
    ];
    for count in COMPILED {
        let name = |side: &str| format!("search/compiled/operations-{count}/{side}");
        cases.push(case(name("windlass"), Box::new(move || compiled(count, 1))));
        cases.push(case(name("windlass-two-threads"), Box::new(move || compiled(count, 2))));
        cases.push(case(name("stateright"), Box::new(move || peer::by_hand(count))));
        cases.push(case(name("stateright-packed"), Box::new(move || peer::packed(count))));
    }
    cases
}

/// Runs the cases and says how the sides compare.
pub(crate) fn measure() -> Result<Vec<Measurement>, String> {
    let mut report = Vec::new();
    for (model, target) in [("operations", READABLE), ("philosophers", SEATS)] {
        let name = format!("search/readable/{model}");
        let ours = case::best(&format!("{name}/windlass"))?;
        let theirs = case::best(&format!("{name}/stateright"))?;
        let note = format!("{model} n={target}, {} states, the same `step` under both", ours.units);
        compare(&mut report, &name, "stateright", ours, theirs, &note);
    }
    for count in COMPILED {
        let name = format!("search/compiled/operations-{count}");
        let ours = case::best(&format!("{name}/windlass"))?;
        let theirs = case::best(&format!("{name}/stateright"))?;
        let packed = case::best(&format!("{name}/stateright-packed"))?;
        let one = case::quickest(&format!("{name}/windlass"))?;
        let two = case::quickest(&format!("{name}/windlass-two-threads"))?;
        let note = format!("n={count}, {} states; its model written by hand", ours.units);
        compare(&mut report, &name, "stateright", ours, theirs, &note);
        let note = "its model with the state packed by hand into one word".to_owned();
        compare_rates(&mut report, &name, "stateright-packed", ours, packed, &note);
        memory(&mut report, &name, ours, theirs);
        report.push(Measurement {
            name: format!("{name}/two-threads"),
            value: one.wall / two.wall,
            unit: "times faster by the clock",
            note: "same numbering, verdict and trace; means something only with two idle cores"
                .into(),
        });
    }
    Ok(report)
}

fn compare(
    report: &mut Vec<Measurement>,
    name: &str,
    side: &str,
    ours: Sample,
    theirs: Sample,
    note: &str,
) {
    report.push(Measurement {
        name: format!("{name}/windlass"),
        value: ours.rate(),
        unit: "states/s",
        note: note.to_owned(),
    });
    compare_rates(report, name, side, ours, theirs, note);
}

fn compare_rates(
    report: &mut Vec<Measurement>,
    name: &str,
    side: &str,
    ours: Sample,
    theirs: Sample,
    note: &str,
) {
    report.push(Measurement {
        name: format!("{name}/{side}"),
        value: theirs.rate(),
        unit: "states/s",
        note: note.to_owned(),
    });
    report.push(Measurement {
        name: format!("{name}/windlass over {side}"),
        value: ours.rate() / theirs.rate(),
        unit: "times",
        note: "CPU time, one thread, best of three".into(),
    });
}

fn memory(report: &mut Vec<Measurement>, name: &str, ours: Sample, theirs: Sample) {
    let each = |bytes: u64| bytes as f64 / ours.units as f64;
    report.push(Measurement {
        name: format!("{name}/windlass memory"),
        value: ours.bytes.map_or(0.0, each),
        unit: "bytes/state",
        note: "kept at the end: encoded state (8) + parent (4) + table; exact, states are compared"
            .into(),
    });
    report.push(Measurement {
        name: format!("{name}/windlass resident"),
        value: each(ours.peak),
        unit: "bytes/state",
        note: "peak of the process above its size before the search".into(),
    });
    report.push(Measurement {
        name: format!("{name}/stateright resident"),
        value: each(theirs.peak),
        unit: "bytes/state",
        note: "peak of the process; keeps 64-bit fingerprints, so states may be taken for others"
            .into(),
    });
}

fn derived<S>(system: &S, invariant: fn(&S::State) -> bool) -> Work
where
    S: System + Sync,
    S::State: Hash + Send + Sync,
{
    let outcome = explore::search(
        &Derived(system),
        Property::Always(&invariant),
        &Options { evidence_limit: 0, ..Options::default() },
        &mut Unlimited,
    );
    finished(outcome.verdict.holds(), outcome.progress.states, outcome.progress.bytes)
}

fn compiled(count: usize, threads: usize) -> Work {
    // No operation has the fourth, impossible phase.
    let sound = |encoded: &[u64]| encoded[0] & (encoded[0] >> 1) & 0x5555_5555_5555_5555 == 0;
    let outcome = explore::search(
        &Compiled(&Operations::new(count)),
        Property::Always(&sound),
        &Options { evidence_limit: 0, threads, ..Options::default() },
        &mut Unlimited,
    );
    let holds = matches!(outcome.verdict, Verdict::Holds(_));
    finished(holds, outcome.progress.states, outcome.progress.bytes)
}

/// The work of a search; a search that did not finish did none.
fn finished(holds: bool, states: usize, bytes: usize) -> Work {
    Work { units: if holds { states as u64 } else { 0 }, bytes: Some(bytes as u64) }
}

/// The phases that a user would write down for an operation.
type Phases = Vec<Phase>;

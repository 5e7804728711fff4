//! Tests of the naive reference itself: micro applications whose verdict is argued from the
//! papers, and the plans that paper 004 judges.

mod agreement;
mod atomic;
mod choices;
mod faults;
mod plans;
mod thinking;

use crate::naive;
use crate::naive::{Judgement, judge, judge_literally, text};
use windlass::application::Policy;

/// Judges a micro plan with and without memory; both must say the same.
fn judged_with(application: &str, start: &str, plan: &str, policy: Policy) -> Judgement {
    let application = text::application(application);
    let start = text::state(&application, start);
    let plan = text::plan(plan);
    let literal = judge_literally(&application, &start, &plan, policy);
    let judgement = judge(&application, &start, &plan, policy, 100_000);
    let (Ok(Some(judgement)), Ok(mut literal)) = (judgement, literal) else {
        panic!("refused or too big");
    };
    literal.configurations = judgement.configurations;
    assert_eq!(judgement, literal);
    judgement
}

/// The same with the default policy.
fn judged(application: &str, start: &str, plan: &str) -> Judgement {
    judged_with(application, start, plan, Policy::Any)
}

/// The instances of the final states as `id=state`, for each final state one line.
fn finals(judgement: &Judgement) -> Vec<String> {
    let mut lines: Vec<String> = judgement
        .finals
        .iter()
        .map(|state| {
            let places = state.active.iter().map(|(id, active)| match &active.place {
                naive::state::Place::In(name) => format!("{id}={name}"),
                naive::state::Place::Doing(at) => format!("{id}=#{at}"),
            });
            places.collect::<Vec<_>>().join(" ")
        })
        .collect();
    lines.sort();
    lines.dedup();
    lines
}

//! Checks that a run climbs its ladders to the goal, or that nothing can climb any further.

use std::fmt;

use crate::system::ladder::{Climb, Ladders, Premise, Rung};

/// What is wrong with a run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefusedClimb {
    /// The step with this number (from 0) cannot be taken.
    Blocked(usize),
    /// The rungs given are not those that the run leads to.
    OtherEnd,
    /// This object could go on.
    NotAnEnd(u32),
}

impl fmt::Display for RefusedClimb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blocked(step) => write!(f, "step {step} cannot be taken"),
            Self::OtherEnd => f.write_str("the run does not lead to the end given"),
            Self::NotAnEnd(object) => write!(f, "object {object} could go on"),
        }
    }
}

impl std::error::Error for RefusedClimb {}

/// Follows the run step by step; linear in what its steps look at.
pub fn check_climb(ladders: &Ladders, climb: &Climb) -> Result<(), RefusedClimb> {
    let mut rungs: Vec<Rung> = vec![0; ladders.objects.len()];
    let holds = |rungs: &[Rung], premise: &Premise| {
        let high = |(object, rung): &&(u32, Rung)| rungs[*object as usize] >= *rung;
        premise.all.iter().filter(high).count() as u32 >= premise.least
    };
    for (at, &object) in climb.run.iter().enumerate() {
        let ladder = ladders.objects.get(object as usize).ok_or(RefusedClimb::Blocked(at))?;
        let step = ladder.steps.get(rungs[object as usize] as usize);
        if !step.is_some_and(|premises| premises.iter().all(|premise| holds(&rungs, premise))) {
            return Err(RefusedClimb::Blocked(at));
        }
        rungs[object as usize] += 1;
    }
    if rungs != climb.rungs {
        return Err(RefusedClimb::OtherEnd);
    }
    for (at, ladder) in ladders.objects.iter().enumerate() {
        let step = ladder.steps.get(rungs[at] as usize);
        if step.is_some_and(|premises| premises.iter().all(|premise| holds(&rungs, premise))) {
            return Err(RefusedClimb::NotAnEnd(at as u32));
        }
    }
    Ok(())
}

//! Ladders: systems in which everything only ever climbs, and climbing never takes from others.
//!
//! Each object stands on a rung of its own ladder. A step takes it one rung up when its premises
//! hold, and every premise says "at least so many of these objects stand at least so high". A step
//! that can be taken can therefore be taken for as long as it is not taken: all maximal runs take
//! the same steps, so *one* run decides whether every run arrives. (Monotone, hence confluent.)

/// An object, by its place.
pub(crate) type ObjectIndex = u32;
/// A rung; 0 is where an object starts.
pub(crate) type Rung = u32;

/// A premise: at least `least` of `all` stand at least so high.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Premise {
    /// How many are needed.
    pub(crate) least: u32,
    /// The objects and the rungs that count.
    pub(crate) all: Vec<(ObjectIndex, Rung)>,
}

/// One object: the premises of each of its steps, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Ladder {
    /// Step `i` leads from rung `i` to rung `i + 1`.
    pub(crate) steps: Vec<Vec<Premise>>,
    /// The rung from which on the goal is reached for this object.
    pub(crate) goal: Rung,
}

/// Everything that climbs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ladders {
    /// The objects.
    pub(crate) objects: Vec<Ladder>,
}

/// What every maximal run comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Climb {
    /// The objects in the order in which they take their steps, one entry per step.
    pub(crate) run: Vec<ObjectIndex>,
    /// Where each object stands in the end.
    pub(crate) rungs: Vec<Rung>,
}

impl Climb {
    /// The objects that never get as high as the goal.
    pub fn below_goal<'a>(
        &'a self,
        ladders: &'a Ladders,
    ) -> impl Iterator<Item = ObjectIndex> + 'a {
        let objects = ladders.objects.iter().zip(&self.rungs).enumerate();
        objects.filter(|(_, (ladder, rung))| **rung < ladder.goal).map(|(at, _)| at as ObjectIndex)
    }
}

/// A premise that waits: the step that it belongs to and how many are still missing.
struct Waiting {
    step: u32,
    missing: u32,
}

impl Ladders {
    /// Climbs as far as possible, in time linear in the description.
    pub fn climb(&self) -> Climb {
        let first_step = self.first_steps();
        let steps = *first_step.last().unwrap_or(&0) as usize;
        let mut waiting: Vec<Waiting> = Vec::new();
        // How many premises of a step are missing.
        let mut missing = vec![0u32; steps];
        // Which premise looks at which rung: (global rung, premise).
        let mut looks: Vec<(u32, u32)> = Vec::new();
        for (object, ladder) in self.objects.iter().enumerate() {
            for (at, premises) in ladder.steps.iter().enumerate() {
                let step = first_step[object] + at as u32;
                for premise in premises {
                    let now = premise.all.iter().filter(|(_, rung)| *rung == 0).count() as u32;
                    if now >= premise.least {
                        continue;
                    }
                    missing[step as usize] += 1;
                    let id = waiting.len() as u32;
                    waiting.push(Waiting { step, missing: premise.least - now });
                    for &(other, rung) in &premise.all {
                        let rungs = self.objects[other as usize].steps.len() as u32;
                        if rung > 0 && rung <= rungs {
                            // Rung r is reached by step r - 1.
                            looks.push((first_step[other as usize] + rung - 1, id));
                        }
                    }
                }
            }
        }
        let lookers = Lookers::new(steps, &looks);
        drop(looks);
        let mut rungs = vec![0; self.objects.len()];
        let mut run = Vec::new();
        let owner = self.owners(steps);
        let can = |rungs: &[Rung], missing: &[u32], step: usize| {
            let object = owner[step] as usize;
            missing[step] == 0 && first_step[object] + rungs[object] == step as u32
        };
        let mut ready: std::collections::VecDeque<u32> =
            (0..steps as u32).filter(|step| can(&rungs, &missing, *step as usize)).collect();
        while let Some(step) = ready.pop_front() {
            let object = owner[step as usize] as usize;
            run.push(object as ObjectIndex);
            rungs[object] += 1;
            let next = step as usize + 1;
            if next < steps && owner[next] as usize == object && can(&rungs, &missing, next) {
                ready.push_back(next as u32);
            }
            for &premise in lookers.of(step) {
                let Waiting { step, missing: still } = &mut waiting[premise as usize];
                if *still == 0 {
                    continue;
                }
                *still -= 1;
                if *still == 0 {
                    missing[*step as usize] -= 1;
                    if can(&rungs, &missing, *step as usize) {
                        ready.push_back(*step);
                    }
                }
            }
        }
        Climb { run, rungs }
    }

    /// The number of the first step of each object, and of all steps at the end.
    fn first_steps(&self) -> Vec<u32> {
        let mut first = Vec::with_capacity(self.objects.len() + 1);
        let mut count = 0;
        for ladder in &self.objects {
            first.push(count);
            count += ladder.steps.len() as u32;
        }
        first.push(count);
        first
    }

    fn owners(&self, steps: usize) -> Vec<ObjectIndex> {
        let mut owners = Vec::with_capacity(steps);
        for (object, ladder) in self.objects.iter().enumerate() {
            owners.extend(std::iter::repeat_n(object as ObjectIndex, ladder.steps.len()));
        }
        owners
    }
}

/// The premises that look at each step, in one list.
struct Lookers {
    starts: Vec<u32>,
    premises: Vec<u32>,
}

impl Lookers {
    fn new(steps: usize, looks: &[(u32, u32)]) -> Self {
        let mut starts = vec![0u32; steps + 1];
        for (step, _) in looks {
            starts[*step as usize + 1] += 1;
        }
        for at in 0..steps {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut premises = vec![0; looks.len()];
        for &(step, premise) in looks {
            premises[next[step as usize] as usize] = premise;
            next[step as usize] += 1;
        }
        Self { starts, premises }
    }

    fn of(&self, step: u32) -> &[u32] {
        let (start, end) = (self.starts[step as usize], self.starts[step as usize + 1]);
        &self.premises[start as usize..end as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits_for(all: &[(ObjectIndex, Rung)], least: u32) -> Vec<Premise> {
        vec![Premise { least, all: all.to_vec() }]
    }

    #[test]
    fn who_waits_for_the_other_goes_second() {
        let objects = vec![
            Ladder { steps: vec![waits_for(&[(1, 1)], 1)], goal: 1 },
            Ladder { steps: vec![vec![]], goal: 1 },
        ];
        let ladders = Ladders { objects };
        let climb = ladders.climb();
        assert_eq!(climb.run, [1, 0]);
        assert_eq!(climb.below_goal(&ladders).count(), 0);
    }

    #[test]
    fn two_that_wait_for_each_other_stay() {
        let objects = vec![
            Ladder { steps: vec![waits_for(&[(1, 1)], 1)], goal: 1 },
            Ladder { steps: vec![waits_for(&[(0, 1)], 1)], goal: 1 },
        ];
        let ladders = Ladders { objects };
        let climb = ladders.climb();
        assert!(climb.run.is_empty());
        assert_eq!(climb.below_goal(&ladders).collect::<Vec<_>>(), [0, 1]);
    }

    #[test]
    fn one_of_two_is_enough_and_a_rung_that_is_not_there_is_never_reached() {
        let objects = vec![
            Ladder { steps: vec![waits_for(&[(1, 1), (2, 1)], 1)], goal: 1 },
            Ladder { steps: vec![vec![]], goal: 1 },
            Ladder { steps: vec![waits_for(&[(1, 5)], 1)], goal: 1 },
        ];
        let climb = Ladders { objects }.climb();
        assert_eq!(climb.rungs, [1, 1, 0]);
    }
}

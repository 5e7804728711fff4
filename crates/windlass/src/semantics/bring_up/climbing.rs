//! A bring-up as ladders, of which one run decides.

use super::BringUp;
use crate::lifecycle::protocol::CapabilityId;
use crate::system::ladder::{Ladder, Ladders, Premise, Rung};

impl BringUp<'_> {
    /// This bring-up as ladders; none when an instance stops offering something on its way up.
    ///
    /// An operation that may fail ends the ladder below its end: failing as soon as possible
    /// stops the most, so this gives a shortest run to where nothing can start any more.
    pub(crate) fn ladders(&self) -> Option<Ladders> {
        let mut objects = Vec::with_capacity(self.climbers.len());
        for at in 0..self.climbers.len() {
            let mut steps = Vec::new();
            for rung in 0..self.top(at) {
                if rung % 2 == 1 {
                    if self.can_fail(at, rung) {
                        break;
                    }
                    steps.push(Vec::new());
                    continue;
                }
                let mut premises = Vec::new();
                for requirement in self.needs(at, rung) {
                    premises.push(match self.providers(at, requirement) {
                        // Nothing is bound, so nothing ever offers.
                        None => Premise { least: 1, all: Vec::new() },
                        Some((all, capability, least)) => {
                            let all: Option<Vec<(u32, Rung)>> = all
                                .iter()
                                .map(|other| {
                                    Some((*other as u32, self.lowest(*other, capability)?))
                                })
                                .collect();
                            Premise { least, all: all? }
                        }
                    });
                }
                steps.push(premises);
            }
            objects.push(Ladder { steps, goal: self.top(at) });
        }
        Some(Ladders { objects })
    }

    /// The height from which on an instance offers a capability, if it then does so forever; one
    /// that does not exist when it never does.
    fn lowest(&self, climber: usize, capability: CapabilityId) -> Option<Rung> {
        let top = self.top(climber);
        let lowest = (0..=top).find(|rung| self.offers(climber, *rung, capability));
        let lowest = lowest.unwrap_or(top + 1);
        (lowest..=top).all(|rung| self.offers(climber, rung, capability)).then_some(lowest)
    }
}

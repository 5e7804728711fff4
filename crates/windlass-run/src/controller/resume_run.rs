//! Going on with the last run where it was interrupted, crashed or failed.

use std::collections::BTreeMap;
use std::path::Path;

use windlass::application::assembly::Assembly;
use windlass::simulate::Scenario;

use super::drive::Beginning;
use super::error::Error;
use super::{Controller, LastRun, Outcome, WorldKind, containers, machine, requirements};
use crate::entry::{Ending, OrderId, Purpose};
use crate::resume::Verdict;

/// What the operator says about actions in doubt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdicts {
    /// About each that is not named.
    pub others: Option<Verdict>,
    /// About these.
    pub named: BTreeMap<OrderId, Verdict>,
}

impl Verdicts {
    /// What is said about each of the orders that are under way.
    fn about(
        &self,
        under_way: impl Iterator<Item = OrderId>,
    ) -> Result<BTreeMap<OrderId, Verdict>, Error> {
        let mut named = self.named.clone();
        let mut known = BTreeMap::new();
        for order in under_way {
            let verdict = named.remove(&order).or(self.others);
            known.extend(verdict.map(|verdict| (order, verdict)));
        }
        match named.first_key_value() {
            Some((order, _)) => Err(Error::NotInDoubt(*order)),
            None => Ok(known),
        }
    }
}

impl Controller<'_> {
    /// The last run, if it can be gone on with.
    pub fn resumable_run(&self) -> Result<LastRun, Error> {
        let last = LastRun::read(&self.deployment)?
            .ok_or_else(|| Error::NeverUp { name: self.name.clone() })?;
        if last.world == WorldKind::Simulated {
            return Err(Error::Simulated);
        }
        match last.end.as_ref().filter(|_| last.is_over()) {
            Some(end) if end.ending == Ending::RolledBack => {
                Err(Error::RolledBack(end.why.clone()))
            }
            _ => Ok(last),
        }
    }

    /// Goes on with the last run. The file is where its description was read from, for messages.
    pub fn resume(
        &self,
        last: &LastRun,
        verdicts: &Verdicts,
        file: Option<&Path>,
    ) -> Result<Outcome, Error> {
        let verdicts = verdicts.about(last.under_way().into_keys())?;
        if last.purpose == Purpose::Up {
            let secrets = &self.settings.secrets;
            requirements::check(&last.application, secrets, file, last.world)?;
        }
        let stay = !self.settings.detach && last.purpose == Purpose::Up;
        let beginning = Beginning::Resumed { last, verdicts };
        let finish = if last.application.is_net() {
            let assembly = Assembly::new(&last.application)?;
            let scenario = Scenario::default();
            self.drive(last.net(&assembly, &scenario)?, beginning, stay)?
        } else {
            let mut machine = machine(&last.application, &last.start, last.goal.clone())?;
            machine.arrange(containers::arrangement(&self.deployment));
            self.drive(machine, beginning, stay)?
        };
        Ok(Outcome::Finished(finish))
    }
}

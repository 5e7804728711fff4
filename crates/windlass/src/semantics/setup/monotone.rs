//! When a topology only ever climbs: as [`Ladders`], of which one run decides.
//!
//! That is so when every type of object has one path through its states, and every premise, once
//! it holds, holds until the step that it is a premise of has been taken. A premise holds forever
//! when its states are the last ones of a path. It holds long enough when the other object cannot
//! leave these states before this one has gone on: R07 asks for a source that is `created`, and R02
//! lets no node start before R07 and R08 have been applied. A message that is taken counts as one
//! that stays when no other rule looks for it. What is not of this form is searched.

use std::collections::BTreeMap;

use super::{Apply, Object, Setup};
use crate::lifecycle::setup::{Guard, Kind, Local, Locals, MessageId, Quantifier, RuleId};
use crate::system::ladder::{Ladder, Ladders, Premise, Rung};

/// A topology as ladders, and the rule behind each step.
#[derive(Debug, Clone)]
pub struct Climbing {
    /// The ladders: nodes, then capabilities, then requirements.
    pub ladders: Ladders,
    /// The object of each ladder.
    pub(crate) objects: Vec<Object>,
    /// The rules of each path, step by step.
    rules_of_path: Vec<Vec<RuleId>>,
    /// The path of each object.
    path_of: Vec<usize>,
}

impl Climbing {
    /// The rule application behind a step of an object.
    pub(crate) fn apply(&self, object: u32, rung: Rung) -> Apply {
        let rules = &self.rules_of_path[self.path_of[object as usize]];
        Apply { rule: rules[rung as usize], object: self.objects[object as usize] }
    }
}

/// The only path of a type through its states: the rules, and the rung of each state.
struct StatePath {
    rules: Vec<RuleId>,
    rungs: BTreeMap<Local, Rung>,
}

/// The paths of all types, and which one each object takes.
struct StatePaths {
    all: Vec<StatePath>,
    of: Vec<usize>,
}

impl StatePaths {
    fn path(&self, object: u32) -> &StatePath {
        &self.all[self.of[object as usize]]
    }
}

/// A stretch of rungs: from the lowest to the highest, or to the end of the path. The lowest does
/// not exist when the stretch is empty.
struct Stretch {
    lowest: Rung,
    highest: Option<Rung>,
}

impl StatePath {
    /// The rungs whose states belong to `states`, when they lie together.
    fn stretch(&self, states: Locals) -> Option<Stretch> {
        let mut along: Vec<(Rung, bool)> =
            self.rungs.iter().map(|(state, rung)| (*rung, states.contains(*state))).collect();
        along.sort_unstable();
        let lowest = along.iter().position(|(_, inside)| *inside).unwrap_or(along.len());
        let inside = along[lowest..].iter().take_while(|(_, inside)| *inside).count();
        let rest = &along[lowest + inside..];
        let highest = (!rest.is_empty()).then(|| (lowest + inside) as Rung - 1);
        let together = rest.iter().all(|(_, inside)| !*inside);
        together.then_some(Stretch { lowest: lowest as Rung, highest })
    }

    /// The rung from which on the states belong to `states` forever.
    fn lowest(&self, states: Locals) -> Option<Rung> {
        self.stretch(states).filter(|stretch| stretch.highest.is_none()).map(|it| it.lowest)
    }
}

/// The object must not take a step before another one stands so high.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Duty {
    object: u32,
    step: Rung,
    other: u32,
    rung: Rung,
}

/// Whether every duty is a premise of the step that it is about.
fn are_kept(ladders: &[Ladder], mut duties: Vec<Duty>) -> bool {
    duties.sort_unstable();
    duties.dedup();
    // The needs of one step are sorted once, however many duties are about it.
    let mut needs: Vec<(u32, Rung)> = Vec::new();
    let mut about = None;
    duties.iter().all(|duty| {
        if about != Some((duty.object, duty.step)) {
            about = Some((duty.object, duty.step));
            let premises = ladders[duty.object as usize].steps.get(duty.step as usize);
            let whole = premises.into_iter().flatten().filter(|p| p.least as usize == p.all.len());
            needs = whole.flat_map(|premise| premise.all.iter().copied()).collect();
            needs.sort_unstable();
        }
        let from = needs.partition_point(|need| *need < (duty.other, duty.rung));
        needs.get(from).is_some_and(|(other, _)| *other == duty.other)
    })
}

impl Setup<'_> {
    /// This topology as ladders; none when something in it could be taken back.
    pub fn climbing(&self) -> Option<Climbing> {
        let objects: Vec<Object> = self.objects().collect();
        let mut paths: Vec<StatePath> = Vec::new();
        let mut known: BTreeMap<&[RuleId], usize> = BTreeMap::new();
        let mut path_of = Vec::with_capacity(objects.len());
        for object in &objects {
            let rules = self.rules_of(*object);
            let path = match known.get(rules) {
                Some(path) => *path,
                None => {
                    paths.push(self.state_path(rules)?);
                    known.insert(rules, paths.len() - 1);
                    paths.len() - 1
                }
            };
            path_of.push(path);
        }
        if !self.messages_stay(&objects) {
            return None;
        }
        let paths = StatePaths { all: paths, of: path_of };
        let mut ladders = Vec::with_capacity(objects.len());
        let mut duties = Vec::new();
        for (at, object) in objects.iter().enumerate() {
            let path = paths.path(at as u32);
            let mut steps = Vec::with_capacity(path.rules.len());
            for (step, rule) in path.rules.iter().enumerate() {
                let after = (at as u32, step as Rung + 1);
                steps.push(self.premises(*object, *rule, after, &paths, &mut duties)?);
            }
            let goal = match object.kind {
                Kind::Node => path.lowest(self.topology.rules.goal)?,
                _ => 0,
            };
            ladders.push(Ladder { steps, goal });
        }
        if !are_kept(&ladders, duties) {
            return None;
        }
        let StatePaths { all, of: path_of } = paths;
        let rules_of_path = all.into_iter().map(|path| path.rules).collect();
        Some(Climbing { ladders: Ladders { objects: ladders }, objects, rules_of_path, path_of })
    }

    /// The place of an object among all.
    fn place(&self, object: Object) -> u32 {
        let before = match object.kind {
            Kind::Node => 0,
            Kind::Capability => self.topology.nodes.len(),
            Kind::Requirement => self.topology.nodes.len() + self.topology.capabilities,
        };
        (before + object.at) as u32
    }

    /// The path from the initial state through the rules, if there is only one.
    fn state_path(&self, rules: &[RuleId]) -> Option<StatePath> {
        let mut path = StatePath { rules: Vec::new(), rungs: BTreeMap::from([(0, 0)]) };
        let mut state = 0;
        loop {
            let mut next = rules.iter().filter(|id| self.topology.rules.rule(**id).from == state);
            let Some(rule) = next.next() else { return Some(path) };
            if next.next().is_some() {
                return None;
            }
            state = self.topology.rules.rule(*rule).to;
            path.rules.push(*rule);
            if path.rungs.insert(state, path.rules.len() as Rung).is_some() {
                return None;
            }
        }
    }

    /// Whether no message that is taken is looked for by another object.
    fn messages_stay(&self, objects: &[Object]) -> bool {
        let mut takers: BTreeMap<(usize, MessageId), (u32, u32)> = BTreeMap::new();
        for object in objects {
            for id in self.rules_of(*object) {
                let rule = self.topology.rules.rule(*id);
                let capability = self.capability_of(*object);
                let mut look = |message: MessageId, takes: bool| {
                    let (looks, taken) = takers.entry((capability, message)).or_default();
                    *looks += 1;
                    *taken += u32::from(takes);
                };
                rule.consumes.into_iter().for_each(|message| look(message, true));
                for guard in &rule.guards {
                    if let Guard::Message(message) = guard {
                        look(*message, false);
                    }
                }
            }
        }
        takers.values().all(|(looks, taken)| *taken == 0 || *looks == 1)
    }

    /// What the step by which an object gets to `after` needs, and what others must not do before.
    fn premises(
        &self,
        object: Object,
        rule: RuleId,
        after: (u32, Rung),
        paths: &StatePaths,
        duties: &mut Vec<Duty>,
    ) -> Option<Vec<Premise>> {
        let rule = self.topology.rules.rule(rule);
        let mut premises = Vec::new();
        for guard in &rule.guards {
            if let Guard::Message(message) = guard {
                premises.push(self.sent(object, *message, paths));
                continue;
            }
            let (quantifier, states, seen) = self.looked_at(object, guard);
            let mut all = Vec::with_capacity(seen.len());
            for other in seen {
                let place = self.place(other);
                let Stretch { lowest, highest } = paths.path(place).stretch(states)?;
                let (other, rung) = after;
                duties.extend(highest.map(|step| Duty { object: place, step, other, rung }));
                all.push((place, lowest));
            }
            let least = match quantifier {
                Quantifier::All => all.len() as u32,
                Quantifier::Some => 1,
            };
            premises.push(Premise { least, all });
        }
        premises.extend(rule.consumes.map(|message| self.sent(object, message, paths)));
        Some(premises)
    }

    /// The message has been sent by then.
    fn sent(&self, object: Object, message: MessageId, paths: &StatePaths) -> Premise {
        let capability = Object { kind: Kind::Capability, at: self.capability_of(object) };
        let place = self.place(capability);
        let path = paths.path(place);
        let sends = |id: &RuleId| self.topology.rules.rule(*id).sends == Some(message);
        let rung = path.rules.iter().position(sends).unwrap_or(path.rules.len()) as Rung + 1;
        Premise { least: 1, all: vec![(place, rung)] }
    }
}

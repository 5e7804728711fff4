//! Numbers of instances, in every order that a plan allows.
//!
//! An invariant like `api=running*>=2` is a sum over events: each gains or loses some of what is
//! counted. The smallest sum over all closed sets of events is what a matching says: a loss that
//! comes after a gain of its own takes nothing away, and no more losses than the rest, all at
//! once, can come without their gains (the theorem of König). So no closed sets are listed, and
//! where an order lacks pairs, the pairs of the sequence say which edges make up for them.

use std::collections::BTreeMap;

use crate::application::{Application, GlobalState, InstanceId, NodeId};
use crate::goal::{self, Amount, Goal, GoalFile, Want};
use crate::lifecycle::protocol::{Element, StateId};
use crate::plan::events::EventId;
use crate::plan::lives::Life;

/// What is counted.
type Counted<'a> = dyn Fn(&InstanceId, NodeId, Element) -> bool + 'a;

/// A number that must not fall below a bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bound {
    /// What it is about, as in the goal file.
    pub(crate) about: String,
    /// So many losses may come without gains; less than none when the bound is broken at the start.
    slack: i64,
    /// An event for each time that it makes the number larger, in the order of the sequence.
    gains: Vec<EventId>,
    /// An event for each time that it makes the number smaller.
    losses: Vec<EventId>,
}

/// The instances that invariants look at.
pub(crate) struct Watched<'a> {
    /// Which application they belong to.
    pub(crate) application: &'a Application,
    /// Those to which something happens.
    pub(crate) lives: &'a [&'a Life],
    /// The others.
    pub(crate) rest: &'a GlobalState,
}

/// The invariants as bounds; none where one of them is no bound on a number.
pub(crate) fn bounds(watched: &Watched<'_>, file: &GoalFile) -> Option<Vec<Bound>> {
    let mut found = Vec::new();
    for goal in &file.always {
        let about = format!("always: {}", goal::print(goal, watched.application));
        for want in &goal.wants {
            watched.always(want, &about, &mut found);
        }
    }
    for goal in &file.never {
        let about = format!("never: {}", goal::print(goal, watched.application));
        found.push(watched.never(goal, &about)?);
    }
    for (node, most) in &file.budget {
        let about = format!("budget: {} {most}", watched.application.node(*node).name);
        found.push(watched.at_most(i64::from(*most), &about, &|_, of, _| of == *node));
    }
    Some(found)
}

impl Watched<'_> {
    /// A part of a goal that holds all along, as bounds.
    fn always(&self, want: &Want, about: &str, found: &mut Vec<Bound>) {
        match want {
            Want::Node { node, state, amount } => {
                let state = Element::State(*state);
                let there = |_: &InstanceId, of: NodeId, at: Element| of == *node && at == state;
                let elsewhere =
                    |_: &InstanceId, of: NodeId, at: Element| of == *node && at != state;
                let least = match amount {
                    Amount::Wanted => self.application.node(*node).count.max(1),
                    Amount::Exactly(number) | Amount::AtLeast(number) => *number,
                };
                found.push(self.at_least(i64::from(least), about, &there));
                if !matches!(amount, Amount::AtLeast(_)) {
                    found.push(self.at_most(0, about, &elsewhere));
                }
                if matches!(amount, Amount::Exactly(_)) {
                    found.push(self.at_most(i64::from(least), about, &there));
                }
            }
            Want::NodeIn { node, states, least } => {
                let is_there = in_one_of(*node, states);
                found.push(self.at_least(i64::from(*least), about, &is_there));
            }
            Want::NodeGone(node) => found.push(self.at_most(0, about, &|_, of, _| of == *node)),
            Want::Instance { instance, state } => {
                found.push(self.at_least(1, about, &self.one_in(instance, state)));
            }
            Want::InstanceGone(instance) => {
                found.push(self.at_most(0, about, &|id, _, _| id == instance));
            }
            Want::Capability(name) => found.push(self.at_least(1, about, &self.offers(name))),
        }
    }

    /// A goal that holds nowhere, as a bound: only where it has one part that counts in one way.
    fn never(&self, goal: &Goal, about: &str) -> Option<Bound> {
        let [want] = goal.wants.as_slice() else { return None };
        Some(match want {
            Want::Node { node, state, amount: Amount::AtLeast(number) } => {
                let is_there = in_one_of(*node, std::slice::from_ref(state));
                self.at_most(i64::from(*number) - 1, about, &is_there)
            }
            Want::Node { .. } => return None,
            Want::NodeIn { node, states, least } => {
                let is_there = in_one_of(*node, states);
                self.at_most(i64::from(*least) - 1, about, &is_there)
            }
            Want::NodeGone(node) => self.at_least(1, about, &|_, of, _| of == *node),
            Want::Instance { instance, state } => {
                self.at_most(0, about, &self.one_in(instance, state))
            }
            Want::InstanceGone(instance) => self.at_least(1, about, &|id, _, _| id == instance),
            Want::Capability(name) => self.at_most(0, about, &self.offers(name)),
        })
    }

    /// One instance in a state of this name.
    fn one_in(
        &self,
        instance: &InstanceId,
        state: &str,
    ) -> impl Fn(&InstanceId, NodeId, Element) -> bool {
        move |id, node, at| {
            let protocol = self.application.protocol_of(node);
            let wanted = protocol.and_then(|protocol| protocol.state_named(state));
            id == instance && wanted.is_some_and(|wanted| at == Element::State(wanted))
        }
    }

    /// The instances that offer a capability of this name.
    fn offers(&self, name: &str) -> impl Fn(&InstanceId, NodeId, Element) -> bool {
        move |_, node, at| {
            let component = self.application.type_of(node);
            let offered = component.protocol().map(|protocol| protocol.offers(at));
            let wanted = component.capability_named(name);
            offered.zip(wanted).is_some_and(|(offers, wanted)| offers.contains(&wanted))
        }
    }

    fn at_least(&self, least: i64, about: &str, counted: &Counted<'_>) -> Bound {
        let (base, changes) = self.changes(counted);
        let times = |change: i64| usize::try_from(change).unwrap_or(0);
        let repeat = |(event, change): (&EventId, i64)| std::iter::repeat_n(*event, times(change));
        Bound {
            about: about.to_owned(),
            slack: base - least,
            gains: changes
                .iter()
                .map(|(event, change)| (event, *change))
                .flat_map(repeat)
                .collect(),
            losses: changes
                .iter()
                .map(|(event, change)| (event, -change))
                .flat_map(repeat)
                .collect(),
        }
    }

    /// No more than so many: what is gained then is what is lost else.
    fn at_most(&self, most: i64, about: &str, counted: &Counted<'_>) -> Bound {
        let Bound { about, slack, gains, losses } = self.at_least(most, about, counted);
        Bound { about, slack: -slack, gains: losses, losses: gains }
    }

    /// The number at the start, and by how much each event changes it.
    fn changes(&self, counted: &Counted<'_>) -> (i64, BTreeMap<EventId, i64>) {
        let rest = self.rest.instances.iter();
        let there = rest.filter(|(id, i)| counted(id, i.node, i.element));
        let mut base: i64 = there.map(|_| 1).sum();
        let mut changes = BTreeMap::new();
        for life in self.lives {
            let mut before = 0;
            for stage in &life.stages {
                let is_counted = |at: Element| counted(&life.instance, life.node, at);
                let now = i64::from(stage.element.is_some_and(is_counted));
                match stage.enter {
                    None => base += now - before,
                    Some(event) => *changes.entry(event).or_insert(0) += now - before,
                }
                before = now;
            }
        }
        (base, changes)
    }
}

/// Instances of a node in one of some states.
fn in_one_of(node: NodeId, states: &[StateId]) -> impl Fn(&InstanceId, NodeId, Element) -> bool {
    move |_, of, at| of == node && states.iter().any(|state| at == Element::State(*state))
}

impl Bound {
    /// Whether it holds in every order. `precedes` says whether one event comes before another.
    pub(crate) fn holds(&self, precedes: &dyn Fn(EventId, EventId) -> bool) -> bool {
        self.slack >= 0 && Pairs::new(self).grow(precedes) <= self.slack
    }

    /// The pairs of events, the first before the second, that make it hold together with the order
    /// that there is; none when not even the sequence does. The number of an event is its time in
    /// the sequence.
    pub(crate) fn missing(
        &self,
        precedes: &dyn Fn(EventId, EventId) -> bool,
    ) -> Option<Vec<(EventId, EventId)>> {
        let mut pairs = Pairs::new(self);
        if pairs.grow(precedes) > self.slack && pairs.grow(&|gain, loss| gain < loss) > self.slack {
            return None;
        }
        let taken = pairs.taken.iter().enumerate();
        let taken =
            taken.filter_map(|(gain, loss)| Some((self.gains[gain], self.losses[(*loss)?])));
        Some(taken.filter(|(gain, loss)| !precedes(*gain, *loss)).collect())
    }
}

/// Losses with gains of their own.
struct Pairs<'a> {
    bound: &'a Bound,
    /// By gain, the loss that has it.
    taken: Vec<Option<usize>>,
    /// By loss, whether it has a gain.
    is_paired: Vec<bool>,
}

impl<'a> Pairs<'a> {
    fn new(bound: &'a Bound) -> Self {
        let (gains, losses) = (bound.gains.len(), bound.losses.len());
        Pairs { bound, taken: vec![None; gains], is_paired: vec![false; losses] }
    }

    /// Finds gains for more losses, the last ones first, until no more need any or can have any;
    /// says how many go without.
    fn grow(&mut self, may_have: &dyn Fn(EventId, EventId) -> bool) -> i64 {
        let mut without: i64 = self.is_paired.iter().map(|paired| i64::from(!*paired)).sum();
        for loss in (0..self.is_paired.len()).rev() {
            if without <= self.bound.slack {
                break;
            }
            if !self.is_paired[loss] && self.find(loss, may_have) {
                self.is_paired[loss] = true;
                without -= 1;
            }
        }
        without
    }

    /// Finds a gain for one loss; those that have one already may change to another. The nearest
    /// one is looked at first.
    fn find(&mut self, first: usize, may_have: &dyn Fn(EventId, EventId) -> bool) -> bool {
        let mut wanted_by: Vec<Option<usize>> = vec![None; self.taken.len()];
        let mut open = std::collections::VecDeque::from([first]);
        while let Some(loss) = open.pop_front() {
            for gain in (0..self.taken.len()).rev() {
                let is_new = wanted_by[gain].is_none();
                if !is_new || !may_have(self.bound.gains[gain], self.bound.losses[loss]) {
                    continue;
                }
                wanted_by[gain] = Some(loss);
                match self.taken[gain] {
                    Some(other) => open.push_back(other),
                    None => {
                        self.hand_over(gain, &wanted_by);
                        return true;
                    }
                }
            }
        }
        false
    }

    /// A free gain goes to the loss that found it, which leaves its own to the one before it.
    fn hand_over(&mut self, free: usize, wanted_by: &[Option<usize>]) {
        let mut next = Some(free);
        while let Some(gain) = next {
            let loss = wanted_by[gain];
            next = self.taken.iter().position(|taken| loss.is_some() && *taken == loss);
            self.taken[gain] = loss;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Events with what they change, and an order between them: bit `a` of `below[b]` when `a`
    /// comes before `b`.
    struct Small {
        changes: Vec<i64>,
        below: Vec<u32>,
        slack: i64,
    }

    impl Small {
        fn new(changes: Vec<i64>, edges: &[(usize, usize)], slack: i64) -> Self {
            let mut below = vec![0_u32; changes.len()];
            for b in 0..changes.len() {
                for (a, _) in edges.iter().filter(|(from, to)| *to == b && from < to) {
                    below[b] |= below[*a] | 1 << a;
                }
            }
            Small { changes, below, slack }
        }

        fn bound(&self) -> Bound {
            let repeated = |sign: i64| {
                let times = move |change: &i64| usize::try_from(sign * change).unwrap_or(0);
                let all = self.changes.iter().enumerate();
                let all = all.flat_map(move |(event, change)| {
                    std::iter::repeat_n(EventId(event as u32), times(change))
                });
                all.collect()
            };
            let about = String::new();
            Bound { about, slack: self.slack, gains: repeated(1), losses: repeated(-1) }
        }

        fn precedes(&self, a: EventId, b: EventId) -> bool {
            self.below[b.index()] >> a.0 & 1 == 1
        }

        /// The same question, of every closed set.
        fn holds(&self) -> bool {
            (0..1_u32 << self.changes.len()).all(|set| {
                let is_in = |event: usize| set >> event & 1 == 1;
                let events = || (0..self.changes.len()).filter(|event| is_in(*event));
                let is_closed = events().all(|event| self.below[event] & !set == 0);
                !is_closed
                    || self.slack + events().map(|event| self.changes[event]).sum::<i64>() >= 0
            })
        }

        /// Whether it holds in the sequence.
        fn holds_in_sequence(&self) -> bool {
            let mut now = self.slack;
            now >= 0
                && self.changes.iter().all(|change| {
                    now += change;
                    now >= 0
                })
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(crate::test_size::cases(512)))]
        #[test]
        fn a_matching_says_what_every_closed_set_says(
            changes in proptest::collection::vec(-2_i64..=2, 1..10),
            edges in proptest::collection::vec((0_usize..10, 0_usize..10), 0..16),
            slack in -1_i64..4,
        ) {
            let mut edges: Vec<_> = edges.into_iter().filter(|(_, to)| *to < changes.len()).collect();
            let small = Small::new(changes.clone(), &edges, slack);
            let precedes = |a, b| small.precedes(a, b);
            prop_assert_eq!(small.bound().holds(&precedes), small.holds());
            let missing = small.bound().missing(&precedes).filter(|_| slack >= 0);
            prop_assert_eq!(missing.is_some(), small.holds_in_sequence());
            if let Some(missing) = missing {
                prop_assert_eq!(missing.is_empty(), small.holds());
                edges.extend(missing.iter().map(|(a, b)| (a.index(), b.index())));
                prop_assert!(Small::new(changes, &edges, slack).holds());
            }
        }
    }
}

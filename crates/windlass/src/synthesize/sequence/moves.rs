//! What can be done in a state without any fault, for every choice of the policy.
//!
//! Moves are lifted: one for each kind of instance, never one for each instance. An operation is
//! one move, because a plan orders whole operations: an order is free of faults when every way of
//! performing its actions one after another is. The move is good when nothing faults while the
//! operation runs and nothing faults after it.
//!
//! Paper 004's planning graph has a vertex per global state and an arc per action; here a vertex
//! stands for all global states that differ only in which replica is which and in bindings that
//! decide nothing, and arcs that fault for some choice of the policy are left out.

use super::class::{Class, ClassId, Classes, Counts, Mapping, Mark, add};
use super::tables::{Tables, Way};
use super::target::{Census, Condition, Target};
use crate::lifecycle::protocol::{Arity, Sort};

/// A move, at a place of a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Move {
    /// The classes from the outermost inward; of a creation, the container.
    pub(crate) path: Vec<ClassId>,
    /// What is done there.
    pub(crate) kind: Kind,
}

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An operation, by the index of its transition.
    Operation(usize),
    /// A scale-in.
    Remove,
    /// A scale-out of a node, in a role.
    Create(usize, u32),
}

/// What a move does to the classes of instances, step by step: with it a path of moves can be
/// followed by instances that have names.
#[derive(Debug)]
pub(crate) enum Edit {
    /// Every class becomes another.
    Map(Mapping),
    /// The instance at the end of a path changes, and with it the classes along the path.
    Become {
        /// The classes before.
        path: Vec<ClassId>,
        /// The classes after.
        place: Vec<ClassId>,
    },
    /// The instance at the end of a path goes, with everything inside.
    Gone {
        /// The classes before.
        path: Vec<ClassId>,
        /// The classes of what it lived in.
        place: Vec<ClassId>,
    },
    /// An instance appears inside the one at the end of a path, or outside of everything.
    Born {
        /// The classes of its container before.
        path: Vec<ClassId>,
        /// The classes of its container after.
        place: Vec<ClassId>,
        /// Its class.
        class: ClassId,
        /// Its node.
        node: usize,
        /// Its role.
        role: u32,
    },
}

/// The world of moves.
#[derive(Debug)]
pub(crate) struct Moves<'a> {
    /// The application.
    pub(crate) tables: &'a Tables,
    /// What is to be reached.
    pub(crate) target: &'a Target,
    /// The most instances of each node.
    pub(crate) limits: Vec<u32>,
    /// The classes met so far.
    pub(crate) classes: Classes,
    /// Whether a move was left out that might have been possible.
    pub(crate) is_incomplete: bool,
    /// Whether nothing that is there may be removed, unless the goal says so.
    pub(crate) soft: bool,
    /// What the last move did.
    pub(crate) log: Vec<Edit>,
}

impl Moves<'_> {
    /// Every move that is worth a try; where it leads, and whether it does, is for
    /// [`Moves::perform`] to say.
    ///
    /// Paper: 004 Def. 4.6
    /// Deviation: only arcs that are free of faults for every choice, of whole operations, between
    /// classes of states (see the head of this file).
    pub(crate) fn candidates(&self, state: &Counts, census: &Census) -> Vec<Move> {
        let tables = self.tables;
        let mut found = Vec::new();
        let mut missing: Vec<Vec<u32>> = vec![Vec::new(); tables.nodes.len()];
        for (role, of) in self.target.roles.iter().enumerate().skip(1) {
            if !of.wanted_gone && (census.present(role as u32) as usize) < of.ids.len() {
                missing[of.node].push(role as u32);
            }
        }
        let creations = |path: &[ClassId], node: usize, found: &mut Vec<Move>| {
            let most = self.target.budget[node].unwrap_or(u32::MAX).min(self.limits[node]);
            if census.total[node] < most && !tables.nodes[node].homeless {
                let home = path.last().map(|home| self.classes.get(*home).mark.role);
                let is_at_home = |role: &u32| {
                    let wanted = self.target.roles[*role as usize].home;
                    wanted.is_none() || wanted == home
                };
                let missing = missing[node].iter().copied().filter(is_at_home);
                let roles = std::iter::once(0).chain(missing);
                let kinds = roles.map(|role| Kind::Create(node, role));
                found.extend(kinds.map(|kind| Move { path: path.to_vec(), kind }));
            }
        };
        if !tables.atomic {
            let outermost = |node: &usize| tables.nodes[*node].home.is_none();
            for node in (0..tables.nodes.len()).filter(outermost) {
                creations(&[], node, &mut found);
            }
        }
        for path in self.classes.paths(state) {
            let Some(class) = path.last().map(|last| self.classes.get(*last)) else { continue };
            if !tables.atomic {
                for inner in &tables.nodes[class.node].inside {
                    creations(&path, *inner, &mut found);
                }
                found.push(Move { path: path.clone(), kind: Kind::Remove });
            }
            if class.mark.stuck || self.target.roles[class.mark.role as usize].kept {
                continue;
            }
            let ways = &tables.nodes[class.node].ways;
            let here = || ways.iter().enumerate().filter(|(_, w)| w.from == class.element);
            for (at, way) in here() {
                // Alternatives are looked at together, with the first of them.
                let first = here().find(|(_, w)| w.operation == way.operation);
                if first.is_some_and(|(first, _)| first == at) {
                    found.push(Move { path: path.clone(), kind: Kind::Operation(at) });
                }
            }
        }
        found
    }

    /// Whether a look at what is offered shows that a move fails: it needs what nothing offers.
    pub(crate) fn cannot_succeed(&self, census: &Census, step: &Move) -> bool {
        let Kind::Operation(at) = step.kind else { return false };
        let Some(class) = step.path.last().map(|last| self.classes.get(*last)) else {
            return false;
        };
        let (node, tables) = (class.node, self.tables);
        let way = &tables.nodes[node].ways[at];
        let missing = |element: usize| {
            tables.row(node, element).needs.iter().any(|requirement| {
                let declared = &tables.nodes[node].requirements[*requirement];
                // What changes may be its own provider, or one of all.
                let by_others = declared.target.is_none_or(|(provider, _)| provider != node)
                    && declared.sort != Sort::Containment;
                by_others && !self.is_offered(census, node, *requirement)
            })
        };
        let ways = &tables.nodes[node].ways;
        let same = |other: &&Way| other.from == way.from && other.operation == way.operation;
        ways.iter().filter(same).all(|way| missing(way.element) || missing(way.to))
    }

    /// Where one move leads, with its edits in the log.
    pub(crate) fn perform(&mut self, state: &Counts, step: &Move) -> Option<Counts> {
        match step.kind {
            Kind::Operation(at) => {
                let node = self.classes.get(*step.path.last()?).node;
                let ways = &self.tables.nodes[node].ways;
                let same =
                    |way: &&Way| way.from == ways[at].from && way.operation == ways[at].operation;
                let alternatives: Vec<&Way> = ways.iter().filter(same).collect();
                self.whichever(state, &step.path, &alternatives)
            }
            Kind::Remove => self.remove(state, &step.path),
            Kind::Create(node, role) => self.create(state, &step.path, node, role),
        }
    }

    /// Counts a state.
    pub(crate) fn census(&self, state: &Counts) -> Census {
        Census::new(self.tables, self.target, &self.classes, state)
    }

    /// Which one of several transitions for one operation is taken cannot be chosen: a plan
    /// counts on the operation only when all lead to the same state. In 003 those are taken that
    /// are satisfied.
    fn whichever(
        &mut self,
        state: &Counts,
        path: &[ClassId],
        alternatives: &[&Way],
    ) -> Option<Counts> {
        let mut ends: Vec<Option<Counts>> = Vec::new();
        for way in alternatives {
            if !self.tables.atomic || self.starts(state, path, way) {
                ends.push(self.operate(state, path, way));
            }
        }
        let first = ends.first()?.clone();
        if ends.iter().any(|end| *end != first) {
            self.is_incomplete = true;
            return None;
        }
        first
    }

    /// Whether the needs of a transition of 003 are satisfied.
    fn starts(&self, state: &Counts, path: &[ClassId], way: &Way) -> bool {
        let Some(node) = path.last().map(|last| self.classes.get(*last).node) else {
            return false;
        };
        let census = self.census(state);
        let row = self.tables.row(node, way.element);
        row.needs.iter().all(|r| self.is_offered(&census, node, *r))
    }

    /// Where an operation leads; none when something would fault.
    fn operate(&mut self, state: &Counts, path: &[ClassId], way: &Way) -> Option<Counts> {
        if self.tables.atomic {
            if !self.starts(state, path, way) {
                return None;
            }
            self.log.clear();
            let (after, _) = self.enter(state, path, way.to)?;
            return self.is_good(&after).then_some(after);
        }
        self.log.clear();
        let (during, place) = self.enter(state, path, way.element)?;
        if !self.is_good(&during) {
            return None;
        }
        let (after, _) = self.enter(&during, &place, way.to)?;
        self.is_good(&after).then_some(after)
    }

    /// Where a scale-in leads; none when something would fault or may not go.
    pub(crate) fn remove(&mut self, state: &Counts, path: &[ClassId]) -> Option<Counts> {
        let going: Counts = vec![(*path.last()?, 1)];
        let (mut groups, mut is_kept) = (0_u64, false);
        self.classes.visit(&going, &mut |class, _, _, _| {
            groups |= class.groups;
            is_kept |= self.target.roles[class.mark.role as usize].kept;
            is_kept |= self.soft && !self.may_go(class);
        });
        if is_kept {
            return None;
        }
        let place = self.classes.rebuilt(path, None);
        let after = Classes::replaced(state, path, &place);
        if groups & self.relied_on(&after) != 0 {
            return None;
        }
        self.log.clear();
        self.log.push(Edit::Gone { path: path.to_vec(), place });
        let (after, _) = self.forget(&after, &[]);
        self.is_good(&after).then_some(after)
    }

    /// Whether an instance goes even when everything is to stay: support that was created, what
    /// the goal wants gone, and what cannot do anything else.
    fn may_go(&self, class: &Class) -> bool {
        let gone = |condition: &Condition| matches!(condition, Condition::NodeGone(_));
        class.mark.created
            || class.mark.stuck
            || self.target.roles[class.mark.role as usize].wanted_gone
            || self.target.about(class.node).any(gone)
    }

    fn create(
        &mut self,
        state: &Counts,
        path: &[ClassId],
        node: usize,
        role: u32,
    ) -> Option<Counts> {
        self.log.clear();
        let element = self.tables.nodes[node].initial;
        let needed = self.tables.row(node, element).needs.clone();
        let (state, path, pins) = self.bind(state, path, node, &needed)?;
        let created = role == 0 && !self.target.named[node];
        let mark = Mark { role, created, stuck: false };
        let born = Class { node, element, mark, pins, groups: 0, children: Counts::new() };
        let born = self.classes.number(born);
        let mut place = Vec::new();
        let after = match path.last() {
            None => {
                let mut after = state;
                add(&mut after, born);
                after
            }
            Some(last) => {
                let mut home = self.classes.get(*last).clone();
                add(&mut home.children, born);
                let home = self.classes.number(home);
                place = self.classes.rebuilt(&path, Some(home));
                Classes::replaced(&state, &path, &place)
            }
        };
        self.log.push(Edit::Born { path, place, class: born, node, role });
        self.is_good(&after).then_some(after)
    }

    /// The instance at `path` in another element, with its replica-aware needs bound; none when
    /// one cannot be.
    fn enter(
        &mut self,
        state: &Counts,
        path: &[ClassId],
        element: usize,
    ) -> Option<(Counts, Vec<ClassId>)> {
        let class = self.classes.get(*path.last()?).clone();
        let tables = self.tables;
        let fresh: Vec<usize> = tables
            .row(class.node, element)
            .needs
            .iter()
            .copied()
            .filter(|r| !tables.needs(class.node, class.element, *r))
            .collect();
        let (state, path, fresh) = self.bind(state, path, class.node, &fresh)?;
        let mut class = self.classes.get(*path.last()?).clone();
        class.element = element;
        class.pins.retain(|(r, _)| tables.needs(class.node, element, *r));
        class.pins.extend(fresh);
        class.pins.sort_unstable();
        let new = self.classes.number(class);
        let place = self.classes.rebuilt(&path, Some(new));
        let after = Classes::replaced(&state, &path, &place);
        self.log.push(Edit::Become { path, place: place.clone() });
        Some(self.forget(&after, &place))
    }

    /// Binds requirements of an instance of `node`: the replica-aware ones to the group of all
    /// that offer now. The groups are marked in the state; none when nothing offers.
    #[expect(clippy::type_complexity, reason = "the state, the place in it, and the new pins")]
    fn bind(
        &mut self,
        state: &Counts,
        path: &[ClassId],
        node: usize,
        requirements: &[usize],
    ) -> Option<(Counts, Vec<ClassId>, Vec<(usize, u32)>)> {
        let (mut state, mut path, mut pins) = (state.clone(), path.to_vec(), Vec::new());
        for requirement in requirements {
            let declared = &self.tables.nodes[node].requirements[*requirement];
            if declared.sort != Sort::ReplicaAware {
                continue;
            }
            let (provider, capability) = declared.target?;
            let census = self.census(&state);
            if !self.is_offered(&census, node, *requirement) {
                return None;
            }
            let group = self.group(&state, provider, capability)?;
            let tables = self.tables;
            let (after, mapping) = self.classes.mapped(&state, &mut |class| {
                let member =
                    class.node == provider && tables.offers(provider, class.element, capability);
                let groups = if member { class.groups | 1 << group } else { class.groups };
                (class.pins.clone(), groups)
            });
            state = after;
            path = mapping.path(&path);
            self.log.push(Edit::Map(mapping));
            pins.push((*requirement, group));
        }
        Some((state, path, pins))
    }

    /// The number of the group of all instances that offer now: one in use with the same members,
    /// else a free one.
    fn group(&mut self, state: &Counts, node: usize, capability: usize) -> Option<u32> {
        let (mut used, mut all, mut some_other) = (0_u64, u64::MAX, 0_u64);
        let tables = self.tables;
        self.classes.visit(state, &mut |class, _, _, _| {
            used |= class.groups;
            if class.node == node && tables.offers(node, class.element, capability) {
                all &= class.groups;
            } else {
                some_other |= class.groups;
            }
        });
        let same = all & !some_other & used;
        let number = if same != 0 { same.trailing_zeros() } else { (!used).trailing_zeros() };
        if number >= u64::BITS {
            self.is_incomplete = true;
            return None;
        }
        Some(number)
    }

    /// The groups that an instance relies on, as bits.
    fn relied_on(&self, state: &Counts) -> u64 {
        let mut groups = 0_u64;
        self.classes.visit(state, &mut |class, _, _, _| {
            for (_, group) in &class.pins {
                groups |= 1 << group;
            }
        });
        groups
    }

    /// Forgets the groups that nothing relies on.
    fn forget(&mut self, state: &Counts, path: &[ClassId]) -> (Counts, Vec<ClassId>) {
        let live = self.relied_on(state);
        let mut used = 0_u64;
        self.classes.visit(state, &mut |class, _, _, _| used |= class.groups);
        if used & !live == 0 {
            return (state.clone(), path.to_vec());
        }
        let (state, mapping) =
            self.classes.mapped(state, &mut |class| (class.pins.clone(), class.groups & live));
        let path = mapping.path(path);
        self.log.push(Edit::Map(mapping));
        (state, path)
    }

    /// Whether enough instances offer what a requirement is bound to.
    fn is_offered(&self, census: &Census, node: usize, requirement: usize) -> bool {
        let declared = &self.tables.nodes[node].requirements[requirement];
        let Some((provider, capability)) = declared.target else { return false };
        let offering = census.offering(self.tables, provider, capability);
        match declared.arity {
            Arity::Any => offering > 0,
            Arity::AtLeast(least) => offering >= least.max(1),
            Arity::All => {
                let existing = census.total[provider];
                existing >= self.tables.nodes[provider].wanted && offering == existing
            }
        }
    }

    /// Whether nothing faults in a state and it is allowed on the way.
    pub(crate) fn is_good(&self, state: &Counts) -> bool {
        let census = self.census(state);
        if !self.target.allows(self.tables, &census) {
            return false;
        }
        let mut is_good = true;
        self.classes.visit(state, &mut |class, _, _, home| {
            is_good = is_good && self.is_content(state, &census, class, home);
        });
        is_good
    }

    /// Whether every need of an instance is satisfied. One that is stuck in an operation shows no
    /// fault, because its operation never ends.
    fn is_content(
        &self,
        state: &Counts,
        census: &Census,
        class: &Class,
        home: Option<&Class>,
    ) -> bool {
        if class.mark.stuck {
            return true;
        }
        let node = &self.tables.nodes[class.node];
        self.tables.row(class.node, class.element).needs.iter().all(|requirement| {
            let declared = &node.requirements[*requirement];
            let Some((provider, capability)) = declared.target else { return false };
            match declared.sort {
                Sort::Containment => home.is_some_and(|home| {
                    home.node == provider && self.tables.offers(provider, home.element, capability)
                }),
                Sort::ReplicaUnaware => self.is_offered(census, class.node, *requirement),
                // Who relies on all of them relies on no one in particular.
                Sort::ReplicaAware if declared.arity == Arity::All => {
                    self.is_offered(census, class.node, *requirement)
                }
                Sort::ReplicaAware => {
                    let pin = class.pins.iter().find(|(r, _)| r == requirement);
                    pin.is_some_and(|(_, group)| self.holds_on(state, provider, capability, *group))
                }
            }
        })
    }

    /// Whether every member of a group offers a capability.
    fn holds_on(&self, state: &Counts, provider: usize, capability: usize, group: u32) -> bool {
        let mut holds = true;
        self.classes.visit(state, &mut |class, _, _, _| {
            if class.node == provider {
                let member = class.groups >> group & 1 == 1;
                let offers = self.tables.offers(provider, class.element, capability);
                holds = holds && (offers || !member);
            }
        });
        holds
    }

    /// Whether a state is what is wanted: the goal holds, and nothing is left behind that was
    /// created for support and could be taken away again.
    pub(crate) fn is_goal(&mut self, state: &Counts) -> bool {
        let census = self.census(state);
        if !self.target.holds(self.tables, &census, &self.target.goal) {
            return false;
        }
        let mut is_closed = true;
        let mut has_support = false;
        self.classes.visit(state, &mut |class, _, _, _| {
            let role = &self.target.roles[class.mark.role as usize];
            let called = self.target.named[class.node] || role.state.is_some() || role.wanted_gone;
            is_closed = is_closed && called;
            has_support |= class.mark.created;
        });
        if self.target.exact && !is_closed {
            return false;
        }
        if !has_support {
            return true;
        }
        for path in self.classes.paths(state) {
            let created = path.last().is_some_and(|last| self.classes.get(*last).mark.created);
            if created && let Some(without) = self.remove(state, &path) {
                let census = self.census(&without);
                if self.target.holds(self.tables, &census, &self.target.goal) {
                    return false;
                }
            }
        }
        true
    }
}

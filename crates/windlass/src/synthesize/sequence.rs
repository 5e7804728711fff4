//! Plan synthesis (paper 004 section 4.3): a plan from a state to a goal, as good as possible.
//!
//! | file | idea |
//! |---|---|
//! | `tables.rs` | the application as small tables |
//! | `class.rs` | replicas that can stand for each other; states as counts |
//! | `target.rs` | goals, invariants and roles by number |
//! | `support.rs` | how many instances a plan can ever need |
//! | `moves.rs` | what can be done without a fault, lifted |
//! | `relaxed.rs` | what can be reached at all, and why not |
//! | `conflict.rs` | goals that no state satisfies |
//! | `distance.rs`, `estimate.rs` | a lower bound for what is left to do |
//! | `direct_plan.rs` | many nodes, each on its own way: no search |
//! | `search.rs` | best first |
//! | `lower_bound.rs` | how far a global state is from the goal |
//! | `names.rs` | instances with names, from classes back to actions |
//! | `reasons.rs`, `order.rs` | from a sequence to an order with a reason for every edge |
//! | `invariants.rs` | whether invariants hold in every order that a plan allows |
//! | `schedule.rs` | how long a plan takes and what it costs |
//! | `earliest.rs`, `bounds.rs` | how long a plan takes and what it costs at least |
//!
//! Nothing here knows a relation of `semantics`; the caller verifies the result.

pub(crate) mod bounds;
pub(crate) mod class;
pub(crate) mod conflict;
pub mod direct_plan;
pub mod distance;
pub(crate) mod earliest;
pub(crate) mod estimate;
pub(crate) mod lower_bound;
pub(crate) mod moves;
pub(crate) mod names;
pub mod relaxed;
pub(crate) mod search;
pub mod support;
pub mod tables;
pub(crate) mod target;

use self::class::{Classes, Counts};
use self::distance::Weights;
use self::estimate::Estimate;
use self::moves::Moves;
use self::names::NamedInstances;
use self::relaxed::Relaxed;
use self::search::{Found, Patience};
use self::tables::Tables;
use self::target::{Condition, Target};
use crate::application::{Application, GlobalState, InstanceId, Policy};
use crate::goal::GoalFile;
use crate::goal::evaluate::Closure;
use crate::plan::PlanAction;
use crate::system::{Budget, StopReason};

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// The description.
    pub application: &'a Application,
    /// Where the plan starts.
    pub start: &'a GlobalState,
    /// What it has to reach, and what has to hold on the way.
    pub goal: &'a GoalFile,
    /// Whether the goal closes the rest of the application.
    pub closure: Closure,
    /// Another state in which instances have names that the goal may use.
    pub known: Option<&'a GlobalState>,
    /// Whether to go on until the plan is proven to be the best, however long that takes.
    pub prove: bool,
    /// Whether nothing that is there may be removed, unless the goal says so.
    pub soft: bool,
}

/// What came out.
#[derive(Debug, Clone)]
pub enum Sequence {
    /// The actions of a plan, one after another.
    Found {
        /// The actions.
        actions: Vec<PlanAction>,
        /// What they cost.
        cost: u64,
        /// No plan costs less.
        bound: u64,
        /// Why the search for a better one ended early.
        stopped: Option<StopReason>,
        /// States looked at.
        states: usize,
    },
    /// There is no plan.
    Unreachable {
        /// Why.
        because: UnreachableReason,
        /// States looked at.
        states: usize,
    },
    /// Nothing was found before a limit was reached.
    Unknown {
        /// Which limit.
        stopped: StopReason,
        /// No plan costs less.
        bound: u64,
        /// States looked at.
        states: usize,
    },
}

/// Why there is no plan.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnreachableReason {
    /// A state of a node cannot be reached, whatever else happens; the chain of reasons.
    State {
        /// The node.
        node: usize,
        /// The state.
        state: usize,
        /// The reasons.
        reasons: Vec<relaxed::Reason>,
    },
    /// A capability that the goal wants cannot be offered by any node; for one of the nodes that
    /// could, the chain of reasons.
    Capability {
        /// The node.
        node: usize,
        /// The capability.
        capability: usize,
        /// The reasons.
        reasons: Vec<relaxed::Reason>,
    },
    /// The goal wants an instance whose node is unknown.
    UnknownInstance(InstanceId),
    /// The start does not satisfy the invariants.
    StartNotAllowed,
    /// No state satisfies the goal and the invariants at once.
    Contradiction,
    /// Everything was looked at, and what can be reached is not what is wanted.
    Searched,
}

/// Everything that one question needs.
#[derive(Debug)]
pub struct PlanningContext<'a> {
    /// What is asked.
    pub(crate) task: Task<'a>,
    /// The tables.
    pub tables: Tables,
    /// The goal by number.
    pub(crate) target: Target,
}

impl<'a> PlanningContext<'a> {
    /// Prepares a question; none when the application has nets.
    pub fn new(task: Task<'a>) -> Option<Self> {
        let tables = Tables::new(task.application)?;
        let target = Target::new(&tables, &task);
        Some(PlanningContext { task, tables, target })
    }

    /// Looks for the cheapest sequence.
    pub fn sequence(&self, weights: &Weights, budget: &mut dyn Budget) -> Sequence {
        if let Some(id) = self.target.unknown.first() {
            let because = UnreachableReason::UnknownInstance(id.clone());
            return Sequence::Unreachable { because, states: 0 };
        }
        if self.tables.nodes.len() > FEW_NODES
            && let Some((actions, cost)) = direct_plan::direct_plan(self, weights)
        {
            let states = actions.len() + 1;
            return Sequence::Found { actions, cost, bound: cost, stopped: None, states };
        }
        if conflict::is_contradictory(&self.tables, &self.target, self.task.start) {
            return Sequence::Unreachable { because: UnreachableReason::Contradiction, states: 0 };
        }
        let mut moves = self.moves();
        let (named_instances, start) = NamedInstances::new(&mut moves, self.task.start);
        moves.limits = support::limits(&self.tables, &self.given(&moves, &start));
        let relaxed = self.relaxed(&moves, &start);
        if let Some(because) = self.out_of_reach(&relaxed) {
            return Sequence::Unreachable { because, states: 0 };
        }
        if !self.target.allows(&self.tables, &moves.census(&start)) {
            return Sequence::Unreachable {
                because: UnreachableReason::StartNotAllowed,
                states: 0,
            };
        }
        let estimate = Estimate::new(&self.tables, &self.target, &relaxed, weights.clone());
        let patience = Patience {
            greedy: PATIENCE,
            exact: if self.task.prove { usize::MAX } else { PATIENCE / 100 },
            first: if self.task.prove { usize::MAX } else { 2 * PATIENCE },
        };
        let found = search::search(&mut moves, &start, &estimate, weights, patience, budget);
        self.sequence_of(found, &mut moves, named_instances, &start)
    }

    fn sequence_of(
        &self,
        found: Found,
        moves: &mut Moves<'_>,
        named_instances: NamedInstances,
        start: &Counts,
    ) -> Sequence {
        let Found { path, mut bound, floor, stopped, states } = found;
        if self.task.soft || moves.is_incomplete || self.task.application.policy != Policy::Any {
            // A move was left out, or the policy allows more than was looked at.
            bound = floor;
        }
        match (path, stopped) {
            (Some((path, cost)), stopped) => {
                // A path that cannot be followed by instances is a defect, never a plan.
                match named_instances.play(moves, self.task.application, start, &path) {
                    Some(actions) => Sequence::Found { actions, cost, bound, stopped, states },
                    None => Sequence::Unknown { stopped: StopReason::Replay, bound: 0, states },
                }
            }
            (None, Some(stopped)) => Sequence::Unknown { stopped, bound, states },
            (None, None) if moves.is_incomplete || self.task.application.policy != Policy::Any => {
                Sequence::Unknown { stopped: StopReason::Depth, bound: 0, states }
            }
            (None, None) => Sequence::Unreachable { because: UnreachableReason::Searched, states },
        }
    }

    fn relaxed(&self, moves: &Moves<'_>, start: &Counts) -> Relaxed {
        Relaxed::new(&self.tables, &self.target, &moves.classes, start, &moves.limits)
    }

    pub(crate) fn moves(&self) -> Moves<'_> {
        Moves {
            tables: &self.tables,
            target: &self.target,
            limits: vec![u32::MAX; self.tables.nodes.len()],
            classes: Classes::default(),
            is_incomplete: false,
            soft: self.task.soft,
            log: Vec::new(),
        }
    }

    /// How many instances of each node the start and the goal speak of.
    pub(crate) fn given(&self, moves: &Moves<'_>, start: &Counts) -> Vec<u32> {
        let mut given = moves.census(start).total;
        let mut wanted = vec![0_u32; given.len()];
        for condition in &self.target.goal {
            match condition {
                Condition::Node { node, least, .. } | Condition::NodeIn { node, least, .. } => {
                    wanted[*node] = wanted[*node].max(*least);
                }
                Condition::RoleAt(role, _) => {
                    let role = &self.target.roles[*role as usize];
                    wanted[role.node] = wanted[role.node].saturating_add(role.ids.len() as u32);
                }
                Condition::Offered(places) => {
                    for (node, _) in places {
                        wanted[*node] = wanted[*node].max(1);
                    }
                }
                _ => {}
            }
        }
        for (given, wanted) in given.iter_mut().zip(wanted) {
            *given = given.saturating_add(wanted);
        }
        given
    }

    /// The first part of the goal that cannot be reached even when nothing gets in the way.
    fn out_of_reach(&self, relaxed: &Relaxed) -> Option<UnreachableReason> {
        let unreached = |node: usize, state: usize| {
            (!relaxed.reached[node][state]).then(|| UnreachableReason::State {
                node,
                state,
                reasons: relaxed::reasons(&self.tables, relaxed, node, state),
            })
        };
        self.target.goal.iter().find_map(|condition| match condition {
            Condition::Node { node, state, least, .. } if *least > 0 => unreached(*node, *state),
            Condition::RoleAt(role, state) => {
                unreached(self.target.roles[*role as usize].node, *state)
            }
            Condition::Offered(places) => {
                let able = |(node, c): &(usize, usize)| relaxed.can_offer(&self.tables, *node, *c);
                let (node, capability) = *places.first().filter(|_| !places.iter().any(able))?;
                let states = 0..self.tables.nodes[node].states;
                let mut offering = states.filter(|s| self.tables.offers(node, *s, capability));
                let reasons = match offering.next() {
                    Some(state) => relaxed::reasons(&self.tables, relaxed, node, state),
                    None => vec![relaxed::Reason::NotOffered { node, capability }],
                };
                Some(UnreachableReason::Capability { node, capability, reasons })
            }
            _ => None,
        })
    }
}

/// Up to this many nodes a search takes no time, and finds what is nicest to read.
const FEW_NODES: usize = 64;

/// How many states the greedy part of the search may find before the exact one begins.
const PATIENCE: usize = 200_000;

//! What a plan has to reach, and what has to hold on the way, by number.
//!
//! Instances that the goal names have *roles*. Instances of one node that are called by
//! name in exactly the same places share a role, because they can stand for each other.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Task;
use super::class::{Classes, Counts};
use super::tables::Tables;
use crate::application::{Application, InstanceId};
use crate::goal::evaluate::Closure;
use crate::goal::{Amount, Goal, Want, names};

/// One part of a goal.
#[derive(Debug, Clone)]
pub(crate) enum Condition {
    /// At least `least` instances of a node in a state.
    Node {
        /// Which node.
        node: usize,
        /// In which state.
        state: usize,
        /// How many.
        least: u32,
        /// No more than that.
        most: Option<u32>,
        /// Whether no instances in other states remain.
        closed: bool,
    },
    /// At least `least` instances of a node, each in one of some states.
    NodeIn {
        /// Which node.
        node: usize,
        /// In which states.
        states: Vec<usize>,
        /// How many.
        least: u32,
    },
    /// No instance of a node.
    NodeGone(usize),
    /// Every instance of a role exists and is in a state.
    RoleAt(u32, usize),
    /// No instance of a role exists.
    RoleGone(u32),
    /// Some instance offers one of these (node, capability).
    Offered(Vec<(usize, usize)>),
    /// Never true: an unknown instance is wanted in some state.
    Impossible,
}

/// Instances that the goal names.
#[derive(Debug, Clone)]
pub(crate) struct Role {
    /// Their node.
    pub(crate) node: usize,
    /// Their names.
    pub(crate) ids: Vec<InstanceId>,
    /// Whether they may not be touched.
    pub(crate) kept: bool,
    /// The state in which the goal wants them.
    pub(crate) state: Option<usize>,
    /// Whether the goal wants them gone.
    pub(crate) wanted_gone: bool,
    /// The role of the one container that they have to live in, when it has to be that one.
    pub(crate) home: Option<u32>,
}

/// A goal file with every name resolved to numbers.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    /// What must hold in the end.
    pub(crate) goal: Vec<Condition>,
    /// By node, the parts of the goal that speak of it.
    by_node: Vec<Vec<usize>>,
    /// Whether nothing else may remain.
    pub(crate) exact: bool,
    /// What holds in every state on the way.
    pub(crate) always: Vec<Vec<Condition>>,
    /// What holds in no state on the way.
    pub(crate) never: Vec<Vec<Condition>>,
    /// The most instances of each node.
    pub(crate) budget: Vec<Option<u32>>,
    /// The roles; role 0 is that of instances without a name in the goal.
    pub(crate) roles: Vec<Role>,
    /// Whether the goal speaks of a node: then the goal says what remains of it.
    pub(crate) named: Vec<bool>,
    /// Names of instances that the goal wants somewhere and whose node is unknown.
    pub(crate) unknown: Vec<InstanceId>,
}

/// How many there are of everything that conditions ask about.
#[derive(Debug, Clone)]
pub(crate) struct Census {
    /// By node.
    pub(crate) total: Vec<u32>,
    /// By node and element.
    pub(crate) at: Grid,
    /// By role and element; the last number is how many exist.
    pub(crate) roles: Vec<BTreeMap<usize, u32>>,
    /// By role, how many live in another container than they have to.
    pub(crate) astray: Vec<u32>,
}

/// A number for every element of every node, in one piece: states are counted all the time.
#[derive(Debug, Clone)]
pub(crate) struct Grid {
    cells: Vec<u32>,
    /// Where the elements of each node begin, and where those of the last one end.
    rows: Arc<[usize]>,
}

impl std::ops::Index<usize> for Grid {
    type Output = [u32];

    fn index(&self, node: usize) -> &[u32] {
        &self.cells[self.rows[node]..self.rows[node + 1]]
    }
}

impl std::ops::IndexMut<usize> for Grid {
    fn index_mut(&mut self, node: usize) -> &mut [u32] {
        &mut self.cells[self.rows[node]..self.rows[node + 1]]
    }
}

impl Census {
    /// Counts.
    pub(crate) fn new(
        tables: &Tables,
        target: &Target,
        classes: &Classes,
        counts: &Counts,
    ) -> Self {
        let mut census = Census {
            total: vec![0; tables.nodes.len()],
            at: Grid {
                cells: vec![0; tables.rows.last().copied().unwrap_or(0)],
                rows: tables.rows.clone(),
            },
            roles: vec![BTreeMap::new(); target.roles.len()],
            astray: vec![0; target.roles.len()],
        };
        classes.visit(counts, &mut |class, _, count, home| {
            census.total[class.node] += count;
            census.at[class.node][class.element] += count;
            if class.mark.role > 0 {
                let role = class.mark.role as usize;
                *census.roles[role].entry(class.element).or_default() += count;
                let wanted = target.roles[role].home;
                if wanted.is_some() && wanted != home.map(|home| home.mark.role) {
                    census.astray[role] += count;
                }
            }
        });
        census
    }

    /// How many instances of a node offer a capability.
    pub(crate) fn offering(&self, tables: &Tables, node: usize, capability: usize) -> u32 {
        let at = self.at[node].iter().enumerate();
        at.filter(|(e, n)| **n > 0 && tables.offers(node, *e, capability)).map(|(_, n)| n).sum()
    }

    /// How many instances of a role exist.
    pub(crate) fn present(&self, role: u32) -> u32 {
        self.roles[role as usize].values().sum()
    }
}

impl Target {
    /// Resolves a goal file.
    pub(crate) fn new(tables: &Tables, task: &Task<'_>) -> Self {
        let Task { application, goal: file, closure, .. } = *task;
        let mut resolving =
            Resolving { application, tables, roles: roles(task), unknown: Vec::new() };
        let mut goal = resolving.conditions(&file.goal);
        let always = file.always.iter().map(|goal| resolving.conditions(goal)).collect();
        let never = file.never.iter().map(|goal| resolving.conditions(goal)).collect();
        let mut named = vec![false; tables.nodes.len()];
        for condition in &goal {
            match condition {
                Condition::Node { node, .. }
                | Condition::NodeIn { node, .. }
                | Condition::NodeGone(node) => named[*node] = true,
                Condition::RoleAt(role, state) => {
                    resolving.roles[*role as usize].state = Some(*state);
                }
                Condition::RoleGone(role) => resolving.roles[*role as usize].wanted_gone = true,
                Condition::Offered(_) | Condition::Impossible => {}
            }
        }
        if closure == Closure::Exact {
            let is_called =
                |node: usize| named[node] || resolving.roles.iter().any(|role| role.node == node);
            let rest: Vec<usize> = (0..tables.nodes.len()).filter(|n| !is_called(*n)).collect();
            for node in rest.into_iter().filter(|_| !tables.atomic) {
                named[node] = true;
                goal.push(Condition::NodeGone(node));
            }
        }
        // Roles that several ids share are asked once.
        let mut seen = Vec::new();
        goal.retain(|condition| match condition {
            Condition::RoleAt(role, _) | Condition::RoleGone(role) => {
                let fresh = !seen.contains(role);
                seen.push(*role);
                fresh
            }
            _ => true,
        });
        let budget = application.node_ids().map(|node| file.budget.get(&node).copied()).collect();
        let mut by_node = vec![Vec::new(); tables.nodes.len()];
        for (at, condition) in goal.iter().enumerate() {
            match condition {
                Condition::Node { node, .. }
                | Condition::NodeIn { node, .. }
                | Condition::NodeGone(node) => by_node[*node].push(at),
                Condition::RoleAt(role, _) | Condition::RoleGone(role) => {
                    by_node[resolving.roles[*role as usize].node].push(at);
                }
                Condition::Offered(_) | Condition::Impossible => {}
            }
        }
        Target {
            goal,
            by_node,
            exact: closure == Closure::Exact,
            always,
            never,
            budget,
            roles: resolving.roles,
            named,
            unknown: resolving.unknown,
        }
    }

    /// The parts of the goal that speak of one node.
    pub(crate) fn about(&self, node: usize) -> impl Iterator<Item = &Condition> {
        self.by_node[node].iter().map(|at| &self.goal[*at])
    }

    /// The role of an instance; 0 when the goal does not name it.
    pub(crate) fn role_of(&self, id: &InstanceId) -> u32 {
        let found = self.roles.iter().position(|role| role.ids.contains(id));
        found.unwrap_or(0) as u32
    }

    /// Whether every condition holds.
    pub(crate) fn holds(&self, tables: &Tables, census: &Census, conditions: &[Condition]) -> bool {
        conditions.iter().all(|condition| self.is_met(tables, census, condition))
    }

    fn is_met(&self, tables: &Tables, census: &Census, condition: &Condition) -> bool {
        match condition {
            Condition::Node { node, state, least, most, closed } => {
                let there = census.at[*node][*state];
                there >= *least
                    && most.is_none_or(|most| there <= most)
                    && (!closed || there == census.total[*node])
            }
            Condition::NodeIn { node, states, least } => {
                states.iter().map(|state| census.at[*node][*state]).sum::<u32>() >= *least
            }
            Condition::NodeGone(node) => census.total[*node] == 0,
            Condition::RoleAt(role, state) => {
                let there = census.roles[*role as usize].get(state).copied().unwrap_or(0);
                let role = *role as usize;
                there as usize == self.roles[role].ids.len() && census.astray[role] == 0
            }
            Condition::RoleGone(role) => census.present(*role) == 0,
            Condition::Offered(places) => {
                places.iter().any(|(node, c)| census.offering(tables, *node, *c) > 0)
            }
            Condition::Impossible => false,
        }
    }

    /// Whether a state is allowed on the way.
    pub(crate) fn allows(&self, tables: &Tables, census: &Census) -> bool {
        self.always.iter().all(|always| self.holds(tables, census, always))
            && !self.never.iter().any(|never| self.holds(tables, census, never))
            && self.budget.iter().zip(&census.total).all(|(b, n)| b.is_none_or(|most| *n <= most))
    }

    /// By node and state, whether no instance may ever be there.
    pub(crate) fn forbidden(&self, tables: &Tables) -> Vec<Vec<bool>> {
        let mut all: Vec<Vec<bool>> =
            tables.nodes.iter().map(|node| vec![false; node.states]).collect();
        for never in &self.never {
            if let [Condition::Node { node, state, least: 0 | 1, closed: false, .. }] = &never[..] {
                all[*node][*state] = true;
            }
        }
        all
    }

    /// The nodes whose instances the invariants look at.
    pub(crate) fn watched(&self) -> Vec<bool> {
        let mut watched: Vec<bool> = self.budget.iter().map(Option::is_some).collect();
        for condition in self.always.iter().chain(&self.never).flatten() {
            match condition {
                Condition::Node { node, .. }
                | Condition::NodeIn { node, .. }
                | Condition::NodeGone(node) => watched[*node] = true,
                Condition::RoleAt(role, _) | Condition::RoleGone(role) => {
                    watched[self.roles[*role as usize].node] = true;
                }
                Condition::Offered(places) => {
                    for (node, _) in places {
                        watched[*node] = true;
                    }
                }
                Condition::Impossible => {}
            }
        }
        watched
    }
}

/// Where an instance is called by name, and which state is wanted there.
type Places<'a> = Vec<(usize, Option<&'a str>)>;

/// Every id that is called by name, put together by node and by where it is called.
fn roles(task: &Task<'_>) -> Vec<Role> {
    let file = task.goal;
    let goals = std::iter::once(&file.goal).chain(&file.always).chain(&file.never);
    let mut mentions: BTreeMap<&InstanceId, Places<'_>> = BTreeMap::new();
    for id in &file.keep {
        mentions.entry(id).or_default().push((usize::MAX, None));
    }
    for (place, goal) in goals.enumerate() {
        for want in &goal.wants {
            match want {
                Want::Instance { instance, state } => {
                    mentions.entry(instance).or_default().push((place, Some(state)));
                }
                Want::InstanceGone(instance) => {
                    mentions.entry(instance).or_default().push((place, None));
                }
                _ => {}
            }
        }
    }
    let homes = homes(task, &mentions);
    let containers: BTreeSet<&InstanceId> = homes.values().copied().collect();
    let mut by_mention: BTreeMap<_, Vec<InstanceId>> = BTreeMap::new();
    for (id, places) in mentions {
        if let Some(node) = node_of(task, id) {
            // A container that others come back to stands for itself alone.
            let alone = containers.get(id).copied();
            let key = (node, places, alone, homes.get(id).copied());
            by_mention.entry(key).or_default().push(id.clone());
        }
    }
    let unnamed = Role {
        node: usize::MAX,
        ids: Vec::new(),
        kept: false,
        state: None,
        wanted_gone: false,
        home: None,
    };
    let by_container: BTreeMap<&InstanceId, u32> = (1..)
        .zip(by_mention.keys())
        .filter_map(|(role, (_, _, alone, _))| Some(((*alone)?, role)))
        .collect();
    let mut all = vec![unnamed];
    for ((node, places, _, home), ids) in &by_mention {
        let kept = places.iter().any(|(place, _)| *place == usize::MAX);
        let home = home.and_then(|home| by_container.get(home).copied());
        let (node, ids) = (*node, ids.clone());
        all.push(Role { node, ids, kept, state: None, wanted_gone: false, home });
    }
    all
}

/// Where instances that the goal wants in some state lived before: in the state to which a plan
/// leads back.
fn homes<'a>(
    task: &Task<'a>,
    mentions: &BTreeMap<&'a InstanceId, Places<'a>>,
) -> BTreeMap<&'a InstanceId, &'a InstanceId> {
    let Some(known) = task.known else { return BTreeMap::new() };
    let is_wanted = |id: &InstanceId| {
        mentions.get(id).is_some_and(|at| at.iter().any(|(place, s)| *place == 0 && s.is_some()))
    };
    let home = |id: &'a InstanceId| Some((id, known.container(id)?));
    let wanted = known.instances.keys().filter(|id| is_wanted(id)).filter_map(home);
    wanted.filter(|(_, home)| is_wanted(home)).collect()
}

/// The node of an instance: from the state, else from the description, else from the name that a
/// new instance of it gets.
fn node_of(task: &Task<'_>, id: &InstanceId) -> Option<usize> {
    let mut states = std::iter::once(task.start).chain(task.known);
    let there = states.find_map(|state| state.instance(id));
    there.map(|instance| instance.node.index()).or_else(|| {
        let declares = |node: &crate::application::Node| {
            node.instances.iter().any(|instance| instance.id == id.0)
        };
        let declared = task.application.nodes.iter().position(declares);
        declared.or_else(|| Some(names::created(&id.0, task.application)?.index()))
    })
}

struct Resolving<'a> {
    application: &'a Application,
    tables: &'a Tables,
    roles: Vec<Role>,
    unknown: Vec<InstanceId>,
}

impl Resolving<'_> {
    fn conditions(&mut self, goal: &Goal) -> Vec<Condition> {
        goal.wants.iter().filter_map(|want| self.condition(want)).collect()
    }

    /// A want by number; none when it holds whatever happens.
    fn condition(&mut self, want: &Want) -> Option<Condition> {
        Some(match want {
            Want::Node { node, state, amount } => {
                let (node, state) = (node.index(), state.index());
                let (least, most, closed) = match amount {
                    Amount::Wanted => (self.tables.nodes[node].wanted, None, true),
                    Amount::Exactly(number) => (*number, Some(*number), true),
                    Amount::AtLeast(number) => (*number, None, false),
                };
                Condition::Node { node, state, least, most, closed }
            }
            Want::NodeIn { node, states, least } => {
                // A state that is named twice counts once.
                let states: BTreeSet<usize> = states.iter().map(|state| state.index()).collect();
                let (node, states) = (node.index(), states.into_iter().collect());
                Condition::NodeIn { node, states, least: *least }
            }
            Want::NodeGone(node) => Condition::NodeGone(node.index()),
            Want::Instance { instance, state } => {
                let role = self.roles.iter().position(|role| role.ids.contains(instance));
                let state = role.and_then(|role| {
                    let node = self.roles[role].node.into();
                    self.application.protocol_of(node)?.state_named(state)
                });
                match (role, state) {
                    (Some(role), Some(state)) => Condition::RoleAt(role as u32, state.index()),
                    _ => {
                        self.unknown.push(instance.clone());
                        Condition::Impossible
                    }
                }
            }
            Want::InstanceGone(instance) => {
                let role = self.roles.iter().position(|role| role.ids.contains(instance))?;
                Condition::RoleGone(role as u32)
            }
            Want::Capability(name) => {
                let places = self.application.node_ids().filter_map(|node| {
                    let capability = self.application.type_of(node).capability_named(name)?;
                    Some((node.index(), capability.index()))
                });
                Condition::Offered(places.collect())
            }
        })
    }
}

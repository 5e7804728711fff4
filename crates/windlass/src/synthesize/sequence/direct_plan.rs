//! A plan without a search: every node goes its own shortest way, as soon as it may.
//!
//! This is for the usual question about many nodes: one instance of each, and a goal that says of
//! whole nodes where they are to be, or that they are to be gone. A state is one element per node
//! here and is changed in place, so that a step costs what its own neighbors cost, where a search
//! looks at all nodes in every state.
//!
//! When every instance arrives, no plan costs less: each has to come into being or go, and to take
//! at least its shortest way. When an instance cannot go on, there is no answer, and the
//! search looks. Steps are good by the same measure as in `moves.rs`: nothing faults while an
//! operation runs, nor after it.

use std::collections::{BTreeSet, VecDeque};

use super::PlanningContext;
use super::distance::{NEVER, Weights};
use super::tables::{NodeTable, Way};
use super::target::Condition;
use crate::application::{InstanceId, NodeId};
use crate::lifecycle::protocol::{Arity, Element};
use crate::plan::PlanAction;

/// A cheapest sequence and its cost; none when the question is another one, or when an instance
/// does not arrive.
pub fn direct_plan(
    context: &PlanningContext<'_>,
    weights: &Weights,
) -> Option<(Vec<PlanAction>, u64)> {
    let mut walk = Walk::new(context, weights)?;
    walk.all_arrive().then_some((walk.actions, walk.cost))
}

/// Where a node is to be in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// Wherever it is.
    Open,
    /// In a state.
    At(usize),
    /// Nowhere.
    Gone,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Create,
    /// A transition, by its index.
    Operate(usize),
    /// With everything inside.
    Remove,
}

/// Why a step cannot be taken now.
enum Obstacle {
    /// This node has to move first.
    Node(usize),
    /// Whatever happens.
    Forever,
}

struct Walk<'w> {
    context: &'w PlanningContext<'w>,
    weights: &'w Weights,
    /// By node, where its instance is.
    elements: Vec<Option<usize>>,
    /// By node, what its instance is called.
    names: Vec<Option<InstanceId>>,
    /// By node, what is left of its way.
    steps: Vec<VecDeque<Step>>,
    /// By node, who requires something of it, and by which requirement.
    users: Vec<Vec<(usize, usize)>>,
    /// By node, who waits for its next step.
    waiting: Vec<Vec<usize>>,
    actions: Vec<PlanAction>,
    cost: u64,
}

impl<'w> Walk<'w> {
    /// The walk before its first step; none when the question is another one.
    fn new(context: &'w PlanningContext<'w>, weights: &'w Weights) -> Option<Self> {
        let (tables, target) = (&context.tables, &context.target);
        let is_plain = !tables.atomic
            && target.always.is_empty()
            && target.never.is_empty()
            && target.roles.len() == 1
            && target.budget.iter().all(|most| *most != Some(0))
            && tables.nodes.iter().all(|node| node.wanted == 1 && !node.homeless);
        if !is_plain {
            return None;
        }
        let count = tables.nodes.len();
        let mut walk = Walk {
            context,
            weights,
            elements: vec![None; count],
            names: vec![None; count],
            steps: vec![VecDeque::new(); count],
            users: vec![Vec::new(); count],
            waiting: vec![Vec::new(); count],
            actions: Vec::new(),
            cost: 0,
        };
        walk.place_instances()?;
        let ends = ends(context)?;
        for (node, table) in tables.nodes.iter().enumerate() {
            walk.steps[node] = walk.way_of(node, &ends)?;
            for (requirement, declared) in table.requirements.iter().enumerate() {
                if let Some((provider, _)) = declared.target {
                    walk.users[provider].push((node, requirement));
                }
            }
        }
        Some(walk)
    }

    /// Puts the instances of the start where they are; none when a node has several, or when one
    /// is in the middle of something or nowhere.
    fn place_instances(&mut self) -> Option<()> {
        let (tables, start) = (&self.context.tables, self.context.task.start);
        for (id, instance) in &start.instances {
            let node = instance.node.index();
            let Element::State(state) = instance.element else { return None };
            if self.elements[node].is_some() {
                return None;
            }
            self.elements[node] = Some(state.index());
            self.names[node] = Some(id.clone());
        }
        for (node, table) in tables.nodes.iter().enumerate() {
            let home = table.home.filter(|_| self.elements[node].is_some());
            if home.is_some_and(|home| self.elements[home].is_none()) {
                return None;
            }
        }
        self.name_the_others()
    }

    /// Names for instances that do not exist yet, as the search gives them; none when two nodes
    /// would want the same one.
    fn name_the_others(&mut self) -> Option<()> {
        let mut taken: BTreeSet<InstanceId> = self.names.iter().flatten().cloned().collect();
        for (node, described) in self.context.task.application.nodes.iter().enumerate() {
            if self.names[node].is_none() {
                let declared = described.instances.first().map(|instance| &instance.id);
                let id = InstanceId(declared.unwrap_or(&described.name).clone());
                if !taken.insert(id.clone()) {
                    return None;
                }
                self.names[node] = Some(id);
            }
        }
        Some(())
    }

    /// The steps of a node; none when they might not be the cheapest.
    fn way_of(&self, node: usize, ends: &[End]) -> Option<VecDeque<Step>> {
        let table = &self.context.tables.nodes[node];
        let home = table.home.filter(|home| self.elements[*home].is_some());
        let home_goes = home.is_some_and(|home| ends[home] == End::Gone);
        let mut steps = VecDeque::new();
        match (ends[node], self.elements[node]) {
            // What lives inside goes when its container does, and only then.
            (End::Gone, Some(_)) if home.is_some() => return home_goes.then_some(steps),
            (End::Gone, Some(_)) => steps.push_back(Step::Remove),
            (_, Some(_)) if home_goes => return None,
            (End::At(state), from) => {
                let prices = &self.weights.operation[node];
                let cost = costs(table, prices, state)?;
                if from.is_none() {
                    steps.push_back(Step::Create);
                } else if let Some(from) = from
                    && cost[from] > self.weights.create.saturating_add(cost[table.initial])
                {
                    // A new one might be cheaper.
                    return None;
                }
                let way = follow(table, prices, &cost, from.unwrap_or(table.initial))?;
                steps.extend(way.into_iter().map(Step::Operate));
            }
            (End::Gone | End::Open, _) => {}
        }
        Some(steps)
    }

    /// Takes steps as long as one is possible, and says whether all have arrived. Instances that
    /// go, go users first; all others come after those that they need.
    fn all_arrive(&mut self) -> bool {
        let nodes = &self.context.tables.nodes;
        let mut queue: Vec<usize> = (0..nodes.len()).collect();
        queue.retain(|node| !self.steps[*node].is_empty());
        queue.sort_by_key(|node| {
            let goes = self.steps[*node].front() == Some(&Step::Remove);
            let place = nodes[*node].place;
            (!goes, if goes { nodes.len() - place } else { place })
        });
        let mut queue = VecDeque::from(queue);
        while let Some(node) = queue.pop_front() {
            while let Some(step) = self.steps[node].front().copied() {
                match self.take(node, step) {
                    Ok(moved) => {
                        self.steps[node].pop_front();
                        for moved in moved {
                            queue.extend(self.waiting[moved].drain(..));
                        }
                    }
                    Err(Obstacle::Node(other)) => {
                        self.waiting[other].push(node);
                        break;
                    }
                    Err(Obstacle::Forever) => return false,
                }
            }
        }
        self.steps.iter().all(VecDeque::is_empty)
    }

    /// Takes a step; gives the nodes that it moved.
    fn take(&mut self, node: usize, step: Step) -> Result<Vec<usize>, Obstacle> {
        let context = self.context;
        let application = context.task.application;
        let table = &context.tables.nodes[node];
        let name = |node: usize| self.names[node].clone().ok_or(Obstacle::Forever);
        let instance = name(node)?;
        match step {
            Step::Create => {
                if let Some(home) = table.home
                    && self.elements[home].is_none()
                {
                    return Err(Obstacle::Node(home));
                }
                self.check(node, table.initial)?;
                let container = table.home.map(name).transpose()?;
                let of = application.node(NodeId::from(node)).name.clone();
                self.elements[node] = Some(table.initial);
                self.cost += self.weights.create;
                self.actions.push(PlanAction::ScaleOut { node: of, instance, container });
                Ok(vec![node])
            }
            Step::Operate(at) => {
                let way = table.ways[at];
                let component = application.type_of(NodeId::from(node));
                let operation = component.operations.get(way.operation);
                let operation = operation.ok_or(Obstacle::Forever)?.name.clone();
                self.check(node, way.element)?;
                let before = self.elements[node].replace(way.element);
                if let Err(obstacle) = self.check(node, way.to) {
                    self.elements[node] = before;
                    return Err(obstacle);
                }
                self.elements[node] = Some(way.to);
                self.cost += self.weights.operation[node][at];
                self.actions.push(PlanAction::Operation { instance, operation });
                Ok(vec![node])
            }
            Step::Remove => {
                let going = self.with_inside(node);
                for node in &going {
                    self.check_users(*node, None, &going)?;
                }
                for node in &going {
                    self.elements[*node] = None;
                }
                self.cost += self.weights.remove;
                self.actions.push(PlanAction::ScaleIn { instance });
                Ok(going.into_iter().collect())
            }
        }
    }

    /// A node and what lives inside its instance.
    fn with_inside(&self, node: usize) -> BTreeSet<usize> {
        let (mut all, mut open) = (BTreeSet::new(), vec![node]);
        while let Some(node) = open.pop() {
            if self.elements[node].is_some() && all.insert(node) {
                open.extend(&self.context.tables.nodes[node].inside);
            }
        }
        all
    }

    /// Whether nothing would fault if a node were in an element.
    fn check(&self, node: usize, element: usize) -> Result<(), Obstacle> {
        let tables = &self.context.tables;
        for requirement in &tables.row(node, element).needs {
            let declared = &tables.nodes[node].requirements[*requirement];
            let Some((provider, capability)) = declared.target else {
                return Err(Obstacle::Forever);
            };
            if matches!(declared.arity, Arity::AtLeast(least) if least > 1) {
                return Err(Obstacle::Forever);
            }
            let there = if provider == node { Some(element) } else { self.elements[provider] };
            if !there.is_some_and(|there| tables.offers(provider, there, capability)) {
                return Err(Obstacle::Node(provider));
            }
        }
        self.check_users(node, Some(element), &BTreeSet::new())
    }

    /// Whether only `going` relies on what a node does not offer any more in an element, or
    /// when it is gone.
    fn check_users(
        &self,
        node: usize,
        element: Option<usize>,
        going: &BTreeSet<usize>,
    ) -> Result<(), Obstacle> {
        let tables = &self.context.tables;
        let Some(now) = self.elements[node] else { return Ok(()) };
        let stays = |capability: usize| element.is_some_and(|e| tables.offers(node, e, capability));
        if tables.row(node, now).offers.iter().all(|capability| stays(*capability)) {
            return Ok(());
        }
        for (user, requirement) in &self.users[node] {
            let target = tables.nodes[*user].requirements[*requirement].target;
            let is_lost = target.is_some_and(|(_, capability)| !stays(capability));
            let relies = self.elements[*user]
                .is_some_and(|element| tables.needs(*user, element, *requirement));
            if is_lost && relies && *user != node && !going.contains(user) {
                return Err(Obstacle::Node(*user));
            }
        }
        Ok(())
    }
}

/// Where each node is to be; none when the goal says anything else.
fn ends(context: &PlanningContext<'_>) -> Option<Vec<End>> {
    let mut ends = vec![End::Open; context.tables.nodes.len()];
    for condition in &context.target.goal {
        let (node, end) = match condition {
            Condition::Node { node, state, least: 1, .. } => (*node, End::At(*state)),
            Condition::NodeGone(node) => (*node, End::Gone),
            _ => return None,
        };
        if ends[node] != End::Open {
            return None;
        }
        ends[node] = end;
    }
    Some(ends)
}

/// What it costs at least from each state of a node to one of them; none when which transition
/// performs an operation is not said, or when a step is for free and ways may go in cycles.
fn costs(table: &NodeTable, prices: &[u64], to: usize) -> Option<Vec<u64>> {
    let mut operations: Vec<(usize, usize)> =
        table.ways.iter().map(|way| (way.from, way.operation)).collect();
    operations.sort_unstable();
    if operations.windows(2).any(|pair| pair[0] == pair[1]) || prices.contains(&0) {
        return None;
    }
    let mut cost = vec![NEVER; table.states];
    *cost.get_mut(to)? = 0;
    loop {
        let mut has_changed = false;
        for (way, price) in table.ways.iter().zip(prices) {
            let through = cost[way.to].saturating_add(*price);
            if through < cost[way.from] {
                cost[way.from] = through;
                has_changed = true;
            }
        }
        if !has_changed {
            return Some(cost);
        }
    }
}

/// The transitions of a cheapest way; none when there is no way.
fn follow(table: &NodeTable, prices: &[u64], cost: &[u64], from: usize) -> Option<Vec<usize>> {
    let (mut way, mut here) = (Vec::new(), from);
    while cost[here] > 0 {
        let is_next = |(way, price): (&Way, &u64)| {
            way.from == here && cost[way.to].saturating_add(*price) == cost[here]
        };
        let next = table.ways.iter().zip(prices).position(is_next)?;
        way.push(next);
        here = table.ways[next].to;
    }
    (cost[from] < NEVER).then_some(way)
}

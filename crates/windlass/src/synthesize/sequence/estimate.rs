//! A lower bound for what a plan from here on costs.
//!
//! Every action is about an instance of one node, so bounds for the nodes add up. For one node
//! there are two: what its own instances have to do by their protocols alone to make the goal's
//! numbers right (move, create, remove; leave and come back, where they rely on an instance that
//! has to go), and what other instances have to do so that something can be offered which every
//! plan needs ([`Landmarks`]). The greater one counts. A scale-in takes what lives inside along, so
//! nodes that live in one another are looked at together.
//!
//! The proof that this never says too much stands in `docs/theory/planning.md`.

use rustc_hash::FxBuildHasher;

use super::class::{Class, Counts};
use super::distance::{Distances, NEVER, Weights};
use super::moves::Moves;
use super::relaxed::Relaxed;
use super::tables::Tables;
use super::target::{Census, Condition, Target};
use crate::lifecycle::protocol::{Arity, Sort};

/// The tables of the bound.
#[derive(Debug)]
pub(crate) struct Estimate {
    weights: Weights,
    /// By node and state: distances to that state, for states that are asked about.
    to_state: Vec<Vec<Option<Distances>>>,
    /// By node and capability: distances to a state that offers it.
    to_offer: Vec<Vec<Distances>>,
    creatable: Vec<bool>,
    /// Whether faults may help; then no offer is needed for certain.
    despite_faults: bool,
}

/// The instances of one node in a state.
#[derive(Debug, Clone, Default)]
struct Population {
    /// By element: how many can still move, and whether they have to, because they rely on one
    /// that has to go.
    movable: Vec<(usize, u64, bool)>,
    /// How many there are.
    total: u64,
    /// How many have to go.
    wanted_gone: u64,
    /// By container, how many live in it: (containers, number), most first.
    contents: Vec<(u64, u64)>,
}

impl Estimate {
    /// The tables for one question.
    pub(crate) fn new(
        tables: &Tables,
        target: &Target,
        relaxed: &Relaxed,
        weights: Weights,
    ) -> Self {
        let to_state = to_states(tables, target, |node, state| {
            Distances::new(tables, relaxed, &weights, node, |s| s == state)
        });
        let to_offer = (0..tables.nodes.len()).map(|node| {
            let rows = &tables.nodes[node].rows;
            let all = rows.iter().flat_map(|row| &row.offers).max().map_or(0, |most| most + 1);
            let of = |c: usize| {
                let offers = |state| tables.offers(node, state, c);
                Distances::new(tables, relaxed, &weights, node, offers)
            };
            (0..all).map(of).collect()
        });
        let to_offer = to_offer.collect();
        let creatable = relaxed.creatable.clone();
        Estimate { weights, to_state, to_offer, creatable, despite_faults: false }
    }

    /// The tables when faults may help on the way.
    pub(crate) fn despite_faults(tables: &Tables, target: &Target, weights: Weights) -> Self {
        let to_state = to_states(tables, target, |node, state| {
            Distances::despite_faults(tables, &weights, node, |s| s == state)
        });
        let creatable = tables.nodes.iter().map(|node| !tables.atomic && !node.homeless).collect();
        let to_offer = vec![Vec::new(); tables.nodes.len()];
        Estimate { weights, to_state, to_offer, creatable, despite_faults: true }
    }

    /// Whether an instance cannot be there in the end, because no way leads it to where the goal
    /// wants all instances of its node.
    fn has_to_go(&self, target: &Target, class: &Class) -> bool {
        target.about(class.node).any(|condition| match condition {
            Condition::NodeGone(_) => true,
            Condition::Node { node, state, closed: true, .. } => {
                let to = self.to_state[*node][*state].as_ref();
                let cost = to.and_then(|to| to.cost.get(class.element));
                class.mark.stuck || cost.is_none_or(|cost| *cost >= NEVER)
            }
            _ => false,
        })
    }

    /// The groups of which an instance has to go, as bits. An instance cannot be removed while
    /// another relies on a group that it is in, so the other has to leave its state first.
    fn groups_that_go(&self, moves: &Moves<'_>, counts: &Counts, goes: bool, going: &mut u64) {
        for (id, _) in counts {
            let class = moves.classes.get(*id);
            let role = &moves.target.roles[class.mark.role as usize];
            let is_astray = role.state.is_some_and(|state| {
                let to = self.to_state[class.node][state].as_ref();
                let cost = to.and_then(|to| to.cost.get(class.element));
                class.element != state && cost.is_none_or(|cost| *cost >= NEVER)
            });
            let goes = goes || role.wanted_gone || is_astray || self.has_to_go(moves.target, class);
            if goes {
                *going |= class.groups;
            }
            self.groups_that_go(moves, &class.children, goes, going);
        }
    }

    /// What a plan from this state on costs at least; none when there is none.
    pub(crate) fn of(&self, moves: &Moves<'_>, state: &Counts) -> Option<u64> {
        let (tables, target) = (moves.tables, moves.target);
        let census = moves.census(state);
        let (populations, leaving) = populations(self, moves, state);
        let request =
            Request { estimate: self, tables, target, census: &census, populations, leaving };
        let landmarks = if self.despite_faults {
            vec![0; tables.nodes.len()]
        } else {
            Landmarks::new(&request).found
        };
        let mut sum = 0_u64;
        for (node, table) in tables.nodes.iter().enumerate() {
            let is_inner = table.home.is_some_and(|home| tables.nodes[home].home.is_some());
            if table.home.is_none() {
                sum = sum.saturating_add(request.family(node, &landmarks));
            } else if is_inner {
                // What lives deeper may be taken along by whatever is outside.
                let least = request.moving(node, u64::MAX, 0).max(landmarks[node]);
                sum = sum.saturating_add(least);
            }
        }
        (sum < NEVER).then_some(sum)
    }
}

/// Distances to every state that the goal asks about.
fn to_states(
    tables: &Tables,
    target: &Target,
    distances: impl Fn(usize, usize) -> Distances,
) -> Vec<Vec<Option<Distances>>> {
    let mut to_state: Vec<Vec<Option<Distances>>> =
        tables.nodes.iter().map(|node| vec![None; node.states]).collect();
    let roles = target.roles.iter().filter_map(|role| Some((role.node, role.state?)));
    let nodes = target.goal.iter().filter_map(|condition| match condition {
        Condition::Node { node, state, .. } => Some((*node, *state)),
        _ => None,
    });
    for (node, state) in roles.chain(nodes) {
        to_state[node][state] = Some(distances(node, state));
    }
    to_state
}

/// The instances of every node, and by role how many are where they should be and have to leave.
fn populations(
    estimate: &Estimate,
    moves: &Moves<'_>,
    state: &Counts,
) -> (Vec<Population>, Vec<u64>) {
    let mut going = 0;
    if !estimate.despite_faults {
        estimate.groups_that_go(moves, state, false, &mut going);
        // Beyond that number sets are taken together, which proves nothing.
        going &= (1 << super::names::MOST_GROUPS) - 1;
    }
    let (nodes, roles) = (moves.tables.nodes.len(), moves.target.roles.len());
    let mut all = (vec![Population::default(); nodes], vec![0; roles]);
    populate(estimate, moves, state, 1, false, going, &mut all);
    for population in &mut all.0 {
        population.contents.sort_unstable_by_key(|(_, number)| std::cmp::Reverse(*number));
    }
    all
}

/// Counts what lives in one place, which there are so many of and which may have to go; and the
/// groups of which an instance has to go.
fn populate(
    estimate: &Estimate,
    moves: &Moves<'_>,
    counts: &Counts,
    times: u64,
    goes: bool,
    going: u64,
    counted: &mut (Vec<Population>, Vec<u64>),
) {
    for (id, count) in counts {
        let class = moves.classes.get(*id);
        let role = &moves.target.roles[class.mark.role as usize];
        let count = u64::from(*count) * times;
        let goes = goes || role.wanted_gone || estimate.has_to_go(moves.target, class);
        let leaves = class.pins.iter().any(|(_, group)| going >> group & 1 == 1);
        if leaves && !goes && !role.kept && role.state == Some(class.element) {
            counted.1[class.mark.role as usize] += count;
        }
        let population = &mut counted.0[class.node];
        population.total += count;
        if role.wanted_gone {
            population.wanted_gone += count;
        } else if !goes && !class.mark.stuck && !role.kept {
            population.movable.push((class.element, count, leaves));
        } else if !goes && !class.mark.stuck {
            // Kept: it is where it is, which is as good as a way of no length or none at all.
            population.movable.push((usize::MAX - class.element, count, false));
        }
        let mut inside: Vec<(usize, u64)> = Vec::new();
        for (child, number) in &class.children {
            let node = moves.classes.get(*child).node;
            match inside.iter_mut().find(|(known, _)| *known == node) {
                Some((_, sum)) => *sum += u64::from(*number),
                None => inside.push((node, u64::from(*number))),
            }
        }
        for (node, number) in inside {
            counted.0[node].contents.push((count, number));
        }
        populate(estimate, moves, &class.children, count, goes, going, counted);
    }
}

impl Population {
    /// How many of these go at most when `containers` of their containers go.
    fn freed(&self, mut containers: u64) -> u64 {
        let mut freed = 0;
        for (count, number) in &self.contents {
            let taken = containers.min(*count);
            freed += taken * number;
            containers -= taken;
        }
        freed
    }
}

/// One state, asked about.
struct Request<'a> {
    estimate: &'a Estimate,
    tables: &'a Tables,
    target: &'a Target,
    census: &'a Census,
    populations: Vec<Population>,
    /// By role, how many are where they should be and have to leave all the same.
    leaving: Vec<u64>,
}

impl Request<'_> {
    /// The bound for a node that lives in nothing and for the nodes that live in it.
    fn family(&self, node: usize, landmarks: &[u64]) -> u64 {
        let inner = &self.tables.nodes[node].inside;
        let own = |gone: u64| self.moving(node, 0, gone).max(landmarks[node]);
        let inside = |gone: u64| -> u64 {
            let of = |n: &usize| {
                let freed = if gone == u64::MAX { gone } else { self.populations[*n].freed(gone) };
                self.moving(*n, freed, 0).max(landmarks[*n])
            };
            inner.iter().map(of).fold(0, u64::saturating_add)
        };
        let least_inside = inside(u64::MAX);
        let mut best = u64::MAX;
        for gone in 0..=self.populations[node].total {
            let own = own(gone);
            if own.saturating_add(least_inside) >= best {
                break;
            }
            let inside = inside(gone);
            best = best.min(own.saturating_add(inside));
            if inside == least_inside {
                break;
            }
        }
        best
    }

    /// What the instances of a node have to do themselves, when `freed` of them go with their
    /// containers and at least `gone` are removed.
    fn moving(&self, node: usize, freed: u64, gone: u64) -> u64 {
        let population = &self.populations[node];
        let remove = self.estimate.weights.remove;
        let forced = population.wanted_gone.max(gone).saturating_sub(freed).saturating_mul(remove);
        let mut bound = forced;
        // Roles are about different instances, so what they have to do adds up.
        let mut roles = 0_u64;
        for condition in self.target.about(node) {
            let least = match condition {
                Condition::NodeGone(_) => {
                    population.total.saturating_sub(freed).saturating_mul(remove)
                }
                Condition::Node { state, least, most, closed, .. } => {
                    let least = u64::from(*least);
                    let most = most.map_or(u64::MAX, u64::from);
                    if *closed {
                        self.exactly(node, *state, least, most, freed, gone)
                    } else {
                        self.exactly(node, *state, least, u64::MAX, u64::MAX, 0)
                    }
                }
                Condition::RoleAt(role, state) => {
                    roles = roles.saturating_add(self.role(*role, *state, node));
                    roles
                }
                _ => 0,
            };
            bound = bound.max(least);
        }
        bound
    }

    /// The cheapest way to have between `least` and `most` instances in a state and no others,
    /// when `freed` go by themselves and at least `gone` go.
    fn exactly(
        &self,
        node: usize,
        state: usize,
        least: u64,
        most: u64,
        freed: u64,
        gone: u64,
    ) -> u64 {
        let population = &self.populations[node];
        let remove = self.estimate.weights.remove;
        let create = self.create_to(node, self.estimate.to_state[node][state].as_ref());
        let mut ways: Vec<(u64, u64)> = Vec::new();
        for (element, count, leaves) in &population.movable {
            let cost = match self.estimate.to_state[node][state].as_ref() {
                to if *element == state && *leaves => self.around(node, state, to),
                _ if *element == usize::MAX - state || *element == state => 0,
                Some(to) => to.cost.get(*element).copied().unwrap_or(NEVER),
                None => NEVER,
            };
            if cost < NEVER {
                ways.push((cost, *count));
            }
        }
        ways.sort_unstable();
        let most = most.min(population.total - gone.min(population.total));
        let (mut moved, mut spent) = (0_u64, 0_u64);
        for (cost, mut count) in ways {
            while count > 0 && moved < most {
                let staying = population.total - moved;
                let saves_creation = moved < least;
                let saves_removal = freed != u64::MAX && staying > freed;
                let saved = if saves_creation { create } else { 0 }
                    + if saves_removal { remove } else { 0 };
                if saved < cost || (saved == cost && !saves_creation) {
                    count = 0;
                    continue;
                }
                // As many at once as the reasons stay the same.
                let mut chunk = count.min(most - moved);
                if saves_creation {
                    chunk = chunk.min(least - moved);
                }
                if saves_removal {
                    chunk = chunk.min(staying - freed);
                }
                spent += chunk * cost;
                moved += chunk;
                count -= chunk;
            }
        }
        let created = least.saturating_sub(moved).saturating_mul(create);
        let removed = (population.total - moved).saturating_sub(freed).saturating_mul(remove);
        spent.saturating_add(created).saturating_add(removed)
    }

    /// What it costs to leave a state and come back.
    fn around(&self, node: usize, state: usize, to: Option<&Distances>) -> u64 {
        let Some(to) = to else { return NEVER };
        let weights = &self.estimate.weights.operation[node];
        let ways = self.tables.nodes[node].ways.iter().zip(weights);
        let out = ways.filter(|(way, _)| way.from == state);
        out.map(|(way, price)| to.cost[way.to].saturating_add(*price)).min().unwrap_or(NEVER)
    }

    /// What it costs to create an instance and bring it where it is wanted.
    fn create_to(&self, node: usize, to: Option<&Distances>) -> u64 {
        if !self.estimate.creatable[node] {
            return NEVER;
        }
        let to = to.map_or(NEVER, |to| to.cost[self.tables.nodes[node].initial]);
        to.saturating_add(self.estimate.weights.create)
    }

    /// What the instances of a role have to do.
    fn role(&self, role: u32, state: usize, node: usize) -> u64 {
        let to = self.estimate.to_state[node][state].as_ref();
        let create = self.create_to(node, to);
        let (mut sum, mut present) = (0_u64, 0_u64);
        let kept = self.target.roles[role as usize].kept;
        for (element, count) in &self.census.roles[role as usize] {
            let there = to.and_then(|to| to.cost.get(*element)).copied().unwrap_or(NEVER);
            let again = create.saturating_add(self.estimate.weights.remove);
            // A container may take it along.
            let again = if self.tables.nodes[node].home.is_some() { create } else { again };
            let one = match (*element == state, kept) {
                (true, _) => 0,
                (false, true) => NEVER,
                (false, false) => there.min(again),
            };
            sum = sum.saturating_add(one.saturating_mul(u64::from(*count)));
            present += u64::from(*count);
        }
        // An instance never changes its container: it goes, at least with its own, and comes again.
        let astray = u64::from(self.census.astray[role as usize]);
        sum = sum.max(astray.saturating_mul(create));
        let leaving = self.leaving[role as usize].saturating_sub(astray);
        if leaving > 0 {
            // The same once more as above: it leaves and comes back, or another one comes.
            let again = create.min(self.around(node, state, to));
            sum = sum.saturating_add(again.saturating_mul(leaving));
        }
        let missing = (self.target.roles[role as usize].ids.len() as u64).saturating_sub(present);
        sum.saturating_add(missing.saturating_mul(create))
    }
}

/// Offers that every plan from here on needs at some moment, and what they cost their nodes.
struct Landmarks<'a, 'b> {
    request: &'a Request<'b>,
    /// By node.
    found: Vec<u64>,
    seen: hashbrown::HashSet<(usize, Option<usize>), FxBuildHasher>,
}

impl<'a, 'b> Landmarks<'a, 'b> {
    fn new(request: &'a Request<'b>) -> Self {
        let found = vec![0; request.tables.nodes.len()];
        let mut landmarks = Landmarks { request, found, seen: hashbrown::HashSet::default() };
        for condition in &request.target.goal {
            match condition {
                Condition::Node { node, state, least, .. } => {
                    if request.census.at[*node][*state] < *least {
                        landmarks.one_moves(*node, *state, true);
                    }
                }
                Condition::RoleAt(role, state) => {
                    let there = request.census.roles[*role as usize].get(state).copied();
                    let role = &request.target.roles[*role as usize];
                    if (there.unwrap_or(0) as usize) < role.ids.len() {
                        landmarks.one_moves(role.node, *state, true);
                    }
                }
                Condition::Offered(places) => {
                    if let [(node, capability)] = places.as_slice() {
                        landmarks.offered(*node, *capability, 1);
                    }
                }
                // Which state it will be is open.
                Condition::NodeIn { .. }
                | Condition::NodeGone(_)
                | Condition::RoleGone(_)
                | Condition::Impossible => {}
            }
        }
        landmarks
    }

    /// Some instance of a node has to go to a state that none is in yet, or be created for it.
    fn one_moves(&mut self, node: usize, state: usize, may_create: bool) {
        let request = self.request;
        let Some(to) = request.estimate.to_state[node][state].as_ref() else { return };
        let sources = request.populations[node].movable.iter().map(|(element, ..)| *element);
        let sources: Vec<usize> = sources.filter(|element| *element != state).collect();
        let may_create = may_create && request.estimate.creatable[node];
        self.on_every_way(node, to, sources, may_create);
    }

    /// What is needed on every way from one of the sources, or from a creation.
    fn on_every_way(&mut self, node: usize, to: &Distances, sources: Vec<usize>, create: bool) {
        let table = &self.request.tables.nodes[node];
        let usable = |element: &usize| to.cost.get(*element).is_some_and(|cost| *cost < NEVER);
        let mut sources: Vec<usize> = sources.into_iter().filter(usable).collect();
        let by_creation = create && to.cost[table.initial] < NEVER;
        if let (true, true, Some(home)) = (sources.is_empty(), by_creation, table.home) {
            self.exists(home);
        }
        if by_creation {
            sources.push(table.initial);
        }
        if sources.is_empty() {
            return;
        }
        for (r, requirement) in table.requirements.iter().enumerate() {
            let Some((provider, capability)) = requirement.target else { continue };
            if sources.iter().all(|source| to.must[*source][r]) {
                let several = match (requirement.sort, requirement.arity) {
                    (Sort::Containment, _) | (_, Arity::Any) => 1,
                    (_, Arity::AtLeast(least)) => least.max(1),
                    (_, Arity::All) => self.request.tables.nodes[provider].wanted,
                };
                self.offered(provider, capability, several);
            }
        }
    }

    /// So many instances of a node have to offer a capability at some moment.
    fn offered(&mut self, node: usize, capability: usize, several: u32) {
        let request = self.request;
        let now = request.census.offering(request.tables, node, capability);
        if now >= several || !self.seen.insert((node, Some(capability))) {
            return;
        }
        let Some(to) = request.estimate.to_offer[node].get(capability) else {
            self.found[node] = NEVER;
            return;
        };
        let create = request.create_to(node, Some(to));
        let mut ways: Vec<(u64, u64)> = Vec::new();
        let mut sources = Vec::new();
        // Instances that have to go in the end can offer until then.
        for (element, count) in request.census.at[node].iter().enumerate() {
            let cost = to.cost.get(element).copied().unwrap_or(NEVER);
            if *count > 0 && !request.tables.offers(node, element, capability) && cost < NEVER {
                ways.push((cost, u64::from(*count)));
                sources.push(element);
            }
        }
        ways.push((create, u64::MAX));
        ways.sort_unstable();
        let mut missing = u64::from(several - now);
        let mut cost = 0_u64;
        for (one, count) in ways {
            let taken = missing.min(count);
            cost = cost.saturating_add(taken.saturating_mul(one));
            missing -= taken;
        }
        self.found[node] = self.found[node].max(cost);
        self.on_every_way(node, to, sources, request.estimate.creatable[node]);
    }

    /// Some instance of a node has to exist.
    fn exists(&mut self, node: usize) {
        let request = self.request;
        if request.census.total[node] > 0 || !self.seen.insert((node, None)) {
            return;
        }
        let cost =
            if request.estimate.creatable[node] { request.estimate.weights.create } else { NEVER };
        self.found[node] = self.found[node].max(cost);
        if let Some(home) = request.tables.nodes[node].home {
            self.exists(home);
        }
    }
}

//! The compiled form of the relation of paper 004: index tables, and states of fixed width.
//!
//! The reference is [`super::behavior`] and [`super::observable`]; this form says the same, faster,
//! and is tested against it per transition (`tests/library/replica_compiled.rs`). An encoded state
//! has for each *slot* (an id that may ever exist) its element, its container and what each of its
//! requirements is bound to.
//!
//! | file | what it is |
//! |---|---|
//! | `tables.rs` | elements, needs and services of the application as numbers |
//! | `layout.rs` | slots, and where in the bit string each part of a slot stands |
//! | `rules.rs` | the rules of Def. 3.9 on bit strings |
//! | `settle.rs` | Def. 4.1 on bit strings |
//! | `symmetry.rs` | which bits change places when instances do |
//! | `touch.rs` | what the change from one bit string to another can touch |
//!
//! Invariant: equal states have equal encodings. The bits of a slot that does not exist are zero.

mod layout;
mod rules;
mod settle;
mod symmetry;
mod tables;
mod touch;

use std::collections::BTreeMap;

use self::layout::{Bound, Layout, Slot};
use self::tables::{ABSENT, Tables};
use self::touch::Touch;
use super::{Action, Blocked, Replica, Tracking};
use crate::application::{GlobalState, Instance, InstanceId, Policy};
use crate::lifecycle::protocol::{OperationId, RequirementId, Sort};
use crate::system::{Compile, Outgoing, Perform, Successors, System};

/// Which horizontal bindings an encoded state has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bindings {
    /// All of them.
    Every,
    /// Those of replica-aware requirements. The others decide nothing about instances and their
    /// states, except under the policy `least-loaded`, where this is the same as `Every`.
    AwareOnly,
}

/// What a number of an action stands for.
#[derive(Debug, Clone)]
enum Move {
    /// Start, by node of the slot: the index of the operation.
    Start(usize, Vec<Option<usize>>),
    /// End, likewise.
    End(usize, Vec<Option<usize>>),
    ScaleIn(usize),
    /// Create in a slot an instance of its node with this index, in the container with this index.
    Create(usize, usize, usize),
}

/// The start as the rules see it: the only state in which something may apply by itself.
#[derive(Debug, Clone, Default)]
struct Start {
    row: Vec<u64>,
    is_settled: bool,
    is_broken: bool,
}

/// A [`Replica`] with its tables. Encoded states are the start, or reached from it: that is what
/// makes it enough to look at what an action changes.
#[derive(Debug, Clone)]
pub struct CompiledReplica<'a> {
    replica: Replica<'a>,
    tables: Tables,
    layout: Layout,
    actions: Vec<(Action, Move)>,
    numbers: BTreeMap<Action, u32>,
    /// By slot, node of the slot and operation: the numbers of its start and its end.
    operations: Vec<Vec<Vec<(u32, u32)>>>,
    /// By slot: the number of its scale-in.
    scale_ins: Vec<u32>,
    /// By place in the pool: the number of its creation.
    creations: Vec<u32>,
    /// By slot: the bindings of others that may point at it.
    referrers: Vec<Vec<Referrer>>,
    touch: Touch,
    start: Start,
}

/// A binding that may point at a slot.
#[derive(Debug, Clone, Copy)]
struct Referrer {
    slot: usize,
    option: usize,
    requirement: usize,
    /// The place of the slot among the candidates of the binding.
    candidate: usize,
}

impl<'a> CompiledReplica<'a> {
    /// Compiles; none when the start has an instance contained by a requirement that is not the
    /// containment of its type.
    pub fn new(replica: Replica<'a>, bindings: Bindings) -> Option<Self> {
        let tracks_unaware = bindings == Bindings::Every || replica.policy == Policy::LeastLoaded;
        let tables = Tables::new(&replica);
        let layout = Layout::new(&replica, &tables, tracks_unaware)?;
        let mut compiled = Self {
            referrers: referrers(&layout),
            touch: Touch::new(&layout, &tables),
            start: Start::default(),
            replica,
            tables,
            layout,
            actions: Vec::new(),
            numbers: BTreeMap::new(),
            operations: Vec::new(),
            scale_ins: Vec::new(),
            creations: Vec::new(),
        };
        for at in 0..compiled.layout.slots.len() {
            compiled.number_slot(at);
        }
        compiled.number_pool();
        compiled.look_at_start();
        Some(compiled)
    }

    fn look_at_start(&mut self) {
        let mut row = vec![0; self.words()];
        self.encode(&self.replica.start, &mut row);
        let is_settled = self.is_settled(&row);
        let is_broken = self.broken(&row).is_some();
        self.start = Start { row, is_settled, is_broken };
    }

    /// The readable form.
    pub fn replica(&self) -> &Replica<'a> {
        &self.replica
    }

    /// Why an action is not executable in an encoded state, as the reference says it.
    pub fn blocked(&self, encoded: &[u64], action: &Action) -> Option<Blocked> {
        self.replica.step(&self.decode(encoded), action).err()
    }

    fn number_of(&mut self, action: Action, what: Move) -> u32 {
        let next = self.actions.len() as u32;
        let number = *self.numbers.entry(action.clone()).or_insert(next);
        if number == next {
            self.actions.push((action, what));
        }
        number
    }

    fn number_slot(&mut self, at: usize) {
        let id = self.layout.slots[at].id.clone();
        let nodes: Vec<_> = self.layout.slots[at].options.iter().map(|o| o.node).collect();
        let application = self.replica.application();
        let by_node = |name: &str| -> Vec<Option<usize>> {
            let of = |node| application.type_of(node).operation_named(name);
            nodes.iter().map(|node| of(*node).map(OperationId::index)).collect()
        };
        let mut by_option = Vec::new();
        for node in &nodes {
            let mut numbers = Vec::new();
            for operation in &application.type_of(*node).operations {
                let (instance, name) = (id.clone(), operation.name.clone());
                let start = Action::OpStart { instance: instance.clone(), operation: name.clone() };
                let start = self.number_of(start, Move::Start(at, by_node(&name)));
                let end = Action::OpEnd { instance, operation: name.clone() };
                let end = self.number_of(end, Move::End(at, by_node(&name)));
                numbers.push((start, end));
            }
            by_option.push(numbers);
        }
        self.operations.push(by_option);
        let number = self.number_of(Action::ScaleIn { instance: id }, Move::ScaleIn(at));
        self.scale_ins.push(number);
    }

    fn number_pool(&mut self) {
        for creation in self.replica.pool.clone() {
            let (Some(at), container) = (
                self.layout.slot_of(&creation.instance),
                creation.container.as_ref().and_then(|id| self.layout.slot_of(id)),
            ) else {
                continue;
            };
            let slot = &self.layout.slots[at];
            let option = slot.options.iter().position(|o| o.node == creation.node);
            let container = slot.containers.iter().position(|c| *c == container);
            let (Some(option), Some(container)) = (option, container) else { continue };
            let action = Action::create(&creation);
            let number = self.number_of(action, Move::Create(at, option, container));
            self.creations.push(number);
        }
    }
}

/// For each slot, the bindings that may point at it.
fn referrers(layout: &Layout) -> Vec<Vec<Referrer>> {
    let mut referrers = vec![Vec::new(); layout.slots.len()];
    for (slot, of) in layout.slots.iter().enumerate() {
        for (option, of) in of.options.iter().enumerate() {
            for (requirement, bound) in of.bindings.iter().enumerate() {
                if matches!(bound.field, Bound::Untracked) {
                    continue;
                }
                for (candidate, target) in bound.candidates.iter().enumerate() {
                    referrers[*target].push(Referrer { slot, option, requirement, candidate });
                }
            }
        }
    }
    referrers
}

impl System for CompiledReplica<'_> {
    type State = GlobalState;
    type Action = Action;
    type Blocked = Blocked;

    fn initial(&self) -> GlobalState {
        self.replica.initial()
    }

    fn candidates(&self, state: &GlobalState) -> Vec<Action> {
        self.replica.candidates(state)
    }

    fn step(
        &self,
        state: &GlobalState,
        action: &Action,
    ) -> Result<Successors<GlobalState>, Blocked> {
        self.replica.step(state, action)
    }
}

impl Compile for CompiledReplica<'_> {
    fn words(&self) -> usize {
        self.layout.words.max(1)
    }

    fn encode(&self, state: &GlobalState, into: &mut [u64]) {
        for (id, instance) in &state.instances {
            let Some(at) = self.layout.slot_of(id) else { continue };
            let slot = &self.layout.slots[at];
            let Some(option) = slot.option_of(instance.node) else { continue };
            let element = self.tables.number(instance.node, instance.element);
            slot.set_element(into, option, element);
            let container = state.container(id).and_then(|id| self.layout.slot_of(id));
            let place = slot.containers.iter().position(|c| *c == container);
            slot.container.set(into, place.unwrap_or_default() as u64);
            for (requirement, bound) in slot.options[option].bindings.iter().enumerate() {
                for target in state.bound(id, RequirementId::from(requirement)) {
                    let target = self.layout.slot_of(target);
                    let place = bound.candidates.iter().position(|c| Some(*c) == target);
                    if let Some(place) = place {
                        bound.field.insert(into, place);
                    }
                }
            }
        }
    }

    fn decode(&self, encoded: &[u64]) -> GlobalState {
        let mut state = GlobalState::empty();
        for slot in &self.layout.slots {
            let element = slot.element(encoded);
            if element == ABSENT {
                continue;
            }
            let node = self.tables.node[element];
            let instance = Instance { node, element: self.tables.element[element] };
            state.instances.insert(slot.id.clone(), instance);
            if let Some(container) = slot.container_in(encoded)
                && let Some(requirement) = self.tables.containment[node.index()]
            {
                let container = self.layout.slots[container].id.clone();
                state.vertical.insert(slot.id.clone(), (requirement, container));
            }
            self.decode_bindings(encoded, slot, element, &mut state);
        }
        state
    }

    fn successors(&self, encoded: &[u64], out: &mut Outgoing) {
        for (at, slot) in self.layout.slots.iter().enumerate() {
            let element = slot.element(encoded);
            if element == ABSENT {
                continue;
            }
            let Some(option) = slot.option_of(self.tables.node[element]) else { continue };
            let numbers = &self.operations[at][option];
            match self.tables.transition_operation[element] {
                Some(operation) => {
                    self.perform(encoded, numbers[operation].1, out);
                }
                None => {
                    for (operation, _) in &self.tables.starts[element] {
                        self.perform(encoded, numbers[*operation].0, out);
                    }
                }
            }
            self.perform(encoded, self.scale_ins[at], out);
        }
        for number in &self.creations {
            self.perform(encoded, *number, out);
        }
    }

    fn action(&self, _: &[u64], id: u32) -> Action {
        self.actions[id as usize].0.clone()
    }
}

impl CompiledReplica<'_> {
    /// The bindings of one slot. A binding that is not tracked is shown as the policy's first
    /// choice, so that the state is one that the reference knows.
    fn decode_bindings(
        &self,
        encoded: &[u64],
        slot: &Slot,
        element: usize,
        state: &mut GlobalState,
    ) {
        let node = self.tables.node[element];
        let Some(option) = slot.option_of(node) else { return };
        let mut insert = |requirement: usize, target: usize| {
            let target: &InstanceId = &self.layout.slots[target].id;
            let requirement = RequirementId::from(requirement);
            state.horizontal.insert((slot.id.clone(), requirement, target.clone()));
        };
        for (requirement, bound) in slot.options[option].bindings.iter().enumerate() {
            bound.field.each(encoded, |place| insert(requirement, bound.candidates[place]));
        }
        for requirement in &self.tables.requires[element] {
            let bound = &slot.options[option].bindings[*requirement];
            let need = &self.tables.needs[node.index()][*requirement];
            if matches!(bound.field, Bound::Untracked) && need.sort != Sort::Containment {
                for target in self.first_choice(encoded, node, *requirement) {
                    insert(*requirement, target);
                }
            }
        }
    }
}

impl Perform for CompiledReplica<'_> {
    fn number(&self, action: &Action) -> Option<u32> {
        self.numbers.get(action).copied()
    }

    fn perform(&self, encoded: &[u64], number: u32, out: &mut Outgoing) -> bool {
        debug_assert!(
            encoded == self.start.row || self.is_settled(encoded),
            "not a state that the start leads to"
        );
        let begin = out.len();
        let is_done = match &self.actions[number as usize].1 {
            Move::Start(slot, operations) => self.op_start(encoded, number, *slot, operations, out),
            Move::End(slot, operations) => self.op_end(encoded, number, *slot, operations, out),
            Move::ScaleIn(slot) => self.scale_in(encoded, number, *slot, out),
            Move::Create(slot, option, container) => {
                self.create(encoded, number, *slot, *option, *container, out)
            }
        };
        let is_settled = is_done && self.settle_all(encoded, number, begin, out);
        if !is_settled {
            out.truncate(begin);
        }
        is_settled
    }
}

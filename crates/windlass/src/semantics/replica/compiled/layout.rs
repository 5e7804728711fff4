//! Slots, and where in the bit string each part of a slot stands.
//!
//! No field crosses a word, so that reading one is a shift and a mask.

use std::collections::{BTreeMap, BTreeSet};

use super::tables::{ABSENT, Tables};
use crate::application::{InstanceId, NodeId};
use crate::lifecycle::protocol::{Arity, RequirementId, Sort};
use crate::semantics::replica::Replica;
use crate::system::BitField;

/// Some bits of a state; a field that can have one value only has none.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Field {
    word: u32,
    shift: u32,
    mask: u64,
}

impl Field {
    #[inline]
    pub(super) fn get(self, row: &[u64]) -> u64 {
        if self.mask == 0 { 0 } else { (row[self.word as usize] >> self.shift) & self.mask }
    }

    /// The same for those who know no layout; none when it has no bits.
    pub(super) fn public(self) -> Option<BitField> {
        let Self { word, shift, mask } = self;
        (mask != 0).then_some(BitField { word: word as usize, shift, mask })
    }

    /// Its word and its bits in it.
    fn bits(self) -> (usize, u64) {
        (self.word as usize, self.mask << self.shift)
    }

    #[inline]
    pub(super) fn set(self, row: &mut [u64], value: u64) {
        if self.mask != 0 {
            let word = &mut row[self.word as usize];
            *word = (*word & !(self.mask << self.shift)) | ((value & self.mask) << self.shift);
        }
    }
}

/// What a requirement is bound to, as places among its candidates.
#[derive(Debug, Clone)]
pub(super) enum Bound {
    /// Not part of the state.
    Untracked,
    /// Nothing (0) or one candidate (its place + 1).
    One(Field),
    /// A set, 64 candidates a field.
    Many(Vec<Field>),
}

impl Bound {
    pub(super) fn fields(&self) -> &[Field] {
        match self {
            Bound::Untracked => &[],
            Bound::One(field) => std::slice::from_ref(field),
            Bound::Many(fields) => fields,
        }
    }

    /// Calls `visit` with each place.
    #[inline]
    pub(super) fn each(&self, row: &[u64], mut visit: impl FnMut(usize)) {
        match self {
            Bound::Untracked => {}
            Bound::One(field) => {
                let value = field.get(row);
                if value > 0 {
                    visit(value as usize - 1);
                }
            }
            Bound::Many(fields) => {
                for (at, field) in fields.iter().enumerate() {
                    let mut bits = field.get(row);
                    while bits != 0 {
                        visit(at * 64 + bits.trailing_zeros() as usize);
                        bits &= bits - 1;
                    }
                }
            }
        }
    }

    pub(super) fn contains(&self, row: &[u64], place: usize) -> bool {
        match self {
            Bound::Untracked => false,
            Bound::One(field) => field.get(row) == place as u64 + 1,
            Bound::Many(fields) => fields[place / 64].get(row) >> (place % 64) & 1 == 1,
        }
    }

    pub(super) fn insert(&self, row: &mut [u64], place: usize) {
        match self {
            Bound::Untracked => {}
            Bound::One(field) => field.set(row, place as u64 + 1),
            Bound::Many(fields) => {
                let field = fields[place / 64];
                field.set(row, field.get(row) | 1 << (place % 64));
            }
        }
    }

    pub(super) fn remove(&self, row: &mut [u64], place: usize) {
        match self {
            Bound::Untracked => {}
            Bound::One(field) => {
                if field.get(row) == place as u64 + 1 {
                    field.set(row, 0);
                }
            }
            Bound::Many(fields) => {
                let field = fields[place / 64];
                field.set(row, field.get(row) & !(1 << (place % 64)));
            }
        }
    }

    pub(super) fn clear(&self, row: &mut [u64]) {
        match self {
            Bound::Untracked => {}
            Bound::One(field) => field.set(row, 0),
            Bound::Many(fields) => fields.iter().for_each(|field| field.set(row, 0)),
        }
    }
}

/// The binding of a requirement: its field, and the slots it may point at.
#[derive(Debug, Clone)]
pub(super) struct BindingField {
    pub(crate) field: Bound,
    pub(crate) candidates: Vec<usize>,
}

/// One node that the id of a slot may be an instance of.
#[derive(Debug, Clone)]
pub(super) struct NodeOption {
    pub(crate) node: NodeId,
    /// By requirement.
    pub(crate) bindings: Vec<BindingField>,
    /// The value of the slot's element field for the first element of the node.
    base: usize,
    /// The number of the first element of the node.
    first: usize,
}

/// An id that may exist.
#[derive(Debug, Clone)]
pub(super) struct Slot {
    pub(crate) id: InstanceId,
    pub(crate) options: Vec<NodeOption>,
    /// By value of the element field - 1.
    elements: Vec<usize>,
    element: Field,
    /// By value of the container field.
    pub(crate) containers: Vec<Option<usize>>,
    pub(crate) container: Field,
}

impl Slot {
    /// All its fields.
    pub(super) fn fields(&self) -> impl Iterator<Item = Field> {
        let bindings = self.options.iter().flat_map(|option| &option.bindings);
        let fields = bindings.flat_map(|binding| binding.field.fields());
        [&self.element, &self.container].into_iter().chain(fields).copied()
    }

    /// The nodes that it may be an instance of.
    pub(super) fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.options.iter().map(|option| option.node)
    }

    /// The number of the element, or [`ABSENT`].
    #[inline]
    pub(super) fn element(&self, row: &[u64]) -> usize {
        match self.element.get(row) {
            0 => ABSENT,
            value => self.elements[value as usize - 1],
        }
    }

    pub(super) fn set_element(&self, row: &mut [u64], option: usize, element: usize) {
        let option = &self.options[option];
        self.element.set(row, (option.base + element - option.first) as u64);
    }

    /// The slot that contains it, if it exists and is contained.
    #[inline]
    pub(super) fn container_in(&self, row: &[u64]) -> Option<usize> {
        self.containers[self.container.get(row) as usize]
    }

    #[inline]
    pub(super) fn option_of(&self, node: NodeId) -> Option<usize> {
        self.options.iter().position(|option| option.node == node)
    }

    /// The instance does not exist any more.
    pub(super) fn clear(&self, row: &mut [u64], element: Option<usize>) {
        if let Some(option) = element {
            self.options[option].bindings.iter().for_each(|bound| bound.field.clear(row));
        }
        self.container.set(row, 0);
        self.element.set(row, 0);
    }
}

/// All slots, by id.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub(crate) slots: Vec<Slot>,
    /// By node: the slots that may be its instances, by id.
    pub(crate) slots_of: Vec<Vec<usize>>,
    /// The same, in the order of declaration.
    pub(crate) declared: Vec<Vec<usize>>,
    pub(crate) words: usize,
    index: BTreeMap<InstanceId, usize>,
}

/// Hands out bits.
#[derive(Default)]
struct Bits {
    words: usize,
    used: u32,
}

impl Bits {
    /// A field for `values` values.
    fn field(&mut self, values: usize) -> Field {
        let bits = usize::BITS - values.saturating_sub(1).leading_zeros();
        self.raw(bits)
    }

    /// A field of `bits` bits, at most 64.
    fn raw(&mut self, bits: u32) -> Field {
        if bits == 0 {
            return Field::default();
        }
        if self.words == 0 || self.used + bits > 64 {
            self.words += 1;
            self.used = 0;
        }
        let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
        let field = Field { word: self.words as u32 - 1, shift: self.used, mask };
        self.used += bits;
        field
    }
}

/// What is known of an id: the nodes and containers it may have.
#[derive(Default)]
struct Known {
    nodes: BTreeSet<NodeId>,
    containers: BTreeSet<Option<InstanceId>>,
}

impl Layout {
    /// None when the start has an instance contained by a requirement that is not the
    /// containment of its type.
    pub(super) fn new(replica: &Replica, tables: &Tables, tracks_unaware: bool) -> Option<Self> {
        let known = known_ids(replica, tables)?;
        let index: BTreeMap<InstanceId, usize> =
            known.keys().enumerate().map(|(at, id)| (id.clone(), at)).collect();
        let nodes = replica.application().nodes.len();
        let mut slots_of = vec![Vec::new(); nodes];
        for (at, known) in known.values().enumerate() {
            known.nodes.iter().for_each(|node| slots_of[node.index()].push(at));
        }
        let mut bits = Bits::default();
        let mut slots = Vec::new();
        for (id, known) in &known {
            let mut options = Vec::new();
            let mut elements = Vec::new();
            for node in &known.nodes {
                let range = tables.elements_of(*node);
                let (base, first) = (elements.len() + 1, range.start);
                elements.extend(range);
                options.push(NodeOption { node: *node, bindings: Vec::new(), base, first });
            }
            let container = |id: &Option<InstanceId>| id.as_ref().map(|id| index[id]);
            slots.push(Slot {
                id: id.clone(),
                options,
                element: bits.field(elements.len() + 1),
                elements,
                container: bits.field(known.containers.len()),
                containers: known.containers.iter().map(container).collect(),
            });
        }
        for slot in &mut slots {
            for option in &mut slot.options {
                let needs = 0..tables.needs[option.node.index()].len();
                option.bindings = needs
                    .map(|requirement| {
                        let need = NeedOf { id: &slot.id, node: option.node, requirement };
                        let (known, bits) = (&slots_of[..], &mut bits);
                        binding_field(replica, tables, &need, known, &index, tracks_unaware, bits)
                    })
                    .collect();
            }
        }
        let declared = declared_order(replica, &slots, &slots_of);
        Some(Layout { slots, slots_of, declared, words: bits.words, index })
    }

    pub(super) fn slot_of(&self, id: &InstanceId) -> Option<usize> {
        self.index.get(id).copied()
    }

    /// By bit: the slot that it belongs to, and all bits of that slot in the same word.
    pub(super) fn owners(&self) -> Vec<(usize, u64)> {
        let mut owners = vec![(0, u64::MAX); 64 * self.words];
        for (at, slot) in self.slots.iter().enumerate() {
            let mut own = vec![0; self.words];
            let bits = slot.fields().map(Field::bits).filter(|(_, bits)| *bits != 0);
            bits.for_each(|(word, bits)| own[word] |= bits);
            for (word, bits) in own.into_iter().enumerate() {
                let mine = (0..64).filter(|bit| bits >> bit & 1 == 1);
                mine.for_each(|bit| owners[64 * word + bit] = (at, bits));
            }
        }
        owners
    }
}

/// Every id of the start and of the pool.
fn known_ids(replica: &Replica, tables: &Tables) -> Option<BTreeMap<InstanceId, Known>> {
    let start = &replica.start;
    let mut known: BTreeMap<InstanceId, Known> = BTreeMap::new();
    for (id, instance) in &start.instances {
        let entry = known.entry(id.clone()).or_default();
        entry.nodes.insert(instance.node);
        entry.containers.insert(start.container(id).cloned());
        if let Some((requirement, _)) = start.vertical.get(id)
            && tables.containment[instance.node.index()] != Some(*requirement)
        {
            return None;
        }
    }
    for creation in &replica.pool {
        let entry = known.entry(creation.instance.clone()).or_default();
        entry.nodes.insert(creation.node);
        entry.containers.insert(creation.container.clone());
    }
    let bound = start.horizontal.iter().map(|(_, _, target)| target.clone());
    let held = start.vertical.values().map(|(_, container)| container.clone());
    let holders = replica.pool.iter().filter_map(|creation| creation.container.clone());
    for id in bound.chain(held).chain(holders).collect::<Vec<_>>() {
        known.entry(id).or_default();
    }
    for entry in known.values_mut().filter(|entry| entry.containers.is_empty()) {
        entry.containers.insert(None);
    }
    Some(known)
}

/// A requirement of an instance, when it is one of this node.
struct NeedOf<'a> {
    id: &'a InstanceId,
    node: NodeId,
    requirement: usize,
}

fn binding_field(
    replica: &Replica,
    tables: &Tables,
    of: &NeedOf<'_>,
    slots_of: &[Vec<usize>],
    index: &BTreeMap<InstanceId, usize>,
    tracks_unaware: bool,
    bits: &mut Bits,
) -> BindingField {
    let NeedOf { id, node, requirement } = *of;
    let need = &tables.needs[node.index()][requirement];
    let is_tracked = match need.sort {
        Sort::Containment => false,
        Sort::ReplicaAware => true,
        Sort::ReplicaUnaware => tracks_unaware,
    };
    let given: Vec<usize> = replica
        .start
        .bound(id, RequirementId::from(requirement))
        .filter(|_| replica.start.instance(id).is_some_and(|i| i.node == node))
        .filter_map(|target| index.get(target).copied())
        .collect();
    // A binding that its state does not rely on may get a second one beside it.
    let is_assumed = replica.start.instance(id).is_some_and(|instance| {
        instance.node == node
            && replica.requires(instance).contains(&RequirementId::from(requirement))
    });
    let providers = need.target.map(|(target, _)| slots_of[target.index()].clone());
    let mut candidates = providers.unwrap_or_default();
    candidates.extend(&given);
    candidates.sort_unstable();
    candidates.dedup();
    let field = if !is_tracked {
        Bound::Untracked
    } else if need.arity == Arity::Any && (given.is_empty() || (given.len() == 1 && is_assumed)) {
        Bound::One(bits.field(candidates.len() + 1))
    } else {
        let chunk = |chunk: &[usize], bits: &mut Bits| bits.raw(chunk.len() as u32);
        Bound::Many(candidates.chunks(64).map(|c| chunk(c, bits)).collect())
    };
    BindingField { field, candidates }
}

/// The slots of each node in the order in which the application names them, the others after.
fn declared_order(replica: &Replica, slots: &[Slot], slots_of: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let order = |(node, of): (usize, &Vec<usize>)| {
        let declared = &replica.application().nodes[node].instances;
        let place = |slot: &usize| {
            let id = &slots[*slot].id.0;
            declared.iter().position(|wanted| wanted.id == *id).unwrap_or(usize::MAX)
        };
        let mut of = of.clone();
        of.sort_by_key(place);
        of
    };
    slots_of.iter().enumerate().map(order).collect()
}

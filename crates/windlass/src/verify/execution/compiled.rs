//! The compiled form of a run: how far each path is, in front of the encoded state.
//!
//! A set of events closed downward takes a few bits for each path of the plan, and the events
//! that may come next are found by looking at the paths, not at all events.

use std::collections::BTreeSet;

use super::super::symmetry::Part;
use super::{Condition, Configuration, Execution, NotEnabled};
use crate::application::InstanceId;
use crate::plan::events::EventId;
use crate::system::{
    BitField, Compile, Interchange, Interchangeable, Outgoing, Perform, Successors, System,
};

/// Hands out fields, none of which crosses a word.
struct Bits {
    words: usize,
    used: u32,
}

impl Bits {
    /// A field for the values from 0 to `most`.
    fn field(&mut self, most: usize) -> BitField {
        let bits = (usize::BITS - most.leading_zeros()).clamp(1, 63);
        if self.used + bits > 64 {
            self.words += 1;
            self.used = 0;
        }
        let field = BitField { word: self.words - 1, shift: self.used, mask: (1 << bits) - 1 };
        self.used += bits;
        field
    }
}

/// An event as the compiled form sees it.
struct Packed {
    id: EventId,
    /// The number of its action; none when no state can perform it.
    number: Option<u32>,
    /// Fields that must have at least these values.
    waits: Vec<(BitField, u64)>,
}

/// The run of a plan in a compiled system.
pub struct CompiledExecution<'a, S: Perform> {
    execution: &'a Execution<'a, S>,
    /// By path and place.
    paths: Vec<(BitField, Vec<Packed>)>,
    condition: BitField,
    /// Words in front of the encoded state.
    own: usize,
}

impl<'a, S: Perform> CompiledExecution<'a, S> {
    /// The compiled form of a run.
    pub fn new(execution: &'a Execution<'a, S>) -> Self {
        let mut bits = Bits { words: 1, used: 0 };
        let condition = bits.field(2);
        let fields: Vec<BitField> = execution.paths.iter().map(|p| bits.field(p.len())).collect();
        let packed = |id: &EventId| {
            let waits = execution.waits[id.index()].iter();
            Packed {
                id: *id,
                number: execution.system.number(execution.action(*id)),
                waits: waits.map(|(path, count)| (fields[*path], u64::from(*count))).collect(),
            }
        };
        let paths = execution.paths.iter().zip(&fields);
        let paths =
            paths.map(|(path, field)| (*field, path.iter().map(packed).collect())).collect();
        Self { execution, paths, condition, own: bits.words }
    }

    /// The readable form.
    pub(crate) fn execution(&self) -> &'a Execution<'a, S> {
        self.execution
    }

    /// Whether the last event of an encoded configuration failed.
    #[inline]
    pub(crate) fn has_failed(&self, row: &[u64]) -> bool {
        self.condition.get(row) != Condition::Going as u64
    }

    /// Whether everything has been executed in an encoded configuration.
    pub(crate) fn is_complete(&self, row: &[u64]) -> bool {
        let is_done = |(field, path): &(BitField, Vec<Packed>)| field.get(row) == path.len() as u64;
        !self.has_failed(row) && self.paths.iter().all(is_done)
    }

    fn take(&self, row: &[u64], field: BitField, event: &Packed, out: &mut Outgoing) {
        let first = out.len();
        let (own, state) = row.split_at(self.own);
        let done = field.get(own);
        field.set(out.hide(own), done + 1);
        let system = self.execution.system;
        let happened = event.number.is_some_and(|number| system.perform(state, number, out));
        out.reveal();
        out.rename(first, event.id.0);
        if !happened {
            let blocked = out.push(event.id.0, row);
            self.condition.set(blocked, Condition::Blocked as u64);
        } else if self.execution.accepts.is_some() {
            for at in first..out.len() {
                let after = out.row_mut(at);
                if !self.execution.accepts(&system.decode(&after[self.own..])) {
                    self.condition.set(after, Condition::Unacceptable as u64);
                }
            }
        }
    }
}

impl<S: Interchangeable<Name = InstanceId>> CompiledExecution<'_, S> {
    /// What may change places in encoded configurations when these parts of the plan are
    /// interchangeable. A group is left out when a swap of its parts is more than a swap of values.
    pub fn interchange(&self, groups: &[Vec<Part>]) -> Interchange {
        let instances = groups.iter().flatten().flat_map(|part| &part.instances);
        let moving: BTreeSet<InstanceId> = instances.cloned().collect();
        let mut interchange = Interchange::default();
        for parts in groups {
            let names: Vec<Vec<InstanceId>> = parts.iter().map(|p| p.instances.clone()).collect();
            let Some(fields) = self.execution.system.fields(&names, &moving) else { continue };
            let Some(first) = parts.first().and_then(|part| self.paths_of(part)) else { continue };
            let block = |(part, state): (&Part, Vec<BitField>)| {
                let paths = self.paths_of(part).filter(|paths| same_shape(paths, &first))?;
                let counts = paths.into_iter().map(|(field, _)| field);
                Some(counts.chain(state.into_iter().map(|field| field.after(self.own))).collect())
            };
            let blocks: Option<Vec<Vec<BitField>>> = parts.iter().zip(fields).map(block).collect();
            if let Some(blocks) = blocks {
                interchange.add(blocks);
            }
        }
        interchange
    }

    /// The paths of a part, with the places of their events in it; none when a path goes on
    /// outside.
    fn paths_of(&self, part: &Part) -> Option<Vec<PathOf>> {
        let mut all = Vec::new();
        for (field, path) in &self.paths {
            let place = |event: &Packed| part.events.iter().position(|other| *other == event.id);
            let places: Vec<Option<usize>> = path.iter().map(place).collect();
            if places.iter().any(Option::is_some) {
                all.push((*field, places.into_iter().collect::<Option<Vec<usize>>>()?));
            }
        }
        all.sort_by(|one, other| one.1.cmp(&other.1));
        Some(all)
    }
}

/// How far a path is, and which events of a part it has.
type PathOf = (BitField, Vec<usize>);

fn same_shape(one: &[PathOf], other: &[PathOf]) -> bool {
    one.iter().map(|(_, places)| places).eq(other.iter().map(|(_, places)| places))
}

impl<S: Perform> System for CompiledExecution<'_, S> {
    type State = Configuration<S::State>;
    type Action = EventId;
    type Blocked = NotEnabled;

    fn initial(&self) -> Self::State {
        self.execution.initial()
    }

    fn candidates(&self, configuration: &Self::State) -> Vec<EventId> {
        self.execution.candidates(configuration)
    }

    fn step(
        &self,
        configuration: &Self::State,
        event: &EventId,
    ) -> Result<Successors<Self::State>, NotEnabled> {
        self.execution.step(configuration, event)
    }
}

impl<S: Perform> Compile for CompiledExecution<'_, S> {
    fn words(&self) -> usize {
        self.own + self.execution.system.words().max(1)
    }

    fn encode(&self, configuration: &Self::State, into: &mut [u64]) {
        self.condition.set(into, configuration.condition as u64);
        for ((field, _), done) in self.paths.iter().zip(&configuration.executed) {
            field.set(into, u64::from(*done));
        }
        self.execution.system.encode(&configuration.state, &mut into[self.own..]);
    }

    fn decode(&self, row: &[u64]) -> Self::State {
        let condition = match self.condition.get(row) {
            0 => Condition::Going,
            1 => Condition::Blocked,
            _ => Condition::Unacceptable,
        };
        let executed = self.paths.iter().map(|(field, _)| field.get(row) as u32).collect();
        let state = self.execution.system.decode(&row[self.own..]);
        Configuration { executed, state, condition }
    }

    fn successors(&self, row: &[u64], out: &mut Outgoing) {
        if self.has_failed(row) {
            return;
        }
        for (field, path) in &self.paths {
            let Some(event) = path.get(field.get(row) as usize) else { continue };
            if event.waits.iter().all(|(field, least)| field.get(row) >= *least) {
                self.take(row, *field, event, out);
            }
        }
    }

    fn action(&self, _: &[u64], id: u32) -> EventId {
        EventId(id)
    }
}

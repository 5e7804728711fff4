//! The compiled form of a run: how far each path is, in front of the encoded state.
//!
//! A set of events closed downward takes a few bits for each path of the plan, and the events
//! that may come next are found by looking at the paths, not at all events.

use super::{Condition, Configuration, Execution, NotEnabled};
use crate::plan::events::EventId;
use crate::system::{Compile, Outgoing, Perform, Successors, System};

/// Some bits of one word.
#[derive(Debug, Clone, Copy)]
struct Field {
    word: usize,
    shift: u32,
    mask: u64,
}

impl Field {
    #[inline]
    fn get(self, row: &[u64]) -> u64 {
        (row[self.word] >> self.shift) & self.mask
    }

    #[inline]
    fn set(self, row: &mut [u64], value: u64) {
        row[self.word] = (row[self.word] & !(self.mask << self.shift)) | (value << self.shift);
    }
}

/// Hands out fields, none of which crosses a word.
struct Bits {
    words: usize,
    used: u32,
}

impl Bits {
    /// A field for the values from 0 to `most`.
    fn field(&mut self, most: usize) -> Field {
        let bits = (usize::BITS - most.leading_zeros()).clamp(1, 63);
        if self.used + bits > 64 {
            self.words += 1;
            self.used = 0;
        }
        let field = Field { word: self.words - 1, shift: self.used, mask: (1 << bits) - 1 };
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
    waits: Vec<(Field, u64)>,
}

/// The run of a plan in a compiled system.
pub struct CompiledExecution<'a, S: Perform> {
    execution: &'a Execution<'a, S>,
    /// By path and place.
    paths: Vec<(Field, Vec<Packed>)>,
    condition: Field,
    /// Words in front of the encoded state.
    own: usize,
}

impl<'a, S: Perform> CompiledExecution<'a, S> {
    /// The compiled form of a run.
    pub fn new(execution: &'a Execution<'a, S>) -> Self {
        let mut bits = Bits { words: 1, used: 0 };
        let condition = bits.field(2);
        let fields: Vec<Field> = execution.paths.iter().map(|p| bits.field(p.len())).collect();
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
    pub fn execution(&self) -> &'a Execution<'a, S> {
        self.execution
    }

    /// Whether the last event of an encoded configuration failed.
    #[inline]
    pub fn has_failed(&self, row: &[u64]) -> bool {
        self.condition.get(row) != Condition::Going as u64
    }

    /// Whether everything has been executed in an encoded configuration.
    pub fn is_complete(&self, row: &[u64]) -> bool {
        let is_done = |(field, path): &(Field, Vec<Packed>)| field.get(row) == path.len() as u64;
        !self.has_failed(row) && self.paths.iter().all(is_done)
    }

    fn take(&self, row: &[u64], field: Field, event: &Packed, out: &mut Outgoing) {
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

//! The rules of paper 004 Def. 3.9 on encoded states. Each appends its conclusions to `out`, one
//! per choice of the policy, and says whether its premises hold; what they mean is said at the
//! function of the same name in `behavior.rs`.

use super::layout::Bound;
use super::tables::ABSENT;
use super::{CompiledReplica, Tracking};
use crate::application::{NodeId, Policy};
use crate::lifecycle::protocol::{Arity, Sort};
use crate::system::Outgoing;

/// The rows from `begin` on, each by the action with this number.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewRows {
    pub(super) begin: usize,
    pub(super) number: u32,
}

impl CompiledReplica<'_> {
    /// The element of a slot.
    #[inline]
    pub(super) fn element(&self, row: &[u64], slot: usize) -> usize {
        self.layout.slots[slot].element(row)
    }

    /// Whether a slot is an instance that offers a service.
    #[inline]
    fn offers(&self, row: &[u64], slot: usize, service: usize) -> bool {
        self.tables.is_offered(self.element(row, slot), service)
    }

    /// `is_satisfiable` of `faults.rs`.
    pub(super) fn is_satisfiable(&self, row: &[u64], node: NodeId, requirement: usize) -> bool {
        let need = &self.tables.needs[node.index()][requirement];
        let Some((target, service)) = need.target else { return false };
        let slots = &self.layout.slots_of[target.index()];
        if need.arity == Arity::All {
            let mut existing = 0;
            for slot in slots {
                let element = self.element(row, *slot);
                if element != ABSENT && self.tables.node[element] == target {
                    existing += 1;
                    if !self.tables.is_offered(element, service) {
                        return false;
                    }
                }
            }
            return existing >= self.replica.wanted(target);
        }
        let offering = slots.iter().filter(|slot| self.offers(row, **slot, service));
        offering.take(need.size()).count() == need.size()
    }

    /// `is_satisfied` of `faults.rs`, for an instance in `element`. A binding that is not tracked
    /// satisfies as long as there is one that would.
    pub(super) fn is_satisfied(
        &self,
        row: &[u64],
        slot: usize,
        element: usize,
        requirement: usize,
    ) -> bool {
        let node = self.tables.node[element];
        let need = &self.tables.needs[node.index()][requirement];
        let Some((_, service)) = need.target else { return false };
        let of = &self.layout.slots[slot];
        if need.sort == Sort::Containment {
            let is_the_one = self.tables.containment[node.index()]
                .is_some_and(|containment| containment.index() == requirement);
            return is_the_one
                && of.container_in(row).is_some_and(|c| self.offers(row, c, service));
        }
        let Some(option) = of.option_of(node) else { return false };
        let binding = &of.options[option].bindings[requirement];
        if matches!(binding.field, Bound::Untracked) {
            return self.is_satisfiable(row, node, requirement);
        }
        let mut good = 0;
        binding.field.each(row, |place| {
            good += usize::from(self.offers(row, binding.candidates[place], service));
        });
        match need.arity {
            Arity::Any | Arity::AtLeast(_) => good >= need.size(),
            Arity::All => {
                (need.sort == Sort::ReplicaAware
                    || good == self.offering(row, node, requirement).len())
                    && self.is_satisfiable(row, node, requirement)
            }
        }
    }

    /// `satisfy(r, G)`, by id.
    fn offering(&self, row: &[u64], node: NodeId, requirement: usize) -> Vec<usize> {
        let Some((target, service)) = self.tables.needs[node.index()][requirement].target else {
            return Vec::new();
        };
        let slots = self.layout.slots_of[target.index()].iter().copied();
        slots.filter(|slot| self.offers(row, *slot, service)).collect()
    }

    /// The first of the choices of the policies `any` and `greedy`.
    pub(super) fn first_choice(&self, row: &[u64], node: NodeId, requirement: usize) -> Vec<usize> {
        let need = &self.tables.needs[node.index()][requirement];
        let Some((target, service)) = need.target else { return Vec::new() };
        let declared = self.layout.declared[target.index()].iter().copied();
        let offering = declared.filter(|slot| self.offers(row, *slot, service));
        let size = if need.arity == Arity::All { usize::MAX } else { need.size() };
        offering.take(size).collect()
    }

    /// `choices` of `policy.rs`.
    fn choices(
        &self,
        providers: &[u64],
        row: &[u64],
        node: NodeId,
        requirement: usize,
    ) -> Vec<Vec<usize>> {
        let need = &self.tables.needs[node.index()][requirement];
        let offering = self.offering(providers, node, requirement);
        if offering.is_empty() {
            return Vec::new();
        }
        let stands_for_all =
            self.replica.tracking == Tracking::Representative && need.sort == Sort::ReplicaUnaware;
        match self.replica.policy {
            _ if need.arity == Arity::All => vec![offering],
            Policy::Any if !stands_for_all => subsets(&offering, need.size().min(offering.len())),
            Policy::Any | Policy::Greedy => vec![self.first_choice(providers, node, requirement)],
            Policy::LeastLoaded => {
                let mut load = vec![0_usize; self.layout.slots.len()];
                self.count_load(row, &mut load);
                let mut offering = offering;
                offering.sort_by_key(|slot| load[*slot]);
                offering.truncate(need.size());
                vec![offering]
            }
        }
    }

    fn count_load(&self, row: &[u64], load: &mut [usize]) {
        for binding in self.layout.slots.iter().flat_map(|s| &s.options).flat_map(|o| &o.bindings) {
            binding.field.each(row, |place| load[binding.candidates[place]] += 1);
        }
    }

    /// Binds requirements in each of the rows from `begin` on, once per choice of the policy,
    /// which looks at the row as it is given.
    pub(super) fn bind(
        &self,
        providers: &[u64],
        rows: NewRows,
        slot: usize,
        option: usize,
        requirements: &[usize],
        out: &mut Outgoing,
    ) {
        let NewRows { begin, number } = rows;
        let option = &self.layout.slots[slot].options[option];
        for given in begin..out.len() {
            let row = out.row(given).to_vec();
            let mut added = vec![given];
            for requirement in requirements {
                let binding = &option.bindings[*requirement];
                if matches!(binding.field, Bound::Untracked) {
                    continue;
                }
                let choices = self.choices(providers, &row, option.node, *requirement);
                for at in 0..added.len() {
                    let unbound = out.row(added[at]).to_vec();
                    for (choice, targets) in choices.iter().enumerate() {
                        let row = if choice == 0 {
                            out.row_mut(added[at])
                        } else {
                            added.push(out.len());
                            out.push(number, &unbound)
                        };
                        for target in targets {
                            if let Ok(place) = binding.candidates.binary_search(target) {
                                binding.field.insert(row, place);
                            }
                        }
                    }
                }
            }
        }
    }

    /// `ψ`: each of the rows from `begin` on goes from one element to another, with its bindings.
    pub(super) fn enter(
        &self,
        before: &[u64],
        rows: NewRows,
        slot: usize,
        from: usize,
        to: usize,
        out: &mut Outgoing,
    ) {
        let of = &self.layout.slots[slot];
        let node = self.tables.node[to];
        let Some(option) = of.option_of(node) else { return };
        let nothing = Vec::new();
        let relied = if from == ABSENT { &nothing } else { &self.tables.requires[from] };
        let relies = &self.tables.requires[to];
        for at in rows.begin..out.len() {
            let row = out.row_mut(at);
            of.set_element(row, option, to);
            for requirement in relied.iter().filter(|r| !relies.contains(r)) {
                of.options[option].bindings[*requirement].field.clear(row);
            }
        }
        let bindings = &of.options[option].bindings;
        let is_tracked =
            |requirement: &usize| !matches!(bindings[*requirement].field, Bound::Untracked);
        let is_new =
            |requirement: &&usize| !relied.contains(requirement) && is_tracked(requirement);
        if relies.iter().any(|requirement| is_new(&requirement)) {
            let new: Vec<usize> = relies.iter().filter(is_new).copied().collect();
            self.bind(before, rows, slot, option, &new, out);
        }
    }

    pub(super) fn create(
        &self,
        before: &[u64],
        number: u32,
        slot: usize,
        option: usize,
        container: usize,
        out: &mut Outgoing,
    ) -> bool {
        let of = &self.layout.slots[slot];
        let node = of.options[option].node;
        let holder = of.containers[container];
        let fits = match (self.tables.containment[node.index()], holder) {
            (None, None) => true,
            (Some(requirement), Some(holder)) => {
                let target = self.tables.needs[node.index()][requirement.index()].target;
                let element = self.element(before, holder);
                element != ABSENT
                    && target.is_some_and(|(target, _)| target == self.tables.node[element])
            }
            _ => false,
        };
        if !fits || of.element(before) != ABSENT || self.has_broken(before) {
            return false;
        }
        let begin = out.len();
        let row = out.push(number, before);
        of.container.set(row, container as u64);
        self.enter(
            before,
            NewRows { begin, number },
            slot,
            ABSENT,
            self.tables.initial[node.index()],
            out,
        );
        true
    }

    pub(super) fn scale_in(
        &self,
        before: &[u64],
        number: u32,
        slot: usize,
        out: &mut Outgoing,
    ) -> bool {
        if self.element(before, slot) == ABSENT || self.has_broken(before) {
            return false;
        }
        self.remove(out.push(number, before), slot);
        true
    }

    /// The instance of a slot goes, with every binding that touches it.
    pub(super) fn remove(&self, row: &mut [u64], slot: usize) {
        let of = &self.layout.slots[slot];
        let element = of.element(row);
        let option = if element == ABSENT { None } else { of.option_of(self.tables.node[element]) };
        of.clear(row, option);
        for referrer in &self.referrers[slot] {
            let option = &self.layout.slots[referrer.slot].options[referrer.option];
            let field = &option.bindings[referrer.requirement].field;
            if field.contains(row, referrer.candidate) {
                field.remove(row, referrer.candidate);
            }
        }
    }

    pub(super) fn op_start(
        &self,
        before: &[u64],
        number: u32,
        slot: usize,
        operations: &[Option<usize>],
        out: &mut Outgoing,
    ) -> bool {
        let element = self.element(before, slot);
        if element == ABSENT || self.has_broken(before) {
            return false;
        }
        let operation = self.layout.slots[slot]
            .option_of(self.tables.node[element])
            .and_then(|option| operations[option]);
        let starts = &self.tables.starts[element];
        let Some((_, alternatives)) = starts.iter().find(|(o, _)| Some(*o) == operation) else {
            return false;
        };
        for transition in alternatives {
            let begin = out.len();
            out.push(number, before);
            self.enter(before, NewRows { begin, number }, slot, element, *transition, out);
        }
        true
    }

    pub(super) fn op_end(
        &self,
        before: &[u64],
        number: u32,
        slot: usize,
        operations: &[Option<usize>],
        out: &mut Outgoing,
    ) -> bool {
        let element = self.element(before, slot);
        if element == ABSENT || self.has_broken(before) {
            return false;
        }
        let node = self.tables.node[element];
        let Some(option) = self.layout.slots[slot].option_of(node) else { return false };
        let performed = self.tables.transition_operation[element];
        if performed.is_none() || performed != operations[option] {
            return false;
        }
        let begin = out.len();
        let mut is_faulted = false;
        for (place, requirement) in self.tables.requires[element].iter().enumerate() {
            if self.is_satisfied(before, slot, element, *requirement) {
                continue;
            }
            let sort = self.tables.needs[node.index()][*requirement].sort;
            if sort == Sort::ReplicaUnaware && self.is_satisfiable(before, node, *requirement) {
                continue;
            }
            is_faulted = true;
            for target in &self.tables.handlers[element][place] {
                let begin = out.len();
                out.push(number, before);
                self.enter(before, NewRows { begin, number }, slot, element, *target, out);
            }
        }
        if is_faulted {
            return out.len() > begin;
        }
        out.push(number, before);
        self.enter(
            before,
            NewRows { begin, number },
            slot,
            element,
            self.tables.target[element],
            out,
        );
        true
    }
}

/// Every subset of `size` of the `items`, in lexicographic order; there are at least `size`.
fn subsets(items: &[usize], size: usize) -> Vec<Vec<usize>> {
    let mut subsets = vec![Vec::new()];
    for taken in 0..size {
        let mut longer = Vec::new();
        for subset in &subsets {
            let after = subset.last().map_or(0, |last| {
                items.iter().position(|item| item == last).map_or(0, |at| at + 1)
            });
            // Enough items must be left for the rest of the subset.
            for item in &items[after..=items.len() - (size - taken)] {
                longer.push([&subset[..], &[*item]].concat());
            }
        }
        subsets = longer;
    }
    subsets
}

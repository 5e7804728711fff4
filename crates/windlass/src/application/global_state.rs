//! `⟨G, H, V⟩`: which instances exist, where each one is, and what is bound to what.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::NodeId;
use crate::lifecycle::protocol::{Element, RequirementId};

/// The identifier of an instance, as users write it.
///
/// Paper: 004 Notation 3.1
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstanceId(pub String);

impl fmt::Display for InstanceId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl From<&str> for InstanceId {
    fn from(text: &str) -> Self {
        InstanceId(text.to_owned())
    }
}

/// `⟨i, e⟩_N` without its identifier.
///
/// Paper: 004 Def. 3.4
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instance {
    /// `N`.
    pub node: NodeId,
    /// `e`.
    pub element: Element,
}

/// `⟨G, H, V⟩`.
///
/// Paper: 004 Def. 3.5
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GlobalState {
    /// `G`: the active instances.
    pub instances: BTreeMap<InstanceId, Instance>,
    /// `H`: `⟨i, r, i'⟩`, with more than one `i'` only for arities beyond `any`.
    pub horizontal: BTreeSet<(InstanceId, RequirementId, InstanceId)>,
    /// `V`: `i` is contained in `i'` by its containment requirement.
    pub vertical: BTreeMap<InstanceId, (RequirementId, InstanceId)>,
}

impl GlobalState {
    /// `⟨∅, ∅, ∅⟩`.
    ///
    /// Paper: 004 Def. 3.6
    pub fn empty() -> Self {
        Self::default()
    }

    /// The instance with this id, if it is active.
    pub fn instance(&self, id: &InstanceId) -> Option<Instance> {
        self.instances.get(id).copied()
    }

    /// The active instances of a node, by id.
    pub fn of_node(&self, node: NodeId) -> impl Iterator<Item = (&InstanceId, Instance)> {
        self.instances.iter().filter(move |(_, i)| i.node == node).map(|(id, i)| (id, *i))
    }

    /// The instances that a horizontal requirement of `id` is bound to.
    pub fn bound(
        &self,
        id: &InstanceId,
        requirement: RequirementId,
    ) -> impl Iterator<Item = &InstanceId> {
        let from = (id.clone(), requirement, InstanceId(String::new()));
        let of_requirement = self.horizontal.range(from..);
        let id = id.clone();
        of_requirement
            .take_while(move |(source, r, _)| *source == id && *r == requirement)
            .map(|(_, _, target)| target)
    }

    /// Forgets what a horizontal requirement of `id` is bound to.
    pub(crate) fn unbind(&mut self, id: &InstanceId, requirement: RequirementId) {
        let targets: Vec<InstanceId> = self.bound(id, requirement).cloned().collect();
        for target in targets {
            self.horizontal.remove(&(id.clone(), requirement, target));
        }
    }

    /// The instance that contains `id`.
    pub fn container(&self, id: &InstanceId) -> Option<&InstanceId> {
        self.vertical.get(id).map(|(_, container)| container)
    }
}

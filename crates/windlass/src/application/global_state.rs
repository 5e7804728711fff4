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
}

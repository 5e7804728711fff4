//! Rules on how nodes hang together (paper 004 Def. 3.3 and what running needs beyond it).

pub(crate) mod capability_never_offered;
pub(crate) mod cyclic_topology;
pub(crate) mod replicas_without_faults;
pub(crate) mod too_few_providers;
pub(crate) mod unbound_requirement;
pub(crate) mod wrong_container;

use super::Rule;

/// The rules, in the order in which they run.
pub(crate) const RULES: &[&Rule] = &[
    &cyclic_topology::RULE,
    &unbound_requirement::RULE,
    &wrong_container::RULE,
    &too_few_providers::RULE,
    &capability_never_offered::RULE,
    &replicas_without_faults::RULE,
];

//! Rules on how nodes hang together (paper 004 Def. 3.3 and what running needs beyond it).

pub mod capability_never_offered;
pub mod cyclic_topology;
pub mod replicas_without_faults;
pub mod too_few_providers;
pub mod unbound_requirement;
pub mod wrong_container;

use super::Rule;

/// The rules, in the order in which they run.
pub const RULES: &[&Rule] = &[
    &cyclic_topology::RULE,
    &unbound_requirement::RULE,
    &wrong_container::RULE,
    &too_few_providers::RULE,
    &capability_never_offered::RULE,
    &replicas_without_faults::RULE,
];

//! Rules on nets and their connections (paper 002 section III).

mod choices;
pub mod crossed_dependency;
pub mod cyclic_net;
pub mod doubled_token;
pub mod group_without_port;
pub mod no_initial_place;
pub mod port_type_mismatch;
pub mod port_without_binding;
pub mod unconnected_port;
pub mod unreachable_place;
pub mod value_never_set;

use super::Rule;
use crate::application::ComponentType;
use crate::lifecycle::Net;

/// The rules, in the order in which they run.
pub const RULES: &[&Rule] = &[
    &cyclic_net::RULE,
    &unreachable_place::RULE,
    &group_without_port::RULE,
    &port_without_binding::RULE,
    &port_type_mismatch::RULE,
    &unconnected_port::RULE,
    &no_initial_place::RULE,
    &crossed_dependency::RULE,
    &value_never_set::RULE,
    &doubled_token::RULE,
];

/// Every type with its net.
fn nets<'a>(
    context: &super::Context<'a>,
) -> impl Iterator<Item = (&'a ComponentType, &'a Net)> + use<'a> {
    context.application.types.iter().filter_map(|t| t.net().map(|net| (t, net)))
}

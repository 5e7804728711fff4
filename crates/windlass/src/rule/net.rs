//! Rules on nets and their connections (paper 002 section III).

mod choices;
pub(crate) mod crossed_dependency;
pub(crate) mod cyclic_net;
pub(crate) mod doubled_token;
pub(crate) mod group_without_port;
pub(crate) mod no_initial_place;
pub(crate) mod port_type_mismatch;
pub(crate) mod port_without_binding;
pub(crate) mod unconnected_port;
pub(crate) mod unreachable_place;
pub(crate) mod value_never_set;

use super::Rule;
use crate::application::ComponentType;
use crate::lifecycle::Net;

/// The rules, in the order in which they run.
pub(crate) const RULES: &[&Rule] = &[
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

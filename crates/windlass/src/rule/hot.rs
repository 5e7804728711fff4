//! Rules on templates of OpenStack Heat: the invariants of paper 000 section 7.2, one file each.
//!
//! A file is named after the pattern that breaks the invariant; its head and its code tell the row
//! of the table: `HOT1..` for C, `HOT2..` for S, `HOT3..` for O, `HOT4..` for I, `HOT5..` for X.
//! Rows that only the reader can see are in [`CODES`]. Three rows of the report say what another
//! one says: O11 is in O09, O13 in S03, O42 in O39.

mod codes;
pub mod incompatible_properties;
mod look;
mod shared;

pub mod aap_on_port_of_unsecured_net;
mod alternatives;
pub mod asg_desired_out_of_bounds;
pub mod asg_min_above_max;
pub mod bdm2_image_and_image_id;
pub mod bdm2_not_one_source;
pub mod different_ipv6_modes;
pub mod fip_address_twice;
pub mod fip_subnet_outside_network;
pub mod flat_provider_net_without_physnet;
pub mod floating_network_not_external;
pub mod gateway_in_pool;
pub mod gateway_network_not_external;
pub mod gateway_outside_cidr;
pub mod group_role_domain_and_project;
pub mod ipv6_modes_on_v4;
pub mod l3_agents_without_ha;
pub mod min_adjustment_step_without_percent;
pub mod non_multiattach_volume_twice;
pub mod overlapping_pools_in_network;
pub mod overlapping_subnet_cidrs_of_network;
pub mod pool_end_before_start;
pub mod pool_max_below_min_prefixlen;
pub mod pool_min_prefixlen_zero_v4;
pub mod pool_outside_cidr;
pub mod port_ip_outside_subnet_cidr;
pub mod port_same_subnet_and_subnet_id;
pub mod port_subnet_and_subnet_id;
pub mod port_subnet_id_outside_network;
pub mod port_subnet_outside_network;
pub mod port_two_ips_per_subnet;
pub mod port_two_ips_per_subnet_id;
pub mod port_two_ips_per_version;
pub mod ports_same_ip;
pub mod ports_same_mac;
pub mod router_distributed_with_l3_agents;
pub mod router_fixed_ip_subnet_outside_gateway_net;
pub mod router_ha_and_distributed;
pub mod router_interface_not_port_xor_subnet;
pub mod router_interfaces_same_port;
pub mod routers_same_ip;
pub mod same_domain_name;
pub mod same_flavor_id;
pub mod same_group_name_in_domain;
pub mod same_pool_prefixes;
pub mod same_project_name_in_domain;
pub mod same_provider_net_name;
pub mod same_region_id;
pub mod same_role_name_in_domain;
pub mod same_user_name_in_domain;
pub mod server_bdm_and_bdm_v2;
pub mod server_fip_and_associated_fip_same_net;
pub mod server_fip_and_port_fip_same_net;
pub mod server_fixed_ip_and_port;
pub mod server_fixed_ip_twice;
pub mod server_network_entry_without_target;
pub mod server_not_one_boot_source;
pub mod server_port_twice;
pub mod server_subnet_outside_network;
pub mod server_uuid_and_network;
pub mod server_volume_twice;
pub mod server_without_router;
pub mod servers_same_fixed_ip;
pub mod servers_same_port;
pub mod servers_same_volume;
pub mod sg_ipv4_rule_with_ipv6_protocol;
pub mod sg_on_port_of_unsecured_net;
pub mod sg_port_range_reversed;
pub mod sg_port_range_without_ports;
pub mod small_prefixlen_without_pool_min;
pub mod software_deployment_without_user_data_format;
pub mod subnet_cidr_and_prefixlen;
pub mod subnet_without_cidr_or_pool;
pub mod two_fips_per_port_and_net;
pub mod unsecured_port_with_sg_or_aap;
pub mod user_role_domain_and_project;
pub mod volume_size_not_one_source;
pub mod volume_without_size;

pub use codes::CODES;

use super::{LooksAt, Rule};
use crate::diagnostic::{self, Diagnostic};
use crate::lang::hot::Stack;

/// The rules that look at a template, in the order in which they run: that of the table.
pub const RULES: &[&Rule] = &[
    &incompatible_properties::RULE,
    &router_distributed_with_l3_agents::RULE,
    &router_ha_and_distributed::RULE,
    &router_fixed_ip_subnet_outside_gateway_net::RULE,
    &router_interface_not_port_xor_subnet::RULE,
    &sg_port_range_reversed::RULE,
    &same_flavor_id::RULE,
    &volume_without_size::RULE,
    &same_provider_net_name::RULE,
    &user_role_domain_and_project::RULE,
    &group_role_domain_and_project::RULE,
    &same_region_id::RULE,
    &min_adjustment_step_without_percent::RULE,
    &sg_on_port_of_unsecured_net::RULE,
    &aap_on_port_of_unsecured_net::RULE,
    &pool_end_before_start::RULE,
    &overlapping_pools_in_network::RULE,
    &gateway_in_pool::RULE,
    &small_prefixlen_without_pool_min::RULE,
    &different_ipv6_modes::RULE,
    &ipv6_modes_on_v4::RULE,
    &subnet_without_cidr_or_pool::RULE,
    &subnet_cidr_and_prefixlen::RULE,
    &routers_same_ip::RULE,
    &l3_agents_without_ha::RULE,
    &router_interfaces_same_port::RULE,
    &sg_port_range_without_ports::RULE,
    &sg_ipv4_rule_with_ipv6_protocol::RULE,
    &port_two_ips_per_subnet::RULE,
    &port_two_ips_per_subnet_id::RULE,
    &port_same_subnet_and_subnet_id::RULE,
    &ports_same_ip::RULE,
    &port_two_ips_per_version::RULE,
    &port_subnet_and_subnet_id::RULE,
    &port_subnet_outside_network::RULE,
    &port_subnet_id_outside_network::RULE,
    &ports_same_mac::RULE,
    &unsecured_port_with_sg_or_aap::RULE,
    &server_port_twice::RULE,
    &servers_same_port::RULE,
    &server_bdm_and_bdm_v2::RULE,
    &server_volume_twice::RULE,
    &servers_same_volume::RULE,
    &servers_same_fixed_ip::RULE,
    &server_fixed_ip_twice::RULE,
    &server_uuid_and_network::RULE,
    &server_subnet_outside_network::RULE,
    &server_fip_and_port_fip_same_net::RULE,
    &server_fip_and_associated_fip_same_net::RULE,
    &server_fixed_ip_and_port::RULE,
    &bdm2_image_and_image_id::RULE,
    &bdm2_not_one_source::RULE,
    &software_deployment_without_user_data_format::RULE,
    &server_not_one_boot_source::RULE,
    &server_network_entry_without_target::RULE,
    &fip_subnet_outside_network::RULE,
    &fip_address_twice::RULE,
    &two_fips_per_port_and_net::RULE,
    &same_project_name_in_domain::RULE,
    &same_user_name_in_domain::RULE,
    &same_role_name_in_domain::RULE,
    &same_domain_name::RULE,
    &same_group_name_in_domain::RULE,
    &pool_min_prefixlen_zero_v4::RULE,
    &same_pool_prefixes::RULE,
    &pool_max_below_min_prefixlen::RULE,
    &flat_provider_net_without_physnet::RULE,
    &non_multiattach_volume_twice::RULE,
    &volume_size_not_one_source::RULE,
    &asg_desired_out_of_bounds::RULE,
    &asg_min_above_max::RULE,
    &overlapping_subnet_cidrs_of_network::RULE,
    &port_ip_outside_subnet_cidr::RULE,
    &gateway_outside_cidr::RULE,
    &pool_outside_cidr::RULE,
    &server_without_router::RULE,
    &floating_network_not_external::RULE,
    &gateway_network_not_external::RULE,
];

/// Everything that the rules find in a template and in those that it uses as types.
pub fn check(stack: &Stack) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for stack in std::iter::once(stack).chain(&stack.nested) {
        let mut own = Vec::new();
        for rule in RULES {
            if let LooksAt::Template(check) = rule.looks_at {
                check(stack, &mut own);
            }
        }
        alternatives::drop_those_that_never_meet(stack, &mut own);
        findings.append(&mut own);
    }
    // A template that is used twice has its mistakes once.
    diagnostic::without_repetitions(&mut findings);
    findings
}

//! Rules on templates of OpenStack Heat: the invariants of paper 000 section 7.2, one file each.
//!
//! A file is named after the pattern that breaks the invariant; its head and its code tell the row
//! of the table: `HOT1..` for C, `HOT2..` for S, `HOT3..` for O, `HOT4..` for I, `HOT5..` for X.
//! Rows that only the reader can see are in [`CODES`]. Three rows of the report say what another
//! one says: O11 is in O09, O13 in S03, O42 in O39.

mod codes;
pub(crate) mod incompatible_properties;
mod look;
mod shared;

pub(crate) mod aap_on_port_of_unsecured_net;
mod alternatives;
pub(crate) mod asg_desired_out_of_bounds;
pub(crate) mod asg_min_above_max;
pub(crate) mod bdm2_image_and_image_id;
pub(crate) mod bdm2_not_one_source;
pub(crate) mod different_ipv6_modes;
pub(crate) mod fip_address_twice;
pub(crate) mod fip_subnet_outside_network;
pub(crate) mod flat_provider_net_without_physnet;
pub(crate) mod floating_network_not_external;
pub(crate) mod gateway_in_pool;
pub(crate) mod gateway_network_not_external;
pub(crate) mod gateway_outside_cidr;
pub(crate) mod group_role_domain_and_project;
pub(crate) mod ipv6_modes_on_v4;
pub(crate) mod l3_agents_without_ha;
pub(crate) mod min_adjustment_step_without_percent;
pub(crate) mod non_multiattach_volume_twice;
pub(crate) mod overlapping_pools_in_network;
pub(crate) mod overlapping_subnet_cidrs_of_network;
pub(crate) mod pool_end_before_start;
pub(crate) mod pool_max_below_min_prefixlen;
pub(crate) mod pool_min_prefixlen_zero_v4;
pub(crate) mod pool_outside_cidr;
pub(crate) mod port_ip_outside_subnet_cidr;
pub(crate) mod port_same_subnet_and_subnet_id;
pub(crate) mod port_subnet_and_subnet_id;
pub(crate) mod port_subnet_id_outside_network;
pub(crate) mod port_subnet_outside_network;
pub(crate) mod port_two_ips_per_subnet;
pub(crate) mod port_two_ips_per_subnet_id;
pub(crate) mod port_two_ips_per_version;
pub(crate) mod ports_same_ip;
pub(crate) mod ports_same_mac;
pub(crate) mod router_distributed_with_l3_agents;
pub(crate) mod router_fixed_ip_subnet_outside_gateway_net;
pub(crate) mod router_ha_and_distributed;
pub(crate) mod router_interface_not_port_xor_subnet;
pub(crate) mod router_interfaces_same_port;
pub(crate) mod routers_same_ip;
pub(crate) mod same_domain_name;
pub(crate) mod same_flavor_id;
pub(crate) mod same_group_name_in_domain;
pub(crate) mod same_pool_prefixes;
pub(crate) mod same_project_name_in_domain;
pub(crate) mod same_provider_net_name;
pub(crate) mod same_region_id;
pub(crate) mod same_role_name_in_domain;
pub(crate) mod same_user_name_in_domain;
pub(crate) mod server_bdm_and_bdm_v2;
pub(crate) mod server_fip_and_associated_fip_same_net;
pub(crate) mod server_fip_and_port_fip_same_net;
pub(crate) mod server_fixed_ip_and_port;
pub(crate) mod server_fixed_ip_twice;
pub(crate) mod server_network_entry_without_target;
pub(crate) mod server_not_one_boot_source;
pub(crate) mod server_port_twice;
pub(crate) mod server_subnet_outside_network;
pub(crate) mod server_uuid_and_network;
pub(crate) mod server_volume_twice;
pub(crate) mod server_without_router;
pub(crate) mod servers_same_fixed_ip;
pub(crate) mod servers_same_port;
pub(crate) mod servers_same_volume;
pub(crate) mod sg_ipv4_rule_with_ipv6_protocol;
pub(crate) mod sg_on_port_of_unsecured_net;
pub(crate) mod sg_port_range_reversed;
pub(crate) mod sg_port_range_without_ports;
pub(crate) mod small_prefixlen_without_pool_min;
pub(crate) mod software_deployment_without_user_data_format;
pub(crate) mod subnet_cidr_and_prefixlen;
pub(crate) mod subnet_without_cidr_or_pool;
pub(crate) mod two_fips_per_port_and_net;
pub(crate) mod unsecured_port_with_sg_or_aap;
pub(crate) mod user_role_domain_and_project;
pub(crate) mod volume_size_not_one_source;
pub(crate) mod volume_without_size;

pub(crate) use codes::CODES;

use super::{LooksAt, Rule};
use crate::diagnostic::{self, Diagnostic};
use crate::lang::hot::Stack;

/// The rules that look at a template, in the order in which they run: that of the table.
pub(crate) const RULES: &[&Rule] = &[
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
pub(crate) fn check(stack: &Stack) -> Vec<Diagnostic> {
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

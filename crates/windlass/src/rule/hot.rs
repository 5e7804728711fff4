//! Rules on templates of OpenStack Heat: the invariants of paper 000 section 7.2, one file each.
//!
//! The name of a file is the name of its row in the table of invariants; the code tells the row
//! too:
//! `HOT1..` for C, `HOT2..` for S, `HOT3..` for O, `HOT4..` for I, `HOT5..` for X. Rows that only
//! the reader can see are in [`CODES`]. Three rows of the report say
//! what another one says: O11 is in O09, O13 in S03, O42 in O39.

mod codes;
mod look;
pub mod property_combination;
mod shared;

mod alternatives;
pub mod asg_desired_between;
pub mod asg_min_le_max;
pub mod bdm2_not_image_and_image_id;
pub mod bdm2_one_source;
pub mod domain_names_unique;
pub mod fip_address_once;
pub mod fip_one_per_port_and_net;
pub mod fip_subnet_in_network;
pub mod flat_provider_net_needs_physnet;
pub mod flavor_id_unique;
pub mod floating_network_must_be_external;
pub mod gateway_in_cidr;
pub mod gateway_network_must_be_external;
pub mod gateway_not_in_pool;
pub mod group_names_unique_in_domain;
pub mod group_role_domain_xor_project;
pub mod ipv6_modes_equal;
pub mod ipv6_modes_only_v6;
pub mod l3_agents_need_ha;
pub mod min_adjustment_step_needs_percent;
pub mod no_aap_on_port_of_unsecured_net;
pub mod no_sg_on_port_of_unsecured_net;
pub mod non_multiattach_volume_once;
pub mod pool_end_ge_start;
pub mod pool_in_cidr;
pub mod pool_max_ge_min_prefixlen;
pub mod pool_min_prefixlen_positive_v4;
pub mod pools_disjoint_in_network;
pub mod pools_distinct_prefixes;
pub mod port_ip_in_subnet_cidr;
pub mod port_not_subnet_and_subnet_id;
pub mod port_one_ip_per_subnet;
pub mod port_one_ip_per_subnet_id;
pub mod port_one_ip_per_version;
pub mod port_subnet_id_in_network;
pub mod port_subnet_in_network;
pub mod port_subnet_vs_subnet_id;
pub mod ports_distinct_ip;
pub mod ports_distinct_mac;
pub mod project_names_unique_in_domain;
pub mod provider_net_name_unique;
pub mod region_id_unique;
pub mod role_names_unique_in_domain;
pub mod router_distributed_xor_l3_agents;
pub mod router_fixed_ip_subnet_in_gateway_net;
pub mod router_interface_port_xor_subnet;
pub mod router_interfaces_distinct_ports;
pub mod router_not_ha_and_distributed;
pub mod routers_distinct_ip;
pub mod server_fip_vs_port_fip_net_1;
pub mod server_fip_vs_port_fip_net_2;
pub mod server_fixed_ip_once;
pub mod server_network_entry_has_target;
pub mod server_not_bdm_and_bdm_v2;
pub mod server_not_fixed_ip_and_port;
pub mod server_not_uuid_and_network;
pub mod server_one_boot_source;
pub mod server_port_once;
pub mod server_reaches_router;
pub mod server_subnet_in_network;
pub mod server_volume_once;
pub mod servers_distinct_fixed_ip;
pub mod servers_distinct_volumes;
pub mod servers_must_not_share_port;
pub mod sg_ipv4_rule_no_ipv6_protocol;
pub mod sg_port_range_ordered;
pub mod sg_port_range_protocols;
pub mod small_prefixlen_needs_pool_min;
pub mod software_deployment_needs_user_data_format;
pub mod subnet_cidr_or_pool;
pub mod subnet_cidrs_of_network_must_not_overlap;
pub mod subnet_not_cidr_and_prefixlen;
pub mod unsecured_port_no_sg_no_aap;
pub mod user_names_unique_in_domain;
pub mod user_role_domain_xor_project;
pub mod volume_size_one_source;
pub mod volume_size_required;

pub use codes::CODES;

use super::{LooksAt, Rule};
use crate::diagnostic::{self, Diagnostic};
use crate::lang::hot::Stack;

/// The rules that look at a template, in the order in which they run: that of the table.
pub const RULES: &[&Rule] = &[
    &property_combination::RULE,
    &router_distributed_xor_l3_agents::RULE,
    &router_not_ha_and_distributed::RULE,
    &router_fixed_ip_subnet_in_gateway_net::RULE,
    &router_interface_port_xor_subnet::RULE,
    &sg_port_range_ordered::RULE,
    &flavor_id_unique::RULE,
    &volume_size_required::RULE,
    &provider_net_name_unique::RULE,
    &user_role_domain_xor_project::RULE,
    &group_role_domain_xor_project::RULE,
    &region_id_unique::RULE,
    &min_adjustment_step_needs_percent::RULE,
    &no_sg_on_port_of_unsecured_net::RULE,
    &no_aap_on_port_of_unsecured_net::RULE,
    &pool_end_ge_start::RULE,
    &pools_disjoint_in_network::RULE,
    &gateway_not_in_pool::RULE,
    &small_prefixlen_needs_pool_min::RULE,
    &ipv6_modes_equal::RULE,
    &ipv6_modes_only_v6::RULE,
    &subnet_cidr_or_pool::RULE,
    &subnet_not_cidr_and_prefixlen::RULE,
    &routers_distinct_ip::RULE,
    &l3_agents_need_ha::RULE,
    &router_interfaces_distinct_ports::RULE,
    &sg_port_range_protocols::RULE,
    &sg_ipv4_rule_no_ipv6_protocol::RULE,
    &port_one_ip_per_subnet::RULE,
    &port_one_ip_per_subnet_id::RULE,
    &port_subnet_vs_subnet_id::RULE,
    &ports_distinct_ip::RULE,
    &port_one_ip_per_version::RULE,
    &port_not_subnet_and_subnet_id::RULE,
    &port_subnet_in_network::RULE,
    &port_subnet_id_in_network::RULE,
    &ports_distinct_mac::RULE,
    &unsecured_port_no_sg_no_aap::RULE,
    &server_port_once::RULE,
    &servers_must_not_share_port::RULE,
    &server_not_bdm_and_bdm_v2::RULE,
    &server_volume_once::RULE,
    &servers_distinct_volumes::RULE,
    &servers_distinct_fixed_ip::RULE,
    &server_fixed_ip_once::RULE,
    &server_not_uuid_and_network::RULE,
    &server_subnet_in_network::RULE,
    &server_fip_vs_port_fip_net_1::RULE,
    &server_fip_vs_port_fip_net_2::RULE,
    &server_not_fixed_ip_and_port::RULE,
    &bdm2_not_image_and_image_id::RULE,
    &bdm2_one_source::RULE,
    &software_deployment_needs_user_data_format::RULE,
    &server_one_boot_source::RULE,
    &server_network_entry_has_target::RULE,
    &fip_subnet_in_network::RULE,
    &fip_address_once::RULE,
    &fip_one_per_port_and_net::RULE,
    &project_names_unique_in_domain::RULE,
    &user_names_unique_in_domain::RULE,
    &role_names_unique_in_domain::RULE,
    &domain_names_unique::RULE,
    &group_names_unique_in_domain::RULE,
    &pool_min_prefixlen_positive_v4::RULE,
    &pools_distinct_prefixes::RULE,
    &pool_max_ge_min_prefixlen::RULE,
    &flat_provider_net_needs_physnet::RULE,
    &non_multiattach_volume_once::RULE,
    &volume_size_one_source::RULE,
    &asg_desired_between::RULE,
    &asg_min_le_max::RULE,
    &subnet_cidrs_of_network_must_not_overlap::RULE,
    &port_ip_in_subnet_cidr::RULE,
    &gateway_in_cidr::RULE,
    &pool_in_cidr::RULE,
    &server_reaches_router::RULE,
    &floating_network_must_be_external::RULE,
    &gateway_network_must_be_external::RULE,
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

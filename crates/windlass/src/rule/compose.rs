//! Rules for Docker Compose: what `docker compose config` is silent about.
//!
//! A rule is one file with a constant and a function that looks at a project, and one line below.
//! None of them refuses what Compose accepts; `check --strict` lets them fail.

pub mod address_outside_subnet;
pub mod beyond_classic_builder;
pub mod command_cut_off;
pub mod completion_of_restarted_service;
pub mod contradicting_resources;
pub mod engine_socket_mount;
pub mod first_exit_decides;
pub mod fixed_port_with_replicas;
pub mod healthy_without_healthcheck;
pub mod host_port_clash;
pub mod ignored_deploy_key;
pub mod image_without_version;
pub mod missing_bind_source;
pub mod name_of_all_projects;
pub mod needs_plugin;
pub mod one_image_two_platforms;
pub mod one_letter_volume;
pub mod overlapping_subnets;
pub mod privileged_service;
pub mod same_address;
pub mod secret_in_environment;
pub mod secret_of_cluster;
pub mod started_though_checked;
pub mod unknown_mount_option;
pub mod unknown_restart_policy;
pub mod unused_resource;

use std::collections::BTreeSet;

use super::Rule;
use crate::diagnostic::Diagnostic;
use crate::lang::compose::Project;
use crate::source::Sources;

/// Looks for one bad pattern in a project.
pub type Check = fn(&Project, &Sources, &mut Vec<Diagnostic>);

/// The rules with how each one looks, in the order in which they run. One line each.
pub const RULES: &[(&Rule, Check)] = &[
    (&healthy_without_healthcheck::RULE, |project, _, findings| {
        healthy_without_healthcheck::check(project, findings);
    }),
    (&host_port_clash::RULE, |project, _, findings| host_port_clash::check(project, findings)),
    (&fixed_port_with_replicas::RULE, |project, _, findings| {
        fixed_port_with_replicas::check(project, findings);
    }),
    (&completion_of_restarted_service::RULE, |project, _, findings| {
        completion_of_restarted_service::check(project, findings);
    }),
    (&first_exit_decides::RULE, |project, _, findings| {
        first_exit_decides::check(project, findings);
    }),
    (&one_letter_volume::RULE, |project, _, findings| one_letter_volume::check(project, findings)),
    (&started_though_checked::RULE, |project, _, findings| {
        started_though_checked::check(project, findings);
    }),
    (&unused_resource::RULE, |project, _, findings| unused_resource::check(project, findings)),
    (&overlapping_subnets::RULE, |project, _, findings| {
        overlapping_subnets::check(project, findings);
    }),
    (&same_address::RULE, |project, _, findings| same_address::check(project, findings)),
    (&address_outside_subnet::RULE, |project, _, findings| {
        address_outside_subnet::check(project, findings);
    }),
    (&secret_in_environment::RULE, secret_in_environment::check),
    (&image_without_version::RULE, |project, _, findings| {
        image_without_version::check(project, findings);
    }),
    (&privileged_service::RULE, |project, _, findings| {
        privileged_service::check(project, findings);
    }),
    (&engine_socket_mount::RULE, |project, _, findings| {
        engine_socket_mount::check(project, findings);
    }),
    (&missing_bind_source::RULE, |project, _, findings| {
        missing_bind_source::check(project, findings);
    }),
    (&ignored_deploy_key::RULE, |project, _, findings| {
        ignored_deploy_key::check(project, findings);
    }),
    (&contradicting_resources::RULE, |project, _, findings| {
        contradicting_resources::check(project, findings);
    }),
    (&name_of_all_projects::RULE, |project, _, findings| {
        name_of_all_projects::check(project, findings);
    }),
    (&unknown_restart_policy::RULE, |project, _, findings| {
        unknown_restart_policy::check(project, findings);
    }),
    (&unknown_mount_option::RULE, |project, _, findings| {
        unknown_mount_option::check(project, findings);
    }),
    (&one_image_two_platforms::RULE, |project, _, findings| {
        one_image_two_platforms::check(project, findings);
    }),
    (&needs_plugin::RULE, |project, _, findings| {
        needs_plugin::check(project, findings);
    }),
    (&secret_of_cluster::RULE, |project, _, findings| {
        secret_of_cluster::check(project, findings);
    }),
    (&beyond_classic_builder::RULE, |project, _, findings| {
        beyond_classic_builder::check(project, findings);
    }),
    (&command_cut_off::RULE, |project, _, findings| {
        command_cut_off::check(project, findings);
    }),
];

/// Everything that the rules find in a project, in the order of its texts.
pub fn check(project: &Project, sources: &Sources) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for (_, check) in RULES {
        check(project, sources, &mut findings);
    }
    project.explain(&mut findings);
    crate::diagnostic::sort(&mut findings);
    findings
}

/// Ports in words: `port 80`, `ports 80 and 82`, `ports 80-99 and 5 more`.
pub(crate) fn ports_in_words(ports: &BTreeSet<u16>) -> String {
    /// More ranges than that are too long for a message.
    const SHOWN: usize = 3;
    let mut ranges: Vec<(u16, u16)> = Vec::new();
    for port in ports {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *port => *last = *port,
            _ => ranges.push((*port, *port)),
        }
    }
    let (shown, hidden) = ranges.split_at(ranges.len().min(SHOWN));
    let word = |(first, last): &(u16, u16)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    let mut words: Vec<String> = shown.iter().map(word).collect();
    let more: u32 = hidden.iter().map(|(first, last)| u32::from(last - first) + 1).sum();
    if more > 0 {
        words.push(format!("{more} more"));
    }
    let kind = if ports.len() == 1 { "port" } else { "ports" };
    let last = words.pop().unwrap_or_default();
    match words.join(", ").as_str() {
        "" => format!("{kind} {last}"),
        before => format!("{kind} {before} and {last}"),
    }
}

//! Rules for Docker Compose: what Compose refuses in a project, and what `docker compose config` is
//! silent about.
//!
//! A rule is one file with a constant and a function that looks at a project, and one line in
//! `RULES`; what only the reader sees is in `CODES`.
//! None of them makes an
//! error of what Compose accepts; `check --strict` lets them fail.

pub(crate) mod address_outside_subnet;
pub(crate) mod bad_compose_value;
pub mod beyond_classic_builder;
mod codes;
pub(crate) mod command_cut_off;
pub(crate) mod completion_of_restarted_service;
pub(crate) mod conflicting_keys;
mod conflicting_limits;
pub(crate) mod contradicting_resources;
pub(crate) mod dependency_cycle;
pub(crate) mod engine_socket_mount;
pub(crate) mod first_exit_decides;
pub(crate) mod fixed_port_with_replicas;
pub(crate) mod healthy_without_healthcheck;
pub(crate) mod host_port_clash;
pub(crate) mod ignored_deploy_key;
pub(crate) mod image_without_version;
pub(crate) mod missing_bind_source;
pub(crate) mod name_of_all_projects;
pub(crate) mod needs_plugin;
pub mod no_image;
pub(crate) mod one_image_two_platforms;
pub(crate) mod one_letter_volume;
pub(crate) mod overlapping_subnets;
pub(crate) mod privileged_service;
pub(crate) mod same_address;
pub(crate) mod same_container_name;
pub(crate) mod same_mount_target;
pub(crate) mod secret_in_environment;
pub(crate) mod secret_of_cluster;
pub(crate) mod started_though_checked;
pub(crate) mod undefined_in_compose;
pub(crate) mod unknown_mount_option;
pub(crate) mod unknown_restart_policy;
pub(crate) mod unused_resource;

pub(crate) use codes::CODES;

use std::collections::BTreeSet;

use super::{LooksAt, Rule, Tag};
use crate::diagnostic::Diagnostic;
use crate::lang::compose::Project;
use crate::lang::compose::project::Service;
use crate::source::{Sources, Span};

/// What Compose refuses, too: a project with such a finding is not lowered.
pub(crate) const REFUSED: &[&Rule] = &[
    &undefined_in_compose::RULE,
    &no_image::RULE,
    &conflicting_keys::RULE,
    &dependency_cycle::RULE,
    &same_container_name::RULE,
    &bad_compose_value::RULE,
    &same_mount_target::RULE,
];

/// What Compose accepts, in the order in which the rules run.
pub(crate) const RULES: &[&Rule] = &[
    &healthy_without_healthcheck::RULE,
    &host_port_clash::RULE,
    &fixed_port_with_replicas::RULE,
    &completion_of_restarted_service::RULE,
    &first_exit_decides::RULE,
    &one_letter_volume::RULE,
    &started_though_checked::RULE,
    &unused_resource::RULE,
    &overlapping_subnets::RULE,
    &same_address::RULE,
    &address_outside_subnet::RULE,
    &secret_in_environment::RULE,
    &image_without_version::RULE,
    &privileged_service::RULE,
    &engine_socket_mount::RULE,
    &missing_bind_source::RULE,
    &ignored_deploy_key::RULE,
    &contradicting_resources::RULE,
    &name_of_all_projects::RULE,
    &unknown_restart_policy::RULE,
    &unknown_mount_option::RULE,
    &one_image_two_platforms::RULE,
    &needs_plugin::RULE,
    &secret_of_cluster::RULE,
    &beyond_classic_builder::RULE,
    &command_cut_off::RULE,
];

/// Everything that Compose refuses in a project. What is said to be missing from an incomplete one
/// may stand in what could not be read.
pub(crate) fn check_refused(project: &Project, is_complete: bool) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for rule in REFUSED.iter().filter(|it| is_complete || !it.has(Tag::NeedsWholeProject)) {
        if let LooksAt::Project(check) = rule.looks_at {
            check(project, &mut findings);
        }
    }
    findings
}

/// The services that a build takes as contexts, with the places where it says so.
fn service_contexts(service: &Service) -> Vec<(String, Span)> {
    let Some(contexts) = service.item.at(&["build", "additional_contexts"]) else {
        return Vec::new();
    };
    let of_map = contexts.entries().map(|(_, entry)| (entry.item.plain(), entry.item.span));
    let of_list = contexts.items().iter().map(|item| {
        let text = item.plain();
        (text.split_once('=').map(|(_, path)| path.to_owned()).unwrap_or(text), item.span)
    });
    let services = of_map.chain(of_list).filter_map(|(context, span)| {
        context.strip_prefix("service:").map(|service| (service.to_owned(), span))
    });
    services.collect()
}

/// Everything that the other rules find in a project, in the order of its texts.
pub fn check(project: &Project, sources: &Sources) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for rule in RULES {
        match rule.looks_at {
            LooksAt::Project(check) => check(project, &mut findings),
            LooksAt::ProjectText(check) => check(project, sources, &mut findings),
            _ => {}
        }
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

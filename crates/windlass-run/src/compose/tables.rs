//! The order in which Compose 2.40.3 writes the keys of a service, and what kind of value each has.
//!
//! Facts about its output, found by asking it: a key that is absent, empty, false or zero is left
//! out unless said otherwise.

/// What a value is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// A text.
    Text,
    /// A whole number.
    Int,
    /// A number.
    Number,
    /// A flag that is left out when it is off.
    Flag,
    /// A flag that is written whenever it was given.
    Choice,
    /// A list of texts, or one text.
    Texts,
    /// A command, split into words; written also when it is absent.
    Command,
    /// Texts by name, from a mapping or from `NAME=VALUE`.
    Map,
    /// Sizes are written as texts.
    Bytes,
    /// Durations are written as Go does.
    Time,
    /// A duration that is left out when it is zero.
    Lapse,
    /// A whole number that is written also when it is zero.
    Count,
    /// Keys in an order.
    Record(&'static [Key]),
    /// The same, written also when it is empty or absent.
    Always(&'static [Key]),
    /// A list of records.
    Records(&'static [Key]),
    /// Devices that are asked for: all of them, unless a number or names are given.
    Requests,
    /// Values by name, where some have none.
    Variables,
    /// Written under another name.
    Named(&'static str, &'static Kind),
    /// Made by hand.
    Special(Special),
}

/// Values with rules of their own.
#[derive(Debug, Clone, Copy)]
pub(super) enum Special {
    Environment,
    Labels,
    Ports,
    Volumes,
    Networks,
    Secrets,
    Configs,
    Devices,
    Hosts,
    Health,
    Ulimits,
    Gpus,
    Models,
    Watch,
}

/// A key and its kind.
pub(super) type Key = (&'static str, Kind);

use Kind::{
    Always, Bytes, Choice, Command, Count, Flag, Int, Lapse, Map, Named, Number, Record, Records,
    Requests, Text, Texts, Time,
};

/// A service, without what does not count: build, dependencies, profiles, scale, pull policy.
pub(super) const SERVICE: &[Key] = &[
    ("annotations", Map),
    ("attach", Choice),
    ("develop", Record(&[("watch", Kind::Special(Special::Watch))])),
    ("blkio_config", Record(BLKIO)),
    ("cap_add", Texts),
    ("cap_drop", Texts),
    ("cgroup_parent", Text),
    ("cgroup", Text),
    ("cpu_count", Int),
    ("cpu_percent", Number),
    ("cpu_period", Int),
    ("cpu_quota", Int),
    ("cpu_rt_period", Int),
    ("cpu_rt_runtime", Int),
    ("cpus", Number),
    ("cpuset", Text),
    ("cpu_shares", Int),
    ("command", Command),
    ("configs", Kind::Special(Special::Configs)),
    ("container_name", Text),
    ("credential_spec", Record(&[("config", Text), ("file", Text), ("registry", Text)])),
    ("deploy", Record(DEPLOY)),
    ("device_cgroup_rules", Texts),
    ("devices", Kind::Special(Special::Devices)),
    ("dns", Texts),
    ("dns_opt", Texts),
    ("dns_search", Texts),
    ("domainname", Text),
    ("entrypoint", Command),
    ("environment", Kind::Special(Special::Environment)),
    ("expose", Texts),
    ("external_links", Texts),
    ("extra_hosts", Kind::Special(Special::Hosts)),
    ("group_add", Texts),
    ("gpus", Kind::Special(Special::Gpus)),
    ("hostname", Text),
    ("healthcheck", Kind::Special(Special::Health)),
    ("image", Text),
    ("init", Choice),
    ("ipc", Text),
    ("isolation", Text),
    ("labels", Kind::Special(Special::Labels)),
    ("links", Texts),
    ("logging", Record(LOGGING)),
    ("mem_limit", Bytes),
    ("mem_reservation", Bytes),
    ("memswap_limit", Bytes),
    ("mem_swappiness", Bytes),
    ("mac_address", Text),
    ("models", Kind::Special(Special::Models)),
    ("network_mode", Text),
    ("networks", Kind::Special(Special::Networks)),
    ("oom_kill_disable", Flag),
    ("oom_score_adj", Int),
    ("pid", Text),
    ("pids_limit", Int),
    ("platform", Text),
    ("ports", Kind::Special(Special::Ports)),
    ("privileged", Flag),
    ("read_only", Flag),
    ("restart", Text),
    ("runtime", Text),
    ("secrets", Kind::Special(Special::Secrets)),
    ("security_opt", Texts),
    ("shm_size", Bytes),
    ("stdin_open", Flag),
    ("stop_grace_period", Time),
    ("stop_signal", Text),
    ("storage_opt", Map),
    ("sysctls", Map),
    ("tmpfs", Texts),
    ("tty", Flag),
    ("ulimits", Kind::Special(Special::Ulimits)),
    ("use_api_socket", Flag),
    ("user", Text),
    ("userns_mode", Text),
    ("uts", Text),
    ("volumes", Kind::Special(Special::Volumes)),
    ("volumes_from", Texts),
    ("working_dir", Text),
    ("post_start", Records(HOOK)),
    ("pre_stop", Records(HOOK)),
];

pub(super) const HOOK: &[Key] = &[
    ("command", Command),
    ("user", Text),
    ("privileged", Flag),
    ("working_dir", Text),
    ("environment", Kind::Variables),
];

/// What is watched, after its path and before the rest.
pub(super) const WATCH: &[Key] = &[
    ("action", Text),
    ("target", Text),
    ("exec", Always(HOOK)),
    ("include", Texts),
    ("ignore", Texts),
    ("initial_sync", Flag),
];

pub(super) const MODEL: &[Key] = &[("endpoint_var", Text), ("model_var", Text)];

const BLKIO: &[Key] = &[
    ("weight", Int),
    (
        "weight_device",
        Records(&[("path", Named("Path", &Text)), ("weight", Named("Weight", &Int))]),
    ),
    ("device_read_bps", Records(RATE)),
    ("device_read_iops", Records(RATE)),
    ("device_write_bps", Records(RATE)),
    ("device_write_iops", Records(RATE)),
];

/// Compose writes these two with capitals.
const RATE: &[Key] = &[("path", Named("Path", &Text)), ("rate", Named("Rate", &Bytes))];

const LOGGING: &[Key] = &[("driver", Text), ("options", Map)];

const UPDATE: &[Key] = &[
    ("parallelism", Count),
    ("delay", Lapse),
    ("failure_action", Text),
    ("monitor", Lapse),
    ("max_failure_ratio", Number),
    ("order", Text),
];

const DEPLOY: &[Key] = &[
    ("mode", Text),
    ("labels", Map),
    ("update_config", Record(UPDATE)),
    ("rollback_config", Record(UPDATE)),
    ("resources", Always(RESOURCES)),
    ("restart_policy", Record(RESTART)),
    ("placement", Always(PLACEMENT)),
    ("endpoint_mode", Text),
];

const RESOURCES: &[Key] = &[("limits", Record(RESOURCE)), ("reservations", Record(RESOURCE))];

const RESOURCE: &[Key] = &[
    ("cpus", Number),
    ("memory", Bytes),
    ("pids", Int),
    ("devices", Requests),
    ("generic_resources", Records(GENERIC)),
];

const GENERIC: &[Key] = &[("discrete_resource_spec", Record(&[("kind", Text), ("value", Count)]))];

pub(super) const DEVICE_REQUEST: &[Key] = &[
    ("capabilities", Texts),
    ("driver", Text),
    ("count", Int),
    ("device_ids", Texts),
    ("options", Map),
];

const RESTART: &[Key] =
    &[("condition", Text), ("delay", Time), ("max_attempts", Count), ("window", Time)];

const PLACEMENT: &[Key] = &[
    ("constraints", Texts),
    ("preferences", Records(&[("spread", Text)])),
    ("max_replicas_per_node", Int),
];

pub(super) const ATTACHMENT: &[Key] = &[
    ("aliases", Texts),
    ("driver_opts", Map),
    ("gw_priority", Int),
    ("interface_name", Text),
    ("ipv4_address", Text),
    ("ipv6_address", Text),
    ("link_local_ips", Texts),
    ("mac_address", Text),
    ("priority", Int),
];

pub(super) const PORT: &[Key] = &[
    ("name", Text),
    ("mode", Text),
    ("host_ip", Text),
    ("target", Int),
    ("published", Text),
    ("protocol", Text),
    ("app_protocol", Text),
];

pub(super) const HEALTH: &[Key] = &[
    ("timeout", Time),
    ("interval", Time),
    ("retries", Count),
    ("start_period", Time),
    ("start_interval", Time),
    ("disable", Flag),
];

pub(super) const BIND: &[Key] =
    &[("selinux", Text), ("propagation", Text), ("create_host_path", Flag), ("recursive", Text)];

pub(super) const VOLUME: &[Key] = &[("labels", Map), ("nocopy", Flag), ("subpath", Text)];

pub(super) const IMAGE: &[Key] = &[("subpath", Text)];

pub(super) const TMPFS: &[Key] = &[("size", Bytes), ("mode", Int)];

pub(super) const IPAM: &[Key] = &[
    ("driver", Text),
    (
        "config",
        Records(&[("subnet", Text), ("gateway", Text), ("ip_range", Text), ("aux_addresses", Map)]),
    ),
];

/// A network, after its name.
pub(super) const NETWORK: &[Key] = &[
    ("driver", Text),
    ("driver_opts", Map),
    ("ipam", Always(IPAM)),
    ("internal", Flag),
    ("attachable", Flag),
    ("labels", Map),
    ("enable_ipv4", Choice),
    ("enable_ipv6", Choice),
];

/// A volume, after its name and driver.
pub(super) const STORE: &[Key] = &[("driver_opts", Map), ("labels", Map)];

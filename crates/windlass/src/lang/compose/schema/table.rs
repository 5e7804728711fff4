//! The keys of a Compose file as Compose 2.40.3 accepts them, as data.

use super::{Keys, Shape};
use Shape::{
    Any, Between, Bool, Containing, Either, Int, List, Named, Null, Num, Pairs, Str, Unique, Words,
};

/// A mapping with these keys, and with `x-` keys.
const fn keys(known: &'static [(&'static str, Shape)]) -> Keys {
    Keys { known, required: &[], extensible: true, open: false }
}

/// The same, some of them required.
const fn needs(required: &'static [&'static str], known: &'static [(&'static str, Shape)]) -> Keys {
    Keys { known, required, extensible: true, open: false }
}

/// A mapping with these keys and no others.
const fn closed(
    required: &'static [&'static str],
    known: &'static [(&'static str, Shape)],
) -> Keys {
    Keys { known, required, extensible: false, open: false }
}

const TEXTS: Shape = Unique(&Str);
const TEXT_OR_TEXTS: Shape = Either(&[Str, TEXTS]);
const FLAG: Shape = Either(&[Bool, Str]);
const NUMBER: Shape = Either(&[Num, Str]);
const COUNT: Shape = Either(&[Int, Str]);
const SCALAR: Shape = Either(&[Str, Num, Bool, Null]);
const PAIRS: Shape = Either(&[Pairs(&SCALAR), TEXTS]);
const OPTIONS: Shape = Pairs(&Either(&[Str, Num]));
const COMMAND: Shape = Either(&[Null, Str, List(&Str)]);
const HOSTS: Shape = Either(&[Pairs(&Either(&[Str, List(&Str)])), TEXTS]);

/// The whole file.
pub(super) const FILE: Shape = Shape::Keys(&keys(&[
    ("configs", Named(&Shape::Keys(&CONFIG))),
    ("include", List(&Either(&[Str, Shape::Keys(&INCLUDE)]))),
    ("models", Pairs(&Shape::Keys(&MODEL))),
    ("name", Str),
    ("networks", Pairs(&Either(&[Shape::Keys(&NETWORK), Null]))),
    ("secrets", Named(&Shape::Keys(&SECRET))),
    ("services", Named(&Shape::Keys(&SERVICE))),
    ("version", Str),
    ("volumes", Named(&Either(&[Shape::Keys(&VOLUME), Null]))),
]));

const INCLUDE: Keys = closed(
    &[],
    &[("env_file", TEXT_OR_TEXTS), ("path", TEXT_OR_TEXTS), ("project_directory", Str)],
);

const MODEL: Keys = needs(
    &["model"],
    &[("context_size", Int), ("model", Str), ("name", Str), ("runtime_flags", List(&Str))],
);

const EXTERNAL: Shape = Either(&[Bool, Str, Shape::Keys(&keys(&[("name", Str)]))]);
const OPEN_EXTERNAL: Shape = Either(&[
    Bool,
    Str,
    Shape::Keys(&Keys { known: &[("name", Str)], required: &[], extensible: true, open: true }),
]);

const NETWORK: Keys = keys(&[
    ("attachable", FLAG),
    ("driver", Str),
    ("driver_opts", OPTIONS),
    ("enable_ipv4", FLAG),
    ("enable_ipv6", FLAG),
    ("external", EXTERNAL),
    ("internal", FLAG),
    ("ipam", Shape::Keys(&IPAM)),
    ("labels", PAIRS),
    ("name", Str),
]);

const IPAM: Keys =
    keys(&[("config", List(&Shape::Keys(&SUBNET))), ("driver", Str), ("options", Pairs(&Str))]);

const SUBNET: Keys =
    keys(&[("aux_addresses", Pairs(&Str)), ("gateway", Str), ("ip_range", Str), ("subnet", Str)]);

const VOLUME: Keys = keys(&[
    ("driver", Str),
    ("driver_opts", OPTIONS),
    ("external", EXTERNAL),
    ("labels", PAIRS),
    ("name", Str),
]);

const SECRET: Keys = keys(&[
    ("driver", Str),
    ("driver_opts", OPTIONS),
    ("environment", Str),
    ("external", OPEN_EXTERNAL),
    ("file", Str),
    ("labels", PAIRS),
    ("name", Str),
    ("template_driver", Str),
]);

const CONFIG: Keys = keys(&[
    ("content", Str),
    ("environment", Str),
    ("external", OPEN_EXTERNAL),
    ("file", Str),
    ("labels", PAIRS),
    ("name", Str),
    ("template_driver", Str),
]);

const SERVICE: Keys = keys(&[
    ("annotations", PAIRS),
    ("attach", FLAG),
    ("blkio_config", Shape::Keys(&BLOCK_IO)),
    ("build", Either(&[Str, Shape::Keys(&BUILD)])),
    ("cap_add", TEXTS),
    ("cap_drop", TEXTS),
    ("cgroup", Words(&["host", "private"])),
    ("cgroup_parent", Str),
    ("command", COMMAND),
    ("configs", List(&Either(&[Str, Shape::Keys(&GRANT)]))),
    ("container_name", Str),
    ("cpu_count", Either(&[Str, Between(0, i128::MAX)])),
    ("cpu_percent", Either(&[Str, Between(0, 100)])),
    ("cpu_period", NUMBER),
    ("cpu_quota", NUMBER),
    ("cpu_rt_period", NUMBER),
    ("cpu_rt_runtime", NUMBER),
    ("cpu_shares", NUMBER),
    ("cpus", NUMBER),
    ("cpuset", Str),
    ("credential_spec", Shape::Keys(&keys(&[("config", Str), ("file", Str), ("registry", Str)]))),
    ("depends_on", Either(&[TEXTS, Named(&Shape::Keys(&DEPENDENCY))])),
    ("deploy", Either(&[Shape::Keys(&DEPLOY), Null])),
    ("develop", Either(&[Shape::Keys(&DEVELOP), Null])),
    ("device_cgroup_rules", TEXTS),
    ("devices", List(&Either(&[Str, Shape::Keys(&DEVICE)]))),
    ("dns", TEXT_OR_TEXTS),
    ("dns_opt", TEXTS),
    ("dns_search", TEXT_OR_TEXTS),
    ("domainname", Str),
    ("entrypoint", COMMAND),
    ("env_file", Either(&[Str, List(&Either(&[Str, Shape::Keys(&ENV_FILE)]))])),
    ("environment", PAIRS),
    ("expose", Unique(&Either(&[Str, Num]))),
    ("extends", Either(&[Str, Shape::Keys(&EXTENDS)])),
    ("external_links", TEXTS),
    ("extra_hosts", HOSTS),
    ("gpus", Either(&[Words(&["all"]), List(&Shape::Keys(&GPU))])),
    ("group_add", Unique(&Either(&[Str, Num]))),
    ("healthcheck", Shape::Keys(&HEALTHCHECK)),
    ("hostname", Str),
    ("image", Str),
    ("init", FLAG),
    ("ipc", Str),
    ("isolation", Str),
    ("label_file", Either(&[Str, List(&Str)])),
    ("labels", PAIRS),
    ("links", TEXTS),
    ("logging", Shape::Keys(&LOGGING)),
    ("mac_address", Str),
    ("mem_limit", NUMBER),
    ("mem_reservation", Either(&[Str, Int])),
    ("mem_swappiness", COUNT),
    ("memswap_limit", NUMBER),
    ("models", Either(&[TEXTS, Pairs(&Either(&[Shape::Keys(&MODEL_USE), Null]))])),
    ("network_mode", Str),
    ("networks", Either(&[TEXTS, Named(&Either(&[Shape::Keys(&ATTACHMENT), Null]))])),
    ("oom_kill_disable", FLAG),
    ("oom_score_adj", Either(&[Str, Between(-1000, 1000)])),
    ("pid", Str),
    ("pids_limit", NUMBER),
    ("platform", Str),
    ("ports", Unique(&Either(&[Num, Str, Shape::Keys(&PORT)]))),
    ("post_start", List(&Shape::Keys(&HOOK))),
    ("pre_stop", List(&Shape::Keys(&HOOK))),
    ("privileged", FLAG),
    ("profiles", TEXTS),
    ("provider", Shape::Keys(&PROVIDER)),
    (
        "pull_policy",
        Containing(&[
            "always",
            "never",
            "build",
            "if_not_present",
            "missing",
            "refresh",
            "daily",
            "weekly",
            "every_",
        ]),
    ),
    ("pull_refresh_after", Str),
    ("read_only", FLAG),
    ("restart", Str),
    ("runtime", Str),
    ("scale", COUNT),
    ("secrets", List(&Either(&[Str, Shape::Keys(&GRANT)]))),
    ("security_opt", TEXTS),
    ("shm_size", NUMBER),
    ("stdin_open", FLAG),
    ("stop_grace_period", Str),
    ("stop_signal", Str),
    ("storage_opt", Pairs(&Any)),
    ("sysctls", PAIRS),
    ("tmpfs", TEXT_OR_TEXTS),
    ("tty", FLAG),
    ("ulimits", LIMITS),
    ("use_api_socket", Bool),
    ("user", Str),
    ("userns_mode", Str),
    ("uts", Str),
    ("volumes", Unique(&Either(&[Str, Shape::Keys(&MOUNT)]))),
    ("volumes_from", TEXTS),
    ("working_dir", Str),
]);

/// Whether a service may have this key.
pub(in super::super) fn is_key_of_service(name: &str) -> bool {
    name.starts_with("x-") || SERVICE.known.iter().any(|(known, _)| *known == name)
}

const BUILD: Keys = keys(&[
    ("additional_contexts", Either(&[Pairs(&Str), TEXTS])),
    ("args", PAIRS),
    ("cache_from", List(&Str)),
    ("cache_to", List(&Str)),
    ("context", Str),
    ("dockerfile", Str),
    ("dockerfile_inline", Str),
    ("entitlements", List(&Str)),
    ("extra_hosts", HOSTS),
    ("isolation", Str),
    ("labels", PAIRS),
    ("network", Str),
    ("no_cache", FLAG),
    ("platforms", List(&Str)),
    ("privileged", FLAG),
    ("provenance", FLAG),
    ("pull", FLAG),
    ("sbom", FLAG),
    ("secrets", List(&Either(&[Str, Shape::Keys(&GRANT)]))),
    ("shm_size", COUNT),
    ("ssh", PAIRS),
    ("tags", List(&Str)),
    ("target", Str),
    ("ulimits", LIMITS),
]);

const RATE: Shape = List(&Shape::Keys(&closed(&[], &[("path", Str), ("rate", COUNT)])));

const BLOCK_IO: Keys = closed(
    &[],
    &[
        ("device_read_bps", RATE),
        ("device_read_iops", RATE),
        ("device_write_bps", RATE),
        ("device_write_iops", RATE),
        ("weight", COUNT),
        ("weight_device", List(&Shape::Keys(&closed(&[], &[("path", Str), ("weight", COUNT)])))),
    ],
);

/// The conditions of `depends_on`.
pub(crate) const CONDITIONS: &[&str] =
    &["service_started", "service_healthy", "service_completed_successfully"];

const DEPENDENCY: Keys = needs(
    &["condition"],
    &[("condition", Words(CONDITIONS)), ("required", Bool), ("restart", FLAG)],
);

const DEVICE: Keys =
    needs(&["source", "target"], &[("permissions", Str), ("source", Str), ("target", Str)]);

const ENV_FILE: Keys = closed(&["path"], &[("format", Str), ("path", Str), ("required", FLAG)]);

const EXTENDS: Keys = closed(&["service"], &[("file", Str), ("service", Str)]);

const GPU: Keys = Keys {
    known: &[
        ("capabilities", TEXTS),
        ("count", COUNT),
        ("device_ids", TEXTS),
        ("driver", Str),
        ("options", PAIRS),
    ],
    required: &[],
    extensible: true,
    open: true,
};

const HEALTHCHECK: Keys = keys(&[
    ("disable", FLAG),
    ("interval", Str),
    ("retries", NUMBER),
    ("start_interval", Str),
    ("start_period", Str),
    ("test", Either(&[Str, List(&Str)])),
    ("timeout", Str),
]);

const LOGGING: Keys = keys(&[("driver", Str), ("options", Pairs(&Either(&[Str, Num, Null])))]);

const MODEL_USE: Keys = keys(&[("endpoint_var", Str), ("model_var", Str)]);

const ATTACHMENT: Keys = keys(&[
    ("aliases", TEXTS),
    ("driver_opts", OPTIONS),
    ("gw_priority", Num),
    ("interface_name", Str),
    ("ipv4_address", Str),
    ("ipv6_address", Str),
    ("link_local_ips", TEXTS),
    ("mac_address", Str),
    ("priority", Num),
]);

const PORT: Keys = keys(&[
    ("app_protocol", Str),
    ("host_ip", Str),
    ("mode", Str),
    ("name", Str),
    ("protocol", Str),
    ("published", COUNT),
    ("target", COUNT),
]);

const HOOK: Keys = needs(
    &["command"],
    &[
        ("command", COMMAND),
        ("environment", PAIRS),
        ("privileged", FLAG),
        ("user", Str),
        ("working_dir", Str),
    ],
);

const PROVIDED: Shape = Either(&[Str, Num, Bool]);

const PROVIDER: Keys = needs(
    &["type"],
    &[("options", Pairs(&Either(&[Str, Num, Bool, List(&PROVIDED)]))), ("type", Str)],
);

const GRANT: Keys =
    keys(&[("gid", Str), ("mode", NUMBER), ("source", Str), ("target", Str), ("uid", Str)]);

const LIMITS: Shape = Pairs(&Either(&[
    Int,
    Str,
    Shape::Keys(&needs(&["soft", "hard"], &[("hard", COUNT), ("soft", COUNT)])),
]));

const MOUNT: Keys = needs(
    &["type"],
    &[
        (
            "bind",
            Shape::Keys(&keys(&[
                ("create_host_path", FLAG),
                ("propagation", Str),
                ("recursive", Words(&["enabled", "disabled", "writable", "readonly"])),
                ("selinux", Words(&["z", "Z"])),
            ])),
        ),
        ("consistency", Str),
        ("image", Shape::Keys(&keys(&[("subpath", Str)]))),
        ("read_only", FLAG),
        ("source", Str),
        ("target", Str),
        (
            "tmpfs",
            Shape::Keys(&keys(&[
                ("mode", NUMBER),
                ("size", Either(&[Between(0, i128::MAX), Str])),
            ])),
        ),
        ("type", Words(&["bind", "volume", "tmpfs", "cluster", "npipe", "image"])),
        ("volume", Shape::Keys(&keys(&[("labels", PAIRS), ("nocopy", FLAG), ("subpath", Str)]))),
    ],
);

const DEVELOP: Keys = keys(&[("watch", List(&Shape::Keys(&WATCH)))]);

const WATCH: Keys = needs(
    &["path", "action"],
    &[
        ("action", Words(&["rebuild", "sync", "restart", "sync+restart", "sync+exec"])),
        ("exec", Shape::Keys(&HOOK)),
        ("ignore", TEXT_OR_TEXTS),
        ("include", TEXT_OR_TEXTS),
        ("initial_sync", Bool),
        ("path", Str),
        ("target", Str),
    ],
);

const DEPLOY: Keys = keys(&[
    ("endpoint_mode", Str),
    ("labels", PAIRS),
    ("mode", Str),
    ("placement", Shape::Keys(&PLACEMENT)),
    ("replicas", COUNT),
    ("resources", Shape::Keys(&RESOURCES)),
    ("restart_policy", Shape::Keys(&RESTART_POLICY)),
    ("rollback_config", Shape::Keys(&UPDATE)),
    ("update_config", Shape::Keys(&UPDATE)),
]);

const PLACEMENT: Keys = keys(&[
    ("constraints", List(&Str)),
    ("max_replicas_per_node", COUNT),
    ("preferences", List(&Shape::Keys(&keys(&[("spread", Str)])))),
]);

const RESTART_POLICY: Keys =
    keys(&[("condition", Str), ("delay", Str), ("max_attempts", COUNT), ("window", Str)]);

const UPDATE: Keys = keys(&[
    ("delay", Str),
    ("failure_action", Str),
    ("max_failure_ratio", NUMBER),
    ("monitor", Str),
    ("order", Words(&["start-first", "stop-first"])),
    ("parallelism", COUNT),
]);

const RESOURCES: Keys = keys(&[
    ("limits", Shape::Keys(&keys(&[("cpus", NUMBER), ("memory", Str), ("pids", COUNT)]))),
    (
        "reservations",
        Shape::Keys(&keys(&[
            ("cpus", NUMBER),
            ("devices", List(&Shape::Keys(&RESERVED_DEVICE))),
            ("generic_resources", List(&Shape::Keys(&GENERIC_RESOURCE))),
            ("memory", Str),
        ])),
    ),
]);

const RESERVED_DEVICE: Keys = needs(
    &["capabilities"],
    &[
        ("capabilities", TEXTS),
        ("count", COUNT),
        ("device_ids", TEXTS),
        ("driver", Str),
        ("options", PAIRS),
    ],
);

const GENERIC_RESOURCE: Keys =
    keys(&[("discrete_resource_spec", Shape::Keys(&keys(&[("kind", Str), ("value", NUMBER)])))]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_in_the_order_of_the_alphabet_and_required_ones_are_known() {
        fn walk(shape: &Shape) {
            match shape {
                Either(shapes) => shapes.iter().for_each(walk),
                List(of) | Unique(of) | Pairs(of) | Named(of) => walk(of),
                Shape::Keys(keys) => {
                    let names: Vec<_> = keys.known.iter().map(|(name, _)| *name).collect();
                    assert!(names.is_sorted(), "{names:?}");
                    assert!(keys.required.iter().all(|name| names.contains(name)), "{names:?}");
                    keys.known.iter().for_each(|(_, shape)| walk(shape));
                }
                _ => {}
            }
        }
        walk(&FILE);
    }
}

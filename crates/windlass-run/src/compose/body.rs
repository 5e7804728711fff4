//! The request that makes a container, from a service that has been spelled out.

mod devices;
mod endpoints;

pub(super) use endpoints::endpoints;

use serde_json::{Map, Value, json};
use windlass::lang::compose::cast;
use windlass::lang::compose::project::Project;

/// The parts of a service that a request is made from.
pub(super) struct Parts<'a> {
    /// The project.
    pub(super) project: &'a Project,
    /// Its key.
    pub(super) key: &'a str,
    /// The service, spelled out.
    pub(super) canon: &'a Value,
    /// The image.
    pub(super) image: &'a str,
    /// Its labels, those of Compose included.
    pub(super) labels: Map<String, Value>,
    /// Files of the host that are mounted for secrets and configs: source and target.
    pub(super) files: Vec<(String, String)>,
}

/// The request. `NetworkMode` and the like may still say `service:NAME`.
pub(super) fn body(parts: &Parts<'_>) -> Value {
    let canon = parts.canon;
    let text = |key: &str| canon.get(key).cloned().unwrap_or(Value::String(String::new()));
    let flag = |key: &str| canon.get(key).cloned().unwrap_or(Value::Bool(false));
    let mut body = json!({
        "Hostname": text("hostname"),
        "Domainname": text("domainname"),
        "User": text("user"),
        "AttachStdout": true,
        "AttachStderr": true,
        "Tty": flag("tty"),
        "OpenStdin": flag("stdin_open"),
        "Env": environment(canon),
        "Cmd": canon.get("command").cloned().unwrap_or_default(),
        "Entrypoint": canon.get("entrypoint").cloned().unwrap_or_default(),
        "Image": parts.image,
        "WorkingDir": text("working_dir"),
        "Labels": parts.labels,
        "HostConfig": host(parts),
    });
    let exposed = exposed(canon);
    if !exposed.is_empty() {
        body["ExposedPorts"] = Value::Object(exposed);
    }
    if let Some(address) = canon.get("mac_address") {
        body["MacAddress"] = address.clone();
    }
    if canon.get("network_mode").and_then(Value::as_str) == Some("disabled") {
        body["NetworkDisabled"] = true.into();
    }
    if let Some(signal) = canon.get("stop_signal") {
        body["StopSignal"] = signal.clone();
    }
    if let Some(seconds) = seconds(canon, "stop_grace_period") {
        body["StopTimeout"] = seconds.into();
    }
    if let Some(health) = canon.get("healthcheck") {
        body["Healthcheck"] = check(health);
    }
    if let Some((network, endpoint)) = endpoints(parts.project, parts.key, canon).first() {
        let name = network.clone();
        body["NetworkingConfig"] = json!({ "EndpointsConfig": { name: endpoint } });
    }
    body
}

pub(super) fn seconds(canon: &Value, key: &str) -> Option<u64> {
    let text = canon.get(key)?.as_str()?;
    cast::duration(text).map(|time| time.as_secs())
}

fn nanos(value: &Value, key: &str) -> u64 {
    let time = value.get(key).and_then(Value::as_str).and_then(cast::duration);
    time.map_or(0, |time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
}

/// The variables. One without a value takes the one of the image away.
fn environment(canon: &Value) -> Value {
    let all = canon.get("environment").and_then(Value::as_object);
    let pair = |(name, value): (&String, &Value)| match value.as_str() {
        Some(value) => format!("{name}={value}"),
        None => name.clone(),
    };
    all.map_or(Value::Null, |all| all.iter().map(pair).collect::<Vec<_>>().into())
}

fn check(health: &Value) -> Value {
    if health.get("disable") == Some(&Value::Bool(true)) {
        return json!({ "Test": ["NONE"] });
    }
    let mut check = json!({
        "Test": health.get("test").cloned().unwrap_or_default(),
        "Interval": nanos(health, "interval"),
        "Timeout": nanos(health, "timeout"),
        "StartPeriod": nanos(health, "start_period"),
        "Retries": health.get("retries").cloned().unwrap_or(0.into()),
    });
    if health.get("start_interval").is_some() {
        check["StartInterval"] = nanos(health, "start_interval").into();
    }
    check
}

fn list<'a>(canon: &'a Value, key: &str) -> &'a [Value] {
    canon.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn port_key(port: &Value) -> String {
    format!("{}/{}", port.get("target").cloned().unwrap_or_default(), word(port, "protocol"))
}

fn exposed(canon: &Value) -> Map<String, Value> {
    let mut all = Map::new();
    for port in list(canon, "ports") {
        all.insert(port_key(port), json!({}));
    }
    for port in list(canon, "expose").iter().filter_map(Value::as_str) {
        let key = if port.contains('/') { port.to_owned() } else { format!("{port}/tcp") };
        all.insert(key, json!({}));
    }
    all
}

fn host(parts: &Parts<'_>) -> Value {
    let canon = parts.canon;
    let network = endpoints(parts.project, parts.key, canon).into_iter().next();
    let mode = canon.get("network_mode").and_then(Value::as_str).map(str::to_owned);
    let mode = mode.or_else(|| network.map(|(name, _)| name));
    let (binds, mounts) = mounts(parts);
    let mut host = json!({
        "NetworkMode": mode.unwrap_or_else(|| "none".to_owned()),
        "PortBindings": bindings(canon),
        "RestartPolicy": restart(canon),
        "Binds": binds,
        "Mounts": mounts,
        "Tmpfs": tmpfs(canon),
    });
    for (ours, theirs) in SAME {
        if let Some(value) = canon.get(*ours) {
            host[*theirs] = value.clone();
        }
    }
    for (ours, theirs) in SIZES {
        let size = canon.get(*ours).and_then(Value::as_str);
        if let Some(size) = size.and_then(|text| text.parse::<i64>().ok()) {
            host[*theirs] = size.into();
        }
    }
    limits(canon, &mut host);
    devices::put(canon, &mut host);
    if let Some(logging) = canon.get("logging") {
        let options = logging.get("options").cloned().unwrap_or(json!({}));
        host["LogConfig"] = json!({ "Type": word(logging, "driver"), "Config": options });
    }
    let links = endpoints::links(parts.project, canon);
    if !links.is_empty() {
        host["Links"] = links.into();
    }
    let hosts = list(canon, "extra_hosts").iter().filter_map(Value::as_str);
    let hosts: Vec<String> = hosts.map(|text| text.replacen('=', ":", 1)).collect();
    host["ExtraHosts"] = hosts.into();
    host
}

/// Keys that go to the engine as they are.
const SAME: &[(&str, &str)] = &[
    ("annotations", "Annotations"),
    ("cap_add", "CapAdd"),
    ("cap_drop", "CapDrop"),
    ("cgroup_parent", "CgroupParent"),
    ("cgroup", "CgroupnsMode"),
    ("cpu_count", "CpuCount"),
    ("cpu_percent", "CpuPercent"),
    ("cpu_period", "CpuPeriod"),
    ("cpu_quota", "CpuQuota"),
    ("cpu_rt_period", "CpuRealtimePeriod"),
    ("cpu_rt_runtime", "CpuRealtimeRuntime"),
    ("cpuset", "CpusetCpus"),
    ("cpu_shares", "CpuShares"),
    ("device_cgroup_rules", "DeviceCgroupRules"),
    ("dns", "Dns"),
    ("dns_opt", "DnsOptions"),
    ("dns_search", "DnsSearch"),
    ("group_add", "GroupAdd"),
    ("init", "Init"),
    ("ipc", "IpcMode"),
    ("isolation", "Isolation"),
    ("oom_kill_disable", "OomKillDisable"),
    ("oom_score_adj", "OomScoreAdj"),
    ("pid", "PidMode"),
    ("pids_limit", "PidsLimit"),
    ("privileged", "Privileged"),
    ("read_only", "ReadonlyRootfs"),
    ("runtime", "Runtime"),
    ("security_opt", "SecurityOpt"),
    ("storage_opt", "StorageOpt"),
    ("sysctls", "Sysctls"),
    ("userns_mode", "UsernsMode"),
    ("uts", "UTSMode"),
    ("volumes_from", "VolumesFrom"),
];

/// Sizes, which Compose writes as texts.
const SIZES: &[(&str, &str)] = &[
    ("mem_limit", "Memory"),
    ("mem_reservation", "MemoryReservation"),
    ("memswap_limit", "MemorySwap"),
    ("mem_swappiness", "MemorySwappiness"),
    ("shm_size", "ShmSize"),
];

fn limits(canon: &Value, host: &mut Value) {
    let nano = |cpus: Option<f64>| cpus.map(|cpus| (cpus * 1e9).round() as i64);
    let own = nano(canon.get("cpus").and_then(Value::as_f64));
    let resources = canon.pointer("/deploy/resources");
    let number = |path: &str| resources.and_then(|it| it.pointer(path)).and_then(Value::as_f64);
    let bytes = |path: &str| {
        resources.and_then(|it| it.pointer(path)).and_then(Value::as_str)?.parse::<i64>().ok()
    };
    if let Some(cpus) = nano(number("/limits/cpus")).or(own) {
        host["NanoCpus"] = cpus.into();
    }
    if let Some(memory) = bytes("/limits/memory") {
        host["Memory"] = memory.into();
    }
    if let Some(memory) = bytes("/reservations/memory") {
        host["MemoryReservation"] = memory.into();
    }
    if let Some(pids) = number("/limits/pids") {
        host["PidsLimit"] = (pids as i64).into();
    }
    let limit = |(name, value): (&String, &Value)| {
        let part = |key: &str| value.get(key).and_then(Value::as_i64).unwrap_or(0);
        let (soft, hard) = match value.as_i64() {
            Some(both) => (both, both),
            None => (part("soft"), part("hard")),
        };
        json!({ "Name": name, "Soft": soft, "Hard": hard })
    };
    if let Some(ulimits) = canon.get("ulimits").and_then(Value::as_object) {
        host["Ulimits"] = ulimits.iter().map(limit).collect::<Vec<_>>().into();
    }
}

fn bindings(canon: &Value) -> Value {
    let mut all: Map<String, Value> = Map::new();
    for port in list(canon, "ports") {
        let binding =
            json!({ "HostIp": word(port, "host_ip"), "HostPort": word(port, "published") });
        let own = all.entry(port_key(port)).or_insert_with(|| json!([]));
        if let Value::Array(own) = own {
            own.push(binding);
        }
    }
    Value::Object(all)
}

fn restart(canon: &Value) -> Value {
    // Compose lets `deploy` win, also when its policy says nothing.
    let (name, times) = match canon.pointer("/deploy/restart_policy") {
        Some(policy) => {
            let times = policy.get("max_attempts").and_then(Value::as_i64);
            (word(policy, "condition"), times.unwrap_or(0))
        }
        None => {
            let said = word(canon, "restart");
            let (name, times) = said.split_once(':').unwrap_or((said, "0"));
            (name, times.parse::<i64>().unwrap_or(0))
        }
    };
    let name = match name {
        "none" => "no",
        "any" => "always",
        other => other,
    };
    let times = if name == "on-failure" { times } else { 0 };
    json!({ "Name": name, "MaximumRetryCount": times })
}

fn tmpfs(canon: &Value) -> Value {
    let one = |text: &str| {
        let (path, options) = text.split_once(':').unwrap_or((text, ""));
        (path.to_owned(), Value::from(options))
    };
    let all = list(canon, "tmpfs").iter().filter_map(Value::as_str).map(one);
    Value::Object(all.collect())
}

/// Whether something is mounted by one text: a path that may be missing, or a volume with a name,
/// of which nothing more is said.
fn is_bind(mount: &Value, kind: &str, source: &str) -> bool {
    let more = |path: &str| mount.pointer(path).is_some();
    match kind {
        "bind" => {
            let creates = mount.pointer("/bind/create_host_path") == Some(&Value::Bool(true));
            (creates || !more("/bind")) && !more("/bind/propagation") && !more("/bind/recursive")
        }
        "volume" => {
            let says = ["/volume/nocopy", "/volume/subpath", "/volume/labels"];
            !source.is_empty() && !says.into_iter().any(more)
        }
        _ => false,
    }
}

/// What is said about a mount beyond its two ends.
fn put_options(mount: &Value, one: &mut Value) {
    if let Some(bind) = mount.get("bind") {
        let recursive = word(bind, "recursive");
        one["BindOptions"] = json!({
            "Propagation": word(bind, "propagation"),
            "CreateMountpoint": bind.get("create_host_path") == Some(&Value::Bool(true)),
            "NonRecursive": recursive == "disabled",
            "ReadOnlyNonRecursive": recursive == "writable",
            "ReadOnlyForceRecursive": recursive == "readonly",
        });
    }
    if let Some(volume) = mount.get("volume").filter(|_| one["Type"] == "volume") {
        one["VolumeOptions"] = json!({
            "NoCopy": volume.get("nocopy") == Some(&Value::Bool(true)),
            "Labels": volume.get("labels"),
            "Subpath": word(volume, "subpath"),
        });
    }
    if let Some(tmpfs) = mount.get("tmpfs") {
        let size = word(tmpfs, "size").parse::<i64>().unwrap_or(0);
        let mode = tmpfs.get("mode").cloned().unwrap_or(0.into());
        one["TmpfsOptions"] = json!({ "SizeBytes": size, "Mode": mode });
    }
    if let Some(image) = mount.get("image") {
        one["ImageOptions"] = json!({ "Subpath": word(image, "subpath") });
    }
}

/// Binds, which make missing paths, and mounts.
fn mounts(parts: &Parts<'_>) -> (Vec<String>, Vec<Value>) {
    let (mut binds, mut mounts) = (Vec::new(), Vec::new());
    for mount in list(parts.canon, "volumes") {
        let (kind, source, target) =
            (word(mount, "type"), word(mount, "source"), word(mount, "target"));
        let is_read_only = mount.get("read_only") == Some(&Value::Bool(true));
        let known = parts.project.volumes.get(source).map(|volume| volume.name.clone());
        let source = if kind == "volume" { known.unwrap_or_default() } else { source.to_owned() };
        if is_bind(mount, kind, &source) {
            let mut options = vec![if is_read_only { "ro" } else { "rw" }];
            options.extend(mount.pointer("/bind/selinux").and_then(Value::as_str));
            binds.push(format!("{source}:{target}:{}", options.join(",")));
            continue;
        }
        let mut one = json!({ "Type": kind, "Target": target, "ReadOnly": is_read_only });
        if !source.is_empty() {
            one["Source"] = source.into();
        }
        put_options(mount, &mut one);
        mounts.push(one);
    }
    for (source, target) in &parts.files {
        mounts
            .push(json!({ "Type": "bind", "Source": source, "Target": target, "ReadOnly": true }));
    }
    (binds, mounts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_without_a_value_takes_that_of_the_image_away() {
        let canon = json!({ "environment": { "A": "1", "B": null, "C": "" } });
        assert_eq!(environment(&canon), json!(["A=1", "B", "C="]));
        assert_eq!(environment(&json!({})), Value::Null);
    }

    #[test]
    fn the_policy_of_deploy_wins() {
        let policy = |restart: &str, policy: Value| {
            let found = self::restart(&json!({
                "restart": restart, "deploy": { "restart_policy": policy },
            }));
            (
                found["Name"].as_str().unwrap_or_default().to_owned(),
                found["MaximumRetryCount"].clone(),
            )
        };
        let four = json!({ "condition": "on-failure", "max_attempts": 4 });
        assert_eq!(policy("no", four), ("on-failure".to_owned(), json!(4)));
        assert_eq!(policy("always", json!({ "condition": "none" })), ("no".to_owned(), json!(0)));
        assert_eq!(policy("no", json!({ "condition": "any" })), ("always".to_owned(), json!(0)));
        assert_eq!(policy("always", json!({})), (String::new(), json!(0)));
        let own = restart(&json!({ "restart": "on-failure:3", "deploy": {} }));
        assert_eq!(own, json!({ "Name": "on-failure", "MaximumRetryCount": 3 }));
    }
}

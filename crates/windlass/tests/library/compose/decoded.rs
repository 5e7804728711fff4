//! Values that fit the table of keys and that Compose 2.40.3 cannot decode, beside some that it
//! can: each line was given to `docker compose config -q`.

use super::read;
use windlass::diagnostic::Severity;

/// The codes of the errors about a file.
fn errors(text: &str) -> Vec<&'static str> {
    let found = read(&[("compose.yaml", text), ("f", "A=1\n")]);
    let errors = found.reading.findings.iter().filter(|it| it.severity == Severity::Error);
    errors.map(|finding| finding.code).collect()
}

/// Lines of a service, each of which has one mistake.
const REFUSED: &[&str] = &[
    "volumes: [{ type: tmpfs, target: /x, tmpfs: { size: abc } }]",
    "volumes: [{ type: tmpfs, target: /x, tmpfs: { size: 1q } }]",
    "volumes: [{ type: tmpfs, target: /x, tmpfs: { mode: x } }]",
    "volumes: [{ type: tmpfs, target: /x, tmpfs: { mode: -1 } }]",
    "volumes: [{ type: tmpfs, target: /x, tmpfs: { mode: '1' } }]",
    "healthcheck: { retries: -1 }",
    "healthcheck: { retries: '-1' }",
    "healthcheck: { retries: -1.5 }",
    "deploy: { resources: { limits: { pids: x } } }",
    "deploy: { resources: { limits: { pids: '5 ' } } }",
    "deploy: { resources: { limits: { memory: '-1' } } }",
    "deploy: { update_config: { parallelism: -1 } }",
    "deploy: { rollback_config: { parallelism: '-1' } }",
    "deploy: { restart_policy: { max_attempts: -1 } }",
    "deploy: { placement: { max_replicas_per_node: -1 } }",
    "deploy: { resources: { reservations: { generic_resources: \
     [{ discrete_resource_spec: { kind: k, value: y } }] } } }",
    "deploy: { resources: { reservations: { devices: [{ capabilities: [gpu], count: x }] } } }",
    "blkio_config: { weight: x }",
    "blkio_config: { weight: '500' }",
    "blkio_config: { weight_device: [{ path: /dev/x, weight: x }] }",
    "blkio_config: { device_read_bps: [{ path: /dev/x, rate: x }] }",
    "mem_swappiness: x",
    "mem_limit: '-1'",
    "mem_limit: '1k '",
    "storage_opt: { size: [1] }",
    "storage_opt: { size: 1.5 }",
    "storage_opt: { size: true }",
    "group_add: [1.5]",
    "expose: [1.5]",
    "ulimits: { n: 99999999999999999999 }",
    "devices: [{ source: /dev/null }]",
    "post_start: [{ command: x, privileged: x }]",
    "pre_stop: [{ command: x, privileged: '1' }]",
    "env_file: [{ path: f, required: x }]",
    "build: { context: ., no_cache: x }",
    "build: { context: ., privileged: x }",
    "build: { context: ., pull: x }",
    "build: { context: ., ulimits: { a: x } }",
    "build: { context: ., ulimits: { a: '1' } }",
    "build: { context: ., extra_hosts: [x] }",
    "build: { context: ., additional_contexts: { a: 1 } }",
    "pull_policy: every_5x",
    "pull_policy: every_",
    "pull_policy: every_-1h",
    "use_api_socket: yes",
    "use_api_socket: on",
    "use_api_socket: 'true'",
    "attach: '1'",
    "cpu_percent: 1.5",
    "cpu_percent: '101'",
    "cpu_count: '99999999999999999999'",
    "cpus: '1e400'",
    "pid: null",
    "ports: [{ target: 80, host_ip: '' }]",
    "hostname: !!int 'x'",
    "x-a: !!binary 'zz'",
    "x-a: !!bool yes",
    "x-a: !!timestamp x",
];

/// Lines of a service that Compose takes.
const TAKEN: &[&str] = &[
    "volumes: [{ type: tmpfs, target: /x, tmpfs: { size: 64m, mode: 448 } }]",
    "healthcheck: { retries: '3' }",
    "deploy: { resources: { limits: { pids: '-1' } } }",
    "deploy: { resources: { limits: { memory: 1.5gb, cpus: '0.5' } } }",
    "blkio_config: { weight: 65536 }",
    "blkio_config: { device_read_bps: [{ path: /dev/x, rate: 12mb }] }",
    "mem_limit: -1",
    "mem_limit: 1 k",
    "mem_limit: 1e3k",
    "mem_swappiness: 1kb",
    "storage_opt: { size: 5 }",
    "ulimits: { n: '5', m: { soft: '1', hard: 2 } }",
    "devices: [{ source: /dev/null, target: /dev/null }]",
    "post_start: [{ command: x, privileged: 'yes' }]",
    "env_file: [{ path: f, required: 'on', format: '' }]",
    "build: { context: ., no_cache: 'true', ulimits: { a: 1 } }",
    "pull_policy: every_1d2h",
    "use_api_socket: true",
    "cpu_percent: '50'",
    "x-a: !!binary aGk=",
    "x-a: !!int '5'",
];

#[test]
fn what_compose_cannot_decode_is_one_error() {
    for line in REFUSED {
        let found = errors(&format!("services: {{ a: {{ image: 'x:1', {line} }} }}\n"));
        assert_eq!(found.len(), 1, "{line}: {found:?}");
    }
}

#[test]
fn what_compose_can_decode_is_none() {
    for line in TAKEN {
        let found = errors(&format!("services: {{ a: {{ image: 'x:1', {line} }} }}\n"));
        assert_eq!(found, Vec::<&str>::new(), "{line}");
    }
}

#[test]
fn other_sections_are_decoded_too() {
    for (text, expected) in [
        ("secrets: { k: { file: ./f, driver_opts: { k: 1.5 } } }", 1),
        ("secrets: { k: { file: ./f, driver_opts: { k: 1 } } }", 0),
        ("secrets: { k: { environment: '' } }", 1),
        ("include: [1]", 1),
    ] {
        let found = errors(&format!("services: {{ a: {{ image: 'x:1' }} }}\n{text}\n"));
        assert_eq!(found.len(), expected, "{text}: {found:?}");
    }
}

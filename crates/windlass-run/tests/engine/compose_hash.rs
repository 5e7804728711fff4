//! The hashes of services are those that Compose 2.40.3 prints for `config --hash '*'` in the
//! project folder `/srv/app`.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::collections::BTreeMap;

use windlass::lang::Text;
use windlass::lang::compose::{Options, load};
use windlass::source::Sources;
use windlass_run::compose::{ProjectContext, hashes};

fn check(text: &str, expected: &[(&str, &str)]) {
    let mut sources = Sources::new();
    let root = sources.add("compose.yaml", text);
    let loaded = load(Text::new(root), &Options::default(), &mut sources, None);
    let project = loaded.project.unwrap_or_else(|| panic!("{:?}", loaded.findings));
    let environment = BTreeMap::from([("B".to_owned(), "fromenv".to_owned())]);
    let ground =
        ProjectContext { folder: "/srv/app".into(), environment, ..ProjectContext::default() };
    let expected: BTreeMap<String, String> =
        expected.iter().map(|(name, hash)| ((*name).to_owned(), (*hash).to_owned())).collect();
    assert_eq!(hashes(&project, &ground), expected);
}

#[test]
fn commands_health_replicas_and_ports() {
    check(
        r#"
services:
  db:
    image: bb:1
    command: sh -c "sleep 2; echo ok > /tmp/r; exec sleep 1000"
    healthcheck: {test: ["CMD","test","-f","/tmp/r"], interval: 1s, retries: 20}
    init: true
  mig:
    image: bb:1
    command: sh -c "sleep 1; exit 0"
    depends_on: {db: {condition: service_healthy}}
  api:
    image: bb:1
    command: sleep 1000
    init: true
    deploy: {replicas: 3}
    depends_on: {mig: {condition: service_completed_successfully}}
  web:
    image: bb:1
    command: httpd -f -p 80 -h /bin
    init: true
    ports: ["127.0.0.1:18090:80"]
    depends_on: [api]
"#,
        &[
            ("api", "1c2a4f1d07d6e508cc29b7bfb382114a0e76d9096537fecd20b4c0ae02003a44"),
            ("db", "fabac18bd5cd2f47ece8b48bbd8e7a72fae9648c88f3df4564a30a8a68062c6e"),
            ("mig", "81e16527bf4f8863ab91a184614edd16a5a7e3cbdc17fd0c6e0bae114c0bc7f5"),
            ("web", "691a44e3a348dea8306e0dad297921c99259c45724f3365f2847762c0f70886c"),
        ],
    );
}

#[test]
fn one_of_nearly_everything() {
    check(
        r#"
services:
  a:
    image: bb:1
    environment: {B: 2, A: "x", N: }
    ports: ["8080:80", "9000-9001:90-91/udp", "127.0.0.1::70"]
    volumes: ["data:/d:ro", "./x:/x", "/anon", {type: tmpfs, target: /t, tmpfs: {size: 10m}}]
    expose: [3000]
    labels: {z: 1, y: true}
    healthcheck: {test: "true", interval: 1m30s, timeout: 500ms, start_period: 0s}
    networks: {n1: {aliases: [q]}, n2: }
    mem_limit: 50m
    cpus: 0.5
    stop_grace_period: 1s
    restart: on-failure:3
    ulimits: {nofile: 100, nproc: {soft: 1, hard: 2}}
    logging: {driver: json-file, options: {max-size: 10m}}
    deploy: {resources: {limits: {cpus: "0.5", memory: 50M}}}
    extra_hosts: ["a:1.2.3.4", "b=1.1.1.1"]
    user: "1000"
    entrypoint: ["sh"]
    secrets: [s]
    configs: [{source: c, target: /c}]
    dns: 1.1.1.1
    devices: ["/dev/null:/dev/xnull"]
    sysctls: [net.core.somaxconn=1]
    tmpfs: /run
    shm_size: 1gb
    cap_add: [NET_ADMIN]
networks: {n1: {driver: bridge, labels: [a=b]}, n2: {ipam: {config: [{subnet: 172.30.0.0/24}]}}}
volumes: {data: {}}
secrets: {s: {file: ./s.txt}}
configs: {c: {content: hello}}
"#,
        &[("a", "7307be9be4fe6e12b7c8179e4cf63cbcc04a3cecb7e132d00809adc6926400a7")],
    );
}

#[test]
fn long_forms_links_and_variables_of_the_surroundings() {
    check(
        r#"
services:
  a:
    image: bb:1
    command: sleep 100
    volumes: [{type: bind, source: ./x, target: /x}, "data:/d", {type: volume, source: data, target: /e}, {type: tmpfs, target: /t}, "./s.txt:/s.txt:ro,z"]
    secrets: [s, {source: s, target: /z, mode: 0400}]
    configs: [c]
    ports: [{target: 80, published: 8080}, {target: 81, mode: host, published: "90-91"}]
    networks: [n1, n2]
    build: .
    depends_on: [b]
  b: {image: bb:1, build: {context: ., args: {A: 1}}, restart: always, healthcheck: {disable: true}, network_mode: host, ulimits: {nofile: {soft: 3, hard: 3}}, links: [c], volumes_from: [c]}
  c: {image: bb:1, environment: [A=1, B], labels: [a=b], scale: 2, privileged: true, mem_swappiness: 10, cpuset: "0", hostname: h}
networks: {n1: , n2: {internal: true, driver_opts: {a: 1}, ipam: {driver: default}}}
volumes: {data: {driver_opts: {type: none}, labels: {q: 1}}}
secrets: {s: {file: ./s.txt}}
configs: {c: {file: ./s.txt}}
"#,
        &[
            ("a", "7eb40040bb6ff0f8787b1a5f5eacdddce209aec0fec0514fc0ff7532a6b53e56"),
            ("b", "83a49c8f2e119293a7ef20ed3fde9a14ac54f1202e10b45c601847e41e8bf359"),
            ("c", "1a5406f8b1434c48b506f7cc830a6ac14790eec23f3e69f53d1fa019f7dff095"),
        ],
    );
}

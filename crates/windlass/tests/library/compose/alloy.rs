//! The voting application of paper 000 6.3 as Alloy: the same signatures, fields and facts as the
//! printed text, but for what is listed here.

use std::collections::BTreeSet;

use super::read;
use windlass::export::alloy;

/// The printed file. `resources` stands below `deploy`, where Compose wants it.
const VOTING: &str = include_str!("voting.yaml");

/// The printed signatures of roles, as `name sort`. The print has `mountrrole` in places.
const SIGNATURES: &[&str] = &[
    "S_redis_frontend_netrole NetworkRole",
    "S_redis_my_secret_secretrole SecretRole",
    "S_db_backend_netrole NetworkRole",
    "S_db_db_data_volrole VolumeSpec",
    "S_vote_frontend_netrole NetworkRole",
    "S_result_backend_netrole NetworkRole",
    "S_worker_backend_netrole NetworkRole",
    "S_worker_frontend_netrole NetworkRole",
    "S_visualizer_default_netrole NetworkRole",
    "S_visualizer_vol1_volrole VolumeSpec",
    "S_web_default_netrole NetworkRole",
    "S_web_mydata_mountrole MountSpec",
    "S_web_vol2_mountrole MountSpec",
    "configuration Composition",
];

/// The printed fields, as `name sort`. The print has `secrole` for `secretrole` here.
const FIELDS: &[&str] = &[
    "redis Service",
    "db Service",
    "vote Service",
    "result Service",
    "worker Service",
    "visualizer Service",
    "web Service",
    "_frontend Network",
    "_backend Network",
    "_default Network",
    "_db_data Volume",
    "_mydata Volume",
    "my_secret Secret",
    "my_other_secret Secret",
    "redis_frontend_netrole S_redis_frontend_netrole",
    "redis_my_secret_secretrole S_redis_my_secret_secretrole",
    "redis_deploy Deployment",
    "redis_deploy_update_config Deploy_config",
    "db_backend_netrole S_db_backend_netrole",
    "db_db_data_volrole S_db_db_data_volrole",
    "db_deploy Deployment",
    "vote_frontend_netrole S_vote_frontend_netrole",
    "vote_deploy Deployment",
    "vote_deploy_update_config Deploy_config",
    "result_backend_netrole S_result_backend_netrole",
    "result_deploy Deployment",
    "result_deploy_update_config Deploy_config",
    "worker_backend_netrole S_worker_backend_netrole",
    "worker_frontend_netrole S_worker_frontend_netrole",
    "worker_deploy Deployment",
    "visualizer_default_netrole S_visualizer_default_netrole",
    "visualizer_vol1_volrole S_visualizer_vol1_volrole",
    "visualizer_deploy Deployment",
    "web_default_netrole S_web_default_netrole",
    "web_mydata_mountrole S_web_mydata_mountrole",
    "web_vol2_mountrole S_web_vol2_mountrole",
];

/// The printed facts, without spaces around brackets; the members of sets in alphabetical order.
const FACTS: &[&str] = &[
    "ipv4_address = \"172.16.238.10\"",
    "ipv6_address = \"2001:3984:3989::10\"",
    "target = \"redis_secret\"",
    "uid = 103",
    "gid = 103",
    "mode = 288",
    "external = \"composetest_db-data\"",
    "internal = \"/var/lib/postgresql/data\"",
    "mode = \"rw\"",
    "external = \"/var/run/docker.sock\"",
    "internal = \"/var/run/docker.sock\"",
    "source = \"composetest_mydata\"",
    "target = \"/data\"",
    "volume_noCopy = true",
    "target = \"/opt/app/static\"",
    "bind_propagation = \"shared\"",
    "services = db + redis + result + visualizer + vote + web + worker",
    "networks = _backend + _default + _frontend",
    "volumes = _db_data + _mydata",
    "redis.image = \"redis:alpine\"",
    "redis.network[_frontend, redis_frontend_netrole]",
    "no redis.depends_on",
    "redis.privileged = false",
    "redis.ports = \"6379/tcp\"",
    "redis.deploy = redis_deploy",
    "redis_deploy.update_config = redis_deploy_update_config",
    "redis_deploy_update_config.parallelism = 2",
    "redis_deploy_update_config.delay.init[10, s]",
    "db.image = \"postgres:9.4\"",
    "db.network[_backend, db_backend_netrole]",
    "db.volume[_db_data, db_db_data_volrole]",
    "no db.depends_on",
    "db.privileged = false",
    "no db.ports",
    "db.deploy = db_deploy",
    "vote.image = \"dockersamples/examplevotingapp_vote:before\"",
    "vote.network[_frontend, vote_frontend_netrole]",
    "vote.depends_on[redis]",
    "vote.privileged = false",
    "vote.ports = \"5000:80/tcp\"",
    "vote.deploy = vote_deploy",
    "vote_deploy.update_config = vote_deploy_update_config",
    "vote_deploy_update_config.parallelism = 2",
    "result.image = \"dockersamples/examplevotingapp_result:before\"",
    "result.network[_backend, result_backend_netrole]",
    "result.depends_on[db]",
    "result.depends_on[vote]",
    "result.privileged = false",
    "result.ports = \"5001:80/tcp\"",
    "result.deploy = result_deploy",
    "result_deploy.update_config = result_deploy_update_config",
    "result_deploy_update_config.parallelism = 2",
    "result_deploy_update_config.delay.init[10, s]",
    "worker.image = \"dockersamples/examplevotingapp_worker\"",
    "worker.network[_backend, worker_backend_netrole]",
    "worker.network[_frontend, worker_frontend_netrole]",
    "no worker.depends_on",
    "worker.privileged = false",
    "no worker.ports",
    "worker.deploy = worker_deploy",
    "visualizer.image = \"dockersamples/visualizer:stable\"",
    "visualizer.network[_default, visualizer_default_netrole]",
    "visualizer_vol1_volrole in visualizer.volumes",
    "no visualizer.depends_on",
    "visualizer.privileged = false",
    "visualizer.ports = \"8080:8080/tcp\"",
    "visualizer.deploy = visualizer_deploy",
    "web.image = \"nginx:alpine\"",
    "web.network[_default, web_default_netrole]",
    "web.volume[_mydata, web_mydata_mountrole]",
    "web_vol2_mountrole in web.volumes",
    "no web.depends_on",
    "web.privileged = false",
    "web.ports = \"80:80/tcp\"",
    "my_other_secret.is_external = true",
];

/// What we say and the print does not: the print forgets to bind the secret and the mount in
/// memory; paths are absolute there and as written here.
const OURS: &[&str] = &[
    "S_result_vol1_mountrole MountSpec",
    "result_vol1_mountrole S_result_vol1_mountrole",
    "target = \"/foo/bar\"",
    "result_vol1_mountrole in result.volumes",
    "redis.secret[my_secret, redis_my_secret_secretrole]",
    "source = \"./static\"",
    "my_secret.file = \"./my_secret.txt\"",
];

/// The parts of an Alloy text: signatures, fields and facts, each as one line.
fn parts(text: &str) -> BTreeSet<String> {
    let body = text.split("\nrun {").next().unwrap();
    let mut parts = BTreeSet::new();
    for line in body.lines().map(str::trim) {
        if let Some(signature) = line.strip_prefix("sig ") {
            let (name, sort) = signature.split_once(" extends ").unwrap();
            parts.insert(format!("{name} {}", sort.trim_end_matches(['{', '}', ' '])));
        } else if let Some((name, sort)) = line.split_once(": one ") {
            parts.insert(format!("{name} {}", sort.trim_end_matches(',')));
        } else if !line.is_empty()
            && !matches!(line, "{" | "}")
            && !line.starts_with("//")
            && !line.starts_with("module")
            && !line.starts_with("open")
        {
            parts.insert(line.replace("[ ", "[").replace(" ]", "]"));
        }
    }
    parts
}

#[test]
fn the_voting_application_says_what_the_paper_prints() {
    let read = read(&[("compose.yaml", VOTING)]);
    let text = alloy::print(read.project());
    assert!(text.starts_with("module composetest\nopen lib/Docker\n"));
    let ours = parts(&text);
    let printed: BTreeSet<String> =
        [SIGNATURES, FIELDS, FACTS].concat().iter().map(|part| (*part).to_owned()).collect();
    let expected_more: BTreeSet<String> = OURS.iter().map(|part| (*part).to_owned()).collect();
    let missing: Vec<_> = printed.difference(&ours).collect();
    assert!(missing.is_empty(), "printed and not ours: {missing:#?}");
    let more: BTreeSet<String> = ours.difference(&printed).cloned().collect();
    assert_eq!(more, expected_more, "ours and not printed");
    assert!(text.contains("exactly 3 Network, exactly 7 Service"));
}

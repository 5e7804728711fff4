//! Commands and processes of another host, which is this machine behind an ssh server of the test's
//! own: another port, other keys, another home. Without `sshd` the test says that it was skipped.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test may panic"
)]

mod support;

use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use support::{Folder, is_alive, kill};

const SSHD: &str = "/usr/sbin/sshd";

const APPLICATION: &str = "
windlass: 1
name: afar
types:
  store:
    capabilities: [data]
    operations:
      prepare: { run: { shell: 'echo prepare $WINDLASS_INSTANCE; sleep 1; echo prepare >> done' } }
      start: {}
      stop: { run: { shell: 'echo stop $TOKEN >> done', environment: { TOKEN: { secret: token } } } }
    protocol:
      initial: absent
      states:
        absent: {}
        prepared: {}
        running:
          offers: [data]
          on_crash: prepared
          process:
            run: { shell: 'echo I run; exec sleep 1020' }
            health: { run: [test, -e, done] }
      transitions:
        - { from: absent, operation: prepare, to: prepared }
        - { from: prepared, operation: start, to: running }
        - { from: running, operation: stop, to: prepared }
      up: [prepare, start]
  api:
    requirements: { data: replica_unaware }
    protocol:
      initial: off
      states:
        off: {}
        running: { requires: [data], on_fault: [off], process: [sleep, '1021'] }
      transitions:
        - { from: off, operation: start, to: running, requires: [data], on_fault: [off] }
        - { from: running, operation: stop, to: off }
      up: [start]
nodes:
  store: { type: store, host: far }
  api: { type: api, bind: { data: store.data } }
";

/// An ssh server and a configuration in which it is the host `far`; `gone` is a host where nobody
/// listens.
struct Server {
    folder: Folder,
    sshd: Child,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.sshd.kill();
        let _ = self.sshd.wait();
    }
}

fn run(program: &str, arguments: &[&str]) -> bool {
    let status = Command::new(program).args(arguments).stdout(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// None where no server can be started; the reason is on the screen.
fn server(files: &[(&str, &str)]) -> Option<Server> {
    if !std::path::Path::new(SSHD).exists() {
        println!("SKIPPED: there is no {SSHD}, so nothing about ssh was tested");
        return None;
    }
    let folder = Folder::with(files);
    let path = |name: &str| folder.path(name).display().to_string();
    for key in ["host_key", "key"] {
        assert!(run("ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-f", &path(key)]));
    }
    std::fs::create_dir(folder.path("home")).unwrap();
    // A server of the superuser insists on this folder.
    let is_root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    if is_root && std::fs::create_dir_all("/run/sshd").is_err() {
        println!("SKIPPED: /run/sshd cannot be made, so nothing about ssh was tested");
        return None;
    }
    let free = || TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (port, nobody) = (free(), free());
    folder.write("authorized_keys", folder.read("key.pub"));
    folder.write(
        "sshd_config",
        format!(
            "Port {port}\nListenAddress 127.0.0.1\nHostKey {}\nAuthorizedKeysFile {}\n\
             PidFile none\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n\
             PermitRootLogin prohibit-password\nMaxStartups 100\nLogLevel VERBOSE\n\
             SetEnv HOME={}\n",
            path("host_key"),
            path("authorized_keys"),
            path("home")
        ),
    );
    let known = folder.read("host_key.pub");
    folder.write("known_hosts", format!("[127.0.0.1]:{port} {known}"));
    let user = Command::new("id").arg("-un").output().unwrap().stdout;
    let user = String::from_utf8(user).unwrap();
    let host = |name: &str, port: u16| {
        format!(
            "Host {name}\n  HostName 127.0.0.1\n  Port {port}\n  User {}\n  IdentityFile {}\n  \
             IdentitiesOnly yes\n  UserKnownHostsFile {}\n",
            user.trim(),
            path("key"),
            path("known_hosts")
        )
    };
    folder.write("port", port.to_string());
    let address = host("127.0.0.1", nobody);
    folder.write("ssh_config", host("far", port) + &host("gone", nobody) + &address);
    let mut sshd = Command::new(SSHD);
    sshd.args(["-D", "-f", &path("sshd_config"), "-E", &path("sshd.log")]);
    // What it leaves behind for a while must not hold what the test prints to.
    sshd.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let sshd = sshd.spawn().unwrap();
    let server = Server { folder, sshd };
    for _ in 0..200 {
        if TcpStream::connect(("127.0.0.1", port)).is_ok() {
            return Some(server);
        }
        thread::sleep(Duration::from_millis(25));
    }
    panic!("sshd does not listen: {}", server.folder.read("sshd.log"));
}

const UP: &[&str] =
    &["up", "windlass.yaml", "--world", "ssh", "--ssh-config", "ssh_config", "--yes", "--detach"];

#[test]
fn a_process_of_another_host_is_started_observed_and_stopped() {
    let Some(server) = server(&[("windlass.yaml", APPLICATION)]) else { return };
    let folder = &server.folder;
    let up = folder.run(UP);
    assert_eq!(up.code, 0, "{up:?} {}", folder.read("sshd.log"));
    assert_eq!(folder.read("home/done"), "prepare\n");
    let running = folder.processes();
    assert_eq!(running.len(), 2, "{running:?}");
    assert!(running.values().all(|pid| is_alive(*pid)), "{running:?}");
    let logs = folder.run(&["logs"]);
    assert!(logs.stdout.contains("prepare store"), "{logs:?}");
    assert!(logs.stdout.contains("I run"), "{logs:?}");
    let accepted = folder.read("sshd.log").matches("Accepted publickey").count();
    assert!((1..=3).contains(&accepted), "sessions share a connection: {accepted}");

    // It dies while nobody looks; who relied on it, here, follows.
    kill("-9", running["store"]);
    let status = folder.run(&["status"]);
    assert!(status.code == 1 && status.stdout.contains("DRIFT"), "{status:?}");
    let resume = folder.run(&["resume", "--detach"]);
    assert_eq!(resume.code, 0, "{resume:?}");
    assert!(resume.stdout.contains("api loses data"), "{resume:?}");
    let again = folder.processes();
    assert!(again.len() == 2 && again["store"] != running["store"], "{again:?}");
    assert_eq!(folder.read("home/done"), "prepare\n", "it was done once");

    folder.write("secrets/token", "hush-hush");
    let down = folder.run(&["down", "--secrets", "secrets"]);
    assert_eq!(down.code, 0, "{down:?}");
    assert_eq!(folder.read("home/done"), "prepare\nstop hush-hush\n");
    assert!(again.values().all(|pid| !is_alive(*pid)), "{again:?}");
    assert!(!down.stdout.contains("hush"), "{down:?}");
}

/// The connections that engines made and have not ended.
fn connections(server: &Server) -> Vec<String> {
    let config = server.folder.path("ssh_config").display().to_string();
    let all = Command::new("ps").args(["-eo", "args"]).output().unwrap().stdout;
    let all = String::from_utf8_lossy(&all).into_owned();
    all.lines()
        .filter(|line| line.contains("ssh") && line.contains(&config))
        .map(String::from)
        .collect()
}

#[test]
fn a_host_may_have_its_address_in_the_description_and_connections_end_with_the_engine() {
    let Some(server) = server(&[("windlass.yaml", APPLICATION)]) else { return };
    let folder = &server.folder;
    // Nobody listens where the configuration leads; the port stands in the description.
    let hosts = format!(
        "hosts: {{ rack: {{ slots: 1, address: 'ssh://127.0.0.1:{}' }} }}\n",
        folder.read("port")
    );
    folder.write("windlass.yaml", APPLICATION.replace("host: far", "host: rack") + &hosts);
    let up = folder.run(UP);
    assert_eq!(up.code, 0, "{up:?} {}", folder.read("sshd.log"));
    assert_eq!(folder.read("home/done"), "prepare\n");
    assert_eq!(folder.processes().len(), 2);
    assert_eq!(connections(&server), Vec::<String>::new());
    folder.write("secrets/token", "x");
    let down = folder.run(&["down", "--secrets", "secrets"]);
    assert_eq!(down.code, 0, "{down:?}");
    assert_eq!(connections(&server), Vec::<String>::new());
}

#[test]
fn an_engine_that_stays_sees_a_process_of_another_host_die() {
    use std::io::BufRead as _;
    let Some(server) = server(&[("windlass.yaml", APPLICATION)]) else { return };
    let folder = &server.folder;
    let mut engine = folder.command(&UP[..UP.len() - 1]).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = std::io::BufReader::new(engine.stdout.take().unwrap()).lines();
    let mut until = |word: &str| {
        let line = lines.by_ref().map(Result::unwrap).find(|line| line.contains(word));
        line.unwrap_or_else(|| panic!("`{word}` was never said"))
    };
    until("reached");
    let before = folder.processes();
    kill("-9", before["store"]);
    let died = until("died");
    assert!(died.contains("signal 9"), "{died}");
    until("reached");
    let after = folder.processes();
    assert!(after.len() == 2 && after["store"] != before["store"], "{before:?} {after:?}");
    kill("-INT", u64::from(engine.id()));
    assert_eq!(engine.wait().unwrap().code(), Some(130));
    assert!(after.values().all(|pid| is_alive(*pid)), "what runs outlives the engine");
    folder.write("secrets/token", "x");
    assert_eq!(folder.run(&["down", "--secrets", "secrets"]).code, 0);
}

#[test]
fn a_command_of_another_host_outlives_the_engine_and_is_done_once() {
    let Some(server) = server(&[("windlass.yaml", APPLICATION)]) else { return };
    let folder = &server.folder;
    for wait in [100, 500, 900] {
        let mut engine = folder.command(UP).stdout(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_millis(wait));
        engine.kill().unwrap();
        engine.wait().unwrap();
        let mut resume = folder.run(&["resume", "--detach"]);
        if resume.code == 2 {
            // It died before there was anything to resume.
            resume = folder.run(UP);
        }
        assert_eq!(resume.code, 0, "{resume:?}");
        assert_eq!(folder.read("home/done"), "prepare\n", "after {wait} ms: {resume:?}");
        folder.write("secrets/token", "x");
        let down = folder.run(&["down", "--secrets", "secrets"]);
        assert_eq!(down.code, 0, "{down:?}");
        folder.write("home/done", "");
        std::fs::remove_file(folder.path("home/done")).unwrap();
    }
}

#[test]
fn what_takes_too_long_is_stopped_there_and_a_host_that_is_away_is_named() {
    let text = "
windlass: 1
name: slow
types:
  job:
    net:
      places: [off, on]
      initial: [off]
      transitions:
        work: { from: off, to: on, timeout: 1s, run: { shell: 'echo $$ > pid; exec sleep 1022' } }
nodes:
  job: { type: job, host: far }
";
    let Some(server) = server(&[("windlass.yaml", text)]) else { return };
    let folder = &server.folder;
    let up = folder.run(UP);
    assert!(up.code == 4 && up.stdout.contains("took too long"), "{up:?}");
    let pid = folder.read("home/pid").trim().parse().unwrap();
    assert!(!is_alive(pid), "{pid} still runs");
    folder.write("windlass.yaml", text.replace("host: far", "host: gone"));
    let mut arguments = UP.to_vec();
    arguments.extend(["--name", "other"]);
    let up = folder.run(&arguments);
    assert_eq!(up.code, 4, "{up:?}");
    assert!(up.stdout.contains("`gone` cannot be reached"), "{up:?}");
}

//! An ssh server of the test's own: this machine behind another port, other keys, another home.

#![allow(clippy::print_stdout, reason = "a test that is skipped says so")]

use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::support::Folder;

const SSHD: &str = "/usr/sbin/sshd";

/// An ssh server and a configuration in which it is the host `far`; nothing listens at
/// the host `gone`.
pub(crate) struct Server {
    pub(crate) folder: Folder,
    sshd: Child,
}

impl Server {
    /// The host is gone: nothing listens there any more. What runs there goes on.
    pub(crate) fn stop(&mut self) {
        let _ = self.sshd.kill();
        let _ = self.sshd.wait();
    }

    /// The host is there again.
    pub(crate) fn start_again(&mut self) {
        self.sshd = started(&self.folder);
        self.wait_for();
    }

    /// Waits until it listens.
    fn wait_for(&self) {
        let port: u16 = self.folder.read("port").parse().unwrap();
        for _ in 0..200 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return;
            }
            thread::sleep(Duration::from_millis(25));
        }
        panic!("sshd does not listen: {}", self.folder.read("sshd.log"));
    }
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
pub(crate) fn server(files: &[(&str, &str)]) -> Option<Server> {
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
    let (port, unused) = (free(), free());
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
    let address = host("127.0.0.1", unused);
    folder.write("ssh_config", host("far", port) + &host("gone", unused) + &address);
    let server = Server { sshd: started(&folder), folder };
    server.wait_for();
    Some(server)
}

/// A server by the configuration in a folder.
fn started(folder: &Folder) -> Child {
    let path = |name: &str| folder.path(name).display().to_string();
    let mut sshd = Command::new(SSHD);
    sshd.args(["-D", "-f", &path("sshd_config"), "-E", &path("sshd.log")]);
    // What it leaves behind for a while must not hold what the test prints to.
    sshd.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    sshd.spawn().unwrap()
}

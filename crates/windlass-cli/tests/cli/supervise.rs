//! `--detach --supervise`: an engine in the background handles a death, and gives way to the next
//! command that drives the deployment.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use std::thread;
use std::time::Duration;

use crate::support::{Folder, PAIR, is_alive, kill};

/// Asks until it holds.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..400 {
        if holds() {
            return;
        }
        thread::sleep(Duration::from_millis(50));
    }
    panic!("{what}: not within twenty seconds");
}

#[test]
fn the_engine_in_the_background_handles_a_death_and_gives_way() {
    let folder = Folder::with(&[("windlass.yaml", PAIR)]);
    let up = folder.run(&["up", "windlass.yaml", "--yes", "--detach", "--supervise"]);
    assert_eq!(up.code, 0, "{up:?}");
    until("driven", || folder.run(&["status"]).stdout.contains("driven"));
    let before = folder.processes();
    kill("-9", before["store"]);
    until("brought back", || {
        let now = folder.processes();
        now.len() == 2 && before.iter().all(|(id, pid)| now[id] != *pid)
    });
    let log = folder.read(".windlass/pair/supervisor.log");
    assert!(log.contains("died    the process of store"), "{log}");

    let refused = folder.run(&["scale", "nobody=2", "--detach"]);
    assert!(refused.code == 2 && refused.stderr.contains("looks after it again"), "{refused:?}");
    until("driven after a refusal", || folder.run(&["status"]).stdout.contains("driven"));
    for refused in [
        &["up", "windlass.yaml", "--goal", "nobody=running", "--yes", "--detach"][..],
        &["resume", "--in-doubt", "1=done", "--detach"],
        // What this command cannot read, the other engine does not need.
        &["up", "windlass.yaml", "--secrets", "missing", "--yes", "--detach"],
    ] {
        let refused = folder.run(refused);
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(refused.stderr.contains("looks after it again"), "{refused:?}");
        until("driven again", || folder.run(&["status"]).stdout.contains("driven"));
    }
    let scale = folder.run(&["scale", "api=2", "--detach"]);
    assert_eq!(scale.code, 0, "{scale:?}");
    assert!(scale.stderr.contains("background has ended"), "{scale:?}");
    let running = folder.processes();
    assert_eq!(running.len(), 3, "{running:?}");
    until("driven by another", || folder.run(&["status"]).stdout.contains("driven"));
    let resume = folder.run(&["resume", "--detach"]);
    assert_eq!(resume.code, 0, "{resume:?}");
    let status = folder.run(&["status"]);
    assert!(status.stdout.contains("ended"), "no supervisor was asked for: {status:?}");
    let resume = folder.run(&["resume", "--detach", "--supervise"]);
    assert_eq!(resume.code, 0, "{resume:?}");
    until("driven again", || folder.run(&["status"]).stdout.contains("driven"));
    let down = folder.run(&["down"]);
    assert_eq!(down.code, 0, "{down:?}");
    assert!(running.values().all(|pid| !is_alive(*pid)), "{running:?}");
    let supervisor = folder.read(".windlass/pair/supervisor");
    let supervisor = supervisor.split(' ').next().unwrap().parse().unwrap();
    assert!(!is_alive(supervisor));
}

//! What goes is brought to rest by its own operations first; what cannot be put in order is said
//! once, and not tried without end.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

use crate::support;
use crate::support::Folder;

/// Every operation writes a line when it has been carried out.
const NOTED: &str = "
windlass: 1
name: noted
types:
  store:
    capabilities: [data]
    operations:
      prepare: { run: { shell: echo $WINDLASS_INSTANCE prepare >> done } }
      start: { run: { shell: echo $WINDLASS_INSTANCE start >> done } }
      stop: { run: { shell: echo $WINDLASS_INSTANCE stop >> done } }
    protocol:
      initial: absent
      states:
        absent: {}
        prepared: {}
        running: { offers: [data], process: [sleep, '1010'] }
      transitions:
        - { from: absent, operation: prepare, to: prepared }
        - { from: prepared, operation: start, to: running }
        - { from: running, operation: stop, to: prepared }
      up: [prepare, start]
  api:
    requirements: { data: replica_unaware }
    operations:
      start: { run: { shell: echo $WINDLASS_INSTANCE start >> done; test ! -e broken } }
      stop: { run: { shell: echo $WINDLASS_INSTANCE stop >> done } }
    protocol:
      initial: off
      states:
        off: {}
        running: { requires: [data], on_fault: [off], process: [sleep, '1011'] }
      transitions:
        - { from: off, operation: start, to: running, requires: [data], on_fault: [off] }
        - { from: running, operation: stop, to: off }
      up: [start]
nodes:
  store: { type: store }
  api: { type: api, bind: { data: store.data } }
";

fn noted() -> Folder {
    Folder::with(&[("windlass.yaml", NOTED)])
}

#[test]
fn down_stops_users_before_what_they_use_and_then_removes() {
    let folder = noted();
    let up = folder.run(&["up", "windlass.yaml", "--yes", "--detach"]);
    assert_eq!(up.code, 0, "{up:?}");
    assert_eq!(folder.read("done"), "store prepare\nstore start\napi start\n");
    let down = folder.run(&["down"]);
    assert_eq!(down.code, 0, "{down:?}");
    let ended = "store prepare\nstore start\napi start\napi stop\nstore stop\n";
    assert_eq!(folder.read("done"), ended);
    let status = folder.run(&["status"]);
    assert!(status.stdout.contains("run 2") && status.stdout.contains("nothing is there"));
}

#[test]
fn scaling_in_stops_what_it_removes() {
    let folder = noted();
    let goal = ["up", "windlass.yaml", "--yes", "--detach", "--goal", "api=running*2"];
    assert_eq!(folder.run(&goal).code, 0);
    folder.write("done", "");
    let scale = folder.run(&["scale", "api=1", "--yes", "--detach"]);
    assert_eq!(scale.code, 0, "{scale:?}");
    let done = folder.read("done");
    assert!(done == "api-1 stop\n" || done == "api-2 stop\n", "{done} {scale:?}");
    assert_eq!(folder.run(&["down"]).code, 0);
}

#[test]
fn a_roll_back_stops_what_it_removes() {
    let folder = noted();
    folder.write("broken", "");
    let up = folder.run(&["up", "windlass.yaml", "--yes", "--on-failure", "roll-back"]);
    assert_eq!(up.code, 4, "{up:?}");
    assert!(up.stdout.contains("rolled back"), "{up:?}");
    assert_eq!(folder.read("done"), "store prepare\nstore start\napi start\nstore stop\n");
    let status = folder.run(&["status"]);
    assert!(status.stdout.contains("nothing is there"), "{status:?}");
}

/// Without the store the API shows another page, and that program does not start.
#[test]
fn a_process_that_cannot_follow_its_instance_is_tried_once() {
    for on_failure in ["stop", "go-on"] {
        let text = NOTED.replace("on_fault: [off], process", "on_fault: [sorry], process");
        let text = text.replace(
            "        off: {}\n",
            "        off: {}\n        sorry: { process: { run: [sh, -c, 'echo try >> tries; exit 3'], \
             health: { run: [test, -e, never] } } }\n",
        );
        let text = text.replace(
            "        - { from: running, operation: stop, to: off }\n",
            "        - { from: running, operation: stop, to: off }\n        \
             - { from: sorry, operation: start, to: running, requires: [data] }\n",
        );
        let folder = Folder::with(&[("windlass.yaml", &text)]);
        let up = folder.run(&["up", "windlass.yaml", "--yes", "--detach"]);
        assert_eq!(up.code, 0, "{up:?}");
        support::kill("-9", folder.processes()["store"]);
        let resume = folder.run(&["resume", "--detach", "--on-failure", on_failure]);
        assert_eq!(resume.code, 4, "{on_failure}: {resume:?}");
        assert!(resume.stdout.contains("`start the process of api` failed: exit code 3"));
        assert_eq!(folder.read("tries"), "try\n", "{on_failure}: {resume:?}");
        // The state is not the one whose process is missing.
        let status = folder.run(&["status"]);
        assert!(!status.stdout.contains("sorry"), "{on_failure}: {status:?}");
        let resume = folder.run(&["resume", "--detach"]);
        assert_eq!(resume.code, 0, "{on_failure}: {resume:?}");
        assert_eq!(folder.run(&["down"]).code, 0);
    }
}

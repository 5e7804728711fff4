//! `verify` on plans that are hardly plans: of other applications, in cycles, without an order on
//! one instance, with ids used again; and the plans of paper 003 as transcripts.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::{Folder, Run};
use expect_test::{Expect, expect};

const THINKING: &str = include_str!("../../../../examples/thinking/windlass.yaml");
const RUNNING: &str = include_str!("../../../../examples/thinking/running.state.yaml");
const WEB: &str = include_str!("../../../../examples/web-services/windlass.yaml");

/// `verify` of a plan for the running example.
fn judge(plan: &str, more: &[&str]) -> Run {
    let folder = Folder::with(&[
        ("windlass.yaml", THINKING),
        ("web.yaml", WEB),
        ("state.yaml", RUNNING),
        ("plan.yaml", plan),
    ]);
    let mut args = vec!["verify", "plan.yaml"];
    args.extend(more);
    folder.run(&args)
}

/// The same, as JSON and with the running state.
fn verdict(plan: &str) -> (String, serde_json::Value, i32) {
    let run = judge(plan, &["--app", "windlass.yaml", "--state", "state.yaml", "--format", "json"]);
    let report = run.json();
    (report["verdict"].as_str().unwrap().to_owned(), report, run.code)
}

fn web(plan: &str, expected: &Expect) {
    let folder = Folder::with(&[("windlass.yaml", WEB), ("plan.yaml", plan)]);
    let run = folder.run(&["verify", "plan.yaml", "--app", "windlass.yaml"]);
    expected.assert_eq(&run.transcript());
}

/// Paper: 003 Fig. 3 (a)
/// Paper: 003 Fig. 5
#[test]
fn a_server_cannot_be_configured_before_it_runs() {
    let plan = include_str!("../../../../examples/web-services/configure-too-early.plan.yaml");
    web(
        plan,
        &expect![[r#"
            not valid: no order is good for every choice.

            A shortest run that fails, after 4 events:

              (start)         Apache Unavailable, Debian NotInstalled, VMWare Down
              start machine   VMWare Up
              install system  Debian Available
              start system    Debian Running
              set up server   Apache Stopped
              configure server  FAILS
                `Apache` is in state `Stopped`, where operation `Configure` does not exist; it exists in `Working`

            No order of whole actions is free of faults.

            evidence: closed_set
            exit: 1
        "#]],
    );
}

/// Paper: 003 Fig. 3 (b)
/// Paper: 003 Fig. 6
#[test]
fn a_server_cannot_be_set_up_before_the_system_runs() {
    let plan = include_str!("../../../../examples/web-services/setup-too-early.plan.yaml");
    web(
        plan,
        &expect![[r#"
            not valid: no order is good for every choice.

            A shortest run that fails, after 2 events:

              (start)         Debian NotInstalled, VMWare Down
              start machine   VMWare Up
              install system  Debian Available
              set up server  FAILS
                operation `Setup` of `Apache` needs `ServerContainer`, which is not offered: `Debian` offers `SoftwareContainer` in state `Running`

            No order of whole actions is free of faults.

            evidence: closed_set
            exit: 1
        "#]],
    );
}

/// Paper: 003 Fig. 3 (c)
#[test]
fn both_services_are_deployed_in_any_order() {
    let plan = include_str!("../../../../examples/web-services/deploy.plan.yaml");
    web(
        plan,
        &expect![[r#"
        valid: Every order can be carried out, whatever the choices and faults. It always ends with the same instances in the same states.

        What it changes, for certain:
          Apache: Unavailable -> Working; offers WebAppRuntime
          Convertor: NotDeployed -> Deployed
          Debian: NotInstalled -> Running; offers SoftwareContainer
          Translator: NotDeployed -> Deployed
          VMWare: Down -> Up; offers Container

        evidence: closed_set
        exit: 0
    "#]],
    );
}

/// What is refused: exit code 2, and a message with the label `lost`.
fn refused(plan: &str, more: &[&str], label: &str) {
    let run = judge(plan, more);
    assert_eq!(run.code, 2, "{plan}: {run:?}");
    assert_eq!(run.stdout, "", "{plan}");
    assert!(run.stderr.contains(&format!("`{label}`")), "{plan}: {run:?}");
}

#[test]
fn plans_and_states_of_another_application_are_refused() {
    let here = ["--app", "windlass.yaml", "--state", "state.yaml"];
    let plan = |action: &str| format!("plan: {{ actions: {{ lost: {action} }} }}\n");
    refused(&plan("{ do: op, instance: nobody, operation: stop }"), &here, "lost");
    refused(&plan("{ do: op, instance: g1, operation: fly }"), &here, "lost");
    refused(&plan("{ do: scale_in, instance: nobody }"), &here, "lost");
    refused(&plan("{ do: scale_out, node: moon, instance: m9 }"), &here, "lost");
    refused(&plan("{ do: scale_out, node: gui, instance: g9, container: nobody }"), &here, "lost");
    // Without a state nothing exists.
    let stop = plan("{ do: op, instance: g1, operation: stop }");
    refused(&stop, &here[..2], "lost");
    // A plan for another application, and a state of another application.
    refused(&stop, &["--app", "web.yaml"], "lost");
    refused(&stop, &["--app", "web.yaml", "--state", "state.yaml"], "gui");
    // Where each node has one instance, nothing is scaled.
    let scaling = plan("{ do: scale_in, instance: Apache }");
    refused(&scaling, &["--app", "web.yaml"], "lost");
}

#[test]
fn an_order_in_a_cycle_is_refused() {
    let here = ["--app", "windlass.yaml", "--state", "state.yaml"];
    let plan = "plan:\n  actions:\n    lost: { do: op, instance: g1, operation: stop }\n    b: { do: \
                op, instance: a1, operation: stop }\n  order: [{ before: lost, after: b }, { \
                before: b, after: lost }]\n";
    refused(plan, &here, "lost");
    let own = "plan: { actions: { lost: { do: op, instance: g1, operation: stop } }, order: [{ \
               before: lost, after: lost }] }\n";
    refused(own, &here, "lost");
    let unknown = "plan: { actions: { a: { do: op, instance: g1, operation: stop } }, order: [{ \
                   before: a, after: lost }] }\n";
    refused(unknown, &here, "lost");
}

#[test]
fn an_id_may_be_used_again_when_its_instance_is_gone() {
    let again = "plan:\n  actions:\n    a: { do: scale_in, instance: n1 }\n    b: { do: scale_out, \
                 node: node, instance: n1 }\n  order: [{ before: a, after: b }]\n";
    let (said, _, code) = verdict(again);
    assert_eq!((said.as_str(), code), ("valid", 0));
    // g1 went with its container n1, so its id is free too.
    let with_container = "plan:\n  actions:\n    a: { do: scale_in, instance: n1 }\n    b: { do: \
                          scale_out, node: node, instance: n2 }\n    c: { do: scale_out, node: gui, \
                          instance: g1, container: n2 }\n  order: [{ before: a, after: b }, { \
                          before: b, after: c }]\n";
    let (said, report, code) = verdict(with_container);
    assert_eq!((said.as_str(), code), ("valid", 0));
    assert_eq!(report["deterministic"], true);
}

#[test]
fn an_id_that_is_alive_cannot_be_created() {
    let plan = "plan: { actions: { a: { do: scale_out, node: node, instance: n1 } } }\n";
    let (said, report, code) = verdict(plan);
    assert_eq!((said.as_str(), code), ("not_valid", 1));
    let reason = report["counterexample"]["reason"].as_str().unwrap();
    assert!(reason.contains("`n1`"), "{reason}");
    // In one order of two it is free.
    let plan = "plan:\n  actions:\n    go: { do: scale_in, instance: n1 }\n    come: { do: scale_out, \
                node: node, instance: n1 }\n";
    let (said, report, code) = verdict(plan);
    assert_eq!((said.as_str(), code), ("weakly_valid", 1));
    let warning = report["warnings"][0].as_str().unwrap();
    assert_eq!(warning, "actions `go` and `come` are both about `n1` and not ordered");
}

#[test]
fn two_unordered_actions_on_one_instance_are_judged_and_named() {
    let plan = "plan:\n  actions:\n    stop it: { do: op, instance: g1, operation: stop }\n    set it: \
                { do: op, instance: g1, operation: config }\n";
    let (said, report, code) = verdict(plan);
    assert_eq!((said.as_str(), code), ("weakly_valid", 1));
    let warnings = report["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 1);
    let expected = "actions `stop it` and `set it` are both about `g1` and not ordered";
    assert_eq!(warnings[0], expected);
    let text = judge(plan, &["--app", "windlass.yaml", "--state", "state.yaml"]).stdout;
    assert!(text.contains(&format!("warning: {expected}\n")), "{text}");
    // Ordered, there is nothing to say.
    let ordered = format!("{plan}  order: [{{ before: stop it, after: set it }}]\n");
    let (said, report, _) = verdict(&ordered);
    assert_eq!((said.as_str(), &report["warnings"]), ("valid", &serde_json::json!([])));
}

#[test]
fn the_same_operation_twice_in_order_is_an_ordinary_plan() {
    let actions = ["stop", "start", "stop", "start"].iter().enumerate().map(|(at, operation)| {
        format!("    s{at}: {{ do: op, instance: g1, operation: {operation} }}\n")
    });
    let order = "  order: [{ before: s0, after: s1 }, { before: s1, after: s2 }, { before: s2, after: \
                 s3 }]\n";
    let actions: String = actions.collect::<Vec<_>>().concat();
    let (said, report, code) = verdict(&format!("plan:\n  actions:\n{actions}{order}"));
    assert_eq!((said.as_str(), code), ("valid", 0));
    assert_eq!(report["deterministic"], true);
}

#[test]
fn nothing_is_valid_because_nothing_can_happen() {
    let (said, _, code) = verdict("plan: { actions: {} }\n");
    assert_eq!((said.as_str(), code), ("valid", 0));
    // The first action cannot run, so whatever follows cannot make the plan valid.
    let plan = "plan:\n  actions:\n    a: { do: op, instance: g1, operation: install }\n    b: { do: \
                op, instance: g1, operation: stop }\n  order: [{ before: a, after: b }]\n";
    let (said, report, code) = verdict(plan);
    assert_eq!((said.as_str(), code), ("not_valid", 1));
    assert_eq!(report["counterexample"]["trace"], serde_json::json!([]));
    // An end needs its own start: an operation under way elsewhere does not count.
    let plan = "plan:\n  actions:\n    a: { do: op, instance: g1, operation: stop }\n    b: { do: op, \
                instance: g1, operation: stop }\n";
    let (said, _, code) = verdict(plan);
    assert_eq!((said.as_str(), code), ("not_valid", 1));
}

#[test]
fn a_start_state_with_a_fault_is_reported() {
    let state = RUNNING.replace("node: mongo, state: running", "node: mongo, state: stopped");
    assert_ne!(state, RUNNING);
    let folder = Folder::with(&[
        ("windlass.yaml", THINKING),
        ("state.yaml", &state),
        ("plan.yaml", "plan: { actions: {} }\n"),
    ]);
    let args = ["verify", "plan.yaml", "--app", "windlass.yaml", "--state", "state.yaml"];
    expect![[r#"
        valid: Every order can be carried out, whatever the choices and faults. It always ends with the same instances in the same states.
        warning: a fault is pending in the start state: `a1` lacks `data`
        warning: a fault is pending in the start state: `a2` lacks `data`

        evidence: closed_set
        exit: 0
    "#]].assert_eq(&folder.run(&args).transcript());
}

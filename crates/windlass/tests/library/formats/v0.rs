//! The older format of RAMP's branch `v0`.

use expect_test::expect;
use windlass::lang::{self, Language};
use windlass::plan::{Plan, PlanAction};
use windlass::source::Sources;

use super::{lines, read};

fn plan(elements: &str, rest: &str) -> (Option<Plan>, String) {
    let text = format!("{{\"planExecutableElements\": {{{elements}}}{rest}}}");
    let mut sources = Sources::new();
    let root = sources.add("plan", text);
    let reading = lang::read_plan(root, &sources);
    assert_eq!(reading.language, Some(Language::RAMP));
    (reading.document, lines(&reading.findings, &sources))
}

const STARTS: &str = r#"
  "new": {"rule": "scaleOut1", "nodeName": "node", "idToAssign": "n1"},
  "in": {"rule": "scaleOut2", "nodeName": "web", "idToAssign": "w1", "containerID": "n1"},
  "a": {"rule": "opStart", "instanceID": "n1", "op": "start"},
  "b": {"rule": "opEnd", "instanceID": "n1", "op": "start"},
  "c": {"rule": "opStart", "instanceID": "w1", "op": "start"},
  "d": {"rule": "opEnd", "instanceID": "w1", "op": "start"},
  "out": {"rule": "scaleIn", "instanceID": "w1"}
"#;

fn edges(plan: &Plan) -> Vec<(&str, &str)> {
    let label = |at: usize| &*plan.steps[at].label;
    plan.order.iter().map(|edge| (label(edge.before), label(edge.after))).collect()
}

#[test]
fn starts_and_ends_become_whole_operations() {
    let order = r#", "constraintsLables": [
        {"before": "new", "after": "in"}, {"before": "new", "after": "a"},
        {"before": "a", "after": "b"}, {"before": "b", "after": "c"},
        {"before": "c", "after": "d"}, {"before": "a", "after": "d"}, {"before": "d", "after": "out"}],
        "contranints": [], "isSequence": "false""#;
    let (read, findings) = plan(STARTS, order);
    assert_eq!(findings, "");
    let read = read.expect("a plan");
    let labels: Vec<&str> = read.steps.iter().map(|step| &*step.label).collect();
    assert_eq!(labels, ["new", "in", "a", "c", "out"]);
    assert_eq!(
        read.steps[2].action,
        PlanAction::Operation { instance: "n1".into(), operation: "start".to_owned() }
    );
    // "a before d" follows from "b before c".
    assert_eq!(edges(&read), [("new", "in"), ("new", "a"), ("a", "c"), ("c", "out")]);
}

#[test]
fn a_sequence_ignores_the_order() {
    let (read, findings) = plan(
        STARTS,
        r#", "constraintsLables": [{"before": "d", "after": "a"}], "isSequence": true"#,
    );
    assert_eq!(findings, "");
    let read = read.expect("a plan");
    assert_eq!(edges(&read), [("new", "in"), ("in", "a"), ("a", "c"), ("c", "out")]);
}

#[test]
fn the_same_operation_twice_is_paired_by_the_order() {
    let elements = r#"
      "a1": {"rule": "opStart", "instanceID": "n", "op": "x"},
      "a2": {"rule": "opStart", "instanceID": "n", "op": "x"},
      "b2": {"rule": "opEnd", "instanceID": "n", "op": "x"},
      "b1": {"rule": "opEnd", "instanceID": "n", "op": "x"}"#;
    let order = r#", "constraintsLables": [{"before": "a1", "after": "b1"},
        {"before": "a2", "after": "b2"}, {"before": "b1", "after": "a2"}]"#;
    let (read, findings) = plan(elements, order);
    assert_eq!(findings, "");
    assert_eq!(edges(&read.expect("a plan")), [("a1", "a2")]);
}

#[test]
fn halves_that_cannot_be_whole_are_reported() {
    let alone = r#""a": {"rule": "opStart", "instanceID": "n", "op": "x"},
        "b": {"rule": "opEnd", "instanceID": "n", "op": "y"}, "c": {"rule": "opMiddle"}"#;
    expect![[r#"
        1:29 RAMP010 the operation of `a` starts and never ends
        2:9 RAMP010 the operation of `b` ends and never starts
        2:77 RAMP005 `opMiddle` is no rule
    "#]]
    .assert_eq(&plan(alone, "").1);
    let overlapping =
        r#", "constraintsLables": [{"before": "a", "after": "d"}, {"before": "z", "after": "d"}]"#;
    expect![[r#"
        9:26 RAMP010 this orders one half of an operation
        9:68 RAMP001 unknown action `z`
    "#]]
    .assert_eq(&plan(STARTS, overlapping).1);
    let interleaved = r#""a": {"rule": "opStart", "instanceID": "n", "op": "x"},
        "c": {"rule": "scaleIn", "instanceID": "m"},
        "b": {"rule": "opEnd", "instanceID": "n", "op": "x"}"#;
    expect![[r#"
        1:29 RAMP010 other actions stand between the start `a` and its end
    "#]]
    .assert_eq(&plan(interleaved, ", \"isSequence\": \"true\"").1);
}

#[test]
fn the_older_keys_of_applications_and_states_are_read() {
    let old = include_str!("shop.json")
        .replace("\"startState\"", "\"startingState\"")
        .replace("\"sort\"", "\"reqSort\"");
    let (reading, sources) = read(&old);
    assert_eq!(lines(&reading.findings, &sources), "");
    let (new, _) = read(include_str!("shop.json"));
    assert_eq!(reading.application, new.application);
    let application = new.application.expect("the text has no findings");
    let state = |text: &str| {
        let mut sources = Sources::new();
        let root = sources.add("state", text);
        let reading = lang::read_state(root, &sources, &application);
        (reading.document, lines(&reading.findings, &sources))
    };
    let new = include_str!("shop.state.json");
    let old = new
        .replace("\"activeInstances\"", "\"activeNodeInstances\"")
        .replace("\"req\"", "\"requirement\"")
        .replace("\"instanceID\"", "\"targetInstanceID\"");
    assert_eq!(state(&old), state(new));
    assert!(state(new).0.is_some());
}

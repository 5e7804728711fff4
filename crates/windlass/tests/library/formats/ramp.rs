//! RAMP's JSON: what is printed reads as the same thing, and mistakes are found at their places.

use expect_test::{Expect, expect};
use proptest::prelude::*;
use windlass::application::{Application, Faults, GlobalState, Policy, TypeId};
use windlass::lang::{self, Language, Reading, ramp};
use windlass::lifecycle::protocol::{Arity, Transition};
use windlass::plan::Plan;
use windlass::source::Sources;
use windlass::tree::emit;

use super::random;
use super::{lines, read};

/// Thinking without the wanted instances.
pub(crate) fn thinking() -> Application {
    let (reading, _) = read(include_str!("../../../../../examples/thinking/windlass.yaml"));
    reading.application.expect("the example can be read")
}

/// As RAMP can say it: a type for each node, named like it, and nothing but behavior.
fn as_ramp_says(application: &Application) -> Application {
    let mut plain = application.clone();
    plain.types.clear();
    for at in 0..plain.nodes.len() {
        let node = &mut plain.nodes[at];
        let mut component = application.component_type(node.component_type).clone();
        component.name.clone_from(&node.name);
        component.processes.clear();
        component.cost_per_second = windlass::lifecycle::Cost(0);
        for operation in &mut component.operations {
            operation.run = None;
            operation.duration = None;
            operation.timeout = None;
            operation.cost = windlass::lifecycle::Cost(0);
        }
        if let windlass::lifecycle::Lifecycle::Protocol(protocol) = &mut component.lifecycle {
            protocol.up = None;
            for state in &mut protocol.states {
                state.on_crash = None;
            }
        }
        node.component_type = TypeId::from(at);
        node.count = 1;
        node.instances.clear();
        plain.types.push(component);
    }
    plain
}

fn read_again(application: &Application) -> (Reading, String) {
    let written = ramp::print(application).expect("RAMP can say it");
    let text = emit::json(&written.document);
    let (reading, sources) = read(&text);
    assert_eq!(lines(&reading.findings, &sources), "", "{text}");
    assert_eq!(reading.language, Some(Language::RAMP));
    (reading, text)
}

#[test]
fn thinking_goes_to_ramp_and_comes_back() {
    let application = thinking();
    let (reading, text) = read_again(&application);
    assert_eq!(reading.application.as_ref(), Some(&as_ramp_says(&application)), "{text}");
    let written = ramp::print(&application).expect("RAMP can say it");
    assert_eq!(written.left_out, ["wanted instances", "the ways up"]);
}

#[test]
fn what_ramp_cannot_say_is_refused() {
    let examples = [
        (include_str!("../../../../../examples/web-services/windlass.yaml"), "faults: forbidden"),
        (include_str!("../../../../../examples/two-components/windlass.yaml"), "the net of `"),
        (include_str!("../../../../../examples/openstack/windlass.yaml"), "the net of `"),
    ];
    for (text, reason) in examples {
        let (reading, _) = read(text);
        let application = reading.application.expect("the examples can be read");
        let refused = ramp::print(&application).expect_err("RAMP cannot say it").to_string();
        assert!(refused.contains(reason), "{refused}");
    }
    let refusal = |change: fn(&mut Application)| {
        let mut application = thinking();
        change(&mut application);
        ramp::print(&application).expect_err("RAMP cannot say it").to_string()
    };
    assert_eq!(
        refusal(|application| application.types[0].requirements[1].arity = Arity::All),
        "RAMP cannot say: the arity of `backend` of `gui`"
    );
    assert_eq!(
        refusal(|application| application.policy = Policy::LeastLoaded),
        "RAMP cannot say: the policy `least-loaded`"
    );
    assert_eq!(
        refusal(|application| application.faults = Faults::Handled),
        "RAMP cannot say: the relation `faults: handled`; RAMP has replicas only"
    );
    assert_eq!(
        refusal(|application| {
            let component = &mut application.types[0];
            let windlass::lifecycle::Lifecycle::Protocol(protocol) = &mut component.lifecycle
            else {
                return;
            };
            let again =
                Transition { requires: [1.into()].into(), ..protocol.transitions[0].clone() };
            protocol.transitions.push(again);
        }),
        "RAMP cannot say: two ways to perform `install` in `not-installed` of `gui`"
    );
}

/// Reads a plan or a state in any language.
fn plan(text: &str) -> (Option<Plan>, String) {
    let mut sources = Sources::new();
    let root = sources.add("plan", text);
    let reading = lang::read_plan(root, &sources);
    (reading.document, lines(&reading.findings, &sources))
}

fn state(text: &str, application: &Application) -> (Option<GlobalState>, String) {
    let mut sources = Sources::new();
    let root = sources.add("state", text);
    let reading = lang::read_state(root, &sources, application);
    (reading.document, lines(&reading.findings, &sources))
}

#[test]
fn the_plan_and_the_state_of_thinking_go_to_ramp_and_come_back() {
    let application = thinking();
    let ours = include_str!("../../../../../examples/thinking/running.state.yaml");
    let (running, findings) = state(ours, &application);
    assert_eq!(findings, "");
    let running = running.expect("a state");
    let written = ramp::print_state(&application, &running).expect("RAMP can say it");
    let text = emit::json(&written.document);
    assert_eq!(state(&text, &application), (Some(running), String::new()), "{text}");

    let ours = include_str!("../../../../../examples/thinking/reconfigure.plan.yaml");
    let (reconfigure, findings) = plan(ours);
    assert_eq!(findings, "");
    let reconfigure = reconfigure.expect("a plan");
    let text = emit::json(&ramp::print_plan(&reconfigure).document);
    assert_eq!(plan(&text), (Some(reconfigure), String::new()), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn random_applications_states_and_plans_come_back(seed in any::<u64>()) {
        let mut random = random::Random::new(seed);
        let application = random::application(&mut random);
        let (reading, text) = read_again(&application);
        let again = reading.application;
        prop_assert_eq!(again.as_ref(), Some(&as_ramp_says(&application)), "{}", text);
        let somewhere = random::state(&mut random, &application);
        let written = ramp::print_state(&application, &somewhere).expect("RAMP can say it");
        let text = emit::json(&written.document);
        prop_assert_eq!(state(&text, &application), (Some(somewhere), String::new()), "{}", text);
        let actions = random::plan(&mut random, &application);
        let text = emit::json(&ramp::print_plan(&actions).document);
        prop_assert_eq!(plan(&text), (Some(actions), String::new()), "{}", text);
    }
}

/// A small application in RAMP's words, with changes; each `from` stands there once.
fn broken(changes: &[(&str, &str)], expected: &Expect) {
    let text = include_str!("shop.json");
    let (reading, sources) = read(text);
    assert_eq!(lines(&reading.findings, &sources), "", "the unchanged text has no findings");
    let mut text = text.to_owned();
    for (from, to) in changes {
        assert_eq!(text.matches(from).count(), 1, "`{from}` stands once in the text");
        text = text.replace(from, to);
    }
    let (reading, sources) = read(&text);
    expected.assert_eq(&lines(&reading.findings, &sources));
    let errors =
        reading.findings.iter().any(|f| f.severity == windlass::diagnostic::Severity::Error);
    assert_eq!(reading.application.is_none(), errors);
}

#[test]
fn many_mistakes_are_found_in_one_run() {
    broken(
        &[
            ("\"RANDOMPI\"", "\"LUCKYPI\""),
            ("\"sort\": \"AWARE\"", "\"sort\": \"AWAER\""),
            ("\"initialState\": \"down\"", "\"initialState\": \"donw\""),
            ("\"requires\": [\"host\", \"data\"]", "\"requires\": [\"hots\", \"data\"]"),
            ("\"targetCapability\": \"room\"", "\"targetCapability\": \"rooom\""),
            ("\"bindings\"", "\"bindngs\": [], \"bindings\""),
        ],
        &expect![[r#"
            3:16 RAMP005 `LUCKYPI` is no policy
            9:43 RAMP005 `AWAER` is no sort of requirement
            14:25 RAMP001 unknown state `donw`
            17:40 RAMP001 unknown requirement `hots`
            42:3 warning RAMP008 the application has no key `bindngs`; it is ignored
            43:103 RAMP001 unknown capability `rooom`
        "#]],
    );
}

#[test]
fn missing_keys_and_wrong_types() {
    broken(
        &[
            ("  \"name\": \"shop\",\n", ""),
            ("\"operation\": \"start\", \"targetState\": \"up\"", "\"operation\": \"start\""),
            ("\"capabilities\": [\"room\"]", "\"capabilities\": \"room\""),
            ("\"offers\": [\"page\"], ", ""),
        ],
        &expect![[r#"
            2:3 RAMP003 the application has no `name`
            16:13 note RAMP004 state `up` has no list `offers`; it reads as empty
            19:13 RAMP003 a transition has no `targetState`
            25:63 RAMP002 expected a list, found a string
        "#]],
    );
}

#[test]
fn things_that_are_declared_twice() {
    broken(
        &[
            ("\"capabilities\": [\"page\"]", "\"capabilities\": [\"page\", \"page\"]"),
            ("\"name\": \"computer\"", "\"name\": \"web\""),
        ],
        &expect![[r#"
            11:32 RAMP007 capability `page` is listed twice
            26:15 RAMP007 node `web` is declared twice
            43:71 RAMP001 unknown node `computer`
        "#]],
    );
}

#[test]
fn broken_states() {
    let (reading, _) = read(include_str!("shop.json"));
    let application = reading.application.expect("the text has no findings");
    let good = include_str!("shop.state.json");
    assert_eq!(state(good, &application).1, "");
    let found = |changes: &[(&str, &str)]| {
        let mut text = good.to_owned();
        for (from, to) in changes {
            assert_eq!(text.matches(from).count(), 1, "`{from}` stands once in the text");
            text = text.replace(from, to);
        }
        let (document, findings) = state(&text, &application);
        assert!(document.is_none());
        findings
    };
    expect![[r#"
        4:75 RAMP001 unknown node `wbe`
    "#]]
    .assert_eq(&found(&[("\"nodeTypeName\": \"web\"", "\"nodeTypeName\": \"wbe\"")]));
    expect![[r#"
        4:29 RAMP001 unknown state `upp`
    "#]]
    .assert_eq(&found(&[("\"currentState\": \"up\"", "\"currentState\": \"upp\"")]));
    expect![[r#"
        4:5 RAMP009 `w1` is contained in nothing
    "#]]
    .assert_eq(&found(&[(
        "{ \"req\": { \"name\": \"host\", \"sort\": \"CONTAINMENT\" }, \"instanceID\": \"c1\" }, ",
        "",
    )]));
    expect![[r#"
        9:143 RAMP009 `c1` cannot satisfy `data` of `w1`
    "#]]
    .assert_eq(&found(&[("\"instanceID\": \"d1\"", "\"instanceID\": \"c1\"")]));
    expect![[r#"
        4:41 RAMP005 instance `w1` calls itself `w2`
    "#]]
    .assert_eq(&found(&[("\"id\": \"w1\"", "\"id\": \"w2\"")]));
}

#[test]
fn broken_plans() {
    let found = |text: &str| plan(text).1;
    expect![[r#"
        1:18 RAMP003 action `a` has no `opName`
        1:64 RAMP005 `fly` is no action
        1:124 RAMP005 the name `a=b` contains `=`, which goals use
        1:135 RAMP002 expected a mapping that describes action `d`, found a list
        1:177 RAMP001 unknown action `z`
        1:183 RAMP003 a pair of the order has no `after`
    "#]].assert_eq(&found(
        r#"{"actions":{"a":{"action":"op","instanceID":"x"},"b":{"action":"fly"},"c":{"action":"scaleOut","nodeName":"n","idToAssign":"a=b"},"d":[]},"partialOrder":[{"before":"a","after":"z"},{"before":"c"}]}"#,
    ));
}

#[test]
fn an_empty_plan_is_a_plan() {
    assert_eq!(plan("{\"actions\": {}}"), (Some(Plan::default()), String::new()));
    let (none, findings) = plan("{\"actions\": {}, \"other\": 1}");
    assert_eq!((none, findings), (None, String::new()), "some other tool's file");
}

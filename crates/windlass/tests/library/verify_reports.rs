//! What a report says beside the verdict: repairs in every relation, and answers for plans whose
//! runs are too many to look at.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests panic")]

use std::fmt::Write as _;

use windlass::analyze;
use windlass::application::{Application, GlobalState, Instance, Policy};
use windlass::goal::evaluate::Closure;
use windlass::lang;
use windlass::lifecycle::protocol::Element;
use windlass::plan::Plan;
use windlass::source::Sources;
use windlass::system::Limits;
use windlass::verify::effects::by_subject;
use windlass::verify::repair::{Repair, with_edges};
use windlass::verify::{self, Effort, Question, Report, Validity};

const THINKING: &str = include_str!("../../../../examples/thinking/windlass.yaml");

fn application(text: &str) -> Application {
    let mut sources = Sources::new();
    let root = sources.add("windlass.yaml", text);
    let reading = lang::read(None, root, &sources);
    reading.application.unwrap_or_else(|| panic!("{:?}", reading.findings))
}

fn plan(text: &str) -> Plan {
    let mut sources = Sources::new();
    let root = sources.add("plan.yaml", text);
    lang::read_plan(root, &sources).document.expect("a plan")
}

fn ask(application: &Application, start: &GlobalState, plan: &Plan) -> Report {
    let question = Question {
        application,
        start,
        plan,
        policy: Policy::Any,
        goal: None,
        closure: Closure::Open,
    };
    let mut limits = Limits { states: 2_000_000, bytes: usize::MAX };
    verify::verify(&question, &Effort::default(), &mut limits).expect("judged")
}

/// Two services, one of which relies on the other, and a third one.
fn pair(faults: &str) -> Application {
    application(&format!(
        "windlass: 1
faults: {faults}
types:
  db:
    capabilities: [sql]
    protocol:
      initial: off
      states: {{ off: {{}}, on: {{ offers: [sql] }} }}
      transitions:
        - {{ from: off, operation: start, to: on }}
        - {{ from: on, operation: stop, to: off }}
  web:
    requirements: {{ data: replica_aware }}
    protocol:
      initial: off
      states: {{ off: {{}}, on: {{ requires: [data], on_fault: [off] }} }}
      transitions:
        - {{ from: off, operation: start, to: on, requires: [data], on_fault: [off] }}
        - {{ from: on, operation: stop, to: off }}
nodes:
  db: {{ type: db }}
  other: {{ type: db }}
  web: {{ type: web, bind: {{ data: db.sql }} }}
"
    ))
}

/// An instance that is replaced by another one with its name, and a node with that name too.
#[test]
fn an_instance_that_is_replaced_is_gone_and_created() {
    let application = pair("replicas");
    let start = GlobalState {
        instances: [("db", "off"), ("other", "on")]
            .map(|(name, state)| {
                let node = application.node_named(name).unwrap();
                let state = application.protocol_of(node).unwrap().state_named(state).unwrap();
                (name.into(), Instance { node, element: Element::State(state) })
            })
            .into(),
        ..GlobalState::empty()
    };
    let plan = plan(
        "plan:
  actions:
    out: { do: scale_in, instance: other }
    in: { do: scale_out, instance: other, node: other }
    up: { do: op, instance: other, operation: start }
    start: { do: op, instance: db, operation: start }
  order: [{ before: out, after: in }, { before: in, after: up }]
",
    );
    let effects = |search_only: bool| {
        let question = Question {
            application: &application,
            start: &start,
            plan: &plan,
            policy: Policy::Any,
            goal: None,
            closure: Closure::Open,
        };
        let effort = Effort { search_only, ..Effort::default() };
        let mut limits = Limits { states: 10_000, bytes: usize::MAX };
        let report = verify::verify(&question, &effort, &mut limits).expect("judged");
        assert_eq!(report.validity, Validity::Valid);
        assert!(report.effects.possible.is_empty());
        by_subject(&application, &report.effects.certain)
    };
    for search_only in [false, true] {
        let all: Vec<(String, String)> =
            effects(search_only).into_iter().map(|(who, what)| (who, what.join("; "))).collect();
        let told = [
            ("db", "off -> on"),
            ("node db", "offers sql"),
            ("other", "created, an instance of other in on; destroyed, an instance of other"),
        ];
        assert_eq!(all, told.map(|(who, what)| (who.to_owned(), what.to_owned())));
    }
}

#[test]
fn a_plan_of_atomic_operations_is_repaired() {
    let plan = plan(
        "plan:
  actions:
    o: { do: op, instance: other, operation: start }
    a: { do: op, instance: db, operation: start }
    b: { do: op, instance: web, operation: start }
",
    );
    for faults in ["forbidden", "handled"] {
        let application = pair(faults);
        let start = analyze::wanted(&application);
        let report = ask(&application, &start, &plan);
        assert_eq!(report.validity, Validity::WeaklyValid, "{faults}");
        assert_eq!(report.repair, Some(Repair::Edges(vec![(1, 2)])), "{faults}");
        let repaired = with_edges(&plan, &[(1, 2)]);
        assert_eq!(ask(&application, &start, &repaired).validity, Validity::Valid, "{faults}");
    }
}

#[test]
fn what_cannot_run_in_any_order_has_no_repair() {
    let plan = plan(
        "plan:
  actions:
    a: { do: op, instance: db, operation: stop }
",
    );
    for faults in ["forbidden", "handled", "replicas"] {
        let application = pair(faults);
        let start = analyze::wanted(&application);
        let report = ask(&application, &start, &plan);
        assert_eq!(report.validity, Validity::NotValid, "{faults}");
        assert_eq!(report.repair, Some(Repair::Impossible), "{faults}");
    }
}

#[test]
fn actions_on_one_instance_are_ordered_by_the_repair() {
    let plan = plan(
        "plan:
  actions:
    stop: { do: op, instance: db, operation: stop }
    start: { do: op, instance: db, operation: start }
",
    );
    let application = pair("replicas");
    let report = ask(&application, &analyze::wanted(&application), &plan);
    assert_eq!(report.validity, Validity::WeaklyValid);
    assert_eq!(report.repair, Some(Repair::Edges(vec![(1, 0)])));
}

/// Paper 004 Fig. 7 with so many stacks; the start of the last api does not wait for the database.
fn stacks(count: usize) -> Plan {
    let mut actions = "    d: { do: scale_out, node: mongo, instance: d }\n    \
                       ds: { do: op, instance: d, operation: start }\n"
        .to_owned();
    let mut order = "    - { before: d, after: ds }\n".to_owned();
    for at in 0..count {
        let _ = write!(
            actions,
            "    m{at}: {{ do: scale_out, node: maven, instance: m{at} }}
    ms{at}: {{ do: op, instance: m{at}, operation: start }}
    a{at}: {{ do: scale_out, node: api, instance: a{at}, container: m{at} }}
    ai{at}: {{ do: op, instance: a{at}, operation: install }}
    as{at}: {{ do: op, instance: a{at}, operation: start }}
"
        );
        let mut edges = vec![("m", "ms"), ("m", "a"), ("a", "ai"), ("ms", "ai"), ("ai", "as")];
        for (before, after) in edges.drain(..) {
            let _ = writeln!(order, "    - {{ before: {before}{at}, after: {after}{at} }}");
        }
        if at + 1 < count {
            let _ = writeln!(order, "    - {{ before: ds, after: as{at} }}");
        }
    }
    plan(&format!("plan:\n  actions:\n{actions}  order:\n{order}"))
}

#[test]
fn a_plan_that_ends_in_one_of_two_ways_is_valid_without_looking_at_every_run() {
    let application = application(THINKING);
    let report = ask(&application, &GlobalState::empty(), &stacks(40));
    assert_eq!((report.validity, report.tier), (Validity::Valid, "T1d"));
    // Two runs that end differently were seen.
    assert_eq!(report.deterministic, Some(false));
    assert!(!report.effects.certain.is_empty() && !report.effects.possible.is_empty());
}

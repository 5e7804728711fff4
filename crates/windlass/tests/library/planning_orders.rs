//! Plan synthesis: many nodes that differ, orders of atomic operations, and the way back into the
//! same containers.

#![allow(clippy::format_push_string, reason = "short, not fast")]
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use crate::support::planning::{found, goal, goal_file, plan};
use crate::support::{fixtures, sketch};
use windlass::application::{Application, Faults, GlobalState};
use windlass::goal::GoalFile;
use windlass::goal::evaluate::Closure;
use windlass::plan::{Order, Plan};
use windlass::synthesize::{Question, Synthesis, end_of, undoing};
use windlass::system::Limits;
use windlass::verify::{self, Effort, Validity};

/// What was removed comes back into the container that it was in, not into some container.
#[test]
fn undoing_a_plan_restores_what_lives_in_what() {
    let (application, _) = fixtures::thinking();
    let text = "d1 mongo running\nm1 maven running\nm2 maven running\nm3 maven running\n\
                a1 api running in m3 data=d1\na2 api running in m3 data=d1\n\
                a3 api running in m1 data=d1\n";
    let start = sketch::state(&application, text);
    for wanted in ["api=gone", "a1=gone,m1=gone", "m3=gone,m1=gone", "maven=gone"] {
        let there = plan(&application, &start, &goal_file(&application, wanted));
        let (end, goal) = undoing(&application, &start, &there.plan).expect("it has an end");
        let question = Question { known: Some(&start), ..Question::new(&application, &end, &goal) };
        let back = found(&question);
        let after = end_of(&application, &end, &back.plan).expect("it has an end");
        assert_eq!((&after.instances, &after.vertical), (&start.instances, &start.vertical));
        assert!(back.optimal, "{wanted}: {} of {}", back.bound, back.value);
    }
}

/// An instance that lives in the wrong container goes and comes again.
#[test]
fn undoing_a_plan_moves_no_instance() {
    let (application, _) = fixtures::thinking();
    let text = "d1 mongo running\nm1 maven running\nm2 maven running\n\
                a1 api running in m1 data=d1\n";
    let start = sketch::state(&application, text);
    let text = text.replace("in m1", "in m2");
    let elsewhere = sketch::state(&application, &text);
    let goal = goal_file(&application, "a1=running,m1=running,m2=running,d1=running");
    let question =
        Question { known: Some(&start), ..Question::new(&application, &elsewhere, &goal) };
    let back = found(&question);
    let after = end_of(&application, &elsewhere, &back.plan).expect("it has an end");
    assert_eq!(after.vertical, start.vertical);
}

/// Two hundred nodes that differ, each of which needs others.
#[test]
fn many_nodes_are_planned_one_after_another() {
    let mut text = "type first has up\n  state off\n  state on offers up\n  op off start on\n  \
                    op on stop off\n\
                    type next needs one:unaware two:unaware has up\n  state off\n  \
                    state on needs one two offers up\n  op off start on needs one two\n  \
                    op on stop off\nnode n0 first\n"
        .to_owned();
    let nodes = 200;
    for at in 1..nodes {
        text += &format!("node n{at} next one=n{}.up two=n{}.up\n", at - 1, at / 2);
    }
    let application = sketch::application(&text);
    let wanted = |state: &str| {
        let one = |at| format!("n{at}={state}*1");
        goal_file(&application, &(0..nodes).map(one).collect::<Vec<_>>().join(","))
    };
    let begin = std::time::Instant::now();
    let up = plan(&application, &GlobalState::empty(), &wanted("on"));
    assert_eq!((up.plan.length(), up.optimal), (3 * nodes, true));
    let running = end_of(&application, &GlobalState::empty(), &up.plan).expect("it has an end");
    let down = plan(&application, &running, &wanted("off"));
    assert_eq!((down.plan.length(), down.optimal), (2 * nodes, true));
    // Seconds, where it was minutes; however busy the machine is.
    assert!(begin.elapsed().as_secs() < 60, "{:?}", begin.elapsed());
}

/// Two services on a server on a machine. A server that is configured again offers all the time.
const SERVICES: &str = "
faults forbidden
type service needs runtime:containment
  state absent
  state there needs runtime
  op absent deploy there needs runtime
  op there undeploy absent needs runtime
type server needs machine:containment has runtime
  state off
  state stopped
  state working needs machine offers runtime
  state tuned needs machine offers runtime
  op off setup stopped needs machine
  op stopped run working needs machine
  op working tune tuned
  op tuned stop stopped
type machine has machine
  state down
  state up offers machine
  op down start up
  op up stop down
node left service runtime=server.runtime
node right service runtime=server.runtime
node server server machine=machine.machine
node machine machine
";

fn is_valid(application: &Application, start: &GlobalState, plan: &Plan, states: usize) -> bool {
    let question = verify::Question {
        application,
        start,
        plan,
        policy: application.policy,
        goal: None,
        closure: Closure::Open,
    };
    let mut limits = Limits { states, bytes: 1 << 30 };
    let effort = Effort { repair_limit: 0, ..Effort::default() };
    let report = verify::verify(&question, &effort, &mut limits).expect("it fits");
    report.validity == Validity::Valid
}

/// Every edge has a reason, and without it the plan is not valid for its own relation.
fn assert_minimal(
    application: &Application,
    start: &GlobalState,
    found: &Synthesis,
    states: usize,
) {
    assert!(is_valid(application, start, &found.plan, states));
    for at in 0..found.plan.order.len() {
        let mut fewer = found.plan.clone();
        let edge = fewer.order.remove(at);
        assert!(!is_valid(application, start, &fewer, states), "{edge:?} is not needed");
        assert!(edge.why.is_some());
    }
}

fn why(found: &Synthesis) -> Vec<&str> {
    found.plan.order.iter().filter_map(|edge| edge.why.as_deref()).collect()
}

#[test]
fn orders_of_atomic_operations_are_minimal() {
    let mut application = sketch::application(SERVICES);
    for faults in [Faults::Forbidden, Faults::Handled] {
        application.faults = faults;
        let goal = goal_file(&application, "left=there,right=there,server=tuned");
        let empty = GlobalState::empty();
        let up = plan(&application, &empty, &goal);
        assert_eq!((up.plan.steps.len(), up.optimal), (6, true));
        // Deploying and tuning do not disturb each other.
        assert_eq!((up.before.depth, up.after.depth), (6, 4), "{:?}", up.plan.order);
        assert_minimal(&application, &empty, &up, 100_000);
        assert!(why(&up).contains(&"server is runtime of left"), "{:?}", why(&up));
        let running = sketch::state(
            &application,
            "left left there\nright right there\nserver server tuned\nmachine machine up\n",
        );
        let goal = goal_file(&application, "machine=down");
        let down = plan(&application, &running, &goal);
        assert_eq!((down.before.depth, down.after.depth), (4, 3));
        assert_minimal(&application, &running, &down, 100_000);
        assert!(why(&down).contains(&"until then server is runtime of left"), "{:?}", why(&down));
    }
}

/// Many services of several machines: every edge is asked about, not only the nearest.
#[test]
fn large_orders_of_atomic_operations_are_minimal() {
    let mut text = SERVICES.split("node left").next().expect("types").to_owned();
    for at in 1..=20 {
        text += &format!(
            "node left{at} service runtime=server{at}.runtime\n\
             node right{at} service runtime=server{at}.runtime\n\
             node server{at} server machine=machine{}.machine\n",
            at % 3
        );
    }
    text += "node machine0 machine\nnode machine1 machine\nnode machine2 machine\n";
    let mut application = sketch::application(&text);
    let wanted = |at| format!("left{at}=there,right{at}=there,server{at}=tuned");
    let wanted = (1..=20).map(wanted).collect::<Vec<_>>().join(",");
    for faults in [Faults::Forbidden, Faults::Handled] {
        application.faults = faults;
        let up = plan(&application, &GlobalState::empty(), &goal_file(&application, &wanted));
        // Evidence for so many actions looks into the middle of operations too, so that tuning
        // waits for deploying.
        assert_eq!((up.plan.steps.len(), up.after.depth), (103, 5));
        assert_minimal(&application, &GlobalState::empty(), &up, 1_000);
    }
}

/// What invariants ask for stays in order, and the rest does not.
#[test]
fn invariants_order_atomic_operations() {
    let application = sketch::application(SERVICES);
    let never = vec![goal(&application, "right=there,left=absent")];
    let wanted = goal(&application, "left=there,right=there");
    let file = GoalFile { goal: wanted, never, ..GoalFile::default() };
    let found = plan(&application, &GlobalState::empty(), &file);
    let step = |label: &str| found.plan.step_labelled(label).expect("it is planned");
    let (left, right) = (step("deploy left"), step("deploy right"));
    let is_ordered = |edge: &Order| (edge.before, edge.after) == (left, right);
    assert!(found.plan.order.iter().any(is_ordered), "{:?}", found.plan.order);
    assert_eq!(found.after.depth, 5);
    assert!(found.plan.order.iter().all(|edge| edge.why.is_some()));
}

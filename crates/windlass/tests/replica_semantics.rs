//! The examples of paper 004 sections 3.3, 4.1 and 4.2, and the readings of our own, on small
//! applications.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use std::collections::BTreeSet;

use support::fixtures::{CYCLE, CYCLE_START, THINKING, thinking};
use support::sketch;
use windlass::application::{Application, GlobalState, InstanceId, Policy};
use windlass::goal::evaluate::Closure;
use windlass::goal::{Amount, Goal, Want};
use windlass::plan::{PlanAction, Step};
use windlass::semantics::Semantics;
use windlass::semantics::replica::observe::{Observation, observe};
use windlass::semantics::replica::{Action, Blocked, Event, Replica, Tracking, faults, observable};
use windlass::system::{System, Unlimited};
use windlass::verify::{Effort, Question, Validity, verify};

/// An action as `start g1 stop`, `end g1 stop`, `scale-in m1`, `scale-out api a3 in m2`.
fn action(application: &Application, text: &str) -> Action {
    let words: Vec<&str> = text.split_whitespace().collect();
    let instance = InstanceId::from(*words.get(1).expect("an instance"));
    let operation = words.get(2).map(|word| (*word).to_owned()).unwrap_or_default();
    match words[0] {
        "start" => Action::OpStart { instance, operation },
        "end" => Action::OpEnd { instance, operation },
        "scale-in" => Action::ScaleIn { instance },
        "scale-out" => {
            let node = application.node_named(words[1]).expect("a node");
            let instance = InstanceId::from(words[2]);
            match words.get(4) {
                None => Action::ScaleOut { node, instance },
                Some(container) => Action::ScaleOutContained {
                    node,
                    instance,
                    container: InstanceId::from(*container),
                },
            }
        }
        other => panic!("what is `{other}`?"),
    }
}

/// The states after a sequence of actions, for every choice; or why one is not executable.
fn run(replica: &Replica, sequence: &[&str]) -> Result<BTreeSet<GlobalState>, (String, Blocked)> {
    let mut states = BTreeSet::from([replica.initial()]);
    for text in sequence {
        let action = action(replica.application(), text);
        let mut after = BTreeSet::new();
        for state in &states {
            let successors = replica.step(state, &action);
            after.extend(successors.map_err(|blocked| ((*text).to_owned(), blocked))?.into_vec());
        }
        states = after;
    }
    Ok(states)
}

/// The one state after a sequence, as a sketch.
fn shown(replica: &Replica, sequence: &[&str]) -> Vec<String> {
    let states = run(replica, sequence).expect("executable");
    states.iter().map(|state| sketch::show(replica.application(), state)).collect()
}

fn names(application: &Application, needs: &BTreeSet<faults::Need>, state: &GlobalState) -> String {
    let name = |(id, requirement): &faults::Need| {
        let node = state.instance(id).expect("active").node;
        format!("{id}.{}", application.type_of(node).requirements[requirement.index()].name)
    };
    needs.iter().map(name).collect::<Vec<_>>().join(" ")
}

#[test]
fn example_of_broken_instances() {
    let (application, running) = thinking();
    let mut state = running.clone();
    state.instances.remove(&InstanceId::from("n1"));
    let broken: Vec<String> = faults::broken(&state).map(|(id, _)| id.0.clone()).collect();
    assert_eq!(broken, ["g1"]);
    let replica = Replica::new(&application, state).expect("protocols");
    // With a broken instance no other action is possible: rule no-broken-instances.
    let blocked = run(&replica, &["start a1 stop"]).expect_err("broken").1;
    assert!(matches!(blocked, Blocked::Broken { .. }), "{blocked:?}");
}

#[test]
fn example_of_pending_and_resolvable_faults() {
    let (application, _) = thinking();
    let state = sketch::state(
        &application,
        "g1 gui working in n1 backend=a1
         a1 api available in m1 data=d1
         a2 api running in m2 data=d1
         n1 node stopped
         m1 maven running
         m2 maven running
         d1 mongo running",
    );
    let replica = Replica::new(&application, state.clone()).expect("protocols");
    let show = |needs: &BTreeSet<faults::Need>| names(&application, needs, &state);
    assert_eq!(show(&faults::pending(&replica, &state)), "g1.host g1.backend");
    assert_eq!(show(&faults::resolvable(&replica, &state)), "g1.backend");
    assert_eq!(show(&faults::unresolvable(&replica, &state)), "g1.host");
}

#[test]
fn example_of_the_management_behavior() {
    let (application, running) = thinking();
    let replica = Replica::new(&application, running.clone()).expect("protocols");
    // Scaling in m1 destroys a1, and g1 switches to a2.
    let scale_in = action(&application, "scale-in m1");
    let outcomes = observable::outcomes(&replica, &running, &scale_in).expect("executable");
    assert_eq!(outcomes.len(), 1);
    let id = InstanceId::from;
    let gui = application.node_named("gui").expect("a node");
    let backend = application.type_of(gui).requirement_named("backend").expect("a requirement");
    let expected = [
        Event::Destroyed { instance: id("a1"), container: id("m1") },
        Event::Resolved {
            instance: id("g1"),
            requirement: backend,
            from: vec![],
            to: vec![id("a2")],
        },
    ];
    assert_eq!(outcomes[0].events, expected);
    assert!(!outcomes[0].events.iter().any(Event::is_fault));
    // Stopping a2 then brings g1 back to configured.
    let sequence = ["scale-in m1", "start a2 stop", "end a2 stop"];
    assert_eq!(
        shown(&replica, &sequence),
        ["a2 api available in m2\nd1 mongo running\ng1 gui configured in n1\n\
          m2 maven running\nn1 node running\n"]
    );
    let last = action(&application, "start a2 stop");
    let before = run(&replica, &sequence[..1]).expect("executable");
    let before = before.first().expect("a state");
    let outcomes = observable::outcomes(&replica, before, &last).expect("executable");
    assert!(outcomes[0].events.iter().any(Event::is_fault), "the page faults when a2 stops");
}

#[test]
fn figure_3_has_a_bad_trace_and_a_good_one() {
    let (application, running) = thinking();
    let replica = Replica::new(&application, running).expect("protocols");
    let bad = [
        "start g1 stop",
        "end g1 stop",
        "start g1 config",
        "start a1 config",
        "start a2 config",
        "end g1 config",
        "end a1 config",
        "end a2 config",
        "start g1 start",
        "end g1 start",
    ];
    let (failed, blocked) = run(&replica, &bad).expect_err("not valid");
    assert_eq!(failed, "start g1 start");
    assert_eq!(
        replica.explain(&blocked),
        "`g1` is in state `installed`, where operation `start` does not exist; it exists in \
         `configured`"
    );
    let good = [
        "start g1 stop",
        "end g1 stop",
        "start g1 config",
        "start a1 config",
        "end g1 config",
        "end a1 config",
        "start a2 config",
        "end a2 config",
        "start g1 start",
        "end g1 start",
    ];
    assert_eq!(run(&replica, &good).expect("valid").len(), 2, "g1 may end bound to a1 or a2");
}

#[test]
fn every_choice_of_the_policy_is_a_successor_and_one_may_stand_for_all() {
    let (mut application, running) = thinking();
    let start = ["start g1 stop", "end g1 stop", "start g1 start"];
    let bound = |replica: &Replica| shown(replica, &start).len();
    let mut replica = Replica::new(&application, running.clone()).expect("protocols");
    assert_eq!(bound(&replica), 2);
    replica.tracking = Tracking::Representative;
    assert_eq!(bound(&replica), 1);
    application.policy = Policy::LeastLoaded;
    let replica = Replica::new(&application, running.clone()).expect("protocols");
    assert!(shown(&replica, &start)[0].contains("backend=a1"), "ties by id");
    application.policy = Policy::Greedy;
    let api = application.node_named("api").expect("a node");
    let named = sketch::application(&format!("{THINKING}instances api a2 a1\n"));
    application.nodes[api.index()].instances = named.node(api).instances.clone();
    let replica = Replica::new(&application, running).expect("protocols");
    assert!(shown(&replica, &start)[0].contains("backend=a2"), "in the order of declaration");
}

#[test]
fn least_loaded_spreads() {
    let (mut application, running) = thinking();
    application.policy = Policy::LeastLoaded;
    let more = "
        g2 gui configured in n1
        d2 mongo running
        a3 api available in m1";
    let text = sketch::show(&application, &running) + more;
    let start = sketch::state(&application, &text);
    let replica = Replica::new(&application, start).expect("protocols");
    let after = shown(&replica, &["start g2 start", "start a3 start", "end a3 start"]);
    assert_eq!(after.len(), 1);
    assert!(after[0].contains("g2 gui configured/start in n1 backend=a2"), "{}", after[0]);
    assert!(after[0].contains("a3 api running in m1 data=d2"), "{}", after[0]);
}

/// A consumer `q` of a provider `p`, with a requirement of the given sort and arity.
fn pair(need: &str, count: u32) -> Application {
    sketch::application(&format!(
        "type p has cap
           state off
           state on offers cap
           op off up on
           op on down off
         type q needs {need}
           state idle
           state busy needs r fault idle
           op idle work busy
           op busy rest idle
           op idle try idle needs r fault idle
         node p p x{count}
         node q q r=p.cap"
    ))
}

fn replica_of<'a>(application: &'a Application, state: &str) -> Replica<'a> {
    Replica::new(application, sketch::state(application, state)).expect("protocols")
}

fn is_busy(replica: &Replica, sequence: &[&str]) -> bool {
    let states = shown(replica, sequence);
    let busy = states.iter().filter(|state| state.contains("q1 q busy")).count();
    assert!(busy == 0 || busy == states.len(), "{states:?}");
    busy > 0
}

#[test]
fn at_least_two_needs_two_distinct_instances() {
    for (sort, rebinds) in [("unaware", true), ("aware", false)] {
        let application = pair(&format!("r:{sort}:2"), 1);
        let replica = replica_of(&application, "p1 p on\np2 p on\np3 p on\nq1 q idle");
        let work = ["start q1 work", "end q1 work"];
        assert_eq!(run(&replica, &work).expect("executable").len(), 3, "three pairs of providers");
        assert!(is_busy(&replica, &work));
        // With `any`, some choice is bound to p1 and some is not.
        let stop = ["start q1 work", "end q1 work", "start p1 down"];
        let states = shown(&replica, &stop);
        let busy = states.iter().filter(|state| state.contains("q1 q busy")).count();
        assert_eq!(busy == states.len(), rebinds, "{sort}: {states:?}");
        assert!(busy > 0);
        let all = [&work[..], &["start p1 down", "start p2 down"]].concat();
        assert!(!is_busy(&replica, &all), "one is too few");
        let few = replica_of(&application, "p1 p on\nq1 q idle");
        assert!(!is_busy(&few, &work));
    }
}

#[test]
fn all_needs_every_existing_instance_and_as_many_as_are_wanted() {
    for sort in ["unaware", "aware"] {
        let application = pair(&format!("r:{sort}:all"), 2);
        let work = ["start q1 work", "end q1 work"];
        let busy = |state: &str, more: &[&str]| {
            is_busy(&replica_of(&application, state), &[&work[..], more].concat())
        };
        assert!(busy("p1 p on\np2 p on\nq1 q idle", &[]));
        assert!(!busy("p1 p on\nq1 q idle", &[]), "two are wanted");
        assert!(!busy("p1 p on\np2 p off\nq1 q idle", &[]), "every one must offer");
        assert!(!busy("p1 p on\np2 p on\nq1 q idle", &["start p2 down"]));
        assert!(!busy("p1 p on\np2 p on\nq1 q idle", &["scale-out p p3"]), "p3 does not offer");
        // Three exist, two are wanted: when one goes, those that exist still are enough, and each
        // of them offers. When two go, they are not.
        let three = "p1 p on\np2 p on\np3 p on\nq1 q idle";
        assert!(busy(three, &["scale-in p3"]));
        assert!(!busy(three, &["scale-in p3", "scale-in p2"]));
        let mut replica = replica_of(&application, three);
        replica.want(application.node_named("p").expect("a node"), 4);
        assert!(!is_busy(&replica, &work), "a goal wants four");
    }
}

#[test]
fn a_new_instance_is_a_fault_for_what_needs_all_unless_it_offers() {
    for sort in ["unaware", "aware"] {
        for first in ["on", "off"] {
            let other = if first == "on" { "off" } else { "on" };
            let state = |name| if name == "on" { "on offers cap" } else { "off" };
            let text = format!(
                "type p has cap
                   state {}
                   state {}
                 type q needs r:{sort}:all
                   state idle
                   state busy needs r fault idle
                   op idle work busy
                 node p p
                 node q q r=p.cap",
                state(first),
                state(other)
            );
            let application = sketch::application(&text);
            let replica = replica_of(&application, "p1 p on\nq1 q idle");
            let sequence = ["start q1 work", "end q1 work", "scale-out p p2"];
            // Who relies on all of them relies on no one in particular, aware or not.
            assert_eq!(is_busy(&replica, &sequence), first == "on", "{sort}");
        }
    }
}

#[test]
fn an_aware_need_that_was_not_bound_at_the_start_of_an_operation_stays_unbound() {
    let application = pair("r:aware", 1);
    let replica = replica_of(&application, "p1 p off\nq1 q idle");
    let sequence = ["start q1 try", "start p1 up", "end p1 up"];
    let before = run(&replica, &sequence).expect("executable");
    let end = action(&application, "end q1 try");
    let outcomes = observable::outcomes(&replica, before.first().expect("a state"), &end);
    assert!(outcomes.expect("executable")[0].events.iter().any(Event::is_fault));
    // The same with a replica-unaware requirement is no fault: it is bound as soon as possible.
    let application = pair("r:unaware", 1);
    let replica = replica_of(&application, "p1 p off\nq1 q idle");
    let before = run(&replica, &sequence).expect("executable");
    let outcomes = observable::outcomes(&replica, before.first().expect("a state"), &end);
    assert!(!outcomes.expect("executable")[0].events.iter().any(Event::is_fault));
}

#[test]
fn a_start_state_is_settled_by_the_first_action() {
    let application = pair("r:unaware", 1);
    let replica = replica_of(&application, "p1 p on\nq1 q busy\nq2 q idle/try");
    assert!(shown(&replica, &[])[0].contains("q1 q busy\n"), "taken as given");
    let after = &shown(&replica, &["end q2 try"])[0];
    assert!(after.contains("q1 q busy r=p1\n") && after.contains("q2 q idle\n"), "{after}");
}

#[test]
fn observations_move_the_model_and_settle() {
    let (application, running) = thinking();
    let replica = Replica::new(&application, running.clone()).expect("protocols");
    let show = |state: &GlobalState| sketch::show(&application, state);
    let instance = InstanceId::from("d1");
    // The database dies: it is found stopped, both services fault, and then the page.
    let crashed = observe(&replica, &running, &Observation::Crashed { instance: instance.clone() });
    let crashed = crashed.expect("observed");
    assert_eq!(crashed.len(), 1);
    let after = show(&crashed[0].state);
    assert!(after.contains("d1 mongo stopped") && after.contains("g1 gui configured"), "{after}");
    assert_eq!(crashed[0].events.iter().filter(|event| event.is_fault()).count(), 3);
    // Observing what the model says changes nothing; an unknown instance is refused.
    let mongo = application.node_named("mongo").expect("a node");
    let state = application.protocol_of(mongo).expect("a protocol").state_named("running");
    let seen = Observation::InState { instance, state: state.expect("a state") };
    assert_eq!(observe(&replica, &running, &seen).expect("observed")[0].state, running);
    let unknown = Observation::Vanished { instance: InstanceId::from("zz") };
    assert!(matches!(observe(&replica, &running, &unknown), Err(Blocked::NotActive { .. })));
    let gone = Observation::Vanished { instance: InstanceId::from("n1") };
    let after = show(&observe(&replica, &running, &gone).expect("observed")[0].state);
    assert!(!after.contains("g1"), "g1 went with its container: {after}");
}

#[test]
fn a_fault_without_handler_makes_the_action_not_executable() {
    let text = "type p has cap
          state on offers cap
          state off
          op on down off
        type q needs r:unaware
          state busy needs r
        node p p
        node q q r=p.cap";
    let application = sketch::application(text);
    let replica = replica_of(&application, "p1 p on\nq1 q busy r=p1");
    let (failed, blocked) = run(&replica, &["start p1 down"]).expect_err("no handler");
    assert_eq!(failed, "start p1 down");
    assert_eq!(
        replica.explain(&blocked),
        "no handler for `r` in state `busy` of `q1`; a handler to a state that does not rely on \
         `r` would take the fault: `p` offers `cap` in state `on`"
    );
}

#[test]
fn handlers_that_lead_in_a_cycle_never_settle() {
    let application = sketch::application(CYCLE);
    let replica = replica_of(&application, CYCLE_START);
    let (_, blocked) = run(&replica, &["start p1 down"]).expect_err("never settles");
    assert_eq!(blocked, Blocked::NeverSettles { instance: InstanceId::from("q1") });
}

#[test]
fn several_largest_handlers_are_several_successors() {
    let text = "type p has cap
          state on offers cap
          state off
          op on down off
        type q needs r:unaware t:containment u:aware
          state busy needs r t u fault with-t with-u bare
          state with-t needs t fault bare
          state with-u needs u fault bare
          state bare
        node p p
        node c p
        node d p
        node q q r=p.cap t=c.cap u=d.cap";
    let application = sketch::application(text);
    let start = "p1 p on\nc1 c on\nd1 d on\nq1 q busy in c1 r=p1 u=d1";
    let replica = replica_of(&application, start);
    let states = shown(&replica, &["start p1 down"]);
    assert_eq!(states.len(), 2, "{states:?}");
    assert!(states.iter().any(|state| state.contains("q1 q with-t in c1\n")), "{states:?}");
    assert!(states.iter().any(|state| state.contains("q1 q with-u in c1 u=d1\n")), "{states:?}");
}

#[test]
fn every_alternative_of_an_operation_may_start() {
    let text = "type p has cap
          state off
          state on offers cap
          op off up on
        type q needs r:unaware t:unaware
          state idle
          state busy
          op idle work busy needs r fault idle
          op idle work busy needs t fault idle
        node p p
        node c p
        node q q r=p.cap t=c.cap";
    let application = sketch::application(text);
    for state in ["p1 p on\nc1 c off", "p1 p on\nc1 c on", ""] {
        let replica = replica_of(&application, &format!("{state}\nq1 q idle"));
        assert_eq!(run(&replica, &["start q1 work"]).expect("executable").len(), 2);
    }
}

#[test]
fn a_goal_says_how_many_are_all() {
    let application = pair("r:unaware:all", 1);
    let start = sketch::state(&application, "p1 p on\nq1 q idle");
    let mut plan = windlass::plan::Plan::default();
    for (label, operation) in [("first", "work"), ("then", "rest")] {
        let (instance, operation) = (InstanceId::from("q1"), operation.to_owned());
        let action = PlanAction::Operation { instance, operation };
        plan.steps.push(Step { label: label.to_owned(), action, origin: sketch::ORIGIN });
    }
    let plan = plan.into_sequence();
    let judged = |amount: Amount| {
        let node = application.node_named("p").expect("a node");
        let state = application.protocol_of(node).expect("a protocol").state_named("on");
        let want = Want::Node { node, state: state.expect("a state"), amount };
        let goal = Goal { wants: vec![want] };
        let (application, start, plan) = (&application, &start, &plan);
        let (policy, goal, closure) = (Policy::Any, Some(&goal), Closure::Open);
        let question = Question { application, start, plan, policy, goal, closure };
        verify(&question, &Effort::default(), &mut Unlimited).expect("judged").validity
    };
    assert_eq!(judged(Amount::Wanted), Validity::Valid);
    assert_eq!(judged(Amount::Exactly(1)), Validity::Valid);
    // Two are wanted and one exists: `work` ends by its fault, and there is nothing to rest from.
    assert_eq!(judged(Amount::AtLeast(2)), Validity::NotValid);
}

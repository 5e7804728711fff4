//! Simulated runs are runs of the semantics, limits hold, chance is a seed's.

use std::collections::BTreeMap;
use std::time::Duration;

use windlass::application::assembly::Assembly;
use windlass::semantics::Semantics;
use windlass::semantics::net::Madeus;
use windlass::simulate::{Mode, Scenario, Schedule, path, runs, simulate, what_if};
use windlass::system::System;

use super::random::{self, SMALL, Shape};
use super::{FIVE, PASSING, TWO_COMPONENTS, application, long};

/// Follows every step of a simulated run in the reference; it ends as the simulator says.
fn replay(text: &str, scenario: &Scenario) -> Schedule {
    let application = application(text);
    let assembly = Assembly::new(&application).unwrap();
    let schedule = simulate(&assembly, &Scenario { trace: true, ..scenario.clone() });
    let madeus = Madeus { failures: true, ..Madeus::new(&assembly) };
    let mut state = madeus.initial();
    let mut before = Duration::ZERO;
    for (moment, action) in &schedule.trace {
        assert!(*moment >= before, "time goes back\n{text}");
        before = *moment;
        state = match madeus.step(&state, action) {
            Ok(after) => after.first().clone(),
            Err(blocked) => panic!(
                "{} is not possible: {}\n{text}",
                madeus.describe(action),
                madeus.explain(&blocked)
            ),
        };
    }
    assert_eq!(madeus.is_final(&state), schedule.is_finished(), "{text}\n{state:#?}");
    let calm = Madeus::new(&assembly);
    let open = calm.candidates(&state).into_iter().find(|a| calm.step(&state, a).is_ok());
    assert_eq!(open.map(|action| calm.describe(&action)), None, "the run stops early\n{text}");
    schedule
}

const MODES: [Mode; 3] = [Mode::Madeus, Mode::Aeolus, Mode::Kolla];

#[test]
fn simulated_runs_are_runs_of_the_semantics() {
    for (_, text) in FIVE {
        for mode in MODES {
            replay(text, &Scenario { mode, ..Scenario::default() });
        }
    }
    let mut finished = 0;
    for seed in (0..long::cases(1500)).map(long::seed) {
        let shape = Shape {
            types: 4,
            places: 5,
            choice: seed % 3 == 0,
            withdrawal: seed % 2 == 0,
            timed: true,
        };
        let mode = MODES[(seed % 3) as usize];
        let jobs = (seed % 5 == 0).then_some(2);
        let drawn = (seed % 2 == 1).then_some(seed);
        let scenario = Scenario { mode, jobs, seed: drawn, trace: false };
        finished += usize::from(replay(&random::assembly(seed, shape), &scenario).is_finished());
    }
    assert!(finished > 200, "only {finished} runs finished");
}

#[test]
fn limits_hold_at_every_moment() {
    for seed in (0..long::cases(200)).map(long::seed) {
        let shape = Shape { types: 5, places: 5, timed: true, ..SMALL };
        let application = application(&random::assembly(seed, shape));
        let assembly = Assembly::new(&application).unwrap();
        let schedule = simulate(&assembly, &Scenario { jobs: Some(3), ..Scenario::default() });
        for run in &schedule.runs {
            let now = run.start;
            let running = schedule.runs.iter().filter(|r| r.start <= now && now < r.end);
            let mut on: BTreeMap<String, u32> = BTreeMap::new();
            for run in running {
                let transition = assembly.net_transition(run.transition);
                let (component, _) = assembly.local_transition(run.transition);
                let node = assembly.component(component).node;
                let host = transition.action.host.as_ref();
                let host = host.or(application.deployment.host.get(&node)).cloned();
                for name in [Some("all".to_owned()), host, transition.action.lock.clone()] {
                    *on.entry(name.unwrap_or_default()).or_default() += 1;
                }
            }
            for (name, most) in [("all", 3), ("small", 1), ("large", 3), ("package", 1)] {
                assert!(on.get(name).is_none_or(|n| *n <= most), "{name} {on:?} seed {seed}");
            }
        }
    }
}

#[test]
fn the_two_components_take_as_long_as_their_longest_way() {
    let application = application(TWO_COMPONENTS);
    let assembly = Assembly::new(&application).unwrap();
    let schedule = simulate(&assembly, &Scenario::default());
    assert_eq!(schedule.makespan, Duration::from_secs(13));
    let names: Vec<String> = path::critical(&assembly, &schedule)
        .iter()
        .map(|step| assembly.transition_name(schedule.runs[step.run as usize].transition))
        .collect();
    assert_eq!(names, ["server.configure", "server.start", "client.run"]);
    let slack = path::slack(&schedule);
    let of = |name: &str| {
        let at = schedule.runs.iter().position(|r| assembly.transition_name(r.transition) == name);
        slack[at.unwrap()]
    };
    assert_eq!(of("server.allocate"), Duration::from_secs(3));
    assert_eq!(of("client.install"), Duration::from_secs(4));
    let costs = path::costs(&assembly, &Scenario::default(), &schedule).unwrap();
    assert_eq!(costs.len(), 1);
    assert_eq!(costs[0].2, Duration::from_secs(3));
    let without = what_if::Names::new(&application).dependency("client.server").unwrap();
    let change = what_if::Change::Without { node: without.0, port: without.1 };
    let changed = what_if::apply(&application, &[change]);
    let schedule = simulate(&Assembly::new(&changed).unwrap(), &Scenario::default());
    assert_eq!(schedule.makespan, Duration::from_secs(10));
}

#[test]
fn a_timeout_is_tried_again_and_then_given_up() {
    let text = PASSING.replace(
        "start: { from: off, to: on }",
        "start: { from: off, to: on, duration: 9s, timeout: 2s, retry: { times: 2, wait: 1s, factor: 3 } }",
    );
    let schedule = replay(&text, &Scenario::default());
    assert!(!schedule.is_finished());
    let starts: Vec<u64> = schedule.runs.iter().map(|run| run.start.as_secs()).collect();
    assert_eq!(starts, [0, 3, 8]);
    assert_eq!(schedule.makespan, Duration::from_secs(10));
}

#[test]
fn equal_seeds_give_equal_runs_and_means_are_near() {
    let text = TWO_COMPONENTS.replace("duration: 8s", "duration: { from: 6s, to: 10s }");
    let application = application(&text);
    let assembly = Assembly::new(&application).unwrap();
    let scenario = Scenario::default();
    let first = runs::statistics(&assembly, &scenario, 7, 500, &mut |_| true);
    assert_eq!(first, runs::statistics(&assembly, &scenario, 7, 500, &mut |_| true));
    assert_ne!(first, runs::statistics(&assembly, &scenario, 8, 500, &mut |_| true));
    assert_eq!((first.finished, first.unfinished), (500, 0));
    assert!((first.mean.as_secs_f64() - 13.0).abs() < 0.2, "{first:?}");
    assert!(first.median < first.p95 && first.p95 <= Duration::from_secs(15));
}

/// A place that holds a port, a place that is used, a second behavior, and one host for all.
const REASONS: &str = "
windlass: 1
name: reasons
hosts: { small: 1 }
types:
  server:
    net:
      places: [off, on, renewed]
      initial: [off]
      transitions:
        start: { from: off, to: on, duration: 3s }
        renew: { from: on, to: renewed, duration: 1s }
      groups: { serving: [on] }
      ports: { service: { kind: provide, groups: [serving] } }
  client:
    net:
      places: [off, attached, done]
      initial: [off]
      transitions:
        attach: { from: off, to: attached, duration: 1s }
        work: { from: attached, to: done, duration: 5s }
      ports: { service: { kind: use, places: [attached], transitions: [work] } }
nodes:
  server: { type: server }
  client: { type: client, bind: { service: server.service } }
";

#[test]
fn each_action_of_the_critical_path_says_why_it_did_not_start_earlier() {
    let reasons = |text: &str| {
        let application = application(text);
        let assembly = Assembly::new(&application).unwrap();
        let schedule = simulate(&assembly, &Scenario::default());
        assert!(schedule.is_finished(), "{:?}", schedule.waiting);
        let name = |step: &path::Step| {
            assembly.transition_name(schedule.runs[step.run as usize].transition)
        };
        let steps = path::critical(&assembly, &schedule);
        steps.iter().map(|step| (name(step), step.via)).collect::<Vec<_>>()
    };
    let all = reasons(REASONS);
    let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["server.start", "client.work", "server.renew"]);
    // The client's place needs the port, and the server waits until the client is through.
    assert!(matches!(all[1].1, path::DelayedBy::Port(_)), "{all:?}");
    assert!(matches!(all[2].1, path::DelayedBy::Users(_)), "{all:?}");
    // A try that fails, and one that does not.
    let slow =
        "start: { from: off, to: on, duration: { from: 2s, to: 2s }, timeout: 1s, retry: 1 }";
    let once = REASONS.replace("start: { from: off, to: on, duration: 3s }", slow);
    let application = application(&once);
    let assembly = Assembly::new(&application).unwrap();
    let schedule = simulate(&assembly, &Scenario::default());
    let steps = path::critical(&assembly, &schedule);
    assert_eq!(steps.last().map(|step| step.via), Some(path::DelayedBy::Retry), "{schedule:?}");
    let told: Vec<String> = schedule.waiting.iter().map(|why| why.describe(&assembly)).collect();
    assert_eq!(told[0], "`server.start` timed out for good", "{told:?}");
}

#[test]
fn a_port_that_is_never_provided_differs_from_an_unconnected_one() {
    let told = |text: &str| {
        let application = application(text);
        let assembly = Assembly::new(&application).unwrap();
        let schedule = simulate(&assembly, &Scenario::default());
        schedule.waiting.iter().map(|why| why.describe(&assembly)).collect::<Vec<_>>().join("\n")
    };
    let renewed = REASONS.replace("groups: { serving: [on] }", "groups: { serving: [off] }");
    let never = renewed.replace("places: [attached], transitions: [work]", "transitions: [work]");
    let never = never.replace("off, to: on, duration: 3s", "off, to: on");
    assert!(
        told(&never).contains("`client.work` waits for port `client.service`, which `server.service` never provides by then"),
        "{}",
        told(&never)
    );
}

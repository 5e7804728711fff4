//! Our own language: the examples are clean, broken variants give the right finding at the right
//! place, and what is printed reads as the same application.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "tests panic and talk"
)]
#![allow(clippy::format_collect, clippy::format_push_string, reason = "short, not fast")]

use std::time::Duration;

use crate::support::long;
use crate::support::prng::Prng;
use crate::support::random::{self, Wild};
use expect_test::{Expect, expect};
use windlass::application::Application;
use windlass::lang::{self, Language, Reading};
use windlass::lifecycle::implementation::{
    Command, CommandLine, Effect, EnvironmentValue, Probe, ProbeKind, Process, Stop,
};
use windlass::lifecycle::timing::Retry;
use windlass::lifecycle::{Cost, Lifecycle};
use windlass::source::Sources;
use windlass::tree::emit;

const EXAMPLES: [(&str, &str); 4] = [
    ("thinking", include_str!("../../../../examples/thinking/windlass.yaml")),
    ("web-services", include_str!("../../../../examples/web-services/windlass.yaml")),
    ("two-components", include_str!("../../../../examples/two-components/windlass.yaml")),
    ("openstack", include_str!("../../../../examples/openstack/windlass.yaml")),
];
const THINKING: usize = 0;
const WEB_SERVICES: usize = 1;
const TWO_COMPONENTS: usize = 2;

/// Reads a text and says everything that is wrong with it, one line each.
fn findings(text: &str) -> (Reading, String) {
    let mut sources = Sources::new();
    let root = sources.add("windlass.yaml", text);
    let reading = lang::read(None, root, &sources);
    let mut all = reading.findings.clone();
    if let Some(application) = &reading.application {
        all.extend(windlass::rule::check(application, &sources));
    }
    let line = |finding: &windlass::diagnostic::Diagnostic| {
        let (start, _) = sources.positions(finding.primary);
        format!("{}:{} {} {}\n", start.line, start.column, finding.code, finding.message)
    };
    let lines = all.iter().map(line).collect();
    (reading, lines)
}

#[test]
fn the_examples_have_no_findings() {
    for (name, text) in EXAMPLES {
        let (reading, findings) = findings(text);
        assert_eq!(findings, "", "{name}");
        assert_eq!(reading.language, Some(Language::WINDLASS));
        assert!(reading.application.is_some(), "{name}");
    }
}

#[test]
fn what_is_printed_reads_as_the_same_application() {
    for (name, text) in EXAMPLES {
        let (first, _) = findings(text);
        let application = first.application.expect("the examples can be read");
        let printed = lang::windlass::print(&application, first.goal.as_ref());
        for text in [emit::yaml(&printed), emit::json(&printed)] {
            let (second, findings) = findings(&text);
            assert_eq!(findings, "", "{name}:\n{text}");
            assert_eq!(second.application.as_ref(), Some(&application), "{name}:\n{text}");
            assert_eq!(second.goal, first.goal, "{name}");
        }
    }
}

/// Changes places of an example, each of which stands there once, and compares what is found.
fn broken(example: usize, changes: &[(&str, &str)], expected: &Expect) {
    let mut text = EXAMPLES[example].1.to_owned();
    for (from, to) in changes {
        assert_eq!(text.matches(from).count(), 1, "`{from}` stands once in the example");
        text = text.replace(from, to);
    }
    expected.assert_eq(&findings(&text).1);
}

#[test]
fn a_cycle_of_nodes() {
    broken(
        THINKING,
        &[
            ("backend: replica_unaware\n", "backend: replica_unaware\n    capabilities: [page]\n"),
            (
                "[host, backend], on_fault: [configured] }\n        damaged",
                "[host, backend], offers: [page], on_fault: [configured] }\n        damaged",
            ),
            ("data: mongo.db", "data: gui.page"),
        ],
        &expect![[r#"
            78:55 TOP001 nodes require each other: `gui` -> `api` -> `gui`
        "#]],
    );
}

#[test]
fn an_unknown_requirement() {
    let state = "working: { requires: [host, backend]";
    broken(
        THINKING,
        &[(state, "working: { requires: [hots, backend]")],
        &expect![[r#"
            20:31 WL004 unknown requirement `hots`
        "#]],
    );
}

#[test]
fn an_unknown_place() {
    broken(
        TWO_COMPONENTS,
        &[("start: { from: prepared", "start: { from: preprared")],
        &expect![[r#"
            15:24 WL004 unknown place `preprared`
        "#]],
    );
}

#[test]
fn two_containments() {
    broken(
        THINKING,
        &[("data: replica_aware", "data: containment")],
        &expect![[r#"
            35:7 PROT001 type `api` is contained twice: by `host` and by `data`
        "#]],
    );
}

#[test]
fn handlers_in_a_cycle() {
    broken(
        THINKING,
        &[
            ("        available: {}\n", "        available: { on_fault: [damaged] }\n"),
            (
                "offers: [endpoint], on_fault: [available] }\n        damaged: {}\n",
                "offers: [endpoint], on_fault: [available, damaged] }\n        \
                 damaged: { on_fault: [available] }\n",
            ),
        ],
        &expect![[r#"
            41:33 PROT005 faults of type `api` are handled in a cycle: `available` -> `damaged` -> `available`
            42:86 PROT003 a fault in state `running` may lead to `available` or to `damaged`: both keep the same requirements
        "#]],
    );
}

#[test]
fn a_nondeterministic_operation() {
    let uninstall = "{ from: available, operation: uninstall, to: unavailable";
    let start = "{ from: available, operation: start, to: unavailable";
    broken(
        THINKING,
        &[(uninstall, start)],
        &expect![[r#"
            47:41 PROT002 operation `start` leads from `available` to `unavailable` and to `running`
        "#]],
    );
}

#[test]
fn a_duplicate_key() {
    let up = "up: [install, start]\n";
    broken(
        THINKING,
        &[(up, "up: [install, start]\n      initial: available\n")],
        &expect![[r#"
            51:7 YAML002 duplicate key `initial`
        "#]],
    );
}

/// Half an application would make every later finding a follower, and cannot be printed.
#[test]
fn a_text_with_an_error_gives_no_application() {
    let up = "up: [install, start]\n";
    let text = EXAMPLES[THINKING].1;
    let twice = text.replace(up, &format!("{up}      initial: available\n"));
    let (reading, lines) = findings(&twice);
    assert_eq!(lines, "51:7 YAML002 duplicate key `initial`\n");
    assert!(reading.application.is_none());
}

#[test]
fn a_value_of_the_wrong_type() {
    broken(
        THINKING,
        &[("up: [install, config, start]", "up: start")],
        &expect![[r#"
            30:11 WL002 expected a list, found a string
        "#]],
    );
}

#[test]
fn an_unbound_requirement() {
    broken(
        THINKING,
        &[("host: node.host, backend: api.endpoint", "host: node.host")],
        &expect![[r#"
            77:3 TOP002 requirement `backend` of node `gui` is bound to nothing
        "#]],
    );
}

#[test]
fn an_unreachable_state() {
    broken(
        THINKING,
        &[(
            "initial: unavailable\n      states:\n",
            "initial: unavailable\n      states:\n        forgotten: {}\n",
        )],
        &expect![[r#"
            40:9 PROT008 no operation and no fault leads from `unavailable` to state `forgotten` of type `api`
        "#]],
    );
}

#[test]
fn a_bad_goal() {
    let goal = "Convertor=Deployed\n";
    broken(
        WEB_SERVICES,
        &[(goal, "Convertor=Deplyed, @nothing, Apache\n")],
        &expect![[r#"
            70:28 GOAL001 `Convertor` has no state `Deplyed`
            70:47 GOAL001 unknown capability `nothing` in the goal
            70:57 GOAL001 `Apache` says no state
        "#]],
    );
}

#[test]
fn a_group_without_a_port() {
    let group = "        serving: [running]\n";
    let second = "        serving: [running]\n        ready: [prepared]\n";
    broken(
        TWO_COMPONENTS,
        &[(group, second)],
        &expect![[r#"
            18:9 NET003 group `ready` of type `server` is bound to no provide port
        "#]],
    );
}

#[test]
fn many_mistakes_are_found_in_one_run() {
    broken(
        THINKING,
        &[
            ("windlass: 1", "windlass: 2"),
            ("backend: api.endpoint", "backend: api.endpont"),
            ("offers: [db]", "ofers: [db]"),
            ("type: database }", "type: databse }"),
            ("[endpoint], on_fault: [available]", "[endpoint], on_fault: [availabel]"),
        ],
        &expect![[r#"
            6:11 WL005 2 is out of range
            42:75 WL004 unknown state `availabel`
            70:20 WL001 a state has no key `ofers`
            77:55 WL004 node `api` has no capability `endpont`
            81:18 WL004 unknown type `databse`
        "#]],
    );
}

/// A command with texts that YAML would like to read as something else.
fn command(prng: &mut Prng) -> Command {
    let odd =
        ["true", "010", "- x", "a: b", "#", "\u{7f}", "", "'", "1e3", "~", "two\nlines\n", "é"];
    let text = |prng: &mut Prng| (*prng.pick(&odd)).to_owned();
    let line = if prng.chance(50) {
        let mut argv = vec!["run".to_owned()];
        argv.extend((0..prng.below(4)).map(|_| text(prng)));
        CommandLine::Arguments(argv)
    } else {
        CommandLine::Shell(text(prng))
    };
    let variable = |prng: &mut Prng, at: usize| {
        let value = if prng.chance(50) {
            EnvironmentValue::Plain(text(prng))
        } else {
            EnvironmentValue::Secret(format!("secret{at}"))
        };
        (format!("V{at}"), value)
    };
    Command {
        line,
        directory: prng.chance(30).then(|| "some/where".to_owned()),
        environment: (0..prng.below(3)).map(|at| variable(prng, at)).collect(),
        files: (0..prng.below(3)).map(|at| format!("files/{at}")).collect(),
    }
}

/// Gives operations and states of a random application commands, durations and costs.
fn decorate(prng: &mut Prng, application: &mut Application) {
    let duration = |prng: &mut Prng| {
        let nanoseconds = u64::try_from(prng.below(9_000_000_000)).unwrap_or_default();
        prng.chance(50).then(|| Duration::from_nanos(nanoseconds))
    };
    for component in &mut application.types {
        if let Lifecycle::Protocol(protocol) = &mut component.lifecycle {
            // The same transition twice is a mistake that the reader reports.
            let mut unique = Vec::new();
            for transition in std::mem::take(&mut protocol.transitions) {
                if !unique.contains(&transition) {
                    unique.push(transition);
                }
            }
            protocol.transitions = unique;
        }
        component.cost_per_second = Cost(u64::try_from(prng.below(5000)).unwrap_or_default());
        for operation in &mut component.operations {
            operation.run = prng.chance(40).then(|| command(prng));
            operation.duration = duration(prng);
            operation.timeout = duration(prng);
            operation.cost = Cost(u64::try_from(prng.below(3)).unwrap_or_default() * 500);
            operation.retry = prng.chance(30).then(|| Retry {
                times: 2,
                wait: Duration::from_secs(1),
                factor: if prng.chance(50) { 1 } else { 3 },
            });
            operation.effect = match prng.below(4) {
                0 => Some(Effect::Idempotent),
                1 => Some(Effect::AtMostOnce),
                2 => Some(Effect::Observable(command(prng))),
                _ => None,
            };
        }
        if prng.chance(40) {
            let stop = if prng.chance(50) {
                Stop::Signal("INT".to_owned())
            } else {
                Stop::Command(command(prng))
            };
            let kind = match prng.below(3) {
                0 => ProbeKind::Command(command(prng)),
                1 => ProbeKind::Tcp("127.0.0.1:80".to_owned()),
                _ => ProbeKind::Http("http://127.0.0.1:80/".to_owned()),
            };
            let failures = prng.chance(50).then_some(3);
            let probe = Probe { kind, every: duration(prng), timeout: duration(prng), failures };
            let health = prng.chance(50).then_some(probe);
            let image = prng.chance(50).then(|| "registry/web:1".to_owned());
            let process =
                Process { command: command(prng), stop, grace: duration(prng), health, image };
            component.processes.insert(windlass::lifecycle::protocol::StateId(0), process);
        }
    }
}

#[test]
fn random_applications_are_printed_and_read_back() {
    for seed in (long::seed(0)..).take(long::cases(400) as usize) {
        let mut prng = Prng::new(seed);
        let mut application = random::application(&mut prng, Wild::ALL);
        application.name = "random".to_owned();
        decorate(&mut prng, &mut application);
        let printed = lang::windlass::print(&application, None);
        for text in [emit::yaml(&printed), emit::json(&printed)] {
            let mut sources = Sources::new();
            let root = sources.add("windlass.yaml", text.as_str());
            let reading = lang::read(None, root, &sources);
            assert_eq!(reading.findings, [], "seed {seed}:\n{text}");
            assert_eq!(reading.application.as_ref(), Some(&application), "seed {seed}:\n{text}");
        }
    }
}

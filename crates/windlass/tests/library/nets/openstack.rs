//! The OpenStack deployment of paper 002 section IV, simulated from measured durations.
//!
//! Expected figures: makespans that the authors of Madeus measured or that follow from their
//! durations by longest paths, 2 clusters x 3 registries x 3 assemblies.

use std::path::PathBuf;
use std::time::Duration;

use windlass::application::Application;
use windlass::application::assembly::Assembly;
use windlass::lang::{Text, documents};
use windlass::simulate::what_if::{self, Change};
use windlass::simulate::{Mode, Scenario, path, simulate};
use windlass::source::Sources;

use super::application;

fn file(name: &str) -> String {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/openstack"));
    std::fs::read_to_string(folder.join(name)).unwrap()
}

/// The assembly with the durations of a setting.
fn with_durations(assembly: &Application, setting: &str, kind: &str) -> Application {
    let mut sources = Sources::new();
    let text = file(&format!("durations/{setting}.{kind}.yaml"));
    let root = sources.add("durations.yaml", text);
    let reading = documents::durations_of(Text::new(root), &sources);
    assert!(reading.findings.is_empty(), "{:?}", reading.findings);
    let changes: Vec<Change> = reading
        .document
        .unwrap()
        .into_iter()
        .map(|(name, timing)| {
            let (node, transition) = what_if::Names::new(assembly).transition(&name).unwrap();
            Change::Duration { node, transition, timing }
        })
        .collect();
    what_if::apply(assembly, &changes)
}

fn makespan(application: &Application, mode: Mode) -> Duration {
    let assembly = Assembly::new(application).unwrap();
    let schedule = simulate(&assembly, &Scenario { mode, ..Scenario::default() });
    assert!(schedule.is_finished(), "{:?}", schedule.waiting);
    schedule.makespan
}

const SETTINGS: [&str; 6] = [
    "ecotype-remote",
    "ecotype-local",
    "ecotype-cached",
    "nova-remote",
    "nova-local",
    "nova-cached",
];

fn close(found: Duration, expected: f64, what: &str) {
    let found = found.as_secs_f64();
    assert!((found - expected).abs() <= expected * 0.001, "{what}: {found} instead of {expected}");
}

#[test]
fn eighteen_makespans_are_those_of_the_data() {
    let files = [("madeus", "windlass.yaml"), ("aeolus", "aeolus.yaml"), ("kolla", "kolla.yaml")];
    let expected = [
        [148.9, 263.1, 528.5],
        [150.7, 257.9, 480.1],
        [133.0, 228.9, 331.6],
        [325.6, 445.9, 770.3],
        [317.1, 433.8, 753.6],
        [294.6, 398.2, 538.6],
    ];
    for (kind, name) in files {
        let assembly = application(&file(name));
        for (setting, row) in SETTINGS.iter().zip(expected) {
            let column = files.iter().position(|each| each.0 == kind).unwrap();
            let changed = with_durations(&assembly, setting, kind);
            close(makespan(&changed, Mode::Madeus), row[column], &format!("{setting} {kind}"));
        }
    }
}

#[test]
fn the_dropped_dependency_costs_what_the_reference_says() {
    let assembly = application(&file("mariadb-waits.yaml"));
    let expected = [170.0, 157.6, 133.0, 335.1, 332.0, 294.6];
    for (setting, expected) in SETTINGS.iter().zip(expected) {
        let changed = with_durations(&assembly, setting, "madeus");
        close(makespan(&changed, Mode::Madeus), expected, setting);
    }
}

#[test]
fn one_assembly_gives_all_three_ways_of_working() {
    let assembly = application(&file("windlass.yaml"));
    let mut table = String::new();
    for setting in SETTINGS {
        let changed = with_durations(&assembly, setting, "madeus");
        let [kolla, aeolus, madeus] =
            [Mode::Kolla, Mode::Aeolus, Mode::Madeus].map(|mode| makespan(&changed, mode));
        let gain = |from: Duration| 100.0 * (1.0 - madeus.as_secs_f64() / from.as_secs_f64());
        table.push_str(&format!(
            "| {setting} | {:.1} | {:.1} | {:.1} | {:.1} % | {:.1} % |\n",
            kolla.as_secs_f64(),
            aeolus.as_secs_f64(),
            madeus.as_secs_f64(),
            gain(kolla),
            gain(aeolus),
        ));
        // One component after the other takes the sum of all durations.
        let transitions = changed.types.iter().filter_map(|kind| kind.net());
        let transitions = transitions.flat_map(|net| &net.transitions);
        let sum: Duration = transitions.map(|t| t.action.duration.as_ref().unwrap().mean()).sum();
        assert_eq!(kolla, sum);
        assert!(madeus < aeolus && aeolus < kolla);
    }
    let page = include_str!("../../../../../docs/openstack.md");
    assert!(page.contains(&table), "docs/openstack.md should have\n{table}");
}

#[test]
fn the_critical_path_is_the_one_of_the_data() {
    let assembly = application(&file("windlass.yaml"));
    let changed = with_durations(&assembly, "ecotype-remote", "madeus");
    let assembly = Assembly::new(&changed).unwrap();
    let schedule = simulate(&assembly, &Scenario::default());
    let path = path::critical(&assembly, &schedule);
    let names: Vec<String> = path
        .iter()
        .map(|step| assembly.transition_name(schedule.runs[step.run as usize].transition))
        .collect();
    assert_eq!(
        names,
        [
            "mariadb.pull",
            "mariadb.bootstrap",
            "mariadb.restart",
            "mariadb.register",
            "mariadb.check",
            "nova.create-db",
            "nova.upgrade-db",
            "nova.restart",
            "nova.cell-setup",
        ]
    );
    let slack = path::slack(&schedule);
    assert!(path.iter().all(|step| slack[step.run as usize].is_zero()));
}

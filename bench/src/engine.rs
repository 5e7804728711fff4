//! The engine: what it costs to drive an assembly, beside the engines of Madeus and Concerto, and
//! beside `ninja` and `make` where real commands run.
//!
//! Each component has two places and one transition; in a chain it uses the one before it, in a
//! star all use the first. The actions of the first rows do nothing, but each is an order to a
//! world with a commit of its own for its outcome. Times by the clock.

#![expect(clippy::expect_used, reason = "a measurement of something broken must stop")]

mod commands;
mod instant;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use windlass::application::Application;
use windlass::application::assembly::Assembly;
use windlass::lang;
use windlass::simulate::Scenario;
use windlass::source::Sources;
use windlass_run::dispatcher::{Dispatcher, Finish, Options};
use windlass_run::entry::{Entry, OrderId, Purpose};
use windlass_run::journal::sqlite::Sqlite;
use windlass_run::journal::{Journal, Off};
use windlass_run::machine::net::NetMachine;
use windlass_run::secrets::Secrets;
use windlass_run::world::World;
use windlass_run::world::process::{ProcessSettings, Processes};

use crate::case::{self, Case, Measurement, Work};
use instant::InstantWorld;

/// What the other engines were measured to need on the same shapes, without a journal.
const PEERS: &[(&str, &str)] = &[
    (
        "chain",
        "MAD 2018: 16.7 s, 9.2 s of CPU; Concerto 2020: 3.9 s, 1.9 s of CPU; Concerto-D 2024: 96 s; \
         none has a journal",
    ),
    (
        "star",
        "MAD 2018: 0.32 s; Concerto 2020: 0.24 s; Concerto-D 2024: 0.76 s; none has a journal",
    ),
];
const SIZES: &[usize] = &[1_000, 100_000];
const NAP: &str = "engine/nap";
const NAP_SECONDS: f64 = 10.0;

/// What is measured in a process of its own.
pub(crate) fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    for (shape, _) in PEERS {
        for size in SIZES {
            for (word, keeping) in [("off", None), ("on", Some("idempotent"))] {
                let (shape, size) = (*shape, *size);
                all.push(Case {
                    name: format!("engine/{shape}/{size}/journal {word}"),
                    run: Box::new(move || no_ops(shape, size, keeping)),
                });
            }
        }
        let shape = *shape;
        all.push(Case {
            name: format!("engine/{shape}/1000/journal on, at most once"),
            run: Box::new(move || no_ops(shape, 1_000, Some("at_most_once"))),
        });
    }
    all.push(Case { name: NAP.to_owned(), run: Box::new(nap) });
    all
}

/// Measures every case, then whole programs side by side.
pub(crate) fn measure() -> Result<Vec<Measurement>, String> {
    let mut all = Vec::new();
    for (shape, peers) in PEERS {
        for case in cases() {
            let Some(rest) = case.name.strip_prefix(&format!("engine/{shape}/")) else { continue };
            all.extend(no_op_lines(&case.name, rest, peers)?);
        }
    }
    let nap = case::best(NAP)?;
    all.push(Measurement {
        name: "engine/CPU while one action sleeps".into(),
        value: nap.cpu / NAP_SECONDS * 100.0,
        unit: "% of a core",
        note: format!(
            "{NAP_SECONDS} s, a real process, with start and end; one tick of the kernel's clock is \
             0.1 %; wanted: below 1; Concerto 2020: 90 over 3 s"
        ),
    });
    all.extend(commands::measure()?);
    Ok(all)
}

fn no_op_lines(name: &str, case: &str, peers: &str) -> Result<Vec<Measurement>, String> {
    let sample = case::quickest(name)?;
    let is_small = case.starts_with("1000/");
    let wish = match (is_small, case.ends_with("off"), case.ends_with("on")) {
        (true, true, _) => format!("wanted: below 50; {peers}"),
        (true, _, true) => format!("wanted: below 500; {peers}"),
        (true, _, _) => "every action on the disk before it starts".to_owned(),
        _ => {
            let each = sample.wall * 1e6 / sample.units as f64;
            format!("{each:.1} microseconds an action; peak {:.0} MB", sample.peak as f64 / 1e6)
        }
    };
    let mut lines = vec![Measurement {
        name: name.to_owned(),
        value: sample.wall * 1000.0,
        unit: "ms",
        note: wish,
    }];
    if let Some(latency) = sample.bytes.filter(|_| is_small && case.contains("journal on")) {
        let wish = if name.contains("/star/") {
            "; all wait for one, and start one after the other"
        } else {
            "; wanted: below 1"
        };
        lines.push(Measurement {
            name: format!("{name}/start latency"),
            value: latency as f64 / 1e6,
            unit: "ms",
            note: format!(
                "median, from the report that the action ended that it waited for to its start, \
                 with the commit between them{wish}"
            ),
        });
    }
    Ok(lines)
}

/// Drives an assembly whose actions do nothing; `effect` with a journal, none without.
fn no_ops(shape: &str, size: usize, effect: Option<&str>) -> Work {
    let application = read(&assembly(shape, size, effect.unwrap_or("idempotent"), "true"));
    let assembly = Assembly::new(&application).expect("an assembly");
    let world = InstantWorld::new(shape == "star");
    let latencies = world.latencies();
    match effect {
        None => drive(&assembly, world, Off),
        Some(_) => {
            let folder = Folder::new();
            drive(&assembly, world, folder.journal());
        }
    }
    let mut latencies = latencies.borrow_mut();
    latencies.sort_unstable();
    // The case's own count of bytes carries the latency in nanoseconds.
    let median = latencies.get(latencies.len() / 2).map(|nanos| *nanos as u64);
    Work { units: size as u64, bytes: median }
}

/// One real command that sleeps.
fn nap() -> Work {
    let text = assembly("chain", 1, "idempotent", &format!("sleep, '{NAP_SECONDS}'"));
    let application = read(&text);
    let assembly = Assembly::new(&application).expect("an assembly");
    let folder = Folder::new();
    let place = ProcessSettings {
        folder: folder.0.clone(),
        logs: folder.0.join("logs"),
        directory: folder.0.clone(),
        name: "nap".into(),
        program: None,
    };
    let world = Processes::new(place, Secrets::default()).expect("a world");
    drive(&assembly, world, folder.journal());
    Work { units: 1, bytes: None }
}

fn drive(assembly: &Assembly<'_>, world: impl World, journal: impl Journal) {
    let scenario = Scenario::default();
    let machine = NetMachine::new(assembly, &scenario);
    let begun = Entry::Begun {
        purpose: Purpose::Up,
        application: String::new(),
        directory: String::new(),
        world: String::new(),
        start: None,
        processes: std::collections::BTreeMap::new(),
    };
    let mut engine = Dispatcher::new(machine, world, journal, Options::default(), OrderId(1));
    engine.begin_run(begun, None).expect("the journal is kept").expect("no plan is followed");
    let finish = engine.run().expect("the journal is kept");
    assert_eq!(finish, Finish::Reached);
}

/// A folder for a while.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("windlass-engine-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn journal(&self) -> Sqlite {
        let mut journal =
            Sqlite::open(&self.0.join("journal.db"), Secrets::default()).expect("a journal");
        journal.begin_run().expect("a run");
        journal
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn read(text: &str) -> Application {
    let mut sources = Sources::new();
    let root = sources.add("windlass.yaml", text);
    lang::read(None, root, &sources).application.expect("an application")
}

fn assembly(shape: &str, components: usize, effect: &str, command: &str) -> String {
    let net = format!(
        "    net:\n      places: [off, on]\n      initial: [off]\n      transitions:\n        start: \
         {{ from: off, to: on, run: [{command}], effect: {effect} }}\n      groups: {{ up: [on] }}\n      \
         ports:\n        mine: {{ kind: provide, groups: [up] }}\n"
    );
    let uses = "        other: { kind: use, transitions: [start] }\n";
    let mut text =
        format!("windlass: 1\nname: bench\ntypes:\n  first:\n{net}  part:\n{net}{uses}nodes:\n");
    text.push_str("  n0: { type: first }\n");
    for at in 1..components {
        let to = if shape == "chain" { at - 1 } else { 0 };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  n{at}: {{ type: part, bind: {{ other: n{to}.mine }} }}");
    }
    text
}

/// How long `work` takes, in seconds.
fn seconds(work: impl FnOnce() -> Result<(), String>) -> Result<f64, String> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed().as_secs_f64())
}

/// Writes a file of a comparison.
fn write(folder: &Path, name: &str, text: &str) -> Result<(), String> {
    fs::write(folder.join(name), text).map_err(|error| error.to_string())
}

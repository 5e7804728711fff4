//! The tasks in PDDL, for general planners: the same application, one PDDL action for each
//! observable action, and only what is free of faults.
//!
//! A state of an instance is a constant, also while an operation runs. What is counted in our model
//! has to be said by a witness here: a service may stop only while another one runs, or while the
//! page does not ask. One container holds at most one instance, and as many instances may be
//! created as the goal wants; support instances would make it harder. The database is never
//! stopped: that no service relies on it takes a quantifier, which A* with LM-cut refuses. All of
//! this makes the tasks easier than ours.

use std::fmt::Write;

/// A task: domain and problem.
pub(crate) struct Task {
    pub(crate) domain: String,
    pub(crate) problem: String,
}

/// States of a service in which its container may stop.
const RESTS: [&str; 2] = ["a-unavailable", "a-available"];
/// States of a service in which it cannot be asked.
const SILENT: [&str; 7] = [
    "a-unavailable",
    "a-available",
    "a-installing",
    "a-uninstalling",
    "a-starting",
    "a-configuring",
    "a-stopping",
];
/// States of the page in which it asks no service.
const IDLE: [&str; 8] = [
    "g-absent",
    "g-new",
    "g-installed",
    "g-configured",
    "g-installing",
    "g-stopping",
    "g-uninstalling",
    "g-uninstalling-c",
];

/// From nothing to `k` services and the page.
pub(crate) fn deploy(k: usize) -> Task {
    let mut goal = String::from("(at g1 g-working) (at n1 c-running) (at d1 c-running)");
    let mut start = String::from("(at g1 g-absent) (at n1 c-absent) (at d1 c-absent) (empty n1)");
    for i in 1..=k {
        let _ = write!(goal, " (at a{i} a-running) (at m{i} c-running)");
        let _ = write!(start, " (at a{i} a-absent) (dataless a{i})");
        let _ = write!(start, " (at m{i} c-absent) (empty m{i})");
    }
    Task { domain: domain(true), problem: problem(k, &start, &goal) }
}

/// All `k` services and their containers are replaced, while the page works.
pub(crate) fn roll(k: usize) -> Task {
    let mut start = String::from(
        "(at g1 g-working) (in g1 n1) (at n1 c-running) (alive n1) (at d1 c-running) (alive d1)",
    );
    let mut goal = String::from("(at g1 g-working)");
    for i in 1..=k {
        let new = k + i;
        let _ = write!(start, " (at a{i} a-running) (in a{i} m{i})");
        let _ = write!(start, " (at m{i} c-running) (alive m{i})");
        let _ = write!(start, " (at a{new} a-absent) (dataless a{new})");
        let _ = write!(start, " (at m{new} c-absent) (empty m{new})");
        let _ = write!(goal, " (at m{i} c-absent) (at a{i} a-absent)");
        let _ = write!(goal, " (at a{new} a-running) (at m{new} c-running)");
    }
    // The page has to work all along: nothing is done to it.
    Task { domain: domain(false), problem: problem(2 * k, &start, &goal) }
}

fn problem(services: usize, start: &str, goal: &str) -> String {
    let mut facts = String::new();
    for (name, states) in [("rests", &RESTS[..]), ("silent", &SILENT), ("idle", &IDLE)] {
        for state in states {
            let _ = write!(facts, " ({name} {state})");
        }
    }
    let names =
        |letter: char| (1..=services).map(|i| format!("{letter}{i}")).collect::<Vec<_>>().join(" ");
    format!(
        "(define (problem task) (:domain thinking)\n\
         (:objects g1 - gui n1 - node d1 - mongo {} - api {} - maven)\n\
         (:init {start}{facts})\n(:goal (and {goal})))\n",
        names('a'),
        names('m')
    )
}

/// The actions, `changes_page` with those on the page.
fn domain(changes_page: bool) -> String {
    let mut text = String::from(
        "(define (domain thinking)\n(:requirements :strips :typing :equality)\n\
         (:types gui api node maven mongo - object holder - object gs as cs - object)\n\
         (:constants g-absent g-new g-installed g-configured g-working g-installing\n\
         g-configuring g-configuring-c g-starting g-stopping g-uninstalling g-uninstalling-c - gs\n\
         a-absent a-unavailable a-available a-running a-installing a-uninstalling a-starting\n\
         a-configuring a-stopping - as c-absent c-stopped c-running c-starting c-stopping - cs)\n\
         (:predicates (at ?i - object ?s - object) (in ?i ?c - object) (empty ?c - object)\n\
         (alive ?c - object) (dataless ?a - api) (rests ?s - as) (silent ?s - as) (idle ?s - gs))\n",
    );
    holders(&mut text);
    service(&mut text);
    if changes_page {
        page(&mut text);
    }
    text.push_str(")\n");
    text
}

fn action(text: &mut String, name: &str, parameters: &str, needs: &str, effects: &str) {
    let _ = writeln!(
        text,
        "(:action {name} :parameters ({parameters})\n  :precondition (and {needs})\n  \
         :effect (and {effects}))"
    );
}

/// An instance goes from one state to another.
fn to(variable: &str, from: &str, to: &str) -> String {
    format!("(not (at {variable} {from})) (at {variable} {to})")
}

fn holders(text: &mut String) {
    for kind in ["node", "maven", "mongo"] {
        let who = format!("?c - {kind}");
        let effects = format!("{} (alive ?c)", to("?c", "c-absent", "c-stopped"));
        action(text, &format!("create-{kind}"), &who, "(at ?c c-absent)", &effects);
        let effects = to("?c", "c-stopped", "c-starting");
        action(text, &format!("start-{kind}"), &who, "(at ?c c-stopped)", &effects);
        let effects = to("?c", "c-starting", "c-running");
        action(text, &format!("started-{kind}"), &who, "(at ?c c-starting)", &effects);
        let effects = to("?c", "c-stopping", "c-stopped");
        action(text, &format!("stopped-{kind}"), &who, "(at ?c c-stopping)", &effects);
    }
    for kind in ["node", "maven"] {
        let who = format!("?c - {kind}");
        let needs = "(at ?c c-running) (empty ?c)";
        let effects = to("?c", "c-running", "c-stopping");
        action(text, &format!("stop-empty-{kind}"), &who, needs, &effects);
        let who = format!("?c - {kind} ?s - cs");
        let needs = "(at ?c ?s) (alive ?c) (empty ?c)";
        let effects = format!("{} (not (alive ?c))", to("?c", "?s", "c-absent"));
        action(text, &format!("remove-empty-{kind}"), &who, needs, &effects);
    }
    let who = "?c - maven ?a - api ?s - as";
    let needs = "(at ?c c-running) (in ?a ?c) (at ?a ?s) (rests ?s)";
    action(text, "stop-maven", who, needs, &to("?c", "c-running", "c-stopping"));
}

/// Ways in which a service may stop to serve: the page asks no service, or another one serves.
const WAYS: [(&str, &str, &str); 2] = [
    ("idle", " ?g - gui ?gs - gs", " (at ?g ?gs) (idle ?gs)"),
    ("witness", " ?b - api", " (at ?b a-running) (not (= ?a ?b))"),
];

fn service(text: &mut String) {
    let effects = format!("{} (in ?a ?m) (not (empty ?m))", to("?a", "a-absent", "a-unavailable"));
    let needs = "(at ?a a-absent) (alive ?m) (empty ?m)";
    action(text, "create-api", "?a - api ?m - maven", needs, &effects);
    let who = "?a - api ?m - maven";
    let hosted = "(in ?a ?m) (at ?m c-running)";
    for (name, from, during, end) in [
        ("install", "a-unavailable", "a-installing", "a-available"),
        ("uninstall", "a-available", "a-uninstalling", "a-unavailable"),
        ("start", "a-available", "a-starting", ""),
    ] {
        let needs = format!("{hosted} (at ?a {from})");
        action(text, &format!("{name}-api"), who, &needs, &to("?a", from, during));
        if !end.is_empty() {
            let needs = format!("(at ?a {during})");
            action(text, &format!("{name}ed-api"), "?a - api", &needs, &to("?a", during, end));
        }
    }
    let serves = |during: &str| format!("{} (not (dataless ?a))", to("?a", during, "a-running"));
    for (name, during) in [("started", "a-starting"), ("configured", "a-configuring")] {
        let needs = format!("(at ?a {during}) (at ?d c-running)");
        let who = "?a - api ?d - mongo";
        action(text, &format!("{name}-api"), who, &needs, &serves(during));
    }
    let effects = to("?a", "a-stopping", "a-available");
    action(text, "stopped-api", "?a - api", "(at ?a a-stopping)", &effects);
    let gone = "(not (in ?a ?m)) (empty ?m) (dataless ?a)";
    let with_home = "(not (in ?a ?m)) (empty ?m) (dataless ?a) (not (alive ?m))";
    for (way, more, holds) in WAYS {
        for (name, during) in [("stop", "a-stopping"), ("config", "a-configuring")] {
            let needs = format!("{hosted} (at ?a a-running){holds}");
            let effects = format!("{} (dataless ?a)", to("?a", "a-running", during));
            let who = format!("{who}{more}");
            action(text, &format!("{name}-api-{way}"), &who, &needs, &effects);
        }
        let needs = format!("(in ?a ?m) (at ?a a-running){holds}");
        let effects = format!("{} {gone}", to("?a", "a-running", "a-absent"));
        action(text, &format!("remove-api-{way}"), &format!("{who}{more}"), &needs, &effects);
        let needs = format!("(in ?a ?m) (at ?a a-running) (at ?m ?cs) (alive ?m){holds}");
        let absent = to("?a", "a-running", "a-absent");
        let effects = format!("{absent} {} {with_home}", to("?m", "?cs", "c-absent"));
        let who = format!("{who} ?cs - cs{more}");
        action(text, &format!("remove-maven-{way}"), &who, &needs, &effects);
    }
    let needs = "(in ?a ?m) (at ?a ?s) (silent ?s)";
    let effects = format!("{} {gone}", to("?a", "?s", "a-absent"));
    action(text, "remove-api-silent", "?a - api ?m - maven ?s - as", needs, &effects);
    let needs = "(in ?a ?m) (at ?a ?s) (silent ?s) (at ?m ?cs) (alive ?m)";
    let effects =
        format!("{} {} {with_home}", to("?a", "?s", "a-absent"), to("?m", "?cs", "c-absent"));
    let who = "?a - api ?m - maven ?s - as ?cs - cs";
    action(text, "remove-maven-silent", who, needs, &effects);
}

fn page(text: &mut String) {
    let effects = format!("{} (in ?g ?n) (not (empty ?n))", to("?g", "g-absent", "g-new"));
    let needs = "(at ?g g-absent) (alive ?n) (empty ?n)";
    action(text, "create-gui", "?g - gui ?n - node", needs, &effects);
    let hosted = "(in ?g ?n) (at ?n c-running)";
    for (name, from, during, end, asks) in [
        ("install", "g-new", "g-installing", "g-installed", false),
        ("config", "g-installed", "g-configuring", "g-configured", true),
        ("reconfig", "g-configured", "g-configuring-c", "g-configured", true),
        ("start", "g-configured", "g-starting", "g-working", true),
        ("stop", "g-working", "g-stopping", "g-configured", false),
        ("uninstall", "g-installed", "g-uninstalling", "g-new", false),
        ("uninstall-c", "g-configured", "g-uninstalling-c", "g-new", false),
    ] {
        let (more, holds) = if asks { (" ?b - api", " (at ?b a-running)") } else { ("", "") };
        let who = format!("?g - gui ?n - node{more}");
        let needs = format!("{hosted} (at ?g {from}){holds}");
        action(text, &format!("{name}-gui"), &who, &needs, &to("?g", from, during));
        let needs = format!("(at ?g {during})");
        action(text, &format!("{name}ed-gui"), "?g - gui", &needs, &to("?g", during, end));
    }
    let needs = "(in ?g ?n) (at ?g ?s)";
    let effects = format!("{} (not (in ?g ?n)) (empty ?n)", to("?g", "?s", "g-absent"));
    action(text, "remove-gui", "?g - gui ?n - node ?s - gs", needs, &effects);
}

//! The same questions in Promela, for the model checker Spin.
//!
//! One process per chain of the plan, one atomic step per event; an assertion says what the plan
//! needs at each event. Requirements are looked up, not bound, except the one that can switch.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// `n` operations that have nothing to do with each other.
pub(crate) fn operations(n: usize) -> String {
    let mut text = format!("byte state[{n}];\n");
    for i in 0..n {
        let steps = format!("atomic {{ state[{i}] = 1 }}; atomic {{ state[{i}] = 2 }}");
        let _ = writeln!(text, "active proctype start{i}() {{ {steps} }}");
    }
    text
}

/// Stacks of container and service, all side by side, then the page.
pub(crate) fn deployment(n: usize) -> String {
    let mut text = format!(
        "/* 0 absent, 1 stopped, 2 in operation, 3 running; services: 4 available, 5 in operation */\n\
         byte database = 1, holder[{n}], service[{n}], page; byte ended;\n"
    );
    text += "active proctype databases() { atomic { database = 2 }; atomic { database = 3 } }\n";
    for i in 0..n {
        let _ = writeln!(
            text,
            "active proctype stack{i}() {{\n\
             atomic {{ holder[{i}] = 1 }}; atomic {{ service[{i}] = 1 }};\n\
             atomic {{ assert(holder[{i}] == 1); holder[{i}] = 2 }}; atomic {{ holder[{i}] = 3 }};\n\
             atomic {{ assert(service[{i}] == 1 && holder[{i}] == 3); service[{i}] = 2 }};\n\
             atomic {{ assert(holder[{i}] == 3); service[{i}] = 4 }};\n\
             atomic {{ database == 3; assert(service[{i}] == 4 && holder[{i}] == 3); service[{i}] = 5 }};\n\
             atomic {{ assert(holder[{i}] == 3 && database == 3); service[{i}] = 3; ended++ }} }}"
        );
    }
    let _ = writeln!(
        text,
        "active proctype pages() {{ byte step;\n\
         do :: step < 4 -> atomic {{ step++; page = step }} :: else -> break od;\n\
         atomic {{ ended == {n}; page = 5 }}; atomic {{ page = 6 }}; atomic {{ page = 7 }}; atomic {{ page = 8 }} }}"
    );
    text
}

/// `n` services are configured while the page is; a service that is being configured offers
/// nothing, and the page then switches to any that does.
pub(crate) fn reconfiguration(n: usize) -> String {
    let all = n + 1;
    let mut text = format!("bool offers[{all}] = true; byte bound; byte page; bool needs;\n");
    text += "inline settle() { if :: needs && !offers[bound] -> choose() :: else fi }\n";
    text += "inline choose() { if\n";
    for i in 0..all {
        let _ = writeln!(text, "  :: offers[{i}] -> bound = {i}");
    }
    text += "  :: else -> assert(false) /* a fault */\n  fi }\n";
    for i in 0..n {
        let _ = writeln!(
            text,
            "active proctype config{i}() {{ atomic {{ offers[{i}] = false; settle() }}; \
             atomic {{ offers[{i}] = true }} }}"
        );
    }
    text += "active proctype pages() { atomic { needs = true; page = 1; choose() };\n\
             atomic { assert(offers[bound]); needs = false; bound = 0; page = 2 } }\n";
    text
}

/// What Spin found.
pub(crate) struct Found {
    pub(crate) states: f64,
    /// Time by the clock of the search alone, without generating and compiling the verifier.
    pub(crate) seconds: f64,
    pub(crate) errors: bool,
}

/// Generates, compiles and runs the verifier in `folder`; none without Spin or a C compiler.
pub(crate) fn run(model: &str, reduced: bool, folder: &Path) -> Result<Option<Found>, String> {
    let words = |error: std::io::Error| error.to_string();
    fs::write(folder.join("model.pml"), model).map_err(words)?;
    let ran = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(folder).output();
        output.is_ok_and(|output| output.status.success())
    };
    let reduction = if reduced { "-DSAFETY" } else { "-DNOREDUCE" };
    let compile = ["-O2", "-w", "-DSAFETY", reduction, "-DMEMLIM=8000", "-o", "pan", "pan.c"];
    if !ran("spin", &["-o3", "-a", "model.pml"]) || !ran("gcc", &compile) {
        return Ok(None);
    }
    let start = Instant::now();
    let output = Command::new(folder.join("pan"))
        .args(["-m1000000", "-w24", "-n"])
        .current_dir(folder)
        .output()
        .map_err(words)?;
    let seconds = start.elapsed().as_secs_f64();
    let text = String::from_utf8_lossy(&output.stdout);
    let states = text.lines().find_map(|line| {
        let (number, rest) = line.trim().split_once(' ')?;
        rest.trim_start().starts_with("states, stored").then(|| number.replace(',', ""))
    });
    let states = states.and_then(|number| number.parse().ok()).ok_or("Spin printed no states")?;
    Ok(Some(Found { states, seconds, errors: !text.contains("errors: 0") }))
}

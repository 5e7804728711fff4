//! Random assemblies from a seed, as texts of our language.

use crate::support::prng::Prng;

/// What an assembly may contain beside places, transitions and closed groups.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shape {
    /// At most so many component types.
    pub types: usize,
    /// At most so many places in each.
    pub places: usize,
    /// Transitions that share docks.
    pub choice: bool,
    /// Groups that are left again.
    pub withdrawal: bool,
    /// Durations, time-outs, hosts and locks.
    pub timed: bool,
}

/// Small enough to be searched to the end.
pub const SMALL: Shape =
    Shape { types: 3, places: 3, choice: false, withdrawal: false, timed: false };

/// A random assembly.
pub fn assembly(seed: u64, shape: Shape) -> String {
    let mut prng = Prng::new(seed);
    let prng = &mut prng;
    let types = prng.between(1, shape.types);
    let mut text = String::from("windlass: 1\n");
    if shape.timed {
        text.push_str("hosts: { small: 1, large: 3 }\nlocks: { package: 1 }\n");
    }
    text.push_str("types:\n");
    for at in 0..types {
        text.push_str(&net(at, shape, prng));
    }
    text.push_str("nodes:\n");
    for at in 0..types {
        let mut ports = Vec::new();
        for port in 0..2 {
            let target = prng.below(types);
            if prng.chance(15) {
                let other = prng.below(types);
                ports.push(format!("need-{port}: [n{target}.give, n{other}.give]"));
            } else {
                ports.push(format!("need-{port}: n{target}.give"));
            }
        }
        ports.push(format!("read: n{}.value", prng.below(types)));
        let count = if prng.chance(15) { ", count: 2" } else { "" };
        let host = match (shape.timed, prng.below(3)) {
            (true, 0) => ", host: small",
            (true, 1) => ", host: large",
            _ => "",
        };
        let bind = ports.join(", ");
        text.push_str(&format!("  n{at}: {{ type: t{at}{count}{host}, bind: {{ {bind} }} }}\n"));
    }
    text
}

fn net(at: usize, shape: Shape, prng: &mut Prng) -> String {
    let places = prng.between(2, shape.places);
    let names: Vec<String> = (0..places).map(|place| format!("p{place}")).collect();
    let mut transitions = Vec::new();
    // Every place but the first is entered from an earlier one, some in several ways.
    let mut edges: Vec<(usize, usize)> = (1..places).map(|to| (prng.below(to), to)).collect();
    if prng.chance(50) {
        let to = prng.between(1, places - 1);
        edges.push((prng.below(to), to));
    }
    for (number, (from, to)) in edges.iter().enumerate() {
        let end = |place: usize, name: &str, shared: bool| {
            if shared {
                format!("{{ place: p{place}, dock: {name} }}")
            } else {
                format!("p{place}")
            }
        };
        let out = shape.choice && prng.chance(40);
        let (from, to) = (end(*from, "out", out), end(*to, "in", false));
        let more = if shape.timed { timing(prng) } else { String::new() };
        transitions.push(format!("        x{number}: {{ from: {from}, to: {to}{more} }}\n"));
    }
    // A closed group holds the successors of its places too.
    let mut group = vec![false; places];
    group[prng.below(places)] = true;
    if !(shape.withdrawal && prng.chance(60)) {
        for (from, to) in &edges {
            group[*to] |= group[*from];
        }
        for _ in 0..places {
            for (from, to) in &edges {
                group[*to] |= group[*from];
            }
        }
    }
    let group: Vec<_> = (0..places).filter(|p| group[*p]).map(|p| names[p].clone()).collect();
    let pick = |prng: &mut Prng| format!("x{}", prng.below(edges.len()));
    let mut ports = String::new();
    for port in 0..2 {
        let needed = if prng.chance(55) { format!("[{}]", pick(prng)) } else { "[]".to_owned() };
        ports.push_str(&format!("        need-{port}: {{ kind: use, transitions: {needed} }}\n"));
    }
    let read = if prng.chance(30) { format!("[{}]", pick(prng)) } else { "[]".to_owned() };
    ports.push_str(&format!("        read: {{ kind: data_use, transitions: {read} }}\n"));
    ports.push_str("        give: { kind: provide, groups: [g] }\n");
    let set = prng.between(1, places - 1);
    ports.push_str(&format!("        value: {{ kind: data_provide, places: [p{set}] }}\n"));
    format!(
        "  t{at}:\n    net:\n      places: [{}]\n      initial: [p0]\n      transitions:\n{}      \
         groups: {{ g: [{}] }}\n      ports:\n{ports}",
        names.join(", "),
        transitions.concat(),
        group.join(", "),
    )
}

fn timing(prng: &mut Prng) -> String {
    let seconds = prng.between(0, 9);
    let mut text = match prng.below(6) {
        0 => String::new(),
        1 => format!(", duration: {{ from: {seconds}s, to: {}s }}", seconds + 4),
        2 => format!(", duration: {{ mean: {seconds}s, deviation: 2s }}"),
        3 => format!(", duration: {{ exponential: {}s }}", seconds + 1),
        4 => format!(", duration: {{ measured: [1s, {seconds}s] }}"),
        _ => format!(", duration: {seconds}s"),
    };
    if prng.chance(20) {
        text.push_str(", timeout: 6s, retry: { times: 3, wait: 1s, factor: 2 }");
    }
    if prng.chance(20) {
        text.push_str(", lock: package");
    }
    if prng.chance(10) {
        text.push_str(", host: small");
    }
    text
}

//! `prove`: does setting up a topology always complete? By one run, on topologies of growing size.
//!
//! Nodes stand in layers; each is hosted on one of the layer below and connected to others there,
//! in turn over the three relationship types of paper 001.
//!
//! The related work that paper 001 quotes searched about 150 models of 4 to 15 components with
//! 1,400 to 1.4 million transitions. [`models`] makes as many of these sizes; they are decided by
//! one run each, and by a search through every order of events, as that work did.

use std::fmt::Write as _;

use windlass::explore::{self, Derived, Options};
use windlass::lang;
use windlass::lifecycle::setup::{NodeTypeId, RelationshipTypeId, RuleSet, Topology, TopologyNode};
use windlass::prove::{self, Answer};
use windlass::semantics::setup::{Setup, State};
use windlass::source::Sources;
use windlass::system::{Limits, Property, Unlimited};

use crate::case::{self, Case, Measurement, Work};

const RULES: &str = include_str!("../../examples/setup/rules.yaml");
const CRM: &str = include_str!("../../examples/setup/crm.yaml");
/// Nodes of a layer.
const LAYER: usize = 100;
/// Nodes, and relationships of each.
const SIZES: &[(usize, usize)] = &[(1_000, 3), (10_000, 3), (100_000, 3), (100_000, 10)];

/// How many small models, and how many components each has.
const MODELS: usize = 150;
const COMPONENTS: std::ops::RangeInclusive<usize> = 4..=15;
/// A search through every order of events gives up after so many states.
const MOST_STATES: usize = 400_000;

/// Every case of this topic.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases = vec![
        Case { name: "completes/figure-1".into(), run: Box::new(figure_1) },
        Case { name: "completes/any-size".into(), run: Box::new(any_size) },
        Case { name: "completes/150 models, one run each".into(), run: Box::new(by_one_run) },
        Case { name: "completes/150 models, every order".into(), run: Box::new(by_every_order) },
        Case { name: "completes/one model of 15, every order".into(), run: Box::new(of_fifteen) },
    ];
    for &(nodes, each) in SIZES {
        let reading = format!("{}, reading", name(nodes, each));
        cases.push(Case { name: reading, run: Box::new(move || written(nodes, each)) });
        let proving = Box::new(move || layers(nodes, each));
        cases.push(Case { name: name(nodes, each), run: proving });
    }
    cases
}

fn name(nodes: usize, each: usize) -> String {
    format!("completes/{nodes} nodes, {} relationships", nodes * each)
}

/// Runs the cases.
pub(crate) fn measure() -> Result<Vec<Measurement>, String> {
    let mut all = Vec::new();
    for case in cases() {
        let sample = case::quickest(&case.name)?;
        let peak = sample.peak as f64 / 1e6;
        let note = match sample.bytes {
            // Here the second figure counts the models that were too large.
            Some(given_up) => format!(
                "{} transitions; {given_up} given up after {MOST_STATES} states, a limit of this \
                 measurement; the work that paper 001 quotes searched models of 4 to 15 components \
                 with up to 1.4 million transitions; peak {peak:.0} MB",
                sample.units
            ),
            None if case.name.ends_with("reading") => {
                format!(
                    "{} relationships; a text is written and read; peak {peak:.0} MB",
                    sample.units
                )
            }
            None => format!(
                "{} steps; by the clock, with checking the run, without reading; peak {peak:.0} MB",
                sample.units
            ),
        };
        all.push(Measurement { name: case.name, value: sample.wall * 1000.0, unit: "ms", note });
    }
    Ok(all)
}

fn proved(topology: &Topology) -> Work {
    let proof = prove::topology(topology, &Options::default(), &mut Unlimited);
    let units = if proof.answer == Answer::AlwaysCompletes { proof.size as u64 } else { 0 };
    Work { units, bytes: None }
}

fn figure_1() -> Work {
    let mut sources = Sources::new();
    let root = sources.add("crm.yaml", CRM);
    let topology = lang::read_topology(root, &sources).document;
    topology.as_ref().map_or(Work { units: 0, bytes: None }, proved)
}

fn any_size() -> Work {
    let Some(rules) = rules() else { return Work { units: 0, bytes: None } };
    let answer = prove::any_size(&rules, 6, &Options::default(), &mut Unlimited);
    let cases = answer.argument.map_or(0, |argument| argument.cases.len());
    Work { units: cases as u64, bytes: None }
}

/// Models of 4 to 15 components, the later ones larger, each hosted on or connected to one or two
/// before it; the same at every run.
fn models() -> Vec<Topology> {
    let Some(rules) = rules() else { return Vec::new() };
    let sizes = COMPONENTS.end() - COMPONENTS.start() + 1;
    let mut seed = 1_u64;
    let mut below = move |end: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % end
    };
    let model = |at: usize| {
        let nodes = COMPONENTS.start() + at * sizes / MODELS;
        let all = (0..nodes)
            .map(|at| TopologyNode { name: format!("n{at}"), node_type: NodeTypeId(0) })
            .collect();
        let mut links = Vec::new();
        for source in 1..nodes {
            // Near ones: what stands apart can happen in any order, and there are no limits then.
            let target = source - 1 - below(source.min(2));
            let kind = below(rules.relationship_types.len());
            links.push((RelationshipTypeId::from(kind), source, target));
        }
        Topology::new("model", rules.clone(), all).with_links(&links)
    };
    (0..MODELS).map(model).collect()
}

fn by_one_run() -> Work {
    let units = models().iter().map(|model| proved(model).units).sum();
    Work { units, bytes: None }
}

fn by_every_order() -> Work {
    let mut total = Work { units: 0, bytes: Some(0) };
    for model in models() {
        let searched = searched(&model);
        total.units += searched.units;
        total.bytes = total.bytes.zip(searched.bytes).map(|(all, one)| all + one);
    }
    total
}

/// The last is one of the largest.
fn of_fifteen() -> Work {
    models().last().map_or(Work { units: 0, bytes: None }, searched)
}

/// Transitions of every order of events; the second figure is 1 when they are too many.
fn searched(topology: &Topology) -> Work {
    let setup = Setup::new(topology);
    let good = |state: &State| setup.is_final(state);
    let mut limits = Limits { states: MOST_STATES, bytes: usize::MAX };
    let property = Property::DeadlockFree(&good);
    let outcome = explore::search(&Derived(&setup), property, &Options::default(), &mut limits);
    let given_up = u64::from(!outcome.verdict.holds());
    Work { units: outcome.progress.transitions, bytes: Some(given_up) }
}

fn rules() -> Option<RuleSet> {
    let mut sources = Sources::new();
    let root = sources.add("rules.yaml", RULES);
    lang::read_rules(root, &sources).document
}

/// The relationships of a topology in layers: type, source, target.
fn links(kinds: usize, nodes: usize, each: usize) -> Vec<(RelationshipTypeId, usize, usize)> {
    let mut links = Vec::with_capacity(nodes * each);
    for source in LAYER..nodes {
        let below = (source / LAYER - 1) * LAYER;
        for link in 0..each {
            let target = below + (source + link * 7) % LAYER;
            links.push((RelationshipTypeId::from(link % kinds), source, target));
        }
    }
    links
}

fn layers(nodes: usize, each: usize) -> Work {
    let Some(rules) = rules() else { return Work { units: 0, bytes: None } };
    let all = (0..nodes)
        .map(|at| TopologyNode { name: format!("n{at}"), node_type: NodeTypeId(0) })
        .collect();
    let links = links(rules.relationship_types.len(), nodes, each);
    proved(&Topology::new("layers", rules, all).with_links(&links))
}

/// The same topology as a text, written and read.
fn written(nodes: usize, each: usize) -> Work {
    let Some(rules) = rules() else { return Work { units: 0, bytes: None } };
    let mut text = "topology:\n  name: layers\n  nodes:\n".to_owned();
    for node in 0..nodes {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "    n{node}: node");
    }
    text.push_str("  relationships:\n");
    for (kind, from, to) in links(rules.relationship_types.len(), nodes, each) {
        let kind = &rules.relationship_types[kind.index()].name;
        let _ = writeln!(text, "    - {{ type: {kind}, from: n{from}, to: n{to} }}");
    }
    let mut sources = Sources::new();
    let root = sources.add("layers.yaml", text);
    let read = lang::read_topology(root, &sources).document;
    Work { units: read.map_or(0, |topology| topology.links.len() as u64), bytes: None }
}

//! `prove`: does setting up a topology always complete? By one run, on topologies of growing size.
//!
//! Nodes stand in layers; each is hosted on one of the layer below and connected to others there,
//! in turn over the three relationship types of paper 001.

use windlass::explore::Options;
use windlass::lang;
use windlass::lifecycle::setup::{NodeTypeId, RelationshipTypeId, Topology, TopologyNode};
use windlass::prove::{self, Answer};
use windlass::source::Sources;
use windlass::system::Unlimited;

use crate::case::{self, Case, Measurement, Work};

const RULES: &str = include_str!("../../examples/setup/rules.yaml");
const CRM: &str = include_str!("../../examples/setup/crm.yaml");
/// Nodes of a layer.
const LAYER: usize = 100;
/// Nodes, and relationships of each.
const SIZES: &[(usize, usize)] = &[(1_000, 3), (10_000, 3), (100_000, 3), (100_000, 10)];

/// Every case of this topic.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases = vec![
        Case { name: "completes/figure-1".into(), run: Box::new(figure_1) },
        Case { name: "completes/any-size".into(), run: Box::new(any_size) },
    ];
    cases.extend(SIZES.iter().map(|&(nodes, each)| Case {
        name: name(nodes, each),
        run: Box::new(move || layers(nodes, each)),
    }));
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
        all.push(Measurement {
            name: case.name,
            value: sample.wall * 1000.0,
            unit: "ms",
            note: format!(
                "{} steps; by the clock, with checking the run, without reading; peak {:.0} MB",
                sample.units,
                sample.peak as f64 / 1e6
            ),
        });
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
    let mut sources = Sources::new();
    let root = sources.add("rules.yaml", RULES);
    let Some(rules) = lang::read_rules(root, &sources).document else {
        return Work { units: 0, bytes: None };
    };
    let answer = prove::any_size(&rules, 6, &Options::default(), &mut Unlimited);
    let cases = answer.argument.map_or(0, |argument| argument.cases.len());
    Work { units: cases as u64, bytes: None }
}

fn layers(nodes: usize, each: usize) -> Work {
    let mut sources = Sources::new();
    let root = sources.add("rules.yaml", RULES);
    let Some(rules) = lang::read_rules(root, &sources).document else {
        return Work { units: 0, bytes: None };
    };
    let all = (0..nodes)
        .map(|at| TopologyNode { name: format!("n{at}"), node_type: NodeTypeId(0) })
        .collect();
    let kinds = rules.relationship_types.len();
    let mut links = Vec::with_capacity(nodes * each);
    for source in LAYER..nodes {
        let below = (source / LAYER - 1) * LAYER;
        for link in 0..each {
            let target = below + (source + link * 7) % LAYER;
            links.push((RelationshipTypeId::from(link % kinds), source, target));
        }
    }
    proved(&Topology::new("layers", rules, all).with_links(&links))
}

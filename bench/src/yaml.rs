//! Reading YAML: speed and memory of the tree on texts that are made here.

use std::fmt::Write as _;

use windlass::source::SourceId;
use windlass::tree::{self, Options};

use crate::case::{Case, Measurement, Work, best};

/// Bytes of the texts.
const SIZE: usize = 5_000_000;
/// How often a text is read in one run, because the clock is coarse.
const TIMES: u64 = 5;

/// A topology in the manner of TOSCA: nodes with properties, requirements and capabilities, in
/// block and flow style, with quotes and comments.
fn topology(size: usize) -> String {
    let mut text = String::with_capacity(size + 1000);
    text.push_str("tosca_definitions_version: tosca_simple_yaml_1_3\n");
    text.push_str("description: made for a measurement\ntopology_template:\n  node_templates:\n");
    for node in 1.. {
        if text.len() >= size {
            break;
        }
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "    node_{node}:\n      type: tosca.nodes.Compute\n      properties:\n        \
             num_cpus: {}\n        mem_size: \"{} MB\"\n        names: [a{node}, b, 'c']\n        \
             # what it needs\n      requirements:\n        - host:\n            node: node_{}\n            \
             relationship: tosca.relationships.HostedOn\n      capabilities:\n        \
             endpoint: {{ port: {}, protocol: tcp }}\n",
            node % 16,
            node * 4,
            node / 2,
            1024 + node % 60_000,
        );
    }
    text
}

/// A list of objects in JSON without any white space: the most nodes for its bytes.
fn dense_json(size: usize) -> String {
    let mut text = String::with_capacity(size + 1000);
    text.push('[');
    while text.len() < size {
        text.push_str(r#"{"name":"abc\n","values":[1,2,3],"more":{"none":null}},"#);
    }
    text.push_str("1]");
    text
}

/// Making the text and holding it counts as well; both are small beside reading it.
fn read(name: &str, make: fn(usize) -> String) -> Case {
    let run = Box::new(move || {
        let text = make(SIZE);
        let mut nodes = 0;
        for _ in 0..TIMES {
            let (tree, findings) = tree::parse(SourceId(0), &text, &Options::default());
            assert!(findings.is_empty() && tree.is_complete(), "the text is not what it should be");
            nodes = tree.node_count() as u64;
        }
        Work { units: text.len() as u64 * TIMES, bytes: Some(nodes) }
    });
    Case { name: name.to_owned(), run }
}

pub(crate) fn cases() -> Vec<Case> {
    vec![read("yaml/topology", topology), read("yaml/dense-json", dense_json)]
}

pub(crate) fn measure() -> Result<Vec<Measurement>, String> {
    let mut report = Vec::new();
    for (name, wanted) in [
        ("yaml/topology", "wanted: at least 20 MB/s, below 8 bytes a byte"),
        ("yaml/dense-json", "four bytes a node, the worst case; no wish stated"),
    ] {
        let sample = best(name)?;
        let nodes = sample.bytes.unwrap_or(0);
        report.push(Measurement {
            name: format!("{name}/speed"),
            value: sample.rate() / 1e6,
            unit: "MB/s",
            note: format!("{} bytes, {nodes} nodes; {wanted}", sample.units / TIMES),
        });
        report.push(Measurement {
            name: format!("{name}/memory"),
            value: sample.peak as f64 / (sample.units / TIMES) as f64,
            unit: "bytes a byte",
            note: format!("peak while reading, the text itself counted; {wanted}"),
        });
    }
    Ok(report)
}

//! What `windlass prove` prints for people.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use windlass::lifecycle::setup::argument::{Argument, Direction, Fact};
use windlass::lifecycle::setup::{Kind, RuleSet};
use windlass::prove::any_size::describe;
use windlass::prove::{Answer, AnySize, Proof, Stuck};

use crate::escape;

/// Above this many steps only the end of a run is printed.
const MOST_STEPS: usize = 60;

fn headline(answer: Answer) -> &'static str {
    match answer {
        Answer::AlwaysCompletes => "always completes",
        Answer::CanGetStuck => "can get stuck",
        Answer::Unknown => "unknown",
    }
}

/// An answer about one application or topology.
pub(super) fn one(proof: &Proof, explain: bool) -> String {
    let assumed = escape::visible(&proof.assumptions.join("; ")).to_string();
    // Writing to a string cannot fail.
    let mut out = format!("{} (assuming that {assumed})\n", headline(proof.answer));
    if let Some(stuck) = &proof.stuck {
        tell(stuck, &mut out);
    }
    if let Some(reason) = proof.stopped {
        let _ = writeln!(out, "\n{reason}");
    }
    if explain {
        let _ = writeln!(out, "\n{}", argument_of_one(proof));
    }
    let what = if proof.method == "search" { "states" } else { "steps" };
    let _ = writeln!(
        out,
        "\nmethod: {}, {} {what}; evidence: {}",
        proof.method, proof.size, proof.evidence
    );
    out
}

fn argument_of_one(proof: &Proof) -> &'static str {
    match proof.method {
        "one run" => {
            "Nothing that can happen is ever taken back by something else: what waits for others waits for\n\
             them to get far enough, and nothing goes back. So every order of events leads to the same end, and\n\
             one run shows it."
        }
        _ => {
            "Something can be taken back on the way, so the order of events matters. Every state that can be\n\
             reached was looked at: no state outside the goal is an end, and no run goes on forever, unless one\n\
             is shown above."
        }
    }
}

fn tell(stuck: &Stuck, out: &mut String) {
    let (run, steps) = (if stuck.shortest { "A shortest run" } else { "A run" }, stuck.trace.len());
    let to = if stuck.cycle.is_empty() {
        "to where nothing can start any more"
    } else {
        "that goes on forever"
    };
    let _ = writeln!(out, "\n{run} {to} ({steps} steps):");
    let skipped = stuck.trace.len().saturating_sub(MOST_STEPS);
    if skipped > 0 {
        let _ = writeln!(out, "  ({skipped} steps before these)");
    }
    for step in &stuck.trace[skipped..] {
        let _ = writeln!(out, "  {}", escape::visible(step));
    }
    if stuck.trace.is_empty() {
        out.push_str("  (nothing happens at all)\n");
    }
    if !stuck.cycle.is_empty() {
        out.push_str("then forever:\n");
        for step in &stuck.cycle {
            let _ = writeln!(out, "  {}", escape::visible(step));
        }
    }
    if !stuck.waiting.is_empty() {
        out.push_str("\nThen:\n");
        for sentence in &stuck.waiting {
            let _ = writeln!(out, "  {}", escape::visible(sentence));
        }
    }
}

/// What an answer about every topology rests on.
pub(super) fn any_size_assumptions(rules: &RuleSet) -> Vec<String> {
    let acyclic: Vec<&str> = rules
        .relationship_types
        .iter()
        .filter(|kind| kind.acyclic)
        .map(|kind| kind.name.as_str())
        .collect();
    vec![
        "every rule that is applied takes effect".to_owned(),
        if acyclic.is_empty() {
            "relationships may form cycles".to_owned()
        } else {
            format!("{} relationships together form no cycle", acyclic.join(", "))
        },
        if rules.shared_capabilities {
            "a node has one capability for all relationships of a type".to_owned()
        } else {
            "each relationship has a capability of its own".to_owned()
        },
    ]
}

/// An answer about every topology.
pub(super) fn every(rules: &RuleSet, answer: &AnySize, explain: bool) -> String {
    let assumed = any_size_assumptions(rules).join("; ");
    let mut out = format!(
        "every topology of `{}`: {} (assuming that {})\n",
        escape::visible(&rules.name),
        headline(answer.answer),
        escape::visible(&assumed)
    );
    for sentence in &answer.open {
        let _ = writeln!(out, "\nopen: {}", escape::visible(sentence));
    }
    if let Some(smallest) = &answer.smallest {
        let topology = &smallest.topology;
        out.push_str(match answer.answer {
            Answer::Unknown => "\nA smallest topology with a run that has no end:\n",
            _ => "\nA smallest topology that gets stuck:\n",
        });
        let types = &topology.rules.node_types;
        for node in &topology.nodes {
            let kind = &types[node.node_type.index()].name;
            let _ =
                writeln!(out, "  node {} ({})", escape::visible(&node.name), escape::visible(kind));
        }
        for link in &topology.links {
            let kind = &topology.rules.relationship_types[link.relationship.index()].name;
            let (from, to) = (&topology.nodes[link.source].name, &topology.nodes[link.target].name);
            let _ = writeln!(
                out,
                "  {} {} {}",
                escape::visible(from),
                escape::visible(kind),
                escape::visible(to)
            );
        }
        tell(&smallest.stuck, &mut out);
        let _ = writeln!(
            out,
            "\nevery smaller topology completes; {} were looked at",
            smallest.looked_at
        );
    }
    if let Some(reason) = answer.stopped {
        let _ = writeln!(out, "\n{reason}");
    }
    if answer.answer == Answer::Unknown && answer.smallest.is_none() {
        let _ = writeln!(
            out,
            "\nevery topology with up to {} nodes and relationships completes",
            answer.searched
        );
    }
    if let Some(argument) = &answer.argument {
        let views: usize = argument.views.values().map(BTreeSet::len).sum();
        let _ = writeln!(
            out,
            "\nproof: {} cases over {views} views of relationships; checked independently",
            argument.cases.len()
        );
        if explain {
            self::explain(rules, argument, &mut out);
        }
    }
    out
}

fn explain(rules: &RuleSet, argument: &Argument, out: &mut String) {
    out.push_str("\n1. Every run ends. Each rule makes one object lighter:\n");
    for kind in [Kind::Node, Kind::Capability, Kind::Requirement] {
        let all = &argument.weights[kind as usize];
        let distinct: BTreeSet<&Vec<u32>> = all.iter().collect();
        for weights in &distinct {
            let alike = (0..all.len()).filter(|at| all[*at] == **weights);
            let types: Vec<&str> = alike.map(|at| rules.type_name(kind, at)).collect();
            // Types are named only where they differ.
            let of =
                if distinct.len() > 1 { format!(" ({})", types.join(", ")) } else { String::new() };
            let states = rules.states[kind as usize].iter().zip(*weights);
            let list: Vec<String> =
                states.map(|(name, weight)| format!("{name} {weight}")).collect();
            let line = format!("{}{of}: {}", kind.as_str(), list.join(", "));
            let _ = writeln!(out, "   {}", escape::visible(&line));
        }
    }
    let who = match argument.direction {
        Direction::Targets => "all that its requirements lead to",
        Direction::Sources => "all whose requirements lead to it",
    };
    let _ = writeln!(
        out,
        "\n2. Where nothing moves, every node is done. Otherwise look at a node that is not done while {who}\n   \
         (over relationships without cycles) are done; there is one, because there are no cycles."
    );
    for case in &argument.cases {
        let node_type = &rules.node_types[case.node_type.index()].name;
        let state = rules.state_name(Kind::Node, case.state);
        let rule = &rules.rule(case.rule).name;
        let _ = writeln!(
            out,
            "\n   A {} that is {}: {} applies.",
            escape::visible(node_type),
            escape::visible(state),
            escape::visible(rule)
        );
        if let Some(from) = case.reused {
            let from = &rules.node_types[from.index()].name;
            let _ = writeln!(out, "   (The proof is that of {}.)", escape::visible(from));
            continue;
        }
        // Neighbours of several types may look the same: each look is printed once.
        let lines: BTreeSet<String> =
            case.facts.iter().map(|fact| describe_fact(rules, fact)).collect();
        for line in lines {
            let _ = writeln!(out, "   - {}", escape::visible(&line));
        }
        if case.facts.is_empty() {
            out.push_str("   - nothing can keep it from that\n");
        }
    }
}

fn describe_fact(rules: &RuleSet, fact: &Fact) -> String {
    let kind = &rules.relationship_types[fact.place.relationship.index()].name;
    let (view, rule) = (describe(rules, &fact.view), &rules.rule(fact.applies).name);
    format!("{kind} with {view}: {rule} applies")
}

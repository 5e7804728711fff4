//! Does setting up every topology of a rule set always complete?

pub mod argument;
mod cases;
mod topologies;
mod views;
mod weights;

pub use topologies::{Small, smaller_first};

use std::fmt::Write as _;
use std::ops::ControlFlow;

use self::argument::{Open, OpenCase, prove};
use super::topology::topology as prove_one;
use super::{Answer, Stuck};
use crate::certificate;
use crate::explore::Options;
use crate::lifecycle::setup::argument::{Argument, View};
use crate::lifecycle::setup::{Kind, Local, RuleSet, Topology};
use crate::system::{Budget, Progress, StopReason};

/// A topology that gets stuck, or has a run without an end; every smaller one completes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Smallest {
    /// The topology.
    pub topology: Topology,
    /// How it gets stuck.
    pub stuck: Stuck,
    /// How many topologies were looked at.
    pub looked_at: usize,
}

/// An answer about every topology.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnySize {
    /// The answer.
    pub answer: Answer,
    /// The proof, checked.
    pub argument: Option<Argument>,
    /// A smallest topology that gets stuck; with an unknown answer, one with a run without an end.
    pub smallest: Option<Smallest>,
    /// What keeps the proof from being complete, in sentences.
    pub open: Vec<String>,
    /// Why the topologies were not all looked at.
    pub stopped: Option<StopReason>,
    /// Every topology up to this size (nodes and relationships together) completes.
    pub searched: usize,
}

/// Proves, or finds a smallest topology of at most `most` nodes and relationships that gets stuck.
///
/// Paper: 001 leads-to
/// Paper: 001 Theorem
pub fn any_size(
    rules: &RuleSet,
    most: usize,
    options: &Options,
    budget: &mut dyn Budget,
) -> AnySize {
    let mut answer = AnySize {
        answer: Answer::Unknown,
        argument: None,
        smallest: None,
        open: Vec::new(),
        stopped: None,
        searched: 0,
    };
    let proved = prove(rules);
    // Where rules lead back, runs without an end are to be expected: they refute nothing by
    // themselves, because nothing says that the rule which leads back is applied again and again.
    let goes_back = matches!(proved, Err(Open::Cycle { .. }));
    match proved {
        Ok(argument) => match certificate::check_argument(rules, &argument) {
            Ok(()) => {
                answer.answer = Answer::AlwaysCompletes;
                answer.argument = Some(argument);
                return answer;
            }
            Err(refused) => answer.open.push(format!("the proof was refused: {refused}")),
        },
        Err(open) => answer.open = sentences(rules, &open),
    }
    let mut looked_at = 0;
    for small in smaller_first(rules, most) {
        let mut found = None;
        let mut stopped = None;
        small.each(&mut |candidate| {
            looked_at += 1;
            let progress = Progress { states: looked_at, ..Progress::default() };
            if let ControlFlow::Break(reason) = budget.spend(&progress) {
                stopped = Some(reason);
                return true;
            }
            let proof = prove_one(&candidate, options, budget);
            match proof.answer {
                Answer::AlwaysCompletes => false,
                Answer::CanGetStuck => {
                    found = proof.stuck.map(|stuck| (candidate, stuck));
                    true
                }
                Answer::Unknown => {
                    stopped = proof.stopped;
                    true
                }
            }
        });
        if let Some((topology, stuck)) = found {
            let is_endless = goes_back && !stuck.cycle.is_empty();
            answer.answer = if is_endless { Answer::Unknown } else { Answer::CanGetStuck };
            answer.smallest = Some(Smallest { topology, stuck, looked_at });
            return answer;
        }
        if stopped.is_some() {
            answer.stopped = stopped;
            return answer;
        }
        // All sizes below this one are done; this one only with its last number of nodes.
        answer.searched = small.size();
    }
    answer
}

/// What is open, for people.
fn sentences(rules: &RuleSet, open: &Open) -> Vec<String> {
    match open {
        Open::Cycle { kind, rules: cycle } => {
            let names: Vec<&str> = cycle.iter().map(|id| &*rules.rule(*id).name).collect();
            vec![format!(
                "rules lead a {} back to where it was, so nothing falls: {}",
                kind.as_str(),
                names.join(", ")
            )]
        }
        Open::Case(case) => open_case(rules, case),
    }
}

fn open_case(rules: &RuleSet, case: &OpenCase) -> Vec<String> {
    let node_type = &rules.node_types[case.node_type.index()].name;
    let state = rules.state_name(Kind::Node, case.state);
    let mut sentences = vec![format!(
        "a `{node_type}` that is `{state}`, and waits only for nodes that are done, may stay so"
    )];
    if let Some((place, view)) = &case.neighbour {
        let relationship = &rules.relationship_types[place.relationship.index()].name;
        sentences.push(format!("its {relationship} relationship: {}", describe(rules, view)));
    }
    sentences
}

/// A view, for people.
pub fn describe(rules: &RuleSet, view: &View) -> String {
    let name = |kind: Kind, local: Local| rules.state_name(kind, local).to_owned();
    let mut text = format!(
        "source {}, requirement {}, capability {}, target {}",
        name(Kind::Node, view.source),
        name(Kind::Requirement, view.requirement),
        name(Kind::Capability, view.capability),
        name(Kind::Node, view.target),
    );
    for (message, count) in rules.messages.iter().zip(&view.messages).filter(|(_, n)| **n > 0) {
        // Writing to a string cannot fail.
        let _ = write!(text, ", message {message} ({count})");
    }
    text
}

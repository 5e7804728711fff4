//! Weights of local states that fall with every rule (paper 001, conditions 3 and 4).

use super::argument::Open;
use crate::lifecycle::setup::{Kind, RuleId, RuleSet};

/// A weight for each local state of each kind and type: the length of the longest way down from it.
///
/// Paper: 001 (3)
/// Paper: 001 mesmes
/// Paper: 001 (4)
/// Paper: 001 lemma
/// Deviation: (4) is not needed: that a run ends is shown here, that its end is final by cases.
pub(super) fn find(rules: &RuleSet) -> Result<[Vec<Vec<u32>>; 3], Open> {
    let of = |kind: Kind, own: Vec<RuleId>| {
        let step = |id: RuleId| {
            let rule = rules.rule(id);
            (id, usize::from(rule.from), usize::from(rule.to))
        };
        let steps: Vec<_> = own.into_iter().map(step).collect();
        let count = rules.states[kind as usize].len();
        longest_ways(count, &steps).ok_or_else(|| Open::Cycle { kind, rules: cycle(&steps) })
    };
    let nodes = rules.node_type_ids().map(|id| of(Kind::Node, rules.node_rules(id)));
    let ends = || rules.relationship_type_ids();
    let capabilities = ends().map(|id| of(Kind::Capability, rules.capability_rules(id)));
    let requirements = ends().map(|id| of(Kind::Requirement, rules.requirement_rules(id)));
    Ok([
        nodes.collect::<Result<_, _>>()?,
        capabilities.collect::<Result<_, _>>()?,
        requirements.collect::<Result<_, _>>()?,
    ])
}

/// The longest way down from each state; none when it does not end.
fn longest_ways(count: usize, steps: &[(RuleId, usize, usize)]) -> Option<Vec<u32>> {
    let mut weights = vec![0u32; count];
    // A way without a cycle has fewer steps than there are states.
    for _ in 0..=count {
        let mut changed = false;
        for &(_, from, to) in steps {
            if weights[from] < weights[to] + 1 {
                weights[from] = weights[to] + 1;
                changed = true;
            }
        }
        if !changed {
            return Some(weights);
        }
    }
    None
}

/// Rules that lead back to where they began.
fn cycle(steps: &[(RuleId, usize, usize)]) -> Vec<RuleId> {
    for &(first, start, to) in steps {
        let mut path = vec![first];
        let mut seen = vec![to];
        let mut at = to;
        // Any way back will do: a cycle has few rules.
        while at != start {
            let next = steps.iter().find(|(_, from, to)| {
                *from == at && (*to == start || !seen.contains(to)) && leads_to(steps, *to, start)
            });
            let Some(&(rule, _, to)) = next else { break };
            path.push(rule);
            seen.push(to);
            at = to;
        }
        if at == start {
            return path;
        }
    }
    Vec::new()
}

fn leads_to(steps: &[(RuleId, usize, usize)], from: usize, goal: usize) -> bool {
    let mut reached = vec![from];
    let mut next = 0;
    while let Some(&at) = reached.get(next) {
        if at == goal {
            return true;
        }
        next += 1;
        for (_, _, to) in steps.iter().filter(|(_, from, _)| *from == at) {
            if !reached.contains(to) {
                reached.push(*to);
            }
        }
    }
    false
}

//! Weights of local states that fall with every rule (paper 001, conditions 3 and 4).

use super::argument::Open;
use crate::cycle::{self, Edges};
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
        longest_ways(count, &steps)
            .ok_or_else(|| Open::Cycle { kind, rules: rule_cycle(count, &steps) })
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

/// Rules that lead back to where they began: a shortest cycle through the first state that has one.
fn rule_cycle(count: usize, steps: &[(RuleId, usize, usize)]) -> Vec<RuleId> {
    let from = |state| steps.iter().filter(move |(_, from, _)| *from == state);
    let edges: Edges = (0..count).map(|state| from(state).map(|(_, _, to)| *to)).collect();
    let components = cycle::components(&edges, count);
    let on_cycle = components.on_cycle.map(|state| state as usize);
    let states = on_cycle
        .and_then(|state| cycle::shortest_cycle_from(&edges, &components, state))
        .unwrap_or_default();
    let next = states.iter().cycle().skip(1);
    let rule = |(at, next): (&usize, &usize)| {
        from(*at).find(|(_, _, to)| to == next).map(|(rule, _, _)| *rule)
    };
    states.iter().zip(next).filter_map(rule).collect()
}

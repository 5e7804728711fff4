//! Verdicts without any memory, as the definitions are printed: all sequential traces, and for
//! each trace the whole tree of choices. It takes (2n)!/2^n traces for n unordered operations.
//!
//! Paper: 004 Notation 4.1, Def. 4.2, Def. 4.3, Def. 4.4.

use std::collections::BTreeSet;

use super::state::State;
use super::validity::{Step, keep_smaller, same_instances};
use super::workflow::Workflow;
use super::{Judgement, Verdict};

/// `traces(P)`: all topological sorts of the events.
///
/// Paper: 004 Notation 4.1
pub(crate) fn traces(workflow: &Workflow) -> Vec<Vec<usize>> {
    fn extend(workflow: &Workflow, prefix: &mut Vec<usize>, found: &mut Vec<Vec<usize>>) {
        if prefix.len() == workflow.events.len() {
            found.push(prefix.clone());
        }
        let executed: BTreeSet<usize> = prefix.iter().copied().collect();
        for at in workflow.enabled(&executed) {
            prefix.push(at);
            extend(workflow, prefix, found);
            prefix.pop();
        }
    }
    let mut found = Vec::new();
    extend(workflow, &mut Vec::new(), &mut found);
    found
}

/// `valid(α_1 ... α_n, ⟨G, H, V⟩)`, and on the way what else is asked of the trace.
///
/// Paper: 004 Def. 4.2
/// Deviation: executability is required.
fn valid(
    workflow: &Workflow,
    step: &Step<'_>,
    trace: &[usize],
    executed: usize,
    state: &State,
    judgement: &mut Judgement,
) -> bool {
    judgement.configurations += 1;
    let Some((first, rest)) = trace.split_first() else {
        judgement.finals.insert(state.clone());
        return true;
    };
    let outcome = step(state, &workflow.events[*first]);
    if outcome.fault {
        keep_smaller(&mut judgement.shortest_fault, executed + 1);
    }
    let mut good = outcome.is_good();
    if !good {
        keep_smaller(&mut judgement.shortest_failure, executed);
    }
    for next in &outcome.settled {
        good &= valid(workflow, step, rest, executed + 1, next, judgement);
    }
    good
}

/// Judges a workflow of very few actions.
///
/// Paper: 004 Def. 4.3
pub(crate) fn judge(workflow: &Workflow, start: &State, step: &Step<'_>) -> Judgement {
    let mut judgement = Judgement {
        verdict: Verdict::NotValid,
        deterministic: None,
        shortest_failure: None,
        shortest_fault: None,
        finals: BTreeSet::new(),
        configurations: 0,
    };
    let verdicts: Vec<bool> = traces(workflow)
        .iter()
        .map(|trace| valid(workflow, step, trace, 0, start, &mut judgement))
        .collect();
    if verdicts.iter().all(|good| *good) {
        judgement.verdict = Verdict::Valid;
        judgement.deterministic = Some(same_instances(&judgement.finals));
    } else if verdicts.contains(&true) {
        judgement.verdict = Verdict::WeaklyValid;
    }
    judgement
}

//! As little order as a plan needs, decided by a judge of plans.
//!
//! Where no reason can be read off the needs (faults happen, or an operation has alternatives) and
//! where reasons ask for more than the relation does (operations are atomic), edges are tried one
//! after another, nearest first, and dropped when the plan is still good without them. What remains
//! where all of them are tried is a smallest order, in the sense that no single edge can be
//! missed.

use crate::plan::{Order, Plan};
use crate::source::Origin;

/// So many edges are tried where each is a search: all of them in plans of 20 actions. In larger
/// ones what is far apart stays as it is.
pub(super) const MOST: usize = 190;

/// So many edges are tried where each is a look at pairs: all of them in plans of 200 actions.
pub(super) const MOST_OF_PAIRS: usize = 20_000;

/// Plans with more actions than this stay as they are.
const MOST_ACTIONS: usize = 200;

/// The plan with fewer edges. Its steps stand in an order that it allows; an edge that it has
/// already keeps its reason, others have none yet.
pub(super) fn loosened(given: &Plan, most: usize, is_good: &mut dyn FnMut(&Plan) -> bool) -> Plan {
    let steps = given.steps.len();
    if steps > MOST_ACTIONS {
        return given.clone();
    }
    let mut questions = 0;
    let mut closed = closure(given);
    for distance in 1..steps {
        for before in 0..steps - distance {
            let after = before + distance;
            let same =
                given.steps[before].action.instance() == given.steps[after].action.instance();
            if !closed[before][after]
                || is_implied(&closed, before, after)
                || same
                || questions >= most
            {
                continue;
            }
            closed[before][after] = false;
            questions += 1;
            if !is_good(&plan(given, &closed)) {
                closed[before][after] = true;
            }
        }
    }
    plan(given, &closed)
}

/// The plan with a reason for every edge that has none.
pub(super) fn labelled(plan: &Plan, why: &mut dyn FnMut(usize, usize) -> String) -> Plan {
    let order = plan.order.iter().map(|edge| {
        let known = edge.why.clone();
        Order { why: known.or_else(|| Some(why(edge.before, edge.after))), ..edge.clone() }
    });
    Plan { order: order.collect(), ..plan.clone() }
}

/// The plan without one of its edges; what the edge and others imply together stays.
pub(super) fn without(given: &Plan, before: usize, after: usize) -> Plan {
    let mut closed = closure(given);
    closed[before][after] = false;
    plan(given, &closed)
}

/// The whole order, transitively closed.
fn closure(plan: &Plan) -> Vec<Vec<bool>> {
    let steps = plan.steps.len();
    let mut closed = vec![vec![false; steps]; steps];
    let mut into: Vec<Vec<usize>> = vec![Vec::new(); steps];
    for edge in plan.order.iter().filter(|edge| edge.before < edge.after) {
        into[edge.after].push(edge.before);
    }
    for (after, edges) in into.iter().enumerate() {
        for before in edges {
            closed[*before][after] = true;
            for row in &mut closed[..*before] {
                row[after] |= row[*before];
            }
        }
    }
    closed
}

/// Whether other edges imply one; it says nothing then.
fn is_implied(closed: &[Vec<bool>], before: usize, after: usize) -> bool {
    (before + 1..after).any(|middle| closed[before][middle] && closed[middle][after])
}

/// The plan with the edges that no others imply.
fn plan(given: &Plan, closed: &[Vec<bool>]) -> Plan {
    let mut order = Vec::new();
    for after in 0..closed.len() {
        for before in (0..after).filter(|before| closed[*before][after]) {
            if !is_implied(closed, before, after) {
                let same = |edge: &&Order| (edge.before, edge.after) == (before, after);
                let why = given.order.iter().find(same).and_then(|edge| edge.why.clone());
                order.push(Order { before, after, why, origin: Origin(None) });
            }
        }
    }
    Plan { order, ..given.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::application::InstanceId;
    use crate::plan::{PlanAction, Step};

    fn row(steps: usize) -> Plan {
        let step = |at: usize| Step {
            label: at.to_string(),
            action: PlanAction::ScaleIn { instance: InstanceId(at.to_string()) },
            origin: Origin(None),
        };
        Plan { steps: (0..steps).map(step).collect(), ..Plan::default() }.into_sequence()
    }

    fn edges(plan: &Plan) -> Vec<(usize, usize)> {
        plan.order.iter().map(|edge| (edge.before, edge.after)).collect()
    }

    #[test]
    fn what_is_not_needed_goes_and_what_it_implied_stays() {
        let needs = |plan: &Plan| closure(plan)[0][3];
        assert_eq!(edges(&loosened(&row(4), MOST, &mut { needs })), [(0, 3)]);
        assert_eq!(edges(&loosened(&row(4), MOST, &mut |_| true)), []);
        assert_eq!(edges(&loosened(&row(4), MOST, &mut |_| false)), [(0, 1), (1, 2), (2, 3)]);
        assert_eq!(edges(&without(&row(4), 1, 2)), [(0, 1), (0, 2), (1, 3), (2, 3)]);
    }

    #[test]
    fn known_reasons_are_kept_and_others_are_asked_for() {
        let mut given = row(3);
        given.order[0].why = Some("known".to_owned());
        let labelled = labelled(&given, &mut |before, after| format!("{before} {after}"));
        let reasons: Vec<_> = labelled.order.iter().filter_map(|edge| edge.why.clone()).collect();
        assert_eq!(reasons, ["known", "1 2"]);
    }
}

//! As little order as a plan needs, asked of whoever judges it.
//!
//! For plans in which faults happen no reason can be read off the needs: edges are tried one after
//! another, nearest first, and dropped when the plan is still good without them. What remains of a
//! plan of up to 20 actions is a smallest order, in the sense that no single edge can be missed.

use crate::plan::{Order, Plan, PlanAction};
use crate::source::Origin;

/// So many edges are tried: all of them in plans of 20 actions. In larger ones what is far apart
/// stays as it is.
const MOST: usize = 190;

/// The plan with fewer edges.
pub(super) fn loosened(sequence: &Plan, is_good: &mut dyn FnMut(&Plan) -> bool) -> Plan {
    let steps = sequence.steps.len();
    let mut questions = 0;
    // The whole order, transitively closed; an edge that others imply says nothing.
    let mut closed: Vec<Vec<bool>> =
        (0..steps).map(|a| (0..steps).map(|b| a < b).collect()).collect();
    for apart in 1..steps {
        for before in 0..steps - apart {
            let after = before + apart;
            let is_implied =
                (before + 1..after).any(|middle| closed[before][middle] && closed[middle][after]);
            let same =
                sequence.steps[before].action.instance() == sequence.steps[after].action.instance();
            if is_implied || same || questions >= MOST {
                continue;
            }
            closed[before][after] = false;
            questions += 1;
            if !is_good(&plan(sequence, &closed)) {
                closed[before][after] = true;
            }
        }
    }
    plan(sequence, &closed)
}

/// The plan with the edges that no others imply.
fn plan(sequence: &Plan, closed: &[Vec<bool>]) -> Plan {
    let mut order = Vec::new();
    for after in 0..closed.len() {
        for before in 0..after {
            let is_implied =
                (before + 1..after).any(|middle| closed[before][middle] && closed[middle][after]);
            if !closed[before][after] || is_implied {
                continue;
            }
            let about = |at: usize| sequence.steps[at].action.instance();
            let inside = match &sequence.steps[after].action {
                PlanAction::ScaleOut { container, .. } => container.as_ref(),
                _ => None,
            };
            let why = if about(before) == about(after) {
                format!("both are about {}", about(after))
            } else if inside == Some(about(before)) {
                format!("{} lives in {}", about(after), about(before))
            } else {
                "in another order something else would happen".to_owned()
            };
            order.push(Order { before, after, why: Some(why), origin: Origin(None) });
        }
    }
    Plan { order, ..sequence.clone() }
}

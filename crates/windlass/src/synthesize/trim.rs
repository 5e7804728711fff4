//! Fewer edges for a plan whose order does not follow from needs alone, and a reason for each that
//! remains.

use super::atomic::Changes;
use super::belief::World;
use super::invariants::Invariants;
use super::{Planner, Question, interleave, judge, loosen};
use crate::application::Faults;
use crate::plan::{Plan, PlanAction};
use crate::system::Limits;
use crate::verify::Effort;

/// How many states `verify` may look at for one edge: there are many to ask about.
const FOR_AN_EDGE: usize = 3_000;

impl Planner<'_> {
    /// The plan with the edges that validity, the goal and the invariants need, each with its
    /// reason; none when the relation cannot be asked.
    pub(super) fn trimmed(&self, given: &Plan) -> Option<Plan> {
        let Question { application, start, .. } = *self.question;
        let watched = self.context.target.watched();
        let invariants = Invariants { watched: &watched, file: self.question.goal };
        let is_free = invariants.is_empty();
        if application.faults == Faults::Replicas {
            let world = World::new(self.question, &self.context.target, true)?;
            let plan = loosen::loosened(given, loosen::MOST, &mut |plan| {
                self.is_valid(plan)
                    && (is_free || interleave::hold(&world, application, start, plan))
            });
            let why = |before, after| structure(&plan, before, after);
            return Some(self.labelled(&plan, &why));
        }
        let changes = Changes::new(self.question, given)?;
        let is_simple = changes.are_fault_free(given);
        let most = if is_simple { loosen::MOST_OF_PAIRS } else { loosen::MOST };
        let plan = loosen::loosened(given, most, &mut |plan| {
            let is_good =
                if is_simple { changes.are_fault_free(plan) } else { self.is_valid(plan) };
            is_good && (is_free || changes.keep(invariants, plan))
        });
        Some(self.labelled(&plan, &|before, after| changes.why(before, after)))
    }

    /// An order that is only tried needs no repair.
    fn without_repair(&self) -> Effort {
        Effort { repair_limit: 0, ..*self.effort }
    }

    fn is_valid(&self, plan: &Plan) -> bool {
        let effort = self.without_repair();
        let planner = Planner { effort: &effort, ..*self };
        planner.verified(plan.clone(), FOR_AN_EDGE).is_some()
    }

    /// A reason for every edge: what they are about, or what happens without it.
    fn labelled(&self, plan: &Plan, why: &dyn Fn(usize, usize) -> Option<String>) -> Plan {
        loosen::labelled(plan, &mut |before, after| {
            why(before, after).unwrap_or_else(|| self.otherwise(plan, before, after))
        })
    }

    fn otherwise(&self, plan: &Plan, before: usize, after: usize) -> String {
        let without = loosen::without(plan, before, after);
        let mut limits = Limits { states: FOR_AN_EDGE, bytes: 1 << 30 };
        let effort = self.without_repair();
        let report = judge(self.question, &without, &effort, &mut limits);
        match report.and_then(|report| report.counterexample) {
            Some(story) => format!("otherwise {} may fail: {}", story.label, story.reason),
            None => "in another order something else would happen".to_owned(),
        }
    }
}

/// One instance, or what it lives in.
fn structure(plan: &Plan, before: usize, after: usize) -> Option<String> {
    let about = |at: usize| plan.steps[at].action.instance();
    let inside = match &plan.steps[after].action {
        PlanAction::ScaleOut { container, .. } => container.as_ref(),
        _ => None,
    };
    if about(before) == about(after) {
        Some(format!("both are about {}", about(after)))
    } else if inside == Some(about(before)) {
        Some(format!("{} lives in {}", about(after), about(before)))
    } else {
        None
    }
}

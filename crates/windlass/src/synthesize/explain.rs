//! Why a goal cannot be reached, in words: the requirement that nothing can ever offer, the things
//! that wait for each other, or the fewest conditions that together rule every plan out.

use super::sequence::distance::Weights;
use super::sequence::relaxed::{Reason, is_containment};
use super::sequence::{PlanningContext, Sequence, Task, UnreachableReason};
use super::{Cause, Question};
use crate::application::{Application, NodeId};
use crate::goal::evaluate::Closure;
use crate::goal::{self, Goal, GoalFile};
use crate::lifecycle::protocol::StateId;
use crate::system::Budget;

/// Why there is no plan.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// What cannot be reached.
    pub headline: String,
    /// The reasons, each because of the next.
    pub because: Vec<String>,
    /// What to blame: a requirement, a capability, a condition.
    pub culprit: String,
}

/// Explains.
pub(super) fn explain(
    question: &Question<'_>,
    context: &PlanningContext<'_>,
    because: Cause,
    budget: &mut dyn Budget,
) -> Explanation {
    let words = Words { application: question.application, context };
    let by_itself =
        matches!(because, UnreachableReason::State { .. } | UnreachableReason::Capability { .. });
    if by_itself
        && has_invariants(question.goal)
        && !is_unreachable_without_invariants(question, budget)
    {
        return conditions(question, budget);
    }
    match because {
        UnreachableReason::State { node, state, reasons } => {
            let headline = format!(
                "no instance of `{}` can ever be {}",
                words.node(node),
                words.state(node, state)
            );
            let (because, culprit) = words.chain(&reasons);
            Explanation { headline, because, culprit }
        }
        UnreachableReason::Capability { node, capability, reasons } => {
            let name = words.capability(node, capability);
            let headline = format!("nothing can ever offer `{name}`");
            let (because, culprit) = words.chain(&reasons);
            Explanation { headline, because, culprit }
        }
        UnreachableReason::UnknownInstance(id) => Explanation {
            headline: format!("the node of `{id}` is unknown"),
            because: vec![
                "it is neither in the state nor named by the description".to_owned(),
                "instances have names only there; new ones are called `NODE-1`, `NODE-2` and so on"
                    .to_owned(),
            ],
            culprit: id.to_string(),
        },
        UnreachableReason::StartNotAllowed => start_not_allowed(question),
        UnreachableReason::Searched | UnreachableReason::Contradiction => {
            conditions(question, budget)
        }
    }
}

fn has_invariants(file: &GoalFile) -> bool {
    let any = file.keep.len() + file.always.len() + file.never.len() + file.budget.len();
    any > 0
}

/// Whether the goal cannot be reached even without the invariants.
fn is_unreachable_without_invariants(question: &Question<'_>, budget: &mut dyn Budget) -> bool {
    let plain = GoalFile { goal: question.goal.goal.clone(), ..GoalFile::default() };
    is_unreachable(question, &plain, budget)
}

/// The invariant that the start breaks.
fn start_not_allowed(question: &Question<'_>) -> Explanation {
    let Question { application, start, goal, .. } = *question;
    let print = |condition: &Goal| goal::print(condition, application);
    let is_open = Closure::Open;
    let broken = goal.always.iter().find(|always| !always.holds(application, start, is_open));
    let held = goal.never.iter().find(|never| never.holds(application, start, is_open));
    let culprit = match (broken, held) {
        (Some(always), _) => format!("always: {}", print(always)),
        (None, Some(never)) => format!("never: {}", print(never)),
        (None, None) => "budget".to_owned(),
    };
    Explanation {
        headline: "the start itself is not allowed".to_owned(),
        because: vec![format!("`{culprit}` does not hold in it")],
        culprit,
    }
}

/// One condition of a goal file that could be left out.
#[derive(Debug, Clone, Copy)]
enum Part {
    /// Nothing else may remain.
    Exact,
    Want(usize),
    Keep(usize),
    Always(usize),
    Never(usize),
    Budget(NodeId),
}

/// The fewest conditions, none of which can be left out, that together rule every plan out.
fn conditions(question: &Question<'_>, budget: &mut dyn Budget) -> Explanation {
    let file = question.goal;
    let mut parts: Vec<Part> = Vec::new();
    if question.closure == Closure::Exact {
        parts.push(Part::Exact);
    }
    parts.extend((0..file.keep.len()).map(Part::Keep));
    parts.extend((0..file.always.len()).map(Part::Always));
    parts.extend((0..file.never.len()).map(Part::Never));
    parts.extend(file.budget.keys().map(|node| Part::Budget(*node)));
    parts.extend((0..file.goal.wants.len()).map(Part::Want));
    let mut needed: Vec<Part> = parts.clone();
    for part in parts {
        let fewer: Vec<Part> = needed.iter().copied().filter(|p| !same(*p, part)).collect();
        let is_exact = fewer.iter().any(|part| same(*part, Part::Exact));
        let closure = if is_exact { Closure::Exact } else { Closure::Open };
        let asked = Question { closure, ..*question };
        if is_unreachable(&asked, &only(file, &fewer), budget) {
            needed = fewer;
        }
    }
    let words: Vec<String> =
        needed.iter().map(|part| in_words(question.application, file, *part)).collect();
    let invariants = needed.iter().zip(&words).filter(|(part, _)| !matches!(part, Part::Want(_)));
    let invariants: Vec<&str> = invariants.map(|(_, word)| word.as_str()).collect();
    let culprit = if invariants.is_empty() { words.join(", ") } else { invariants.join(", ") };
    let headline = match words.as_slice() {
        [only] => format!("`{only}` cannot be reached from here without a fault"),
        _ => "these conditions rule every plan out together, and no fewer of them do".to_owned(),
    };
    Explanation { headline, because: words, culprit }
}

fn same(a: Part, b: Part) -> bool {
    match (a, b) {
        (Part::Want(a), Part::Want(b))
        | (Part::Keep(a), Part::Keep(b))
        | (Part::Always(a), Part::Always(b))
        | (Part::Never(a), Part::Never(b)) => a == b,
        (Part::Budget(a), Part::Budget(b)) => a == b,
        (Part::Exact, Part::Exact) => true,
        _ => false,
    }
}

fn only(file: &GoalFile, parts: &[Part]) -> GoalFile {
    let mut fewer = GoalFile::default();
    for part in parts {
        match part {
            Part::Exact => {}
            Part::Want(at) => fewer.goal.wants.push(file.goal.wants[*at].clone()),
            Part::Keep(at) => fewer.keep.push(file.keep[*at].clone()),
            Part::Always(at) => fewer.always.push(file.always[*at].clone()),
            Part::Never(at) => fewer.never.push(file.never[*at].clone()),
            Part::Budget(node) => {
                fewer.budget.extend(file.budget.get(node).map(|most| (*node, *most)));
            }
        }
    }
    fewer
}

fn in_words(application: &Application, file: &GoalFile, part: Part) -> String {
    match part {
        Part::Exact => "--exact: nothing else remains".to_owned(),
        Part::Want(at) => {
            goal::print(&Goal { wants: vec![file.goal.wants[at].clone()] }, application)
        }
        Part::Keep(at) => format!("keep: {}", file.keep[at]),
        Part::Always(at) => format!("always: {}", goal::print(&file.always[at], application)),
        Part::Never(at) => format!("never: {}", goal::print(&file.never[at], application)),
        Part::Budget(node) => {
            let most = file.budget.get(&node).copied().unwrap_or_default();
            format!("budget: {} {most}", application.node(node).name)
        }
    }
}

fn is_unreachable(question: &Question<'_>, file: &GoalFile, budget: &mut dyn Budget) -> bool {
    let Question { application, start, closure, known, .. } = *question;
    let (prove, soft) = (false, false);
    let Some(context) =
        PlanningContext::new(Task { application, start, goal: file, closure, known, prove, soft })
    else {
        return false;
    };
    let weights = Weights::length(&context.tables);
    matches!(context.sequence(&weights, budget), Sequence::Unreachable { .. })
}

struct Words<'a> {
    application: &'a Application,
    context: &'a PlanningContext<'a>,
}

impl Words<'_> {
    fn node(&self, node: usize) -> &str {
        &self.application.node(NodeId::from(node)).name
    }

    fn state(&self, node: usize, state: usize) -> String {
        let protocol = self.application.protocol_of(NodeId::from(node));
        let name = protocol.map_or("", |p| &p.state(StateId::from(state)).name);
        format!("`{name}`")
    }

    fn capability(&self, node: usize, capability: usize) -> &str {
        let component = self.application.type_of(NodeId::from(node));
        component.capabilities.get(capability).map_or("", |c| &c.name)
    }

    fn requirement(&self, node: usize, requirement: usize) -> &str {
        let component = self.application.type_of(NodeId::from(node));
        component.requirements.get(requirement).map_or("", |r| &r.name)
    }

    /// "in state `s`", or "to perform `o`".
    fn element(&self, node: usize, element: usize) -> String {
        let table = &self.context.tables.nodes[node];
        if element < table.states {
            return format!("in state {}", self.state(node, element));
        }
        let component = self.application.type_of(NodeId::from(node));
        let way = table.ways.iter().find(|way| way.element == element);
        let operation = way.and_then(|way| component.operations.get(way.operation));
        format!("to perform `{}`", operation.map_or("", |o| &o.name))
    }

    /// The reasons in words, and the culprit.
    fn chain(&self, reasons: &[Reason]) -> (Vec<String>, String) {
        let mut words = Vec::new();
        let mut culprit = String::new();
        for reason in reasons {
            words.push(match reason {
                Reason::NoPath { node, state } => {
                    culprit = format!("{}.{}", self.node(*node), self.state(*node, *state));
                    format!(
                        "no operations of `{}` lead to {}",
                        self.node(*node),
                        self.state(*node, *state)
                    )
                }
                Reason::Needs { node, element, requirement } => {
                    let name = self.requirement(*node, *requirement);
                    culprit = format!("{}.{name}", self.node(*node));
                    let inside = is_containment(&self.context.tables, *node, *requirement);
                    let kind = if inside { ", its container," } else { "" };
                    format!(
                        "`{}` needs `{name}`{kind} {}",
                        self.node(*node),
                        self.element(*node, *element)
                    )
                }
                Reason::Unbound { node, requirement } => {
                    let name = self.requirement(*node, *requirement);
                    culprit = format!("{}.{name}", self.node(*node));
                    format!("`{name}` of `{}` is bound to nothing", self.node(*node))
                }
                Reason::NotOffered { node, capability } => {
                    let name = self.capability(*node, *capability);
                    culprit = format!("{}.{name}", self.node(*node));
                    format!("no state of `{}` offers `{name}`", self.node(*node))
                }
                Reason::NoInstance { node } => {
                    self.node(*node).clone_into(&mut culprit);
                    format!("no instance of `{}` can be created", self.node(*node))
                }
                Reason::Cycle { length } => {
                    let first = reasons.len() - 1 - length;
                    let round = reasons[first..reasons.len() - 1].iter().filter_map(|r| match r {
                        Reason::Needs { node, requirement, .. } => Some(format!(
                            "{}.{}",
                            self.node(*node),
                            self.requirement(*node, *requirement)
                        )),
                        _ => None,
                    });
                    let round: Vec<String> = round.collect();
                    culprit = round.join(" -> ");
                    format!("which waits for the first again: {culprit}")
                }
            });
        }
        (words, culprit)
    }
}

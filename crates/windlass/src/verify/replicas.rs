//! Plans in the relation of paper 004.

use std::ops::{ControlFlow, RangeInclusive};

use super::belief::{self, Encoded, Readable};
use super::bindings::Ending;
use super::effects::effects;
use super::execution::{CompiledExecution, Configuration, Execution};
use super::explicit::{self, Decision};
use super::repair::{self, Repair};
use super::story::{Counterexample, StoryStep};
use super::{Effort, GoalAnswer, Question, Refused, Report, Validity, event_label, goal_answer};
use super::{despite_faults, handler_closure, symmetry};
use super::{finals, probes, remarks};
use crate::application::GlobalState;
use crate::certificate::{self, Claim};
use crate::explore::Options;
use crate::lifecycle::protocol::Sort;
use crate::plan::cover::Cover;
use crate::plan::events::{EventId, Events};
use crate::plan::lives::Lives;
use crate::plan::needs::Scene;
use crate::semantics::Semantics;
use crate::semantics::replica::compiled::{Bindings, CompiledReplica};
use crate::semantics::replica::{Action, Creation, Event, Replica, observable};
use crate::system::{Budget, Evidence, Progress, Property, StopReason, System, Trace, Verdict};

/// Judges a plan.
pub(super) fn verify(
    question: &Question<'_>,
    mut replica: Replica<'_>,
    effort: &Effort,
    budget: &mut dyn Budget,
) -> Result<Report, Refused> {
    let events = Events::new(question.plan).map_err(Refused::CyclicOrder)?;
    replica.pool = Creation::planned(question.application, question.plan);
    let mut actions = Vec::with_capacity(events.len());
    for event in events.ids().map(|id| events.get(id)) {
        let action = Action::planned(question.application, question.plan, event);
        actions.push(action.ok_or(Refused::NoSuchInstance(event.step))?);
    }
    let by_event = |event: EventId| actions[event.index()].clone();
    let covered = if effort.search_only { None } else { Covered::new(question, &events) };
    if let Some(covered) = &covered
        && covered.cover.is_deterministic()
    {
        let mut report = covered.deterministic(question, &events);
        let most = (WORK_FOR_BINDINGS / events.len().max(1)).min(effort.binding_limit);
        let mut small = Small { budget, states: most };
        follow_bindings(&replica, &events, by_event, &mut report, &mut small);
        return Ok(report);
    }
    let readable = Execution::new(&replica, &events, by_event);
    let mut search = Search {
        question,
        effort,
        events: &events,
        replica: &replica,
        readable: &readable,
        known: Known::Nothing,
    };
    // Every binding first, because then the states found are evidence. Bindings of replica-unaware
    // requirements decide nothing, so a search that is too large leaves them out.
    let exact = CompiledReplica::new(replica.clone(), Bindings::Every);
    if let Some(compiled) = &exact {
        let execution = Execution::new(compiled, &events, by_event);
        let mut small = Small { budget, states: effort.evidence_limit };
        if let Some(report) = search.compiled(&execution, true, &mut small) {
            return Ok(report);
        }
    }
    if let Some(covered) = covered {
        search.known = Known::Valid(Box::new(covered.other(question, &replica, &events, by_event)));
    } else if !effort.search_only
        && let Some((tier, counterexample)) = search.refutation()
    {
        search.known = Known::Refuted(tier, Box::new(counterexample));
    }
    let coarse = CompiledReplica::new(replica.clone(), Bindings::AwareOnly);
    if let Some(compiled) = &coarse {
        if let Some(report) = search.symmetric(compiled, by_event, budget) {
            return Ok(report);
        }
        let execution = Execution::new(compiled, &events, by_event);
        if let Some(report) = search.compiled(&execution, false, budget) {
            return Ok(report);
        }
    }
    let mut small = Small { budget, states: search.most_states() };
    let decision = explicit::decide(&readable, &search.options(effort.evidence_limit), &mut small);
    let weak = |budget: &mut dyn Budget| {
        let form = Readable(&readable);
        belief::weakly_valid(&readable, &form, effort.evidence_limit, budget)
    };
    Ok(search.report(decision, weak, budget))
}

/// The verdict by a cover without faults; none when there is none, or when it does not say where
/// every instance ends.
pub(super) fn by_cover(question: &Question<'_>) -> Option<Report> {
    let events = Events::new(question.plan).ok()?;
    let covered = Covered::new(question, &events)?;
    let is_good = covered.cover.is_fault_free() && covered.cover.is_deterministic();
    is_good.then(|| covered.deterministic(question, &events))
}

/// A budget that ends sooner when there are more states than evidence would list.
struct Small<'a> {
    budget: &'a mut dyn Budget,
    states: usize,
}

impl Budget for Small<'_> {
    fn spend(&mut self, progress: &Progress) -> ControlFlow<StopReason> {
        if progress.states > self.states {
            return ControlFlow::Break(StopReason::States);
        }
        self.budget.spend(progress)
    }
}

/// Tiers T0a to T1d: valid by a cover, which is checked before it is believed.
struct Covered {
    lives: Lives,
    cover: Cover,
}

impl Covered {
    fn new(question: &Question<'_>, events: &Events) -> Option<Self> {
        let Question { application, start, plan, .. } = *question;
        let lives = Lives::new(application, start, plan, events).ok()?;
        let cover = despite_faults::cover(application, start, plan, events, &lives)?;
        Self::checked(question, lives, cover)
    }

    /// None when `certificate` refuses the cover.
    fn checked(question: &Question<'_>, lives: Lives, cover: Cover) -> Option<Self> {
        let Question { application, start, plan, .. } = *question;
        certificate::check_cover(application, start, plan, &cover).ok()?;
        Some(Covered { lives, cover })
    }

    /// The report when the cover says where every instance ends.
    fn deterministic(&self, question: &Question<'_>, events: &Events) -> Report {
        let Question { application, start, .. } = *question;
        let Covered { lives, cover } = self;
        let tier = if cover.is_fault_free() { "T1" } else { "T1d" };
        let mut report = Report::new(Validity::Valid, tier, "cover");
        report.deterministic = Some(true);
        let end = finals::final_state(application, lives, cover);
        let scene = Scene { application, start, events, lives, possible: &cover.possible };
        let is_fault_free = cover.is_fault_free();
        let ending = Ending { scene, policy: question.policy, is_fault_free };
        let is_too_large = ending.is_too_large();
        report.effects = finals::effects_of(&ending, application, &end, !is_too_large);
        report.remarks.extend(is_too_large.then(remarks::too_many_bindings));
        report.goal = goal_answer(question, std::slice::from_ref(&end));
        report.cover = Some(cover.clone());
        report
    }

    /// The report when it does not: a few runs show what is possible.
    fn other(
        &self,
        question: &Question<'_>,
        replica: &Replica<'_>,
        events: &Events,
        action: impl Fn(EventId) -> Action,
    ) -> Report {
        let Question { application, start, .. } = *question;
        let Covered { lives, cover } = self;
        let mut report = Report::new(Validity::Valid, "T1d", "cover");
        let finals = probes::finals(replica, events, action, lives.ids().count());
        let differ = !explicit::is_deterministic(&finals, |end| end.instances.clone());
        report.deterministic = differ.then_some(false);
        report.effects = probes::effects_of(application, start, &finals, lives, cover);
        // Some runs are not all: what they agree about is not known to hold always.
        report.goal = goal_answer(question, &finals).filter(|g| *g == GoalAnswer::Sometimes);
        report.cover = Some(cover.clone());
        report
    }
}

/// The most states times events that are looked at to see who is bound.
const WORK_FOR_BINDINGS: usize = 4_000_000;

/// Who is bound in the end, by every run, where the cover leaves it open and the runs are few.
fn follow_bindings(
    replica: &Replica<'_>,
    events: &Events,
    action: impl Fn(EventId) -> Action,
    report: &mut Report,
    small: &mut Small<'_>,
) {
    if report.effects.possible.is_empty() {
        return;
    }
    // A run alone has more states than events.
    let breadth = u32::try_from(events.breadth()).unwrap_or(u32::MAX);
    let least = 1_usize.checked_shl(breadth);
    if small.states > events.len()
        && least.is_some_and(|least| least <= small.states)
        && let Some(compiled) = CompiledReplica::new(replica.clone(), Bindings::Every)
    {
        let execution = Execution::new(&compiled, events, action);
        let form = CompiledExecution::new(&execution);
        let options = Options { evidence_limit: 0, ..Options::default() };
        let decision = explicit::decide_compiled(&form, &options, small);
        if matches!(decision.verdict, Verdict::Holds(_)) {
            report.effects = effects(replica.application(), &replica.start, &decision.finals);
            return;
        }
    }
    report.remarks.push(remarks::bindings_not_followed());
}

/// With an answer at hand, so many more states are looked at for a better one, fewer when there
/// are many events.
const STATES_FOR_MORE: RangeInclusive<usize> = 2_000..=300_000;
const WORK_FOR_MORE: usize = 6_000_000;

/// What is known before the large search.
enum Known {
    Nothing,
    /// Valid, by a cover; the search may say where it ends.
    Valid(Box<Report>),
    /// Not valid, by this tier; the search may find a shorter story.
    Refuted(&'static str, Box<Counterexample>),
}

/// Tier T3 and what follows from it.
struct Search<'a> {
    question: &'a Question<'a>,
    effort: &'a Effort,
    events: &'a Events,
    replica: &'a Replica<'a>,
    readable: &'a Execution<'a, Replica<'a>>,
    known: Known,
}

impl Search<'_> {
    fn options(&self, evidence_limit: usize) -> Options {
        Options { threads: self.effort.threads, evidence_limit, ..Options::default() }
    }

    /// How many states the search may look at, beside the limits of the question.
    fn most_states(&self) -> usize {
        let (least, most) = STATES_FOR_MORE.into_inner();
        match self.known {
            Known::Nothing => usize::MAX,
            _ => (WORK_FOR_MORE / self.events.len().max(1)).clamp(least, most),
        }
    }

    /// The report of a compiled search; none when an exact one grew beyond what evidence lists.
    fn compiled(
        &self,
        execution: &Execution<'_, CompiledReplica<'_>>,
        is_exact: bool,
        budget: &mut dyn Budget,
    ) -> Option<Report> {
        let evidence_limit = if is_exact { self.effort.evidence_limit } else { 0 };
        let form = CompiledExecution::new(execution);
        let mut small = Small { budget: &mut *budget, states: self.most_states() };
        let options = self.options(evidence_limit);
        let decision = explicit::decide_compiled(&form, &options, &mut small);
        if is_exact && matches!(decision.verdict, Verdict::Unknown(_)) {
            return None;
        }
        let report = self.report(decision, weakly(execution, is_exact, evidence_limit), budget);
        let given_up = is_exact && matches!(report.validity, Validity::Unknown(_));
        (!given_up).then_some(report)
    }

    /// The report of a search that merges what interchangeable instances make of each other; none
    /// when there are no such instances.
    fn symmetric(
        &self,
        compiled: &CompiledReplica<'_>,
        action: impl Fn(EventId) -> Action,
        budget: &mut dyn Budget,
    ) -> Option<Report> {
        let Question { application, start, plan, .. } = *self.question;
        if !self.effort.symmetry {
            return None;
        }
        let groups = symmetry::groups(application, start, plan, self.events);
        let part = symmetry::part_of(&groups, self.events);
        let execution =
            Execution::in_parts(compiled, self.events, action, |event| part[event.index()]);
        let form = CompiledExecution::new(&execution);
        let interchange = form.interchange(&groups);
        let options = self.options(0);
        let mut small = Small { budget: &mut *budget, states: self.most_states() };
        let decision = explicit::decide_symmetric(&form, &interchange, &options, &mut small)?;
        Some(self.report(decision, weakly(&execution, false, 0), budget))
    }

    fn report(
        &self,
        decision: Decision<GlobalState>,
        weak: impl FnOnce(&mut dyn Budget) -> belief::WeakDecision<GlobalState>,
        budget: &mut dyn Budget,
    ) -> Report {
        let Question { application, start, plan, .. } = *self.question;
        let states = decision.progress.states;
        match &decision.verdict {
            Verdict::Holds(evidence) => {
                let mut report = Report::new(Validity::Valid, "T3", evidence.kind());
                let same = |state: &GlobalState| state.instances.clone();
                report.deterministic = Some(explicit::is_deterministic(&decision.finals, same));
                report.effects = effects(application, start, &decision.finals);
                report.goal = goal_answer(self.question, &decision.finals);
                report.states = states;
                report
            }
            Verdict::Fails(evidence) => {
                let mut report = self.not_valid(weak, budget);
                if let Evidence::Trace(trace) = evidence {
                    report.counterexample = self.counterexample(trace);
                }
                report.states += states;
                report
            }
            Verdict::Unknown(reason) => {
                let mut report = match &self.known {
                    Known::Valid(report) => Report::clone(report),
                    // Not valid for certain; an order that is good may still be found.
                    Known::Refuted(tier, counterexample) => {
                        let mut report = self.not_valid(weak, budget);
                        report.counterexample = Some(Counterexample::clone(counterexample));
                        report.tier = tier;
                        report
                    }
                    Known::Nothing => {
                        let mut report = Report::new(Validity::Unknown(*reason), "T3", "search");
                        let limit = self.effort.repair_limit;
                        report.repair = Some(repair::repair(application, start, plan, limit));
                        report
                    }
                };
                report.states += states;
                report
            }
        }
    }

    /// What tiers T0a, T0b and T2 show without a search: a run that fails, which is replayed before
    /// it is believed. It need not be a shortest one.
    fn refutation(&self) -> Option<(&'static str, Counterexample)> {
        let Question { application, start, plan, .. } = *self.question;
        let found = handler_closure::refute(self.readable, application, start, plan, self.events)?;
        let good = |configuration: &Configuration<GlobalState>| !configuration.has_failed();
        let claim = Claim { property: Property::Always(&good), holds: false };
        let evidence = Evidence::Trace(found.run.clone());
        certificate::check(self.readable, &claim, &evidence).ok()?;
        let mut counterexample = self.counterexample(&found.run)?;
        counterexample.shortest = false;
        Some((found.tier, counterexample))
    }

    /// A plan that is not valid: weakly valid by a repair, else by an order that is found.
    fn not_valid(
        &self,
        weak: impl FnOnce(&mut dyn Budget) -> belief::WeakDecision<GlobalState>,
        budget: &mut dyn Budget,
    ) -> Report {
        let Question { application, start, plan, .. } = *self.question;
        let repair = repair::repair(application, start, plan, self.effort.repair_limit);
        if let Repair::Edges(edges) = &repair
            && let Some(mut report) = self.repaired(edges)
        {
            report.repair = Some(repair);
            return report;
        }
        let label = |event: EventId| event_label(plan, self.events.get(event));
        let decision = weak(budget);
        let mut report = match &decision.verdict {
            Verdict::Holds(evidence) => Report::new(Validity::WeaklyValid, "T3", evidence.kind()),
            Verdict::Fails(evidence) => Report::new(Validity::NotValid, "T3", evidence.kind()),
            Verdict::Unknown(reason) => Report::new(Validity::Unknown(*reason), "T3", "search"),
        };
        report.states = decision.progress.states;
        report.witness = decision.order().map(|order| order.into_iter().map(label).collect());
        report.effects = effects(application, start, decision.finals());
        report.goal = goal_answer(self.question, decision.finals());
        report.repair = Some(repair);
        report
    }

    /// Weakly valid, because a repair is valid by a cover: any order of the repaired plan is good.
    fn repaired(&self, edges: &[repair::Edge]) -> Option<Report> {
        let plan = repair::with_edges(self.question.plan, edges);
        let question = Question { plan: &plan, ..*self.question };
        let events = Events::new(&plan).ok()?;
        let covered = Covered::new(&question, &events)?;
        let valid = covered.cover.is_deterministic();
        let mut report = valid.then(|| covered.deterministic(&question, &events))?;
        report.validity = Validity::WeaklyValid;
        report.tier = "repair";
        report.deterministic = None;
        // It is a cover of the repaired plan, not of this one.
        report.cover = None;
        let order = events.topological().iter();
        report.witness = Some(order.map(|id| event_label(&plan, events.get(*id))).collect());
        Some(report)
    }

    /// The story of a failing run, by the readable relation.
    fn counterexample(
        &self,
        trace: &Trace<Configuration<GlobalState>, EventId>,
    ) -> Option<Counterexample> {
        let plan = self.question.plan;
        let (last, done) = trace.steps.split_last()?;
        let mut before = trace.start.state.clone();
        let start = before.clone();
        let mut steps = Vec::new();
        for step in done {
            let action = self.readable.action(step.action);
            let after = follow(self.replica, &before, action, &step.after.state)?;
            steps.push(StoryStep {
                label: event_label(plan, self.events.get(step.action)),
                action: self.replica.describe(action),
                consequences: after
                    .1
                    .iter()
                    .map(|e| e.describe(self.question.application))
                    .collect(),
                after: after.0.clone(),
            });
            before = after.0;
        }
        let action = self.readable.action(last.action);
        let reason = match self.replica.step(&before, action) {
            Err(blocked) => self.replica.explain(&blocked),
            Ok(_) => return None,
        };
        Some(Counterexample {
            start,
            steps,
            label: event_label(plan, self.events.get(last.action)),
            action: self.replica.describe(action),
            reason,
            shortest: true,
        })
    }
}

/// How weak validity is asked in a compiled form.
fn weakly<'a, 'e, 'r>(
    execution: &'a Execution<'e, CompiledReplica<'r>>,
    is_exact: bool,
    evidence_limit: usize,
) -> impl FnOnce(&mut dyn Budget) -> belief::WeakDecision<GlobalState> + use<'a, 'e, 'r> {
    move |budget| {
        let form = Encoded::new(execution, is_exact);
        belief::weakly_valid(execution, &form, evidence_limit, budget)
    }
}

/// The outcome of an action that has the instances of `after`, with what happened by itself. The
/// search may have left out bindings that decide nothing.
fn follow(
    replica: &Replica<'_>,
    before: &GlobalState,
    action: &Action,
    after: &GlobalState,
) -> Option<(GlobalState, Vec<Event>)> {
    let outcomes = observable::outcomes(replica, before, action).ok()?;
    let wanted = deciding(replica, after);
    let outcome =
        outcomes.into_iter().find(|outcome| deciding(replica, &outcome.state) == wanted)?;
    Some((outcome.state, outcome.events))
}

/// A state without the bindings of replica-unaware requirements.
fn deciding(replica: &Replica<'_>, state: &GlobalState) -> GlobalState {
    let mut deciding = state.clone();
    deciding.horizontal.retain(|(user, requirement, _)| {
        let node = state.instances.get(user).map(|instance| instance.node);
        node.is_some_and(|n| replica.requirement(n, *requirement).sort == Sort::ReplicaAware)
    });
    deciding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goal::evaluate::Closure;
    use crate::plan::cover::Proof;
    use crate::source::Sources;
    use crate::system::Unlimited;

    const GUESTBOOK: &str = include_str!("../../../../examples/guestbook/windlass.yaml");

    #[test]
    fn a_damaged_cover_decides_nothing() {
        let mut sources = Sources::new();
        let root = sources.add("windlass.yaml", GUESTBOOK);
        let application = crate::lang::read(None, root, &sources).application.expect("it is read");
        let start = GlobalState::default();
        let goal = crate::synthesize::everything_up(&application).expect("it can be up");
        let goal = crate::goal::GoalFile { goal, ..Default::default() };
        let asked = crate::synthesize::Question::new(&application, &start, &goal);
        let found = crate::synthesize::synthesize(&asked, &Effort::default(), &mut Unlimited);
        let plan = found.into_plan().expect("there is a plan");
        let (policy, closure) = (application.policy, Closure::Open);
        let question = Question {
            application: &application,
            start: &start,
            plan: &plan,
            policy,
            goal: None,
            closure,
        };
        let events = Events::new(&plan).expect("no cycle");
        let Covered { cover, .. } = Covered::new(&question, &events).expect("a cover");
        let lives = || Lives::new(&application, &start, &plan, &events).expect("in order");
        let mut damaged_proofs = 0;
        for at in 0..cover.satisfied.len() {
            let mut damaged = cover.clone();
            damaged.satisfied.remove(at);
            assert!(Covered::checked(&question, lives(), damaged).is_none(), "without need {at}");
            let mut damaged = cover.clone();
            damaged.satisfied[at].proof = Proof::NeverShows;
            if damaged != cover {
                damaged_proofs += 1;
                assert!(Covered::checked(&question, lives(), damaged).is_none(), "no proof {at}");
            }
        }
        assert!(damaged_proofs > 0, "{cover:?}");
        for life in 0..cover.possible.0.len() {
            for stage in 0..cover.possible.0[life].len() {
                let mut damaged = cover.clone();
                if damaged.possible.0[life][stage].pop_first().is_some() {
                    let checked = Covered::checked(&question, lives(), damaged);
                    assert!(checked.is_none(), "life {life} is nowhere in stage {stage}");
                }
            }
        }
    }
}

//! Plans in the relations of paper 003: one instance of each node, atomic operations.

use super::belief::{self, Readable};
use super::effects::effects;
use super::execution::{Configuration, Execution, Reason};
use super::explicit;
use super::reorder::{self, Answer};
use super::repair::{self, Edge, Repair};
use super::replicas::by_cover;
use super::story::{Counterexample, StoryStep};
use super::{Effort, Question, Refused, Report, Validity, event_label, goal_answer};
use crate::application::{Application, Faults, GlobalState, Instance, InstanceId, NodeId};
use crate::explore::Options;
use crate::lifecycle::protocol::Element;
use crate::plan::PlanAction;
use crate::plan::events::{EventId, Events};
use crate::semantics::Semantics;
use crate::semantics::protocol::settled::Settled;
use crate::semantics::protocol::{self, Action, ServiceTemplate, States};
use crate::system::{Budget, Evidence, Limits, Predicate, System, Trace, Verdict};

/// Plans up to this length are searched as a whole, and the states found are the evidence.
const SEARCHED: usize = 16;

/// Judges a plan.
pub(super) fn verify(
    question: &Question<'_>,
    template: ServiceTemplate<'_>,
    effort: &Effort,
    budget: &mut dyn Budget,
) -> Result<Report, Refused> {
    let application = question.application;
    let events = Events::atomic(question.plan).map_err(Refused::CyclicOrder)?;
    let names = Names::new(application, question.start);
    let mut actions = Vec::with_capacity(question.plan.steps.len());
    for (at, step) in question.plan.steps.iter().enumerate() {
        let action = names.action(application, &step.action);
        actions.push(action.ok_or(Refused::NoSuchInstance(at))?);
    }
    if actions.len() > SEARCHED && !effort.search_only {
        // An atomic operation is one whose end follows its start at once: what never faults in
        // any order of starts and ends never does here, and no handler has anything to do.
        let start = names.completed(&template.start, question.start);
        let application = &application.with_plain_needs();
        if let Some(report) = by_cover(&Question { application, start: &start, ..*question }) {
            return Ok(report);
        }
    }
    let judge = Judge { question, effort, names: &names, actions: &actions };
    Ok(match application.faults {
        Faults::Handled => judge.report(&Settled(template), None, &events, budget),
        _ => {
            let consistent = |states: &States| protocol::is_consistent(&template, states);
            judge.report(&template, Some(&consistent), &events, budget)
        }
    })
}

/// Which instance stands for which node: the one in the start state, the one that the application
/// names, or the node itself.
struct Names(Vec<InstanceId>);

impl Names {
    fn new(application: &Application, start: &GlobalState) -> Self {
        let name = |node: NodeId| {
            let given = start.of_node(node).next().map(|(id, _)| id.clone());
            let declared = application.node(node).instances.first();
            let declared = declared.map(|instance| InstanceId(instance.id.clone()));
            given.or(declared).unwrap_or_else(|| InstanceId(application.node(node).name.clone()))
        };
        Names(application.node_ids().map(name).collect())
    }

    /// The node of an instance, which may also be called by the name of its node.
    fn node(&self, application: &Application, instance: &InstanceId) -> Option<NodeId> {
        let by_id = self.0.iter().position(|id| id == instance).map(NodeId::from);
        by_id.or_else(|| application.node_named(&instance.0))
    }

    fn action(&self, application: &Application, planned: &PlanAction) -> Option<Action> {
        let PlanAction::Operation { instance, operation } = planned else { return None };
        let node = self.node(application, instance)?;
        let operation = application.type_of(node).operation_named(operation)?;
        Some(Action::Perform { node, operation })
    }

    /// A start with an instance of every node, and the bindings that it has.
    fn completed(&self, states: &States, start: &GlobalState) -> GlobalState {
        let GlobalState { horizontal, vertical, .. } = start.clone();
        GlobalState { horizontal, vertical, ..self.global(states) }
    }

    /// The states of all nodes as a global state.
    fn global(&self, states: &States) -> GlobalState {
        let mut global = GlobalState::empty();
        for (at, id) in self.0.iter().enumerate() {
            let node = NodeId::from(at);
            let element = Element::State(states.of(node));
            global.instances.insert(id.clone(), Instance { node, element });
        }
        global
    }
}

/// Up to so many states are looked at for each order that a repair tries, and fewer where a state
/// has many actions.
const STATES_OF_A_REPAIR: usize = 20_000;
const WORK_OF_A_REPAIR: usize = 200_000;

/// Up to so many actions in all orders that a repair tries.
const ORDERS_OF_A_REPAIR: usize = 10_000;

/// Which states a plan may pass through; all of them when there is none.
type Accepts<'a> = Option<Predicate<'a, States>>;

struct Judge<'a> {
    question: &'a Question<'a>,
    effort: &'a Effort,
    names: &'a Names,
    /// Those of the steps of the plan.
    actions: &'a [Action],
}

impl Judge<'_> {
    fn execution<'s, S>(
        &self,
        system: &'s S,
        accepts: Accepts<'s>,
        events: &Events,
    ) -> Execution<'s, S>
    where
        S: System<State = States, Action = Action>,
    {
        let by_event = |event: EventId| self.actions[events.get(event).step];
        let execution = Execution::new(system, events, by_event);
        match accepts {
            Some(accepts) => execution.accepting(accepts),
            None => execution,
        }
    }

    /// The verdict on the plan, and which order edges make it valid.
    fn report<S>(
        &self,
        system: &S,
        accepts: Accepts<'_>,
        events: &Events,
        budget: &mut dyn Budget,
    ) -> Report
    where
        S: System<State = States, Action = Action> + Semantics + Sync,
    {
        let mut report = self.judged(&self.execution(system, accepts, events), events, budget);
        report.repair = match report.validity {
            Validity::NotValid => Some(Repair::Impossible),
            Validity::WeaklyValid => {
                let steps = &self.question.plan.steps;
                let step = |label: &String| steps.iter().position(|step| step.label == *label);
                let good: Vec<usize> = report.witness.iter().flatten().filter_map(step).collect();
                let ask = |edges: &[Edge]| self.with_edges(system, accepts, edges);
                let most = ORDERS_OF_A_REPAIR / steps.len().max(1);
                let most = most.min(self.effort.repair_limit);
                Some(reorder::reorder(steps.len(), &good, &ask, most))
            }
            Validity::Valid | Validity::Unknown(_) => None,
        };
        report
    }

    /// Whether the plan is valid with some more order edges.
    fn with_edges<S>(&self, system: &S, accepts: Accepts<'_>, edges: &[Edge]) -> Answer
    where
        S: System<State = States, Action = Action> + Semantics + Sync,
    {
        let plan = repair::with_edges(self.question.plan, edges);
        // A cycle: no order at all, and so none that is good.
        let Ok(events) = Events::atomic(&plan) else { return Answer::Fails(Vec::new()) };
        let execution = self.execution(system, accepts, &events);
        let states = STATES_OF_A_REPAIR.min(WORK_OF_A_REPAIR / plan.steps.len().max(1));
        let mut limits = Limits { states, bytes: usize::MAX };
        // Many orders are tried: what is suggested is verified by the caller.
        let options = Options { evidence_limit: 0, ..Options::default() };
        let decision = explicit::decide(&execution, &options, &mut limits);
        match decision.verdict {
            Verdict::Holds(_) => Answer::Valid,
            Verdict::Fails(Evidence::Trace(trace)) => {
                Answer::Fails(trace.steps.iter().map(|step| events.get(step.action).step).collect())
            }
            Verdict::Fails(_) | Verdict::Unknown(_) => Answer::Unknown,
        }
    }

    fn judged<S>(
        &self,
        execution: &Execution<'_, S>,
        events: &Events,
        budget: &mut dyn Budget,
    ) -> Report
    where
        S: System<State = States, Action = Action> + Semantics + Sync,
    {
        let options = Options {
            threads: self.effort.threads,
            evidence_limit: self.effort.evidence_limit,
            ..Options::default()
        };
        let decision = explicit::decide(execution, &options, budget);
        let start = self.names.global(&execution.system().initial());
        let ends = |finals: &[States]| -> Vec<GlobalState> {
            finals.iter().map(|states| self.names.global(states)).collect()
        };
        let application = self.question.application;
        match &decision.verdict {
            Verdict::Holds(evidence) => {
                let mut report = Report::new(Validity::Valid, "T3", evidence.kind());
                report.deterministic =
                    Some(explicit::is_deterministic(&decision.finals, Clone::clone));
                let ends = ends(&decision.finals);
                report.effects = effects(application, &start, &ends);
                report.goal = goal_answer(self.question, &ends);
                report.states = decision.progress.states;
                report
            }
            Verdict::Unknown(reason) => {
                let mut report = Report::new(Validity::Unknown(*reason), "T3", "search");
                report.states = decision.progress.states;
                report
            }
            Verdict::Fails(evidence) => {
                let form = Readable(execution);
                let weak =
                    belief::weakly_valid(execution, &form, self.effort.evidence_limit, budget);
                let mut report = match &weak.verdict {
                    Verdict::Holds(shown) => Report::new(Validity::WeaklyValid, "T3", shown.kind()),
                    Verdict::Fails(shown) => Report::new(Validity::NotValid, "T3", shown.kind()),
                    Verdict::Unknown(why) => Report::new(Validity::Unknown(*why), "T3", "search"),
                };
                let label = |event: EventId| event_label(self.question.plan, events.get(event));
                report.witness = weak.order().map(|order| order.into_iter().map(label).collect());
                let ends = ends(weak.finals());
                report.effects = effects(application, &start, &ends);
                report.goal = goal_answer(self.question, &ends);
                report.states = decision.progress.states + weak.progress.states;
                if let Evidence::Trace(trace) = evidence {
                    report.counterexample = self.counterexample(execution, events, trace);
                }
                report
            }
        }
    }

    fn counterexample<S>(
        &self,
        execution: &Execution<'_, S>,
        events: &Events,
        trace: &Trace<Configuration<States>, EventId>,
    ) -> Option<Counterexample>
    where
        S: System<State = States, Action = Action> + Semantics,
    {
        let failure = execution.failure(trace)?;
        let system = execution.system();
        let label = |event: EventId| event_label(self.question.plan, events.get(event));
        let done = &trace.steps[..trace.steps.len() - 1];
        let steps = done.iter().map(|step| StoryStep {
            label: label(step.action),
            action: system.describe(execution.action(step.action)),
            consequences: Vec::new(),
            after: self.names.global(&step.after.state),
        });
        let reason = match &failure.reason {
            Reason::Blocked(blocked) => system.explain(blocked),
            Reason::Unacceptable(states) => self.inconsistency(states),
        };
        Some(Counterexample {
            start: self.names.global(&trace.start.state),
            steps: steps.collect(),
            label: label(failure.event),
            action: system.describe(execution.action(failure.event)),
            reason,
            shortest: true,
        })
    }

    /// What a state relies on and nothing offers.
    fn inconsistency(&self, states: &States) -> String {
        let application = self.question.application;
        let Some(template) = ServiceTemplate::new(application) else { return String::new() };
        let faults = template.faults(states);
        let lacks = |(node, requirement): &(NodeId, crate::lifecycle::protocol::RequirementId)| {
            let state = template.protocol(*node).state(states.of(*node));
            let name = &application.type_of(*node).requirements[requirement.index()].name;
            format!("`{}` in state `{}` lacks `{name}`", application.node(*node).name, state.name)
        };
        let all: Vec<String> = faults.iter().map(lacks).collect();
        format!("it leads to an inconsistent state: {}", all.join(", "))
    }
}

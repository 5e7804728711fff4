//! The calls of the standard interface in a workflow: of nodes, of all members of a group, and in
//! workflows that run in place; and which of them come before which.

use crate::lang::tosca::model::{Activity, ActivityKind, NodeTemplate, Service, Step, Workflow};
use crate::lang::tosca::value::Name;
use crate::lang::tosca::workflow::reach::Reach;
use crate::lang::tosca::workflow::taken;
use crate::source::Span;
use std::collections::BTreeMap;

/// So many workflows are looked into that run in place; of more than that nothing is said.
const MOST: usize = 1000;
/// How deep they may stand in each other.
const DEEPEST: usize = 16;

/// One call within a workflow.
pub(super) struct Call<'m> {
    /// Where it stands, from the workflow that is looked at down to the one that has the call.
    way: Vec<Spot>,
    /// Whether it is taken when nothing fails.
    pub(super) is_usual: bool,
    pub(super) node: &'m str,
    pub(super) template: &'m NodeTemplate,
    pub(super) operation: &'m str,
    /// What names it in the workflow that is looked at: the operation, or the workflow in place.
    pub(super) at: &'m Name,
}

/// An activity of a workflow.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Spot {
    workflow: usize,
    step: usize,
    activity: usize,
}

impl Call<'_> {
    /// Whether both are part of one activity: members of a group, or parts of one workflow.
    pub(super) fn is_beside(&self, other: &Call<'_>) -> bool {
        self.way.first() == other.way.first()
    }
}

/// The calls of a workflow, and those of each node among them.
pub(super) struct Calls<'c, 'm> {
    pub(super) all: &'c [Call<'m>],
    by_node: BTreeMap<&'m str, Vec<usize>>,
}

impl<'c, 'm> Calls<'c, 'm> {
    pub(super) fn new(all: &'c [Call<'m>]) -> Self {
        let mut by_node: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, call) in all.iter().enumerate() {
            by_node.entry(call.node).or_default().push(at);
        }
        Calls { all, by_node }
    }

    /// The calls of one node, each with its place among all.
    pub(super) fn of(&self, node: &str) -> impl Iterator<Item = (usize, &'c Call<'m>)> {
        let all = self.all;
        let own = self.by_node.get(node).map_or(&[][..], Vec::as_slice);
        own.iter().map(move |at| (*at, &all[*at]))
    }
}

/// Which steps of each workflow come before which.
pub(super) struct Orders {
    before: Vec<Reach>,
}

impl Orders {
    pub(super) fn precedes(&self, one: &Call<'_>, other: &Call<'_>) -> bool {
        let Some((one, other)) = one.way.iter().zip(&other.way).find(|(one, other)| one != other)
        else {
            return false;
        };
        let is_earlier = one.step == other.step && one.activity < other.activity;
        is_earlier || self.before[one.workflow].leads(one.step, other.step)
    }
}

/// Calls of the standard interface, and `deploy` for a node that is left to the orchestrator.
pub(super) fn calls<'m>(service: &'m Service, workflow: &'m Workflow) -> (Vec<Call<'m>>, Orders) {
    let nodes = service.nodes.iter().map(|(name, node)| (name.text.as_str(), node)).collect();
    let mut collecting = Collecting {
        service,
        nodes,
        orders: Orders { before: Vec::new() },
        known: BTreeMap::new(),
        calls: Vec::new(),
        left: MOST,
    };
    collecting.workflow(workflow, &[], true, None);
    let Collecting { mut calls, orders, left, .. } = collecting;
    if left == 0 {
        calls.retain(|call| call.way.len() == 1);
    }
    (calls, orders)
}

struct Collecting<'m> {
    service: &'m Service,
    /// The node templates by their names: groups name many of them in every step.
    nodes: BTreeMap<&'m str, &'m NodeTemplate>,
    orders: Orders,
    /// Where the order of a workflow is, by its place in the text.
    known: BTreeMap<Span, usize>,
    calls: Vec<Call<'m>>,
    /// How many workflows may still be looked into.
    left: usize,
}

impl<'m> Collecting<'m> {
    fn workflow(
        &mut self,
        workflow: &'m Workflow,
        above: &[Spot],
        is_usual: bool,
        inline: Option<&'m Name>,
    ) {
        let orders = &mut self.orders.before;
        let number = *self.known.entry(workflow.span).or_insert_with(|| {
            orders.push(reachable(workflow));
            orders.len() - 1
        });
        // A workflow that runs itself is reported as such.
        if above.iter().any(|spot| spot.workflow == number) {
            return;
        }
        self.left = if above.len() > DEEPEST { 0 } else { self.left.saturating_sub(1) };
        if self.left == 0 {
            return;
        }
        let taken = taken(workflow);
        for (at, (name, step)) in workflow.steps.iter().enumerate() {
            let is_usual = is_usual && taken.contains(name.text.as_str());
            for (index, activity) in step.activities.iter().enumerate() {
                let mut way = above.to_vec();
                way.push(Spot { workflow: number, step: at, activity: index });
                let named = inline.unwrap_or(&activity.subject);
                if activity.kind == ActivityKind::Inline {
                    if let Some(inner) = self.service.workflows.get(&activity.subject.text) {
                        self.workflow(inner, &way, is_usual, Some(named));
                    }
                } else if let Some(operation) = operation(activity) {
                    for (node, template) in self.targets(step) {
                        let way = way.clone();
                        let at = named;
                        self.calls.push(Call { way, is_usual, node, template, operation, at });
                    }
                }
            }
        }
    }

    /// The node templates that a step is for: one, or the members of a group.
    fn targets(&self, step: &'m Step) -> BTreeMap<&'m str, &'m NodeTemplate> {
        let Some(target) = &step.target else { return BTreeMap::new() };
        let members = self.service.groups.get(&target.text).map(|group| &group.members[..]);
        let names = members.unwrap_or(std::slice::from_ref(target)).iter();
        let node = |name: &'m Name| Some((&*name.text, *self.nodes.get(&*name.text)?));
        names.filter_map(node).collect()
    }
}

fn operation(activity: &Activity) -> Option<&str> {
    let subject = activity.subject.text.as_str();
    match activity.kind {
        ActivityKind::CallOperation => match subject.rsplit_once('.') {
            Some((interface, operation)) if interface.ends_with("Standard") => Some(operation),
            _ => None,
        },
        ActivityKind::Delegate => ["deploy", "install"].contains(&subject).then_some("deploy"),
        ActivityKind::SetState | ActivityKind::Inline => None,
    }
}

/// Which steps come before which.
fn reachable(workflow: &Workflow) -> Reach {
    let places: BTreeMap<&str, usize> =
        workflow.steps.names().enumerate().map(|(at, name)| (name, at)).collect();
    let next: Vec<Vec<usize>> = workflow
        .steps
        .iter()
        .map(|(_, step)| {
            let names = step.on_success.iter().chain(&step.on_failure);
            names.filter_map(|name| places.get(name.text.as_str()).copied()).collect()
        })
        .collect();
    Reach::of(&next)
}

//! The application Thinking with any number of stacks, running, and the plan that restarts it.

use windlass::application::{Application, GlobalState, Instance, InstanceId};
use windlass::lang;
use windlass::lifecycle::protocol::Element;
use windlass::plan::{Order, Plan, PlanAction, Step};
use windlass::source::{Origin, Sources};

/// The example of the repository.
const THINKING: &str = include_str!("../../../examples/thinking/windlass.yaml");

/// An application, where it starts, and a plan.
pub(crate) struct Restart {
    pub(crate) application: Application,
    pub(crate) start: GlobalState,
    pub(crate) plan: Plan,
}

/// The restart of `stacks` stacks; none when the example has changed.
pub(crate) fn restart(stacks: usize) -> Option<Restart> {
    let mut sources = Sources::new();
    let root = sources.add("examples/thinking/windlass.yaml", THINKING.to_owned());
    let application = lang::read(None, root, &sources).application?;
    let start = running(&application, stacks)?;
    Some(Restart { application, start, plan: plan(stacks) })
}

pub(crate) fn running(application: &Application, stacks: usize) -> Option<GlobalState> {
    let mut start = GlobalState::empty();
    let mut put = |id: String, node: &str, state: &str, container: Option<String>| {
        let node = application.node_named(node)?;
        let component = application.type_of(node);
        let state = component.protocol()?.state_named(state)?;
        let id = InstanceId(id);
        start.instances.insert(id.clone(), Instance { node, element: Element::State(state) });
        if let Some(container) = container {
            let containment = component.containment()?;
            start.vertical.insert(id, (containment, InstanceId(container)));
        }
        Some(())
    };
    put("d1".into(), "mongo", "running", None)?;
    put("n1".into(), "node", "running", None)?;
    put("g1".into(), "gui", "working", Some("n1".into()))?;
    for stack in 1..=stacks {
        put(format!("m{stack}"), "maven", "running", None)?;
        put(format!("a{stack}"), "api", "running", Some(format!("m{stack}")))?;
    }
    let mut bind = |id: String, node: &str, requirement: &str, target: &str| {
        let component = application.type_of(application.node_named(node)?);
        let requirement = component.requirement_named(requirement)?;
        start.horizontal.insert((InstanceId(id), requirement, target.into()));
        Some(())
    };
    bind("g1".into(), "gui", "backend", "a1")?;
    for stack in 1..=stacks {
        bind(format!("a{stack}"), "api", "data", "d1")?;
    }
    Some(start)
}

/// Steps in the order in which they are added.
#[derive(Default)]
struct Draft(Plan);

impl Draft {
    /// Adds a step after `before`, if given; returns its place.
    fn add(&mut self, action: PlanAction, before: Option<usize>) -> usize {
        let after = self.0.steps.len();
        self.0.steps.push(Step { label: format!("s{after}"), action, origin: Origin(None) });
        if let Some(before) = before {
            self.order(before, after);
        }
        after
    }

    fn order(&mut self, before: usize, after: usize) {
        self.0.order.push(Order { before, after, why: None, origin: Origin(None) });
    }

    /// Replaces a container by a new one with something new inside; returns the last step.
    fn replace(&mut self, old: &str, new: (&str, &str), inner: (&str, &str)) -> usize {
        let id = |text: &str| InstanceId(text.to_owned());
        let gone = self.add(PlanAction::ScaleIn { instance: id(old) }, None);
        let holder =
            PlanAction::ScaleOut { node: new.0.to_owned(), instance: id(new.1), container: None };
        let holder = self.add(holder, Some(gone));
        let inside = PlanAction::ScaleOut {
            node: inner.0.to_owned(),
            instance: id(inner.1),
            container: Some(id(new.1)),
        };
        let inside = self.add(inside, Some(holder));
        let started = self.operation(new.1, "start", inside);
        self.operation(inner.1, "install", started)
    }

    fn operation(&mut self, instance: &str, operation: &str, before: usize) -> usize {
        let action = PlanAction::Operation {
            instance: InstanceId(instance.to_owned()),
            operation: operation.to_owned(),
        };
        self.add(action, Some(before))
    }
}

fn plan(stacks: usize) -> Plan {
    let mut draft = Draft::default();
    let installed = draft.replace("n1", ("node", "n2"), ("gui", "g2"));
    let configured = draft.operation("g2", "config", installed);
    draft.operation("g2", "start", configured);
    for stack in 1..=stacks {
        let (old, new) = (format!("m{stack}"), format!("m{}", stacks + stack));
        let service = format!("a{}", stacks + stack);
        let installed = draft.replace(&old, ("maven", &new), ("api", &service));
        let started = draft.operation(&service, "start", installed);
        draft.order(started, configured);
    }
    draft.0
}

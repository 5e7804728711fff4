//! A service template as an application: each node template is a node with a life of its own, each
//! resolved requirement a binding.
//!
//! Paper 000 section 5.1 has nodes and relationships as locations (`locations`); here they get the
//! behavior that the weaving rules give them, or that a protocol in the file does.

mod hosts;
mod life;
pub(crate) mod links;
pub(crate) mod operation_sequences;
mod pairs;

use std::collections::BTreeMap;

use super::command::{self, Inputs, ReturnedAttributes};
use super::model::{Model, NodeTemplate, Service, Types};
use super::protocol;
use super::weaving::{Kind, Leaving, Level, Phase, SIMPLE_1_3, Weaving};
use crate::application::{
    Application, Binding, Deployment, Faults, Node, NodeId, Policy, TypeId, WantedInstance,
};
use crate::fnv::fnv1a_32;
use crate::goal::{Amount, Goal, GoalFile, Want};
use crate::lifecycle::protocol::{Arity, Capability, Requirement, RequirementId, Sort};
use crate::source::Origin;
use life::{Draft, Stage};
use links::{Link, Links, links};
use pairs::Pairs;

/// A name that every format accepts: without the characters that goals use. Names that differ only
/// in such characters stay apart by a number made of the whole name.
pub(crate) fn name_of(text: &str) -> String {
    let plain = plain(text);
    if plain == text { plain } else { format!("{plain}-{:08x}", fnv1a_32(text.bytes())) }
}

/// The same for labels, which get numbers where they meet.
pub(crate) fn plain(text: &str) -> String {
    let good = |c: char| if c.is_ascii_alphanumeric() || "-_.:/".contains(c) { c } else { '_' };
    text.chars().map(good).collect()
}

/// The application of a service and that all of it is up; none without a service template.
pub(crate) fn lower(model: &Model, name: &str) -> Option<(Application, GoalFile)> {
    let service = model.service.as_ref()?;
    Some(lower_with(model, service, name, chosen(service)))
}

/// The rule set that the service chooses by a policy; else the default.
pub(crate) fn chosen(service: &Service) -> &'static Weaving {
    let policies = service.policies.iter().map(|(_, policy)| policy);
    let mut chosen = policies
        .filter(|policy| policy.of.name.text.ends_with("windlass.policies.Weaving"))
        .filter_map(|policy| Weaving::named(policy.properties.get("rules")?.text()?));
    chosen.next().unwrap_or(&SIMPLE_1_3)
}

/// The application of a service under a rule set.
pub(crate) fn lower_with(
    model: &Model,
    service: &Service,
    name: &str,
    weaving: &Weaving,
) -> (Application, GoalFile) {
    let links = links(model, service);
    let given = ReturnedAttributes::new();
    let pairs = pairs_of(&Inputs { model, service, links: &links, given: &given });
    Lowering { model, service, weaving, links, given, pairs }.application(name)
}

/// The nodes of the application that templates have become which are several, by the names of the
/// templates.
pub(crate) fn parts(model: &Model) -> BTreeMap<String, Vec<String>> {
    let Some(service) = &model.service else { return BTreeMap::new() };
    let (links, given) = (links(model, service), ReturnedAttributes::new());
    let inputs = Inputs { model, service, links: &links, given: &given };
    let pairs = pairs_of(&inputs);
    let names = |at: usize| pairs.names(&inputs, at).into_iter().map(|(name, _)| name).collect();
    let all = service.nodes.iter().enumerate().filter(|(at, _)| pairs.is_apart(*at));
    all.map(|(at, (name, _))| (name_of(&name.text), names(at))).collect()
}

/// A protocol says what one node of a template needs.
fn pairs_of(inputs: &Inputs<'_, '_>) -> Pairs {
    let has_protocols = protocol::is_used(inputs.model, inputs.service);
    if has_protocols { Pairs::none(inputs) } else { Pairs::of(inputs) }
}

struct Lowering<'m> {
    model: &'m Model,
    service: &'m Service,
    weaving: &'m Weaving,
    links: Links<'m>,
    given: ReturnedAttributes,
    pairs: Pairs,
}

/// The nodes of an application that each node template has become.
type Parts = Vec<std::ops::Range<usize>>;

/// What a capability is called when it is there as soon as its node is created.
fn capability_name(link: &Link<'_>, weaving: &Weaving) -> String {
    match weaving.need(link.kind).target {
        Level::Started => name_of(&link.capability),
        Level::Created => format!("{}:created", name_of(&link.capability)),
    }
}

impl<'m> Lowering<'m> {
    /// What values are evaluated in.
    fn inputs(&self) -> Inputs<'_, 'm> {
        let Lowering { model, service, links, given, .. } = self;
        Inputs { model, service, links, given }
    }

    fn application(&self, name: &str) -> (Application, GoalFile) {
        let has_protocols = protocol::is_used(self.model, self.service);
        let mut application = Application {
            name: name_of(name),
            faults: if has_protocols { Faults::Forbidden } else { Faults::Replicas },
            policy: Policy::default(),
            types: Vec::new(),
            nodes: Vec::new(),
            deployment: Deployment::default(),
            origin: Origin(self.service.span),
            names: crate::application::NodeNames::default(),
        };
        let mut wants = Vec::new();
        let mut parts = Parts::new();
        for (at, (name, template)) in self.service.nodes.iter().enumerate() {
            let draft = self.draft(at, template, !has_protocols);
            let mut component = life::component(draft);
            if let Some(policy) = protocol::policy_of(self.model, self.service, &name.text) {
                protocol::apply(policy, &mut component);
            }
            let goal = protocol::last_state(&component);
            let component_type = TypeId::from(application.types.len());
            application.types.push(component);
            let first = application.nodes.len();
            for (own, count) in self.pairs.names(&self.inputs(), at) {
                let node = NodeId::from(application.nodes.len());
                if self.pairs.is_apart(at) {
                    application.deployment.part_of.insert(node, name_of(&name.text));
                }
                wants.extend(goal.map(|state| Want::Node { node, state, amount: Amount::Wanted }));
                application.nodes.push(Node {
                    name: own,
                    component_type,
                    count,
                    instances: Vec::new(),
                    bindings: Vec::new(),
                    connections: Vec::new(),
                    origin: name.span.into(),
                });
            }
            parts.push(first..application.nodes.len());
        }
        self.hosts(&mut application, &parts);
        self.bind(&mut application, &parts);
        Self::name_instances(&mut application);
        (application, GoalFile { goal: Goal { wants }, ..GoalFile::default() })
    }

    /// Binds each requirement to the capability of its target.
    fn bind(&self, application: &mut Application, parts: &Parts) {
        for source in 0..self.service.nodes.len() {
            let mut place = 0;
            for link in self.links.of(source) {
                for (number, at) in parts[source].clone().enumerate() {
                    for (nth, target) in self.pairs.needs(link, number).enumerate() {
                        let target = NodeId::from(parts[link.target].start + target);
                        self.bind_one(application, link, at, place + nth, target);
                    }
                }
                place += self.pairs.needs(link, 0).len();
            }
        }
    }

    /// Binds a requirement of one node. Those of a life stand in the order of its relationships,
    /// unless a protocol says which there are.
    fn bind_one(
        &self,
        application: &mut Application,
        link: &Link<'_>,
        source: usize,
        place: usize,
        target: NodeId,
    ) {
        let component = application.type_of(NodeId::from(source));
        let in_place = component.requirements.get(place);
        let is_own = |name: &str| {
            let rest = name.strip_prefix(&link.name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
        };
        let in_place = in_place.filter(|requirement| is_own(&requirement.name));
        let requirement = match in_place {
            Some(_) => Some(RequirementId::from(place)),
            None => component.requirement_named(&link.name),
        };
        let capability = capability_name(link, self.weaving);
        let capability = application.type_of(target).capability_named(&capability);
        if let (Some(requirement), Some(capability)) = (requirement, capability) {
            let origin = link.span.into();
            let binding = Binding { requirement, target, capability, origin };
            application.nodes[source].bindings.push(binding);
        }
    }

    /// A node with one instance gives it its own name, unless it is in one of several instances:
    /// then it is unknown in which, and what is in it.
    fn name_instances(application: &mut Application) {
        if application.faults != Faults::Replicas {
            return;
        }
        let single = single(application);
        for node in application.node_ids().collect::<Vec<_>>() {
            if single[node.index()] {
                let host = container(application, node);
                let container = host.map(|host| application.node(host).name.clone());
                let node = &mut application.nodes[node.index()];
                let (id, origin) = (node.name.clone(), node.origin);
                node.instances = vec![WantedInstance { id, container, origin }];
            }
        }
    }

    fn draft(&self, at: usize, template: &'m NodeTemplate, handled: bool) -> Draft {
        let (inputs, outgoing) = (self.inputs(), self.links.of(at));
        let hosts = outgoing.iter().filter(|link| link.kind == Kind::Hosted).count();
        let requirements = |link: &'_ Link<'m>| {
            // Neither a requirement nor a container names one instance of a node: whichever is
            // meant, it is among all.
            let is_one_of = self.pairs.is_open(&inputs, link);
            let arity = if is_one_of { Arity::All } else { Arity::Any };
            let can_contain = hosts == 1 && self.pairs.can_contain(&inputs, link);
            let contains = link.kind == Kind::Hosted && can_contain;
            let sort = if contains { Sort::Containment } else { Sort::ReplicaUnaware };
            let needed = self.pairs.needs(link, 0);
            let (is_several, from) = (needed.len() > 1, self.weaving.need(link.kind).from);
            let origin = link.span.into();
            let requirement = |number: usize| {
                let name = if is_several {
                    format!("{}:{}", link.name, number + 1)
                } else {
                    link.name.clone()
                };
                (Requirement { name, sort, arity, origin }, from)
            };
            needed.map(requirement).collect::<Vec<_>>()
        };
        let (up, stop, delete, beside) = self.stages(at, template);
        Draft {
            name: self.type_name(at, template),
            initial: if protocol::is_tosker(self.model, template) { "deleted" } else { "initial" },
            up,
            stop,
            delete,
            beside,
            requirements: outgoing.iter().flat_map(requirements).collect(),
            capabilities: self.capabilities(at, template),
            handled,
            origin: template.span.into(),
        }
    }

    fn type_name(&self, at: usize, template: &NodeTemplate) -> String {
        let name = self.service.nodes.at(at).map_or("", |(name, _)| &*name.text);
        format!("{}:{}", name_of(&template.of.name.text), name_of(name))
    }

    /// Capabilities of the type, and those that a relationship uses, by how early they are there.
    fn capabilities(&self, at: usize, template: &NodeTemplate) -> Vec<(Capability, bool)> {
        let origin: Origin = template.span.into();
        let mut all: BTreeMap<String, bool> = BTreeMap::new();
        let chain = template.of.id.into_iter().flat_map(|id| self.model.types.chain(id));
        for (_, of) in chain {
            all.extend(of.capabilities.names().map(|name| (name_of(name), false)));
        }
        for link in self.links.to(at) {
            let early = self.weaving.need(link.kind).target == Level::Created;
            all.insert(capability_name(link, self.weaving), early);
        }
        let capability = |(name, early): (String, bool)| (Capability { name, origin }, early);
        all.into_iter().map(capability).collect()
    }

    /// The ways up and down, and what can be done beside them.
    fn stages(
        &self,
        at: usize,
        template: &'m NodeTemplate,
    ) -> (Vec<Stage>, Vec<Stage>, Option<Stage>, Vec<Stage>) {
        if template.directives.iter().any(|directive| directive.text != "create") {
            return delegated();
        }
        let phases = protocol::phases(self.model, template);
        let standard = |operation: &str, to: &str, phase: Phase| Stage {
            operation: format!("Standard.{operation}"),
            run: self.run(at, template, "Standard", operation),
            to: to.to_owned(),
            phase,
        };
        let mut up = Vec::new();
        for phase in phases {
            match phase {
                Phase::Create => up.push(standard("create", "created", Phase::Create)),
                Phase::Configure => {
                    let before = self.around(at, "pre_configure");
                    up.extend(numbered(before, "prepared", "prepared", Phase::Configure));
                    let after = self.around(at, "post_configure");
                    let direct = if after.is_empty() { "configured" } else { "adapted" };
                    up.push(standard("configure", direct, Phase::Configure));
                    up.extend(numbered(after, "settled", "configured", Phase::Configure));
                }
                Phase::Start => {
                    let joining = if self.weaving.joining { self.joining(at) } else { vec![] };
                    let direct = if joining.is_empty() { "started" } else { "running" };
                    up.push(standard("start", direct, Phase::Start));
                    up.extend(numbered(joining, "joining", "started", Phase::Start));
                }
            }
        }
        let before_start = up.iter().rev().find(|stage| stage.phase < Phase::Start);
        let rest = before_start.map_or("initial", |stage| &*stage.to).to_owned();
        let mut stop = Vec::new();
        if phases.contains(&Phase::Start) {
            let leaving = self.leaving(at);
            let late = self.weaving.leaving == Leaving::AfterStop && !leaving.is_empty();
            if late {
                stop.push(standard("stop", "stopped", Phase::Start));
                stop.extend(numbered(leaving, "leaving", &rest, Phase::Start));
            } else {
                stop.extend(numbered(leaving, "leaving", "left", Phase::Start));
                stop.push(standard("stop", &rest, Phase::Start));
            }
        }
        let delete = Some(standard("delete", "initial", Phase::Create));
        (up, stop, delete, self.beside(at, template))
    }

    fn run(
        &self,
        at: usize,
        template: &'m NodeTemplate,
        interface: &str,
        operation: &str,
    ) -> Option<command::Run> {
        let inputs = self.inputs();
        command::of_node(&inputs, at, template, interface, operation)
    }

    /// Operations of relationships around `configure`, at this end of each.
    fn around(&self, at: usize, word: &str) -> Vec<Stage> {
        let source = format!("{word}_source");
        let mut sources = self.configure(self.links.of(at), &source, at, |link| &*link.name);
        let from = |link: &Link<'_>| {
            let name = self.service.nodes.at(link.source).map_or("", |(name, _)| &*name.text);
            format!("{}/{}", name_of(name), link.name)
        };
        let mut targets = self.configure(self.links.to(at), &format!("{word}_target"), at, from);
        let (first, second) = if self.weaving.targets_first {
            (&mut targets, &mut sources)
        } else {
            (&mut sources, &mut targets)
        };
        first.append(second);
        std::mem::take(first)
    }

    fn joining(&self, at: usize) -> Vec<Stage> {
        let outgoing = self.links.of(at);
        let mut all = self.configure(outgoing, "add_target", at, |link| &*link.name);
        all.extend(self.configure(outgoing, "add_source", at, |link| &*link.name));
        all
    }

    fn leaving(&self, at: usize) -> Vec<Stage> {
        let outgoing = self.links.of(at);
        if self.weaving.leaving == Leaving::Never {
            return Vec::new();
        }
        let mut all = self.configure(outgoing, "remove_target", at, |link| &*link.name);
        all.extend(self.configure(outgoing, "remove_source", at, |link| &*link.name));
        all
    }

    /// One operation of relationships, where something carries it out.
    fn configure<'l, N: ToString>(
        &self,
        links: impl IntoIterator<Item = &'l Link<'m>>,
        operation: &str,
        at: usize,
        name: impl Fn(&'l Link<'m>) -> N,
    ) -> Vec<Stage>
    where
        'm: 'l,
    {
        let inputs = self.inputs();
        let stage = |link: &'l Link<'m>| {
            let run = command::of_link(&inputs, link, operation, at)?;
            let operation = format!("Configure.{operation}:{}", name(link).to_string());
            Some(Stage { operation, run: Some(run), to: String::new(), phase: Phase::Start })
        };
        links.into_iter().filter_map(stage).collect()
    }

    /// Operations of other interfaces, where something carries them out.
    fn beside(&self, at: usize, template: &'m NodeTemplate) -> Vec<Stage> {
        let mut beside = Vec::new();
        for (interface, operation) in command::others(&self.model.types, template) {
            let run = self.run(at, template, &interface, &operation);
            let operation = format!("{}.{}", name_of(&interface), name_of(&operation));
            let phase = Phase::Start;
            if run.is_some() {
                beside.push(Stage { operation, run, to: String::new(), phase });
            }
        }
        beside
    }
}

/// Stages in a row: the last one leads to a state of its own name.
fn numbered(mut stages: Vec<Stage>, word: &str, last: &str, phase: Phase) -> Vec<Stage> {
    let count = stages.len();
    for (at, stage) in stages.iter_mut().enumerate() {
        stage.phase = phase;
        stage.to = if at + 1 == count { last.to_owned() } else { format!("{word}_{}", at + 1) };
    }
    stages
}

/// A node that the orchestrator brings itself: nothing is seen of how it comes up.
fn delegated() -> (Vec<Stage>, Vec<Stage>, Option<Stage>, Vec<Stage>) {
    let stage = |operation: &str, to: &str| Stage {
        operation: operation.to_owned(),
        run: None,
        to: to.to_owned(),
        phase: Phase::Start,
    };
    let up = vec![stage("provide", "started")];
    (up, vec![stage("release", "initial")], None, Vec::new())
}

/// Whether a type or one that it derives from is called so.
pub(crate) fn is_a(types: &Types, template: &NodeTemplate, name: &str) -> bool {
    template.of.id.is_some_and(|id| types.derives_from_name(id, name))
}

/// What a node is in.
fn container(application: &Application, node: NodeId) -> Option<NodeId> {
    let host = application.type_of(node).containment()?;
    application.node(node).binding(host).map(|binding| binding.target)
}

/// Whether a node, what it is in, what that is in, and so on have one instance each.
fn single(application: &Application) -> Vec<bool> {
    let mut known: Vec<Option<bool>> = vec![None; application.nodes.len()];
    for node in application.node_ids() {
        let (mut path, mut at) = (Vec::new(), Some(node));
        while let Some(next) = at.filter(|it| known[it.index()].is_none()) {
            // A cycle of containers ends here; it is reported elsewhere.
            known[next.index()] = Some(application.node(next).count == 1);
            path.push(next);
            at = container(application, next);
        }
        let mut is_single = at.and_then(|it| known[it.index()]).unwrap_or(true);
        for node in path.into_iter().rev() {
            is_single &= application.node(node).count == 1;
            known[node.index()] = Some(is_single);
        }
    }
    known.into_iter().map(Option::unwrap_or_default).collect()
}

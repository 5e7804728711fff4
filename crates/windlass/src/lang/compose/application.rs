//! From a project to an application: life cycles of images, networks, volumes and services.
//!
//! A service has one component type of its own. `create` needs the image and every network,
//! volume, secret and config; `start` needs what the service waits for, of every container of the
//! other service. An edge with `restart: true` is needed for as long as the service runs. What may
//! be missing (`required: false`) blocks nothing and so is no requirement.

mod parts;

use std::collections::{BTreeMap, BTreeSet};

use super::project::{Condition, Health, MountKind, Project, Restart, Service};
use crate::application::{
    Application, Binding, ComponentType, Deployment, Faults, Node, NodeId, Policy, TypeId,
};
use crate::goal::{Amount, Goal, GoalFile, Want};
use crate::lifecycle::protocol::{CapabilityId, RequirementId};
use crate::source::{Origin, Span};
pub(super) use parts::name_of;
use parts::{Wanted, When};

/// The application of a project, and that all of it is up.
///
/// Paper: 000 6.2 (Composition)
///
/// Deviation: the paper draws services, networks, volumes and secrets as locations and has no
/// behavior; here configs and images are locations too, and each has a life cycle.
pub fn lower(project: &Project) -> (Application, GoalFile) {
    let mut lowering = Lowering::new(project);
    lowering.add_resources();
    lowering.add_images();
    lowering.add_services();
    let Lowering { types, nodes, wants, .. } = lowering;
    let application = Application {
        name: project.name.clone(),
        faults: Faults::Replicas,
        policy: Policy::Any,
        types,
        nodes,
        deployment: Deployment::default(),
        origin: Origin(project.origin),
        names: crate::application::NodeNames::default(),
    };
    (application, GoalFile { goal: Goal { wants }, ..GoalFile::default() })
}

struct Lowering<'p> {
    project: &'p Project,
    types: Vec<ComponentType>,
    nodes: Vec<Node>,
    wants: Vec<Want>,
    /// Names that are taken, of types and of nodes.
    taken: BTreeSet<String>,
    /// The nodes of networks, volumes, secrets and configs, by `section.key`.
    resources: BTreeMap<String, NodeId>,
    /// The nodes of images, by reference or by service.
    images: BTreeMap<String, NodeId>,
    /// The nodes of services.
    services: BTreeMap<String, NodeId>,
    /// The type of each kind of resource.
    kinds: BTreeMap<(&'static str, bool), TypeId>,
    /// What other services wait for, by service.
    awaited: BTreeMap<&'p str, BTreeSet<Condition>>,
}

impl<'p> Lowering<'p> {
    fn new(project: &'p Project) -> Self {
        let mut awaited: BTreeMap<&str, BTreeSet<Condition>> = BTreeMap::new();
        for service in project.services.values() {
            // Only what another service needs has to be reached.
            for (other, dependency) in service.depends_on.iter().filter(|(_, it)| it.required) {
                awaited.entry(other).or_default().insert(dependency.condition);
            }
        }
        // Services keep their names; everything else makes way.
        let taken = project.services.keys().map(|name| name_of(name)).collect();
        Lowering {
            project,
            types: Vec::new(),
            nodes: Vec::new(),
            wants: Vec::new(),
            taken,
            resources: BTreeMap::new(),
            images: BTreeMap::new(),
            services: BTreeMap::new(),
            kinds: BTreeMap::new(),
            awaited,
        }
    }

    /// A name that nothing has yet.
    fn fresh(&mut self, wish: &str) -> String {
        let mut name = name_of(wish);
        while !self.taken.insert(name.clone()) {
            name.push('_');
        }
        name
    }

    /// The type of a kind of resource.
    fn kind(&mut self, kind: &'static str, external: bool) -> TypeId {
        if let Some(known) = self.kinds.get(&(kind, external)) {
            return *known;
        }
        let wish = if external { format!("external_{kind}") } else { kind.to_owned() };
        let name = self.fresh(&wish);
        let id = TypeId::from(self.types.len());
        self.types.push(parts::resource_type(
            name,
            external,
            if kind == "image" { "pull" } else { "create" },
        ));
        self.kinds.insert((kind, external), id);
        id
    }

    fn add_node(&mut self, name: String, component_type: TypeId, count: u32, at: Span) -> NodeId {
        let id = NodeId::from(self.nodes.len());
        self.nodes.push(Node {
            name,
            component_type,
            count,
            instances: Vec::new(),
            bindings: Vec::new(),
            connections: Vec::new(),
            origin: at.into(),
        });
        id
    }

    fn want(&mut self, node: NodeId, state: &str) {
        let lowered = &self.nodes[node.index()];
        let protocol = self.types[lowered.component_type.index()].protocol();
        let state = protocol.and_then(|protocol| protocol.state_named(state));
        if let Some(state) = state.filter(|_| lowered.count > 0) {
            self.wants.push(Want::Node { node, state, amount: Amount::Wanted });
        }
    }

    fn add_resource(&mut self, kind: &'static str, key: &str, external: bool, at: Span) {
        let component_type = self.kind(kind, external);
        let name = self.fresh(&format!("{kind}_{key}"));
        let node = self.add_node(name, component_type, 1, at);
        self.want(node, "present");
        self.resources.insert(format!("{kind}s.{key}"), node);
    }

    fn add_resources(&mut self) {
        let project = self.project;
        for (key, network) in &project.networks {
            self.add_resource("network", key, network.resource.external, network.resource.span);
        }
        for (kind, resources) in [
            ("volume", &project.volumes),
            ("secret", &project.secrets),
            ("config", &project.configs),
        ] {
            for (key, resource) in resources {
                self.add_resource(kind, key, resource.external, resource.span);
            }
        }
    }

    fn add_images(&mut self) {
        for service in self.project.services.values() {
            let (key, at) = match (&service.image, service.build) {
                (_, Some(build)) => (format!("build_{}", service.name), build),
                (Some(image), None) => (image.text.clone(), image.span),
                (None, None) => continue,
            };
            if self.images.contains_key(&key) {
                continue;
            }
            let component_type = self.kind("image", false);
            let name = self.fresh(&format!("image_{key}"));
            let node = self.add_node(name, component_type, 1, at);
            self.want(node, "present");
            self.images.insert(key, node);
        }
    }

    fn add_services(&mut self) {
        let first = self.nodes.len();
        for (at, name) in self.project.services.keys().enumerate() {
            self.services.insert(name.clone(), NodeId::from(first + at));
        }
        for service in self.project.services.values() {
            self.add_service(service);
        }
    }

    /// What a service offers: that it was started, and what others wait for.
    fn offered(&self, service: &str) -> Vec<Condition> {
        let mut offered = self.awaited.get(service).cloned().unwrap_or_default();
        offered.insert(Condition::Started);
        offered.into_iter().collect()
    }

    fn add_service(&mut self, service: &'p Service) {
        let needs = self.needs(service);
        let awaited = self.awaited.get(service.name.as_str());
        let waits_for = |condition| awaited.is_some_and(|all| all.contains(&condition));
        let is_job = waits_for(Condition::Completed);
        let may_end = !matches!(service.restart, Restart::Always | Restart::UnlessStopped);
        let wanted = if is_job && may_end {
            Wanted::Completed
        } else if waits_for(Condition::Healthy) && matches!(service.health, Health::Checked(_)) {
            Wanted::Healthy
        } else {
            Wanted::Running
        };
        let name = name_of(&service.name);
        let offered = self.offered(&service.name);
        let lowered = parts::service_type(name.clone(), service, &needs, wanted, &offered);
        let component_type = TypeId::from(self.types.len());
        self.types.push(lowered);
        let node = self.add_node(name, component_type, service.replicas, service.span);
        let bindings = needs.iter().enumerate().map(|(at, need)| Binding {
            requirement: RequirementId::from(at),
            target: need.target,
            capability: CapabilityId::from(need.capability),
            origin: need.at.into(),
        });
        self.nodes[node.index()].bindings = bindings.collect();
        self.want(node, wanted.state());
    }

    /// Everything that a service needs, in the order of its requirements.
    fn needs(&self, service: &Service) -> Vec<parts::Need> {
        let mut needs = Vec::new();
        let mut names = BTreeSet::new();
        let mut add = |wish: &str, target: Option<NodeId>, at: Span, when: When| {
            let Some(target) = target else { return };
            let mut name = name_of(wish);
            while !names.insert(name.clone()) {
                name.push('_');
            }
            let capability = match when {
                When::Create => 0,
                // A service is needed under its own name.
                When::Start(condition, _) => {
                    self.offered(wish).iter().position(|offered| *offered == condition).unwrap_or(0)
                }
            };
            needs.push(parts::Need { name, target, capability, at, when });
        };
        let create = When::Create;
        let image = match (&service.image, service.build) {
            (_, Some(_)) => self.images.get(&format!("build_{}", service.name)),
            (Some(image), None) => self.images.get(&image.text),
            (None, None) => None,
        };
        add("image", image.copied(), service.span, create);
        for (key, attachment) in &service.networks {
            let node = self.resources.get(&format!("networks.{key}"));
            add(&format!("network_{key}"), node.copied(), attachment.span, create);
        }
        let volumes = service.mounts.iter().filter(|mount| mount.kind == MountKind::Volume);
        for (key, at) in volumes.filter_map(|mount| Some((mount.source.as_ref()?, mount.span))) {
            let node = self.resources.get(&format!("volumes.{key}"));
            add(&format!("volume_{key}"), node.copied(), at, create);
        }
        for (kind, grants) in [("secret", &service.secrets), ("config", &service.configs)] {
            for grant in grants {
                let node = self.resources.get(&format!("{kind}s.{}", grant.source));
                add(&format!("{kind}_{}", grant.source), node.copied(), grant.span, create);
            }
        }
        for (other, dependency) in &service.depends_on {
            let node = self.services.get(other).filter(|_| dependency.required);
            let when = When::Start(dependency.condition, dependency.restart);
            add(other, node.copied(), dependency.condition_span, when);
        }
        needs
    }
}

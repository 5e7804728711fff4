//! A Compose project that is about to come up: what it asks of the Docker engine, and what of it is
//! there already.

use std::collections::BTreeMap;

use windlass::application::{Application, GlobalState};
use windlass::goal::{GoalFile, Want};
use windlass::lang::compose as language;
use windlass::plan::{Plan, PlanAction};
use windlass::synthesize::graceful_removal::Arrange;

use super::LastRun;
use super::bring_up::StartState;
use super::containers::{self, engine, tell};
use super::error::{Error, HealthWait};
use super::operator::{Answer, Operator, Question};
use crate::compose::{self, Observed, ProjectContext, ProjectEvent};
use crate::deployment::Deployment;
use crate::entry::Purpose;
use crate::world::docker::requests::{Part, Requests, Service};

/// A project that is about to come up.
#[derive(Debug)]
pub struct Project {
    /// Its application, with containers.
    pub application: Application,
    /// That all of it is up.
    pub goal: GoalFile,
    pub(super) requests: Requests,
    /// What was taken over, and what differs.
    pub(super) adopted: Option<Vec<ProjectEvent>>,
    observed: Observed,
}

/// How a project comes up.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "six choices that are made independently")]
pub struct ProjectOptions {
    /// Take over what is there, and change nothing.
    pub adopt: bool,
    /// Make volumes again whose definition changed, without what is in them.
    pub renew_volumes: bool,
    /// Build images also when they are there.
    pub build: bool,
    /// Let only the engine check the health of containers.
    pub engine_checks: bool,
    /// Whether not all services come up.
    pub is_selection: bool,
    /// Only look.
    pub dry_run: bool,
    /// Hears the progress of pulls and builds.
    pub progress: fn(&ProjectEvent),
}

/// Refuses to bring a project up in the deployment of another one: its containers would be lost.
pub fn refuse_other(deployment: &Deployment, name: &str, project: &str) -> Result<(), Error> {
    let requests = containers::read(deployment)?.filter(|requests| requests.project != project);
    let Some(requests) = requests else { return Ok(()) };
    if LastRun::read(deployment)?.is_none_or(|last| is_gone(&last)) {
        return Ok(());
    }
    let (name, other, project) = (name.to_owned(), requests.project, project.to_owned());
    Err(Error::OtherProject { name, other, project })
}

/// Whether everything was taken down.
fn is_gone(last: &LastRun) -> bool {
    last.purpose == Purpose::Down && last.is_reached()
}

impl Project {
    /// Looks at the engine and at what stands beside the file.
    pub fn prepare(
        mut project: language::Project,
        context: &ProjectContext,
        options: &ProjectOptions,
        operator: &dyn Operator,
    ) -> Result<Self, Error> {
        learn_checks(&mut project, operator)?;
        let (mut application, mut goal) = language::lower(&project);
        compose::with_processes(&mut application, &project);
        let mut requests = compose::requests(&project, &application, context);
        let mut conflicts = compose::conflicts(&engine()?, &project, &requests)?;
        if !options.adopt {
            conflicts.extend(compose::held_ports(&engine()?, &requests)?);
        }
        if !conflicts.is_empty() {
            return Err(Error::Conflicts(conflicts));
        }
        requests.engine_checks = options.engine_checks;
        renew_volumes(options, &mut requests, operator)?;
        if !options.dry_run && !options.adopt {
            let (build, progress) = (options.build, options.progress);
            let refreshed = compose::refresh(&engine()?, &mut requests, build, progress);
            refreshed.map_err(Error::Images)?;
        }
        let observed = compose::observe(&engine()?, &application, &mut requests)?;
        for instance in &observed.surplus {
            goal.goal.wants.push(Want::InstanceGone(instance.clone()));
        }
        tell_observed(&observed, options, operator);
        let mut prepared = Project { application, goal, requests, adopted: None, observed };
        if options.adopt {
            prepared.adopted = Some(prepared.adopt()?);
        }
        Ok(prepared)
    }

    /// Where the run begins. What another program has started is named, the first time.
    pub(super) fn start(&self, operator: &dyn Operator, is_first: bool) -> StartState {
        if is_first {
            for name in &self.observed.kept {
                tell(operator, ProjectEvent::Adopted { name: name.clone() });
            }
        }
        StartState {
            state: self.observed.state.clone(),
            processes: self.observed.processes.clone(),
            is_first,
        }
    }

    /// Takes over what is there as it is, so that nothing has to be done; what was taken over, and
    /// what would be done about the rest.
    fn adopt(&mut self) -> Result<Vec<ProjectEvent>, Error> {
        let Observed { stale, networks, orphans, .. } = std::mem::take(&mut self.observed);
        self.requests.renew.clear();
        let (application, requests) = (&self.application, &mut self.requests);
        let nothing = GlobalState::empty();
        let observed = compose::observe_as_is(&engine()?, application, requests, &nothing)?;
        let has_container = |node: &str| {
            let node = self.application.node_named(node);
            node.is_some_and(|node| observed.state.of_node(node).next().is_some())
        };
        if !self.services().any(|(node, _)| has_container(node)) {
            return Err(Error::NothingToAdopt { project: self.requests.project.clone() });
        }
        let kept = observed.kept.iter().cloned();
        let mut events: Vec<ProjectEvent> =
            kept.map(|name| ProjectEvent::Adopted { name }).collect();
        let changed = stale.into_iter().chain(networks);
        events.extend(changed.map(|name| ProjectEvent::Differs { name }));
        let missing = self.missing(&observed).into_iter().map(str::to_owned);
        events.extend(missing.map(|service| ProjectEvent::Missing { service }));
        events.extend(orphans.into_iter().map(|name| ProjectEvent::Orphan { name }));
        // What is up by now is what a later run leads back to.
        let wants = &mut self.goal.goal.wants;
        wants.retain(|want| want.holds(&self.application, &observed.state));
        self.observed = observed;
        Ok(events)
    }

    /// The nodes that are services, with their requests.
    fn services(&self) -> impl Iterator<Item = (&String, &Service)> {
        self.requests.parts.iter().filter_map(|(node, part)| match part {
            Part::Service(service) => Some((node, &**service)),
            _ => None,
        })
    }

    /// Services that have fewer containers than the file asks for.
    fn missing(&self, observed: &Observed) -> Vec<&str> {
        let lacks = self.services().filter(|(node, service)| {
            let node = self.application.node_named(node);
            let there = node.map_or(0, |node| observed.state.of_node(node).count());
            there < service.replicas as usize
        });
        lacks.map(|(_, service)| service.name.as_str()).collect()
    }

    /// Lets containers be replaced in turn as the file asks for it, and lets services wait for what
    /// they do not need; how later plans are arranged.
    pub(super) fn order(&self, plan: &mut Plan) -> Arrange {
        let standing = self.observed.state.instances.iter();
        let mut nodes: BTreeMap<String, String> = standing
            .map(|(id, own)| (id.0.clone(), self.application.node(own.node).name.clone()))
            .collect();
        compose::rolling_update(&nodes, plan, |node| {
            self.requests.service(node).map_or(1, |service| service.update.parallelism as usize)
        });
        for step in &plan.steps {
            if let PlanAction::ScaleOut { node, instance, .. } = &step.action {
                nodes.insert(instance.0.clone(), node.clone());
            }
        }
        compose::optional_order(&nodes, plan, |node| {
            let optional_dependencies = self
                .requests
                .service(node)
                .map_or(&[][..], |service| &service.optional_dependencies);
            optional_dependencies.iter().map(|it| it.node.as_str()).collect()
        });
        compose::arrange_one_by_one
    }

    /// Keeps what the run will ask of the engine, and what earlier runs brought up beside it.
    pub(super) fn keep(
        &mut self,
        deployment: &Deployment,
        last: Option<&LastRun>,
    ) -> Result<(), Error> {
        if last.is_some_and(|last| !is_gone(last))
            && let Some(before) = containers::read(deployment)?
        {
            self.requests.remember(before);
        }
        containers::keep(deployment, &self.requests)
    }
}

/// Tells what will change, and what the file does not ask for.
fn tell_observed(observed: &Observed, options: &ProjectOptions, operator: &dyn Operator) {
    for name in observed.networks.iter().filter(|_| !options.adopt) {
        tell(operator, ProjectEvent::NetworkChanged { name: name.clone() });
    }
    for name in observed.stale.iter().filter(|_| !options.adopt) {
        tell(operator, ProjectEvent::ContainerChanged { name: name.clone() });
    }
    for instance in &observed.surplus {
        tell(operator, ProjectEvent::Surplus { instance: instance.0.clone() });
    }
    for name in observed.orphans.iter().filter(|_| !options.is_selection) {
        tell(operator, ProjectEvent::Orphan { name: name.clone() });
    }
}

/// Looks for the checks that services wait for in their images.
fn learn_checks(project: &mut language::Project, operator: &dyn Operator) -> Result<(), Error> {
    let checks = compose::learn_checks(&engine()?, project)?;
    for (service, image) in &checks.assumed {
        let (service, image) = (service.clone(), image.clone());
        tell(operator, ProjectEvent::HealthCheckAssumed { service, image });
    }
    if checks.missing.is_empty() {
        return Ok(());
    }
    let missing = checks.missing.into_iter();
    let missing =
        missing.map(|(service, image, waiting)| HealthWait { service, image, waiting }).collect();
    Err(Error::NoHealthCheck(missing))
}

/// Asks what becomes of volumes whose definition changed: they are made again, and what is in them
/// is lost, only when the operator says so about them.
fn renew_volumes(
    options: &ProjectOptions,
    requests: &mut Requests,
    operator: &dyn Operator,
) -> Result<(), Error> {
    for name in compose::changed_volumes(&engine()?, requests)? {
        let ask = || {
            let question = Question::RenewVolume(name.clone());
            operator.confirm(&question, &[]) == Answer::Yes
        };
        let may_ask = !options.dry_run && !options.adopt;
        let is_renewed = options.renew_volumes || may_ask && ask();
        tell(operator, ProjectEvent::VolumeChanged { name: name.clone(), is_renewed });
        if is_renewed {
            requests.renew.insert(name);
        }
    }
    Ok(())
}

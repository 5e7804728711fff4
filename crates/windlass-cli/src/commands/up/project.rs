//! A Compose project that is about to come up: what it asks of the Docker engine, and what of it is
//! there already.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use windlass::application::{Application, GlobalState};
use windlass::goal::{GoalFile, Want};
use windlass::lang::compose::{self, Project};
use windlass::plan::{Plan, PlanAction};
use windlass::source::{SourceId, Sources};
use windlass::synthesize::graceful_removal::Arrange;
use windlass_run::compose::{self as running, Observed, ProjectContext};
use windlass_run::deployment::Deployment;
use windlass_run::entry::Purpose;
use windlass_run::world::docker::requests::{Part, Requests};

use super::refusal::refuse;
use super::{Beginning, UpArgs, WorldArg};
use crate::commands::engine::actions::{self, ActionReport};
use crate::commands::engine::containers::{ask, engine, keep, read, refused, tell};
use crate::commands::engine::{Past, deployment, folder_of};
use crate::failure::Failure;
use crate::read_options::{self, CommandOptions};
use crate::{escape, exit_code};

/// A project that is about to come up.
pub(crate) struct Prepared {
    /// Its application, with containers.
    pub(crate) application: Application,
    /// That all of it is up.
    pub(crate) goal: GoalFile,
    requests: Requests,
    observed: Observed,
}

/// What was taken over, in words, where that was asked for.
pub(super) fn adopted(asked: bool, project: Option<&mut Prepared>) -> Result<String, Failure> {
    match project.filter(|_| asked) {
        Some(project) => project.adopt(),
        None => Ok(String::new()),
    }
}

/// The actions of a plan, with what those of a project ask of the engine.
pub(super) fn actions(
    application: &Application,
    start: &GlobalState,
    plan: &Plan,
    project: Option<&Prepared>,
) -> Result<Vec<ActionReport>, Failure> {
    actions::of_project(application, start, plan, project.map(|project| &project.requests))
}

/// A Compose project that goes to a Docker engine; none for anything else.
pub(super) fn prepared(
    args: &UpArgs,
    world: WorldArg,
    project: Option<Box<Project>>,
    sources: &Sources,
    options: &CommandOptions,
) -> Result<Option<Prepared>, Failure> {
    let is_compose = project.is_some();
    match (project, world) {
        (Some(project), WorldArg::Docker) => {
            Prepared::new(*project, sources, args, options).map(Some)
        }
        _ if !args.services.is_empty() => {
            Err(Failure::usage("services are chosen of a Compose file on a Docker engine"))
        }
        _ if args.adopt || args.renew_volumes || args.build || args.engine_checks => {
            Err(Failure::usage("that is for a Compose file on a Docker engine"))
        }
        (_, WorldArg::Process | WorldArg::Ssh) if is_compose => {
            Err(Failure::usage("the containers of a Compose file are no processes of a machine")
                .help("leave out `--world`"))
        }
        _ => Ok(None),
    }
}

/// Refuses to bring a project up in the deployment of another one: its containers would be lost.
pub(super) fn refuse_other(
    args: &UpArgs,
    world: WorldArg,
    project: Option<&str>,
) -> Result<(), Failure> {
    let Some(project) = project.filter(|_| world == WorldArg::Docker) else { return Ok(()) };
    let (deployment, name) = deployment(&args.place, &args.file, project)?;
    let Some(requests) = read(&deployment)?.filter(|requests| requests.project != project) else {
        return Ok(());
    };
    if Past::read(&deployment)?.is_none_or(|past| is_gone(&past)) {
        return Ok(());
    }
    let other = &requests.project;
    let message = format!("`{name}` is a deployment of the project `{other}`, not of `{project}`");
    Err(Failure::usage(message)
        .help(format!("say `--project-name {other}`, or choose another deployment with --name")))
}

/// Whether everything was taken down.
fn is_gone(past: &Past) -> bool {
    past.purpose == Purpose::Down && past.is_reached()
}

/// Compose takes an override beside a file that was not named; a file that is named stands for
/// itself, with Compose and here.
fn tell_override(args: &UpArgs) {
    let beside = read_options::override_of(&args.file).filter(|_| args.file.is_file());
    let is_given = |over: &std::path::PathBuf| {
        args.compose.files.iter().any(|given| given.file_name() == over.file_name())
    };
    if let Some(over) = beside.filter(|over| !is_given(over)) {
        let over = over.display();
        tell(&format!("note    `{over}` is not read; say `-f {over}`, or name the folder"));
    }
}

impl Prepared {
    /// Looks at the engine and at what stands beside the file.
    fn new(
        mut project: Project,
        sources: &Sources,
        args: &UpArgs,
        options: &CommandOptions,
    ) -> Result<Self, Failure> {
        running::select(&mut project, &args.services)
            .map_err(|why| Failure::usage(why.to_string()))?;
        running::prune(&mut project);
        let ground = ground(&args.file, &project, options)?;
        tell_override(args);
        if !args.adopt {
            refuse(&project, sources, &ground, &engine()?)?;
        }
        learn_checks(&mut project)?;
        let (mut application, mut goal) = compose::lower(&project);
        running::with_processes(&mut application, &project);
        let mut requests = running::requests(&project, &application, &ground);
        let mut conflicts =
            running::conflicts(&engine()?, &project, &requests).map_err(|why| refused(&why))?;
        if !args.adopt {
            let held = running::held_ports(&engine()?, &requests).map_err(|why| refused(&why))?;
            conflicts.extend(held);
        }
        if !conflicts.is_empty() {
            return Err(Failure::usage(conflicts.join("; ")).ending(exit_code::FINDINGS));
        }
        requests.engine_checks = args.engine_checks;
        renew(args, &mut requests)?;
        if !args.dry_run && !args.adopt {
            let refreshed = running::refresh(&engine()?, &mut requests, args.build, tell);
            refreshed
                .map_err(|why| Failure::usage(why.to_string()).ending(exit_code::EXECUTION))?;
        }
        let observed = running::observe(&engine()?, &application, &mut requests)
            .map_err(|why| refused(&why))?;
        for name in observed.networks.iter().filter(|_| !args.adopt) {
            tell(&format!("changed network {name}: it will be recreated, with its containers"));
        }
        for name in observed.stale.iter().filter(|_| !args.adopt) {
            tell(&format!("changed {name}: its container will be replaced"));
        }
        for instance in &observed.surplus {
            tell(&format!("surplus {}: the file asks for fewer, it will be removed", instance.0));
            goal.goal.wants.push(Want::InstanceGone(instance.clone()));
        }
        if args.services.is_empty() {
            for name in &observed.orphans {
                tell(&format!("orphan  {name}: no service of the file asks for it"));
            }
        }
        Ok(Prepared { application, goal, requests, observed })
    }

    /// Where the run begins. What somebody else has started is named, the first time.
    pub(crate) fn beginning(&self, is_first: bool) -> Beginning {
        if is_first {
            for name in &self.observed.kept {
                tell(&format!("adopted {name}"));
            }
        }
        Beginning {
            state: self.observed.state.clone(),
            processes: self.observed.processes.clone(),
            is_first,
        }
    }

    /// Takes over what is there as it is, so that nothing has to be done; what was taken over, and
    /// what `up` would do about the rest.
    pub(crate) fn adopt(&mut self) -> Result<String, Failure> {
        let Observed { stale, networks, orphans, .. } = std::mem::take(&mut self.observed);
        self.requests.renew.clear();
        let (application, requests) = (&self.application, &mut self.requests);
        let nothing = GlobalState::empty();
        let observed = running::observe_as_is(&engine()?, application, requests, &nothing)
            .map_err(|why| refused(&why))?;
        let kept = &observed.kept;
        if !kept.iter().any(|name| name.starts_with("container ")) {
            let message =
                format!("no container of the project `{}` is there", self.requests.project);
            return Err(Failure::usage(message).ending(exit_code::FINDINGS));
        }
        let mut out = String::new();
        // Writing to a string cannot fail.
        for name in kept {
            let _ = writeln!(out, "adopted {name}");
        }
        for name in stale.iter().chain(&networks) {
            let _ = writeln!(out, "changed {name}: the file says something else by now");
        }
        for service in self.missing(&observed) {
            let _ = writeln!(out, "missing {service}: not all of its containers are there");
        }
        for name in orphans {
            let _ = writeln!(out, "orphan  {name}: no service of the file asks for it");
        }
        // What is up by now is what a later `resume` or `restart` leads back to.
        let wants = &mut self.goal.goal.wants;
        wants.retain(|want| want.holds(&self.application, &observed.state));
        self.observed = observed;
        Ok(escape::visible_lines(&out))
    }

    /// Services that have fewer containers than the file asks for.
    fn missing(&self, observed: &Observed) -> Vec<&str> {
        let services = self.requests.parts.iter().filter_map(|(node, part)| match part {
            Part::Service(service) => Some((node, service)),
            _ => None,
        });
        let lacks = services.filter(|(node, service)| {
            let node = self.application.node_named(node);
            let there = node.map_or(0, |node| observed.state.of_node(node).count());
            there < service.replicas as usize
        });
        lacks.map(|(_, service)| service.name.as_str()).collect()
    }

    /// Lets containers be replaced in turn as the file asks for it, and lets services wait for what
    /// they do not need; how later plans are arranged.
    pub(crate) fn order(&self, plan: &mut Plan) -> Arrange {
        let standing = self.observed.state.instances.iter();
        let mut nodes: BTreeMap<String, String> = standing
            .map(|(id, own)| (id.0.clone(), self.application.node(own.node).name.clone()))
            .collect();
        running::rolling_update(&nodes, plan, |node| {
            self.requests.service(node).map_or(1, |service| service.update.parallelism as usize)
        });
        for step in &plan.steps {
            if let PlanAction::ScaleOut { node, instance, .. } = &step.action {
                nodes.insert(instance.0.clone(), node.clone());
            }
        }
        running::optional_order(&nodes, plan, |node| {
            let optional_dependencies = self
                .requests
                .service(node)
                .map_or(&[][..], |service| &service.optional_dependencies);
            optional_dependencies.iter().map(|hope| hope.node.as_str()).collect()
        });
        running::arrange_one_by_one
    }

    /// Keeps what the run will ask of the engine, and what earlier runs brought up beside it.
    pub(crate) fn write(
        &mut self,
        deployment: &Deployment,
        past: Option<&Past>,
    ) -> Result<(), Failure> {
        if past.is_some_and(|past| !is_gone(past))
            && let Some(before) = read(deployment)?
        {
            self.requests.remember(before);
        }
        keep(deployment, &self.requests)
    }
}

/// Looks for the checks that services wait for in their images.
fn learn_checks(project: &mut Project) -> Result<(), Failure> {
    let checks = running::learn_checks(&engine()?, project).map_err(|why| refused(&why))?;
    for (service, image) in &checks.assumed {
        tell(&format!(
            "assumed {service}: its health is waited for, and whether the image `{image}` has a \
             check is known only when it is here"
        ));
    }
    if checks.missing.is_empty() {
        return Ok(());
    }
    let told = |(service, image, waiting): &(String, String, String)| {
        format!(
            "`{waiting}` waits for the health of `{service}`, and neither the file nor the image \
             `{image}` has a check"
        )
    };
    let all: Vec<String> = checks.missing.iter().map(told).collect();
    Err(Failure::usage(all.join("; "))
        .help("give it a `healthcheck`, or wait with `condition: service_started`")
        .ending(exit_code::FINDINGS))
}

/// Asks what becomes of volumes whose definition changed: they are recreated, and their data is
/// lost, only when the operator says so.
fn renew(args: &UpArgs, requests: &mut Requests) -> Result<(), Failure> {
    let changed = running::changed_volumes(&engine()?, requests).map_err(|why| refused(&why))?;
    for name in changed {
        let question =
            format!("the definition of the volume `{name}` changed; recreating it loses its data");
        let is_wanted = args.renew_volumes
            || (!args.dry_run && !args.yes && !args.adopt && ask(&question).is_ok());
        if is_wanted {
            tell(&format!("changed volume {name}: it will be recreated, without its data"));
            requests.renew.insert(name);
        } else {
            tell(&format!(
                "changed volume {name}: it stays as it is, with its data (--renew-volumes)"
            ));
        }
    }
    Ok(())
}

/// What the paths and variables of a file mean.
fn ground(
    file: &Path,
    project: &Project,
    options: &CommandOptions,
) -> Result<ProjectContext, Failure> {
    let found = read_options::file_in(file);
    let file = found.as_deref().unwrap_or(file);
    let absolute = |path: &Path| {
        std::path::absolute(path).map_err(|error| Failure::file("find", path, &error))
    };
    let folder = absolute(&folder_of(file))?;
    let folder = folder.canonicalize().unwrap_or(folder);
    let mut files = vec![folder.join(file.file_name().unwrap_or_default())];
    for over in options.overrides(file) {
        files.push(absolute(&over)?);
    }
    let environment = options.environment(&folder);
    let elsewhere = |(source, way): (&SourceId, &String)| (*source, folder.join(way));
    let folders = project.folders.iter().map(elsewhere).collect();
    Ok(ProjectContext { folder, files, environment, folders })
}

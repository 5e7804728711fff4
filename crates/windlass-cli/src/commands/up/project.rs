//! A Compose project that is about to come up: which services, and what stands beside its file.

use std::path::Path;

use windlass::lang::compose::Project;
use windlass::source::{SourceId, Sources};
use windlass_run::compose::{self, ProjectContext, ProjectEvent};
use windlass_run::controller::project::{self, ProjectOptions};
use windlass_run::controller::{Error, WorldKind, containers};

use super::UpArgs;
use super::refusal::refuse;
use crate::commands::engine::{self, Terminal, folder_of};
use crate::failure::Failure;
use crate::read_options::{self, CommandOptions};

/// A Compose project that goes to a Docker engine; none for anything else.
pub(super) fn prepared(
    args: &UpArgs,
    world: WorldKind,
    project: Option<Box<Project>>,
    sources: &Sources,
    options: &CommandOptions,
) -> Result<Option<project::Project>, Failure> {
    let is_compose = project.is_some();
    match (project, world) {
        (Some(project), WorldKind::Docker) => prepare(args, *project, sources, options).map(Some),
        _ if !args.services.is_empty() => {
            Err(Failure::usage("services are chosen of a Compose file on a Docker engine"))
        }
        _ if args.adopt || args.renew_volumes || args.build || args.engine_checks => {
            Err(Failure::usage("that is for a Compose file on a Docker engine"))
        }
        (_, WorldKind::Process | WorldKind::Ssh) if is_compose => {
            Err(Failure::usage("the containers of a Compose file are no processes of a machine")
                .help("leave out `--world`"))
        }
        _ => Ok(None),
    }
}

fn prepare(
    args: &UpArgs,
    mut project: Project,
    sources: &Sources,
    options: &CommandOptions,
) -> Result<project::Project, Failure> {
    let found = engine::deployment(&args.place, &args.file, &project.name)?;
    let address = found.address.of_project(Some(project.name.as_str()));
    let terminal = Terminal::new(&address, args.format).saying_yes(args.yes);
    let refused = |why: Error| terminal.failure(why);
    project::refuse_other(&found.deployment, &found.name, &project.name).map_err(refused)?;
    compose::select(&mut project, &args.services).map_err(|why| refused(Error::Services(why)))?;
    compose::prune(&mut project);
    let context = context(&args.file, &project, options)?;
    tell_override(args);
    if !args.adopt {
        let docker = containers::engine().map_err(refused)?;
        refuse(&project, sources, &context, &docker, &refused)?;
    }
    let options = ProjectOptions {
        adopt: args.adopt,
        renew_volumes: args.renew_volumes,
        build: args.build,
        engine_checks: args.engine_checks,
        is_selection: !args.services.is_empty(),
        dry_run: args.dry_run,
        progress: engine::progress,
    };
    project::Project::prepare(project, &context, &options, &terminal).map_err(refused)
}

/// Compose takes an override beside a file that was not named; a file that is named stands for
/// itself, with Compose and here.
fn tell_override(args: &UpArgs) {
    let beside = read_options::override_of(&args.file).filter(|_| args.file.is_file());
    let is_given = |over: &std::path::PathBuf| {
        args.compose.files.iter().any(|given| given.file_name() == over.file_name())
    };
    if let Some(over) = beside.filter(|over| !is_given(over)) {
        let file = over.display().to_string();
        engine::progress(&ProjectEvent::OverrideIgnored { file });
    }
}

/// What the paths and variables of a file mean.
fn context(
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

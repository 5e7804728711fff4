//! What stands in the way of a project before anything of it is made: names that another project
//! has, and external networks and volumes that nobody made.

use windlass::lang::compose::project::Project;

use crate::world::docker::engine::{Engine, Refused};
use crate::world::docker::sheet::{self, Part, Sheet};

/// Everything that stands in the way, in words.
pub fn clashes(engine: &Engine, project: &Project, sheet: &Sheet) -> Result<Vec<String>, Refused> {
    let mut all = Vec::new();
    let networks = project.networks.values().map(|network| ("network", &network.resource));
    let volumes = project.volumes.values().map(|volume| ("volume", volume));
    for (kind, resource) in networks.chain(volumes).filter(|(_, resource)| resource.external) {
        if is_missing(engine, &format!("{kind}s"), &resource.name)? {
            all.push(format!("the {kind} `{}` is external, and is not there", resource.name));
        }
    }
    let containers = engine.names()?;
    for part in sheet.parts.values() {
        match part {
            Part::Service(service) => {
                for number in 1..=service.replicas {
                    let name = service.container_name(&sheet.project, number);
                    let Some(labels) = containers.get(&name) else { continue };
                    let owner = labels[sheet::PROJECT].as_str().unwrap_or_default();
                    if owner != sheet.project {
                        all.push(taken("container", &name, owner));
                    }
                }
            }
            Part::Network { name, .. } => all.extend(of_another(engine, sheet, "network", name)?),
            Part::Volume { name, .. } => all.extend(of_another(engine, sheet, "volume", name)?),
            Part::Image { .. } | Part::Nothing => {}
        }
    }
    Ok(all)
}

fn is_missing(engine: &Engine, kind: &str, name: &str) -> Result<bool, Refused> {
    match engine.look(kind, name) {
        Ok(_) => Ok(false),
        Err(refused) if refused.is_missing() => Ok(true),
        Err(refused) => Err(refused),
    }
}

/// A network or volume that another project made under the same name. What has no label was made
/// by hand, for whoever wants it.
fn of_another(
    engine: &Engine,
    sheet: &Sheet,
    kind: &str,
    name: &str,
) -> Result<Option<String>, Refused> {
    let found = match engine.look(&format!("{kind}s"), name) {
        Ok(found) => found,
        Err(refused) if refused.is_missing() => return Ok(None),
        Err(refused) => return Err(refused),
    };
    let owner = found["Labels"][sheet::PROJECT].as_str().unwrap_or_default();
    let is_taken = !owner.is_empty() && owner != sheet.project;
    Ok(is_taken.then(|| taken(kind, name, owner)))
}

fn taken(kind: &str, name: &str, owner: &str) -> String {
    match owner {
        "" => format!("there is a {kind} `{name}` already, and it is of no project"),
        owner => format!("the {kind} `{name}` is one of the project `{owner}`"),
    }
}

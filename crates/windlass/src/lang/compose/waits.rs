//! Waits that cannot end, in words of Compose.

use super::project::{Condition, Health, Project, Restart, Service};

/// A service that waits for something that another can never be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndlessWait {
    /// The service that waits.
    pub(crate) service: String,
    /// The service that it waits for.
    pub(crate) other: String,
    /// What it waits for: `healthy` or `completed`.
    pub until: &'static str,
    /// What it waits for, and why that never comes: "`db` to be healthy, and ...".
    pub why: String,
}

impl EndlessWait {
    /// What nothing offers, as the application of the project names it.
    pub fn culprit(&self) -> String {
        format!("{}.{}", super::application::name_of(&self.other), self.until)
    }

    /// "`api` waits for `db` to be healthy, and `db` has no healthcheck in the file".
    pub fn sentence(&self) -> String {
        format!("`{}` waits for {}", self.service, self.why)
    }
}

/// All such waits of a project, as far as its files tell.
pub fn endless_waits(project: &Project) -> Vec<EndlessWait> {
    let mut all = Vec::new();
    for service in project.services.values() {
        // A dependency that may be missing blocks nothing.
        for (other, dependency) in service.depends_on.iter().filter(|(_, it)| it.required) {
            let target = project.services.get(other);
            let why = target.and_then(|target| why(target, dependency.condition));
            all.extend(why.map(|(until, why)| {
                let (service, other) = (service.name.clone(), other.clone());
                EndlessWait { service, other, until, why }
            }));
        }
    }
    all
}

fn why(target: &Service, condition: Condition) -> Option<(&'static str, String)> {
    let name = &target.name;
    match condition {
        Condition::Started => None,
        Condition::Healthy => {
            let lack = match target.health {
                Health::Checked(_) => return None,
                Health::Disabled(_) => "switches its healthcheck off",
                Health::Unknown => "has no healthcheck in the file",
            };
            Some(("healthy", format!("`{name}` to be healthy, and `{name}` {lack}")))
        }
        Condition::Completed => {
            let policy = match target.restart {
                Restart::Always => "always",
                Restart::UnlessStopped => "unless-stopped",
                _ => return None,
            };
            let policy = match target.item.at(&["deploy", "restart_policy", "condition"]) {
                Some(condition) => {
                    format!("deploy.restart_policy.condition: {}", condition.plain())
                }
                None => format!("restart: {policy}"),
            };
            let again = format!("is started again whenever it ends (`{policy}`)");
            Some(("completed", format!("`{name}` to end, and `{name}` {again}")))
        }
    }
}

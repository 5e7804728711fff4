//! Health checks that stand in images: only the engine knows them.

use serde_json::Value;
use windlass::lang::compose::project::{Condition, Health, Project};

use crate::world::docker::engine::{Engine, EngineError};

/// What was learned about the checks that services wait for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Checks {
    /// Services whose image is not there yet, with the image: it is assumed to have a check.
    pub(crate) assumed: Vec<(String, String)>,
    /// Services whose image has none, with the image, and who waits for it.
    pub(crate) missing: Vec<(String, String, String)>,
}

/// Looks at the images of services whose health is waited for and whose file has no check.
pub(crate) fn learn_checks(engine: &Engine, project: &mut Project) -> Result<Checks, EngineError> {
    let mut checks = Checks::default();
    for (name, waiting) in awaited(project) {
        let fallback = format!("{}-{name}", project.name);
        let Some(service) = project.services.get_mut(&name) else { continue };
        let image = service.image.as_ref().map_or(fallback, |image| image.text.clone());
        match engine.look("images", &image) {
            Ok(found) if has_check(&found) => {}
            Ok(_) => {
                checks.missing.push((name, image, waiting));
                continue;
            }
            Err(refused) if refused.is_missing() => checks.assumed.push((name, image)),
            Err(refused) => return Err(refused),
        }
        service.health = Health::Checked(service.span);
    }
    Ok(checks)
}

/// Services whose health is waited for and about which the file says nothing, with one that waits
/// and cannot do without it.
fn awaited(project: &Project) -> Vec<(String, String)> {
    let unknown = |name: &String| {
        project.services.get(name).is_some_and(|it| matches!(it.health, Health::Unknown))
    };
    let mut all: Vec<(String, String)> = Vec::new();
    for service in project.services.values() {
        for (name, dependency) in &service.depends_on {
            let waits = dependency.condition == Condition::Healthy && dependency.required;
            if waits && unknown(name) && all.iter().all(|(known, _)| known != name) {
                all.push((name.clone(), service.name.clone()));
            }
        }
    }
    all
}

fn has_check(image: &Value) -> bool {
    let test = image.pointer("/Config/Healthcheck/Test").and_then(Value::as_array);
    test.and_then(|test| test.first()).is_some_and(|first| first != "NONE")
}

#[cfg(test)]
mod tests {
    use super::has_check;
    use serde_json::json;

    #[test]
    fn checks_of_images() {
        let image = |test: &[&str]| json!({ "Config": { "Healthcheck": { "Test": test } } });
        assert!(has_check(&image(&["CMD", "true"])));
        assert!(!has_check(&image(&["NONE"])));
        assert!(!has_check(&image(&[])));
        assert!(!has_check(&json!({ "Config": { "Healthcheck": null } })));
    }
}

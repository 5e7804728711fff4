//! What Compose adds by itself: the network `default`, dependencies that other keys imply, names.

use super::item::Item;
use super::project::{Attachment, Condition, Dependency, Network, Project, Resource, Service};
use crate::source::Span;

/// Keys whose value `service:NAME` means that the containers share something.
const SHARED: &[&str] = &["network_mode", "ipc", "pid", "uts", "cgroup"];

/// Adds what the file may leave out.
pub(super) fn normalize(project: &mut Project) {
    let mut default_used = None;
    for service in project.services.values_mut() {
        if service.networks.is_empty()
            && service.network_mode.is_none()
            && service.provider.is_none()
        {
            let attachment = Attachment { addresses: Vec::new(), span: service.span };
            service.networks.insert("default".to_owned(), attachment);
        }
        if let Some(attachment) = service.networks.get("default") {
            default_used = default_used.or(Some(attachment.span));
        }
        add_implied(service);
    }
    if let Some(span) = default_used
        && !project.networks.contains_key("default")
    {
        let resource = Resource {
            name: format!("{}_default", project.name),
            named: None,
            external: false,
            exists: None,
            item: Item::empty_map(span),
            span,
        };
        let network = Network { resource, subnets: Vec::new(), implicit: true };
        project.networks.insert("default".to_owned(), network);
    }
}

/// Dependencies that `links`, shared namespaces and `volumes_from` imply.
fn add_implied(service: &mut Service) {
    let mut implied: Vec<(String, &'static str, bool, Span)> = Vec::new();
    for link in service.get("links").map(Item::items).unwrap_or_default() {
        let text = link.plain();
        let name = text.split(':').next().unwrap_or_default();
        implied.push((name.to_owned(), "links", true, link.span));
    }
    for key in SHARED {
        let Some(item) = service.get(key) else { continue };
        if let Some(name) = item.plain().strip_prefix("service:") {
            implied.push((name.to_owned(), key, true, item.span));
        }
    }
    for volume in service.get("volumes_from").map(Item::items).unwrap_or_default() {
        let text = volume.plain();
        let name = text.split(':').next().unwrap_or_default();
        if name != "container" {
            implied.push((name.to_owned(), "volumes_from", false, volume.span));
        }
    }
    for (name, key, restart, span) in implied {
        service.depends_on.entry(name).or_insert(Dependency {
            condition: Condition::Started,
            restart,
            required: true,
            implied_by: Some(key),
            span,
            condition_span: span,
        });
    }
}

/// A folder as the name of a project: lower case, letters, digits, `_` and `-`.
pub(super) fn project_name(folder: &str) -> String {
    let name: String = folder
        .to_lowercase()
        .chars()
        .filter(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-'))
        .collect();
    name.trim_start_matches(['_', '-']).to_owned()
}

//! How the containers of a service are replaced: what `deploy.update_config` says, or what is safe.

use std::time::Duration;

use windlass::lang::compose::cast;
use windlass::lang::compose::item::Item;
use windlass::lang::compose::project::{Health, Service};

use crate::world::docker::requests::Update;

/// How long a new container without a check has to run before the old one goes for good.
const UNCHECKED: Duration = Duration::from_secs(1);

/// How a service is updated. Without a word about the order, several containers are replaced with
/// the new one first: they share what they have anyway. One alone goes first, because two of them
/// on the same data may destroy it. What can be there only once goes first in any case.
pub(super) fn of(service: &Service) -> Update {
    let config = service.get("deploy").and_then(|deploy| deploy.get("update_config"));
    let get = |key: &str| config.and_then(|config| config.get(key));
    let time = |key: &str| {
        let text = get(key).map(Item::plain);
        text.and_then(|text| cast::duration(&text))
    };
    let asked = get("order").map(Item::plain);
    let wants = asked.map_or(service.replicas > 1, |order| order == "start-first");
    let parallelism = get("parallelism").and_then(Item::as_int);
    let unwatched = !matches!(service.health, Health::Checked(_));
    let usual = if unwatched { UNCHECKED } else { Duration::ZERO };
    Update {
        parallelism: parallelism.and_then(|it| u32::try_from(it).ok()).unwrap_or(1),
        start_first: wants && exclusive_resource(service).is_none(),
        delay: time("delay").unwrap_or(Duration::ZERO),
        monitor: time("monitor").unwrap_or(usual),
    }
}

/// What the containers of a service have that two cannot have at the same time.
pub(super) fn exclusive_resource(service: &Service) -> Option<&'static str> {
    if service.ports.iter().any(|port| port.port.published.is_some()) {
        return Some("a port of the host");
    }
    if service.networks.values().any(|attachment| !attachment.addresses.is_empty()) {
        return Some("an address");
    }
    let mode = service.network_mode.as_ref().map(|mode| mode.text.as_str());
    (mode == Some("host")).then_some("the network of the host")
}

//! How an image is built: the query that the engine's classic builder gets.
//!
//! What that builder cannot do is reported before anything runs (COMPOSE044).

use std::collections::BTreeMap;

use serde_json::{Value, json};
use windlass::lang::compose::item::Item;
use windlass::lang::compose::project::{Project, Service};

use super::canon::{bytes, pairs, texts, whole};
use super::{ProjectContext, VERSION};
use crate::world::docker::build::INLINE;
use crate::world::docker::engine::escaped;
use crate::world::docker::requests::{self, Build};

/// How the image of a service is built, if it is.
pub(super) fn of(
    project: &Project,
    service: &Service,
    reference: &str,
    ground: &ProjectContext,
) -> Option<Build> {
    let build = service.get("build")?;
    let text = |key: &str| build.get(key).map(Item::plain);
    let written = if build.is_scalar() { Some(build) } else { build.get("context") };
    let context = written.map_or_else(|| ".".to_owned(), Item::plain);
    let inline = text("dockerfile_inline");
    let file = match &inline {
        Some(_) => INLINE.to_owned(),
        None => text("dockerfile").unwrap_or_else(|| "Dockerfile".to_owned()),
    };
    let is_remote = is_remote(&context);
    let mut query = format!("t={}", escaped(reference));
    let mut put = |key: &str, value: &str| {
        query.extend(["&", key, "=", &escaped(value)]);
    };
    for tag in build.get("tags").map(texts).unwrap_or_default() {
        put("t", &tag);
    }
    for host in hosts(build) {
        put("extrahosts", &host);
    }
    let arguments = arguments(build, ground);
    if !arguments.is_empty() {
        put("buildargs", &json!(arguments).to_string());
    }
    put("labels", &json!(labels(project, service, build)).to_string());
    for (ours, theirs) in [("target", "target"), ("network", "networkmode")] {
        if let Some(value) = text(ours) {
            put(theirs, &value);
        }
    }
    for (ours, theirs) in [("no_cache", "nocache"), ("pull", "pull")] {
        if build.get(ours).and_then(Item::as_bool) == Some(true) {
            put(theirs, "1");
        }
    }
    if let Some(sources) = build.get("cache_from") {
        put("cachefrom", &json!(texts(sources)).to_string());
    }
    if let Some(size) = build.get("shm_size").and_then(bytes) {
        put("shmsize", &size.to_string());
    }
    if let Some(limits) = build.get("ulimits") {
        put("ulimits", &ulimits(limits).to_string());
    }
    let platform = build.get("platforms").and_then(|all| texts(all).into_iter().next());
    if let Some(platform) = platform.or_else(|| platform_of(service, ground)) {
        put("platform", &platform);
    }
    if is_remote {
        put("remote", &context);
        put("dockerfile", &file);
    }
    let context =
        if is_remote { context } else { ground.path_from(written.unwrap_or(build), &context) };
    Some(Build { context, query, inline, file, is_remote })
}

/// The platform that a service asks for.
pub(super) fn platform_of(service: &Service, ground: &ProjectContext) -> Option<String> {
    let own = service.get("platform").map(Item::plain);
    let own = own.or_else(|| ground.environment.get("DOCKER_DEFAULT_PLATFORM").cloned());
    own.filter(|platform| !platform.is_empty())
}

/// Whether a context is fetched by the engine.
fn is_remote(context: &str) -> bool {
    let starts = ["http://", "https://", "git://", "git@", "github.com/", "ssh://"];
    starts.iter().any(|start| context.starts_with(start))
}

/// `NAME:ADDRESS`, from a mapping or a list.
fn hosts(build: &Item) -> Vec<String> {
    let Some(item) = build.get("extra_hosts") else { return Vec::new() };
    let mut all = Vec::new();
    for (name, entry) in item.entries() {
        all.extend(texts(&entry.item).into_iter().map(|address| format!("{name}:{address}")));
    }
    all.extend(item.items().iter().map(|one| one.plain().replacen('=', ":", 1)));
    all
}

/// Arguments; one without a value is that of the environment.
fn arguments(build: &Item, ground: &ProjectContext) -> BTreeMap<String, Option<String>> {
    let own = build.get("args").map(pairs).unwrap_or_default();
    let value = |(name, value): (String, Option<String>)| {
        let value = value.or_else(|| ground.environment.get(&name).cloned());
        (name, value)
    };
    own.into_iter().map(value).collect()
}

/// The labels of an image; Compose knows by them what it has built.
fn labels(project: &Project, service: &Service, build: &Item) -> BTreeMap<String, String> {
    let own = build.get("labels").map(pairs).unwrap_or_default();
    let mut all: BTreeMap<String, String> =
        own.into_iter().map(|(name, value)| (name, value.unwrap_or_default())).collect();
    all.insert(requests::PROJECT.to_owned(), project.name.clone());
    all.insert(requests::SERVICE.to_owned(), service.name.clone());
    all.insert("com.docker.compose.version".to_owned(), VERSION.to_owned());
    all
}

fn ulimits(item: &Item) -> Value {
    let limit = |(name, entry): (&String, &windlass::lang::compose::item::Entry)| {
        let part = |key: &str| entry.item.get(key).and_then(whole).unwrap_or(0);
        let (soft, hard) = match whole(&entry.item) {
            Some(both) => (both, both),
            None => (part("soft"), part("hard")),
        };
        json!({ "Name": name, "Soft": soft, "Hard": hard })
    };
    item.entries().map(limit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contexts_that_the_engine_fetches() {
        assert!(is_remote("https://example.org/app.git#main"));
        assert!(is_remote("git@example.org:app.git"));
        assert!(!is_remote("./app") && !is_remote("/srv/github.com/app"));
    }
}

//! The description of the interface, generated from the types of requests and answers.
//!
//! `docs/schemas/serve.openapi.json` must be what is generated here; a test compares. Run the tests
//! of this crate with `UPDATE=1` in the environment to write it again.

use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use super::answers::{Session, Steps, Text};
use super::ask::Answer;
use super::deployments::{Begun, LogLines};
use super::requests::{About, Convert, Deploy, Logs, Plan, Prove, Run, Save, Step, Verify};

/// One path of the interface.
pub(super) struct Route {
    /// The path.
    pub(super) path: &'static str,
    summary: &'static str,
    request: Option<fn(&mut SchemaGenerator) -> Schema>,
    answer: Content,
}

/// What an answer holds.
enum Content {
    Json(fn(&mut SchemaGenerator) -> Schema),
    Bytes,
    Events,
    Anything,
}

fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

const fn asking<T: JsonSchema>(
    path: &'static str,
    summary: &'static str,
    answer: Content,
) -> Route {
    Route { path, summary, request: Some(schema::<T>), answer }
}

/// Every path; the router is tested against this list.
pub(super) const ROUTES: &[Route] = &[
    Route {
        path: "/api/session",
        summary: "What is open, and whether it can be saved",
        request: None,
        answer: Content::Json(schema::<Session>),
    },
    Route {
        path: "/api/openapi.json",
        summary: "This description",
        request: None,
        answer: Content::Anything,
    },
    asking::<About>("/api/text", "The text of a file", Content::Json(schema::<Text>)),
    asking::<Save>("/api/save", "Replace a file as a whole", Content::Json(schema::<Text>)),
    asking::<About>("/api/check", "The answer of `check`", Content::Json(schema::<Answer>)),
    asking::<About>(
        "/api/model",
        "The application in our own language, as JSON",
        Content::Json(schema::<Answer>),
    ),
    asking::<Step>("/api/step", "The answers of `step`", Content::Json(schema::<Steps>)),
    asking::<Verify>("/api/verify", "The answer of `verify`", Content::Json(schema::<Answer>)),
    asking::<Plan>("/api/plan", "The answer of `plan`", Content::Json(schema::<Answer>)),
    asking::<Prove>("/api/prove", "The answer of `prove`", Content::Json(schema::<Answer>)),
    asking::<About>("/api/analyze", "The answer of `analyze`", Content::Json(schema::<Answer>)),
    asking::<About>("/api/simulate", "The answer of `simulate`", Content::Json(schema::<Answer>)),
    asking::<Convert>("/api/convert", "The file in another language", Content::Bytes),
    asking::<Run>("/api/run", "The events of `up` in the simulated world", Content::Events),
    asking::<About>("/api/status", "The answer of `status`", Content::Json(schema::<Answer>)),
    asking::<About>("/api/watch", "The journal of a deployment, as it grows", Content::Events),
    asking::<Logs>("/api/logs", "The answer of `logs`", Content::Json(schema::<LogLines>)),
    asking::<Deploy>("/api/deploy", "Start an engine", Content::Json(schema::<Begun>)),
    asking::<About>("/api/cancel", "End an engine, as Ctrl-C does", Content::Json(schema::<Begun>)),
];

impl Route {
    /// Whether it is asked without a body.
    pub(super) fn is_get(&self) -> bool {
        self.request.is_none()
    }
}

/// The description.
pub(super) fn description() -> Value {
    let settings = SchemaSettings::draft2020_12();
    let settings = settings.with(|one| one.definitions_path = "/components/schemas".into());
    let mut generator = settings.into_generator();
    let mut paths = Map::new();
    for route in ROUTES {
        let mut operation = Map::new();
        operation.insert("summary".to_owned(), json!(route.summary));
        if let Some(request) = route.request {
            let body = json!({ "application/json": { "schema": request(&mut generator) } });
            operation
                .insert("requestBody".to_owned(), json!({ "required": true, "content": body }));
        }
        let content = match route.answer {
            Content::Json(answer) => {
                json!({ "application/json": { "schema": answer(&mut generator) } })
            }
            Content::Anything => json!({ "application/json": {} }),
            Content::Bytes => json!({ "application/octet-stream": {} }),
            Content::Events => json!({ "text/event-stream": {} }),
        };
        let responses = json!({
            "200": { "description": "The answer", "content": content },
            "400": { "description": "The request says something that cannot be" },
            "401": { "description": "The token is missing or wrong" },
            "403": { "description": "Asked by another page, or not allowed" },
            "404": { "description": "No such file is open" },
            "413": { "description": "The request is too large" },
        });
        operation.insert("responses".to_owned(), responses);
        let method = if route.is_get() { "get" } else { "post" };
        paths.insert(route.path.to_owned(), json!({ method: operation }));
    }
    json!({
        "openapi": "3.1.0",
        "info": { "title": "windlass serve", "version": "1" },
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": generator.take_definitions(true),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_is_up_to_date() {
        let fresh = serde_json::to_string_pretty(&description()).unwrap() + "\n";
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schemas");
        let path = std::path::Path::new(folder).join("serve.openapi.json");
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, &fresh).unwrap();
        }
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(written == fresh, "{} is outdated; run the tests with UPDATE=1", path.display());
    }

    #[test]
    fn every_reference_leads_somewhere() {
        let description = description();
        let text = description.to_string();
        let known = description["components"]["schemas"].as_object().unwrap();
        let mut count = 0;
        for part in text.split("\"$ref\":\"").skip(1) {
            let reference = part.split('"').next().unwrap();
            let name = reference.strip_prefix("#/components/schemas/").unwrap();
            assert!(known.contains_key(name), "{reference}");
            count += 1;
        }
        assert!(count > 10);
    }
}

//! The pages, built from `ui/` and put into the program when they were there at its build.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use rust_embed::RustEmbed;

use super::Server;

/// What `cargo xtask ui` has written.
#[derive(RustEmbed)]
#[folder = "../../ui/dist"]
#[allow_missing = true]
struct Built;

/// How to get the pages, for a program without them.
pub(super) const HOW: &str =
    "this program was built without its pages: run `cargo xtask ui` (needs Node 20), build again";

/// Whether the pages are there.
pub(super) fn are_there(server: &Server) -> bool {
    file(server, "index.html").is_some()
}

fn file(server: &Server, name: &str) -> Option<Vec<u8>> {
    match &server.pages {
        // Only names of the built-in kind, so that nothing outside of the folder is reached.
        Some(folder) => {
            let is_plain = name.split('/').all(|part| !part.is_empty() && !part.starts_with('.'));
            is_plain.then(|| std::fs::read(folder.join(name)).ok()).flatten()
        }
        None => Built::get(name).map(|file| file.data.into_owned()),
    }
}

/// Answers with a file, compressed when it was built so and the browser understands it.
#[allow(clippy::unused_async, reason = "a handler is asynchronous")]
pub(super) async fn page(
    State(server): State<Arc<Server>>,
    uri: Uri,
    asked: HeaderMap,
) -> Response {
    let path = uri.path().trim_start_matches('/');
    let name = if path.is_empty() { "index.html" } else { path };
    let understood = asked.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    let wants_small = understood.is_some_and(|value| value.contains("gzip"));
    let small = if wants_small { file(&server, &format!("{name}.gz")) } else { None };
    let is_small = small.is_some();
    let Some(bytes) = small.or_else(|| file(&server, name)) else {
        let message = if are_there(&server) { "there is no such page" } else { HOW };
        return (StatusCode::NOT_FOUND, format!("{message}\n")).into_response();
    };
    // Names of assets contain a digest of what they hold.
    let cache = if name.starts_with("assets/") {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    let headers = [(header::CONTENT_TYPE, kind(name)), (header::CACHE_CONTROL, cache)];
    let mut response = (headers, bytes).into_response();
    if is_small {
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    }
    response
}

fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "json" => "application/json",
        _ => "application/octet-stream",
    }
}

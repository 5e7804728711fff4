//! The pages, built from `ui/` and put into the program when they were there at its build.

use std::io::Read;
use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use flate2::read::GzDecoder;
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

/// Answers with a file. Larger ones are there compressed only, and go to the browser so when it
/// understands that.
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
    let small = file(&server, &format!("{name}.gz"));
    let is_small = wants_small && small.is_some();
    let bytes = match small {
        Some(small) if !wants_small => inflate(&small),
        small => small.or_else(|| file(&server, name)),
    };
    let Some(bytes) = bytes else {
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

fn inflate(small: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    GzDecoder::new(small).read_to_end(&mut bytes).ok().map(|_| bytes)
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_compressed_page_is_unpacked_for_a_browser_that_does_not_understand_it() {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(b"let page = 1;").unwrap();
        let small = encoder.finish().unwrap();
        assert_eq!(inflate(&small).as_deref(), Some(&b"let page = 1;"[..]));
        assert_eq!(inflate(b"not compressed"), None);
    }
}

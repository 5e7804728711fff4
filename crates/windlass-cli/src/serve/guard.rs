//! Who may ask: this machine, by the page that this server gave out, with the token.
//!
//! The token stands in the fragment of the address that `windlass serve` prints. Browsers do not
//! send fragments; the page takes it from there and sends it in a header, so that no other page can
//! make a browser send it. `Host` and `Origin` are compared as well: a name on the network that
//! points to this machine (DNS rebinding) does not get through.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::refusal::Refusal;
use super::{BODY, Server};

/// No inline scripts, nothing from elsewhere, in no frame. Styles may be inline: the editor
/// and the graph set them, and they cannot run anything.
const POLICY: &str = "default-src 'none'; script-src 'self'; worker-src 'self'; \
    style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Headers of every answer.
const HEADERS: &[(&str, &str)] = &[
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
];

/// A fresh token: 32 random bytes as hexadecimal digits.
pub(super) fn token() -> Result<String, getrandom::Error> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes)?;
    let mut token = String::new();
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(token, "{byte:02x}");
    }
    Ok(token)
}

/// Lets a request pass or refuses it, and puts the headers on the answer.
pub(super) async fn guard(
    State(server): State<Arc<Server>>,
    request: Request,
    next: Next,
) -> Response {
    let is_question = request.uri().path().starts_with("/api/");
    let mut response = match refusal(&server, request.headers(), is_question) {
        Some(refusal) => refusal.into_response(),
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(*name, HeaderValue::from_static(value));
    }
    if is_question {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

fn refusal(server: &Server, headers: &HeaderMap, is_question: bool) -> Option<Refusal> {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let host = text("host").unwrap_or_default();
    if !is_ours(host, server.port) {
        return Some(Refusal::new(StatusCode::MISDIRECTED_REQUEST, "this host is not served"));
    }
    let from_elsewhere = text("origin").is_some_and(|origin| origin != format!("http://{host}"))
        || text("sec-fetch-site").is_some_and(|site| site != "same-origin" && site != "none");
    if from_elsewhere {
        return Some(Refusal::new(StatusCode::FORBIDDEN, "another page may not ask"));
    }
    let given = text("authorization").and_then(|value| value.strip_prefix("Bearer "));
    if is_question && !given.is_some_and(|given| is_same(given, &server.token)) {
        let message =
            "the token is missing or wrong; open the address that `windlass serve` printed";
        return Some(Refusal::new(StatusCode::UNAUTHORIZED, message));
    }
    // A request that announces more than is read is not waited for.
    let announced = text("content-length").and_then(|value| value.parse::<u64>().ok());
    if announced.is_some_and(|length| length > BODY as u64) {
        return Some(Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "the request is too large"));
    }
    None
}

/// Whether a host names this machine and this server.
fn is_ours(host: &str, port: u16) -> bool {
    let names = ["127.0.0.1", "localhost", "[::1]"];
    names.iter().any(|name| host == format!("{name}:{port}"))
}

/// Compares in a time that does not depend on where the texts differ.
fn is_same(one: &str, other: &str) -> bool {
    let differences = one.bytes().zip(other.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
    one.len() == other.len() && differences == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_with_the_right_port_are_ours() {
        assert!(is_ours("127.0.0.1:4100", 4100));
        assert!(is_ours("localhost:4100", 4100));
        for host in ["127.0.0.1", "127.0.0.1:4101", "evil.example:4100", "", "127.0.0.1:4100.evil"]
        {
            assert!(!is_ours(host, 4100), "{host}");
        }
    }

    #[test]
    fn tokens_are_long_random_and_compared_as_a_whole() {
        let (one, other) = (token().unwrap(), token().unwrap());
        assert_eq!(one.len(), 64);
        assert_ne!(one, other);
        assert!(is_same(&one, &one.clone()));
        assert!(!is_same(&one, &other));
        assert!(!is_same(&one, &one[1..]));
        assert!(!is_same("", &one));
    }
}

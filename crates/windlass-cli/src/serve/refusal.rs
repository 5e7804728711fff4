//! Why a request is not answered: a status and a sentence.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

/// A request that is not answered.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    message: String,
}

impl Refusal {
    /// With this status and these words.
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Refusal { status, message: message.into() }
    }

    /// Something that is in no file of the user's went wrong.
    pub(super) fn internal(error: &std::io::Error) -> Self {
        Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, format!("cannot answer: {error}"))
    }

    /// The refusal for a stream that has begun.
    pub(super) fn into_message(self) -> serde_json::Value {
        serde_json::json!({ "exit": null, "messages": self.message })
    }

    /// The request says something that cannot be.
    pub(super) fn bad(message: impl Into<String>) -> Self {
        Refusal::new(StatusCode::BAD_REQUEST, message)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, Json(serde_json::json!({ "error": self.message }))).into_response()
    }
}

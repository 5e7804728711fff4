//! The server behind `windlass serve`: pages, and the answers of the commands for them.
//!
//! It listens on this machine alone, answers those who have the token, and keeps nothing: every
//! question comes with all that it is about. Answers come from the commands themselves ([`ask`]).

mod answers;
mod ask;
mod deployments;
mod guard;
mod openapi;
mod pages;
mod refusal;
mod requests;
mod run;
mod scratch;
#[cfg(test)]
mod tests;
mod watch;
mod workspace;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::{get, post};
use tokio::net::TcpListener;
use tokio::sync::{Mutex, Semaphore, SemaphorePermit};

use crate::failure::Failure;
use workspace::Workspace;

/// The largest request.
const BODY: usize = 4 << 20;

/// How many questions are answered at once; others wait.
const AT_ONCE: usize = 4;

/// What requests share.
pub(crate) struct Server {
    /// The files.
    workspace: Mutex<Workspace>,
    /// Whether they can be saved.
    edit: bool,
    /// Whether what they say can be executed.
    run: bool,
    /// The engines that were started here.
    engines: deployments::Engines,
    /// What a request must carry.
    token: String,
    /// Where the server listens.
    port: u16,
    /// Pages on disk, in place of those built in.
    pages: Option<PathBuf>,
    turns: Semaphore,
}

/// What the operator allows, and where.
#[derive(Debug, Default)]
pub(crate) struct Allowed {
    /// Files can be saved.
    pub(crate) edit: bool,
    /// Deployments can be run for real.
    pub(crate) run: bool,
    /// The port; 0 takes one that is free.
    pub(crate) port: u16,
    /// Pages on disk, in place of those built in.
    pub(crate) pages: Option<PathBuf>,
}

/// A server that listens and does not answer yet.
pub(crate) struct Listening {
    server: Arc<Server>,
    listener: TcpListener,
}

impl Server {
    /// Waits until a question may be asked.
    async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        self.turns.acquire().await.ok()
    }
}

impl Listening {
    /// Opens the files and the port.
    pub(crate) async fn start(path: &Path, allowed: Allowed) -> Result<Self, Failure> {
        let Allowed { edit, run, port, pages } = allowed;
        let pages = pages.map(|folder| {
            folder.canonicalize().map_err(|error| Failure::file("read", &folder, &error))
        });
        let pages = pages.transpose()?;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let refused = |error| Failure::usage(format!("cannot listen on {address}: {error}"));
        let listener = TcpListener::bind(address).await.map_err(refused)?;
        let port = listener.local_addr().map_err(refused)?.port();
        let token =
            guard::token().map_err(|error| Failure::usage(format!("no random bytes: {error}")))?;
        let workspace = Mutex::new(Workspace::open(path)?);
        let turns = Semaphore::new(AT_ONCE);
        let engines = deployments::Engines::default();
        let server = Server { workspace, edit, run, engines, token, port, pages, turns };
        Ok(Listening { server: Arc::new(server), listener })
    }

    /// The address to open, with the token in its fragment.
    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/#token={}", self.server.port, self.server.token)
    }

    /// How to get the pages, when they are not there.
    pub(crate) fn missing_pages(&self) -> Option<&'static str> {
        (!pages::are_there(&self.server)).then_some(pages::HOW)
    }

    /// Answers until the program ends.
    pub(crate) async fn serve(self) -> Result<(), Failure> {
        let router = router(self.server);
        axum::serve(self.listener, router).await.map_err(Failure::from)
    }
}

/// Every path, behind the guard.
fn router(server: Arc<Server>) -> Router {
    Router::new()
        .route("/api/session", get(answers::session))
        .route("/api/openapi.json", get(answers::description))
        .route("/api/text", post(answers::text))
        .route("/api/save", post(answers::save))
        .route("/api/check", post(answers::check))
        .route("/api/model", post(answers::model))
        .route("/api/step", post(answers::step))
        .route("/api/verify", post(answers::verify))
        .route("/api/plan", post(answers::plan))
        .route("/api/prove", post(answers::prove))
        .route("/api/analyze", post(answers::analyze))
        .route("/api/simulate", post(answers::simulate))
        .route("/api/convert", post(answers::convert))
        .route("/api/run", post(run::run))
        .route("/api/status", post(deployments::status))
        .route("/api/watch", post(watch::watch))
        .route("/api/logs", post(deployments::logs))
        .route("/api/deploy", post(deployments::deploy))
        .route("/api/cancel", post(deployments::cancel))
        .fallback(get(pages::page))
        .layer(DefaultBodyLimit::max(BODY))
        .layer(middleware::from_fn_with_state(Arc::clone(&server), guard::guard))
        .with_state(server)
}

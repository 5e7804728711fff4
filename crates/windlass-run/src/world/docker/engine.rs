//! What is asked of a Docker engine, call by call.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::io::{BufRead, BufReader, Read};

use serde_json::{Value, json};

use super::http::{self, Address, Answer, Body, Request};

/// A Docker engine.
#[derive(Debug, Clone)]
pub struct Engine {
    address: Address,
}

/// Why a call failed.
#[derive(Debug)]
pub enum EngineError {
    /// The engine cannot be reached, or hung up.
    Unreachable(String),
    /// It said no: the status, and its words.
    Rejected(u16, String),
}

impl fmt::Display for EngineError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineError::Unreachable(why) => {
                write!(formatter, "the Docker engine cannot be asked: {why}")
            }
            EngineError::Rejected(_, words) => formatter.write_str(words),
        }
    }
}

impl EngineError {
    /// Whether what was asked about does not exist.
    pub fn is_missing(&self) -> bool {
        matches!(self, EngineError::Rejected(404, _))
    }

    /// Whether something of that name exists already, or is in use.
    pub(crate) fn is_conflict(&self) -> bool {
        matches!(self, EngineError::Rejected(409, _))
    }
}

/// What is known about a container.
#[derive(Debug, Clone)]
pub struct Container {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// `created`, `running`, `exited`, `dead` and so on.
    pub status: String,
    /// `healthy`, `unhealthy`, `starting`; none without a check.
    pub health: Option<String>,
    /// How it ended, when it has.
    pub exit_code: i64,
    /// When it was started last, as the engine writes it.
    pub started_at: String,
    /// What the last check wrote, when it failed.
    pub(crate) check_output: Option<String>,
    /// Its labels.
    pub(crate) labels: Value,
    /// The id of its image.
    pub(crate) image: String,
    /// Everything that the engine said.
    pub all: Value,
}

impl Container {
    /// What the engine says about a container.
    pub fn of(value: Value) -> Self {
        let text = |path: &str| value.pointer(path).and_then(Value::as_str).map(str::to_owned);
        let last = value.pointer("/State/Health/Log").and_then(Value::as_array);
        let last = last.and_then(|log| log.last()).and_then(|last| last.get("Output"));
        Container {
            id: text("/Id").unwrap_or_default(),
            name: text("/Name").unwrap_or_default().trim_start_matches('/').to_owned(),
            status: text("/State/Status").unwrap_or_default(),
            health: text("/State/Health/Status").filter(|health| health != "none"),
            exit_code: value.pointer("/State/ExitCode").and_then(Value::as_i64).unwrap_or(0),
            started_at: text("/State/StartedAt").unwrap_or_default(),
            check_output: last.and_then(Value::as_str).map(|text| text.trim().to_owned()),
            labels: value.pointer("/Config/Labels").cloned().unwrap_or_default(),
            image: text("/Image").unwrap_or_default(),
            all: value,
        }
    }

    /// The value of a label, empty when it has none.
    pub(crate) fn label(&self, name: &str) -> &str {
        self.labels.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// Whether it runs, also when it is paused or about to start again.
    pub fn is_running(&self) -> bool {
        matches!(self.status.as_str(), "running" | "paused" | "restarting")
    }
}

/// What a call gives.
pub(crate) type EngineResult<T> = Result<T, EngineError>;

/// A text as part of a path or a query.
pub(crate) fn escaped(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let mut out = String::new();
    for byte in text.bytes() {
        if plain(byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

impl Engine {
    /// The engine at an address.
    pub fn new(address: Address) -> Self {
        Engine { address }
    }

    pub(super) fn answer(
        &self,
        method: &str,
        path: &str,
        kind: &str,
        body: &[u8],
    ) -> EngineResult<Answer> {
        self.sent(Request { method, path, kind, body, header: None })
    }

    fn sent(&self, request: Request<'_>) -> EngineResult<Answer> {
        let away = |error: std::io::Error| EngineError::Unreachable(error.to_string());
        let mut answer = http::send(&self.address, request).map_err(away)?;
        if answer.status < 400 {
            return Ok(answer);
        }
        let mut text = String::new();
        answer.body.read_to_string(&mut text).map_err(away)?;
        let said: Option<Value> = serde_json::from_str(&text).ok();
        let message = said.and_then(|said| Some(said.get("message")?.as_str()?.to_owned()));
        let message = message.unwrap_or_else(|| text.trim().to_owned());
        Err(EngineError::Rejected(answer.status, message))
    }

    pub(super) fn ask(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> EngineResult<Value> {
        let text = body.map(Value::to_string).unwrap_or_default();
        let mut answer = self.answer(method, path, "application/json", text.as_bytes())?;
        let mut text = String::new();
        let away = |error: std::io::Error| EngineError::Unreachable(error.to_string());
        answer.body.read_to_string(&mut text).map_err(away)?;
        if text.trim().is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_str(&text).map_err(|error| EngineError::Unreachable(error.to_string()))
    }

    /// Whether anybody is there.
    pub fn ping(&self) -> EngineResult<()> {
        self.answer("GET", "/_ping", "text/plain", &[]).map(|_| ())
    }

    /// Whether it is reached by a socket of this machine.
    pub(crate) fn is_local(&self) -> bool {
        matches!(self.address, Address::Unix(_))
    }

    /// The version of its interface: what stands behind `1.`.
    pub fn version(&self) -> EngineResult<u32> {
        let said = self.ask("GET", "/version", None)?;
        let text = said.get("ApiVersion").and_then(Value::as_str).unwrap_or_default();
        let minor = text.split_once('.').and_then(|(_, minor)| minor.parse().ok());
        minor
            .ok_or_else(|| EngineError::Unreachable(format!("`{text}` is no version of an engine")))
    }

    /// Everything that happens from now on, one JSON value a line.
    pub fn events(&self) -> EngineResult<BufReader<Body>> {
        let filters = escaped(r#"{"type":["container"]}"#);
        let answer =
            self.answer("GET", &format!("/events?filters={filters}"), "text/plain", &[])?;
        Ok(BufReader::new(answer.body))
    }

    /// Makes a container; its id.
    pub(crate) fn create(&self, name: &str, body: &Value) -> EngineResult<String> {
        self.create_for(None, name, body)
    }

    /// Makes a container for a platform; its id.
    pub(crate) fn create_for(
        &self,
        platform: Option<&str>,
        name: &str,
        body: &Value,
    ) -> EngineResult<String> {
        let mut path = format!("/containers/create?name={}", escaped(name));
        if let Some(platform) = platform {
            path.push_str("&platform=");
            path.push_str(&escaped(platform));
        }
        let made = self.retry_while_name_is_taken(name, || self.ask("POST", &path, Some(body)))?;
        Ok(made.get("Id").and_then(Value::as_str).unwrap_or_default().to_owned())
    }

    /// A container by name or id.
    pub fn inspect(&self, name: &str) -> EngineResult<Container> {
        let path = format!("/containers/{}/json", escaped(name));
        self.ask("GET", &path, None).map(Container::of)
    }

    /// The ids of the containers with a label, those that do not run included.
    pub fn labelled(&self, label: &str) -> EngineResult<Vec<String>> {
        self.filtered(&json!({ "label": [label] }))
    }

    /// The ids of the containers that pass a filter, those that do not run included.
    pub(crate) fn filtered(&self, filter: &Value) -> EngineResult<Vec<String>> {
        let filters = escaped(&filter.to_string());
        let found = self.ask("GET", &format!("/containers/json?all=1&filters={filters}"), None)?;
        let id = |one: &Value| one.get("Id").and_then(Value::as_str).map(str::to_owned);
        Ok(found.as_array().into_iter().flatten().filter_map(id).collect())
    }

    /// The labels of all containers by name, those that do not run included.
    pub(crate) fn names(&self) -> EngineResult<BTreeMap<String, Value>> {
        let found = self.ask("GET", "/containers/json?all=1", None)?;
        let mut all = BTreeMap::new();
        for one in found.as_array().into_iter().flatten() {
            let names = one["Names"].as_array().into_iter().flatten().filter_map(Value::as_str);
            for name in names {
                all.insert(name.trim_start_matches('/').to_owned(), one["Labels"].clone());
            }
        }
        Ok(all)
    }

    /// The containers that run, as the list of the engine shows them, with the ports they hold.
    pub(crate) fn list_running(&self) -> EngineResult<Vec<Value>> {
        let found = self.ask("GET", "/containers/json", None)?;
        Ok(found.as_array().cloned().unwrap_or_default())
    }

    /// Starts a container; one that runs goes on.
    pub(crate) fn start(&self, name: &str) -> EngineResult<()> {
        self.ask("POST", &format!("/containers/{}/start", escaped(name)), None).map(|_| ())
    }

    /// Stops a container, by force after `grace` seconds or its own.
    pub fn stop(&self, name: &str, grace: Option<u64>) -> EngineResult<()> {
        let wait = grace.map_or(String::new(), |seconds| format!("?t={seconds}"));
        self.ask("POST", &format!("/containers/{}/stop{wait}", escaped(name)), None).map(|_| ())
    }

    /// Ends a container at once.
    pub fn kill(&self, name: &str) -> EngineResult<()> {
        self.ask("POST", &format!("/containers/{}/kill", escaped(name)), None).map(|_| ())
    }

    /// Makes an image of a root file system, as a tar archive.
    pub fn import(&self, repository: &str, tag: &str, archive: &[u8]) -> EngineResult<()> {
        let (repository, tag) = (escaped(repository), escaped(tag));
        let path = format!("/images/create?fromSrc=-&repo={repository}&tag={tag}");
        let answer = self.answer("POST", &path, "application/x-tar", archive)?;
        follow_progress(answer.body, &mut |_| {})
    }

    /// Gives a container another name.
    pub(crate) fn rename(&self, name: &str, new: &str) -> EngineResult<()> {
        let path = format!("/containers/{}/rename?name={}", escaped(name), escaped(new));
        self.retry_while_name_is_taken(new, || self.ask("POST", &path, None)).map(|_| ())
    }

    /// Puts files, as a tar archive, into a container.
    pub(crate) fn put_archive(&self, name: &str, archive: &[u8]) -> EngineResult<()> {
        let path = format!("/containers/{}/archive?path=/", escaped(name));
        self.answer("PUT", &path, "application/x-tar", archive).map(|_| ())
    }

    /// What a container wrote from `since` (seconds since 1970) on; follows it when `follow`.
    pub fn logs(&self, name: &str, since: u64, follow: bool) -> EngineResult<Body> {
        let path = format!(
            "/containers/{}/logs?stdout=1&stderr=1&since={since}&follow={follow}",
            escaped(name)
        );
        Ok(self.answer("GET", &path, "text/plain", &[])?.body)
    }

    /// A network, a volume or an image: `networks`, `volumes` or `images`.
    pub fn look(&self, kind: &str, name: &str) -> EngineResult<Value> {
        let rest = if kind == "images" { "/json" } else { "" };
        self.ask("GET", &format!("/{kind}/{}{rest}", escaped(name)), None)
    }

    /// Makes a network or a volume.
    pub(crate) fn make(&self, kind: &str, body: &Value) -> EngineResult<Value> {
        self.ask("POST", &format!("/{kind}/create"), Some(body))
    }

    /// Removes a network, a volume or an image.
    pub fn drop(&self, kind: &str, name: &str) -> EngineResult<()> {
        self.ask("DELETE", &format!("/{kind}/{}", escaped(name)), None).map(|_| ())
    }

    /// Connects a container with a network.
    pub(crate) fn connect(
        &self,
        network: &str,
        container: &str,
        endpoint: &Value,
    ) -> EngineResult<()> {
        let body = json!({ "Container": container, "EndpointConfig": endpoint });
        self.ask("POST", &format!("/networks/{}/connect", escaped(network)), Some(&body))
            .map(|_| ())
    }

    /// Takes a container out of a network, whatever it does there.
    pub(crate) fn disconnect(&self, network: &str, container: &str) -> EngineResult<()> {
        let body = json!({ "Container": container, "Force": true });
        self.ask("POST", &format!("/networks/{}/disconnect", escaped(network)), Some(&body))
            .map(|_| ())
    }

    /// Pulls an image for a platform, with the credentials in `header`; `progress`
    /// hears every line.
    pub(crate) fn pull(
        &self,
        reference: &str,
        platform: Option<&str>,
        header: Option<&str>,
        progress: &mut dyn FnMut(&Value),
    ) -> EngineResult<()> {
        let mut path = format!("/images/create?fromImage={}", escaped(&tagged(reference)));
        if let Some(platform) = platform {
            path.push_str("&platform=");
            path.push_str(&escaped(platform));
        }
        let header = header.map(|value| ("X-Registry-Auth", value));
        let kind = "text/plain";
        let answer = self.sent(Request { method: "POST", path: &path, kind, body: &[], header })?;
        follow_progress(answer.body, progress)
    }

    /// Builds an image from a tar archive by the classic builder; `progress` hears every line.
    pub(crate) fn build(
        &self,
        query: &str,
        archive: &[u8],
        progress: &mut dyn FnMut(&Value),
    ) -> EngineResult<()> {
        let answer =
            self.answer("POST", &format!("/build?{query}"), "application/x-tar", archive)?;
        follow_progress(answer.body, progress)
    }
}

/// An image without tag or digest is the latest one.
pub(crate) fn tagged(reference: &str) -> String {
    let last = reference.rsplit('/').next().unwrap_or(reference);
    if last.contains([':', '@']) { reference.to_owned() } else { format!("{reference}:latest") }
}

/// Reads what a long call tells; an error among it is the error of the call.
fn follow_progress(body: Body, progress: &mut dyn FnMut(&Value)) -> EngineResult<()> {
    for line in BufReader::new(body).lines() {
        let line = line.map_err(|error| EngineError::Unreachable(error.to_string()))?;
        let Ok(value) = serde_json::from_str::<Value>(&line) else { continue };
        if let Some(error) = value.get("error").and_then(Value::as_str) {
            return Err(EngineError::Rejected(500, error.to_owned()));
        }
        progress(&value);
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    #[test]
    fn a_pull_tells_its_progress_and_its_error() {
        let path = std::env::temp_dir().join(format!("windlass-pull-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        let server = std::thread::spawn(move || {
            let (mut client, _) = listener.accept().unwrap();
            let mut asked = [0; 4096];
            let read = client.read(&mut asked).unwrap();
            let body = "{\"status\":\"Pulling\"}\n{\"id\":\"a\",\"status\":\"Done\"}\n\
                        {\"error\":\"no such image\"}\n";
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
            std::io::Write::write_all(&mut client, (head + body).as_bytes()).unwrap();
            String::from_utf8_lossy(&asked[..read]).into_owned()
        });
        let host = format!("unix://{}", path.display());
        let engine = Engine::new(Address::parse(Some(&host)).unwrap());
        let mut heard = Vec::new();
        let ended = engine.pull("app", Some("linux/amd64"), Some("e30="), &mut |line| {
            heard.push(line["status"].clone());
        });
        assert_eq!(heard, ["Pulling", "Done"]);
        assert_eq!(ended.unwrap_err().to_string(), "no such image");
        let asked = server.join().unwrap();
        let first = "POST /images/create?fromImage=app%3Alatest&platform=linux%2Famd64 ";
        assert!(asked.starts_with(first), "{asked}");
        assert!(asked.contains("\r\nX-Registry-Auth: e30=\r\n"), "{asked}");
        let _ = std::fs::remove_file(&path);
    }

    #[test]
    fn names_in_paths() {
        assert_eq!(escaped("a b/c:1"), "a%20b%2Fc%3A1");
        assert_eq!(tagged("h:5000/a"), "h:5000/a:latest");
        assert_eq!(tagged("a:1"), "a:1");
        assert_eq!(tagged("a@sha256:0"), "a@sha256:0");
    }
}

//! Containers that are being removed already, by hand for instance.
//!
//! To remove a container that runs is to kill it first, and it keeps its name until the engine has
//! cleared everything away. An order that needs the name waits for the rest. The engine
//! reports when it is over, so nothing is polled.

use std::io::{ErrorKind, Read};
use std::time::Duration;

use serde_json::Value;

use super::engine::{Engine, EngineError, EngineResult, escaped};

/// How long a removal may take.
const LONGEST: Duration = Duration::from_secs(30);
/// A container is not found any more a little before its name is free: how often, and after how
/// long, it is tried again.
const TRIES: usize = 20;
const NAME_PAUSE: Duration = Duration::from_millis(50);

impl EngineError {
    /// Whether a container is being removed: it has died already, and will be gone in a moment.
    pub(crate) fn is_being_removed(&self) -> bool {
        let says = |words: &str| {
            words.contains("marked for removal")
                || words.contains("removal of container") && words.contains("in progress")
        };
        matches!(self, EngineError::Rejected(_, words) if says(words))
    }
}

impl Engine {
    /// Removes a container with its anonymous volumes when `volumes`, also one that runs. When
    /// it is being removed already, waits until that is done.
    pub fn remove(&self, name: &str, volumes: bool) -> EngineResult<()> {
        let path = format!("/containers/{}?force=1&v={volumes}", escaped(name));
        match self.ask("DELETE", &path, None) {
            Err(refused) if refused.is_being_removed() => self.wait_removed(name),
            asked => asked.map(|_| ()),
        }
    }

    /// Waits until a container that is being removed is gone.
    pub(crate) fn wait_removed(&self, name: &str) -> EngineResult<()> {
        let path = format!("/containers/{}/wait?condition=removed", escaped(name));
        let mut answer = match self.answer("POST", &path, "text/plain", &[]) {
            Err(refused) if refused.is_missing() => return Ok(()),
            asked => asked?,
        };
        let away = |error: std::io::Error| EngineError::Unreachable(error.to_string());
        answer.body.wake_every(LONGEST).map_err(away)?;
        let mut text = String::new();
        match answer.body.read_to_string(&mut text) {
            Ok(_) => {}
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                let why = format!("the container `{name}` is being removed, and does not go");
                return Err(EngineError::Rejected(409, why));
            }
            Err(error) => return Err(away(error)),
        }
        let said: Value = serde_json::from_str(&text).unwrap_or_default();
        match said.pointer("/Error/Message").and_then(Value::as_str) {
            Some(why) if !why.is_empty() => Err(EngineError::Rejected(409, why.to_owned())),
            _ => Ok(()),
        }
    }

    /// Asks for something that gives a name to a container; again when the one that has the name
    /// is on its way out.
    pub(super) fn retry_while_name_is_taken<T>(
        &self,
        name: &str,
        ask: impl Fn() -> EngineResult<T>,
    ) -> EngineResult<T> {
        for _ in 0..TRIES {
            let asked = ask();
            match &asked {
                Err(refused) if refused.is_conflict() => {}
                _ => return asked,
            }
            match self.inspect(name) {
                Ok(holder) if holder.status == "removing" => self.wait_removed(&holder.id)?,
                Err(refused) if refused.is_missing() => std::thread::sleep(NAME_PAUSE),
                _ => return asked,
            }
        }
        ask()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use std::io::Write as _;
    use std::net::Shutdown;
    use std::os::unix::net::UnixListener;
    use std::thread::JoinHandle;

    use super::super::http::Address;
    use super::*;

    /// An engine that gives these answers one after the other, and what it was asked.
    fn engine(answers: Vec<(u16, &'static str)>) -> (Engine, JoinHandle<Vec<String>>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let listener = UnixListener::bind(&path).unwrap();
        let server = std::thread::spawn(move || {
            let _kept = folder;
            let answered = answers.into_iter().map(|(status, text)| {
                let (mut stream, _) = listener.accept().unwrap();
                let mut head = [0; 4096];
                let read = stream.read(&mut head).unwrap();
                write!(stream, "HTTP/1.1 {status} x\r\n\r\n{text}").unwrap();
                // The rest of the question may be on its way.
                stream.shutdown(Shutdown::Write).unwrap();
                let _ = stream.read_to_end(&mut Vec::new());
                let head = String::from_utf8_lossy(&head[..read]).into_owned();
                head.split(" HTTP").next().unwrap_or_default().to_owned()
            });
            answered.collect()
        });
        (Engine::new(Address::Unix(path)), server)
    }

    const IN_PROGRESS: &str = r#"{"message":"removal of container a is already in progress"}"#;
    const IN_USE: &str = r#"{"message":"Conflict. The container name \"/a\" is already in use"}"#;

    #[test]
    fn a_removal_from_outside_is_waited_for() {
        let (engine, server) = engine(vec![(409, IN_PROGRESS), (200, r#"{"StatusCode":137}"#)]);
        engine.remove("a", true).unwrap();
        let asked = server.join().unwrap();
        assert_eq!(asked[1], "POST /containers/a/wait?condition=removed");
    }

    #[test]
    fn a_removal_that_fails_is_reported() {
        let failed = r#"{"StatusCode":137,"Error":{"Message":"the disk is busy"}}"#;
        let (engine, server) = engine(vec![(409, IN_PROGRESS), (200, failed)]);
        assert_eq!(engine.remove("a", true).unwrap_err().to_string(), "the disk is busy");
        server.join().unwrap();
    }

    #[test]
    fn a_name_is_waited_for_while_its_holder_leaves() {
        let leaves = r#"{"Id":"old","Name":"/a","State":{"Status":"removing"}}"#;
        let (engine, server) = engine(vec![
            (409, IN_USE),
            (200, leaves),
            (200, r#"{"StatusCode":137}"#),
            // It is not found any more, and has its name still.
            (409, IN_USE),
            (404, r#"{"message":"No such container: a"}"#),
            (201, r#"{"Id":"new"}"#),
        ]);
        assert_eq!(engine.create("a", &Value::Null).unwrap(), "new");
        assert_eq!(server.join().unwrap()[2], "POST /containers/old/wait?condition=removed");
    }

    #[test]
    fn a_name_in_use_is_a_conflict() {
        let stays = r#"{"Id":"old","Name":"/a","State":{"Status":"running"}}"#;
        let (engine, server) = engine(vec![(409, IN_USE), (200, stays)]);
        assert!(engine.create("a", &Value::Null).unwrap_err().is_conflict());
        server.join().unwrap();
    }
}

//! Who one is for the registries of images: what `docker login` has left.
//!
//! Read from `config.json` in the folder that `DOCKER_CONFIG` names, or in `~/.docker`. What a
//! helper keeps is asked of it, as `docker` does: `docker-credential-NAME get`.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use base64::alphabet;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::prelude::Engine as _;
use serde::Serialize as _;
use serde_json::{Value, json};

/// The registry of images without one in their name, as `docker login` calls it.
const USUAL: &str = "https://index.docker.io/v1/";
/// The name that a helper gives for a token in place of a password.
const TOKEN: &str = "<token>";

/// Names and passwords by registry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Credentials(BTreeMap<String, (String, String)>);

impl Credentials {
    /// What is known, by the variables of an environment; nothing when there is no such file.
    pub(crate) fn read(environment: &BTreeMap<String, String>) -> Self {
        let folder = environment.get("DOCKER_CONFIG").map(PathBuf::from);
        let home = || environment.get("HOME").map(|home| PathBuf::from(home).join(".docker"));
        let path = folder.or_else(home).map(|folder| folder.join("config.json"));
        let text = path.and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
        Self::parse(&text, ask_helper)
    }

    fn parse(text: &str, helper: impl Fn(&str, &str) -> Option<(String, String)>) -> Self {
        let config: Value = serde_json::from_str(text).unwrap_or_default();
        let mut all = BTreeMap::new();
        let store = config.get("credsStore").and_then(Value::as_str);
        for (server, auth) in config.get("auths").and_then(Value::as_object).into_iter().flatten() {
            let own = auth.get("auth").and_then(Value::as_str).and_then(decoded);
            let own = own.and_then(|text| {
                let (name, password) = text.split_once(':')?;
                Some((name.to_owned(), password.trim_end_matches('\0').to_owned()))
            });
            let token = auth.get("identitytoken").and_then(Value::as_str);
            let own = match (own, token) {
                (_, Some(token)) => Some((TOKEN.to_owned(), token.to_owned())),
                (own, None) => own,
            };
            let found = own.or_else(|| helper(store?, server));
            all.extend(found.map(|found| (server.clone(), found)));
        }
        let helpers = config.get("credHelpers").and_then(Value::as_object);
        for (server, name) in helpers.into_iter().flatten() {
            let found = name.as_str().and_then(|name| helper(name, server));
            all.extend(found.map(|found| (server.clone(), found)));
        }
        Credentials(all)
    }

    /// The same as a `config.json` without helpers, for programs inside a container.
    pub(super) fn as_config(&self) -> String {
        let auths: BTreeMap<&String, Value> = self
            .0
            .iter()
            .map(|(server, (name, password))| match name.as_str() {
                TOKEN => (server, json!({ "identitytoken": password })),
                _ => (server, json!({ "auth": STANDARD.encode(format!("{name}:{password}")) })),
            })
            .collect();
        let mut out = Vec::new();
        let format = serde_json::ser::PrettyFormatter::with_indent(b"\t");
        let mut writer = serde_json::Serializer::with_formatter(&mut out, format);
        // Writing to memory cannot fail.
        let _ = json!({ "auths": auths }).serialize(&mut writer);
        String::from_utf8_lossy(&out).into_owned()
    }

    /// What a request about an image says in its header `X-Registry-Auth`.
    pub(crate) fn header(&self, reference: &str) -> Option<String> {
        let server = server_of(reference);
        let bare = |text: &str| {
            let text = text.trim_start_matches("https://").trim_start_matches("http://");
            text.split('/').next().unwrap_or_default().to_owned()
        };
        let same = |(known, _): &(&String, &(String, String))| bare(known) == bare(server);
        let (known, (name, password)) = self.0.iter().find(same)?;
        let value = match name.as_str() {
            TOKEN => json!({ "identitytoken": password, "serveraddress": known }),
            _ => json!({ "username": name, "password": password, "serveraddress": known }),
        };
        Some(URL_SAFE.encode(value.to_string()))
    }
}

/// The registry of an image: what stands before the first slash, if it looks like a host.
fn server_of(reference: &str) -> &str {
    match reference.split_once('/') {
        Some((host, _)) if host.contains(['.', ':']) || host == "localhost" => host,
        _ => USUAL,
    }
}

fn ask_helper(name: &str, server: &str) -> Option<(String, String)> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || !name.chars().all(is_word) {
        return None;
    }
    let mut child = Command::new(format!("docker-credential-{name}"))
        .arg("get")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(server.as_bytes()).ok()?;
    let output = child.wait_with_output().ok().filter(|output| output.status.success())?;
    let said: Value = serde_json::from_slice(&output.stdout).ok()?;
    let text = |key: &str| Some(said.get(key)?.as_str()?.to_owned());
    Some((text("Username")?, text("Secret")?))
}

/// What a text in base 64 means; none when it is not one. `docker login` fills it up with `=`;
/// others who write the file do not always.
fn decoded(text: &str) -> Option<String> {
    let config =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let bytes = GeneralPurpose::new(&alphabet::STANDARD, config).decode(text.trim()).ok()?;
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_passwords_are_read_with_and_without_padding() {
        assert_eq!(decoded("bWU6cHc=").as_deref(), Some("me:pw"));
        assert_eq!(decoded(" bWU6cHc\n").as_deref(), Some("me:pw"));
        assert_eq!(decoded("?"), None);
    }

    #[test]
    fn what_login_left_is_found_by_the_image() {
        let text = r#"{ "auths": {
            "https://index.docker.io/v1/": { "auth": "bWU6cHc=" }, "r.example:5000": {} },
            "credsStore": "keep", "credHelpers": { "other.example": "tool" } }"#;
        let helper = |name: &str, server: &str| Some((name.to_owned(), server.to_owned()));
        let known = Credentials::parse(text, helper);
        let said = |image: &str| {
            known
                .header(image)
                .map(|header| decoded(&header.replace('-', "+").replace('_', "/")).unwrap())
        };
        let usual = said("busybox").unwrap();
        assert!(usual.contains(r#""username":"me","password":"pw""#), "{usual}");
        assert_eq!(said("library/busybox:1"), Some(usual));
        assert!(said("r.example:5000/app").unwrap().contains(r#""username":"keep""#));
        assert!(said("other.example/app").unwrap().contains(r#""username":"tool""#));
        assert_eq!(said("third.example/app"), None);
        assert!(known.as_config().contains("\"auth\": \"bWU6cHc=\""));
        assert_eq!(Credentials::default().as_config(), "{\n\t\"auths\": {}\n}");
    }
}

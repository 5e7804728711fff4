//! What an operation asks of the engine, in words, before it happens.

use serde_json::Value;

use crate::world::docker::requests::{Build, Part, Requests, Service};

/// The words for an operation of an instance; none when the engine is asked nothing.
pub(crate) fn describe(
    requests: &Requests,
    node: &str,
    instance: &str,
    operation: &str,
) -> Option<String> {
    Some(match requests.parts.get(node)? {
        Part::Nothing => return None,
        Part::Network { name, .. } => format!("network {name}"),
        Part::Volume { name, .. } => format!("volume {name}"),
        Part::Image { reference, build: Some(Build { context, .. }), .. }
            if operation == "pull" =>
        {
            format!("image {reference}, built in {context} unless it is there")
        }
        Part::Image { reference, .. } => format!("image {reference}"),
        Part::Service(service) => {
            let number = service.number(node, instance);
            let name = service.container_name(&requests.project, number);
            match operation {
                "create" => format!("container {name}{}", content(service)),
                _ => format!("container {name}"),
            }
        }
    })
}

/// " of IMAGE: COMMAND, ports ...".
fn content(service: &Service) -> String {
    let body = &service.body;
    let mut out = String::new();
    if let Some(image) = body["Image"].as_str() {
        out.push_str(" of ");
        out.push_str(image);
    }
    let words = |key: &str| body[key].as_array().into_iter().flatten().filter_map(Value::as_str);
    let command: Vec<String> = words("Entrypoint").chain(words("Cmd")).map(quoted).collect();
    if !command.is_empty() {
        out.push_str(": ");
        out.push_str(&command.join(" "));
    }
    let ports = ports(body);
    if !ports.is_empty() {
        out.push_str(", ports ");
        out.push_str(&ports.join(" "));
    }
    out
}

/// A word as a shell takes it, where that makes a difference.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// `8080:80/tcp`, as Compose writes them; without the first number the engine chooses.
fn ports(body: &Value) -> Vec<String> {
    let mut ports = Vec::new();
    let bindings = body["HostConfig"]["PortBindings"].as_object();
    for (inside, outside) in bindings.into_iter().flatten() {
        for one in outside.as_array().into_iter().flatten() {
            let part = |key: &str| one[key].as_str().filter(|text| !text.is_empty());
            let mut out = String::new();
            for text in [part("HostIp"), part("HostPort")].into_iter().flatten() {
                out.push_str(text);
                out.push(':');
            }
            ports.push(out + inside);
        }
    }
    ports
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn requests() -> Requests {
        let body = json!({
            "Image": "web:1",
            "Entrypoint": ["sh", "-c"],
            "Cmd": ["echo it's here", "x"],
            "HostConfig": { "PortBindings": {
                "80/tcp": [{ "HostIp": "127.0.0.1", "HostPort": "8080" }],
                "81/udp": [{ "HostIp": "", "HostPort": "" }],
            } },
        });
        let web = Service { name: "web".to_owned(), body, replicas: 2, ..Service::default() };
        let network = Part::Network { name: "shop_default".to_owned(), body: Value::Null };
        let mut requests = Requests { project: "shop".to_owned(), ..Requests::default() };
        requests.parts.insert("web".to_owned(), Part::Service(Box::new(web)));
        requests.parts.insert("network_default".to_owned(), network);
        requests
    }

    #[test]
    fn a_container_is_described_with_its_image_command_and_ports() {
        let requests = requests();
        let words = describe(&requests, "web", "web-2", "create").unwrap();
        let expected = "container shop-web-2 of web:1: sh -c 'echo it'\\''s here' x, \
                        ports 127.0.0.1:8080:80/tcp 81/udp";
        assert_eq!(words, expected);
        assert_eq!(describe(&requests, "web", "web-1", "start").unwrap(), "container shop-web-1");
        let network = describe(&requests, "network_default", "network_default", "create");
        assert_eq!(network.unwrap(), "network shop_default");
        assert_eq!(describe(&requests, "nobody", "nobody", "create"), None);
    }
}

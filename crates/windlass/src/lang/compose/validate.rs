//! What no value alone can get wrong: keys that exclude each other in one resource.

use super::item::Item;
use super::{BAD_VALUE, CONFLICT, Findings, SHAPE, command, typed};
use crate::diagnostic::Diagnostic;

/// Checks a merged model before it is decoded.
pub(super) fn check(model: &Item, findings: &mut Findings) {
    typed::check(model, findings);
    for section in ["volumes", "networks", "secrets", "configs"] {
        for (name, entry) in model.get(section).map(Item::entries).into_iter().flatten() {
            check_old_name(section, name, &entry.item, findings);
        }
    }
    for (name, entry) in model.get("volumes").map(Item::entries).into_iter().flatten() {
        check_external_volume(name, &entry.item, findings);
    }
    let contents = [
        ("secrets", &["file", "environment"][..]),
        ("configs", &["file", "environment", "content"]),
    ];
    for (section, keys) in contents {
        for (name, entry) in model.get(section).map(Item::entries).into_iter().flatten() {
            check_one_content(section, name, &entry.item, keys, findings);
        }
    }
    for (name, entry) in model.get("services").map(Item::entries).into_iter().flatten() {
        check_service(name, &entry.item, findings);
    }
}

/// `external: { name: ... }` beside `name`.
fn check_old_name(section: &str, name: &str, item: &Item, findings: &mut Findings) {
    let old = item.get("external").and_then(|external| external.get("name"));
    if let (Some(old), Some(new)) = (old, item.get("name")) {
        let message = format!("`{section}.{name}` has two names");
        let finding = old.error(CONFLICT, message).label(new.span, "the other one");
        findings.push(finding.help("keep `name`; a name in `external` is the old form"));
    }
}

fn check_external_volume(name: &str, item: &Item, findings: &mut Findings) {
    let external = item.get("external");
    let Some(external) = external.filter(|e| e.as_bool() == Some(true) || !e.is_scalar()) else {
        return;
    };
    for (key, entry) in item.entries() {
        if matches!(key.as_str(), "external" | "name") || key.starts_with("x-") {
            continue;
        }
        let message = format!("the volume `{name}` is external, so that `{key}` has no effect");
        let finding = Diagnostic::error(CONFLICT, entry.key, message);
        let finding =
            finding.help("remove one of the two: an external volume has its own settings");
        findings.push(finding.label(external.span, "it is external here"));
    }
}

fn check_one_content(
    section: &str,
    name: &str,
    item: &Item,
    keys: &[&str],
    findings: &mut Findings,
) {
    let given: Vec<_> = keys.iter().filter_map(|key| Some((*key, item.get(key)?))).collect();
    if let [(first_key, first), (key, second), ..] = given[..] {
        let message = format!("`{section}.{name}` has `{first_key}` and `{key}`; one is allowed");
        let finding = second.error(CONFLICT, message).help("remove one of the two");
        findings.push(finding.label(first.span, format!("`{first_key}` is here")));
    }
    let comes_from_elsewhere = ["external", "driver"].iter().any(|key| item.get(key).is_some());
    if given.is_empty() && !comes_from_elsewhere {
        let message = format!("`{section}.{name}` has no content: one of {}", keys.join(", "));
        let help = "say where it comes from, or `external: true` if it exists already";
        findings.push(item.error(CONFLICT, message).help(help));
    }
}

/// Commands in one text, of a service and of its hooks.
pub(crate) fn commands(service: &Item) -> impl Iterator<Item = (&'static str, &Item)> {
    let own =
        ["command", "entrypoint"].into_iter().filter_map(|key| Some((key, service.get(key)?)));
    let hooks = ["post_start", "pre_stop"].into_iter().flat_map(|key| {
        let all = service.get(key).map(Item::items).unwrap_or_default();
        all.iter().filter_map(move |hook| Some((key, hook.get("command")?)))
    });
    own.chain(hooks).filter(|(_, command)| command.as_str().is_some())
}

fn check_texts(name: &str, service: &Item, findings: &mut Findings) {
    for (key, item) in commands(service) {
        if command::split(&item.plain()).is_none() {
            let message = format!(
                "`{key}` of `{name}` is no command: a quote, a parenthesis or a \
                                   backslash has no other half"
            );
            let help = "close it, or write the command as a list of words";
            findings.push(item.error(BAD_VALUE, message).help(help));
        }
    }
    for key in service.at(&["build", "ssh"]).map(Item::items).unwrap_or_default() {
        let text = key.plain();
        if text != "default" && !text.contains('=') {
            let message = format!("`{text}` in `build.ssh` of `{name}` has no socket and no key");
            findings.push(key.error(BAD_VALUE, message).help("write `default` or `NAME=PATH`"));
        }
    }
    if let Some(item) = service.get("container_name") {
        let text = item.plain();
        let goes_on = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
        let is_name = |two: &[u8]| two[0].is_ascii_alphanumeric() && goes_on(two[1]);
        if !text.as_bytes().windows(2).any(is_name) {
            let message = format!("`{text}` is no name of a container");
            let help = "two characters at least: letters, digits, `_`, `.` and `-`";
            findings.push(item.error(SHAPE, message).help(help));
        }
    }
    for file in service.get("env_file").map(Item::items).unwrap_or_default() {
        let is_optional = file.get("required").and_then(Item::as_bool) == Some(false);
        let is_known = |format: &&Item| matches!(format.plain().as_str(), "" | "raw");
        if let Some(format) = file.get("format").filter(|it| !is_known(it) && !is_optional) {
            let message = format!("`{}` is no format of an `env_file`", format.plain());
            findings.push(format.error(BAD_VALUE, message).help("leave it out, or say `raw`"));
        }
    }
}

/// Names of variables in lists. What ends with a space is a slip for Compose; in mappings not.
/// Compose looks at the last byte, which takes the second half of some letters for a space.
fn check_variables(name: &str, service: &Item, findings: &mut Findings) {
    let hooks = ["post_start", "pre_stop"].into_iter().filter_map(|key| service.get(key));
    let hooks = hooks.flat_map(Item::items).filter_map(|hook| hook.get("environment"));
    let own = [service.get("environment"), service.at(&["build", "args"])];
    for item in own.into_iter().flatten().chain(hooks).flat_map(Item::items) {
        let text = item.plain();
        let variable = text.split_once('=').map_or(text.as_str(), |(variable, _)| variable);
        if matches!(variable.as_bytes().last(), Some(b' ' | b'\t'..=b'\r' | 0x85 | 0xa0)) {
            let message = format!("the variable `{variable}` of `{name}` ends with a space");
            let help = match variable.trim_end() {
                trimmed if trimmed.len() < variable.len() => {
                    format!("write `{}`", text.replacen(variable, trimmed, 1))
                }
                _ => "Compose takes the end of its last letter for one; choose another".to_owned(),
            };
            findings.push(item.error(BAD_VALUE, message).help(help));
        }
    }
}

/// `SOURCE:TARGET:RIGHTS` has no fourth part.
fn check_devices(service: &Item, findings: &mut Findings) {
    for device in service.get("devices").map(Item::items).unwrap_or_default() {
        if device.as_str().is_some_and(|text| text.split(':').count() > 3) {
            let message = format!("`{}` has more than the three parts of a device", device.plain());
            let help = "write it as a mapping with `source`, `target` and `permissions`";
            findings.push(device.error(BAD_VALUE, message).help(help));
        }
    }
}

fn check_service(name: &str, service: &Item, findings: &mut Findings) {
    check_texts(name, service, findings);
    check_variables(name, service, findings);
    check_devices(service, findings);
    let devices = service.at(&["deploy", "resources", "reservations", "devices"]);
    let gpus = service.get("gpus");
    for device in [devices, gpus].into_iter().flatten().flat_map(Item::items) {
        if let (Some(count), Some(ids)) = (device.get("count"), device.get("device_ids")) {
            let message =
                format!("a device of `{name}` has `count` and `device_ids`; one is allowed");
            let finding = count.error(CONFLICT, message).help("remove one of the two");
            findings.push(finding.label(ids.span, "`device_ids` is here"));
        }
    }
    let watched = service.at(&["develop", "watch"]).map(Item::items).unwrap_or_default();
    for watch in watched {
        if let Some(path) = watch.get("path").filter(|path| path.plain().trim().is_empty()) {
            let finding = path.error(BAD_VALUE, "a path to watch must not be empty");
            findings.push(finding.help("write the folder to watch, as in `./src`"));
        }
    }
}

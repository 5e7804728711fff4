//! A Compose project as Alloy text, on top of the paper's module `Docker`.
//!
//! First a signature for every role with which a service is attached to a network, volume or
//! secret, with what is known about the attachment; then one signature with everything as fields
//! and what each service is as facts. Names are made of letters, digits and `_`.

pub mod template;

use std::fmt::Write as _;

use crate::lang::compose::Project;
use crate::lang::compose::cast;
use crate::lang::compose::item::Item;
use crate::lang::compose::project::{Mount, MountKind, Port, Service};

/// The Alloy text of a project.
///
/// Paper: 000 6.3
///
/// Deviation: services stand in the order of their names; paths stay as they were written; a secret
/// is bound by a fact, which the printed example leaves out; a mount in memory gets a role.
pub fn print(project: &Project) -> String {
    let mut text = format!("module {}\nopen lib/Docker\n\n", word(&project.name));
    let services: Vec<Roles<'_>> =
        project.services.values().map(|service| Roles::of(service, project)).collect();
    for roles in &services {
        roles.print_signatures(&mut text);
    }
    let _ = writeln!(text, "sig configuration extends Composition {{");
    print_fields(&mut text, project, &services);
    let _ = writeln!(text, "}}\n{{");
    print_sets(&mut text, project);
    for roles in &services {
        roles.print_facts(&mut text, project);
    }
    for (key, secret) in &project.secrets {
        if let Some(file) = secret.item.get("file") {
            let _ = writeln!(text, "{}.file = {}", word(key), quoted(&file.plain()));
        }
        if secret.external {
            let _ = writeln!(text, "{}.is_external = true", word(key));
        }
    }
    let _ = writeln!(text, "}}\n");
    let _ = writeln!(
        text,
        "run {{\n  Service in configuration.services\n}} for 30 but exactly 1 configuration, exactly {} \
         Network, exactly {} Service, exactly {} Secret, exactly 1 LocationGraph",
        project.networks.len(),
        project.services.len(),
        project.secrets.len()
    );
    text
}

fn print_fields(text: &mut String, project: &Project, services: &[Roles<'_>]) {
    let mut fields = |names: Vec<(String, &str)>| {
        for (name, sort) in &names {
            let _ = writeln!(text, "{name}: one {sort},");
        }
        if !names.is_empty() {
            text.push('\n');
        }
    };
    fields(project.services.keys().map(|key| (word(key), "Service")).collect());
    fields(project.networks.keys().map(|key| (format!("_{}", word(key)), "Network")).collect());
    fields(project.volumes.keys().map(|key| (format!("_{}", word(key)), "Volume")).collect());
    fields(project.secrets.keys().map(|key| (word(key), "Secret")).collect());
    fields(project.configs.keys().map(|key| (word(key), "Config")).collect());
    for roles in services {
        let own = roles.roles.iter().map(|role| (role.name.clone(), role.signature()));
        let mut own: Vec<(String, String)> = own.collect();
        let name = word(&roles.service.name);
        if roles.service.get("deploy").is_some() {
            own.push((format!("{name}_deploy"), "Deployment".to_owned()));
        }
        for key in ["update_config", "rollback_config"] {
            if roles.service.item.at(&["deploy", key]).is_some() {
                own.push((format!("{name}_deploy_{key}"), "Deploy_config".to_owned()));
            }
        }
        fields(own.iter().map(|(name, sort)| (name.clone(), sort.as_str())).collect());
    }
}

/// `services = a + b`, and so on.
fn print_sets(text: &mut String, project: &Project) {
    let sets = [
        ("services", project.services.keys().map(|key| word(key)).collect::<Vec<_>>()),
        ("networks", project.networks.keys().map(|key| format!("_{}", word(key))).collect()),
        ("volumes", project.volumes.keys().map(|key| format!("_{}", word(key))).collect()),
    ];
    for (name, members) in sets {
        if members.is_empty() {
            let _ = writeln!(text, "no {name}");
        } else {
            let _ = writeln!(text, "{name} = {}", members.join(" + "));
        }
    }
    text.push('\n');
}

/// One attachment of a service.
struct Role {
    name: String,
    sort: &'static str,
    facts: Vec<String>,
    /// What says that the service has it.
    binding: String,
}

impl Role {
    fn signature(&self) -> String {
        format!("S_{}", self.name)
    }
}

/// A service with its attachments.
struct Roles<'p> {
    service: &'p Service,
    roles: Vec<Role>,
}

impl<'p> Roles<'p> {
    fn of(service: &'p Service, project: &Project) -> Self {
        let name = word(&service.name);
        let mut roles = Vec::new();
        for (key, attachment) in &service.networks {
            let role = format!("{name}_{}_netrole", word(key));
            let fact = |(address, _): &(core::net::IpAddr, _)| {
                let version = if address.is_ipv4() { 4 } else { 6 };
                format!("ipv{version}_address = {}", quoted(&address.to_string()))
            };
            let facts = attachment.addresses.iter().map(fact).collect();
            let binding = format!("{name}.network[ _{}, {role} ]", word(key));
            roles.push(Role { name: role, sort: "NetworkRole", facts, binding });
        }
        for (at, mount) in service.mounts.iter().enumerate() {
            roles.push(mount_role(&name, at + 1, mount, project));
        }
        for grant in &service.secrets {
            let role = format!("{name}_{}_secretrole", word(&grant.source));
            let mut facts = vec![format!("// source = {}", word(&grant.source))];
            facts
                .extend(grant.target.as_ref().map(|target| format!("target = {}", quoted(target))));
            for key in ["uid", "gid", "mode"] {
                let number = grant.item.get(key).and_then(Item::as_int);
                facts.extend(number.map(|number| format!("{key} = {number}")));
            }
            let binding = format!("{name}.secret[ {}, {role} ]", word(&grant.source));
            roles.push(Role { name: role, sort: "SecretRole", facts, binding });
        }
        Roles { service, roles }
    }

    fn print_signatures(&self, text: &mut String) {
        for role in &self.roles {
            let _ = writeln!(text, "sig {} extends {}{{}} {{", role.signature(), role.sort);
            for fact in &role.facts {
                let _ = writeln!(text, "  {fact}");
            }
            let _ = writeln!(text, "}}\n");
        }
    }

    fn print_facts(&self, text: &mut String, project: &Project) {
        let service = self.service;
        let name = word(&service.name);
        if let Some(image) = &service.image {
            let _ = writeln!(text, "{name}.image = {}", quoted(&image.text));
        }
        for role in &self.roles {
            let _ = writeln!(text, "{}", role.binding);
        }
        let known = service.depends_on.keys().filter(|other| project.services.contains_key(*other));
        let known: Vec<_> = known.collect();
        for other in &known {
            let _ = writeln!(text, "{name}.depends_on[ {} ]", word(other));
        }
        if known.is_empty() {
            let _ = writeln!(text, "no {name}.depends_on");
        }
        let _ = writeln!(text, "{name}.privileged = {}", service.flag("privileged").is_some());
        let ports: Vec<_> = service.ports.iter().map(|port| quoted(&port_text(port))).collect();
        if ports.is_empty() {
            let _ = writeln!(text, "no {name}.ports");
        } else {
            let _ = writeln!(text, "{name}.ports = {}", ports.join(" + "));
        }
        self.print_deployment(text, &name);
        text.push('\n');
    }

    fn print_deployment(&self, text: &mut String, name: &str) {
        let Some(deploy) = self.service.get("deploy") else { return };
        let _ = writeln!(text, "{name}.deploy = {name}_deploy");
        for key in ["update_config", "rollback_config"] {
            let Some(config) = deploy.get(key) else { continue };
            let own = format!("{name}_deploy_{key}");
            let _ = writeln!(text, "{name}_deploy.{key} = {own}");
            if let Some(count) = config.get("parallelism").and_then(Item::as_int) {
                let _ = writeln!(text, "{own}.parallelism = {count}");
            }
            if let Some(delay) = config.get("delay").and_then(|item| cast::duration(&item.plain()))
            {
                let (value, unit) = match delay.subsec_millis() {
                    0 => (u128::from(delay.as_secs()), "s"),
                    _ => (delay.as_millis(), "ms"),
                };
                let _ = writeln!(text, "{own}.delay.init[ {value}, {unit} ]");
            }
            if let Some(order) = config.get("order") {
                let _ = writeln!(text, "{own}.order = {}", quoted(&order.plain()));
            }
        }
    }
}

/// The role of something mounted: the short form is a `VolumeSpec`, the long form a `MountSpec`.
fn mount_role(service: &str, number: usize, mount: &Mount, project: &Project) -> Role {
    let volume = mount.source.as_ref().filter(|_| mount.kind == MountKind::Volume);
    let label = volume.map_or_else(|| format!("vol{number}"), |key| word(key));
    let source = match (volume, &mount.source) {
        (Some(key), _) => project.volumes.get(key).map_or_else(|| key.clone(), |v| v.name.clone()),
        (None, Some(path)) => path.clone(),
        (None, None) => String::new(),
    };
    let is_short = mount.short.is_some();
    let name = format!("{service}_{label}_{}", if is_short { "volrole" } else { "mountrole" });
    let mut facts = Vec::new();
    let mut fact = |key: &str, value: String| facts.push(format!("{key} = {value}"));
    if is_short {
        if !source.is_empty() {
            fact("external", quoted(&source));
        }
        fact("internal", quoted(&mount.target));
        fact("mode", quoted(if mount.read_only { "ro" } else { "rw" }));
    } else {
        if !source.is_empty() {
            fact("source", quoted(&source));
        }
        fact("target", quoted(&mount.target));
        if mount.item.at(&["volume", "nocopy"]).and_then(Item::as_bool) == Some(true) {
            fact("volume_noCopy", "true".to_owned());
        }
        if let Some(propagation) = mount.item.at(&["bind", "propagation"]) {
            fact("bind_propagation", quoted(&propagation.plain()));
        }
    }
    let binding = match volume {
        Some(key) => format!("{service}.volume[ _{}, {name} ]", word(key)),
        None => format!("{name} in {service}.volumes"),
    };
    let sort = if is_short { "VolumeSpec" } else { "MountSpec" };
    Role { name, sort, facts, binding }
}

/// `5000:80/tcp`.
fn port_text(port: &Port) -> String {
    let port = &port.port;
    let host = port.host_ip.map_or_else(String::new, |address| format!("{address}:"));
    let published = match port.published {
        None => String::new(),
        Some((first, last)) if first == last => format!("{first}:"),
        Some((first, last)) => format!("{first}-{last}:"),
    };
    format!("{host}{published}{}/{}", port.target, port.protocol)
}

/// A name of letters, digits and `_`.
fn word(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// Text between quotes; what is invisible is written out.
fn quoted(text: &str) -> String {
    let visible = super::escape::visible(text);
    format!("\"{}\"", visible.replace('\\', "\\\\").replace('"', "\\\""))
}

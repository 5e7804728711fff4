//! Which nodes are carried out elsewhere: those hosted, at any distance, on a `Compute` whose
//! address is known before anything runs, and the `Compute` itself; and those hosted on a
//! container, which is itself the business of the `docker` client of this machine.
//!
//! The address is `public_address`, else `private_address` (attribute or property), else
//! `ip_address` of the capability `endpoint`; user and port are those of that capability. Keys are
//! the business of the configuration of ssh.

use super::super::command::{self, Inputs, container};
use super::super::model::NodeTemplate;
use super::super::value::Value;
use super::{Lowering, is_a, name_of};
use crate::application::{Deployment, NodeId};

/// The types of machines: of the profile, and by its name in 2.0.
const MACHINES: &[&str] = &["tosca.nodes.Compute", "Compute"];
/// Where the address of a machine stands.
const ADDRESSES: &[&str] = &["public_address", "private_address"];

impl<'m> Lowering<'m> {
    /// Writes down the host of every node that has one, and where it is.
    pub(super) fn hosts(&self, deployment: &mut Deployment) {
        for at in 0..self.service.nodes.len() {
            let Some((machine, address)) = self.machine(at) else { continue };
            let Some((name, _)) = self.service.nodes.at(machine) else { continue };
            let name = name_of(&name.text);
            deployment.host.insert(NodeId::from(at), name.clone());
            deployment.addresses.insert(name, address);
        }
    }

    /// The nearest machine with an address, or container, that a node is hosted on.
    fn machine(&self, at: usize) -> Option<(usize, String)> {
        let inputs = Inputs { model: self.model, service: self.service, links: &self.links };
        for home in inputs.homes(at) {
            let (name, template) = self.service.nodes.at(home)?;
            if container::image(&inputs, template).is_some() {
                return (home != at).then(|| (home, container::address(&name.text)));
            }
            if let Some(address) = self.address(home, template) {
                return Some((home, address));
            }
        }
        None
    }

    fn address(&self, at: usize, template: &'m NodeTemplate) -> Option<String> {
        if !MACHINES.iter().any(|name| is_a(&self.model.types, template, name)) {
            return None;
        }
        let inputs = Inputs { model: self.model, service: self.service, links: &self.links };
        let known = |value: &Value| {
            let text = command::known(&inputs, at, value)?;
            (!text.is_empty()).then_some(text)
        };
        let own = |name: &&str| {
            let attribute = template.attributes.get(name).and_then(known);
            attribute.or_else(|| template.properties.get(name).and_then(known))
        };
        let endpoint = template.capabilities.get("endpoint");
        let of_endpoint = |name: &str| {
            let endpoint = endpoint?;
            endpoint.properties.get(name).or_else(|| endpoint.attributes.get(name))
        };
        let host = ADDRESSES.iter().find_map(own);
        let host = host.or_else(|| of_endpoint("ip_address").and_then(known))?;
        let user = of_endpoint("credential").and_then(|it| it.get("user")).and_then(known);
        let port = of_endpoint("port").and_then(known);
        Some(match (user, port) {
            (None, None) => host,
            (user, port) => {
                let user = user.map(|user| format!("{user}@")).unwrap_or_default();
                let port = port.map(|port| format!(":{port}")).unwrap_or_default();
                // An address of IPv6 has colons of its own.
                let host = if host.contains(':') { format!("[{host}]") } else { host };
                format!("ssh://{user}{host}{port}")
            }
        })
    }
}

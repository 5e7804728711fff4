//! Dependencies that no template writes and Heat adds by itself: a port waits for the subnets of
//! its network, a floating IP for the router that leads to it, and so on.
//!
//! They are found by looking up who has the same network, router or subnet, so that the time is
//! linear in the resources and the dependencies.

use std::collections::{BTreeMap, BTreeSet};

use super::stack::{Resource, Stack};
use super::value::Value;
use crate::source::Span;

/// Dependencies that are added at most: beyond, the template is a mistake.
const MOST: usize = 1_000_000;

/// Routers to one network that a floating IP waits for. Heat lets it wait for all of them; the one
/// that leads to its port comes before the interface that it waits for.
const MOST_GATEWAYS: usize = 32;

/// Positions of resources by what they have in common.
type Index = BTreeMap<String, Vec<usize>>;

/// Which resource waits for which, and where the property stands that says so.
type Edges = Vec<(usize, usize, Span)>;

/// Adds what Heat adds.
pub(super) fn add(stack: &mut Stack) {
    let tables = Tables::new(stack);
    if tables.is_empty() {
        return;
    }
    let mut edges = Edges::new();
    let own = stack.resources.iter().enumerate().filter(|(_, own)| own.group.is_none());
    for (at, resource) in own {
        tables.edges(stack, at, resource, &mut edges);
    }
    let mut known: BTreeSet<(usize, usize)> = BTreeSet::new();
    let own = |at: usize| stack.resources[at].waits_for.iter().map(move |(to, _)| (at, *to));
    known.extend(edges.iter().flat_map(|(at, ..)| own(*at)).collect::<Vec<_>>());
    for (at, to, span) in edges {
        if at != to && known.insert((at, to)) {
            stack.resources[at].waits_for.push((to, span));
        }
    }
}

/// What others look for.
struct Tables {
    /// Subnets by their network.
    subnets: Index,
    /// Router interfaces by their router.
    interfaces_of: Index,
    /// Router interfaces by the subnet that they lead to.
    interfaces_to: Index,
    /// Router interfaces by the network of that subnet.
    interfaces_into: Index,
    /// Routers and router gateways by their external network.
    gateways: Index,
    /// Router gateways by their router.
    gateways_of: Index,
    /// Route tables by their VPC.
    routings: Index,
}

/// The two names that most properties have had.
fn network(resource: &Resource) -> Option<&Value> {
    resource.get(&["network", "network_id"])
}

fn router(resource: &Resource) -> Option<&Value> {
    resource.get(&["router", "router_id"])
}

fn subnet(value: &Value) -> Option<&Value> {
    value.get("subnet").or_else(|| value.get("subnet_id"))
}

/// The external network of a router.
fn external(resource: &Resource) -> Option<&Value> {
    resource.get(&["external_gateway_info"])?.get("network")
}

fn index(
    stack: &Stack,
    type_name: &str,
    key: impl Fn(&Resource) -> Option<String>,
    into: &mut Index,
) {
    // Members of a group are in a stack of their own.
    let own = |at: &&usize| stack.resources[**at].group.is_none();
    for at in stack.positions(type_name).iter().filter(own) {
        if let Some(key) = key(&stack.resources[*at]) {
            into.entry(key).or_default().push(*at);
        }
    }
}

impl Tables {
    fn new(stack: &Stack) -> Self {
        let of = |type_name: &str, key: &dyn Fn(&Resource) -> Option<String>| {
            let mut all = Index::new();
            index(stack, type_name, key, &mut all);
            all
        };
        const INTERFACE: &str = "OS::Neutron::RouterInterface";
        const GATEWAY: &str = "OS::Neutron::RouterGateway";
        let into = |interface: &Resource| {
            let subnet = stack.target(subnet(&interface.properties)?)?;
            network(subnet)?.identity()
        };
        let mut gateways = of(GATEWAY, &|own| network(own)?.identity());
        index(stack, "OS::Neutron::Router", |own| external(own)?.identity(), &mut gateways);
        for all in gateways.values_mut() {
            all.truncate(MOST_GATEWAYS);
        }
        Tables {
            subnets: of("OS::Neutron::Subnet", &|own| network(own)?.identity()),
            interfaces_of: of(INTERFACE, &|own| router(own)?.identity()),
            interfaces_to: of(INTERFACE, &|own| subnet(&own.properties)?.identity()),
            interfaces_into: of(INTERFACE, &into),
            gateways,
            gateways_of: of(GATEWAY, &|own| router(own)?.identity()),
            routings: of("AWS::EC2::RouteTable", &|own| own.get(&["VpcId"])?.identity()),
        }
    }

    fn is_empty(&self) -> bool {
        let Tables { subnets, interfaces_of, interfaces_to, gateways, routings, .. } = self;
        [subnets, interfaces_of, interfaces_to, gateways, routings]
            .iter()
            .all(|table| table.is_empty())
    }

    /// What one resource waits for.
    fn edges(&self, stack: &Stack, at: usize, resource: &Resource, edges: &mut Edges) {
        let mut wait = |table: &Index, value: Option<&Value>| {
            let Some((value, key)) = value.and_then(|value| Some((value, value.identity()?)))
            else {
                return;
            };
            let found = table.get(&key).into_iter().flatten();
            let room = MOST.saturating_sub(edges.len());
            edges.extend(found.take(room).map(|to| (at, *to, value.span)));
        };
        match resource.type_name.as_str() {
            "OS::Neutron::Port" => wait(&self.subnets, network(resource)),
            "OS::Nova::Server" => {
                for entry in resource.list("networks") {
                    wait(&self.subnets, entry.get("network").or_else(|| entry.get("uuid")));
                }
            }
            "OS::Neutron::Router" => wait(&self.subnets, external(resource)),
            "OS::Neutron::RouterGateway" => {
                wait(&self.subnets, network(resource));
                wait(&self.interfaces_of, router(resource));
            }
            "OS::Neutron::ExtraRoute" => {
                wait(&self.interfaces_of, router(resource));
                wait(&self.gateways_of, router(resource));
            }
            "OS::Neutron::ExtraRouteSet" => wait(&self.interfaces_of, router(resource)),
            "OS::Neutron::FloatingIP" => {
                let network = resource.get(&["floating_network", "floating_network_id"]);
                wait(&self.gateways, network);
                self.port(stack, resource, &mut wait);
            }
            "OS::Neutron::FloatingIPAssociation" => self.port(stack, resource, &mut wait),
            "AWS::EC2::VPCGatewayAttachment" => {
                wait(&self.routings, resource.get(&["VpcId"]));
            }
            _ => {}
        }
    }

    /// The interfaces through which the port of a floating IP is reached.
    fn port(
        &self,
        stack: &Stack,
        resource: &Resource,
        wait: &mut impl FnMut(&Index, Option<&Value>),
    ) {
        let port = resource.get(&["port_id"]).and_then(|port| stack.target(port));
        let Some(port) = port.filter(|port| port.is("OS::Neutron::Port")) else { return };
        let subnets = port.list("fixed_ips").iter().filter_map(subnet);
        let subnets: Vec<&Value> = subnets.collect();
        if subnets.is_empty() {
            wait(&self.interfaces_into, network(port));
        }
        for subnet in subnets {
            wait(&self.interfaces_to, Some(subnet));
        }
    }
}

//! What the rules on templates look at: networks, subnets, addresses, and things given twice.

use core::net::IpAddr;
use std::collections::{BTreeMap, BTreeSet};

use super::super::{Rule, Tag};
use crate::diagnostic::Diagnostic;
use crate::lang::hot::address::{self, Range};
use crate::lang::hot::value::{Data, Unknown, Value};
use crate::lang::hot::{Resource, Stack};
use crate::source::Span;

pub(super) const NET: &str = "OS::Neutron::Net";
pub(super) const PROVIDER_NET: &str = "OS::Neutron::ProviderNet";
pub(super) const SUBNET: &str = "OS::Neutron::Subnet";
pub(super) const SUBNET_POOL: &str = "OS::Neutron::SubnetPool";
pub(super) const PORT: &str = "OS::Neutron::Port";
pub(super) const ROUTER: &str = "OS::Neutron::Router";
pub(super) const ROUTER_INTERFACE: &str = "OS::Neutron::RouterInterface";
pub(super) const FLOATING_IP: &str = "OS::Neutron::FloatingIP";
pub(super) const SERVER: &str = "OS::Nova::Server";

/// A finding of a rule; the row of the table stands in brackets behind the message.
pub(super) fn row_finding(rule: &Rule, span: Span, message: String) -> Diagnostic {
    rule.finding(span, format!("{message} ({})", row(rule)))
}

/// The rows that a rule stands for, from its code.
fn row(rule: &Rule) -> String {
    if let Some(rows) = rule.tags.iter().find_map(Tag::rows) {
        return rows.to_owned();
    }
    let (group, number) = rule.code.split_at(4);
    let letter = match group {
        "HOT1" => "C",
        "HOT2" => "S",
        "HOT3" => "O",
        "HOT4" => "I",
        _ => "X",
    };
    format!("{letter}{number}")
}

/// A boolean property that is given and known.
pub(super) fn truth(resource: &Resource, name: &str) -> Option<bool> {
    resource.get(&[name]).and_then(Value::as_bool)
}

/// Whether a value is surely there: not the outcome of a condition that is not known.
pub(super) fn is_given(value: &Value) -> bool {
    !matches!(value.data, Data::Null | Data::Unknown(Unknown { from: None, .. }))
}

/// A known address.
pub(super) fn address(value: &Value) -> Option<IpAddr> {
    value.as_str().and_then(address::address)
}

/// The subnet of an entry, by its new or its old name.
pub(super) fn subnet_in(entry: &Value) -> Option<&Value> {
    entry.get("subnet").or_else(|| entry.get("subnet_id"))
}

/// The network that a subnet of the template belongs to.
pub(super) fn network_of_subnet<'s>(stack: &'s Stack, subnet: &Value) -> Option<&'s Value> {
    let subnet = stack.target(subnet).filter(|resource| resource.is(SUBNET))?;
    subnet.get(&["network", "network_id"])
}

/// Whether a subnet surely belongs to another network: both are resources of the template.
pub(super) fn is_elsewhere(stack: &Stack, subnet: &Value, network: &Value) -> bool {
    let own = network_of_subnet(stack, subnet).and_then(Value::as_resource);
    own.zip(network.as_resource()).is_some_and(|(own, wanted)| own != wanted)
}

/// The addresses of a subnet of the template.
pub(super) fn cidr_of(stack: &Stack, subnet: &Value) -> Option<Range> {
    let subnet = stack.target(subnet).filter(|resource| resource.is(SUBNET))?;
    subnet.get(&["cidr"])?.as_str().and_then(Range::cidr)
}

/// The ranges of all subnets of each network, where all of them are known.
pub(super) fn cidrs_by_network(stack: &Stack) -> BTreeMap<String, Vec<Range>> {
    let mut networks: BTreeMap<String, Option<Vec<Range>>> = BTreeMap::new();
    for subnet in stack.of(&[SUBNET]) {
        let network = subnet.get(&["network", "network_id"]);
        // A network from outside may have subnets from outside.
        let Some(network) = network.filter(|network| network.as_resource().is_some()) else {
            continue;
        };
        let Some(network) = network.identity() else { continue };
        let range = subnet.get(&["cidr"]).and_then(Value::as_str).and_then(Range::cidr);
        let ranges = networks.entry(network).or_insert_with(|| Some(Vec::new()));
        match (ranges.as_mut(), range) {
            (Some(ranges), Some(range)) => ranges.push(range),
            _ => *ranges = None,
        }
    }
    networks.into_iter().filter_map(|(network, ranges)| Some((network, ranges?))).collect()
}

/// The allocation pools of a subnet that are in order.
pub(super) fn pools(subnet: &Resource) -> Vec<(Range, Span)> {
    let pool = |pool: &Value| {
        let first = pool.get("start").and_then(address)?;
        let last = pool.get("end").and_then(address)?;
        let good = first.is_ipv6() == last.is_ipv6() && first <= last;
        good.then_some((Range { first, last }, pool.span))
    };
    subnet.list("allocation_pools").iter().filter_map(pool).collect()
}

/// A range, the resource that has it, and where it is written.
pub(super) type Placed<'s> = (Range, &'s Resource, Span);

/// Ranges that overlap one that starts before them; each once.
pub(super) fn overlaps(mut ranges: Vec<Placed<'_>>) -> Vec<(Placed<'_>, Placed<'_>)> {
    ranges.sort_by_key(|(range, _, span)| (range.first, *span));
    let mut pairs = Vec::new();
    let mut furthest: Option<Placed<'_>> = None;
    for range in ranges {
        if let Some(before) = furthest
            && before.0.overlaps(&range.0)
        {
            // The finding stands at the one that is written later.
            let in_order = before.2 <= range.2;
            pairs.push(if in_order { (before, range) } else { (range, before) });
        }
        let further = |before: Placed<'_>| before.0.last < range.0.last;
        if furthest.is_none_or(further) {
            furthest = Some(range);
        }
    }
    pairs
}

/// Two things that have the same key.
pub(super) struct SameKey<'s> {
    /// Name and place of the first.
    pub(super) first: (&'s str, Span),
    /// Name and place of the one that is written later.
    pub(super) second: (&'s str, Span),
}

impl SameKey<'_> {
    /// "flavors `a` and `b` have the same id".
    pub(super) fn finding(&self, rule: &Rule, what: &str, same: &str) -> Diagnostic {
        let (first, second) = (self.first.0, self.second.0);
        let message = format!("{what} `{first}` and `{second}` have {same}");
        row_finding(rule, self.second.1, message).label(self.first.1, "the other one")
    }
}

/// Everything whose key was there before, with the first that had it.
pub(super) fn twins<'s>(items: impl Iterator<Item = (String, &'s str, Span)>) -> Vec<SameKey<'s>> {
    let mut first: BTreeMap<String, (&str, Span)> = BTreeMap::new();
    let mut twins = Vec::new();
    for (key, name, span) in items {
        match first.get(&key) {
            Some(before) if before.1 <= span => {
                twins.push(SameKey { first: *before, second: (name, span) });
            }
            Some(before) => twins.push(SameKey { first: (name, span), second: *before }),
            None => {
                first.insert(key, (name, span));
            }
        }
    }
    twins
}

/// The rules of security groups, each with its resource.
pub(super) fn security_rules(stack: &Stack) -> Vec<(&Resource, &Value)> {
    let groups = stack.of(&["OS::Neutron::SecurityGroup"]);
    let inside = groups.flat_map(|group| group.list("rules").iter().map(move |rule| (group, rule)));
    let alone = stack.of(&["OS::Neutron::SecurityGroupRule"]).map(|rule| (rule, &rule.properties));
    inside.chain(alone).collect()
}

/// The protocol of a rule by its usual name; none when there is none or it is not known.
pub(super) fn protocol(rule: &Value) -> Option<String> {
    let word = rule.get("protocol")?.scalar_text()?.to_lowercase();
    Some(
        match word.as_str() {
            "6" => "tcp",
            "17" => "udp",
            "136" => "udplite",
            "132" => "sctp",
            "33" => "dccp",
            "1" => "icmp",
            "58" | "ipv6-icmp" => "icmpv6",
            other => other,
        }
        .to_owned(),
    )
}

/// The ports that servers name, with their servers.
pub(super) fn server_ports(stack: &Stack) -> impl Iterator<Item = (&Resource, &Value)> {
    stack.of(&[SERVER]).flat_map(|server| {
        let entries = server.list("networks").iter();
        entries.filter_map(move |entry| Some((server, entry.get("port")?)))
    })
}

/// The network of an entry in `networks` of a server.
pub(super) fn network_of_entry<'s>(stack: &'s Stack, entry: &'s Value) -> Option<&'s Value> {
    if let Some(network) = entry.get("network").or_else(|| entry.get("uuid")) {
        return Some(network);
    }
    if let Some(subnet) = entry.get("subnet") {
        return network_of_subnet(stack, subnet);
    }
    let port = stack.target(entry.get("port")?).filter(|port| port.is(PORT))?;
    port.get(&["network", "network_id"])
}

/// Every wish for an address: the resource, its network, and the entry with address and subnet.
pub(super) fn fixed_addresses(stack: &Stack) -> Vec<(&Resource, Option<&Value>, &Value)> {
    let mut all = Vec::new();
    for port in stack.of(&[PORT]) {
        let network = port.get(&["network", "network_id"]);
        all.extend(port.list("fixed_ips").iter().map(|fixed| (port, network, fixed)));
    }
    for server in stack.of(&[SERVER]) {
        let entries = server.list("networks").iter();
        all.extend(entries.map(|entry| (server, network_of_entry(stack, entry), entry)));
    }
    for router in stack.of(&[ROUTER]) {
        let Some(gateway) = router.get(&["external_gateway_info"]) else { continue };
        let fixed = gateway.get("external_fixed_ips").map_or(&[][..], Value::items);
        all.extend(fixed.iter().map(|fixed| (router, gateway.get("network"), fixed)));
    }
    all
}

/// The addresses that ports and servers ask for, by network and address.
pub(super) fn claims<'s>(stack: &'s Stack, types: &[&str]) -> Vec<(String, &'s str, Span)> {
    let claim = |(resource, network, fixed): (&'s Resource, Option<&Value>, &'s Value)| {
        let ip = fixed.get("ip_address").or_else(|| fixed.get("fixed_ip"))?;
        let address = address(ip)?;
        let by_subnet = subnet_in(fixed).and_then(|subnet| network_of_subnet(stack, subnet));
        let network = by_subnet.or(network)?.identity()?;
        let wanted = types.contains(&resource.type_name.as_str());
        wanted.then(|| (format!("{network} {address}"), resource.name.as_str(), ip.span))
    };
    fixed_addresses(stack).into_iter().filter_map(claim).collect()
}

/// Ports that are without port security because their network is.
pub(super) fn ports_of_unsecured_networks(stack: &Stack) -> impl Iterator<Item = &Resource> {
    stack.of(&[PORT]).filter(|port| {
        let network = port.get(&["network", "network_id"]);
        let network = network.and_then(|network| stack.target(network));
        !port.has("port_security_enabled")
            && network.is_some_and(|network| truth(network, "port_security_enabled") == Some(false))
    })
}

/// The networks with a router interface, by identity.
pub(super) fn routed_networks(stack: &Stack) -> BTreeSet<String> {
    let mut networks = BTreeSet::new();
    for interface in stack.of(&[ROUTER_INTERFACE]) {
        let by_subnet = interface.get(&["subnet", "subnet_id"]);
        let by_subnet = by_subnet.and_then(|subnet| network_of_subnet(stack, subnet));
        let by_port = interface.get(&["port", "port_id"]).and_then(|port| stack.target(port));
        let by_port = by_port.and_then(|port| port.get(&["network", "network_id"]));
        networks.extend(by_subnet.into_iter().chain(by_port).filter_map(Value::identity));
    }
    networks
}

/// Whether a network from outside is called what external networks are called.
pub(super) fn is_named_external(network: &Value) -> bool {
    let name = match &network.data {
        Data::Str(text) => text.to_lowercase(),
        Data::Unknown(Unknown { from: Some(from), .. }) => from.to_lowercase(),
        _ => return false,
    };
    name.contains("public") || name.contains("external") || name.contains("ext-net")
}

/// The network of the template that a value names, when it is surely not external.
pub(super) fn not_external<'s>(stack: &'s Stack, network: &Value) -> Option<&'s Resource> {
    let net = stack.target(network)?;
    if net.is_external {
        return None;
    }
    let external = match net.type_name.as_str() {
        NET => net.get(&["value_specs"]).map_or(Some(false), |specs| match &specs.data {
            Data::Map(_) => match specs.get("router:external") {
                Some(value) => value.as_bool(),
                None => Some(false),
            },
            _ => None,
        }),
        PROVIDER_NET => net.get(&["router_external"]).map_or(Some(false), Value::as_bool),
        _ => None,
    };
    (external == Some(false)).then_some(net)
}

//! Rule sets and their topologies (paper 001): names become indices.

use std::collections::{BTreeMap, BTreeSet};

use super::{BAD_RULE, BAD_TOPOLOGY, check_shape, first_line, unknown};
use crate::diagnostic::Diagnostic;
use crate::lang::language;
use crate::lifecycle::setup::{
    Guard, Kind, Local, Locals, MOST_STATES, MessageId, Neighbors, NodeType, NodeTypeId,
    Quantifier, RelationshipType, RelationshipTypeId, Rule, RuleSet, Subject, Topology,
    TopologyNode,
};
use crate::source::{Origin, Sources};
use crate::tree::{self, Entry, Node};

/// The set-up rules of the paper, which a topology follows unless it says otherwise.
const PAPER: &str = include_str!("../../../../../examples/setup/rules.yaml");

/// Reads a rule set; none when it has errors.
pub fn read_rules(root: Node<'_>, findings: &mut Vec<Diagnostic>) -> Option<RuleSet> {
    let before = findings.len();
    check_shape(language::Kind::Rules, root, findings);
    let rules = root.get("rules").map(|node| lower_rules(node, findings))?;
    (findings.len() == before).then_some(rules)
}

/// Reads a topology with its rules; none when it has errors.
pub fn read_topology(root: Node<'_>, findings: &mut Vec<Diagnostic>) -> Option<Topology> {
    let before = findings.len();
    check_shape(language::Kind::Topology, root, findings);
    let rules = match root.get("rules") {
        Some(node) => lower_rules(node, findings),
        None => paper_rules()?,
    };
    let topology = lower_topology(root.get("topology")?, rules, findings);
    (findings.len() == before).then_some(topology)
}

/// The rules of the paper.
fn paper_rules() -> Option<RuleSet> {
    let mut sources = Sources::new();
    let root = sources.add("rules.yaml", PAPER.to_owned());
    let (tree, mut findings) = tree::parse(root, PAPER, &tree::Options::default());
    let mut rules = read_rules(tree.root(), &mut findings)?;
    // Places in a text that the reader has not opened are of no use to him.
    rules.origin = Origin(None);
    rules.rules.iter_mut().for_each(|rule| rule.origin = Origin(None));
    Some(rules)
}

/// Names in the order of the text, each with its place.
#[derive(Default)]
struct Names<'t>(Vec<&'t str>);

impl<'t> Names<'t> {
    fn of(list: Option<Node<'t>>) -> Self {
        Names(list.into_iter().flat_map(Node::items).filter_map(Node::as_str).collect())
    }

    fn keys(map: Option<Node<'t>>) -> Self {
        Names(map.into_iter().flat_map(Node::entries).map(|entry| entry.name()).collect())
    }

    fn find(&self, what: &str, node: Node<'_>, findings: &mut Vec<Diagnostic>) -> Option<usize> {
        let found = self.0.iter().position(|name| Some(*name) == node.as_str());
        if found.is_none() && node.as_str().is_some() {
            unknown(what, node, self.0.iter().copied(), findings);
        }
        found
    }
}

/// Everything that rules may name.
struct Known<'t> {
    states: [Names<'t>; 3],
    messages: Names<'t>,
    node_types: Names<'t>,
    relationship_types: Names<'t>,
}

impl Known<'_> {
    fn state(&self, kind: Kind, node: Node<'_>, findings: &mut Vec<Diagnostic>) -> Option<Local> {
        let what = format!("state of a {}", kind.as_str());
        let at = self.states[kind as usize].find(&what, node, findings)?;
        Local::try_from(at).ok()
    }

    fn states(&self, kind: Kind, list: Node<'_>, findings: &mut Vec<Diagnostic>) -> Locals {
        let found = list.items().filter_map(|item| self.state(kind, item, findings));
        found
            .filter(|state| usize::from(*state) < MOST_STATES)
            .fold(Locals::default(), Locals::with)
    }

    fn message(&self, node: Option<Node<'_>>, findings: &mut Vec<Diagnostic>) -> Option<MessageId> {
        Some(MessageId::from(self.messages.find("message", node?, findings)?))
    }
}

fn lower_rules(node: Node<'_>, findings: &mut Vec<Diagnostic>) -> RuleSet {
    let part = |key: &str, inner: &str| node.get(key).and_then(|part| part.get(inner));
    let mut known = Known {
        states: ["nodes", "capabilities", "requirements"].map(|key| Names::of(part(key, "states"))),
        messages: Names::of(node.get("messages")),
        node_types: Names::keys(part("nodes", "types")),
        relationship_types: Names::keys(node.get("relationships")),
    };
    if known.node_types.0.is_empty() {
        known.node_types.0.push("node");
    }
    for (key, names) in ["nodes", "capabilities", "requirements"].into_iter().zip(&known.states) {
        let place = part(key, "states").map(Node::span);
        if let Some(place) = place.filter(|_| names.0.is_empty() || names.0.len() > MOST_STATES) {
            let message = format!("{} states: from 1 to {MOST_STATES} are possible", names.0.len());
            findings.push(Diagnostic::error(BAD_RULE, place, message).help("split the rule set"));
        }
    }
    let goal = part("nodes", "goal").map(|list| known.states(Kind::Node, list, findings));
    let behaviour = || node.get("behaviour").into_iter().flat_map(Node::entries);
    let names = Names::keys(node.get("behaviour"));
    for replaced in behaviour().filter_map(|entry| entry.value.get("replaces")) {
        names.find("rule", replaced, findings);
    }
    let rules = behaviour().filter_map(|entry| lower_rule(entry, &known, findings)).collect();
    RuleSet {
        name: node.get("name").and_then(Node::as_str).unwrap_or("rules").to_owned(),
        goal: goal.unwrap_or_default(),
        shared_capabilities: part("capabilities", "shared").and_then(Node::as_str) == Some("yes"),
        node_types: node_types(part("nodes", "types"), &known, findings),
        relationship_types: relationship_types(node.get("relationships"), &known, findings),
        rules,
        origin: first_line(node).into(),
        states: known.states.map(|names| names.0.into_iter().map(str::to_owned).collect()),
        messages: known.messages.0.into_iter().map(str::to_owned).collect(),
    }
}

fn node_types(
    map: Option<Node<'_>>,
    known: &Known<'_>,
    findings: &mut Vec<Diagnostic>,
) -> Vec<NodeType> {
    let entries: Vec<Entry<'_>> = map.into_iter().flat_map(Node::entries).collect();
    if entries.is_empty() {
        return vec![NodeType { name: "node".to_owned(), extends: None, origin: Origin(None) }];
    }
    let lower = |(at, entry): (usize, &Entry<'_>)| NodeType {
        name: entry.name().to_owned(),
        extends: extended(at, entry, &known.node_types, "node type", findings)
            .map(NodeTypeId::from),
        origin: entry.key.span().into(),
    };
    entries.iter().enumerate().map(lower).collect()
}

fn relationship_types(
    map: Option<Node<'_>>,
    known: &Known<'_>,
    findings: &mut Vec<Diagnostic>,
) -> Vec<RelationshipType> {
    let entries = map.into_iter().flat_map(Node::entries).enumerate();
    let lower = |(at, entry): (usize, Entry<'_>)| RelationshipType {
        name: entry.name().to_owned(),
        extends: extended(at, &entry, &known.relationship_types, "relationship type", findings)
            .map(RelationshipTypeId::from),
        acyclic: entry.value.get("acyclic").and_then(Node::as_str) != Some("no"),
        origin: entry.key.span().into(),
    };
    entries.map(lower).collect()
}

/// The type that another one extends; it has to stand before it, so that there is no cycle.
fn extended(
    at: usize,
    entry: &Entry<'_>,
    names: &Names<'_>,
    what: &str,
    findings: &mut Vec<Diagnostic>,
) -> Option<usize> {
    let node = entry.value.get("extends")?;
    let found = names.find(what, node, findings)?;
    if found < at {
        return Some(found);
    }
    let message = format!("`{}` extends a type that does not stand before it", entry.name());
    findings.push(Diagnostic::error(BAD_RULE, node.span(), message).help("move it up"));
    None
}

fn lower_rule(entry: Entry<'_>, known: &Known<'_>, findings: &mut Vec<Diagnostic>) -> Option<Rule> {
    let node = entry.value;
    let subject = subject(entry, known, findings)?;
    let kind = subject.kind();
    let mut state = |key: &str| known.state(kind, node.get(key)?, findings);
    let (from, to) = (state("from")?, state("to")?);
    let premises = node.get("when").into_iter().flat_map(Node::items);
    let guards = premises.filter_map(|item| guard(item, kind, known, findings)).collect();
    let misplaced = [("send", Kind::Capability), ("consume", Kind::Requirement)];
    for (key, allowed) in misplaced.into_iter().filter(|(_, allowed)| *allowed != kind) {
        if let Some(wrong) = node.get_entry(key) {
            let message = format!("`{key}` belongs to a rule about a {}", allowed.as_str());
            findings.push(Diagnostic::error(BAD_RULE, wrong.key.span(), message).help("remove it"));
        }
    }
    let replaces = node.get("replaces").and_then(Node::as_str).map(str::to_owned);
    Some(Rule {
        name: entry.name().to_owned(),
        replaces,
        subject,
        from,
        to,
        guards,
        sends: known.message(node.get("send"), findings),
        consumes: known.message(node.get("consume"), findings),
        origin: entry.key.span().into(),
    })
}

fn subject(entry: Entry<'_>, known: &Known<'_>, findings: &mut Vec<Diagnostic>) -> Option<Subject> {
    let node = entry.value;
    let named: Vec<&str> = ["node", "capability", "requirement"]
        .into_iter()
        .filter(|key| node.get(key).is_some())
        .collect();
    let [key] = named[..] else {
        let message = format!("rule `{}` is about {} things", entry.name(), named.len());
        let help = "write one of `node`, `capability` and `requirement`";
        findings.push(Diagnostic::error(BAD_RULE, entry.key.span(), message).help(help));
        return None;
    };
    let name = node.get(key)?;
    if key == "node" {
        let at = known.node_types.find("node type", name, findings)?;
        return Some(Subject::Node(NodeTypeId::from(at)));
    }
    let at = known.relationship_types.find("relationship type", name, findings)?;
    let id = RelationshipTypeId::from(at);
    Some(if key == "capability" { Subject::Capability(id) } else { Subject::Requirement(id) })
}

fn guard(
    node: Node<'_>,
    kind: Kind,
    known: &Known<'_>,
    findings: &mut Vec<Diagnostic>,
) -> Option<Guard> {
    let bad = |message: &str, help: &str| {
        Diagnostic::error(BAD_RULE, first_line(node), message.to_owned()).help(help.to_owned())
    };
    let about_neighbours = node.get("all").is_some() || node.get("some").is_some();
    if about_neighbours != (kind == Kind::Node) {
        findings.push(bad(
            "this premise does not fit what the rule is about",
            "rules about nodes look at `all` or `some` neighbours; others at `node`, `far`, \
             `capability`, `requirement` or `message`",
        ));
        return None;
    }
    if about_neighbours {
        return neighbors(node, known, findings);
    }
    let mut states =
        |key: &str, kind: Kind| node.get(key).map(|list| known.states(kind, list, findings));
    let found = [
        states("node", Kind::Node).map(Guard::Owner),
        states("far", Kind::Node).map(Guard::Far),
        states("capability", Kind::Capability).map(Guard::Capability),
        states("requirement", Kind::Requirement).map(Guard::Requirement),
        known.message(node.get("message"), findings).map(Guard::Message),
    ];
    let own = match kind {
        Kind::Capability => "capability",
        _ => "requirement",
    };
    let mut found = found.into_iter().flatten();
    match (found.next(), found.next()) {
        (Some(guard), None) if node.get(own).is_none() => Some(guard),
        _ => {
            findings.push(bad(
                "a premise says one thing about another object",
                "write one of `node`, `far`, `capability`, `requirement` and `message`",
            ));
            None
        }
    }
}

fn neighbors(node: Node<'_>, known: &Known<'_>, findings: &mut Vec<Diagnostic>) -> Option<Guard> {
    let (quantifier, word) = match (node.get("all"), node.get("some")) {
        (Some(word), None) => (Quantifier::All, word),
        (None, Some(word)) => (Quantifier::Some, word),
        _ => {
            let message = "a premise about neighbours speaks of `all` or of `some`";
            findings.push(Diagnostic::error(BAD_RULE, first_line(node), message).help("keep one"));
            return None;
        }
    };
    let all =
        [Neighbors::Requirements, Neighbors::Capabilities, Neighbors::Targets, Neighbors::Sources];
    let neighbors = all.into_iter().find(|neighbors| Some(neighbors.as_str()) == word.as_str())?;
    let over: BTreeSet<RelationshipTypeId> = match node.get("over") {
        None => (0..known.relationship_types.0.len()).map(RelationshipTypeId::from).collect(),
        Some(list) => list
            .items()
            .filter_map(|item| known.relationship_types.find("relationship type", item, findings))
            .map(RelationshipTypeId::from)
            .collect(),
    };
    let Some(list) = node.get("in") else {
        let message = "a premise about neighbours has no `in`";
        findings
            .push(Diagnostic::error(BAD_RULE, first_line(node), message).help("add the states"));
        return None;
    };
    let states = known.states(neighbors.kind(), list, findings);
    Some(Guard::Neighbors { quantifier, neighbors, over, states })
}

/// Paper: 001 wfs
fn lower_topology(node: Node<'_>, rules: RuleSet, findings: &mut Vec<Diagnostic>) -> Topology {
    let type_names: Names<'_> = Names(rules.node_types.iter().map(|t| t.name.as_str()).collect());
    let mut nodes = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in node.get("nodes").into_iter().flat_map(Node::entries) {
        let Some(at) = type_names.find("node type", entry.value, findings) else { continue };
        places.insert(entry.name(), nodes.len());
        nodes.push(TopologyNode { name: entry.name().to_owned(), node_type: NodeTypeId::from(at) });
    }
    let relationship_names =
        Names(rules.relationship_types.iter().map(|t| t.name.as_str()).collect());
    let mut links = Vec::new();
    let mut places_of_links = Vec::new();
    for item in node.get("relationships").into_iter().flat_map(Node::items) {
        let kind = item.get("type");
        let kind = kind.and_then(|n| relationship_names.find("relationship type", n, findings));
        let mut end = |key: &str| {
            let name = item.get(key)?;
            let found = places.get(name.as_str()?).copied();
            if found.is_none() {
                unknown("node", name, places.keys().copied(), findings);
            }
            found
        };
        let (source, target) = (end("from"), end("to"));
        let (Some(kind), Some(source), Some(target)) = (kind, source, target) else { continue };
        if source == target {
            let message = "a relationship leads from a node to itself";
            findings.push(
                Diagnostic::error(BAD_TOPOLOGY, item.span(), message).help("connect two nodes"),
            );
        }
        links.push((RelationshipTypeId::from(kind), source, target));
        places_of_links.push(item.span());
    }
    if nodes.is_empty() {
        let message = "a topology without nodes";
        findings.push(Diagnostic::error(BAD_TOPOLOGY, first_line(node), message).help("add nodes"));
    }
    let name = node.get("name").and_then(Node::as_str).unwrap_or("topology").to_owned();
    let topology = Topology::new(&name, rules, nodes).with_links(&links);
    if let Some(cycle) = topology.cycle() {
        let names: Vec<String> =
            cycle.iter().map(|at| format!("`{}`", topology.nodes[*at].name)).collect();
        let message = format!("nodes depend on each other in a cycle: {}", names.join(", "));
        // The last relationship of the cycle is the one that closes it.
        let closes = |(_, source, target): &(RelationshipTypeId, usize, usize)| {
            cycle.contains(source) && cycle.contains(target)
        };
        let place = links.iter().rposition(closes).map(|at| places_of_links[at]);
        findings.push(
            Diagnostic::error(BAD_TOPOLOGY, place.unwrap_or(first_line(node)), message)
                .help("remove one of these relationships"),
        );
    }
    topology
}

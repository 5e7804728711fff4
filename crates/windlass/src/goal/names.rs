//! Which instances a goal can name: a name that is neither a node nor an instance is a slip, and a
//! slip must not make a goal hold that says the instance is gone.

use std::collections::BTreeMap;

use crate::application::{Application, InstanceId, NodeId};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::spelling;

/// Instances by name, with their nodes.
pub type Known = BTreeMap<InstanceId, NodeId>;

/// The instances that a goal may name, beside those that the application declares.
#[derive(Debug, Clone, Copy)]
pub enum Ids<'a> {
    /// Any.
    Any,
    /// States and plans are not known yet, and may bring others: names that end with a digit.
    Later,
    /// These alone.
    Known(&'a Known),
    /// These, and those that a plan is free to create: `NODE-1`, `NODE-2` and so on.
    Creatable(&'a Known),
}

impl Ids<'_> {
    /// The node of an instance, where that is known.
    pub(super) fn node_of(self, name: &str, application: &Application) -> Option<NodeId> {
        let declares = |node: &NodeId| {
            application.node(*node).instances.iter().any(|instance| instance.id == name)
        };
        let declared = || application.node_ids().find(declares);
        let found = |known: &Known| known.get(&InstanceId(name.to_owned())).copied();
        match self {
            Ids::Any | Ids::Later => declared(),
            Ids::Known(known) => found(known).or_else(declared),
            Ids::Creatable(known) => {
                found(known).or_else(declared).or_else(|| created(name, application))
            }
        }
    }

    /// Whether a name whose node is not known may be an instance.
    pub(super) fn may_be(self, name: &str) -> bool {
        match self {
            Ids::Any => true,
            Ids::Later => name.ends_with(|c: char| c.is_ascii_digit()),
            Ids::Known(_) | Ids::Creatable(_) => false,
        }
    }
}

/// The finding about the name of an instance that is none.
pub(crate) fn unknown(
    name: &str,
    span: Span,
    application: &Application,
    ids: Ids<'_>,
) -> Option<Diagnostic> {
    if ids.may_be(name) || ids.node_of(name, application).is_some() {
        return None;
    }
    let finding = Diagnostic::error(super::BAD_GOAL, span, format!("`{name}` is no instance"));
    Some(match near(name, application, ids) {
        Some(near) => finding.help(format!("did you mean `{near}`?")),
        None => finding,
    })
}

/// The node of an instance that a plan is free to create: `NODE-1`, `NODE-2` and so on.
pub(crate) fn created(name: &str, application: &Application) -> Option<NodeId> {
    application.node_named(numbered(name)?)
}

/// The name of the node in a name like `NODE-2`.
fn numbered(name: &str) -> Option<&str> {
    let (node, number) = name.rsplit_once('-')?;
    number.parse::<u32>().ok().map(|_| node)
}

/// What to write instead of a name that is none.
pub(super) fn advice(name: &str, application: &Application, ids: Ids<'_>) -> String {
    match near(name, application, ids) {
        Some(near) => format!("did you mean `{near}`?"),
        None => spelling::known("node", application.nodes.iter().map(|node| &*node.name)),
    }
}

fn near<'a>(name: &str, application: &'a Application, ids: Ids<'a>) -> Option<&'a str> {
    let nodes = application.nodes.iter().map(|node| &*node.name);
    let declared = application.nodes.iter().flat_map(|node| &node.instances).map(|i| &*i.id);
    let known = match ids {
        Ids::Known(known) | Ids::Creatable(known) => Some(known),
        Ids::Any | Ids::Later => None,
    };
    let known = known.into_iter().flat_map(|known| known.keys().map(|id| &*id.0));
    spelling::nearest(name, nodes.chain(declared).chain(known))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goal::parse_among;
    use crate::lang;
    use crate::source::Sources;

    const APP: &str = "\
windlass: 1
types:
  job:
    protocol:
      initial: idle
      states: { idle: {}, done: {} }
      transitions:
        - { from: idle, operation: work, to: done }
  door: { protocol: { initial: shut, states: { shut: {}, open: {} } } }
nodes:
  job: { type: job, count: 2 }
  gate: { type: door, instances: { main: {} } }
";

    /// What is wrong with a goal, with the advice.
    fn complaint(goal: &str, ids: Ids<'_>) -> Option<String> {
        let mut sources = Sources::new();
        let source = sources.add("windlass.yaml", APP);
        let reading = lang::read(None, source, &sources);
        let application = reading.application.unwrap_or_else(|| panic!("{:?}", reading.findings));
        let span = Span { source, start: 0, end: 0 };
        let mut findings = Vec::new();
        parse_among(goal, span, true, &application, ids, &mut findings);
        let finding = findings.first()?;
        Some(format!("{}; {}", finding.message, finding.help.clone().unwrap_or_default()))
    }

    #[test]
    fn a_name_is_a_node_an_instance_or_a_slip() {
        let known = Known::from([("first".into(), NodeId::from(0))]);
        let known = Ids::Known(&known);
        for good in ["job=done", "gate=gone", "main=open", "first=done", "first=gone"] {
            assert_eq!(complaint(good, known), None, "{good}");
        }
        let unknown = |name: &str| format!("`{name}` is no node and no instance");
        for (goal, expected) in [
            ("zz=gone", unknown("zz") + "; known nodes: `gate`, `job`"),
            ("jobb=done", unknown("jobb") + "; did you mean `job`?"),
            ("frist=done", unknown("frist") + "; did you mean `first`?"),
            ("mian=gone", unknown("mian") + "; did you mean `main`?"),
            ("job-1=done", unknown("job-1") + "; known nodes: `gate`, `job`"),
            ("first=open", "`first` has no state `open`; known states: `done`, `idle`".to_owned()),
            (
                "jbo=done*2",
                "unknown node `jbo` in the goal; one instance takes no amount; \
                 did you mean `job`?"
                    .to_owned(),
            ),
        ] {
            assert_eq!(complaint(goal, known), Some(expected), "{goal}");
        }
    }

    #[test]
    fn what_comes_later_may_be_named_when_it_looks_like_an_instance() {
        let nothing = Known::new();
        let creatable = Ids::Creatable(&nothing);
        assert_eq!(complaint("job-2=done", creatable), None);
        assert!(complaint("job-2=open", creatable).is_some());
        assert!(complaint("jab-2=done", creatable).is_some());
        assert_eq!(complaint("j1=done", Ids::Later), None);
        assert!(complaint("j1=nowhere", Ids::Later).is_some());
        assert!(complaint("missing=done", Ids::Later).is_some());
        assert_eq!(complaint("missing=done", Ids::Any), None);
    }
}

//! Documents beside an application: plans, states and goals, ours or RAMP's or TosKer's.
//!
//! The caller need not know in which language it was written. A function `..._of` takes a text that
//! was looked at before, and does not parse it again.

use super::language::{Kind, Language, Origin, Text};
use super::recognize::Recognized;
use super::{ReadOptions, has_errors, windlass};
use crate::application::{Application, GlobalState};
use crate::diagnostic::{self, Diagnostic};
use crate::goal::GoalFile;
use crate::goal::names::Ids;
use crate::lifecycle::setup::{RuleSet, Topology};
use crate::lifecycle::timing::Timing;
use crate::plan::Plan;
use crate::source::{SourceId, Sources};
use crate::tree::{self, Node};

/// What came out of reading one document.
#[derive(Debug, Clone)]
pub struct Reading<T> {
    /// The language it is in; none when it is no such document in any language.
    pub language: Option<Language>,
    /// The document, when its text has no errors.
    pub document: Option<T>,
    /// Everything that is wrong with the text, in its order.
    pub findings: Vec<Diagnostic>,
}

impl<T> Reading<T> {
    fn new(language: Option<Language>, document: Option<T>, findings: Vec<Diagnostic>) -> Self {
        let mut findings = findings;
        diagnostic::sort(&mut findings);
        let document = document.filter(|_| !has_errors(&findings));
        Reading { language, document, findings }
    }
}

/// Looks at a text that stands alone.
fn recognized(root: SourceId, sources: &Sources) -> Recognized {
    super::recognize(None, root, Origin::Alone, sources, &ReadOptions::default())
}

/// How the trees of documents are read: a topology of a million relationships has over seven
/// million values.
pub(super) fn tree_options() -> tree::Options {
    tree::Options { max_nodes: 20_000_000, ..tree::Options::default() }
}

/// Reads a plan: ours, RAMP's, of RAMP's branch `v0`, TosKer's, or a workflow of TOSCA.
pub fn read_plan(root: SourceId, sources: &Sources) -> Reading<Plan> {
    plan_of(recognized(root, sources), sources)
}

/// Reads the plan in a text that was looked at.
pub fn plan_of(text: Recognized, sources: &Sources) -> Reading<Plan> {
    let (language, kind, mut findings) = (text.language, text.kind, Vec::new());
    let is_service = kind == Some(Kind::Application) && language == Some(Language::TOSCA);
    let plan = match language.filter(|_| kind == Some(Kind::Plan) || is_service) {
        Some(language) => {
            // Profiles are added to the texts; no finding points into them.
            let (mut sources, options) = (sources.clone(), ReadOptions::default());
            let mut context = super::alone("", &mut sources, &options);
            language.reader().read_plan(text.into_text(), &mut context, &mut findings)
        }
        None => {
            (_, findings) = text.into_text().parse(sources, &tree_options());
            None
        }
    };
    Reading::new(language.filter(|_| plan.is_some()), plan, findings)
}

/// Reads a state for an application: ours or RAMP's.
pub fn read_state(
    root: SourceId,
    sources: &Sources,
    application: &Application,
) -> Reading<GlobalState> {
    state_of(recognized(root, sources), sources, application)
}

/// Reads the state in a text that was looked at.
pub fn state_of(
    text: Recognized,
    sources: &Sources,
    application: &Application,
) -> Reading<GlobalState> {
    let language = text.language.filter(|_| text.kind == Some(Kind::State));
    let (tree, mut findings) = text.into_text().parse(sources, &tree_options());
    let read = |it: Language| it.reader().read_state(tree.root(), application, &mut findings);
    let state = language.and_then(read);
    Reading::new(language.filter(|_| state.is_some()), state, findings)
}

/// Reads a plan that this program wrote, however long it is.
pub fn kept_plan(root: SourceId, sources: &Sources) -> Option<Plan> {
    kept(root, sources, |node, findings| {
        let ours = windlass::detect(node) == Some(Kind::Plan);
        ours.then(|| (Language::WINDLASS, windlass::read_plan(node, findings)))
    })
}

/// Reads a state that this program wrote, however large it is.
pub fn kept_state(
    root: SourceId,
    sources: &Sources,
    application: &Application,
) -> Option<GlobalState> {
    kept(root, sources, |node, findings| {
        let ours = windlass::detect(node) == Some(Kind::State);
        ours.then(|| (Language::WINDLASS, windlass::read_state(node, application, findings)))
    })
}

/// Reads a goal file for an application with these instances; only our own language has them.
pub fn read_goal(
    root: SourceId,
    sources: &Sources,
    application: &Application,
    ids: Ids<'_>,
) -> Reading<GoalFile> {
    goal_of(Text::new(root), sources, application, ids)
}

/// Reads the goal file in a text that was looked at.
pub fn goal_of(
    text: Text,
    sources: &Sources,
    application: &Application,
    ids: Ids<'_>,
) -> Reading<GoalFile> {
    read(text, sources, |node, findings| {
        let ours = windlass::detect(node) == Some(Kind::Goal);
        ours.then(|| {
            (Language::WINDLASS, windlass::read_goal_file(node, application, ids, findings))
        })
    })
}

/// Reads a rule set.
pub fn read_rules(root: SourceId, sources: &Sources) -> Reading<RuleSet> {
    rules_of(Text::new(root), sources)
}

/// Reads the rule set in a text that was looked at.
pub fn rules_of(text: Text, sources: &Sources) -> Reading<RuleSet> {
    read(text, sources, |node, findings| {
        let ours = windlass::detect(node) == Some(Kind::Rules);
        let rules = ours.then(|| windlass::read_rules(node, findings))?;
        rules.map(|rules| (Language::WINDLASS, rules))
    })
}

/// Reads a topology of a rule set.
pub fn read_topology(root: SourceId, sources: &Sources) -> Reading<Topology> {
    topology_of(Text::new(root), sources)
}

/// Reads the topology in a text that was looked at.
pub fn topology_of(text: Text, sources: &Sources) -> Reading<Topology> {
    read(text, sources, |node, findings| {
        let ours = windlass::detect(node) == Some(Kind::Topology);
        let topology = ours.then(|| windlass::read_topology(node, findings))?;
        topology.map(|topology| (Language::WINDLASS, topology))
    })
}

/// Reads durations for an assembly: `NODE.TRANSITION: DURATION`.
pub fn durations_of(text: Text, sources: &Sources) -> Reading<Vec<(String, Timing)>> {
    read(text, sources, |node, findings| {
        let durations = windlass::read_durations(node, findings);
        node.is_mapping().then_some((Language::WINDLASS, durations))
    })
}

/// Reads YAML or JSON with whatever recognizes it.
fn read<T>(
    text: Text,
    sources: &Sources,
    reader: impl FnOnce(Node<'_>, &mut Vec<Diagnostic>) -> Option<(Language, T)>,
) -> Reading<T> {
    read_within(&tree_options(), text, sources, reader)
}

/// Reads a text of our own: limits are for what others write.
fn kept<T>(
    root: SourceId,
    sources: &Sources,
    reader: impl FnOnce(Node<'_>, &mut Vec<Diagnostic>) -> Option<(Language, T)>,
) -> Option<T> {
    let options =
        tree::Options { max_nodes: u32::MAX, max_bytes: u32::MAX, ..tree::Options::default() };
    read_within(&options, Text::new(root), sources, reader).document
}

fn read_within<T>(
    options: &tree::Options,
    text: Text,
    sources: &Sources,
    reader: impl FnOnce(Node<'_>, &mut Vec<Diagnostic>) -> Option<(Language, T)>,
) -> Reading<T> {
    let (tree, mut findings) = text.parse(sources, options);
    match reader(tree.root(), &mut findings) {
        Some((language, document)) => Reading::new(Some(language), Some(document), findings),
        None => Reading::new(None, None, findings),
    }
}

//! Documents beside an application: plans, states and goals, ours or RAMP's or TosKer's.
//!
//! The caller need not know in which language it was written.

use super::{Language, checked_tosca, has_errors, hot, ramp, tosca, tosker, windlass};
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

/// What a text describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An application.
    Application,
    /// A state of one.
    State,
    /// A plan for one.
    Plan,
    /// A goal for one.
    Goal,
    /// A rule set.
    Rules,
    /// A topology of one.
    Topology,
}

/// What a text describes, in whatever language; none when it is in no known one.
pub fn kind(root: SourceId, sources: &Sources) -> Option<Kind> {
    let text = &sources.get(root).text;
    match Language::detect_text(text) {
        Some(Language::Tosker) => return Some(Kind::Plan),
        Some(_) => return Some(Kind::Application),
        None => {}
    }
    let (tree, _) = tree::parse(root, text, &tree::Options::default());
    let ours = windlass::Document::detect(tree.root()).map(|document| match document {
        windlass::Document::Application => Kind::Application,
        windlass::Document::State => Kind::State,
        windlass::Document::Plan => Kind::Plan,
        windlass::Document::Goal => Kind::Goal,
        windlass::Document::Rules => Kind::Rules,
        windlass::Document::Topology => Kind::Topology,
    });
    ours.or_else(|| {
        ramp::Document::detect(tree.root()).map(|document| match document {
            ramp::Document::Application => Kind::Application,
            ramp::Document::State => Kind::State,
            ramp::Document::Plan => Kind::Plan,
        })
    })
    .or_else(|| hot::detect(tree.root()).then_some(Kind::Application))
}

/// Reads a plan: ours, RAMP's, of RAMP's branch `v0`, TosKer's, or a workflow of TOSCA.
pub fn read_plan(root: SourceId, sources: &Sources) -> Reading<Plan> {
    let source = sources.get(root);
    let as_tosker = || {
        let mut findings = Vec::new();
        let plan = tosker::read_plan(root, source, &mut findings);
        Reading::new(Some(Language::Tosker), Some(plan), findings)
    };
    if tosker::detect(&source.text) {
        return as_tosker();
    }
    let reading = read(root, sources, |node, findings| {
        if ramp::Document::detect(node) == Some(ramp::Document::Plan) {
            return Some((Language::Ramp, ramp::read_plan(node, findings)));
        }
        let ours = windlass::Document::detect(node) == Some(windlass::Document::Plan);
        ours.then(|| (Language::Windlass, windlass::read_plan(node, findings)))
    });
    if reading.language.is_none()
        && let Some(workflow) = read_workflow(root, sources)
    {
        return workflow;
    }
    match reading.language {
        None if tosker::is_named(&source.name) => as_tosker(),
        _ => reading,
    }
}

/// The workflow of a TOSCA service as a plan: `deploy`, or the first one.
fn read_workflow(root: SourceId, sources: &Sources) -> Option<Reading<Plan>> {
    let (tree, _) = tree::parse(root, &sources.get(root).text, &tree::Options::default());
    if !tosca::detect(tree.root()) {
        return None;
    }
    // Profiles are added to the texts; no finding points into them. What is wrong with the service
    // is said where it is read as the application.
    let mut sources = sources.clone();
    let given = tosca::inputs::InputValues::default();
    let model = checked_tosca(root, &mut sources, None, &given, &mut Vec::new())?;
    let plan = tosca::workflow::plan(&model, None)?;
    Some(Reading::new(Some(Language::Tosca), Some(plan), Vec::new()))
}

/// Reads a state for an application: ours or RAMP's.
pub fn read_state(
    root: SourceId,
    sources: &Sources,
    application: &Application,
) -> Reading<GlobalState> {
    read(root, sources, |node, findings| {
        if ramp::Document::detect(node) == Some(ramp::Document::State) {
            return Some((Language::Ramp, ramp::read_state(node, application, findings)));
        }
        let ours = windlass::Document::detect(node) == Some(windlass::Document::State);
        ours.then(|| (Language::Windlass, windlass::read_state(node, application, findings)))
    })
}

/// Reads a plan that this program wrote, however long it is.
pub fn kept_plan(root: SourceId, sources: &Sources) -> Option<Plan> {
    kept(root, sources, |node, findings| {
        let ours = windlass::Document::detect(node) == Some(windlass::Document::Plan);
        ours.then(|| (Language::Windlass, windlass::read_plan(node, findings)))
    })
}

/// Reads a state that this program wrote, however large it is.
pub fn kept_state(
    root: SourceId,
    sources: &Sources,
    application: &Application,
) -> Option<GlobalState> {
    kept(root, sources, |node, findings| {
        let ours = windlass::Document::detect(node) == Some(windlass::Document::State);
        ours.then(|| (Language::Windlass, windlass::read_state(node, application, findings)))
    })
}

/// Reads a goal file for an application with these instances; only our own language has them.
pub fn read_goal(
    root: SourceId,
    sources: &Sources,
    application: &Application,
    ids: Ids<'_>,
) -> Reading<GoalFile> {
    read(root, sources, |node, findings| {
        let ours = windlass::Document::detect(node) == Some(windlass::Document::Goal);
        ours.then(|| {
            (Language::Windlass, windlass::read_goal_file(node, application, ids, findings))
        })
    })
}

/// Reads a rule set.
pub fn read_rules(root: SourceId, sources: &Sources) -> Reading<RuleSet> {
    read(root, sources, |node, findings| {
        let ours = windlass::Document::detect(node) == Some(windlass::Document::Rules);
        let rules = ours.then(|| windlass::read_rules(node, findings))?;
        rules.map(|rules| (Language::Windlass, rules))
    })
}

/// Reads a topology of a rule set.
pub fn read_topology(root: SourceId, sources: &Sources) -> Reading<Topology> {
    read(root, sources, |node, findings| {
        let ours = windlass::Document::detect(node) == Some(windlass::Document::Topology);
        let topology = ours.then(|| windlass::read_topology(node, findings))?;
        topology.map(|topology| (Language::Windlass, topology))
    })
}

/// Reads durations for an assembly: `NODE.TRANSITION: DURATION`.
pub fn read_durations(root: SourceId, sources: &Sources) -> Reading<Vec<(String, Timing)>> {
    read(root, sources, |node, findings| {
        let durations = windlass::read_durations(node, findings);
        node.is_mapping().then_some((Language::Windlass, durations))
    })
}

/// Reads YAML or JSON with whatever recognizes it.
fn read<T>(
    root: SourceId,
    sources: &Sources,
    reader: impl FnOnce(Node<'_>, &mut Vec<Diagnostic>) -> Option<(Language, T)>,
) -> Reading<T> {
    // A topology of a million relationships has over seven million values.
    let options = tree::Options { max_nodes: 20_000_000, ..tree::Options::default() };
    read_within(&options, root, sources, reader)
}

/// Reads a text of our own: limits are for what others write.
fn kept<T>(
    root: SourceId,
    sources: &Sources,
    reader: impl FnOnce(Node<'_>, &mut Vec<Diagnostic>) -> Option<(Language, T)>,
) -> Option<T> {
    let options =
        tree::Options { max_nodes: u32::MAX, max_bytes: u32::MAX, ..tree::Options::default() };
    read_within(&options, root, sources, reader).document
}

fn read_within<T>(
    options: &tree::Options,
    root: SourceId,
    sources: &Sources,
    reader: impl FnOnce(Node<'_>, &mut Vec<Diagnostic>) -> Option<(Language, T)>,
) -> Reading<T> {
    let (tree, mut findings) = tree::parse(root, &sources.get(root).text, options);
    match reader(tree.root(), &mut findings) {
        Some((language, document)) => Reading::new(Some(language), Some(document), findings),
        None => Reading::new(None, None, findings),
    }
}

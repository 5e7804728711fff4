//! Goal files: a goal with conditions on the way to it.

use super::{check_shape, unknown};
use crate::application::{Application, InstanceId};
use crate::diagnostic::Diagnostic;
use crate::goal::names::Ids;
use crate::goal::{self, Goal, GoalFile};
use crate::lang::language::Kind;
use crate::tree::{Node, Style};

/// Reads a goal file for an application with these instances.
pub(crate) fn read_goal_file(
    root: Node<'_>,
    application: &Application,
    ids: Ids<'_>,
    findings: &mut Vec<Diagnostic>,
) -> GoalFile {
    check_shape(Kind::Goal, root, findings);
    lower(root, application, ids, findings)
}

/// Lowers a goal, given as a text or as a record.
pub(super) fn lower(
    node: Node<'_>,
    application: &Application,
    ids: Ids<'_>,
    findings: &mut Vec<Diagnostic>,
) -> GoalFile {
    if node.is_scalar() {
        return GoalFile { goal: parse(node, application, ids, findings), ..GoalFile::default() };
    }
    let items = |key: &str| node.get(key).into_iter().flat_map(Node::items);
    let mut file = GoalFile::default();
    if let Some(goal) = node.get("goal") {
        file.goal = parse(goal, application, ids, findings);
    }
    for item in items("keep") {
        let Some(name) = item.as_str() else { continue };
        if let Some(finding) = goal::names::unknown(name, item.span(), application, ids) {
            findings.push(finding);
        }
        file.keep.push(InstanceId(name.to_owned()));
    }
    file.always = items("always").map(|item| parse(item, application, ids, findings)).collect();
    file.never = items("never").map(|item| parse(item, application, ids, findings)).collect();
    for entry in node.get("budget").into_iter().flat_map(Node::entries) {
        match application.node_named(entry.name()) {
            Some(id) => {
                let most = entry.value.as_int().and_then(|most| u32::try_from(most).ok());
                file.budget.extend(most.map(|most| (id, most)));
            }
            None => {
                let known = application.nodes.iter().map(|node| &*node.name);
                unknown("node", entry.key, known, findings);
            }
        }
    }
    file
}

fn parse(
    node: Node<'_>,
    application: &Application,
    ids: Ids<'_>,
    findings: &mut Vec<Diagnostic>,
) -> Goal {
    let Some(text) = node.as_str() else { return Goal::default() };
    let span = node.span();
    let same_length = (span.end - span.start) as usize == text.len();
    let verbatim = same_length && node.style() == Some(Style::Plain) && !node.is_alias();
    goal::parse_among(text, span, verbatim, application, ids, findings)
}

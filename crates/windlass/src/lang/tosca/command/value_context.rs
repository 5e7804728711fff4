//! Where a value stands: whose it is, and which instance of a node asks for it.

use super::super::lower::links::Link;

/// ValueOwner operation it is.
#[derive(Clone)]
pub(crate) struct ValueContext {
    /// The node template.
    pub(crate) source: usize,
    /// Source and target, for an operation of a relationship.
    pub(crate) link: Option<(usize, usize)>,
    /// The relationship, by its place among the links.
    pub(crate) relationship: Option<usize>,
    /// Its number among those of its requirement, `relationship_index`.
    pub(crate) relationship_index: Option<usize>,
    /// The node template whose instance evaluates the value; none outside of nodes.
    pub(crate) asking: Option<usize>,
    /// The number of that instance, from 0; none when only the run knows it.
    pub(crate) number: Option<usize>,
    /// Whether the index of a target is computed here, which depends on no other one.
    pub(crate) is_index: bool,
}

impl ValueContext {
    /// The place of a node.
    pub(crate) fn of_node(source: usize) -> Self {
        ValueContext {
            source,
            link: None,
            relationship: None,
            relationship_index: None,
            asking: Some(source),
            number: None,
            is_index: false,
        }
    }

    /// The place of a relationship, as part of the life of the node `asking`.
    pub(crate) fn of_link(link: &Link<'_>, asking: usize) -> Self {
        let place = ValueContext::of_node(link.source);
        let ends = Some((link.source, link.target));
        let relationship_index = Some(link.number);
        let relationship = Some(link.at);
        ValueContext { link: ends, relationship, relationship_index, asking: Some(asking), ..place }
    }

    /// The place of a requirement: `SELF` is the node that requires, and each of its relationships
    /// has a number.
    pub(crate) fn of_requirement(source: usize, relationship_index: usize) -> Self {
        ValueContext {
            relationship_index: Some(relationship_index),
            ..ValueContext::of_node(source)
        }
    }

    /// Outside of every node: functions name theirs.
    pub(crate) fn nowhere() -> Self {
        ValueContext { asking: None, ..ValueContext::of_node(usize::MAX) }
    }

    /// The same for one of the instances.
    pub(crate) fn numbered(&self, number: usize) -> Self {
        ValueContext { number: Some(number), ..self.clone() }
    }

    /// Another place that the same instance looks at.
    pub(crate) fn seeing(&self, other: ValueContext) -> Self {
        let ValueContext { asking, number, is_index, .. } = *self;
        ValueContext { asking, number, is_index, ..other }
    }

    /// `node_index`: none when only the run knows it. Of other nodes it is the first instance that
    /// is looked at.
    pub(crate) fn index(&self) -> Option<usize> {
        if self.asking == Some(self.source) { self.number } else { Some(0) }
    }

    /// Whether only the run knows which instance asks.
    pub(crate) fn is_open(&self) -> bool {
        self.asking.is_some() && self.number.is_none()
    }
}

//! Does bringing up any topology of a rule set always complete? (paper 001, by machine)
//!
//! Three questions about finitely many things: do weights exist that fall with every rule
//! (`weights.rs`), what can a relationship look like (`views.rs`), and can a node be stuck that
//! waits only for nodes that are done (`cases.rs`). Small topologies, for when a case stays open,
//! are listed by `topologies.rs`. Why this proves the claim: `docs/theory/any-size.md`.

use super::{cases, views, weights};
use crate::lifecycle::setup::argument::{Argument, Direction, Place, View};
use crate::lifecycle::setup::{Kind, Local, NodeTypeId, RuleId, RuleSet};

/// Why there is no proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Open {
    /// Rules lead local states of a kind in a cycle, so nothing falls.
    Cycle {
        /// The kind of object.
        kind: Kind,
        /// The rules of the cycle, in order.
        rules: Vec<RuleId>,
    },
    /// A node that waits only for nodes that are done may still be stuck.
    Case(OpenCase),
}

/// A node that may be stuck.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCase {
    /// Its type.
    pub(crate) node_type: NodeTypeId,
    /// Its state.
    pub(crate) state: Local,
    /// A neighbour that keeps it there and does not move, if it is one.
    pub(crate) neighbour: Option<(Place, View)>,
}

/// A proof for every topology, or the first thing that is open.
pub fn prove(rules: &RuleSet) -> Result<Argument, Open> {
    let weights = weights::find(rules)?;
    let views = views::all(rules);
    let mut first_open = None;
    for direction in [Direction::Targets, Direction::Sources] {
        match cases::all(rules, &views, direction) {
            Ok(cases) => return Ok(Argument { weights, views, direction, cases }),
            Err(open) => {
                first_open.get_or_insert(open);
            }
        }
    }
    // There are two directions, so one of them was tried.
    let fallback = OpenCase { node_type: NodeTypeId(0), state: 0, neighbour: None };
    Err(Open::Case(first_open.unwrap_or(fallback)))
}

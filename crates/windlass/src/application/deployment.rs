//! What an assembly of nets says beside its nets: how much runs at once, where, and in which order
//! behaviors follow each other.

use std::collections::BTreeMap;

use super::NodeId;

/// Limits, hosts and behaviors of an assembly. The default says nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deployment {
    /// How many actions a host carries out at once.
    pub hosts: BTreeMap<String, u32>,
    /// Where a host is reached, when its name does not say it.
    pub addresses: BTreeMap<String, String>,
    /// How many actions hold a lock at once.
    pub locks: BTreeMap<String, u32>,
    /// The host of a node.
    pub host: BTreeMap<NodeId, String>,
    /// The behaviors that a node goes through, one after the other; those of a node that is not
    /// named here are its first.
    pub behaviors: BTreeMap<NodeId, Vec<String>>,
    /// What a node is one of several of: where each has partners of its own, a description in
    /// another language has one word for all of them.
    pub part_of: BTreeMap<NodeId, String>,
    /// Where the durations come from, in words.
    pub durations_from: Option<String>,
}

//! How many instances of each node a plan can ever need.
//!
//! Paper 004 gives every requirement of every instance of the start and of the goal a support
//! instance of its own, and those support instances again. More than that is never of use, so the
//! search space is finite. The search creates support instances only on demand; these numbers are
//! where it ends.

use super::tables::Tables;

/// The most instances of each node: those given and their support instances.
///
/// Paper: 004 Def. 4.5
/// Deviation: counts in place of identifiers, because support instances are interchangeable; on a
/// topology with a cycle, where the definition has no smallest set, one round around it is counted.
pub fn limits(tables: &Tables, given: &[u32]) -> Vec<u32> {
    let mut limits: Vec<u32> = given.to_vec();
    for (node, count) in given.iter().enumerate().filter(|(_, count)| **count > 0) {
        let mut on_path = vec![false; tables.nodes.len()];
        let mut below = vec![0_u32; tables.nodes.len()];
        support(tables, node, &mut on_path, &mut below, &mut 10_000);
        for (limit, more) in limits.iter_mut().zip(&below) {
            *limit = limit.saturating_add(more.saturating_mul(*count));
        }
    }
    limits
}

/// Counts the support instances of one instance of a node. `patience` bounds the work on
/// topologies in which the same nodes are reached in very many ways: there the count is so large
/// that it limits nothing.
fn support(
    tables: &Tables,
    node: usize,
    on_path: &mut [bool],
    below: &mut [u32],
    patience: &mut u32,
) {
    on_path[node] = true;
    for requirement in &tables.nodes[node].requirements {
        let Some((target, _)) = requirement.target else { continue };
        if *patience == 0 {
            below[target] = u32::MAX / 2;
            continue;
        }
        *patience -= 1;
        let several = match requirement.arity {
            crate::lifecycle::protocol::Arity::Any => 1,
            crate::lifecycle::protocol::Arity::AtLeast(least) => least.max(1),
            crate::lifecycle::protocol::Arity::All => tables.nodes[target].wanted,
        };
        below[target] = below[target].saturating_add(several);
        if !on_path[target] {
            for _ in 0..several.min(8) {
                support(tables, target, on_path, below, patience);
            }
        }
    }
    on_path[node] = false;
}

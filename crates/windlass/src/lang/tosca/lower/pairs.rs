//! Nodes of a template that have partners of their own: `[ right, $node_index ]` as a target.
//!
//! A binding of an application leads to a node and not to one of its instances. So every node of
//! such a template becomes a node of the application, with the name that the instance has anyway,
//! and the relationships of each lead to the ones that are meant.

use std::collections::BTreeSet;
use std::ops::Range;

use super::super::command::Inputs;
use super::links::{Index, Link};
use super::name_of;

/// Templates with more nodes than that stay one node with a count: what names one of them waits
/// for all.
const MOST: u32 = 256;
/// The same for all that would be taken apart together.
const MOST_TOGETHER: u32 = 4096;

/// Which templates are taken apart, and what each relationship leads to then.
pub(super) struct Pairs {
    /// By node template: how many nodes it is taken apart into.
    apart: Vec<Option<u32>>,
    /// By link: for each instance of the source, the number of the target; none when it is not
    /// known.
    targets: Vec<Option<Vec<usize>>>,
}

impl Pairs {
    /// Nothing is taken apart.
    pub(super) fn none(inputs: &Inputs<'_, '_>) -> Self {
        let apart = vec![None; inputs.service.nodes.len()];
        Pairs { apart, targets: vec![None; inputs.links.len()] }
    }

    /// What the relationships of a service ask for.
    pub(super) fn of(inputs: &Inputs<'_, '_>) -> Self {
        let mut pairs = Pairs::none(inputs);
        if inputs.links.iter().all(|link| link.index.is_none()) {
            return pairs;
        }
        let names: BTreeSet<&str> = inputs.service.nodes.names().collect();
        for link in inputs.links.iter() {
            let Some(targets) = targets(inputs, link, &names) else { continue };
            let differ = targets.iter().any(|target| *target != targets[0]);
            if differ {
                pairs.apart[link.source] = Some(inputs.count(link.source));
            }
            pairs.apart[link.target] = Some(inputs.count(link.target));
            pairs.targets[link.at] = Some(targets);
        }
        let together: u32 = pairs.apart.iter().flatten().fold(0, |sum, it| sum.saturating_add(*it));
        if together > MOST_TOGETHER { Pairs::none(inputs) } else { pairs }
    }

    /// Whether a template is taken apart.
    pub(super) fn is_apart(&self, template: usize) -> bool {
        self.apart[template].is_some()
    }

    /// The names of the nodes of a template, and the number of instances of each.
    pub(super) fn names(&self, inputs: &Inputs<'_, '_>, template: usize) -> Vec<(String, u32)> {
        let name = inputs.service.nodes.at(template).map_or("", |(name, _)| &*name.text);
        match self.apart[template] {
            None => vec![(name_of(name), inputs.count(template))],
            Some(count) => (0..count).map(|number| (part_name(name, number), 1)).collect(),
        }
    }

    /// The numbers of the nodes of the target that a node of the source needs: each is bound by a
    /// requirement of its own.
    pub(super) fn needs(&self, link: &Link<'_>, source: usize) -> Range<usize> {
        match (self.apart[link.target], &self.targets[link.at]) {
            (None, _) => 0..1,
            (Some(_), Some(targets)) => {
                let target = targets.get(source).or(targets.first()).copied().unwrap_or_default();
                target..target + 1
            }
            // Whichever is meant, it is among all.
            (Some(count), None) => 0..count as usize,
        }
    }

    /// Whether the index of a relationship says nothing: its target stays one node, with several
    /// instances, or all of them are needed.
    pub(super) fn is_open(&self, inputs: &Inputs<'_, '_>, link: &Link<'_>) -> bool {
        self.targets[link.at].is_none() && link.index.is_some() && inputs.count(link.target) > 1
    }

    /// Whether the source of a relationship can live in its target: both are one node, or several
    /// instances of one that stays one.
    pub(super) fn can_contain(&self, inputs: &Inputs<'_, '_>, link: &Link<'_>) -> bool {
        match (self.is_apart(link.source), self.is_apart(link.target)) {
            (_, true) => self.targets[link.at].is_some(),
            // An instance that is a node has its name, which plans give to those alone whose
            // container is known.
            (true, false) => inputs.count(link.target) == 1,
            (false, false) => !self.is_open(inputs, link),
        }
    }
}

/// The name of a node of a template, as its instances are called.
fn part_name(template: &str, number: u32) -> String {
    format!("{}-{}", name_of(template), u64::from(number) + 1)
}

/// The numbers of the targets of a relationship, for each instance of its source; none when it has
/// no index, when that is not known, or when the nodes are too many.
fn targets(inputs: &Inputs<'_, '_>, link: &Link<'_>, names: &BTreeSet<&str>) -> Option<Vec<usize>> {
    let index = link.index?;
    let (sources, count) = (inputs.count(link.source), inputs.count(link.target));
    let is_small = |template: usize, count: u32| {
        let name = inputs.service.nodes.at(template).map_or("", |(name, _)| &*name.text);
        // Another template may have the name of a part.
        let is_taken = |number: u32| names.contains(&*part_name(name, number));
        count <= MOST && !(0..count).any(is_taken)
    };
    if count <= 1 || !is_small(link.source, sources) || !is_small(link.target, count) {
        return None;
    }
    let target = |number: u32| {
        let target = match index {
            Index::Number(target) => target,
            Index::Written(value) => {
                let wanted = inputs.index(link.source, number as usize, link.number, value)?;
                usize::try_from(wanted).ok()?
            }
        };
        (target < count as usize).then_some(target)
    };
    (0..sources.max(1)).map(target).collect()
}

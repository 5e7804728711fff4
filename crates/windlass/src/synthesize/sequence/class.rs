//! Classes of instances that can stand for each other, and states as counts of them.
//!
//! Replicas are interchangeable as long as nothing calls them by name: a state of the search says
//! how many instances of each class there are, not which. A class is a whole tree: an instance
//! with everything that lives inside it. So the number of states depends on how many *kinds* of
//! situation there are, not on how many replicas.
//!
//! Replica-aware bindings are kept as *groups*. When such a requirement is bound, any instance
//! that offers may be chosen, and whichever it is must not stop while it is relied on; so the
//! instances that offered at that moment form a group, the user remembers the number of the group,
//! and its members carry the number. Equal groups share a number, and a number that nothing
//! relies on any more is forgotten.

use rustc_hash::FxBuildHasher;

/// The number of a class.
pub(crate) type ClassId = u32;

/// How many instances of each class there are: sorted by class, no zeros.
pub(crate) type Counts = Vec<(ClassId, u32)>;

/// What is special about an instance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Mark {
    /// The role of an instance that the goal names; 0 for all others.
    pub(crate) role: u32,
    /// Whether the plan created it for support.
    pub(crate) created: bool,
    /// Whether it is in the middle of an operation that no plan can end.
    pub(crate) stuck: bool,
}

/// An instance with everything inside it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Class {
    /// Its node.
    pub(crate) node: usize,
    /// Its element.
    pub(crate) element: usize,
    /// What is special about it.
    pub(crate) mark: Mark,
    /// The groups that it relies on: (requirement, group), sorted.
    pub(crate) pins: Vec<(usize, u32)>,
    /// The groups that it is a member of, as bits.
    pub(crate) groups: u64,
    /// What lives inside.
    pub(crate) children: Counts,
}

/// All classes met so far; each has a number.
#[derive(Debug, Default)]
pub(crate) struct Classes {
    all: Vec<Class>,
    numbers: hashbrown::HashMap<Class, ClassId, FxBuildHasher>,
}

impl Classes {
    /// The class with this number.
    pub(crate) fn get(&self, id: ClassId) -> &Class {
        &self.all[id as usize]
    }

    /// The number of a class.
    pub(crate) fn number(&mut self, class: Class) -> ClassId {
        if let Some(id) = self.numbers.get(&class) {
            return *id;
        }
        let id = self.all.len() as ClassId;
        self.all.push(class.clone());
        self.numbers.insert(class, id);
        id
    }

    /// Calls `look` for every class in `counts` and inside, with how many there are and the class
    /// that it lives in.
    pub(crate) fn visit(
        &self,
        counts: &Counts,
        look: &mut impl FnMut(&Class, ClassId, u32, Option<&Class>),
    ) {
        self.visit_inside(counts, 1, None, look);
    }

    fn visit_inside(
        &self,
        counts: &Counts,
        times: u32,
        home: Option<&Class>,
        look: &mut impl FnMut(&Class, ClassId, u32, Option<&Class>),
    ) {
        for (id, count) in counts {
            let class = self.get(*id);
            let count = count.saturating_mul(times);
            look(class, *id, count, home);
            self.visit_inside(&class.children, count, Some(class), look);
        }
    }

    /// Every place in `counts` where an instance can be: the classes from the outermost inward.
    pub(crate) fn paths(&self, counts: &Counts) -> Vec<Vec<ClassId>> {
        let mut all = Vec::new();
        let mut open: Vec<Vec<ClassId>> = counts.iter().rev().map(|(id, _)| vec![*id]).collect();
        while let Some(path) = open.pop() {
            if let Some(last) = path.last() {
                for (child, _) in self.get(*last).children.iter().rev() {
                    let mut longer = path.clone();
                    longer.push(*child);
                    open.push(longer);
                }
            }
            all.push(path);
        }
        all
    }

    /// The classes along `path` after the instance at its end has become `with`, or is gone with
    /// everything inside.
    pub(crate) fn rebuilt(&mut self, path: &[ClassId], with: Option<ClassId>) -> Vec<ClassId> {
        let mut place: Vec<ClassId> = with.into_iter().collect();
        let mut new = with;
        for pair in path.windows(2).rev() {
            let mut home = self.get(pair[0]).clone();
            take(&mut home.children, pair[1]);
            if let Some(new) = new {
                add(&mut home.children, new);
            }
            let home = self.number(home);
            place.push(home);
            new = Some(home);
        }
        place.reverse();
        place
    }

    /// `counts` with `place` instead of `path`, as [`Classes::rebuilt`] made it.
    pub(crate) fn replaced(counts: &Counts, path: &[ClassId], place: &[ClassId]) -> Counts {
        let mut counts = counts.clone();
        if let Some(first) = path.first() {
            take(&mut counts, *first);
        }
        if let Some(first) = place.first() {
            add(&mut counts, *first);
        }
        counts
    }

    /// Every class changed by `change`, which sees an instance without looking inside.
    pub(crate) fn mapped(
        &mut self,
        counts: &Counts,
        change: &mut impl FnMut(&Class) -> (Vec<(usize, u32)>, u64),
    ) -> (Counts, Mapping) {
        let mut mapping = Mapping::default();
        let counts = self.mapped_inside(counts, change, &mut mapping);
        (counts, mapping)
    }

    fn mapped_inside(
        &mut self,
        counts: &Counts,
        change: &mut impl FnMut(&Class) -> (Vec<(usize, u32)>, u64),
        mapping: &mut Mapping,
    ) -> Counts {
        let mut result = Counts::new();
        for (id, count) in counts {
            let new = match mapping.get(*id) {
                Some(new) => new,
                None => {
                    let mut class = self.get(*id).clone();
                    let children = std::mem::take(&mut class.children);
                    class.children = self.mapped_inside(&children, change, mapping);
                    (class.pins, class.groups) = change(&class);
                    let new = self.number(class);
                    mapping.0.push((*id, new));
                    new
                }
            };
            add_many(&mut result, new, *count);
        }
        result
    }
}

/// Which class became which.
#[derive(Debug, Default)]
pub(crate) struct Mapping(Vec<(ClassId, ClassId)>);

impl Mapping {
    /// What a class became.
    pub(crate) fn get(&self, id: ClassId) -> Option<ClassId> {
        self.0.iter().find(|(old, _)| *old == id).map(|(_, new)| *new)
    }

    /// The same place afterwards.
    pub(crate) fn path(&self, path: &[ClassId]) -> Vec<ClassId> {
        path.iter().map(|id| self.get(*id).unwrap_or(*id)).collect()
    }
}

/// One more of a class.
pub(crate) fn add(counts: &mut Counts, id: ClassId) {
    add_many(counts, id, 1);
}

fn add_many(counts: &mut Counts, id: ClassId, more: u32) {
    match counts.binary_search_by_key(&id, |(id, _)| *id) {
        Ok(at) => counts[at].1 += more,
        Err(at) => counts.insert(at, (id, more)),
    }
}

/// One less of a class.
fn take(counts: &mut Counts, id: ClassId) {
    if let Ok(at) = counts.binary_search_by_key(&id, |(id, _)| *id) {
        counts[at].1 -= 1;
        if counts[at].1 == 0 {
            counts.remove(at);
        }
    }
}

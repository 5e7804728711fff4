//! Which steps of a workflow come after which, found out once and asked often.

/// For every step the set of those that are reached from it, as bits.
pub(in super::super) struct Reach {
    /// How many words a set has.
    width: usize,
    bits: Vec<u64>,
}

impl Reach {
    /// From the steps that follow each step at once.
    pub(in super::super) fn of(next: &[Vec<usize>]) -> Self {
        let width = next.len().div_ceil(64);
        let mut reach = Reach { width, bits: vec![0; width * next.len()] };
        let mut open = Vec::new();
        for (start, first) in next.iter().enumerate() {
            open.extend_from_slice(first);
            while let Some(at) = open.pop() {
                if reach.insert(start, at) {
                    open.extend_from_slice(&next[at]);
                }
            }
        }
        reach
    }

    /// Whether some way leads from one step to another; from a step to itself only in a cycle.
    pub(in super::super) fn leads(&self, from: usize, to: usize) -> bool {
        self.bits[from * self.width + to / 64] & (1 << (to % 64)) != 0
    }

    /// Adds one; whether it is new.
    fn insert(&mut self, from: usize, to: usize) -> bool {
        let is_new = !self.leads(from, to);
        self.bits[from * self.width + to / 64] |= 1 << (to % 64);
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_is_reached_and_a_cycle_reaches_itself() {
        let mut next: Vec<Vec<usize>> = (1..70).map(|at| vec![at]).collect();
        next.push(Vec::new());
        let chain = Reach::of(&next);
        assert!(chain.leads(0, 69) && chain.leads(63, 64));
        assert!(!chain.leads(69, 0) && !chain.leads(5, 5));
        let cycle = Reach::of(&[vec![1], vec![0], vec![1]]);
        assert!(cycle.leads(0, 0) && cycle.leads(2, 0) && !cycle.leads(0, 2));
    }
}

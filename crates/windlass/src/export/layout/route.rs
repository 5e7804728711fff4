//! Between two layers: which bundle turns on which track.
//!
//! A bundle leaves the earlier layer, turns once onto a track across, and turns again into the
//! later layer. Tracks are ordered so that lines seldom cross and never run on top of each other
//! where that can be avoided; bundles that are far apart share a track.

use std::collections::BTreeMap;

use super::Bundle;

/// More bundles than this in one channel are ordered by a rule of thumb.
const SIFTING_LIMIT: usize = 160;

/// What a bundle does between two layers.
#[derive(Debug, Clone, Default)]
pub(super) struct Net {
    /// Where it comes from the earlier layer.
    pub(crate) uppers: Vec<i32>,
    /// Where it goes to the later layer.
    pub(crate) lowers: Vec<i32>,
}

impl Net {
    fn low(&self) -> i32 {
        self.uppers.iter().chain(&self.lowers).copied().min().unwrap_or(0)
    }

    fn high(&self) -> i32 {
        self.uppers.iter().chain(&self.lowers).copied().max().unwrap_or(0)
    }
}

/// The tracks of one channel.
#[derive(Debug, Default)]
pub(super) struct Tracks {
    /// The track of every bundle that needs one, counted from the earlier layer.
    pub(crate) of: BTreeMap<Bundle, usize>,
    /// How many there are.
    pub(crate) count: usize,
}

/// Assigns tracks to the bundles of one channel; lines keep `line` apart.
pub(super) fn assign(nets: &BTreeMap<Bundle, Net>, line: i32) -> Tracks {
    let turning: Vec<(Bundle, &Net)> = nets
        .iter()
        .filter(|(_, net)| net.low() != net.high())
        .map(|(&bundle, net)| (bundle, net))
        .collect();
    let costs = Costs::new(&turning, line);
    let order = costs.order(&turning);
    let mut tracks = Tracks::default();
    let mut placed: Vec<(usize, usize)> = Vec::new();
    for at in order {
        let after = placed.iter().filter(|(other, _)| costs.must_differ(*other, at));
        let track = after.map(|&(_, track)| track + 1).max().unwrap_or(0);
        placed.push((at, track));
        tracks.of.insert(turning[at].0, track);
        tracks.count = tracks.count.max(track + 1);
    }
    tracks
}

/// What it costs when one bundle turns before another.
struct Costs {
    count: usize,
    first_then_second: Vec<u32>,
    overlapping: Vec<bool>,
}

impl Costs {
    fn new(nets: &[(Bundle, &Net)], line: i32) -> Self {
        let count = if nets.len() <= SIFTING_LIMIT { nets.len() } else { 0 };
        let mut costs = Costs {
            count,
            first_then_second: vec![0; count * count],
            overlapping: vec![false; count * count],
        };
        for first in 0..count {
            for second in 0..count {
                let (a, b) = (nets[first].1, nets[second].1);
                costs.first_then_second[first * count + second] = cost(a, b, line);
                let apart = a.high() + line <= b.low() || b.high() + line <= a.low();
                costs.overlapping[first * count + second] = !apart;
            }
        }
        costs
    }

    /// Whether two bundles may not share a track.
    fn must_differ(&self, first: usize, second: usize) -> bool {
        self.count == 0 || self.overlapping[first * self.count + second]
    }

    /// An order of the bundles, improved by moving each to its best place.
    fn order(&self, nets: &[(Bundle, &Net)]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..nets.len()).collect();
        order.sort_by_key(|&at| (nets[at].1.lowers.first().copied(), at));
        if self.count == 0 {
            return order;
        }
        for _ in 0..4 {
            let before = order.clone();
            for net in 0..self.count {
                self.sift(&mut order, net);
            }
            if order == before {
                break;
            }
        }
        order
    }

    fn sift(&self, order: &mut Vec<usize>, net: usize) {
        let Some(current) = order.iter().position(|&other| other == net) else { return };
        order.remove(current);
        let cost = |first: usize, second: usize| {
            i64::from(self.first_then_second[first * self.count + second])
        };
        // The cost of standing first, then of passing one bundle after the other.
        let mut sum: i64 = order.iter().map(|&other| cost(net, other)).sum();
        let (mut best, mut least) = (0, sum);
        for (at, &other) in order.iter().enumerate() {
            sum += cost(other, net) - cost(net, other);
            if sum < least || (sum == least && at + 1 == current) {
                (best, least) = (at + 1, sum);
            }
        }
        order.insert(best, net);
    }
}

/// Crossings, and much more for lines on top of each other, when `first` turns before `second`.
fn cost(first: &Net, second: &Net, line: i32) -> u32 {
    let (first_low, first_high) = (first.low(), first.high());
    let (second_low, second_high) = (second.low(), second.high());
    if first_high + line <= second_low || second_high + line <= first_low {
        return 0;
    }
    let mut cost = 0;
    // After its track, the first bundle goes down through the track of the second.
    cost += first.lowers.iter().filter(|&&x| second_low <= x && x <= second_high).count();
    // Before its track, the second bundle comes down through the track of the first.
    cost += second.uppers.iter().filter(|&&x| first_low <= x && x <= first_high).count();
    for lower in &first.lowers {
        cost += 20 * second.uppers.iter().filter(|&&x| (x - lower).abs() < line).count();
    }
    u32::try_from(cost).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tracks(nets: &[(&[i32], &[i32])]) -> Vec<Option<usize>> {
        let nets: BTreeMap<Bundle, Net> = nets
            .iter()
            .enumerate()
            .map(|(at, (uppers, lowers))| {
                (at, Net { uppers: uppers.to_vec(), lowers: lowers.to_vec() })
            })
            .collect();
        let tracks = assign(&nets, 2);
        nets.keys().map(|bundle| tracks.of.get(bundle).copied()).collect()
    }

    #[test]
    fn straight_lines_need_no_track() {
        assert_eq!(tracks(&[(&[5], &[5])]), [None]);
    }

    #[test]
    fn distant_lines_share_a_track() {
        assert_eq!(tracks(&[(&[0], &[5]), (&[20], &[30])]), [Some(0), Some(0)]);
    }

    #[test]
    fn parallel_lines_do_not_cross() {
        // Both go to the right: the right one must turn first.
        assert_eq!(tracks(&[(&[0], &[20]), (&[10], &[30])]), [Some(1), Some(0)]);
    }

    #[test]
    fn a_line_turns_away_before_another_takes_its_place() {
        assert_eq!(tracks(&[(&[0], &[10]), (&[10], &[0])]).iter().flatten().count(), 2);
        assert_eq!(tracks(&[(&[0], &[10]), (&[10], &[20])]), [Some(1), Some(0)]);
    }
}

//! In which order the vertices of each layer stand: barycenters in several sweeps, then exchanges
//! of neighbors; the order with the fewest crossings wins.

use super::super::measure::units;
use super::network::Network;

/// How often the layers are swept in each direction.
const SWEEPS: usize = 12;
/// Networks with more segments than this are not refined by exchanges.
const EXCHANGE_LIMIT: usize = 4000;

/// Orders the layers of a network so that few segments cross.
pub(super) fn arrange(network: &mut Network) {
    let mut search = Search::new(network);
    let mut best = search.layers.clone();
    let mut fewest = search.crossings();
    for sweep in 0..2 * SWEEPS {
        if fewest == 0 {
            break;
        }
        search.sweep(sweep % 2 == 0);
        if network.segments.len() <= EXCHANGE_LIMIT {
            search.exchange();
        }
        let crossings = search.crossings();
        if crossings < fewest {
            fewest = crossings;
            best.clone_from(&search.layers);
        }
    }
    network.layers = best;
}

/// One order of the layers, with what is needed to improve it.
struct Search {
    layers: Vec<Vec<usize>>,
    /// The place of each vertex in its layer.
    place: Vec<usize>,
    /// For each vertex: fraction at its own end, neighbor vertex, fraction at the neighbor.
    upper: Vec<Vec<Touch>>,
    lower: Vec<Vec<Touch>>,
}

/// A segment as seen from one of its vertices; fractions are in thousandths of the vertex.
#[derive(Clone, Copy)]
struct Touch {
    own: i64,
    neighbor: usize,
    far: i64,
}

impl Search {
    fn new(network: &Network) -> Self {
        let count = network.vertices.len();
        let (mut upper, mut lower) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        let fraction = |contact: usize| {
            let contact = &network.contacts[contact];
            let size = i64::from(network.vertices[contact.vertex].size.cross);
            match (contact.free, size) {
                (true, _) | (_, 0) => 500,
                (false, size) => (i64::from(contact.offset) * 1000 / size).clamp(0, 999),
            }
        };
        for segment in network.segments.iter().filter(|segment| !segment.beside) {
            let (a, b) = (fraction(segment.upper), fraction(segment.lower));
            let above = network.contacts[segment.upper].vertex;
            let below = network.contacts[segment.lower].vertex;
            lower[above].push(Touch { own: a, neighbor: below, far: b });
            upper[below].push(Touch { own: b, neighbor: above, far: a });
        }
        let mut search =
            Search { layers: network.layers.clone(), place: vec![0; count], upper, lower };
        for layer in 0..search.layers.len() {
            search.renumber(layer);
        }
        search
    }

    fn renumber(&mut self, layer: usize) {
        for (at, &vertex) in self.layers[layer].iter().enumerate() {
            self.place[vertex] = at;
        }
    }

    /// Where the far end of a touch is, in thousandths of places.
    fn far_end(&self, touch: &Touch) -> i64 {
        i64::from(units(self.place[touch.neighbor])) * 1000 + touch.far
    }

    /// Sorts every layer by the barycenters of the neighbors in the layer before or after.
    fn sweep(&mut self, down: bool) {
        let count = self.layers.len();
        let order: Vec<usize> =
            if down { (1..count).collect() } else { (0..count.saturating_sub(1)).rev().collect() };
        for layer in order {
            let touches = if down { &self.upper } else { &self.lower };
            let center = |vertex: usize| {
                let all = &touches[vertex];
                let sum: i64 = all.iter().map(|touch| self.far_end(touch) - touch.own + 500).sum();
                (!all.is_empty()).then(|| sum * 16 / i64::from(units(all.len())))
            };
            // Vertices without neighbors keep their places; the others share the places left.
            let vertices = self.layers[layer].clone();
            let mut movable: Vec<(i64, usize)> =
                vertices.iter().filter_map(|&v| Some((center(v)?, v))).collect();
            movable.sort_by_key(|&(center, vertex)| (center, self.place[vertex]));
            let mut next = movable.into_iter();
            let sorted = vertices.iter().map(|&v| match center(v) {
                Some(_) => next.next().map_or(v, |(_, vertex)| vertex),
                None => v,
            });
            self.layers[layer] = sorted.collect();
            self.renumber(layer);
        }
    }

    /// Exchanges vertices that stand side by side while that saves crossings.
    fn exchange(&mut self) {
        for _ in 0..8 {
            let mut improved = false;
            for layer in 0..self.layers.len() {
                for at in 1..self.layers[layer].len() {
                    let (left, right) = (self.layers[layer][at - 1], self.layers[layer][at]);
                    if self.crossings_of(left, right) > self.crossings_of(right, left) {
                        self.layers[layer].swap(at - 1, at);
                        self.place[left] = at;
                        self.place[right] = at - 1;
                        improved = true;
                    }
                }
            }
            if !improved {
                break;
            }
        }
    }

    /// How often segments of `left` cross segments of `right` when they stand in this order.
    fn crossings_of(&self, left: usize, right: usize) -> usize {
        let mut crossings = 0;
        for touches in [&self.upper, &self.lower] {
            for a in &touches[left] {
                let end = self.far_end(a);
                crossings += touches[right].iter().filter(|b| self.far_end(b) < end).count();
            }
        }
        crossings
    }

    /// All crossings.
    fn crossings(&self) -> usize {
        (1..self.layers.len()).map(|layer| self.crossings_above(layer)).sum()
    }

    /// The crossings between a layer and the one before it: inversions of the far ends.
    fn crossings_above(&self, layer: usize) -> usize {
        let mut ends: Vec<(i64, i64)> = Vec::new();
        for &vertex in &self.layers[layer] {
            let start = i64::from(units(self.place[vertex])) * 1000;
            ends.extend(self.upper[vertex].iter().map(|t| (start + t.own, self.far_end(t))));
        }
        ends.sort_unstable();
        let mut sorted: Vec<i64> = ends.iter().map(|end| end.1).collect();
        sorted.sort_unstable();
        sorted.dedup();
        let mut seen = vec![0usize; sorted.len() + 1];
        let (mut crossings, mut total) = (0, 0);
        for run in ends.chunk_by(|a, b| a.0 == b.0) {
            // Segments from one point do not cross each other: count first, then enter.
            for end in run {
                let place = sorted.partition_point(|&other| other < end.1);
                crossings += total - sum(&seen, place + 1);
            }
            for end in run {
                add(&mut seen, sorted.partition_point(|&other| other < end.1));
                total += 1;
            }
        }
        crossings
    }
}

/// Adds one at a place of a binary indexed tree.
fn add(tree: &mut [usize], place: usize) {
    let mut at = place + 1;
    while at < tree.len() {
        tree[at] += 1;
        at += at & at.wrapping_neg();
    }
}

/// The sum of the first places of a binary indexed tree.
fn sum(tree: &[usize], places: usize) -> usize {
    let (mut at, mut total) = (places, 0);
    while at > 0 {
        total += tree[at];
        at -= at & at.wrapping_neg();
    }
    total
}

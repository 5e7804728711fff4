//! One level from blocks: what hangs together is laid out in layers, the blocks stand on shelves.
//!
//! The block whose lines leave the level comes first and reaches over the whole length, so that
//! its lines get to the border without passing another block.

use super::layered::{self, Level, Placed};
use super::network::{Link, Place};
use super::{Bundle, Extent, Side, Spacing, Spot, rank};

/// Lays out one level.
pub(super) fn lay_out(
    sizes: &[Extent],
    ranks: &[usize],
    links: &[Link],
    phantoms: &[(Side, Bundle)],
    spacing: &Spacing,
) -> Placed {
    let blocks = blocks(sizes.len(), links, !phantoms.is_empty());
    let mut result = Placed {
        spots: vec![Spot { cross: 0, main: 0 }; sizes.len()],
        sizes: sizes.to_vec(),
        ways: vec![Vec::new(); links.len()],
        ..Placed::default()
    };
    let parts: Vec<Placed> = blocks
        .iter()
        .map(|block| {
            let sizes: Vec<Extent> = block.items.iter().map(|&item| sizes[item]).collect();
            let links: Vec<Link> =
                block.links.iter().map(|&at| block.localized(&links[at])).collect();
            let phantoms = if block.at_border { phantoms } else { &[] };
            let ranks = block.items.iter().map(|&item| ranks[item]).collect();
            let ranks = rank::without_gaps(ranks);
            let level = Level { sizes: &sizes, ranks: &ranks, links: &links, phantoms };
            layered::lay_out(&level, spacing)
        })
        .collect();
    let extents: Vec<Extent> = parts.iter().map(|part| part.size).collect();
    let at_border = blocks.first().is_some_and(|block| block.at_border);
    let (origins, size) = shelves(&extents, at_border, spacing);
    result.size = size;
    for ((block, part), origin) in blocks.iter().zip(parts).zip(origins) {
        for (at, &item) in block.items.iter().enumerate() {
            result.spots[item] = part.spots[at].moved(origin);
            result.sizes[item] = part.sizes[at];
        }
        for (way, &link) in part.ways.into_iter().zip(&block.links) {
            result.ways[link] = way.into_iter().map(|spot| spot.moved(origin)).collect();
        }
        let borders = part.borders.into_iter();
        result.borders.extend(borders.map(|(key, cross)| (key, cross + origin.cross)));
    }
    result
}

/// Items that hang together.
#[derive(Default)]
struct Block {
    at_border: bool,
    items: Vec<usize>,
    links: Vec<usize>,
}

impl Block {
    /// A link with the numbers that its items have in the block.
    fn localized(&self, link: &Link) -> Link {
        let local = |place: Place| match place {
            Place::Item(item, attach) => {
                Place::Item(self.items.binary_search(&item).unwrap_or(0), attach)
            }
            Place::Border => Place::Border,
        };
        Link { upper: local(link.upper), lower: local(link.lower), bundle: link.bundle }
    }
}

/// The blocks of a level: first the one with lines to the border, then by size and number.
fn blocks(count: usize, links: &[Link], phantoms: bool) -> Vec<Block> {
    // The border counts as one more item that everything connected to it hangs together with.
    let border = count;
    let mut group: Vec<usize> = (0..=count).collect();
    let index = |place: Place| match place {
        Place::Item(item, _) => item,
        Place::Border => border,
    };
    for link in links {
        let a = root(&mut group, index(link.upper));
        let b = root(&mut group, index(link.lower));
        group[a.max(b)] = a.min(b);
    }
    if phantoms && count > 0 {
        let (a, b) = (root(&mut group, 0), root(&mut group, border));
        group[a.max(b)] = a.min(b);
    }
    let mut blocks: Vec<Block> = (0..=count).map(|_| Block::default()).collect();
    for item in 0..count {
        blocks[root(&mut group, item)].items.push(item);
    }
    for (at, link) in links.iter().enumerate() {
        blocks[root(&mut group, index(link.upper))].links.push(at);
    }
    blocks[root(&mut group, border)].at_border = true;
    blocks.retain(|block| !block.items.is_empty());
    blocks.sort_by_key(|block| (!block.at_border, block.items.len() == 1, block.items[0]));
    blocks
}

/// The representative of a group, with the path to it made shorter.
fn root(group: &mut [usize], mut at: usize) -> usize {
    while group[at] != at {
        group[at] = group[group[at]];
        at = group[at];
    }
    at
}

/// Puts blocks on shelves that run along the direction; says where each begins.
fn shelves(sizes: &[Extent], first_alone: bool, spacing: &Spacing) -> (Vec<Spot>, Extent) {
    let area: f64 = sizes
        .iter()
        .map(|size| f64::from(size.cross + spacing.boxes) * f64::from(size.main + spacing.apart))
        .sum();
    let longest = sizes.iter().map(|size| size.main).max().unwrap_or(0);
    let length = longest.max((area * spacing.proportion).sqrt() as i32);
    let mut spots = Vec::with_capacity(sizes.len());
    let mut shelf = Spot { cross: 0, main: 0 };
    let mut depth = 0;
    let mut whole = Extent { cross: 0, main: 0 };
    for (at, size) in sizes.iter().enumerate() {
        let is_full = shelf.main > 0 && shelf.main + size.main > length;
        if is_full || (first_alone && at == 1) {
            shelf = Spot { cross: shelf.cross + depth + spacing.boxes, main: 0 };
            depth = 0;
        }
        spots.push(shelf);
        depth = depth.max(size.cross);
        whole.cross = whole.cross.max(shelf.cross + size.cross);
        whole.main = whole.main.max(shelf.main + size.main);
        shelf.main += size.main + spacing.apart;
    }
    (spots, whole)
}

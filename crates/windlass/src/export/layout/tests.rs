//! Layouts of random drawings keep the promises of the module head.

use proptest::prelude::*;

use super::super::drawing::{Anchor, Direction, Drawing, End, RowKind, Shape};
use super::super::measure::{CELLS, Metrics, PIXELS};
use super::*;

/// A drawing of so many boxes: `inside[i]` is the box around box i when it is an earlier one.
fn drawing(right: bool, inside: &[usize], edges: &[(usize, usize, u8)]) -> Drawing {
    let direction = if right { Direction::Right } else { Direction::Down };
    let mut drawing = Drawing::new("random", direction);
    let count = inside.len();
    for at in 0..count {
        let item = drawing.add(Shape::Component, format!("box {at}"));
        for row in 0..at % 3 {
            drawing.add_row(item, RowKind::Provided, &format!("row {row}"), String::new());
        }
    }
    for (at, &around) in inside.iter().enumerate() {
        if around < at {
            drawing.put(at, around);
        }
    }
    for &(from, to, how) in edges {
        let anchor = |item: usize| match how % 4 {
            0 | 1 if !item.is_multiple_of(3) => Anchor::Row(usize::from(how) % (item % 3)),
            2 => Anchor::Shared(usize::from(how) / 4),
            _ => Anchor::Free,
        };
        let (from, to) = (from % count, to % count);
        let start = End { item: from, anchor: anchor(from) };
        let end = End { item: to, anchor: anchor(to) };
        let edge = drawing.connect(start, end, format!("{from} to {to}"));
        edge.back = how.is_multiple_of(5);
        edge.arrow = !how.is_multiple_of(7);
    }
    drawing
}

fn is_around(drawing: &Drawing, outer: usize, inner: usize) -> bool {
    let mut at = Some(inner);
    while let Some(item) = at {
        if item == outer {
            return true;
        }
        at = drawing.items[item].inside;
    }
    false
}

fn contains(outer: Rect, inner: Rect) -> bool {
    outer.x < inner.x
        && outer.y < inner.y
        && inner.x + inner.width < outer.x + outer.width
        && inner.y + inner.height < outer.y + outer.height
}

fn overlap(a: Rect, b: Rect) -> bool {
    a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}

/// Whether a part of a line runs through the inside of a rectangle.
fn passes(from: Point, to: Point, rect: Rect) -> bool {
    let (left, right) = (from.x.min(to.x), from.x.max(to.x));
    let (top, bottom) = (from.y.min(to.y), from.y.max(to.y));
    left < rect.x + rect.width && right > rect.x && top < rect.y + rect.height && bottom > rect.y
}

fn on_border(point: Point, rect: Rect) -> bool {
    let within_x = rect.x <= point.x && point.x <= rect.x + rect.width;
    let within_y = rect.y <= point.y && point.y <= rect.y + rect.height;
    let on_x = point.x == rect.x || point.x == rect.x + rect.width;
    let on_y = point.y == rect.y || point.y == rect.y + rect.height;
    within_x && within_y && (on_x || on_y)
}

fn check(drawing: &Drawing, metrics: &Metrics) {
    let layout = lay_out(drawing, metrics);
    let count = drawing.items.len();
    for a in 0..count {
        let whole = Rect { x: -1, y: -1, width: layout.width + 2, height: layout.height + 2 };
        assert!(contains(whole, layout.boxes[a]), "box {a} is outside");
        for b in a + 1..count {
            let (first, second) = (layout.boxes[a], layout.boxes[b]);
            if is_around(drawing, a, b) {
                assert!(contains(first, second), "box {b} sticks out of {a}");
            } else if is_around(drawing, b, a) {
                assert!(contains(second, first), "box {a} sticks out of {b}");
            } else {
                assert!(!overlap(first, second), "boxes {a} and {b} overlap");
            }
        }
    }
    for (at, edge) in drawing.edges.iter().enumerate() {
        let line = &layout.lines[at];
        let (from, to) = (edge.from.item, edge.to.item);
        if from == to {
            assert!(line.is_empty());
            continue;
        }
        assert!(line.len() >= 2, "edge {at} has no line");
        assert!(on_border(line[0], layout.boxes[from]), "edge {at} does not begin at its box");
        let last = line[line.len() - 1];
        assert!(on_border(last, layout.boxes[to]), "edge {at} does not end at its box");
        for pair in line.windows(2) {
            let straight = pair[0].x == pair[1].x || pair[0].y == pair[1].y;
            assert!(straight && pair[0] != pair[1], "edge {at} is not made of straight parts");
            for other in 0..count {
                let around = is_around(drawing, other, from) || is_around(drawing, other, to);
                let crosses = passes(pair[0], pair[1], layout.boxes[other]);
                assert!(around || !crosses, "edge {at} crosses box {other}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::test_size::cases(300)))]

    #[test]
    fn boxes_do_not_overlap_and_lines_cross_no_box(
        right in any::<bool>(),
        inside in proptest::collection::vec(0usize..40, 1..40),
        edges in proptest::collection::vec((0usize..40, 0usize..40, any::<u8>()), 0..60),
    ) {
        let drawing = drawing(right, &inside, &edges);
        check(&drawing, &PIXELS);
        check(&drawing, &CELLS);
    }

    #[test]
    fn the_same_drawing_has_the_same_layout(
        inside in proptest::collection::vec(0usize..20, 1..20),
        edges in proptest::collection::vec((0usize..20, 0usize..20, any::<u8>()), 0..30),
    ) {
        let drawing = drawing(true, &inside, &edges);
        prop_assert_eq!(lay_out(&drawing, &PIXELS), lay_out(&drawing, &PIXELS));
    }
}

#[test]
fn large_levels_keep_the_promises_too() {
    let inside: Vec<usize> =
        (0..300).map(|at| if at < 30 { usize::MAX } else { at % 30 }).collect();
    let edges: Vec<(usize, usize, u8)> =
        (0..400).map(|at| (at * 7 % 300, at * 31 % 300, u8::try_from(at % 256).unwrap())).collect();
    check(&drawing(true, &inside, &edges), &PIXELS);
    check(&drawing(false, &[usize::MAX; 120], &edges[..200]), &PIXELS);
}

#[test]
fn ten_thousand_boxes_are_put_on_shelves() {
    let flat = vec![usize::MAX; 10_000];
    let edges: Vec<(usize, usize, u8)> = (1..10_000).map(|at| (at, at / 2, 3)).collect();
    let layout = lay_out(&drawing(true, &flat, &edges), &PIXELS);
    assert!(layout.without_lines);
    assert!(layout.lines.iter().all(Vec::is_empty));
    assert!(layout.width < 8 * layout.height && layout.height < 8 * layout.width);
}

#[test]
fn boxes_may_be_nested_ten_thousand_deep() {
    let nested: Vec<usize> = (0..10_000usize).map(|at| at.wrapping_sub(1)).collect();
    let layout = lay_out(&drawing(true, &nested, &[]), &CELLS);
    assert!(contains(layout.boxes[0], layout.boxes[9999]));
}

#[test]
fn a_picture_without_boxes_is_empty() {
    let layout = lay_out(&Drawing::new("nothing", Direction::Down), &PIXELS);
    assert_eq!((layout.width, layout.height), (0, 0));
}

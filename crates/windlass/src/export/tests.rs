//! Pictures of small applications in every format: how they look, that nothing is missing, and
//! that no name gets out of its place.

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::drawing::{Direction, End, RowKind, Shape};
use super::*;

const FORMATS: [Format; 4] = [Format::Svg, Format::Dot, Format::Mermaid, Format::Text];

fn check(drawing: Drawing, format: Format, expected: Expect) {
    expected.assert_eq(&write(&[drawing], format));
}

fn named(application: &Application, name: &str) -> Drawing {
    let component = application.types.iter().find(|component| component.name == name);
    lifecycle(component.expect("a type"))
}

#[test]
fn topology_in_the_terminal() {
    check(
        topology(&fixtures::thinking()),
        Format::Text,
        expect![[r#"
        topology of thinking

        ┌─────────────────┐     ┌──────────────────┐
        │ node            │     │ maven            │
        │ container       │     │ container ×2     │
        │ ● host          │     │ ● host           │
        │                 │     │                  │
        │  ┌───────────┐  │     │  ┌────────────┐  │
        │  │ gui       │  │     │  │ api        │  │
        │  │    □ host │  │     │  │ ×2         │  │     ┌──────────┐
        │  │ ○ backend ├──┼─────┼─▶│ ● endpoint │  │     │ mongo    │
        │  └───────────┘  │     │  │     □ host │  │     │ database │
        └─────────────────┘     │  │     ○ data ├──┼────▶│ ● db     │
                                │  └────────────┘  │     └──────────┘
                                └──────────────────┘

        ● provides · ○ requires · □ requires the box around
    "#]],
    );
}

#[test]
fn topology_in_dot() {
    check(
        topology(&fixtures::thinking()),
        Format::Dot,
        expect![[r##"
        digraph "topology of thinking" {
          label="topology of thinking"
          labelloc=t
          rankdir=LR
          compound=true
          node [shape=plain, fontname="sans-serif", fontsize=11]
          edge [fontname="sans-serif", fontsize=10]
          subgraph cluster_2 { style="rounded,filled"; fillcolor="#f4f7fb"
            n2 [label=<<table border="0" cellborder="0" cellspacing="0"><tr><td><b>node</b></td></tr><tr><td>container</td></tr><tr><td port="r0" align="left">● host</td></tr></table>>]
            n0 [label=<<table border="1" cellborder="0" cellspacing="0" bgcolor="#ffffff"><tr><td><b>gui</b></td></tr><tr><td port="r0" align="right">□ host</td></tr><tr><td port="r1" align="right">○ backend</td></tr></table>>]
          }
          subgraph cluster_3 { style="rounded,filled"; fillcolor="#f4f7fb"
            n3 [label=<<table border="0" cellborder="0" cellspacing="0"><tr><td><b>maven</b></td></tr><tr><td>container ×2</td></tr><tr><td port="r0" align="left">● host</td></tr></table>>]
            n1 [label=<<table border="1" cellborder="0" cellspacing="0" bgcolor="#ffffff"><tr><td><b>api</b></td></tr><tr><td>×2</td></tr><tr><td port="r0" align="left">● endpoint</td></tr><tr><td port="r1" align="right">□ host</td></tr><tr><td port="r2" align="right">○ data</td></tr></table>>]
          }
          n4 [label=<<table border="1" cellborder="0" cellspacing="0" bgcolor="#ffffff"><tr><td><b>mongo</b></td></tr><tr><td>database</td></tr><tr><td port="r0" align="left">● db</td></tr></table>>]
          n0:r1 -> n1:r0 [tooltip="gui.backend requires api.endpoint"]
          n1:r2 -> n4:r0 [tooltip="api.data requires mongo.db, always of one instance"]
        }
    "##]],
    );
}

#[test]
fn topology_in_mermaid() {
    check(
        topology(&fixtures::thinking()),
        Format::Mermaid,
        expect![[r#"
        %% topology of thinking
        flowchart LR
          subgraph n2 ["<b>node</b><br/>container<br/>● host"]
            n0["<b>gui</b><br/>□ host<br/>○ backend"]
          end
          subgraph n3 ["<b>maven</b><br/>container ×2<br/>● host"]
            n1["<b>api</b><br/>×2<br/>● endpoint<br/>□ host<br/>○ data"]
          end
          n4["<b>mongo</b><br/>database<br/>● db"]
          n0 -->|"backend → endpoint"| n1
          n1 -->|"data → db"| n4
    "#]],
    );
}

#[test]
fn protocol_in_the_terminal() {
    check(
        named(&fixtures::thinking(), "api"),
        Format::Text,
        expect![[r#"
        life cycle of api

                        ┏━━━━━━━━━━━━━┓
                        ┃ unavailable ┃
                        ┃   initial   ┃
                        ┗┬━━━━━━━━━━━━┛
                         │           ▲
                         │           │
                   ┌─────┴───┐    ┌──┴────────┐
                   │ install │    │ uninstall │
                   │ ○ host  │    │ ○ host    │
                   └──┬─────┬┘    └┬─┬────────┘
                      │     ╎      │ ╎
                      │     ╎   ┌──┘ ╎
                      │     └╌╌╌┼╌╌╌╌┤
                      ▼         │    ╎
                     ╭──────────┴╮   ╎
                     │ available │   ╎
                     ╰┬──────────╯   ╎
                      │       ▲ ▲    ╎
              ┌───────┘       ╎ │    ╎
              │ ┌╌╌╌╌╌╌╌╌╌╌╌╌╌┼╌┼╌╌┐ ╎
              │ ╎           ┌─┼─┘  ╎ ╎
              │ ╎           │ ╎    ╎ ╎
        ┌─────┴─┴┐    ┌─────┴─┴┐   ╎ ╎
        │ start  │    │ stop   │   ╎ ╎
        │ ○ host │    │ ○ host │   ╎ ╎
        └───────┬┘    └────┬───┘   ╎ ╎
                │          │       ╎ ╎
                └────┐     │    ┌╌╌┘ ╎
                     ▼     │    ╎    ╎
                    ╭──────┴────┴╮   ╎
                    │ running    │   ╎
                    │ ● endpoint │   ╎
                    │ ○ host     │   ╎
                    │ ○ data     │   ╎
                    ╰──────┬─────╯   ╎
                           │  ▲      ╎
                           │  │      ╎
                        ┌──┴──┴──┐   ╎
                        │ config │   ╎
                        │ ○ host │   ╎
                        └───────┬┘   ╎
                                ╎    ╎
                                └╌╌╌╌┤
                                     ▼
                             ╭─────────╮
                             │ damaged │
                             ╰─────────╯

        ● offers · ○ needs · dashed: after a fault
    "#]],
    );
}

#[test]
fn protocol_in_dot() {
    check(
        named(&fixtures::thinking(), "container"),
        Format::Dot,
        expect![[r##"
        digraph "life cycle of container" {
          label="life cycle of container"
          labelloc=t
          rankdir=TB
          compound=true
          node [shape=plain, fontname="sans-serif", fontsize=11]
          edge [fontname="sans-serif", fontsize=10]
          n0 [label=<<table border="2" cellborder="0" cellspacing="0" style="rounded" bgcolor="#eef5ff"><tr><td><b>stopped</b></td></tr><tr><td>initial</td></tr></table>>]
          n1 [label=<<table border="1" cellborder="0" cellspacing="0" style="rounded" bgcolor="#eef5ff"><tr><td><b>running</b></td></tr><tr><td port="r0" align="left">● host</td></tr></table>>]
          n2 [label=<<table border="1" cellborder="0" cellspacing="0" bgcolor="#fffbea"><tr><td><b>start</b></td></tr></table>>]
          n3 [label=<<table border="1" cellborder="0" cellspacing="0" bgcolor="#fffbea"><tr><td><b>stop</b></td></tr></table>>]
          n0 -> n2 [tooltip="start leads from stopped to running", arrowhead=none]
          n2 -> n1 [tooltip="start leads from stopped to running"]
          n1 -> n3 [tooltip="stop leads from running to stopped", arrowhead=none, constraint=false]
          n3 -> n0 [tooltip="stop leads from running to stopped", constraint=false]
        }
    "##]],
    );
}

#[test]
fn protocol_in_mermaid() {
    check(
        named(&fixtures::thinking(), "container"),
        Format::Mermaid,
        expect![[r#"
        %% life cycle of container
        flowchart TB
          n0("<b>stopped</b><br/>initial")
          n1("<b>running</b><br/>● host")
          n2[/"<b>start</b>"/]
          n3[/"<b>stop</b>"/]
          n0 --- n2
          n2 --> n1
          n1 --- n3
          n3 --> n0
    "#]],
    );
}

#[test]
fn net_in_the_terminal() {
    check(
        named(&fixtures::server_and_client(), "client"),
        Format::Text,
        expect![[r#"
        life cycle of client

        ┏━━━━━━━━━┓    ┌────────────────┐
        ┃ initial ┃    │ server-address │
        ┃ initial ┃    │    data use    │
        ┗━━━━━━━━┬┛    └┬───────────────┘
                 │      ┊
                 │      ▼
               ┌─┴───────┐
               │ install │
               │   6 s   │
               └────┬────┘
                    │
                    ▼
          ╭────────────╮    ┌────────┐
          │ configured │    │ server │
          ╰───────────┬╯    │  use   │
                      │     └┬───────┘
                      │      ┊
                      └─┐   ┌┘
                        │   ▼
                       ┌┴────┐
                       │ run │
                       │ 3 s │
                       └──┬──┘
                          │
                          ▼
                     ╔═════════╗
                     ║ running ║
                     ╚═════════╝

        dotted: ports
    "#]],
    );
}

#[test]
fn net_in_mermaid() {
    check(
        named(&fixtures::server_and_client(), "client"),
        Format::Mermaid,
        expect![[r#"
        %% life cycle of client
        flowchart TB
          n0(["<b>initial</b><br/>initial"])
          n1(["<b>configured</b>"])
          n2((("<b>running</b>")))
          n3[/"<b>install</b><br/>6 s"/]
          n4[/"<b>run</b><br/>3 s"/]
          n5{{"<b>server-address</b><br/>data use"}}
          n6{{"<b>server</b><br/>use"}}
          n0 --- n3
          n3 --> n1
          n1 --- n4
          n4 --> n2
          n5 -.-> n3
          n6 -.-> n4
    "#]],
    );
}

#[test]
fn small_picture_in_svg() {
    let mut drawing = Drawing::new("two boxes", Direction::Right);
    let (web, store) = (drawing.add(Shape::Component, "web"), drawing.add(Shape::Component, "db"));
    let needs = drawing.add_row(web, RowKind::Required, "store", String::new());
    let gives = drawing.add_row(store, RowKind::Provided, "sql", String::new());
    drawing.connect(End::row(web, needs), End::row(store, gives), "web.store requires db.sql");
    let svg = write(&[drawing], Format::Svg);
    let (_, body) = svg.split_once("</style>").expect("a style");
    expect![[r#"

        <rect class="paper" width="238" height="125"/>
        <g transform="translate(20 20)">
        <text class="heading" y="16">two boxes</text>
        <g transform="translate(0 34)">
        <g><title>web.store requires db.sql</title><path class="line" d="M112 34L80 34"/><path class="head" d="M118 34L109 30L109 38Z"/></g>
        <g><title>web</title><rect class="box" x="0" y="0" width="80" height="51" rx="5"/><text class="title" x="12" y="21">web</text><circle class="required" cx="64" cy="34" r="3.5"/><text x="54" y="38" text-anchor="end">store</text></g>
        <g><title>db</title><rect class="box" x="118" y="0" width="80" height="51" rx="5"/><text class="title" x="130" y="21">db</text><circle class="provided" cx="134" cy="34" r="3.5"/><text x="144" y="38">sql</text></g>
        </g>
        </g>
        </svg>
    "#]].assert_eq(body);
}

#[test]
fn wide_pictures_become_outlines() {
    let text = write(&[topology(&fixtures::cluster(60))], Format::Text);
    assert!(
        text.contains("\nhost-0 (machine)\n  provides host\n  service-0 (service)\n"),
        "{text}"
    );
    assert!(text.contains("    → service-1.upstream requires service-0.http\n"), "{text}");
    let widest = text.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(120), "{text}");
}

/// Names that try to leave their place in any of the formats.
const NASTY: [&str; 12] = [
    "</script><script>alert(1)</script>",
    "\"]; n9 -> n8; x [label=\"",
    "a\nb\r\tc\u{0}\u{1b}[31m\u{85}",
    "\u{202e}rebmun\u{2066}\u{200b}\u{feff}\u{2028}",
    "]]> --> <!-- &amp; &#0;",
    "end",
    "\"] --> x[\"",
    "%%{init: {}}%%",
    "\\",
    "",
    "名前 🚀 \u{e0041}\u{fffe}",
    "a very long name that goes on and on and on, and then some more, until nobody reads it",
];

fn nasty_drawings() -> Vec<Drawing> {
    let mut drawing = Drawing::new(NASTY.join(" "), Direction::Right);
    for (at, name) in NASTY.iter().enumerate() {
        let item = drawing.add(Shape::Component, *name);
        drawing.items[item].subtitle = NASTY[(at + 1) % NASTY.len()].to_owned();
        let remark = NASTY[(at + 2) % NASTY.len()].to_owned();
        drawing.add_row(item, RowKind::Required, name, remark);
        if at > 0 {
            drawing.connect(End::row(item, 0), End::at(at - 1), *name);
        }
    }
    drawing.put(3, 7);
    drawing.notes = NASTY.iter().map(|&name| name.to_owned()).collect();
    let mut lifecycle = Drawing { direction: Direction::Down, ..drawing.clone() };
    for (item, shape) in lifecycle.items.iter_mut().zip([Shape::State, Shape::Action, Shape::Port])
    {
        item.shape = shape;
    }
    vec![drawing, lifecycle]
}

#[test]
fn nothing_hidden_gets_into_a_picture() {
    for format in FORMATS {
        let text = write(&nasty_drawings(), format);
        let hidden = text.chars().find(|&c| c != '\n' && escape::visible(&c.to_string()).len() > 4);
        assert_eq!(hidden, None, "{format:?}: {text}");
    }
}

#[test]
fn names_stay_in_their_place_in_svg() {
    let svg = write(&nasty_drawings(), Format::Svg);
    let parsed = roxmltree::Document::parse(&svg).expect("well-formed XML");
    let known = ["svg", "g", "title", "style", "rect", "text", "tspan", "path", "circle"];
    for node in parsed.descendants().filter(roxmltree::Node::is_element) {
        assert!(known.contains(&node.tag_name().name()), "{:?}", node.tag_name());
    }
    let titles: Vec<&str> = parsed
        .descendants()
        .filter(|node| node.has_tag_name("title"))
        .filter_map(|node| node.text())
        .collect();
    for name in NASTY {
        let name = escape::visible(name);
        assert!(titles.iter().any(|title| title.contains(&name)), "{name} has no tooltip");
    }
    let root = parsed.root_element();
    assert_eq!(root.attribute("role"), Some("img"));
    assert!(root.attribute("viewBox").is_some() && root.attribute("aria-label").is_some());
}

/// The text outside of double quotes, which a backslash may escape.
fn outside_quotes(text: &str, escapes: bool) -> String {
    let (mut out, mut quoted, mut escaped) = (String::new(), false, false);
    for c in text.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted && escapes => escaped = true,
            '"' => quoted = !quoted,
            _ if !quoted => out.push(c),
            _ => {}
        }
    }
    assert!(!quoted, "a quote is left open");
    out
}

#[test]
fn names_stay_in_their_place_in_dot() {
    let dot = write(&nasty_drawings(), Format::Dot);
    let starts = [
        "digraph ",
        "label=\"",
        "labelloc=",
        "rankdir=",
        "compound=",
        "node [",
        "edge [",
        "subgraph cluster_",
        "}",
    ];
    for line in dot.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let is_item = line.starts_with('n') && line[1..].starts_with(|c: char| c.is_ascii_digit());
        assert!(is_item || starts.iter().any(|start| line.starts_with(start)), "{line}");
        if let Some((_, label)) = line.split_once("[label=<") {
            let label = label.strip_suffix(">]").expect("the end of the label");
            roxmltree::Document::parse(label).expect("a well-formed table");
        } else {
            let outside = outside_quotes(line, true);
            assert!(!outside.contains(['<', '>', '&']) || outside.contains(" -> n"), "{line}");
        }
    }
}

#[test]
fn names_stay_in_their_place_in_mermaid() {
    let mermaid = write(&nasty_drawings(), Format::Mermaid);
    assert!(!mermaid.contains("%%{") && !mermaid.contains("<script"));
    let outside = outside_quotes(&mermaid, false);
    let statements = outside.lines().filter(|line| !line.starts_with("%%")).map(str::trim);
    for statement in statements {
        let first = statement.split([' ', '[', '(', '{']).next().unwrap_or_default();
        let is_box = first.starts_with('p') && first.contains('n');
        let is_keyword = ["subgraph", "end", "direction", "flowchart"].contains(&first);
        assert!(is_box || is_keyword, "{statement}");
    }
    assert_eq!(mermaid.matches("subgraph ").count(), mermaid.matches("  end\n").count());
}

/// How often each box and each edge stands in a picture, in words that only they use.
fn counts(text: &str, format: Format) -> (usize, usize) {
    match format {
        Format::Svg => {
            let parsed = roxmltree::Document::parse(text).expect("well-formed XML");
            let has = |node: roxmltree::Node<'_, '_>, class: &str| {
                let of_class = |child: roxmltree::Node<'_, '_>| {
                    child.attribute("class").is_some_and(|classes| classes.starts_with(class))
                };
                node.has_tag_name("g") && node.children().any(of_class)
            };
            let boxes = parsed.descendants().filter(|node| has(*node, "title")).count();
            (boxes, parsed.descendants().filter(|node| has(*node, "line")).count())
        }
        Format::Dot => (text.matches(" [label=<<table").count(), text.matches(" -> n").count()),
        Format::Mermaid => {
            let boxes = text.matches("[\"<b>").count() + text.matches("(\"<b>").count();
            let arrows = ["-->", "---", "-.->", "-.-"].map(|arrow| format!(" {arrow} "));
            (boxes, arrows.iter().map(|arrow| text.matches(arrow.as_str()).count()).sum())
        }
        Format::Text => (text.matches("box ").count(), 0),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::test_size::cases(64)))]

    #[test]
    fn every_box_and_every_edge_is_in_the_picture(
        right in any::<bool>(),
        inside in proptest::collection::vec(0usize..12, 1..12),
        edges in proptest::collection::vec((0usize..12, 0usize..12, any::<bool>()), 0..16),
    ) {
        let direction = if right { Direction::Right } else { Direction::Down };
        let mut drawing = Drawing::new("random", direction);
        for (at, &around) in inside.iter().enumerate() {
            drawing.add(Shape::State, format!("box {at}"));
            if around < at {
                drawing.put(at, around);
            }
        }
        for (from, to, arrow) in edges {
            let (from, to) = (from % inside.len(), to % inside.len());
            if from != to {
                drawing.connect(End::at(from), End::at(to), format!("{from} {to}")).arrow = arrow;
            }
        }
        let expected = (drawing.items.len(), drawing.edges.len());
        for format in [Format::Svg, Format::Dot, Format::Mermaid] {
            let text = write(std::slice::from_ref(&drawing), format);
            prop_assert_eq!(counts(&text, format), expected, "{:?}\n{}", format, text);
        }
        let text = write(&[drawing.clone()], Format::Text);
        prop_assert_eq!(counts(&text, Format::Text).0, expected.0, "{}", text);
    }
}

#[test]
fn pictures_do_not_change_from_run_to_run() {
    let application = fixtures::cluster(120);
    for format in FORMATS {
        let first = write(&[topology(&application)], format);
        assert_eq!(first, write(&[topology(&application)], format));
    }
}

#[test]
fn ten_thousand_nodes_are_drawn_with_a_remark() {
    let drawing = topology(&fixtures::cluster(10_000));
    for format in FORMATS {
        let text = write(std::slice::from_ref(&drawing), format);
        assert!(text.contains("service-8499"), "{format:?}");
    }
    let svg = write(&[drawing], Format::Svg);
    assert!(svg.contains("are too many to draw lines"));
}

#[test]
fn a_group_that_overlaps_another_is_written_at_its_places() {
    let steps = [("go", "a", "b", 1), ("on", "b", "c", 1)];
    let groups: [(&str, &[&str]); 2] = [("first", &["a", "b"]), ("second", &["b", "c"])];
    let net = fixtures::net(&["a", "b", "c"], &steps, &groups);
    let drawing = lifecycle(&fixtures::net_type("overlapping", net));
    let frames = drawing.items.iter().filter(|item| item.shape == Shape::Group);
    assert_eq!(frames.map(|item| item.title.as_str()).collect::<Vec<_>>(), ["first"]);
    let subtitles: Vec<&str> = drawing.items[..3].iter().map(|i| i.subtitle.as_str()).collect();
    assert_eq!(subtitles, ["initial", "in second", "in second"]);
}

#[test]
fn containers_in_a_cycle_and_bindings_to_itself_are_drawn() {
    let (mut types, mut nodes) = (Vec::new(), Vec::new());
    let needs = [("host", crate::lifecycle::protocol::Sort::Containment)];
    types.push(fixtures::TypeBuilder::new("box", &needs, &["host"], &["there"]).build());
    nodes.extend(["a", "b", "c"].map(|name| fixtures::node(name, 0, 1)));
    let mut application = fixtures::application("cycle", types, nodes);
    fixtures::bind(&mut application, "a.host", "b.host");
    fixtures::bind(&mut application, "b.host", "a.host");
    fixtures::bind(&mut application, "c.host", "c.host");
    let drawing = topology(&application);
    assert_eq!(drawing.items[0].inside, Some(1));
    assert_eq!((drawing.items[1].inside, drawing.items[2].inside), (None, None));
    assert_eq!(drawing.items[2].rows[1].remark, "itself");
    assert_eq!(drawing.edges.len(), 1);
    for format in FORMATS {
        assert!(!write(std::slice::from_ref(&drawing), format).is_empty());
    }
}

//! Hostile texts end with a finding at a place, quickly; edits keep every other byte.

use super::definitions::{Definitions, TOSCA};
use super::*;
use crate::source::Sources;

/// Reads a text; gives the codes and places of what is wrong with it.
fn read(text: &str) -> (Option<Tree>, Vec<(&'static str, u32, String)>) {
    let mut sources = Sources::new();
    let id = sources.add("x.tosca", text);
    let mut findings = Vec::new();
    let tree = parse(id, text, &Limits::default(), &mut findings);
    let found = findings.iter().map(|finding| {
        let (start, end) = (finding.primary.start as usize, finding.primary.end as usize);
        assert!(text.get(start..end).is_some(), "the place lies in the text");
        (finding.code, finding.primary.start, finding.message.clone())
    });
    (tree, found.collect())
}

fn code(text: &str) -> &'static str {
    let (tree, findings) = read(text);
    assert!(tree.is_none());
    assert_eq!(findings.len(), 1);
    findings[0].0
}

#[test]
fn entities_are_never_expanded() {
    let laughs = "<?xml version=\"1.0\"?>\n<!DOCTYPE lolz [\n <!ENTITY lol \"lol\">\n \
                  <!ENTITY lol2 \"&lol;&lol;&lol;\">\n]>\n<lolz>&lol2;</lolz>";
    assert_eq!(read(laughs).1, [("XML002", 22, "a document type is not read".to_owned())]);
    assert_eq!(code("<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>"), "XML002");
    assert_eq!(code("<!DOCTYPE a [<!ENTITY x SYSTEM \"http://h/\">]><a>&x;</a>"), "XML002");
    assert_eq!(code("<a>&lol;</a>"), "XML001", "an entity that nothing declares");
}

#[test]
fn deep_and_wide_texts_are_refused_before_they_cost_anything() {
    let deep = "<a>".repeat(50_000);
    assert_eq!(
        read(&deep).1[0],
        ("XML003", 600, "elements are nested deeper than 200 levels".into())
    );
    assert_eq!(code(&format!("{}{}", "<a>".repeat(50_000), "</a>".repeat(50_000))), "XML003");
    let joined = |count: usize, part: fn(usize) -> String| (0..count).map(part).collect::<Vec<_>>();
    let attributes = joined(300, |n| format!(" a{n}=''")).concat();
    assert_eq!(code(&format!("<a{attributes}/>")), "XML004");
    let namespaces = joined(65, |n| format!(" xmlns:a{n}='x'")).concat();
    assert_eq!(code(&format!("<a{namespaces}/>")), "XML004");
    let nested = joined(65, |n| format!("<a xmlns:a{n} = \"x\">")).concat();
    assert_eq!(code(&nested), "XML004");
    assert_eq!(code(&format!("<a>{}</a>", "<b/>".repeat(1_000_001))), "XML004");
    assert_eq!(code(&" ".repeat((16 << 20) + 1)), "XML004");
}

#[test]
fn what_is_allowed_is_read() {
    let deep = format!("{}{}", "<a>".repeat(200), "</a>".repeat(200));
    assert!(read(&deep).0.is_some());
    let odd = "<a b='>' c=\"/>'\"><!-- <b><b> --><![CDATA[<b><b>]]><?p <b> ?><d/></a>";
    let (tree, findings) = read(odd);
    assert!(findings.is_empty());
    let tree = tree.expect("well-formed");
    assert_eq!(tree.root().attribute("b").map(|b| b.value.as_str()), Some(">"));
    assert_eq!(tree.root().text(), "<b><b>");
    assert_eq!(tree.root().children().count(), 1);
}

#[test]
fn a_syntax_error_is_at_its_place() {
    assert_eq!(read("<a>\n  <é></b>\n</a>").1[0].1, 10, "columns count characters");
    assert_eq!(read("<a><b></b>").1[0].1, 10, "the end");
    assert_eq!(read("").1[0].0, "XML001");
    assert_eq!(read("<a>\0</a>").1[0].0, "XML001");
    assert_eq!(read("<a x='1' x='2'/>").1[0].0, "XML001");
    assert_eq!(read("<p:a/>").1[0].0, "XML001");
}

#[test]
fn names_are_resolved_where_they_stand() {
    let text = "<t:Definitions xmlns:t='http://docs.oasis-open.org/tosca/ns/2011/12' \
                targetNamespace='urn:a' xmlns:p='urn:outer' xmlns='urn:default'>\
                <t:NodeType name='A' xmlns:p='urn:inner'><t:DerivedFrom typeRef='p:B'/></t:NodeType>\
                <t:NodeType name='C' targetNamespace='urn:c'><t:DerivedFrom typeRef='D'/>\
                </t:NodeType></t:Definitions>";
    let tree = read(text).0.expect("well-formed");
    let definitions = Definitions::of(tree.root()).expect("definitions");
    let name = |namespace: &str, local: &str| Name {
        namespace: namespace.to_owned(),
        local: local.to_owned(),
    };
    let types: Vec<_> = definitions.node_types().map(|t| (t.name(), t.derived_from())).collect();
    assert_eq!(
        types,
        [
            (name("urn:a", "A"), Some(name("urn:inner", "B"))),
            (name("urn:c", "C"), Some(name("urn:default", "D"))),
        ]
    );
    assert_eq!(tree.root().prefix_of(TOSCA), Some("t"));
    assert_eq!(tree.root().children().next().and_then(|a| a.prefix_of("urn:outer")), None);
    let span = tree.root().name_span();
    assert_eq!(&text[span.start as usize..span.end as usize], "t:Definitions");
}

#[test]
fn edits_keep_every_other_byte() {
    let text = "<a>\n  <b x='1'/> <!-- b -->\n  <c>d</c>\n</a>\n";
    let tree = read(text).0.expect("well-formed");
    let child = |at: usize| tree.root().children().nth(at).expect("a child");
    let mut edits = Edits::new();
    assert!(edits.is_empty());
    edits.append(child(1), text, "    <e/>\n", "  ");
    edits.append(child(0), text, "    <f/>\n", "  ");
    edits.append(tree.root(), text, "  <g/>\n", "");
    assert_eq!(
        edits.apply(text),
        "<a>\n  <b x='1'>\n    <f/>\n  </b> <!-- b -->\n  <c>d\n    <e/>\n  </c>\n  <g/>\n</a>\n"
    );
    let mut edits = Edits::new();
    edits.replace(child(0), "<h/>".to_owned());
    assert_eq!(edits.apply(text), text.replace("<b x='1'/>", "<h/>"));
    assert_eq!(escape("a<b>&\"c\"\n"), "a&lt;b&gt;&amp;&quot;c&quot;&#10;");
}

#[test]
fn files_that_import_each_other_are_read_and_reported() {
    use crate::source::files::{Limits, MemoryFiles};
    let importing = |paths: &[&str]| {
        let imports = paths
            .iter()
            .map(|path| format!("<Import importType='{TOSCA}' namespace='x' location='{path}'/>"));
        let imports: Vec<_> = imports.collect();
        format!("<Definitions xmlns='{TOSCA}'>{}</Definitions>", imports.concat())
    };
    let imports_findings = |files: &[(&str, &[&str])]| {
        let mut memory = MemoryFiles::new(Limits::default());
        for (name, imports) in files {
            memory = memory.with(*name, importing(imports));
        }
        let mut sources = Sources::new();
        let root = sources.add(files[0].0, importing(files[0].1));
        let mut findings = Vec::new();
        let library = load(root, files[0].0, &mut sources, &mut memory, &mut findings);
        assert!(library.is_complete, "{findings:?}");
        assert_eq!(library.documents.len(), files.len());
        let texts = findings.into_iter().map(|finding| {
            assert_eq!(finding.severity, crate::diagnostic::Severity::Warning);
            let file = &sources.get(finding.primary.source).name;
            format!("{} {file}: {}", finding.code, finding.message)
        });
        texts.collect::<Vec<_>>()
    };
    assert_eq!(imports_findings(&[("a", &["a"])]), ["FILE006 a: `a` imports itself"]);
    assert_eq!(
        imports_findings(&[("a", &["b"]), ("b", &["c"]), ("c", &["a", "b"])]),
        [
            "FILE006 c: `a` imports itself, through `b` and `c`",
            "FILE006 c: `b` imports itself, through `c`"
        ]
    );
    let diamond: [(&str, &[&str]); 4] =
        [("a", &["b", "c"]), ("b", &["d"]), ("c", &["d"]), ("d", &[])];
    assert!(imports_findings(&diamond).is_empty(), "two ways to one file are no cycle");
}

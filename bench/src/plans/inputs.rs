//! States and plans of the application Thinking, of any size, as texts of our language.

use std::fmt::Write;

/// What `windlass verify` is asked.
pub(crate) struct Question {
    pub(crate) state: String,
    pub(crate) plan: String,
    /// The actions are a sequence, in the order of the text.
    pub(crate) sequence: bool,
}

/// A plan under construction: actions by label, and order edges.
#[derive(Default)]
struct Draft {
    actions: String,
    order: String,
}

impl Draft {
    fn operation(&mut self, label: &str, instance: &str, operation: &str) {
        let action = format!("{{ do: op, instance: {instance}, operation: {operation} }}");
        let _ = writeln!(self.actions, "    {label}: {action}");
    }

    fn scale_out(&mut self, label: &str, node: &str, instance: &str, container: Option<&str>) {
        let inside = container.map(|id| format!(", container: {id}")).unwrap_or_default();
        let action = format!("{{ do: scale_out, node: {node}, instance: {instance}{inside} }}");
        let _ = writeln!(self.actions, "    {label}: {action}");
    }

    fn before(&mut self, before: &str, after: &str) {
        let _ = writeln!(self.order, "    - {{ before: {before}, after: {after} }}");
    }

    fn text(self) -> String {
        let order =
            if self.order.is_empty() { " []\n".into() } else { format!("\n{}", self.order) };
        format!("plan:\n  actions:\n{}  order:{order}", self.actions)
    }
}

/// `n` databases that are started side by side: nothing has to do with anything else.
pub(crate) fn operations(n: usize) -> Question {
    let mut state = "state:\n  instances:\n".to_owned();
    let mut draft = Draft::default();
    for i in 0..n {
        let _ = writeln!(state, "    d{i}: {{ node: mongo, state: stopped }}");
        draft.operation(&format!("start{i}"), &format!("d{i}"), "start");
    }
    Question { state, plan: draft.text(), sequence: false }
}

/// Paper 004 Fig. 7 with `n` stacks: everything comes up, all stacks side by side.
pub(crate) fn deployment(n: usize) -> Question {
    let mut draft = Draft::default();
    draft.scale_out("newD", "mongo", "d1", None);
    draft.operation("startD", "d1", "start");
    draft.before("newD", "startD");
    draft.scale_out("newN", "node", "n1", None);
    draft.scale_out("newG", "gui", "g1", Some("n1"));
    draft.operation("startN", "n1", "start");
    draft.operation("installG", "g1", "install");
    draft.operation("configG", "g1", "config");
    draft.operation("startG", "g1", "start");
    let page = ["newN", "newG", "startN", "installG", "configG", "startG"];
    for pair in page.windows(2) {
        draft.before(pair[0], pair[1]);
    }
    for i in 0..n {
        stack(&mut draft, i);
        draft.before("startD", &format!("startA{i}"));
        draft.before(&format!("startA{i}"), "configG");
    }
    Question { state: "state:\n  instances: {}\n".into(), plan: draft.text(), sequence: false }
}

/// Container and service of one stack, one step after the other.
fn stack(draft: &mut Draft, i: usize) {
    let (container, service) = (format!("m{i}"), format!("a{i}"));
    let labels = ["newM", "newA", "startM", "installA", "startA"].map(|word| format!("{word}{i}"));
    draft.scale_out(&labels[0], "maven", &container, None);
    draft.scale_out(&labels[1], "api", &service, Some(&container));
    draft.operation(&labels[2], &container, "start");
    draft.operation(&labels[3], &service, "install");
    draft.operation(&labels[4], &service, "start");
    for pair in labels.windows(2) {
        draft.before(&pair[0], &pair[1]);
    }
}

/// Paper 004 Fig. 3 with `n` services that are configured while the page is, and a spare one.
pub(crate) fn reconfiguration(n: usize) -> Question {
    let mut state = "state:\n  instances:\n".to_owned();
    for line in ["d1: { node: mongo, state: running }", "n1: { node: node, state: running }"] {
        let _ = writeln!(state, "    {line}");
    }
    state += "    g1: { node: gui, state: configured, in: n1 }\n";
    let mut draft = Draft::default();
    draft.operation("configG", "g1", "config");
    for i in 0..=n {
        let service = format!("node: api, state: running, in: m{i}, bindings: {{ data: d1 }}");
        let _ = writeln!(state, "    m{i}: {{ node: maven, state: running }}");
        let _ = writeln!(state, "    a{i}: {{ {service} }}");
        if i < n {
            draft.operation(&format!("config{i}"), &format!("a{i}"), "config");
        }
    }
    Question { state, plan: draft.text(), sequence: false }
}

/// At least `n` actions one after the other: stacks come up, one by one.
pub(crate) fn sequence(n: usize) -> Question {
    let mut draft = Draft::default();
    draft.scale_out("newD", "mongo", "d1", None);
    draft.operation("startD", "d1", "start");
    for i in 0..n.div_ceil(5) {
        stack(&mut draft, i);
    }
    draft.order.clear();
    Question { state: "state:\n  instances: {}\n".into(), plan: draft.text(), sequence: true }
}

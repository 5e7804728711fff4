//! Templates of OpenStack Heat as applications: plans that create, update and delete a stack, the
//! order that Heat takes without being told, runs in virtual time, and the text for Alloy.

#![allow(clippy::expect_used, reason = "a test may panic")]

use windlass::application::assembly::Assembly;
use windlass::application::{Application, GlobalState};
use windlass::goal::evaluate::Closure;
use windlass::goal::{Goal, GoalFile};
use windlass::lang::hot::renew::{Renewal, renew};
use windlass::lang::{self, Language, Reading};
use windlass::plan::events::Events;
use windlass::plan::{Plan, PlanAction};
use windlass::semantics::bring_up::BringUp;
use windlass::simulate::{self, Scenario, bring_up};
use windlass::source::Sources;
use windlass::source::files::{Limits as FileLimits, MemoryFiles};
use windlass::synthesize::down::{everything_down, when_up};
use windlass::synthesize::{Answer, Objective, Question, everything_up, synthesize};
use windlass::system::Limits;
use windlass::verify::Effort;
use windlass::{analyze, export};

fn read(text: &str) -> Reading {
    let mut sources = Sources::new();
    let root = sources.add("main.yaml", text);
    let mut files = MemoryFiles::new(FileLimits::default());
    lang::read_with(Some(Language::HOT), root, "main.yaml", &mut sources, &mut files)
}

fn application(text: &str) -> Application {
    let reading = read(text);
    reading.application.unwrap_or_else(|| panic!("{:?}", reading.findings))
}

fn question<'a>(
    application: &'a Application,
    start: &'a GlobalState,
    goal: &'a GoalFile,
) -> Question<'a> {
    Question {
        application,
        start,
        goal,
        closure: Closure::Open,
        policy: application.policy,
        objective: Objective::Length,
        known: None,
        prove: false,
        allow_faults: false,
        soft: false,
    }
}

fn limits() -> Limits {
    Limits { states: 1_000_000, bytes: 1 << 30 }
}

fn plan(application: &Application, start: &GlobalState, goal: Goal) -> Plan {
    let goal = GoalFile { goal, ..GoalFile::default() };
    let question = question(application, start, &goal);
    match synthesize(&question, &Effort::default(), &mut limits()) {
        Answer::Plan(found) => found.plan,
        other => panic!("{other:?}"),
    }
}

/// A plan as `operation instance`, sorted, and whether one action is always over before another.
struct Steps {
    names: Vec<String>,
    events: Events,
}

impl Steps {
    fn of(plan: &Plan) -> Self {
        let name = |action: &PlanAction| match action {
            PlanAction::Operation { instance, operation } => format!("{operation} {}", instance.0),
            other => format!("{other:?}"),
        };
        let names = plan.steps.iter().map(|step| name(&step.action)).collect();
        Steps { names, events: Events::new(plan).expect("an order") }
    }

    fn sorted(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        names.sort_unstable();
        names
    }

    fn is_before(&self, first: &str, second: &str) -> bool {
        let at = |name: &str| {
            self.names.iter().position(|own| own == name).unwrap_or_else(|| panic!("{name}"))
        };
        let (first, second) = (at(first), at(second));
        self.events.at_most(self.events.last_of(first), self.events.first_of(second))
    }
}

const SITE: &str = "heat_template_version: wallaby
resources:
  lan: { type: OS::Neutron::Net }
  range: { type: OS::Neutron::Subnet, properties: { network: { get_resource: lan }, cidr: 10.0.0.0/24 } }
  door: { type: OS::Neutron::Port, properties: { network: { get_resource: lan } } }
  hub: { type: OS::Neutron::Router, properties: { external_gateway_info: { network: public } } }
  link:
    type: OS::Neutron::RouterInterface
    properties: { router: { get_resource: hub }, subnet: { get_resource: range } }
  address:
    type: OS::Neutron::FloatingIP
    properties: { floating_network: public, port_id: { get_resource: door } }
";

#[test]
fn a_stack_is_created_in_the_order_that_heat_takes() {
    let application = application(SITE);
    let goal = everything_up(&application).expect("a way up");
    let steps = Steps::of(&plan(&application, &GlobalState::empty(), goal));
    assert_eq!(
        steps.sorted(),
        [
            "create address",
            "create door",
            "create hub",
            "create lan",
            "create link",
            "create range"
        ]
    );
    // Nothing in the template says so: a port takes its address from the subnets of its network,
    // and a floating IP needs the way from its port to the network outside.
    assert!(steps.is_before("create range", "create door"));
    assert!(steps.is_before("create link", "create address"));
    assert!(steps.is_before("create hub", "create address"));
    assert!(!steps.is_before("create hub", "create lan"));
}

#[test]
fn a_stack_is_deleted_the_other_way_round() {
    let application = application(SITE);
    let (empty, nothing) = (GlobalState::empty(), GoalFile::default());
    let question = question(&application, &empty, &nothing);
    let up = when_up(&question, &Effort::default(), &mut limits()).expect("a way up");
    let steps = Steps::of(&plan(&application, &up, everything_down(&application)));
    assert_eq!(steps.names.len(), 6);
    assert!(steps.is_before("delete address", "delete link"));
    assert!(steps.is_before("delete link", "delete range"));
    assert!(steps.is_before("delete door", "delete range"));
    assert!(steps.is_before("delete range", "delete lan"));
}

fn renewed(old: &str, new: &str) -> Renewal {
    let (old, new) = (read(old), read(new));
    let (old, new) = (old.stack.expect("a stack"), new.stack.expect("a stack"));
    renew(&old, &new, "update", |_| true)
}

#[test]
fn an_update_replaces_what_cannot_change_and_updates_what_can() {
    // The range of a subnet cannot change in place; the interface refers to it and cannot either.
    let new = SITE.replace("10.0.0.0/24", "10.0.1.0/24").replace(
        "lan: { type: OS::Neutron::Net }",
        "lan: { type: OS::Neutron::Net, properties: { name: inside } }",
    );
    let new = format!("{new}  more: {{ type: OS::Heat::RandomString }}\n");
    let update = renewed(SITE, &new);
    assert_eq!(update.updated, ["lan"]);
    assert_eq!(update.replaced, ["range", "link"]);
    assert_eq!(update.added, ["more"]);
    assert!(update.removed.is_empty());
    let steps = Steps::of(&plan(&update.application, &update.start, update.goal.clone()));
    assert_eq!(
        steps.sorted(),
        [
            "create link",
            "create more",
            "create range",
            "delete link (old)",
            "delete range (old)",
            "update lan"
        ]
    );
    assert!(steps.is_before("create range", "create link"));
    assert!(steps.is_before("create link", "delete link (old)"));
    assert!(steps.is_before("delete link (old)", "delete range (old)"));
}

#[test]
fn an_update_removes_last_what_others_needed() {
    let new = SITE.lines().take(4).collect::<Vec<_>>().join("\n") + "\n";
    let update = renewed(SITE, &new);
    assert_eq!(update.removed, ["address", "door", "hub", "link"]);
    let steps = Steps::of(&plan(&update.application, &update.start, update.goal.clone()));
    assert_eq!(steps.names.len(), 4);
    assert!(steps.is_before("delete address", "delete link"));
    assert!(steps.is_before("delete link", "delete hub"));
}

#[test]
fn an_update_to_the_same_template_does_nothing() {
    let update = renewed(SITE, SITE);
    let changes = [&update.updated, &update.replaced, &update.added, &update.removed];
    assert!(changes.iter().all(|list| list.is_empty()), "{changes:?}");
    assert!(plan(&update.application, &update.start, update.goal).steps.is_empty());
}

#[test]
fn a_stack_is_created_in_virtual_time() {
    let application = application(SITE);
    let start = analyze::wanted(&application);
    let system = BringUp::new(&application, &start, &[]).expect("a way up");
    let mut nets = bring_up::assembly(&system).expect("nets");
    for kind in &mut nets.types {
        if let windlass::lifecycle::Lifecycle::Net(net) = &mut kind.lifecycle {
            for transition in &mut net.transitions {
                let second = std::time::Duration::from_secs(1);
                transition.action.duration =
                    Some(windlass::lifecycle::timing::Timing::Fixed(second));
            }
        }
    }
    let assembly = Assembly::new(&nets).expect("an assembly");
    let schedule = simulate::simulate(&assembly, &Scenario::default());
    assert!(schedule.is_finished());
    // Network, subnet, interface, floating IP.
    assert_eq!(schedule.makespan.as_secs(), 4);
}

#[test]
fn the_branch_of_if_that_is_not_taken_is_not_waited_for() {
    let text = "heat_template_version: wallaby
parameters:
  fast: { type: boolean, default: false }
conditions:
  is_fast: { get_param: fast }
resources:
  a: { type: OS::Heat::RandomString }
  b: { type: OS::Heat::RandomString }
  c:
    type: OS::Heat::Value
    properties: { value: { if: [is_fast, { get_attr: [a, value] }, { get_attr: [b, value] }] } }
";
    let application = application(text);
    let node = application.node_named("c").expect("c");
    let bound = application.node(node).bindings.iter();
    let names: Vec<_> = bound.map(|b| application.node(b.target).name.as_str()).collect();
    assert_eq!(names, ["b"]);
}

#[test]
fn the_text_for_alloy_has_the_parts_that_the_paper_shows() {
    let stack = read(SITE).stack.expect("a stack");
    let text = export::alloy::template::print(&stack, "Site");
    for line in [
        "sig Site_template extends HOT/Template",
        "  lan: one OS::Neutron::Net,",
        "  public: one OS::Neutron::ProviderNet",
        "heat_template_version = \"wallaby\"",
        "range.prop_network[get_resource[lan]]",
        "range.prop_cidr = \"10.0.0.0/24\"",
        "range.prop_enable_dhcp = true",
        "range.prop_ip_version = 4",
        "no range.prop_gateway_ip",
        "link.prop_router[get_resource[hub]]",
        "hub.prop_external_gateway_info[none, none, get_resource[public]]",
        "lan.deletion_policy = \"delete\"",
        "  exactly 7 HOT/Resource,",
        "  exactly 2 OS_Neutron_Net_Role,",
        "  exactly 2 OS_Neutron_ProviderNet_Role,",
    ] {
        assert!(text.lines().any(|own| own == line), "{line}\n{text}");
    }
}

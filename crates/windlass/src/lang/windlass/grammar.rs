//! The documents of our own language: application, state, plan and goal.
//!
//! This file is the reference of the language; `docs/schemas/*.json` and the key names in
//! messages come from it.

use super::shape::Shape::{
    Cost, Duration, Either, Integer, List, Map, Name, Record as Rec, Text, Word,
};
use super::shape::{Key, Record, Shape, optional, required};

const NAMES: Shape = List(&Name);

/// The words of `faults`.
pub(super) const FAULTS: &[&str] = &["forbidden", "handled", "replicas"];
/// The words of `policy`.
pub(super) const POLICIES: &[&str] = &["any", "greedy", "least-loaded"];
/// The words of `sort`.
pub(super) const SORTS: &[&str] = &["containment", "replica_aware", "replica_unaware"];
/// The words of `kind` of a port.
pub(super) const PORT_KINDS: &[&str] = &["use", "provide", "data_use", "data_provide"];

/// A whole application.
pub(super) static APPLICATION: Record = Record {
    what: "an application",
    keys: &[
        required("windlass", Integer(1, 1), "the version of the language, 1"),
        optional("name", Name, "the name of the application"),
        optional("faults", Word(FAULTS), "how faults are treated (default: replicas)"),
        optional("policy", Word(POLICIES), "which provider a requirement is bound to"),
        required("types", Map(&Rec(&TYPE)), "the component types"),
        required("nodes", Map(&Rec(&NODE)), "the nodes of the topology"),
        optional("goal", Either(&[Text, Rec(&GOAL_PARTS)]), "what `up` means for this file"),
        optional("hosts", Map(&HOST), "what is known about hosts"),
        optional("locks", Map(&SLOTS), "how many actions hold a lock at once (nets)"),
        optional("durations_from", Text, "where the durations come from (nets)"),
    ],
};

const SLOTS: Shape = Integer(1, 1_000_000);

static HOST: Shape = Either(&[SLOTS, Rec(&HOST_RECORD)]);

static HOST_RECORD: Record = Record {
    what: "a host",
    keys: &[
        optional("slots", SLOTS, "how many actions it carries out at once"),
        optional("address", Text, "where ssh finds it: [USER@]HOST or ssh://[USER@]HOST[:PORT]"),
    ],
};

static TYPE: Record = Record {
    what: "a type",
    keys: &[
        optional("requirements", Map(&REQUIREMENT), "what it may rely on"),
        optional("capabilities", NAMES, "what it may offer"),
        optional("operations", Map(&Rec(&OPERATION)), "the commands behind its operations"),
        optional("protocol", Rec(&PROTOCOL), "its life cycle as a management protocol"),
        optional("net", Rec(&NET), "its life cycle as a net"),
        optional("cost_per_second", Cost, "what an instance costs while it exists"),
    ],
};

static REQUIREMENT: Shape = Either(&[Word(SORTS), Rec(&REQUIREMENT_RECORD)]);

static REQUIREMENT_RECORD: Record = Record {
    what: "a requirement",
    keys: &[
        required("sort", Word(SORTS), "what kind of dependency it is"),
        optional(
            "arity",
            Either(&[Word(&["any", "all"]), Rec(&AT_LEAST)]),
            "how many providers it needs (default: any)",
        ),
    ],
};

static AT_LEAST: Record = Record {
    what: "an arity",
    keys: &[required("at_least", Integer(1, 1_000_000), "the number of distinct providers")],
};

static OPERATION: Record = Record {
    what: "an operation",
    keys: &[
        optional("run", COMMAND, "the command that performs it"),
        optional("duration", Duration, "how long it is expected to take"),
        optional("cost", Cost, "what it costs"),
        optional("timeout", Duration, "when it is given up"),
        optional("retry", Either(&[SLOTS, Rec(&RETRY)]), "how often it is tried again"),
        optional("effect", EFFECT, DOUBT),
        optional("host", Name, "where it runs, when not where its node does"),
    ],
};

const DOUBT: &str =
    "what may be done when it is unknown whether it happened (default: at_most_once)";

/// What may be done about an action in doubt.
const EFFECT: Shape = Either(&[Word(&["idempotent", "at_most_once"]), Rec(&CHECKED)]);

static CHECKED: Record = Record {
    what: "an effect",
    keys: &[required("check", COMMAND, "a command that ends well when the action has been done")],
};

/// A command: an argument list, or a record with a shell, directory or environment.
const COMMAND: Shape = Either(&[List(&Text), Rec(&COMMAND_RECORD)]);

static COMMAND_RECORD: Record = Record {
    what: "a command",
    keys: &[
        optional("argv", List(&Text), "the program and its arguments"),
        optional("shell", Text, "a script for the shell, instead of argv"),
        optional("directory", Text, "the working directory, relative to this file"),
        optional(
            "environment",
            Map(&Either(&[Text, Rec(&SECRET)])),
            "additional environment variables",
        ),
        optional("files", List(&Text), "files that another host gets before it runs there"),
    ],
};

static SECRET: Record = Record {
    what: "a secret",
    keys: &[required("secret", Name, "the name of the secret, never its value")],
};

static PROTOCOL: Record = Record {
    what: "a protocol",
    keys: &[
        required("initial", Name, "the state of a new instance"),
        required("states", Map(&Rec(&STATE)), "its states"),
        optional("transitions", List(&Rec(&TRANSITION)), "which operation leads where"),
        optional("up", NAMES, "the operations that bring an instance up"),
    ],
};

static STATE: Record = Record {
    what: "a state",
    keys: &[
        optional("requires", NAMES, "requirements that must keep being satisfied here"),
        optional("offers", NAMES, "capabilities that are offered here"),
        optional("on_fault", NAMES, "the states that a fault leads to"),
        optional("on_crash", Name, "the state in which an instance is after its process died"),
        optional(
            "process",
            Either(&[List(&Text), Rec(&PROCESS)]),
            "the process that is this state while it runs",
        ),
    ],
};

static PROCESS: Record = Record {
    what: "a process",
    keys: &[
        required("run", COMMAND, "the command that stays"),
        optional("stop", Either(&[Name, Rec(&STOP)]), "the signal or the command that ends it"),
        optional("grace", Duration, "how long it may take to stop before it is killed"),
        optional("health", Rec(&HEALTH), "how to tell whether it serves"),
        optional("image", Text, "the image of the container that it is, with `--world docker`"),
    ],
};

static HEALTH: Record = Record {
    what: "a health check",
    keys: &[
        optional("run", COMMAND, "a command that ends well while the process serves"),
        optional("tcp", Text, "HOST:PORT that accepts connections"),
        optional("http", Text, "http://HOST:PORT/PATH that answers with 2xx or 3xx"),
        optional("every", Duration, "how long to wait between two checks (default: 1s)"),
        optional("timeout", Duration, "how long one check may take (default: 2s)"),
        optional("failures", Integer(1, 1_000), "checks that fail in a row (default: 3)"),
    ],
};

static STOP: Record = Record {
    what: "a stop command",
    keys: &[required("run", COMMAND, "the command that ends the process")],
};

static TRANSITION: Record = Record {
    what: "a transition",
    keys: &[
        required("from", Name, "the state in which it starts"),
        required("operation", Name, "the operation that it performs"),
        required("to", Name, "the state in which it ends"),
        optional("requires", NAMES, "requirements that must hold until it ends"),
        optional("offers", NAMES, "capabilities that are offered meanwhile"),
        optional("on_fault", NAMES, "the states that a fault leads to"),
    ],
};

static NET: Record = Record {
    what: "a net",
    keys: &[
        required("places", NAMES, "its places"),
        required("initial", NAMES, "the places that hold a token at the start"),
        optional("transitions", Map(&Rec(&NET_TRANSITION)), "its transitions"),
        optional("groups", Map(&NAMES), "groups of places"),
        optional("ports", Map(&Rec(&PORT)), "its ports"),
    ],
};

static NET_TRANSITION: Record = Record {
    what: "a transition",
    keys: &[
        required("from", END, "the place that it leaves"),
        required("to", END, "the place that it enters"),
        optional("run", COMMAND, "the command that performs it"),
        optional("duration", TIME, "how long it takes"),
        optional("cost", Cost, "what it costs"),
        optional("timeout", Duration, "when it is given up"),
        optional("retry", Either(&[SLOTS, Rec(&RETRY)]), "how often it is tried again"),
        optional("effect", EFFECT, DOUBT),
        optional("compensate", COMMAND, "the command that undoes it"),
        optional("host", Name, "where it runs, when not where its node does"),
        optional("lock", Name, "what it holds while it runs"),
        optional("sets", Map(&Text), "data_provide port -> the value that it gives"),
        optional("behavior", Name, "the behavior that it belongs to (default: deploy)"),
    ],
};

const TIME: Shape = Either(&[Duration, Rec(&TIMING)]);

/// A list of durations.
pub(super) static DURATIONS: Shape = Map(&TIME);

static TIMING: Record = Record {
    what: "a duration",
    keys: &[
        optional("from", Duration, "the shortest, of a range"),
        optional("to", Duration, "the longest, of a range"),
        optional("mean", Duration, "the mean of a normal distribution"),
        optional("deviation", Duration, "its standard deviation"),
        optional("exponential", Duration, "the mean of an exponential distribution"),
        optional("measured", List(&Duration), "values that were measured"),
    ],
};

static RETRY: Record = Record {
    what: "a retry",
    keys: &[
        required("times", SLOTS, "how often it is tried again"),
        optional("wait", Duration, "how long to wait before the first try (default: not at all)"),
        optional("factor", Integer(1, 100), "by how much the wait grows each time (default: 1)"),
    ],
};

const END: Shape = Either(&[Name, Rec(&DOCK)]);

static DOCK: Record = Record {
    what: "a dock",
    keys: &[
        required("place", Name, "the place it is attached to"),
        required("dock", Name, "its name: transitions with the same dock are alternatives"),
    ],
};

static PORT: Record = Record {
    what: "a port",
    keys: &[
        required("kind", Word(PORT_KINDS), "what it is for"),
        optional("type", Name, "ports of different types cannot be connected"),
        optional("transitions", NAMES, "the transitions that need it (use, data_use)"),
        optional("groups", NAMES, "the groups that give it (provide)"),
        optional(
            "places",
            NAMES,
            "the places that set its value (data_provide), or that need it (use)",
        ),
    ],
};

static NODE: Record = Record {
    what: "a node",
    keys: &[
        required("type", Name, "its component type"),
        optional("count", Integer(0, 1_000_000), "how many instances are wanted (default: 1)"),
        optional(
            "bind",
            Map(&Either(&[Name, NAMES])),
            "requirement or port -> NODE.CAPABILITY or NODE.PORT",
        ),
        optional("instances", Map(&Rec(&INSTANCE)), "wanted instances that have a name"),
        optional("host", Name, "where its transitions or operations run"),
        optional("behaviors", NAMES, "the behaviors that it goes through (nets; default: deploy)"),
        optional("part_of", Name, "what it is one of several of, in the description it came from"),
    ],
};

static INSTANCE: Record =
    Record { what: "an instance", keys: &[optional("in", Name, "the instance that contains it")] };

/// The parts of a goal with conditions on the way.
static GOAL_PARTS: Record = Record { what: "a goal", keys: GOAL_KEYS };

const GOAL_KEYS: &[Key] = &[
    required("goal", Text, "what must hold in the end: NODE=STATE, ..."),
    optional("keep", NAMES, "instances that stay as they are"),
    optional("always", List(&Text), "conditions that hold all along"),
    optional("never", List(&Text), "conditions that never hold on the way"),
    optional("budget", Map(&Integer(0, 1_000_000)), "most instances of a node at any time"),
];

/// A goal file.
pub(super) static GOAL: Record = Record { what: "a goal file", keys: GOAL_KEYS };

/// A state file.
pub(super) static STATE_FILE: Record = Record {
    what: "a state file",
    keys: &[
        required("state", Rec(&GLOBAL_STATE), "which instances exist and where each one is"),
        optional("schema", Text, "the name of the form, for programs"),
    ],
};

static GLOBAL_STATE: Record = Record {
    what: "a state",
    keys: &[required("instances", Map(&Rec(&STATE_INSTANCE)), "the instances by id")],
};

static STATE_INSTANCE: Record = Record {
    what: "an instance",
    keys: &[
        required("node", Name, "the node it is an instance of"),
        optional("state", Name, "the state it is in"),
        optional("operation", Rec(&RUNNING), "the operation that it is performing, instead"),
        optional("in", Name, "the instance that contains it"),
        optional("bindings", Map(&Either(&[Name, NAMES])), "requirement -> instance"),
    ],
};

static RUNNING: Record = Record {
    what: "a running operation",
    keys: &[
        required("from", Name, "the state in which it started"),
        required("operation", Name, "its name"),
        required("to", Name, "the state in which it will end"),
    ],
};

/// A plan file: what `windlass plan` prints.
pub(super) static PLAN_FILE: Record = Record {
    what: "a plan file",
    keys: &[
        required("plan", Rec(&PLAN), "actions and their order"),
        optional("schema", Text, "the name of the form, for programs"),
        optional("length", Integer(0, u32::MAX), "observable actions, as the planner counted"),
        optional("optimal", Text, "whether the planner proved it optimal"),
        optional("bound", Integer(0, u32::MAX), "the planner's lower bound"),
        optional("objective", Text, "what the planner made small: length, makespan or cost"),
        optional("value", Text, "the value of the plan by its objective"),
        optional("unit", Text, "what the value and the bound count"),
        optional("makespan", Rec(&MAKESPAN), "how long it takes, as the planner counted"),
        optional("fault_free", Text, "whether nothing faults in any order that it allows"),
        optional("faults", List(&Text), "the faults that it passes through"),
        optional("deterministic", Text, "whether it always ends in the same states"),
        optional("remarks", List(&Text), "what should be known beside the plan"),
        optional("stopped", Text, "why the planner stopped looking for a better plan"),
        optional("stats", Rec(&PLAN_STATS), "what it took to find the plan"),
    ],
};

static MAKESPAN: Record = Record {
    what: "a makespan",
    keys: &[
        required("sequence_ms", Text, "milliseconds, one action after another"),
        required("plan_ms", Text, "milliseconds, as parallel as the order allows"),
        required("sequence_actions", Text, "actions, one after another"),
        required("plan_actions", Text, "actions on the longest chain of the order"),
    ],
};

static PLAN_STATS: Record = Record {
    what: "what it took",
    keys: &[
        required("states", Text, "states that the search looked at"),
        required("millis", Text, "how long it took"),
    ],
};

static PLAN: Record = Record {
    what: "a plan",
    keys: &[
        required("actions", Map(&Rec(&ACTION)), "the actions by label"),
        optional("order", List(&Rec(&ORDER)), "which action ends before which one starts"),
        optional("application", Text, "digest of the application it was made for"),
        optional("start", Text, "digest of the state it starts from"),
    ],
};

static ACTION: Record = Record {
    what: "an action",
    keys: &[
        required("do", Word(&["op", "scale_out", "scale_in"]), "what is done"),
        required("instance", Name, "the instance it is done to"),
        optional("operation", Name, "the operation (op)"),
        optional("node", Name, "the node of the new instance (scale_out)"),
        optional("container", Name, "the instance that contains the new one (scale_out)"),
    ],
};

static ORDER: Record = Record {
    what: "an order edge",
    keys: &[
        required("before", Name, "the action that ends first"),
        required("after", Name, "the action that starts after it"),
        optional("why", Text, "the reason for the edge"),
    ],
};

/// A rule set (paper 001).
pub(super) static RULES_FILE: Record = Record {
    what: "a rule set",
    keys: &[required("rules", Rec(&RULES), "how nodes and relationships behave")],
};

static RULES: Record = Record {
    what: "a rule set",
    keys: &[
        optional("name", Name, "its name"),
        required("nodes", Rec(&NODE_RULES), "states and types of nodes"),
        required("capabilities", Rec(&CAPABILITY_RULES), "states of capabilities"),
        required("requirements", Rec(&REQUIREMENT_RULES), "states of requirements"),
        optional("messages", NAMES, "the messages that capabilities send"),
        required("relationships", Map(&Rec(&RELATIONSHIP_TYPE)), "the relationship types"),
        required("behaviour", Map(&Rec(&RULE)), "the rules, by name"),
    ],
};

static NODE_RULES: Record = Record {
    what: "the nodes of a rule set",
    keys: &[
        required("states", NAMES, "the states of a node, the initial one first"),
        required("goal", NAMES, "the states in which a node is done"),
        optional("types", Map(&Rec(&NODE_TYPE)), "the node types (default: one, `node`)"),
    ],
};

static NODE_TYPE: Record = Record {
    what: "a node type",
    keys: &[optional("extends", Name, "the type whose rules it inherits")],
};

static CAPABILITY_RULES: Record = Record {
    what: "the capabilities of a rule set",
    keys: &[
        required("states", NAMES, "the states of a capability, the initial one first"),
        optional(
            "shared",
            Word(&["yes", "no"]),
            "one for all relationships of a type (default: no)",
        ),
    ],
};

static REQUIREMENT_RULES: Record = Record {
    what: "the requirements of a rule set",
    keys: &[required("states", NAMES, "the states of a requirement, the initial one first")],
};

static RELATIONSHIP_TYPE: Record = Record {
    what: "a relationship type",
    keys: &[
        optional("extends", Name, "the type whose rules it inherits"),
        optional("acyclic", Word(&["yes", "no"]), "whether it has no cycles (default: yes)"),
    ],
};

static RULE: Record = Record {
    what: "a rule",
    keys: &[
        optional("node", Name, "the node type that it is about"),
        optional("capability", Name, "the relationship type whose capabilities it is about"),
        optional("requirement", Name, "the relationship type whose requirements it is about"),
        required("from", Name, "the state before"),
        required("to", Name, "the state after"),
        optional("when", List(&Rec(&PREMISE)), "the premises, all of which must hold"),
        optional("replaces", Name, "the inherited rule that objects of this type do not follow"),
        optional("send", Name, "the message that is put into the pool"),
        optional("consume", Name, "the message that is taken out of the pool"),
    ],
};

/// What a premise about neighbours looks at.
pub(super) const AROUND: &[&str] = &["requirements", "capabilities", "targets", "sources"];

static PREMISE: Record = Record {
    what: "a premise",
    keys: &[
        optional("all", Word(AROUND), "neighbours of the node, every one of which"),
        optional("some", Word(AROUND), "neighbours of the node, at least one of which"),
        optional("over", NAMES, "over relationships of these types (default: any)"),
        optional("in", NAMES, "is in one of these states"),
        optional("node", NAMES, "the node of the capability or requirement is in one of these"),
        optional("far", NAMES, "the node at the other end is in one of these"),
        optional("capability", NAMES, "the capability is in one of these states"),
        optional("requirement", NAMES, "every requirement of the capability is in one of these"),
        optional("message", Name, "this message of the capability is in the pool"),
    ],
};

/// A topology of a rule set (paper 001).
pub(super) static TOPOLOGY_FILE: Record = Record {
    what: "a topology",
    keys: &[
        required("topology", Rec(&TOPOLOGY), "nodes and relationships"),
        optional("rules", Rec(&RULES), "how they behave (default: the set-up rules of paper 001)"),
    ],
};

static TOPOLOGY: Record = Record {
    what: "a topology",
    keys: &[
        optional("name", Name, "its name"),
        required("nodes", Map(&Name), "the type of each node"),
        optional("relationships", List(&Rec(&RELATIONSHIP)), "the relationships"),
    ],
};

static RELATIONSHIP: Record = Record {
    what: "a relationship",
    keys: &[
        required("type", Name, "its type"),
        required("from", Name, "the node that has the requirement"),
        required("to", Name, "the node that has the capability"),
    ],
};

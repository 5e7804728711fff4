//! The service template and what it is made of.

use super::super::value::{Data, Name, Value};
use super::{Artifact, Fields, FileId, Implementation, Interface, Parameter, Range, TypeRef};
use crate::source::Span;

/// A service template (before 2.0: topology template).
#[derive(Debug, Clone, Default)]
pub struct Service {
    /// The file that has it.
    pub file: FileId,
    /// Inputs.
    pub inputs: Fields<Parameter>,
    /// Outputs.
    pub outputs: Fields<Parameter>,
    /// Node templates.
    pub nodes: Fields<NodeTemplate>,
    /// Relationship templates.
    pub relationships: Fields<RelationshipTemplate>,
    /// Groups.
    pub groups: Fields<Group>,
    /// Policies.
    pub policies: Fields<Policy>,
    /// Imperative workflows.
    pub workflows: Fields<Workflow>,
    /// What node type the service can stand for.
    pub substitution: Option<Substitution>,
    /// Where it is written.
    pub span: Option<Span>,
}

impl Service {
    /// The requirements of a node whose targets come from the node that the service stands for.
    pub fn mapped_requirements(&self, node: &str) -> Vec<&str> {
        let mappings = self.substitution.iter().flat_map(|it| it.requirements.iter());
        let ends = mappings.flat_map(|(_, mapping)| mapping.ends());
        let own = ends.filter_map(|end| match end.items() {
            [to, requirement, ..] if to.text() == Some(node) => requirement.text(),
            _ => None,
        });
        own.collect()
    }

    /// Whether the target of a requirement comes from the node that the service stands for.
    pub fn maps_requirement(&self, node: &str, requirement: &str) -> bool {
        self.mapped_requirements(node).contains(&requirement)
    }
}

/// A node template.
#[derive(Debug, Clone)]
pub struct NodeTemplate {
    /// Its type.
    pub of: TypeRef,
    /// Directives: `select`, `substitute`, ...
    pub directives: Vec<Name>,
    /// Values of properties.
    pub properties: Fields<Value>,
    /// Values of attributes.
    pub attributes: Fields<Value>,
    /// Capabilities with values.
    pub capabilities: Fields<CapabilityAssignment>,
    /// Requirements, in order; a name may stand several times.
    pub requirements: Fields<RequirementAssignment>,
    /// Interfaces with implementations.
    pub interfaces: Fields<Interface>,
    /// Artifacts.
    pub artifacts: Fields<Artifact>,
    /// What a selected node must satisfy.
    pub node_filter: Option<Value>,
    /// How many representations (from 2.0).
    pub count: Option<Value>,
    /// Where it is written.
    pub span: Span,
}

/// Values of a capability of a node template.
#[derive(Debug, Clone)]
pub struct CapabilityAssignment {
    /// Values of properties.
    pub properties: Fields<Value>,
    /// Values of attributes.
    pub attributes: Fields<Value>,
    /// Directives (from 2.0).
    pub directives: Vec<Name>,
    /// Bounds (1.3).
    pub occurrences: Option<Range>,
    /// Where it is written.
    pub span: Span,
}

/// A requirement of a node template.
#[derive(Debug, Clone)]
pub struct RequirementAssignment {
    /// The node template or node type, as it is written.
    pub node: Option<Name>,
    /// The target as a list: a node template, and the index of one of its nodes (from 2.0).
    pub indexed: Option<Value>,
    /// The capability of the target, or its type, as it is written.
    pub capability: Option<Name>,
    /// The relationship template or type, as it is written.
    pub relationship: Option<Name>,
    /// The relationship when it is written in place.
    pub inline: Option<RelationshipTemplate>,
    /// What a target must satisfy.
    pub node_filter: Option<Value>,
    /// How many relationships (from 2.0).
    pub count: Option<Value>,
    /// Bounds (1.3).
    pub occurrences: Option<Range>,
    /// `optional` (from 2.0).
    pub optional: Option<Value>,
    /// Directives (from 2.0).
    pub directives: Vec<Name>,
    /// How much of the capability it takes (from 2.0).
    pub allocation: Option<Value>,
    /// What resolution found; none when the requirement dangles.
    pub target: Option<Target>,
    /// Where it is written.
    pub span: Span,
}

impl RequirementAssignment {
    /// Whether it may stay without a target; a function may say so.
    pub fn is_optional(&self) -> bool {
        self.optional.as_ref().is_some_and(|value| value.data != Data::Bool(false))
    }

    /// Which of the nodes of its template the target is.
    pub fn index(&self) -> Option<&Value> {
        self.indexed.as_ref()?.items().get(1)
    }
}

/// The target of a resolved requirement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The node template.
    pub node: String,
    /// Its capability, when one fits.
    pub capability: Option<String>,
    /// The relationship template, when one is named.
    pub template: Option<String>,
    /// The relationship type, when it is known.
    pub relationship: Option<super::TypeId>,
}

/// A relationship template, or a relationship that a requirement writes in place.
#[derive(Debug, Clone)]
pub struct RelationshipTemplate {
    /// Its type; none when it is written in place and leaves the type to the definition.
    pub of: Option<TypeRef>,
    /// Values of properties.
    pub properties: Fields<Value>,
    /// Values of attributes.
    pub attributes: Fields<Value>,
    /// Interfaces with implementations.
    pub interfaces: Fields<Interface>,
    /// Where it is written.
    pub span: Span,
}

/// A group.
#[derive(Debug, Clone)]
pub struct Group {
    /// Its type.
    pub of: TypeRef,
    /// Its members.
    pub members: Vec<Name>,
    /// Values of properties.
    pub properties: Fields<Value>,
    /// Interfaces (before 2.0).
    pub interfaces: Fields<Interface>,
    /// Where it is written.
    pub span: Span,
}

/// A policy.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Its type.
    pub of: TypeRef,
    /// Node templates and groups.
    pub targets: Vec<Name>,
    /// Values of properties.
    pub properties: Fields<Value>,
    /// Triggers.
    pub triggers: Fields<Trigger>,
    /// Where it is written.
    pub span: Span,
}

/// What a policy does when something happens.
#[derive(Debug, Clone)]
pub struct Trigger {
    /// The event.
    pub event: Option<Name>,
    /// The condition.
    pub condition: Option<Value>,
    /// What is done.
    pub actions: Vec<Activity>,
    /// All of it, as it is written.
    pub body: Value,
    /// Where it is written.
    pub span: Span,
}

/// An imperative workflow.
#[derive(Debug, Clone)]
pub struct Workflow {
    /// Inputs.
    pub inputs: Fields<Parameter>,
    /// Outputs.
    pub outputs: Fields<Value>,
    /// What must hold before it runs.
    pub preconditions: Option<Value>,
    /// Steps.
    pub steps: Fields<Step>,
    /// What carries it out in place of steps.
    pub implementation: Option<Implementation>,
    /// Where it is written.
    pub span: Span,
}

/// A step of a workflow.
#[derive(Debug, Clone)]
pub struct Step {
    /// The node template or group.
    pub target: Option<Name>,
    /// The requirement of the target whose relationship is meant.
    pub target_relationship: Option<Name>,
    /// On which node its operations run (before 2.0).
    pub host: Option<Name>,
    /// When it is skipped.
    pub filter: Option<Value>,
    /// What is done, in order.
    pub activities: Vec<Activity>,
    /// Steps that follow.
    pub on_success: Vec<Name>,
    /// Steps that follow a failure.
    pub on_failure: Vec<Name>,
    /// Where it is written.
    pub span: Span,
}

/// One activity of a step or of a trigger.
#[derive(Debug, Clone)]
pub struct Activity {
    /// What is done.
    pub kind: ActivityKind,
    /// The node state, the operation as `interface.operation`, or the workflow.
    pub subject: Name,
    /// Values of inputs.
    pub inputs: Fields<Value>,
    /// Where it is written.
    pub span: Span,
}

/// What an activity does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActivityKind {
    /// Sets the state of the target.
    SetState,
    /// Calls an operation.
    CallOperation,
    /// Leaves the target to the orchestrator.
    Delegate,
    /// Runs another workflow in place.
    Inline,
}

/// What node type a service can stand for, and how.
#[derive(Debug, Clone)]
pub struct Substitution {
    /// The node type.
    pub of: TypeRef,
    /// When it applies.
    pub filter: Option<Value>,
    /// Inputs for properties.
    pub properties: Fields<Value>,
    /// Outputs for attributes.
    pub attributes: Fields<Value>,
    /// Capabilities of node templates.
    pub capabilities: Fields<Value>,
    /// Requirements of node templates.
    pub requirements: Fields<RequirementMapping>,
    /// Workflows for operations.
    pub interfaces: Fields<Value>,
    /// Where it is written.
    pub span: Span,
}

/// What targets of a requirement of the substituted node are the targets of.
#[derive(Debug, Clone)]
pub struct RequirementMapping {
    /// A node template with one of its requirements, or (from 2.0) a selected node, or a list.
    pub value: Value,
    /// How many assignments it is for (from 2.0): a number, or `UNBOUNDED` for all that are left.
    pub count: Option<Value>,
}

impl RequirementMapping {
    /// What it leads to, each part as it is written: pairs of a node template and a requirement,
    /// and single node templates.
    pub fn ends(&self) -> Vec<&Value> {
        let value = self.value.get("mapping").unwrap_or(&self.value);
        match value.items() {
            [node, requirement, ..] if node.text().is_some() && requirement.text().is_some() => {
                vec![value]
            }
            [] => value.text().map(|_| value).into_iter().collect(),
            ends => ends.iter().collect(),
        }
    }
}

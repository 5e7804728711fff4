//! Templates of OpenStack Heat on the command line: plans, environments, virtual time, Alloy.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use crate::support::Folder;

const OLD: &str = "heat_template_version: wallaby
parameters:
  range: { type: string, default: 10.0.0.0/24 }
resources:
  lan: { type: OS::Neutron::Net }
  inside:
    type: OS::Neutron::Subnet
    properties: { network: { get_resource: lan }, cidr: { get_param: range } }
  door: { type: OS::Neutron::Port, properties: { network: { get_resource: lan } } }
";

#[test]
fn a_stack_is_planned_without_a_goal_and_back() {
    let folder = Folder::with(&[("stack.yaml", OLD)]);
    let run = folder.run(&["plan", "stack.yaml"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("create inside\n    after create lan"), "{}", run.stdout);
    let run = folder.run(&["plan", "stack.yaml", "--down"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("delete inside\n    after delete door"), "{}", run.stdout);
}

#[test]
fn an_update_is_planned_from_the_old_template() {
    let new = OLD.replace("10.0.0.0/24", "10.0.1.0/24");
    let folder = Folder::with(&[("old.yaml", OLD), ("new.yaml", &new)]);
    let run = folder.run(&["plan", "new.yaml", "--from-app", "old.yaml", "--combined", "both"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(run.stderr, "replaced: inside\n");
    assert!(run.stdout.contains("delete inside (old)\n    after create inside"), "{}", run.stdout);
    // The environment of both is the same, so nothing changes.
    folder.write("env.yaml", "parameters: { range: 10.7.0.0/24 }\n");
    let run = folder.run(&["plan", "new.yaml", "--from-app", "old.yaml", "--env", "env.yaml"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, "nothing changes\n"));
}

#[test]
fn environments_count_for_every_command_and_for_templates_only() {
    let folder = Folder::with(&[("stack.yaml", OLD), ("env.yaml", "parameters: { rang: 1 }\n")]);
    for command in ["plan", "prove", "simulate", "show"] {
        let run = folder.run(&[command, "stack.yaml", "--env", "env.yaml"]);
        assert_eq!(run.code, 1, "{command}: {}", run.stderr);
        assert!(run.stderr.contains("HOT013"), "{command}: {}", run.stderr);
    }
    folder.write("windlass.yaml", "windlass: 1\nname: x\ntypes: {}\nnodes: {}\n");
    let run = folder.run(&["prove", "windlass.yaml", "--env", "env.yaml"]);
    assert_eq!(run.code, 2, "{}", run.stderr);
}

#[test]
fn a_stack_is_created_in_virtual_time_and_written_for_alloy() {
    let folder = Folder::with(&[("stack.yaml", OLD)]);
    let run = folder.run(&["simulate", "stack.yaml", "--set", "lan.create=4s"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.starts_with("makespan 6.000 s"), "{}", run.stdout);
    let run = folder.run(&["convert", "stack.yaml", "--to", "alloy"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("sig stack_template extends HOT/Template"), "{}", run.stdout);
}

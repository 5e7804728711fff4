//! Services of TOSCA whose nodes are containers, and what is hosted on them.

use windlass_run::world::docker::engine::Engine;

use super::Project;

/// A container, a program in it with a script, a file and an output, and a reader of this machine.
const SERVICE: &str = "\
tosca_definitions_version: tosca_simple_yaml_1_0
node_types:
  Box:
    derived_from: tosca.nodes.Container.Application
    properties:
      command: { type: string }
      environment: { type: map, entry_schema: { type: string }, required: false }
    capabilities: { host: { type: tosca.capabilities.Container } }
  Notes:
    derived_from: tosca.nodes.Root
    attributes: { place: { type: string } }
    capabilities: { notes: { type: tosca.capabilities.Endpoint } }
    requirements:
      - host: { capability: tosca.capabilities.Container, node: Box, relationship: tosca.relationships.HostedOn }
    artifacts:
      page: { type: tosca.artifacts.File, file: page.txt, deploy_path: /srv/page.txt }
    interfaces:
      Standard:
        operations:
          create: { implementation: create.sh, outputs: { place: [ SELF, place ] } }
          stop: stop.sh
  Reader:
    derived_from: tosca.nodes.SoftwareComponent
    requirements:
      - notes: { capability: tosca.capabilities.Endpoint, relationship: tosca.relationships.ConnectsTo }
    interfaces:
      Standard:
        operations:
          start: { implementation: read.sh, inputs: { PLACE: { get_attribute: [ SELF, notes, place ] } } }
topology_template:
  node_templates:
    runtime: { type: tosca.nodes.Container.Runtime, requirements: [ host: near ] }
    box:
      type: Box
      properties: { command: sleep 1000, environment: { COLOUR: dark blue } }
      artifacts:
        image: { type: tosca.artifacts.Deployment.Image.Container.Docker, file: 'windlass-test:1' }
      requirements: [ host: runtime ]
    notes: { type: Notes, requirements: [ host: box ] }
    near: { type: tosca.nodes.Compute }
    reader: { type: Reader, requirements: [ host: near, notes: { node: notes, capability: notes } ] }
";

pub(super) fn hosted_on_containers(engine: &Engine) {
    let project = Project::new("wltosca", "service.yaml", SERVICE);
    let write = |name: &str, text: &str| std::fs::write(project.file.with_file_name(name), text);
    write("page.txt", "a page\n").unwrap();
    let create = "test \"$COLOUR\" = 'dark blue' && grep -q page /srv/page.txt\n\
                  echo \"place=$(cat /srv/page.txt) in $(hostname)\" >> \"$TOSCA_OUTPUTS\"\n";
    write("create.sh", create).unwrap();
    write("stop.sh", "echo stopped > /srv/page.txt\n").unwrap();
    write("read.sh", "echo \"$PLACE\" > read\n").unwrap();
    let (code, said) = project.run(&["up", "--yes", "--detach", "--name", "wltosca"]);
    assert_eq!(code, 0, "{said}");
    let ids = engine.labelled("windlass.deployment=wltosca").unwrap();
    assert_eq!(ids.len(), 1, "{said}");
    // Only the container knows that name, and the script of this machine has heard of it.
    let read = std::fs::read_to_string(project.file.with_file_name("read")).unwrap();
    assert_eq!(read, format!("a page in {}\n", &ids[0][..12]));
    let (code, said) = project.run(&["up", "--yes", "--detach", "--name", "wltosca"]);
    assert!(code == 0 && said.contains("0 actions"), "{said}");
    let (code, said) = project.run(&["down", "--name", "wltosca", "--yes"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("stop notes"), "{said}");
    assert!(engine.labelled("windlass.deployment=wltosca").unwrap().is_empty(), "{said}");
}

pub(super) fn missing_image(engine: &Engine) {
    let project = Project::new("wlgone", "service.yaml", SERVICE);
    let write = |name: &str, text: &str| std::fs::write(project.file.with_file_name(name), text);
    write("page.txt", "a page\n").unwrap();
    for script in ["create.sh", "stop.sh", "read.sh"] {
        write(script, "true\n").unwrap();
    }
    let image = SERVICE.replace("windlass-test:1", "windlass-none:1");
    std::fs::write(&project.file, image).unwrap();
    let (code, said) = project.run(&["up", "--yes", "--detach", "--name", "wlgone"]);
    assert_eq!(code, 4, "{said}");
    assert!(said.contains("windlass-none"), "{said}");
    assert!(engine.labelled("windlass.deployment=wlgone").unwrap().is_empty(), "{said}");
}

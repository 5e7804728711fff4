//! Templates of OpenStack Heat: the example of paper 000 as a whole process and in one process, and
//! templates of growing size with every rule on.
//!
//! `HOT_TEMPLATES=FOLDER windlass-bench hot` also reads every template below a folder and gives the
//! median.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use windlass::lang::{self, Language};
use windlass::source::Sources;

use crate::case::{Case, Measurement, Work, checked_process, each, errors, files_below, median};

/// How often a small template is read in one run, because the clock is coarse.
const TIMES: u64 = 500;
/// The sizes of the templates that grow.
const SIZES: &[usize] = &[100, 1_000, 10_000];

/// The example of paper 000 section 7.3.2.
const TWO_VMS: &str = include_str!("../../examples/hot/two-vms.yaml");

/// Sites of ten resources, each with a network of its own.
fn sites(resources: usize) -> String {
    let mut text = "heat_template_version: wallaby\nresources:\n".to_owned();
    for site in 0..resources / 10 {
        let (high, low) = (site / 256, site % 256);
        let _ = write!(
            text,
            "  net{site}: {{ type: OS::Neutron::Net }}
  subnet{site}:
    type: OS::Neutron::Subnet
    properties: {{ network: {{ get_resource: net{site} }}, cidr: 10.{high}.{low}.0/24 }}
  router{site}:
    type: OS::Neutron::Router
    properties: {{ external_gateway_info: {{ network: public }} }}
  link{site}:
    type: OS::Neutron::RouterInterface
    properties: {{ router: {{ get_resource: router{site} }}, subnet: {{ get_resource: subnet{site} }} }}
"
        );
        for side in ["a", "b"] {
            let number = if side == "a" { 10 } else { 11 };
            let _ = write!(
                text,
                "  port{site}{side}:
    type: OS::Neutron::Port
    properties:
      network: {{ get_resource: net{site} }}
      fixed_ips: [{{ subnet: {{ get_resource: subnet{site} }}, ip_address: 10.{high}.{low}.{number} }}]
  vm{site}{side}:
    type: OS::Nova::Server
    properties: {{ image: ubuntu, flavor: small, networks: [{{ port: {{ get_resource: port{site}{side} }} }}] }}
  address{site}{side}:
    type: OS::Neutron::FloatingIP
    depends_on: link{site}
    properties: {{ floating_network: public, port_id: {{ get_resource: port{site}{side} }} }}
"
            );
        }
    }
    text
}

/// Ports and servers on one network: what rules compare with each other.
fn one_network(resources: usize) -> String {
    let mut text = "heat_template_version: wallaby
resources:
  net: { type: OS::Neutron::Net }
  subnet:
    type: OS::Neutron::Subnet
    properties: { network: { get_resource: net }, cidr: 10.0.0.0/8, gateway_ip: 10.255.0.1 }
"
    .to_owned();
    for at in 0..(resources - 2) / 2 {
        let (high, low) = (at / 250, at % 250 + 1);
        let _ = write!(
            text,
            "  port{at}:
    type: OS::Neutron::Port
    properties:
      network: {{ get_resource: net }}
      fixed_ips: [{{ subnet: {{ get_resource: subnet }}, ip_address: 10.1.{high}.{low} }}]
  vm{at}:
    type: OS::Nova::Server
    properties:
      image: ubuntu
      flavor: small
      config_drive: true
      networks: [{{ port: {{ get_resource: port{at} }} }}]
"
        );
    }
    text
}

/// Reads a template, asks every rule, and gives how many findings are errors.
fn check(text: &str) -> usize {
    let mut sources = Sources::new();
    let root = sources.add("template.yaml", text);
    let reading = lang::read(Some(Language::HOT), root, &sources);
    errors(&reading, &sources)
}

fn grown(name: &'static str, make: fn(usize) -> String, size: usize) -> Case {
    let run = Box::new(move || {
        let text = make(size);
        // Small ones are read often enough for the clock.
        let times = (10_000 / size) as u64;
        for _ in 0..times {
            assert_eq!(check(&text), 0, "the template is not what it should be");
        }
        Work { units: times, bytes: Some(text.len() as u64) }
    });
    Case { name: format!("hot/{name}/{size}"), run }
}

pub(crate) fn cases() -> Vec<Case> {
    let two = Box::new(|| {
        for _ in 0..TIMES {
            assert_eq!(check(TWO_VMS), 0, "the template is not what it should be");
        }
        Work { units: TIMES, bytes: None }
    });
    let mut all = vec![Case { name: "hot/two-vms".to_owned(), run: two }];
    for size in SIZES {
        all.push(grown("sites", sites, *size));
        all.push(grown("one-network", one_network, *size));
    }
    all
}

pub(crate) fn measure() -> Result<Vec<Measurement>, String> {
    let mut report = vec![whole_process()?];
    let note = "in one process; wanted: below 1 ms".to_owned();
    report.push(each("hot/two-vms".to_owned(), note)?);
    for name in ["sites", "one-network"] {
        for size in SIZES {
            let note = format!("{size} resources, every rule; wanted: 10,000 below 1 s");
            report.push(each(format!("hot/{name}/{size}"), note)?);
        }
    }
    report.extend(median_of_folder()?);
    Ok(report)
}

fn whole_process() -> Result<Measurement, String> {
    let note = "windlass check, start to end; wanted: below 5 ms";
    checked_process("hot/two-vms/process", "two-vms.yaml", TWO_VMS, note)
}

/// The median over the templates below a folder that was named.
fn median_of_folder() -> Result<Option<Measurement>, String> {
    let Some(folder) = std::env::var_os("HOT_TEMPLATES") else { return Ok(None) };
    let files = files_below(Path::new(&folder))?;
    let texts = files.iter().filter_map(|path| std::fs::read_to_string(path).ok());
    let mut times: Vec<f64> = texts
        .filter(|text| {
            text.contains("heat_template_version") || text.contains("TemplateFormatVersion")
        })
        .map(|text| {
            let start = Instant::now();
            check(&text);
            start.elapsed().as_secs_f64() * 1000.0
        })
        .collect();
    let count = times.len();
    Ok(Some(Measurement {
        name: "hot/templates/median".to_owned(),
        value: median(&mut times),
        unit: "ms",
        note: format!("{count} templates in one process; wanted: below 1 ms"),
    }))
}

//! The list of paths and the router agree.

use super::openapi::ROUTES;

#[test]
fn every_described_path_is_routed_and_the_other_way_round() {
    let routed: Vec<&str> = include_str!("../serve.rs")
        .lines()
        .filter_map(|line| line.trim().strip_prefix(".route(\""))
        .filter_map(|rest| rest.split('"').next())
        .collect();
    let described: Vec<&str> = ROUTES.iter().map(|route| route.path).collect();
    assert_eq!(routed, described);
}

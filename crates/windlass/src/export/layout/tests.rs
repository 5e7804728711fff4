//! Layouts of random drawings keep the promises of the module head.

use super::super::{fixtures, lifecycles, svg, topology};

#[test]
fn scratch() {
    let dir = "/tmp/pics";
    std::fs::create_dir_all(dir).unwrap();
    let thinking = fixtures::thinking();
    std::fs::write(format!("{dir}/thinking.svg"), svg::write(&[topology(&thinking)])).unwrap();
    std::fs::write(format!("{dir}/thinking-types.svg"), svg::write(&lifecycles(&thinking)))
        .unwrap();
    let both = fixtures::server_and_client();
    std::fs::write(format!("{dir}/net.svg"), svg::write(&lifecycles(&both))).unwrap();
    std::fs::write(format!("{dir}/net-top.svg"), svg::write(&[topology(&both)])).unwrap();
    for n in [50, 200] {
        std::fs::write(format!("{dir}/c{n}.svg"), svg::write(&[topology(&fixtures::cluster(n))]))
            .unwrap();
    }
}

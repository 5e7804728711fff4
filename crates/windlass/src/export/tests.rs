//! Pictures of small applications in every format.
use super::*;
#[test]
fn scratch2() {
    let dir = "/tmp/pics";
    for (n, app) in [
        ("thinking", fixtures::thinking()),
        ("net", fixtures::server_and_client()),
        ("c50", fixtures::cluster(50)),
        ("c200", fixtures::cluster(200)),
    ] {
        let mut all = vec![topology(&app)];
        all.extend(lifecycles(&app));
        for f in [Format::Dot, Format::Mermaid, Format::Text] {
            std::fs::write(format!("{dir}/{n}.{}", f.word()), write(&all, f)).unwrap();
        }
    }
}

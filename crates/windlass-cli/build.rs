//! When the pages of `ui/` change, the program that holds them is built again.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../../ui/dist");
}

//! TOSCA: Simple Profile 1.0 to 1.3 and TOSCA 2.0 in YAML, the XML of version 1.0, and the archives
//! (CSAR) that hold descriptions.
//!
//! Reading order: `version.rs`, `value.rs`, `model.rs` (what a service is once everything is
//! resolved), `csar.rs` (where an archive begins), `xml.rs` (version 1.0: texts as spanned trees,
//! definitions, imports). Profiles of normative types are TOSCA texts that come with the program
//! (`profiles.rs`); the reader treats them as it treats any other import.

pub mod csar;
pub mod model;
pub mod profiles;
pub mod value;
pub mod version;
pub mod xml;

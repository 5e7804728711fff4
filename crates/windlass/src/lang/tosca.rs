//! TOSCA: the XML of version 1.0 and the archives (CSAR) that hold descriptions.
//!
//! Reading order: `xml.rs` (texts as spanned trees, definitions, imports), `csar.rs` (where an
//! archive begins).

pub mod csar;
pub mod xml;

//! Pictures and interchange formats as text.
//!
//! A picture is made in three steps: [`topology`] and [`lifecycles`] say what is to be seen (a
//! [`Drawing`]), `layout` finds places for it, and a writer per [`Format`] turns it into text.
//! DOT and Mermaid leave the places to the programs that read them.
//!
//! Reading order: [`drawing`], `escape`, `measure`, `layout`, then the writers.

pub mod alloy;
pub(crate) mod dot;
pub mod drawing;
pub(crate) mod escape;
pub mod gantt;
pub(crate) mod layout;
pub(crate) mod measure;
pub(crate) mod mermaid;
mod net;
pub mod plan;
pub mod pnml;
mod protocol;
pub mod story;
pub(crate) mod svg;
pub(crate) mod text;
mod topology;
pub mod unreached;
pub mod waits;

#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod tests;

use crate::application::{Application, ComponentType};
use crate::lifecycle::Lifecycle;
pub use drawing::Drawing;

/// A format that pictures are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// A picture for browsers and documents.
    Svg,
    /// Text for Graphviz.
    Dot,
    /// Text for Markdown files and wikis.
    Mermaid,
    /// A picture for the terminal.
    Text,
}

/// The picture of the topology of an application.
pub fn topology(application: &Application) -> Drawing {
    topology::draw(application)
}

/// The picture of the life cycle of a component type.
pub fn lifecycle(component: &ComponentType) -> Drawing {
    match &component.lifecycle {
        Lifecycle::Protocol(protocol) => protocol::draw(component, protocol),
        Lifecycle::Net(net) => net::draw(component, net),
    }
}

/// The pictures of all life cycles of an application, one per component type.
pub fn lifecycles(application: &Application) -> Vec<Drawing> {
    application.types.iter().map(lifecycle).collect()
}

/// Drawings as one text in a format.
pub fn write(drawings: &[Drawing], format: Format) -> String {
    match format {
        Format::Svg => svg::write(drawings),
        Format::Dot => dot::write(drawings),
        Format::Mermaid => mermaid::write(drawings),
        Format::Text => text::write(drawings),
    }
}

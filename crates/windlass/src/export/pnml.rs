//! An assembly of nets as one place/transition net in PNML (ISO 15909-2).
//!
//! Every place, dock and transition of the assembly is a place of the net, and so is every state
//! of a connection; every way in which one of the seven rules can be applied is a transition. What
//! the rules ask of several things at once is counted in further places:
//!
//! | id | holds |
//! |---|---|
//! | `place-N`, `dock-N`, `transition-N` | the token of that element |
//! | `enabled-N`, `disabled-N` | one token: `ebl` of a connection |
//! | `value-N` | a token for each time that the value of a data port was set |
//! | `ready-N` | how many connections of a use port are enabled (eq. 1, `is_ready`) |
//! | `tokens-N`, `room-N` | how many tokens are in a group, and how many more fit |
//! | `unused-N` | how many users of a provide port are at rest (eq. 4, `is_used`) |
//! | `phase-N-M` | the component is in that behavior of its program |
//! | `empty-N` | the element holds no token (only where behaviors change) |
//! | `free`, `withdrawing-N` | rule 6 comes first: while a group has just been left, all else waits |
//!
//! Forgetting the further places gives the valuations of the seven rules and the change of
//! behavior: `crates/windlass/tests/library/nets/pnml.rs` compares all of them. Failures
//! are left out.

mod build;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::escape::xml;
use crate::application::assembly::Assembly;

/// A place of the net.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Spot {
    id: String,
    name: String,
    tokens: u32,
}

/// A transition of the net: what it takes and gives.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Change {
    name: String,
    take: BTreeMap<usize, u32>,
    give: BTreeMap<usize, u32>,
}

impl Change {
    fn take(&mut self, spot: usize, tokens: u32) {
        *self.take.entry(spot).or_default() += tokens;
    }

    fn give(&mut self, spot: usize, tokens: u32) {
        *self.give.entry(spot).or_default() += tokens;
    }

    /// Needs tokens and leaves them.
    fn read(&mut self, spot: usize, tokens: u32) {
        self.take(spot, tokens);
        self.give(spot, tokens);
    }
}

/// A place/transition net.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Petri {
    spots: Vec<Spot>,
    changes: Vec<Change>,
}

impl Petri {
    fn spot(&mut self, id: String, name: String, tokens: u32) -> usize {
        self.spots.push(Spot { id, name, tokens });
        self.spots.len() - 1
    }
}

/// The most ways to leave groups at once that are written out one by one.
const MOST_LEFT: usize = 8;

/// A transition that leaves more groups at once than are written out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TooManyGroups {
    /// What happens, in words.
    pub(crate) name: String,
    /// How many groups it leaves.
    pub(crate) groups: usize,
}

impl std::fmt::Display for TooManyGroups {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` leaves {} groups at once", self.name, self.groups)
    }
}

impl std::error::Error for TooManyGroups {}

/// The document; or the transition that leaves too many groups at once to be written.
pub fn write(assembly: &Assembly<'_>) -> Result<String, TooManyGroups> {
    let petri = build::petri(assembly)?;
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n\
         <net id=\"net\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">\n",
    );
    // Writing to a string cannot fail, here and below.
    let _ = writeln!(out, "<name><text>{}</text></name>", xml(&assembly.application().name));
    out.push_str("<page id=\"page\">\n");
    for spot in &petri.spots {
        let _ =
            write!(out, "<place id=\"{}\"><name><text>{}</text></name>", spot.id, xml(&spot.name));
        if spot.tokens > 0 {
            let _ = write!(out, "<initialMarking><text>{}</text></initialMarking>", spot.tokens);
        }
        out.push_str("</place>\n");
    }
    for (at, change) in petri.changes.iter().enumerate() {
        let _ = writeln!(
            out,
            "<transition id=\"change-{at}\"><name><text>{}</text></name></transition>",
            xml(&change.name)
        );
    }
    let mut arcs = 0;
    let mut arc = |out: &mut String, source: &str, target: &str, weight: u32| {
        let _ = write!(out, "<arc id=\"arc-{arcs}\" source=\"{source}\" target=\"{target}\">");
        if weight != 1 {
            let _ = write!(out, "<inscription><text>{weight}</text></inscription>");
        }
        out.push_str("</arc>\n");
        arcs += 1;
    };
    for (at, change) in petri.changes.iter().enumerate() {
        let id = format!("change-{at}");
        for (spot, weight) in &change.take {
            arc(&mut out, &petri.spots[*spot].id, &id, *weight);
        }
        for (spot, weight) in &change.give {
            arc(&mut out, &id, &petri.spots[*spot].id, *weight);
        }
    }
    out.push_str("</page>\n</net>\n</pnml>\n");
    Ok(out)
}

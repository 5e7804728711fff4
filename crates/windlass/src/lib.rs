//! Windlass, the pure library: descriptions of applications in; findings, proofs and plans out.
//!
//! An application is a graph of components, each with a life cycle: a protocol of states and
//! operations, or a net. The library reads descriptions in several languages, finds what is wrong
//! with them, says whether a plan is valid, and looks for plans that are.
//!
//! ```
//! use windlass::application::GlobalState;
//! use windlass::goal::GoalFile;
//! use windlass::source::Sources;
//! use windlass::synthesize::{self, everything_up, synthesize};
//! use windlass::system::Limits;
//! use windlass::verify::{self, Effort, Validity, verify};
//! use windlass::{lang, rule};
//!
//! let text = "
//! windlass: 1
//! name: shop
//! types:
//!   database:
//!     capabilities: [data]
//!     protocol:
//!       initial: stopped
//!       states: { stopped: {}, running: { offers: [data] } }
//!       transitions:
//!         - { from: stopped, operation: start, to: running }
//!         - { from: running, operation: stop, to: stopped }
//!       up: [start]
//!   web:
//!     requirements: { data: replica_unaware }
//!     protocol:
//!       initial: stopped
//!       states: { stopped: {}, running: { requires: [data], on_fault: [stopped] } }
//!       transitions:
//!         - from: stopped
//!           operation: start
//!           to: running
//!           requires: [data]
//!           on_fault: [stopped]
//!         - { from: running, operation: stop, to: stopped }
//!       up: [start]
//! nodes:
//!   db: { type: database }
//!   gui: { type: web, bind: { data: db.data } }
//! ";
//!
//! // Read.
//! let mut sources = Sources::new();
//! let root = sources.add("shop.yaml", text);
//! let reading = lang::read(None, root, &sources);
//! assert!(reading.findings.is_empty(), "{:?}", reading.findings);
//!
//! // Check.
//! let findings = rule::check_reading(&reading, &sources);
//! assert!(findings.is_empty(), "{findings:?}");
//!
//! // Plan: from nothing to everything that the description declares.
//! let application = reading.application.expect("a description without errors describes one");
//! let start = GlobalState::default();
//! let goal = everything_up(&application).expect("every node has a state that is up");
//! let goal = GoalFile { goal, ..GoalFile::default() };
//! let question = synthesize::Question::new(&application, &start, &goal);
//! let (effort, mut budget) = (Effort::default(), Limits { states: 10_000, bytes: 1 << 24 });
//! let plan = synthesize(&question, &effort, &mut budget).into_plan().expect("there is a plan");
//! assert_eq!(plan.steps.len(), 4);
//!
//! // Verify: is every order that the plan allows good?
//! let question = verify::Question {
//!     application: &application,
//!     start: &start,
//!     plan: &plan,
//!     policy: application.policy,
//!     goal: Some(&goal.goal),
//!     closure: question.closure,
//! };
//! let report = verify(&question, &effort, &mut budget).expect("protocols, not nets");
//! assert_eq!(report.validity, Validity::Valid);
//! ```
//!
//! No I/O, no async, no clock, no randomness. Arrows between the modules point downward only in
//! this list, which is also the reading order; `cargo xtask tidy` checks them:
//!
//! | modules | what they are |
//! |---|---|
//! | [`source`], [`diagnostic`], [`spelling`], [`tree`] | texts, places in them, findings, YAML and JSON |
//! | [`graph`], [`lifecycle`], [`application`], [`plan`], [`goal`] | what is described, whatever the language |
//! | [`lang`], [`rule`] | reading a description, and what is wrong with it |
//! | [`system`], [`semantics`], [`explore`], [`certificate`] | what may happen, the search, and the check of its evidence |
//! | [`verify`], [`synthesize`], [`prove`], [`analyze`], [`simulate`], [`step`] | one folder per question |
//! | [`export`] | pictures and other formats |

#![forbid(unsafe_code)]

pub mod analyze;
pub mod application;
pub mod certificate;
mod cycle;
pub mod diagnostic;
pub mod explore;
pub mod export;
pub mod fnv;
pub mod goal;
pub mod graph;
pub mod lang;
pub mod lifecycle;
pub mod plan;
pub mod prove;
pub mod rule;
pub mod semantics;
pub mod simulate;
pub mod source;
pub mod spelling;
pub mod step;
pub mod synthesize;
pub mod system;
pub mod tree;
pub mod verify;

#[cfg(test)]
mod test_size;

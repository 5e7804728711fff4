//! Plans: partial orders of actions.

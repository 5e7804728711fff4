//! The one state-space search.

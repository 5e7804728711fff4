//! One folder per language.

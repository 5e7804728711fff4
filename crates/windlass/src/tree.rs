//! YAML and JSON as a spanned tree.

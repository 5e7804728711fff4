//! What every language is lowered to: lifecycles, implementations and wanted counts.

//! Pictures and interchange formats as text.

//! Evidence of a verdict, and the small checker that replays it.

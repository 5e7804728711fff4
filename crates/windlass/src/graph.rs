//! Location graphs, the pivot (paper 000 section 2).

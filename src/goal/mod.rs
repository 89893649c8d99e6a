//! Goals: what a run is to reach, and whether it did.

//! What is kept for how long.

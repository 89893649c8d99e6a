//! What is found out about one iteration, as events: changes, relevance, citations, builds, captured lessons.

mod turn;

pub use turn::Turn;

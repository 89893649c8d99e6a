//! Classifying captured lessons: quality gates, the built-in classifier, and one that is another program.

//! Texts as vectors: what a command is asked, what of its answers is taken, and what it may cost.

mod answer;
mod run;
mod setting;

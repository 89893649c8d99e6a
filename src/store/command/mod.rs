//! Asking commands of the workspace: another program gets a text and answers with a text, within its time, its size and its calls of
//! a day. What it says is data.

mod asker;
mod budget;
mod command;
mod line;
mod purpose;

pub use asker::{Asked, Asker, Land};
pub use budget::Budget;
pub use command::{Failure, ask, name_of};
pub use line::one_line;
pub use purpose::{Purpose, Terms};

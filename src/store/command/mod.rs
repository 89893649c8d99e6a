//! Asking commands of the workspace: another program gets a text and answers with a text, within its time, its size and its calls of
//! a day. What it says is data.

mod asker;
mod budget;
mod call;

pub use asker::{Asked, Asker, Land, Purpose, Task, Terms};
pub use budget::{Budget, Limit, Start};
pub use call::{Failure, ask, name_of};
